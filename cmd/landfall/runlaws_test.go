package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"landfall/internal/event"
)

// ran executes landfall run, and returns the events that it prints.
func (p *told) ran(t testing.TB) []event.Dataset {
	t.Helper()
	var out bytes.Buffer
	a := &app{stdout: &out, stderr: &bytes.Buffer{}, now: func() time.Time { return p.now }, newID: func() string {
		p.ids++
		return fmt.Sprintf("%08d-0000-4000-8000-000000000000", p.ids)
	}}
	root := a.root()
	root.SetArgs([]string{"run", "--json", "--project", p.dir + "/landfall.yaml"})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	var all []event.Dataset
	for line := range strings.Lines(out.String()) {
		var l struct {
			Dataset string          `json:"dataset"`
			Batches []event.Dataset `json:"batches"`
		}
		if err := json.Unmarshal([]byte(line), &l); err == nil && l.Dataset != "" {
			all = append(all, l.Batches...)
		}
	}
	return all
}

// drawnTrips is a file of random rows: numbers, texts among them, nothing.
func drawnTrips(r *rapid.T) string {
	var b strings.Builder
	b.WriteString("id,n,s\n")
	for range rapid.IntRange(1, 6).Draw(r, "rows") {
		n := rapid.SampledFrom([]string{"1", "-5", "7", "", "x", "100"}).Draw(r, "n")
		s := rapid.SampledFrom([]string{"a", "", "b"}).Draw(r, "s")
		fmt.Fprintf(&b, "%d,%s,%s\n", rapid.IntRange(1, 9).Draw(r, "id"), n, s)
	}
	return b.String()
}

// reconciles checks the counts of a batch: for each rule, and in all.
func reconciles(t *rapid.T, e event.Dataset) {
	if e.RowsWritten+e.RowsDropped != e.RowsIn {
		t.Fatalf("%s: written %d + dropped %d, rows in %d", e.Dataset, e.RowsWritten, e.RowsDropped, e.RowsIn)
	}
	for _, x := range e.Expectations {
		if x.True+x.False+x.Null != e.RowsIn {
			t.Fatalf("%s: %s: %d true + %d false + %d null, rows in %d", e.Dataset, x.Name, x.True, x.False, x.Null, e.RowsIn)
		}
		broken := int64(0)
		for _, f := range x.Files {
			broken += f.False + f.Null
		}
		if e.Kind == "streaming_table" && broken != x.False+x.Null {
			t.Fatalf("%s: %s: files tell of %d rows, all in all %d", e.Dataset, x.Name, broken, x.False+x.Null)
		}
	}
}

// TestRunLaws draws files that come, change and come again in any batches, and rules: the
// counts reconcile after each run, and silver is what its query makes of the bronze of now.
func TestRunLaws(t *testing.T) {
	t.Parallel()
	drawn := 0
	rapid.Check(t, func(r *rapid.T) {
		// Each draw is several runs: by default a fifth of the usual number will do.
		if drawn++; drawn > 20 && os.Getenv("LANDFALL_DRAWS") == "" {
			return
		}
		rules := []string{"n > 0", "n IS NOT NULL", "s = 'a'", "length(s) > 0 OR n < 50", "id BETWEEN 2 AND 8", "s IN ('a', 'b')"}
		keep := rapid.SampledFrom(rules).Draw(r, "dropping")
		warn := rapid.SampledFrom(rules).Draw(r, "warning")
		p := newTold(t, "{on: expectation_failed, to: {file: alerts.ndjson}}\npipelines:\n  p: {files: [p.sql], target: silver, max_drop_rate: 1}")
		p.write(t, "p.sql", fmt.Sprintf(`CREATE STREAMING TABLE clean (CONSTRAINT d EXPECT (%s) ON VIOLATION DROP ROW, CONSTRAINT w EXPECT (%s)) AS
SELECT id, n, s, id + n AS m, _rescued_data FROM STREAM(orders) WHERE id <> 9;
CREATE STREAMING TABLE down AS SELECT id, upper(s) AS s FROM STREAM(clean) WHERE id > 3;
CREATE MATERIALIZED VIEW per AS SELECT s, count(*) AS rows, sum(m) AS m FROM clean GROUP BY s;`, keep, warn))
		p.write(t, "in/first.csv", "id,n,s\n1,1,a\n") // the types are not up to chance
		p.ran(t)
		for range rapid.IntRange(1, 3).Draw(r, "runs") {
			for range rapid.IntRange(1, 2).Draw(r, "files") {
				p.write(t, "in/"+rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "file")+".csv", drawnTrips(r))
			}
			p.now = p.now.Add(time.Minute)
			for _, e := range p.ran(t) {
				reconciles(r, e)
			}
		}
		const shape = "SELECT count(*) AS rows, string_agg(v, '\n' ORDER BY v) AS v FROM (SELECT CAST(%s AS VARCHAR) AS v FROM t WHERE %s)"
		same := func(table, row, where, from, of, ofWhere string) {
			got, want := p.asked(t, table, fmt.Sprintf(shape, row, where)), p.asked(t, from, fmt.Sprintf(shape, of, ofWhere))
			if got != want {
				r.Fatalf("%s: found\n%s\nwant\n%s", table, got, want)
			}
		}
		same("silver/clean", "(id, n, s, m, _rescued_data)", "true", "lake", "(id, n, s, id + n, _rescued_data)", "id <> 9 AND ("+keep+")")
		same("silver/down", "(id, s)", "true", "silver/clean", "(id, upper(s))", "id > 3")
		per := p.asked(t, "silver/clean", "SELECT s, count(*) AS rows, sum(m) AS m FROM t GROUP BY s ORDER BY s NULLS FIRST")
		if got := p.asked(t, "silver/per", "SELECT s, rows, m FROM t ORDER BY s NULLS FIRST"); got != per {
			r.Fatalf("per: found\n%s\nwant\n%s", got, per)
		}
	})
}
