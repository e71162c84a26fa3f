package duckdb_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// orders is a source of so many rows: a counts them, k is one of three keys.
func orders(f *fixture, rows int) {
	f.Helper()
	var text strings.Builder
	for i := range rows {
		fmt.Fprintf(&text, "{\"a\": %d, \"k\": \"k%d\"}\n", i, i%3)
	}
	f.file("in.json", "a int, k string", text.String(), engine.Group{Format: engine.JSON})
	f.source("a int, k string", plan.Source{})
}

func (f *fixture) ref(step string, at int) plan.Ref {
	f.Helper()
	c := f.plan.Plan().Step(step).Columns[at]
	return plan.Ref{ID: c.ID, Of: c.Type}
}

// output is a target in a folder of its own.
func (f *fixture) output(step string, to engine.Target) engine.Output {
	f.Helper()
	to.Folder = f.TempDir()
	return engine.Output{Step: step, To: to}
}

func (f *fixture) writeAll(job engine.Job, outputs ...engine.Output) *engine.Account {
	f.Helper()
	account, err := f.engine.WriteAll(f.Context(), job, outputs)
	f.must(err)
	return account
}

// text is all that an output has written, in the order of the names of its files.
func (f *fixture) text(account *engine.Account, outputs []engine.Output, n int) string {
	f.Helper()
	var parts []string
	for _, w := range account.Files[n] {
		raw, err := os.ReadFile(filepath.Join(outputs[n].To.Folder, w.Path))
		f.must(err)
		parts = append(parts, string(raw))
	}
	slices.Sort(parts)
	return strings.Join(parts, "")
}

// Outputs of one plan agree with each other also where a function gives something else
// each time.
func TestOutputsAgree(t *testing.T) {
	f := newFixture(t)
	orders(f, 5000)
	f.add("named", plan.Derive{Set: []plan.Assignment{{Name: "id", Value: call(t, "uuid", plan.Scalar)}}}, "in")
	f.add("numbered", plan.Key{Name: "n", Start: 1, Step: 1}, "named")
	f.add("one", plan.Sink{}, "numbered")
	f.add("two", plan.Sink{}, "numbered")
	f.add("three", plan.Sink{}, "named")
	job := f.job("one")
	job.Counts = true
	outputs := []engine.Output{
		f.output("one", engine.Target{Format: engine.JSON}), f.output("two", engine.Target{Format: engine.JSON}),
		f.output("three", engine.Target{Format: engine.JSON}),
	}
	account := f.writeAll(job, outputs...)
	one, two, three := f.text(account, outputs, 0), f.text(account, outputs, 1), f.text(account, outputs, 2)
	if one != two {
		t.Error("two outputs of one stream differ")
	}
	for line := range strings.Lines(three) {
		if !strings.Contains(one, strings.TrimSuffix(line, "}\n")) {
			t.Fatalf("%s is in one output alone", line)
		}
	}
	f.want(fmt.Sprint(account.Streams), "[{in 5000} {named 5000} {numbered 5000} {one 5000} {two 5000} {three 5000}]")
}

// The rows of each step are told, also of those whose rows are nowhere written.
func TestRowsOfStreams(t *testing.T) {
	f := newFixture(t)
	orders(f, 100)
	a := f.ref("in", 0)
	small := plan.Operation{Op: plan.Less, Args: []plan.Expr{a, plan.Literal{Value: int64(40), Of: schema.Integer}}, Of: schema.Boolean}
	tiny := plan.Operation{Op: plan.Less, Args: []plan.Expr{a, plan.Literal{Value: int64(10), Of: schema.Integer}}, Of: schema.Boolean}
	f.add("split", plan.Split{Conditions: []plan.Expr{tiny, small}, Outputs: []string{"tiny", "small", "rest"}}, "in")
	f.add("split@tiny", plan.Output{Number: 0}, "split")
	f.add("split@small", plan.Output{Number: 1}, "split")
	f.add("split@rest", plan.Output{Number: 2}, "split")
	f.add("both", plan.Union{}, "split@tiny", "split@rest")
	count := plan.Fold{Kind: plan.Count, Of: schema.Long}
	f.add("groups", plan.Aggregate{
		Group: []plan.Assignment{{Name: "k", Value: f.ref("both", 1)}}, Values: []plan.Assignment{{Name: "n", Value: count}},
	}, "both")
	f.add("out", plan.Sink{}, "groups")
	f.add("other", plan.Sink{}, "split@small")
	job := f.job("")
	job.Counts = true
	now := time.Unix(0, 0)
	job.Clock = func() time.Time { now = now.Add(time.Second); return now }
	account := f.writeAll(job, f.output("out", engine.Target{}), f.output("other", engine.Target{}))
	f.want(fmt.Sprint(account.Streams), "[{in 100} {split 100} {split@tiny 10} {split@small 30} {split@rest 60} {both 70} {groups 3} {out 3} {other 30}]")
	f.want(fmt.Sprint(account.Stages), "[{out 1s} {other 1s} { 1s}]")
	job.Counts = false
	if account = f.writeAll(job, f.output("out", engine.Target{})); account.Streams != nil {
		t.Errorf("got %v, which nobody asked for", account.Streams)
	}
}

