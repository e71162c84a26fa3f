package delta

import (
	"bytes"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"landfall/internal/parquetfile"
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

// checkpointFile is a Parquet file with the columns of a checkpoint; rows are
// the actions in the JSON of Arrow, in which a map is a list of entries.
func checkpointFile(t *testing.T, rows ...string) []byte {
	t.Helper()
	return parquetOf(t, checkpointFields(), rows...)
}

func parquetOf(t *testing.T, fields []arrow.Field, rows ...string) []byte {
	t.Helper()
	sc := arrow.NewSchema(fields, nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, sc, strings.NewReader("["+strings.Join(rows, ",")+"]"))
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	var records iter.Seq2[arrow.RecordBatch, error] = func(yield func(arrow.RecordBatch, error) bool) { yield(rec, nil) }
	var buf bytes.Buffer
	if _, err := parquetfile.WriteArrow(&buf, sc, records, parquetfile.Options{}); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// checkpointFields are the columns that a checkpoint of ours would have not:
// those of another writer, with statistics as structs only.
func checkpointFields() []arrow.Field {
	text, long := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64
	texts := arrow.MapOf(text, text)
	null := func(name string, typ arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: typ, Nullable: true}
	}
	group := func(name string, fields ...arrow.Field) arrow.Field { return null(name, arrow.StructOf(fields...)) }
	return []arrow.Field{
		group("txn", null("appId", text), null("version", long)),
		group("add", null("path", text), null("partitionValues", texts), null("size", long),
			null("modificationTime", long), null("dataChange", arrow.FixedWidthTypes.Boolean),
			null("baseRowId", long),
			group("deletionVector", null("storageType", text), null("pathOrInlineDv", text),
				null("offset", arrow.PrimitiveTypes.Int32), null("sizeInBytes", arrow.PrimitiveTypes.Int32), null("cardinality", long)),
			group("partitionValues_parsed", null("p", arrow.FixedWidthTypes.Date32)),
			group("stats_parsed", null("numRecords", long),
				group("minValues", null("a", long), null("s", text), null("d", arrow.FixedWidthTypes.Date32),
					null("n", &arrow.Decimal128Type{Precision: 10, Scale: 2}), null("t", arrow.FixedWidthTypes.Timestamp_us)),
				group("nullCount", null("a", long)))),
		group("remove", null("path", text), null("deletionTimestamp", long), null("dataChange", arrow.FixedWidthTypes.Boolean)),
		group("metaData", null("id", text), group("format", null("provider", text), null("options", texts)),
			null("schemaString", text), null("partitionColumns", arrow.ListOf(text)), null("configuration", texts),
			null("createdTime", long)),
		group("protocol", null("minReaderVersion", arrow.PrimitiveTypes.Int32), null("minWriterVersion", arrow.PrimitiveTypes.Int32),
			null("readerFeatures", arrow.ListOf(text)), null("writerFeatures", arrow.ListOf(text))),
		group("domainMetadata", null("domain", text), null("configuration", text), null("removed", arrow.FixedWidthTypes.Boolean)),
		group("sidecar", null("path", text), null("sizeInBytes", long), null("modificationTime", long)),
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
