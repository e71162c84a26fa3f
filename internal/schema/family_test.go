package schema_test

import (
	"testing"

	"landfall/internal/schema"
)

func TestFamily(t *testing.T) {
	for ddl, want := range map[string]string{
		"tinyint": "number", "double": "number", "decimal(10,2)": "number", "date": "time", "timestamp_ntz": "time",
		"array<int>": "array", "map<string,int>": "object", "struct<a:int>": "object", "string": "string", "binary": "binary",
	} {
		if got := schema.Family(typ(t, ddl)); got != want {
			t.Errorf("%s: found %s, want %s", ddl, got, want)
		}
		if got := schema.Scalar(typ(t, ddl)); got == (want == "array" || want == "object") {
			t.Errorf("%s is a scalar: %v", ddl, got)
		}
	}
}
