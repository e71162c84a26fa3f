package enginetest

import (
	"fmt"
	"testing"
	"time"

	"landfall/internal/diag"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// builder builds plans that are right; a mistake in one ends the test.
type builder struct {
	plan.Builder
	t *testing.T
}

func (b *builder) add(name string, op plan.Op, inputs ...string) {
	b.t.Helper()
	if _, err := b.Add(name, diag.Place{File: "flow", Line: 1}, op, inputs...); err != nil {
		b.t.Fatalf("%s: %v", name, err)
	}
}

// in is where a term is built: the inputs of a step.
type in struct {
	b     *builder
	steps []string
}

func (b *builder) of(steps ...string) in { return in{b, steps} }

// col refers to a column of the first input, right to one of the second.
func (i in) col(name string) plan.Expr { return i.ref(0, name, 0) }

func (i in) right(name string) plan.Expr { return i.ref(1, name, 0) }

// ref refers to the nth column of a name.
func (i in) ref(input int, name string, nth int) plan.Expr {
	i.b.t.Helper()
	found := i.b.Plan().Step(i.steps[input]).Named(name)
	if len(found) <= nth {
		i.b.t.Fatalf("%s has %d columns %s", i.steps[input], len(found), name)
	}
	return plan.Ref{Input: input, ID: found[nth].ID, Of: found[nth].Type}
}

func (i in) id(name string) plan.ID {
	i.b.t.Helper()
	ref, _ := i.col(name).(plan.Ref)
	return ref.ID
}

func (b *builder) op(op plan.Operator, args ...plan.Expr) plan.Expr {
	b.t.Helper()
	e, err := plan.Operate(op, args...)
	if err != nil {
		b.t.Fatal(err)
	}
	return e
}

func (b *builder) fold(kind plan.FoldKind, arg plan.Expr) plan.Fold {
	b.t.Helper()
	f, err := plan.FoldOf(kind, arg)
	if err != nil {
		b.t.Fatal(err)
	}
	return f
}

func (b *builder) typ(ddl string) schema.Type {
	b.t.Helper()
	t, err := schema.ParseDDL(ddl)
	if err != nil {
		b.t.Fatal(err)
	}
	return t
}

func set(name string, value plan.Expr) plan.Assignment {
	return plan.Assignment{Name: name, Value: value}
}

func whole(n int64) plan.Literal { return plan.Literal{Value: n, Of: schema.Integer} }

func text(s string) plan.Literal { return plan.Literal{Value: s, Of: schema.String} }

func yes() plan.Literal { return plan.Literal{Value: true, Of: schema.Boolean} }

func day(year, month, date int) plan.Literal {
	return plan.Literal{Value: time.Date(year, time.Month(month), date, 0, 0, 0, 0, time.UTC), Of: schema.Date}
}

func asc(e plan.Expr) plan.Order { return plan.Order{By: e, NullsFirst: true} }

func desc(e plan.Expr) plan.Order { return plan.Order{By: e, Descending: true} }

// function is a function with a text for each engine; %s are its arguments.
type function struct {
	name string
	form string
}

func (f function) Name() string { return f.name }

func (f function) SQL(_ string, args []string) (string, error) {
	values := make([]any, len(args))
	for i, a := range args {
		values[i] = a
	}
	return fmt.Sprintf(f.form, values...), nil
}
