package drill_test

import (
	"errors"
	"strings"
	"testing"

	"landfall/internal/drill"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		format, in  string
		how         drill.Break
		out, column string
	}{
		{"csv", "a,b\n1,x\n2,\"y,z\"\n", drill.ExtraColumn, "a,b,drill_extra\n1,x,1\n2,\"y,z\",1\n", "drill_extra"},
		{"csv", "a;b\n1;2,5\n3;4,5\n", drill.TextInNumber, "a;b\ndrill;2,5\n3;4,5\n", "a"},
		{"csv", "a,Airport_fee,7\n1,2,3\n", drill.Recased, "a,aIRPORT_FEE,7\n1,2,3\n", "Airport_fee"},
		{"csv", "a\tb\n1\t2\n", drill.Dropped, "a\n1\n", "b"},
		{"csv", "a,b,c\n1,2,3\n4,5,6\n", drill.Cut, "a,b,c\n1,2,3\n4,5", ""},
		{"csv", "a,b\nx,y\n", drill.TextInNumber, "", ""},
		{"csv", "a\n1\n", drill.Dropped, "", ""},
		{"csv", "a,b\n", drill.ExtraColumn, "", ""},
		{"json", "{\"a\":1,\"b\":\"x\"}\n{\"a\":2}\n", drill.ExtraColumn, "{\"a\":1,\"b\":\"x\",\"drill_extra\":1}\n{\"a\":2,\"drill_extra\":1}\n", "drill_extra"},
		{"json", "{\"a\":1,\"b\":\"x\"}\n{\"a\":null}\n", drill.TextInNumber, "{\"a\":\"drill\",\"b\":\"x\"}\n{\"a\":null}\n", "a"},
		{"json", "{\"a\":1,\"b\":[1, 2]}\n{\"b\":3}\n", drill.Recased, "{\"a\":1,\"B\":[1, 2]}\n{\"B\":3}\n", "b"},
		{"json", "{\"a\":1,\"b\":2}\n{\"b\":3}\n", drill.Dropped, "{\"a\":1}\n{}\n", "b"},
		{"json", "[\n{\"a\":1}\n]\n", drill.ExtraColumn, "", ""},
	} {
		out, column, err := drill.Text([]byte(c.in), c.format, c.how)
		if c.out == "" {
			if !errors.Is(err, drill.ErrNothing) {
				t.Errorf("%s of %q: found %v, want nothing to break", c.how, c.in, err)
			}
			continue
		}
		if err != nil || string(out) != c.out || column != c.column {
			t.Errorf("%s of %q: found %q, %s, %v, want %q, %s", c.how, c.in, out, column, err, c.out, c.column)
		}
	}
}

func TestProject(t *testing.T) {
	out, err := drill.Project([]byte(`version: 1
sources:
  trips: {path: landing/*.csv, table: lake/x, options: {cloudFiles.schemaLocation: s, cloudfiles.SchemaLocation: t, CHECKPOINTLOCATION: u, header: true}}
flows: {f: {script: f.dfs}}
pipelines:
  p: {files: [sql/*.sql, more.sql], target: silver, max_drop_rate: 0.9}
alerts:
  - {on: rescued, to: {webhook: "${URL}"}, digest: daily 09:00, redact: true}
`), drill.Places{
		Source: func(name, path string) (string, string) { return "in/" + name, "out/" + name },
		Target: func(name string) string { return "t/" + name }, SQL: func(p string) string { return "/real/" + p }, Alerts: "a.ndjson",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `version: 1
sources:
  trips:
    path: in/trips
    table: out/trips
    options:
      header: true
pipelines:
  p:
    files:
    - /real/sql/*.sql
    - /real/more.sql
    target: t/p
    max_drop_rate: 0.9
alerts:
- "on": rescued
  to:
    file: a.ndjson
  redact: true
`
	if got := string(out); got != want {
		t.Errorf("found\n%s\nwant\n%s", got, want)
	}
	if strings.Contains(string(out), "URL") {
		t.Error("a target of the real project is told")
	}
}
