package inspect

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"landfall/internal/diag"
)

var update = flag.Bool("update", false, "rewrite goldens")

// held inspects files and holds them against a gate.
func held(t *testing.T, gate string, files map[string][]byte) *Verdict {
	t.Helper()
	s, put := folder(t)
	for key, data := range files {
		put(key, data)
	}
	r, err := Run(t.Context(), s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := ParseGate("g", []byte(gate))
	if err != nil {
		t.Fatal(err)
	}
	return r.Hold(g)
}

// Against a definition, a column needs its place, and its values may not lose
// anything on their way to the wanted type.
func TestHoldDefinition(t *testing.T) {
	for _, c := range []struct{ have, gate, want string }{
		{"a: int", "a int", ""},
		{"A: int", "a bigint, b string", ""},
		{"a: int", "a decimal(18,2)", ""},
		{"a: bigint", "a int", "a: found bigint, want int"},
		{"a: bigint", "a double", "a: found bigint, want double"},
		{"a: double", "a decimal(18,2)", "a: found double, want decimal(18,2)"},
		{"a: decimal(10,2)", "a decimal(18,4)", ""},
		{"a: decimal(18,2)", "a decimal(18,4)", "a: found decimal(18,2), want decimal(18,4)"},
		{"a: int", "a string", "a: found int, want string"},
		{"a: int, b: date", "a int", "b: found a new column of type date, want none"},
		{"a: int", "a int, b date not null", "b: found no such column, want date not null"},
		{"a: int", "a void", ""},
		{"s: struct<x: int>", "s struct<x: bigint, y: string>", ""},
		{"s: struct<x: int, z: struct<q: int>>", "s struct<x: int>", "s.z: found a new column of type struct, want none"},
		{"s: struct<x: int>", "s string", "s: found struct, want string"},
		{"s: int", "s struct<x: int>", "s: found int, want struct"},
		{"l: array<int>", "l array<bigint>", ""},
		{"l: array<string>", "l array<int>", "l.element: found string, want int"},
		{"m: map<string, int>", "m map<string, string>", "m.value: found int, want string"},
		{"t: timestamp", "t timestamp_ntz", "t: found timestamp, want timestamp_ntz"},
	} {
		v := held(t, c.gate, map[string][]byte{"a.parquet": made(t, c.have)})
		var got []string
		for _, o := range v.Offences {
			got = append(got, strings.TrimSuffix(o.Text(), ", in 1 of 1 files"))
		}
		if text := strings.Join(got, "; "); text != c.want || (v.Outcome == GatePassed) != (c.want == "") || (v.Err() == nil) != (c.want == "") {
			t.Errorf("%s against %s: %s %q, want %q", c.have, c.gate, v.Outcome, text, c.want)
		}
	}
}

// Instants of nanoseconds lose digits in every table, and types that Parquet alone has
// are those that they land as.
func TestExact(t *testing.T) {
	for _, c := range []struct {
		n    Node
		want string
		ok   bool
	}{
		{Node{Type: "timestamp", Stored: "int64 micros"}, "timestamp", true},
		{Node{Type: "timestamp", Stored: "int64 nanos"}, "timestamp", false},
		{Node{Type: "uint32", Stored: "int32"}, "bigint", true},
		{Node{Type: "uint32", Stored: "int32"}, "int", false},
		{Node{Type: "uint64", Stored: "int64"}, "bigint", false},
		{Node{Type: "uuid", Stored: "fixed(16)"}, "string", true},
		{Node{Type: "interval", Stored: "fixed(12)"}, "string", false},
		{Node{Type: "bigint", Stored: "text"}, "string", true},
		{Node{Type: "bigint", Stored: "int64"}, "string", false},
	} {
		if got := exact(c.n, c.want); got != c.ok {
			t.Errorf("%v as %s: %v", c.n, c.want, got)
		}
	}
}

// Values of folders are held against the columns of a definition's partitions.
func TestHoldFolders(t *testing.T) {
	const gate = "CREATE TABLE t (a int) PARTITIONED BY (dt date, hour tinyint)"
	for path, want := range map[string]string{
		"dt=2026-11-01/hour=01/a.parquet":                         "",
		"DT=2026-11-01/hour=__HIVE_DEFAULT_PARTITION__/a.parquet": "",
		"dt=2026-11-31/hour=1/a.parquet":                          `dt: found the folder's value "2026-11-31", want date`,
		"dt=2026-11-01/hour=300/a.parquet":                        `hour: found the folder's value "300", want tinyint`,
		"dt=2026-11-01/a.parquet":                                 "hour: found absent, want tinyint",
	} {
		v := held(t, gate, map[string][]byte{path: made(t, "a: int")})
		got := ""
		for _, o := range v.Offences {
			got += o.Text()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// What fits a type in the name of a folder.
func TestFits(t *testing.T) {
	for _, c := range []struct {
		value, typ string
		ok         bool
	}{
		{"01", "int", true},
		{"2147483648", "int", false},
		{"2147483648", "bigint", true},
		{"1.0", "bigint", false},
		{"12.50", "decimal(4,2)", true},
		{"012.500", "decimal(4,2)", true},
		{"123.5", "decimal(4,2)", false},
		{"1.234", "decimal(4,2)", false},
		{"-1", "decimal(4,2)", true},
		{"x", "decimal(4,2)", false},
		{".", "decimal(4,2)", false},
		{"1e2", "decimal(4,2)", false},
		{"2026-11-01 10:00:00", "timestamp", true},
		{"2026-11-01 10:00:00.5", "timestamp", true},
		{"10:00", "timestamp", false},
		{"TRUE", "boolean", true},
		{"1", "boolean", false},
		{"x", "string", true},
		{"1e3", "double", true},
		{"x", "double", false},
	} {
		if got := fits(c.value, c.typ); got != c.ok {
			t.Errorf("%q as %s: %v", c.value, c.typ, got)
		}
	}
}

// What a gate kept is a gate again, in this form for ever.
func TestRecord(t *testing.T) {
	s, put := folder(t)
	put("a.parquet", made(t, "a: int, s: struct<x: array<string>>"))
	put("b.parquet", nil)
	r, err := Run(t.Context(), s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Groups[0].Bytes, r.Groups[0].Writers = 121, []Writer{{"landfall version 0", 1}} // whatever they are by now
	text, err := r.Record(time.Date(2026, 11, 2, 6, 14, 0, 5, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/gate-1.json"
	if *update {
		if err := os.WriteFile(golden, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != string(want) {
		t.Errorf("record:\n%s", text)
	}
	g, err := ParseGate("g", want)
	if err != nil {
		t.Fatal(err)
	}
	if v := r.Hold(g); v.Outcome != GatePassed || !g.Report() {
		t.Errorf("the folder is %s: %v", v.Outcome, v.Offences)
	}
	put("c.parquet", []byte("PAR1"))
	put("d.parquet", made(t, "a: bigint"))
	if r, err = Run(t.Context(), s, Options{}); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(r.Hold(g).Err())
	if !strings.Contains(got, "d.parquet: a new schema in 1 of 2 files: a: int → bigint; - s struct") || !strings.Contains(got, "c.parquet: unreadable: ") || strings.Contains(got, "b.parquet") {
		t.Errorf("closed: %s", got)
	}
}

// A gate is told by its content, and one that is neither is a diagnostic with a hint.
func TestParseGate(t *testing.T) {
	for text, want := range map[string]string{
		`{"folder":"x","groups":[]}`:                    "g: the report cannot be a gate: found format 0, want 1 [E0101]",
		`{"format":2,"folder":"x","groups":[]}`:         "g: the report cannot be a gate: found format 2, want 1 [E0101]",
		`{"format":1,"folder":"x","groups":[{"id":1}]}`: "g: the report cannot be a gate: group 1 has no schema [E0101]",
		`{"format":1,"folder":"x","groups":{}}`:         "g: the report cannot be a gate: json: ",
		`{"columns":[{"name":"a","type":"dubble"}]}`:    `g:1:33: found "dubble", want a type; did you mean double? [E0101]`,
		"": "g:1:1: found no columns, want some [E0101]",
		`{"format":1,"folder":"x","groups":[],"unreadable":[]}`:                                    "",
		`{"type":"struct","fields":[{"name":"a","type":"integer","nullable":true,"metadata":{}}]}`: "",
	} {
		_, err := ParseGate("g", []byte(text))
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		var d *diag.Diagnostic
		if !errors.As(err, &d) || !strings.HasPrefix(d.Error(), want) || d.Hint == "" {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
