package delta

import (
	"fmt"
	"strings"
	"testing"

	"landfall/internal/store"
)

// Lines of a commit that makes a table.
const (
	protocolLine = `{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}`
	schemaString = `{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}`
	metaLine     = `{"metaData":{"id":"m","format":{"provider":"parquet","options":{}},"schemaString":"` + schemaString +
		`","partitionColumns":[],"configuration":{"k":"v"}}}`
)

func addLine(path string) string {
	return fmt.Sprintf(`{"add":{"path":%q,"partitionValues":{},"size":1,"modificationTime":1000,"dataChange":true}}`, path)
}

func removeLine(path string) string {
	return fmt.Sprintf(`{"remove":{"path":%q,"deletionTimestamp":1000,"dataChange":true}}`, path)
}

// putLines creates a file of lines.
func putLines(t testing.TB, s store.Store, key string, lines ...string) {
	t.Helper()
	putBytes(t, s, key, []byte(strings.Join(lines, "\n")+"\n"))
}

func putBytes(t testing.TB, s store.Store, key string, data []byte) {
	t.Helper()
	if err := s.Create(t.Context(), key, data); err != nil {
		t.Fatal(err)
	}
}

// putCommits creates a table whose version v adds the file v, up to a version.
func putCommits(t *testing.T, s store.Store, last int64) {
	t.Helper()
	putLines(t, s, versionKey(0), protocolLine, metaLine, addLine("0"))
	for v := int64(1); v <= last; v++ {
		putLines(t, s, versionKey(v), addLine(fmt.Sprint(v)))
	}
}

// Rows of a checkpoint file.
const (
	protocolRow = `{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors"]}}`
	metaRow     = `{"metaData":{"id":"m","format":{"provider":"parquet","options":[]},"schemaString":"` + schemaString +
		`","partitionColumns":["p"],"configuration":[{"key":"k","value":"v"}],"createdTime":5}}`
)

func addRow(path string) string {
	return fmt.Sprintf(`{"add":{"path":%q,"partitionValues":[],"size":1,"modificationTime":1000,"dataChange":false}}`, path)
}
