package duckdb_test

import (
	"fmt"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/plan"
	"landfall/internal/schema"
	"landfall/internal/store/local"
)

// BenchmarkProgram compares a plan with SQL that a person writes for the same.
func BenchmarkProgram(b *testing.B) {
	dir := b.TempDir()
	store, err := local.Open(dir)
	must(b, err)
	e, err := duckdb.Open(b.Context(), duckdb.Options{TempDir: b.TempDir()})
	must(b, err)
	var p plan.Builder
	add := func(name string, op plan.Op, inputs ...string) *plan.Step {
		step, err := p.Add(name, diag.Place{}, op, inputs...)
		must(b, err)
		return step
	}
	typ := schema.Decimal{Precision: 10, Scale: 2}
	in := add("in", plan.Source{Columns: []plan.Column{{Name: "k", Type: schema.String}, {Name: "v", Type: typ}, {Name: "n", Type: schema.Long}}})
	generate := plan.Builder{}
	must(b, writeNumbers(b, e, &generate, dir))
	v, n := plan.Ref{ID: in.Columns[1].ID, Of: typ}, plan.Ref{ID: in.Columns[2].ID, Of: schema.Long}
	operate := func(op plan.Operator, args ...plan.Expr) plan.Expr {
		e, err := plan.Operate(op, args...)
		must(b, err)
		return e
	}
	add("kept", plan.Filter{Keep: operate(plan.Greater, n, plan.Literal{Value: int64(1000), Of: schema.Integer})}, "in")
	kept := p.Plan().Step("kept")
	v.ID, n.ID = kept.Columns[1].ID, kept.Columns[2].ID
	derived := add("derived", plan.Derive{Set: []plan.Assignment{{Name: "v", Value: operate(plan.Multiply, v, plan.Literal{Value: "1.25", Of: schema.Decimal{Precision: 3, Scale: 2}})}, {Name: "n", Value: operate(plan.Add, n, n)}}}, "kept")
	fold := func(i int) plan.Expr {
		f, err := plan.FoldOf(plan.Sum, plan.Ref{ID: derived.Columns[i].ID, Of: derived.Columns[i].Type})
		must(b, err)
		return f
	}
	key := plan.Ref{ID: derived.Columns[0].ID, Of: schema.String}
	add("sums", plan.Aggregate{Group: []plan.Assignment{{Name: "k", Value: key}}, Values: []plan.Assignment{{Name: "v", Value: fold(1)}, {Name: "n", Value: fold(2)}}}, "derived")
	fields := []schema.Field{{Name: "k", Type: schema.String}, {Name: "v", Type: typ}, {Name: "n", Type: schema.Long}}
	group := engine.Group{Columns: fields, Files: []engine.InputFile{{Key: "part.parquet"}}}
	job := engine.Job{Plan: p.Plan(), Step: "sums", Inputs: []engine.Input{{Source: "in", Store: store, Groups: []engine.Group{group}}}}
	read := func(r engine.Result) error {
		for _, err := range r.Rows {
			must(b, err)
		}
		return nil
	}
	b.Run("plan", func(b *testing.B) {
		for b.Loop() {
			must(b, e.Run(b.Context(), job, read))
		}
	})
	view := engine.View{Name: "t", Schema: schema.Struct{Fields: fields}, Store: store, Files: []engine.File{{Path: "part.parquet", Rows: -1}}}
	b.Run("sql", func(b *testing.B) {
		for b.Loop() {
			must(b, e.Query(b.Context(), "SELECT k, sum(v * 1.25) v, sum(n + n) n FROM t WHERE n > 1000 GROUP BY k", []engine.View{view}, nil, read))
		}
	})
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// writeNumbers writes five million rows of k, v and n to a Parquet file.
func writeNumbers(b *testing.B, e *duckdb.Engine, p *plan.Builder, dir string) error {
	b.Helper()
	const group = 5000
	source := plan.Source{}
	if _, err := p.Add("none", diag.Place{}, source); err != nil {
		return err
	}
	one := plan.Fold{Kind: plan.Count, Of: schema.Long}
	if _, err := p.Add("one", diag.Place{}, plan.Aggregate{Values: []plan.Assignment{{Name: "c", Value: one}}}, "none"); err != nil {
		return err
	}
	sql := func(text string, t schema.Type) plan.Call { return plan.Call{Fn: raw(text), Of: t} }
	if _, err := p.Add("many", diag.Place{}, plan.Flatten{
		Unroll: []plan.Unroll{{Of: numbers(fmt.Sprint(group)), Bind: "i", Required: true}, {Of: numbers("1000"), Bind: "j", Required: true}},
		Take: []plan.Assignment{
			{Name: "k", Value: sql(`('key ' || CAST("j" % 100 AS VARCHAR))`, schema.String)},
			{Name: "v", Value: sql(`CAST("i" % 10000 / 100 AS DECIMAL(10,2))`, schema.Decimal{Precision: 10, Scale: 2})},
			{Name: "n", Value: sql(`("i" * 1000 + "j")`, schema.Long)},
		},
	}, "one"); err != nil {
		return err
	}
	_, err := e.Write(b.Context(), engine.Job{Plan: p.Plan(), Step: "many", Inputs: []engine.Input{{Source: "none"}}}, engine.Target{Folder: dir})
	return err
}
