package duckdb_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// numbers is a call that makes an array of so many numbers.
func numbers(n string) plan.Call {
	return plan.Call{Fn: raw("range(" + n + ")"), Of: schema.Array{Element: schema.Long}}
}

// many is a plan of a thousand times so many rows, i and a text h of each.
func many(f *fixture, thousands string) {
	f.Helper()
	f.file("in.json", "a int", `{"a": 1}`, engine.Group{Format: engine.JSON})
	f.source("a int", plan.Source{})
	f.add("many", plan.Flatten{
		Unroll: []plan.Unroll{
			{Of: numbers(thousands), Bind: "i", Required: true}, {Of: numbers("1000"), Bind: "j", Required: true},
		},
		Take: []plan.Assignment{
			{Name: "i", Value: plan.Local{Name: "i", Of: schema.Long}},
			{Name: "h", Value: plan.Call{Fn: raw(`md5(CAST("i" * 1000 + "j" AS VARCHAR))`), Of: schema.String}},
		},
	}, "in")
}

// A run that is cancelled ends at once, and says so.
func TestRunIsCancelled(t *testing.T) {
	f := newFixture(t)
	many(f, "100")
	f.add("pairs", plan.Join{Kind: plan.Cross}, "many", "many")
	id := f.plan.Plan().Step("pairs").Columns[1].ID
	count := plan.Fold{Kind: plan.Max, Arg: plan.Ref{ID: id, Of: schema.String}, Of: schema.String}
	f.add("n", plan.Aggregate{Values: []plan.Assignment{{Name: "n", Value: count}}}, "pairs")
	job := f.job("n")
	var told atomic.Int64
	job.Progress = func(p engine.Progress) {
		if p.Percent <= 100 {
			told.Add(1)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	begin := time.Now()
	err := f.engine.Run(ctx, job, func(engine.Result) error { return nil })
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	took := time.Since(begin)
	t.Logf("it took %s", took)
	if took > 13*time.Second { // a busy machine
		t.Errorf("it took %s to stop", took)
	}
	if told.Load() == 0 {
		t.Error("nobody was told of progress")
	}
}

// A sort of more than fits in memory spills; more than may be held at all is an
// error that says what to do.
func TestRunSpills(t *testing.T) {
	f := newFixture(t)
	many(f, "2500")
	step := f.plan.Plan().Step("many")
	f.add("sorted", plan.Sort{By: []plan.Order{{By: plan.Ref{ID: step.Columns[1].ID, Of: schema.String}}}}, "many")
	var err error
	if f.engine, err = duckdb.Open(t.Context(), duckdb.Options{MemoryLimit: "200MB", Threads: 1, TempDir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	last, rows := "", 0
	err = f.engine.Run(t.Context(), f.job("sorted"), func(r engine.Result) error {
		for row, err := range r.Rows {
			if err != nil {
				return err
			}
			h := engine.Text(row[1])
			if h < last {
				t.Fatalf("%s comes before %s", last, h)
			}
			last = h
			rows++
		}
		return nil
	})
	if err != nil || rows != 2_500_000 {
		t.Errorf("got %d rows, %v", rows, err)
	}
	f = newFixture(t)
	many(f, "1000")
	if f.engine, err = duckdb.Open(t.Context(), duckdb.Options{MemoryLimit: "20MB", Threads: 1, TempDir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	list := plan.Fold{Kind: plan.Collect, Arg: plan.Ref{ID: f.plan.Plan().Step("many").Columns[1].ID, Of: schema.String}, Of: schema.Array{Element: schema.String}}
	f.add("list", plan.Aggregate{Values: []plan.Assignment{{Name: "l", Value: list}}}, "many")
	err = f.engine.Run(t.Context(), f.job("list"), func(engine.Result) error { return nil })
	if diag.CodeOf(err) != diag.QueryFailed || !strings.Contains(diag.Render(err, false), "memory limit") {
		t.Errorf("got %v", err)
	}
}