// The rows of each file are told, in all formats.
func TestRowsOfFiles(t *testing.T) {
	f := newFixture(t)
	orders(f, 10)
	lines := plan.Call{Fn: raw(`k || chr(10) || '"\,'`), Of: schema.String}
	f.add("out", plan.Derive{Set: []plan.Assignment{{Name: "text", Value: lines}}}, "in")
	for name, to := range map[string]engine.Target{
		"parquet":   {},
		"delimited": {Format: engine.Delimited, Text: engine.Dialect{Header: true, Quote: `"`, Escape: `"`}},
		"escaped":   {Format: engine.Delimited, Text: engine.Dialect{Quote: `"`, Escape: `\`}, Compression: "gzip"},
		"json":      {Format: engine.JSON, Compression: "zstd"},
		"array":     {Format: engine.JSON, Documents: engine.Array},
		"stays":     {Format: engine.Delimited, Text: engine.Dialect{Quote: `"`, Escape: `"`}, KeysStay: true},
	} {
		to.Keys = []string{"k"}
		account := f.writeAll(f.job("out"), f.output("out", to))
		rows := map[string]int64{}
		for _, w := range account.Files[0] {
			rows[filepath.Dir(w.Path)] = w.Rows
		}
		if got := fmt.Sprint(rows); got != "map[k=k0:4 k=k1:3 k=k2:3]" {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

// Without quotes, nobody can tell the line ends of values from those of rows.
func TestRowsOfFilesThatNobodyCanTell(t *testing.T) {
	f := newFixture(t)
	orders(f, 10)
	f.add("out", plan.Derive{Set: []plan.Assignment{{Name: "text", Value: plan.Call{Fn: raw(`chr(10)`), Of: schema.String}}}}, "in")
	account := f.writeAll(f.job("out"), f.output("out", engine.Target{Format: engine.Delimited, Keys: []string{"k"}}))
	if len(account.Files[0]) != 3 || account.Files[0][0].Rows != -1 {
		t.Errorf("got %v", account.Files)
	}
}

// An output without rows is a file with the columns, however rows would be divided.
func TestOutputWithoutRows(t *testing.T) {
	f := newFixture(t)
	orders(f, 0)
	for want, to := range map[string]engine.Target{
		"a,k\n":        {Format: engine.Delimited, Text: engine.Dialect{Header: true}},
		"a\n":          {Format: engine.Delimited, Text: engine.Dialect{Header: true}, Keys: []string{"k"}},
		"":             {Format: engine.JSON, Files: 3, By: []string{"a"}},
		"[\n\t\n]\n":   {Format: engine.JSON, Documents: engine.Array, Files: 2},
		"top\n\na,k\n": {Format: engine.Delimited, Text: engine.Dialect{Header: true}, Files: 2, Top: []string{"top", ""}},
		"key\na,k\n":   {Format: engine.Delimited, Text: engine.Dialect{Header: true}, Keys: []string{"k"}, KeysStay: true, Top: []string{"key"}},
	} {
		outputs := []engine.Output{f.output("in", to)}
		account := f.writeAll(f.job("in"), outputs...)
		if got := f.text(account, outputs, 0); got != want || len(account.Files[0]) != 1 || account.Files[0][0].Rows != 0 {
			t.Errorf("got %q, %v, want %q", got, account.Files, want)
		}
	}
}

// Delimited text is written as a sink says.
func TestDelimitedText(t *testing.T) {
	f := newFixture(t)
	f.file("in.json", "a int, b string, c string", `{"a": 1, "b": "it's \"x\"", "c": null}
{"a": null, "b": "", "c": "p;q"}
`, engine.Group{Format: engine.JSON})
	f.source("a int, b string, c string", plan.Source{})
	for want, to := range map[string]engine.Target{
		"a,b,c\n1,\"it's \"\"x\"\"\",\n,\"\",p;q\n":   {Text: engine.Dialect{Header: true, Quote: `"`, Escape: `"`}},
		"1;\"it's \"\"x\"\"\";\\N\n\\N;;\"p;q\"\n":    {Text: engine.Dialect{Delimiter: ";", Quote: `"`, Escape: `"`, Null: `\N`}},
		"\"1\",\"it's \"\"x\"\"\",\n,\"\",\"p;q\"\n":  {Text: engine.Dialect{Quote: `"`, Escape: `"`}, QuoteAll: true},
		"1,\"it's \\\"x\\\"\",\\N\n\\N,\"\",p;q\n":    {Text: engine.Dialect{Quote: `"`, Escape: `\`, Null: `\N`}},
		"# of today\nA;B;C\n1;it's \"x\";-\n-;;p;q\n": {Text: engine.Dialect{Delimiter: ";", Null: "-"}, Top: []string{"# of today", "A;B;C"}},
	} {
		to.Format = engine.Delimited
		outputs := []engine.Output{f.output("in", to)}
		account := f.writeAll(f.job("in"), outputs...)
		if got := f.text(account, outputs, 0); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if w := account.Files[0][0]; w.Size != int64(len(want)) || w.Rows != 2 {
			t.Errorf("got %v of %q", w, want)
		}
	}
}

// A JSON sink writes all digits of a number, and every field, in one document a line or
// in an array.
func TestDocuments(t *testing.T) {
	f := newFixture(t)
	f.file("in.json", "d string, x double, b string, l array<struct<n: bigint, t: string>>, m map<string, int>",
		`{"d": "12345678901234567890.120", "x": 1e300, "b": "é\n\"", "l": [{"n": 9007199254740993, "t": null}, null], "m": {"k": 1}}`+"\n{}\n",
		engine.Group{Format: engine.JSON})
	f.source("d decimal(38,3), x double, b string, l array<struct<n: bigint, t: string>>, m map<string, int>", plan.Source{})
	f.add("out", plan.Derive{Set: []plan.Assignment{
		{Name: "at", Value: plan.Convert{From: plan.Literal{Value: "2026-01-02 03:04:05.25", Of: schema.String}, To: schema.Timestamp}},
		{Name: "day", Value: plan.Convert{From: plan.Literal{Value: "2026-01-02", Of: schema.String}, To: schema.Date}},
		{Name: "raw", Value: plan.Literal{Value: []byte{0, 255}, Of: schema.Binary}},
		{Name: "nan", Value: plan.Call{Fn: raw("CAST('-inf' AS DOUBLE)"), Of: schema.Double}},
	}}, "in")
	rest := `"at":"2026-01-02T03:04:05.25Z","day":"2026-01-02","raw":"AP8=","nan":"-Infinity"}`
	one := `{"d":12345678901234567890.120,"x":1e300,"b":"é\n\"","l":[{"n":9007199254740993,"t":null},null],"m":{"k":1},` + rest
	two := `{"d":null,"x":null,"b":null,"l":null,"m":null,` + rest
	for want, documents := range map[string]engine.Documents{
		one + "\n" + two + "\n":                 engine.Lines,
		"[\n\t" + one + ",\n\t" + two + "\n]\n": engine.Array,
	} {
		outputs := []engine.Output{f.output("out", engine.Target{Format: engine.JSON, Documents: documents})}
		f.want(f.text(f.writeAll(f.job("out"), outputs...), outputs, 0), want)
	}
}

// A job that is cancelled while it writes ends at once, and leaves nothing where the
// engine works.
func TestWriteIsCancelled(t *testing.T) {
	f := newFixture(t)
	temp := t.TempDir()
	var err error
	f.engine, err = duckdb.Open(t.Context(), duckdb.Options{Threads: 2, TempDir: temp, MemoryLimit: "300MB"})
	f.must(err)
	many(f, "20000")
	step := f.plan.Plan().Step("many")
	f.add("sorted", plan.Sort{By: []plan.Order{{By: plan.Ref{ID: step.Columns[1].ID, Of: schema.String}}}}, "many")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	began := time.Now()
	_, err = f.engine.WriteAll(ctx, f.job("sorted"), []engine.Output{f.output("sorted", engine.Target{})})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	took := time.Since(began)
	t.Logf("it took %s", took)
	if took > 12*time.Second { // a busy machine
		t.Errorf("it took %s to stop", took)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("found %v, %v, want nothing", left, err)
	}
}

// A stream that goes two ways within one output is one stream.
func TestStreamReadTwice(t *testing.T) {
	f := newFixture(t)
	orders(f, 1000)
	f.add("named", plan.Derive{Set: []plan.Assignment{{Name: "id", Value: call(t, "uuid", plan.Scalar)}}}, "in")
	f.add("kept", plan.Filter{Keep: plan.Operation{
		Op: plan.Less, Args: []plan.Expr{f.ref("named", 0), plan.Literal{Value: int64(500), Of: schema.Integer}}, Of: schema.Boolean,
	}}, "named")
	f.add("both", plan.Union{}, "named", "kept")
	count := plan.Fold{Kind: plan.Count, Distinct: true, Arg: f.ref("both", 2), Of: schema.Long}
	f.add("ids", plan.Aggregate{Values: []plan.Assignment{{Name: "n", Value: count}}}, "both")
	f.want(f.rows(f.job("ids")), "1000")
}
