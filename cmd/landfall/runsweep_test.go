package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"landfall/internal/store"
	"landfall/internal/store/fault"
)

// asked is what a query prints, as JSON.
func (p *told) asked(t *testing.T, table, sql string) string {
	t.Helper()
	var out bytes.Buffer
	a := &app{stdout: &out, stderr: &bytes.Buffer{}, now: func() time.Time { return p.now }, newID: func() string { return "x" }}
	root := a.root()
	root.SetArgs([]string{"query", "--json", "--table", filepath.Join(p.dir, table), sql})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// struck makes all stores of a run share one count, in which a call goes wrong; a crash
// takes all that follow with it. It tells how to see whether the run met it.
func (p *told) struck(kind fault.Kind, at int) func() bool {
	var mu sync.Mutex
	calls, hit := 0, false
	p.wrap = func(s store.Store) (store.Store, error) {
		return fault.New(s, fault.Plan{Kind: kind, Times: fault.Forever, Match: func(fault.Call) bool {
			mu.Lock()
			defer mu.Unlock()
			calls++
			now := calls == at+1 || hit && kind == fault.Crash
			hit = hit || now
			return now
		}}), nil
	}
	return func() bool { return hit }
}

// TestRunSweep breaks a run from bronze to silver to alert at its calls to all stores, and
// runs again: every row is there once, what was replaced is replaced all the way down, and
// every broken rule is told, at most once too often, with one id.
func TestRunSweep(t *testing.T) {
	for kind, step := range map[fault.Kind]int{fault.Crash: stride, fault.Fail: 2 * stride, fault.Ambiguous: 2 * stride} {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			t.Parallel()
			for i := 0; sweepRun(t, kind, i); i += step {
			}
		})
	}
}

// TestFirstRunSweep breaks the first run that a project ever has: what it met is told too.
func TestFirstRunSweep(t *testing.T) {
	t.Parallel()
	for i := 0; ; i += 2 * stride {
		p := newTold(t, "{on: expectation_failed, to: {file: alerts.ndjson}}\npipelines:\n  p: {files: [p.sql], target: silver}")
		p.write(t, "p.sql", "CREATE STREAMING TABLE clean (CONSTRAINT small EXPECT (coalesce(n, 0) < 100) ON VIOLATION DROP ROW) AS SELECT id, n, _rescued_data FROM STREAM(orders);")
		p.write(t, "in/a.csv", "id,n\n1,10\n2,200\n")
		hit := p.struck(fault.Crash, i)
		_, _ = p.run(t, "run") // what it leaves is what counts
		p.wrap = nil
		p.now = p.now.Add(time.Hour)
		if out, err := p.run(t, "run"); err != nil {
			t.Fatalf("at call %d: %v: %s", i, err, out)
		}
		told := map[string]int{}
		for _, l := range p.letters(t) {
			told[l.ID]++
		}
		if len(told) != 1 {
			t.Errorf("at call %d: told %v, want one message", i, told)
		}
		if got := p.asked(t, "silver/clean", "SELECT id FROM t"); got != "{\"id\":1}\n" {
			t.Errorf("at call %d: found %s", i, got)
		}
		if !hit() {
			return
		}
	}
}

// sweepRun breaks one run at a call, and tells whether there was such a call.
func sweepRun(t *testing.T, kind fault.Kind, i int) bool {
	t.Helper()
	p := newTold(t, "{on: expectation_failed, to: {file: alerts.ndjson}}\npipelines:\n  p: {files: [p.sql], target: silver}")
	p.write(t, "p.sql", `CREATE STREAMING TABLE clean (CONSTRAINT small EXPECT (coalesce(n, 0) < 100) ON VIOLATION DROP ROW) AS SELECT id, n, _rescued_data FROM STREAM(orders);
CREATE STREAMING TABLE later AS SELECT id + 100 AS id FROM STREAM(clean);
CREATE MATERIALIZED VIEW total AS SELECT count(*) AS rows, sum(n) AS n FROM clean;`)
	p.write(t, "in/a.csv", "id,n\n1,10\n2,20\n")
	if _, err := p.run(t, "run"); err != nil {
		t.Fatal(err)
	}
	p.write(t, "in/a.csv", "id,n\n1,11\n2,20\n9,90\n")
	p.write(t, "in/b.csv", "id,n\n3,x\n4,400\n5,50\n")
	hit := p.struck(kind, i)
	_, _ = p.run(t, "run") // what it leaves is what counts
	p.wrap = nil
	p.now = p.now.Add(time.Hour)
	if out, err := p.run(t, "run"); err != nil {
		t.Fatalf("%v at call %d: %v: %s", kind, i, err, out)
	}
	at := fmt.Sprintf("%v at call %d", kind, i)
	if got := p.asked(t, "silver/clean", "SELECT id, n FROM t ORDER BY id, n"); got != `{"id":1,"n":11}
{"id":2,"n":20}
{"id":3,"n":null}
{"id":5,"n":50}
{"id":9,"n":90}
` {
		t.Errorf("%s: found\n%s", at, got)
	}
	if got := p.asked(t, "silver/later", "SELECT string_agg(id, ' ' ORDER BY id) AS ids FROM t"); got != "{\"ids\":\"101 102 103 105 109\"}\n" {
		t.Errorf("%s: found %s", at, got)
	}
	if got := p.asked(t, "silver/total", "SELECT * FROM t"); got != "{\"rows\":5,\"n\":171}\n" {
		t.Errorf("%s: found %s", at, got)
	}
	p.toldOnce(t, at)
	return hit()
}

// toldOnce checks that both broken rules were told, and at most one message came twice.
func (p *told) toldOnce(t *testing.T, at string) {
	t.Helper()
	n := map[string]int{}
	rescued, dropped := false, false
	for _, l := range p.letters(t) {
		n[l.ID]++
		rescued = rescued || strings.Contains(l.Text, "nothing_rescued") && l.File == "in/b.csv"
		dropped = dropped || strings.Contains(l.Text, "small")
	}
	twice := 0
	for _, times := range n {
		twice += times - 1
	}
	if !rescued || !dropped || len(n) > 2 || twice > 1 {
		t.Errorf("%s: told %v, rescued %v, dropped %v", at, n, rescued, dropped)
	}
}
