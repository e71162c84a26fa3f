//go:build shared

package schema_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/sharedtest"
)

// Every schema in the logs of real tables comes back as it was.
func TestJSONOfRealTables(t *testing.T) {
	logs, err := filepath.Glob(filepath.Join(sharedtest.Folder(t, "delta-golden-tables"), "*/_delta_log/*.json"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, name := range logs {
		for _, text := range schemasOf(t, name) {
			seen++
			s, err := schema.ParseJSON([]byte(text))
			if diag.CodeOf(err) == diag.UnknownFeature {
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			got, err := s.JSON()
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(value(t, string(got)), value(t, text)) {
				t.Errorf("%s:\ngot  %s\nwant %s", name, got, text)
			}
		}
	}
	if seen == 0 {
		t.Error("no schema was found in the shared tables")
	}
}

func value(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func schemasOf(t *testing.T, name string) []string {
	t.Helper()
	log, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for line := range bytes.SplitSeq(log, []byte("\n")) {
		var action struct {
			MetaData struct {
				SchemaString string `json:"schemaString"`
			} `json:"metaData"`
		}
		if json.Unmarshal(line, &action) == nil && action.MetaData.SchemaString != "" {
			texts = append(texts, action.MetaData.SchemaString)
		}
	}
	return texts
}
