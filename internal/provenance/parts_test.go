package provenance

import (
	"encoding/json"
	"testing"

	"landfall/internal/column"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
)

// What the rescue column keeps is found by the paths of its reasons; what another
// tool wrote there says nothing.
func TestRescuedOf(t *testing.T) {
	const text = `{"s":{"a.b":1,"c":null},"n":"x","_file_path":"f","_record":7,"_why":{"s.` + "`a.b`" + `":"type:date","n":"unknown"}}`
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rescuedOf(quoted)
	if err != nil || r.Record != 7 || len(r.Why) != 2 {
		t.Fatalf("found %+v, %v", r, err)
	}
	for path, want := range map[string]string{"s.`a.b`": "1", "n": `"x"`, "s.c": "null", "s.d": "", "n.x": "", "": ""} {
		if got := string(r.at(path)); got != want {
			t.Errorf("at %q: %s, want %s", path, got, want)
		}
	}
	for _, other := range []string{`"plain"`, `"[1]"`, `null`, `"{\"_why\":1}"`} {
		if r, err := rescuedOf(json.RawMessage(other)); err != nil || len(r.Why) > 0 {
			t.Errorf("%s: found %+v, %v", other, r, err)
		}
	}
}

// Parts of values are found by the names of files or of the table, in any casing.
func TestInside(t *testing.T) {
	s, err := schema.ParseDDL("struct<a:int,b:map<string,int>>")
	if err != nil {
		t.Fatal(err)
	}
	m := schema.Map{Key: schema.String, Value: schema.Long}
	for _, c := range []struct {
		t                 schema.Type
		value, name, want string
	}{
		{s, `{"A":1,"b":{}}`, "a", "1"},
		{s, `{"a":1}`, "b", ""},
		{s, `[{"a":1},{}]`, "A", "[1,null]"},
		{schema.Array{Element: schema.Long}, "[1,2]", "element", "[1,2]"},
		{m, `{"y":1,"x":2}`, "key", `["y","x"]`},
		{m, `{"y":1,"x":2}`, "value", "[1,2]"},
		{schema.Long, "1", "x", ""},
	} {
		if got := string(inside(c.t, json.RawMessage(c.value), c.name)); got != c.want {
			t.Errorf("%s of %s: %s, want %s", c.name, c.value, got, c.want)
		}
	}
}

// A value of a typed column is shown as its file has it: what is no text in base 64,
// a timestamp with all digits.
func TestTypedText(t *testing.T) {
	texts := parquetfiletest.Column(schema.String, true, []any{"x", nil, "\xff"})
	texts.Leaves[0].Flaws = []column.Flaw{{Value: 1}}
	times := parquetfiletest.Column(schema.Timestamp, true, []any{int64(0), int64(1)})
	times.Leaves[0].Flaws = []column.Flaw{{Value: 1, Kind: column.Cut, Nanos: 7}}
	for _, c := range []struct {
		c    column.Column
		row  int
		want string
	}{
		{texts, 0, "x"}, {texts, 1, "∅"}, {texts, 2, `{"$base64":"/w=="}`}, {times, 0, "1970-01-01T00:00:00Z"}, {times, 1, "1970-01-01T00:00:00.000001007Z"},
	} {
		got := "∅"
		if text := typedText(c.c, c.row); text != nil {
			got = *text
		}
		if got != c.want {
			t.Errorf("row %d: %s, want %s", c.row, got, c.want)
		}
	}
}
