package duckdb_test

import (
	"testing"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/engine/enginetest"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

func TestSuite(t *testing.T) {
	e, err := duckdb.Open(t.Context(), duckdb.Options{Threads: 2, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	enginetest.Run(t, e)
}

// BenchmarkSession is what each run costs before it reads anything.
func BenchmarkSession(b *testing.B) {
	e, err := duckdb.Open(b.Context(), duckdb.Options{Threads: 2, TempDir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	var builder plan.Builder
	source := plan.Source{Columns: []plan.Column{{Name: "a", Type: schema.Integer}}}
	if _, err := builder.Add("in", diag.Place{}, source); err != nil {
		b.Fatal(err)
	}
	job := engine.Job{Plan: builder.Plan(), Step: "in", Inputs: []engine.Input{{Source: "in"}}}
	for b.Loop() {
		if err := e.Run(b.Context(), job, func(engine.Result) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func TestRandomPlans(t *testing.T) {
	e, err := duckdb.Open(t.Context(), duckdb.Options{Threads: 2, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	enginetest.RunRandom(t, e)
}
