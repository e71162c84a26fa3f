package duckdb_test

import (
	"strings"
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

// Doubles become decimals by the digits that they are written with, also where these
// are half way between two decimals, and the double is not.
func TestDecimalsOfDoubles(t *testing.T) {
	f := newFixture(t)
	f.file("in.json", "a int", `{"a": 1}`, engine.Group{Format: engine.JSON})
	f.source("a int", plan.Source{})
	many := plan.Call{Fn: raw("range(300000)"), Of: schema.Array{Element: schema.Long}}
	double := plan.Call{Fn: raw(`CAST(CASE "i" % 4 WHEN 0 THEN ("i" - 150000) / 1000.0 WHEN 1 THEN ("i" * 7919 + 5) / 1e5
		WHEN 2 THEN sin("i") * 10.0 ** ("i" % 20) ELSE ("i" * 12345678.0 + 0.5) / 100 END AS DOUBLE)`), Of: schema.Double}
	f.add("many", plan.Flatten{
		Unroll: []plan.Unroll{{Of: many, Bind: "i", Required: true}}, Take: []plan.Assignment{{Name: "x", Value: double}},
	}, "in")
	x, typ := f.ref("many", 0), schema.Decimal{Precision: 18, Scale: 2}
	byText := plan.Call{Fn: raw(`TRY_CAST(CAST("x" AS VARCHAR) AS DECIMAL(18,2))`), Of: typ}
	same, err := plan.Operate(plan.SameAs, plan.Convert{From: x, To: typ}, byText)
	f.must(err)
	f.add("differ", plan.Filter{Keep: plan.Operation{Op: plan.Not, Args: []plan.Expr{same}, Of: schema.Boolean}}, "many")
	f.want(f.rows(f.job("differ")), "")
	f.add("read", plan.Filter{Keep: plan.Operation{Op: plan.Not, Args: []plan.Expr{plan.Operation{Op: plan.IsNull, Args: []plan.Expr{byText}, Of: schema.Boolean}}, Of: schema.Boolean}}, "many")
	f.add("n", plan.Aggregate{Values: []plan.Assignment{{Name: "n", Value: plan.Fold{Kind: plan.Count, Of: schema.Long}}}}, "read")
	f.want(f.rows(f.job("n")), "285909")
}

// Instants keep all that files hold of them, the ends of their range too.
func TestInstants(t *testing.T) {
	f := newFolder(t)
	path := f.file("a.parquet", `SELECT unnest([TIMESTAMPTZ '2026-01-02 03:04:05.123456+02', 'infinity', '-infinity', NULL, '1600-01-01 00:00:00Z']) AS at`)
	var p plan.Builder
	if _, err := p.Add("in", diag.Place{}, plan.Source{Columns: []plan.Column{{Name: "at", Type: schema.Timestamp}}}); err != nil {
		t.Fatal(err)
	}
	group := engine.Group{Columns: []schema.Field{col("at", schema.Timestamp)}, Files: []engine.InputFile{{Key: path.Path}}}
	job := engine.Job{Plan: p.Plan(), Step: "in", Inputs: []engine.Input{{Source: "in", Store: f.store, Groups: []engine.Group{group}}}}
	var got []string
	err := open(t).Run(t.Context(), job, func(r engine.Result) error {
		for row, err := range r.Rows {
			if err != nil {
				return err
			}
			got = append(got, engine.Text(row[0]))
		}
		return nil
	})
	const want = "2026-01-02T01:04:05.123456Z infinity -infinity NULL 1600-01-01T00:00:00Z"
	if got := strings.Join(got, " "); err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}
