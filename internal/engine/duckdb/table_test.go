package duckdb_test

import (
	"os"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/plan"
	"landfall/internal/plan/function"
	"landfall/internal/schema"
)

// called lets a plan call a function of the table.
type called struct{ call function.Call }

func (c called) Name() string { return c.call.Function.Name }

func (c called) SQL(engine string, args []string) (string, error) {
	return c.call.SQL(engine, args)
}

func (c called) Over(engine string, args []string, window string) (string, error) {
	return c.call.Over(engine, args, window)
}

// call resolves a function of the table.
func call(t *testing.T, name string, kind plan.CallKind, args ...plan.Expr) plan.Call {
	t.Helper()
	table, err := function.Load()
	if err != nil {
		t.Fatal(err)
	}
	given := make([]function.Argument, len(args))
	for i, a := range args {
		given[i].Type = a.Type()
		if l, ok := a.(plan.Literal); ok {
			given[i].Literal = l.Value
		}
	}
	resolved, err := table.Resolve(name, given)
	if err != nil {
		t.Fatal(err)
	}
	for i := range args {
		args[i] = plan.To(args[i], resolved.Args[i])
	}
	return plan.Call{Fn: called{resolved}, Kind: kind, Args: args, Of: resolved.Result}
}

// Functions of the table stand in values, groups, windows and conditions.
func TestFunctionsOfTheTable(t *testing.T) {
	f := newFixture(t)
	f.file("in.json", "k string, n bigint", "{\"k\":\"a\",\"n\":3}\n{\"k\":\"b\",\"n\":null}\n{\"k\":\"a\",\"n\":4}\n{\"k\":\"b\",\"n\":7}",
		engine.Group{Format: engine.JSON})
	f.source("k string, n bigint", plan.Source{})
	col := func(step string, input, i int) plan.Expr {
		c := f.plan.Plan().Step(step).Columns[i]
		return plan.Ref{Input: input, ID: c.ID, Of: c.Type}
	}
	yes := plan.Literal{Value: true, Of: schema.Boolean}
	f.add("numbered", plan.Window{
		Over: []plan.Expr{col("in", 0, 0)}, Order: []plan.Order{{By: col("in", 0, 1), Descending: true}},
		Set: []plan.Assignment{{Name: "r", Value: call(t, "rowNumber", plan.Windowing)}, {Name: "top", Value: call(t, "max", plan.Aggregating, col("in", 0, 1))}},
	}, "in")
	sum := call(t, "sum", plan.Aggregating, col("in", 0, 1))
	f.add("groups", plan.Aggregate{
		Group: []plan.Assignment{{Name: "k", Value: col("in", 0, 0)}},
		Values: []plan.Assignment{
			{Name: "first", Value: call(t, "first", plan.Aggregating, col("in", 0, 1))},
			{Name: "known", Value: call(t, "first", plan.Aggregating, col("in", 0, 1), yes)},
			{Name: "root", Value: call(t, "power", plan.Scalar, sum, plan.Literal{Value: int64(2), Of: schema.Integer})},
		},
	}, "in")
	f.add("upper", plan.Derive{Set: []plan.Assignment{{Name: "k", Value: call(t, "upper", plan.Scalar, col("groups", 0, 0))}}}, "groups")
	f.add("sorted", plan.Sort{By: []plan.Order{{By: col("upper", 0, 0)}}}, "upper")
	f.want(f.rows(f.job("sorted")), "A|3|3|49\nB|NULL|7|49")

	f.add("looked", plan.Lookup{
		On: call(t, "equals", plan.Scalar, col("in", 0, 0), col("numbered", 1, 0)), Pick: plan.PickFirst,
		Order: []plan.Order{{By: col("numbered", 1, 2)}},
	}, "in", "numbered")
	f.add("rows", plan.Sort{By: []plan.Order{{By: col("looked", 0, 1)}}}, "looked")
	f.want(f.rows(f.job("rows")), "a|3|a|4|1|4\na|4|a|4|1|4\nb|7|b|7|1|7\nb|NULL|b|7|1|7")
	text, err := f.engine.Program(f.job("looked"))
	f.must(err)
	if !strings.Contains(text, "QUALIFY") {
		t.Errorf("matches of equal keys are not picked before they are joined:\n%s", text)
	}
}

// A program is the same each time, and reads as it is written in the golden.
func TestProgram(t *testing.T) {
	f := newFixture(t)
	f.file("a.csv", "id string, total string", "", engine.Group{Format: engine.Delimited, Text: engine.Dialect{Header: true}})
	f.source("id int, total decimal(10,2), note string", plan.Source{})
	step := f.plan.Plan().Step("in")
	total := plan.Ref{ID: step.Columns[1].ID, Of: step.Columns[1].Type}
	keep, err := plan.Operate(plan.Greater, total, plan.Literal{Value: int64(5), Of: schema.Integer})
	f.must(err)
	f.add("large", plan.Filter{Keep: keep}, "in")
	if _, err := f.plan.Add("out", diag.Place{}, plan.Sink{}, "large"); err != nil {
		t.Fatal(err)
	}
	got, err := f.engine.Program(f.job("out"))
	f.must(err)
	want, err := os.ReadFile("testdata/program.sql")
	f.must(err)
	f.want(got+"\n", string(want))
}
