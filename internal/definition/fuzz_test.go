package definition

import (
	"errors"
	"testing"

	"landfall/internal/diag"
)

// Whatever a text is, it is a table with columns of types, or a diagnostic with a
// place in the text.
func FuzzParse(f *testing.F) {
	for _, text := range []string{hiveText, hiveBox, sparkText, describeBox, "id int, v double", `{"columns":[{"name":"id","type":"int"}]}`, `{"Table":{"Columns":[{"Name":"a","Type":"int"}]}}`, "a\tint\nb\tint"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		table, err := Parse("f", text)
		var d *diag.Diagnostic
		if err != nil {
			if !errors.As(err, &d) || d.At.File != "f" {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		for _, c := range append(table.Columns, table.Partitions...) {
			if c.Type == nil || len(c.Path) == 0 || c.Path[0] == "" && table.Form != Columns {
				t.Errorf("%q: column %+v", text, c)
			}
		}
		if len(table.Columns)+len(table.Partitions) == 0 {
			t.Errorf("%q: no columns", text)
		}
	})
}
