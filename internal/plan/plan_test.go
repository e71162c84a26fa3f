package plan_test

import (
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// orders is a source of four columns, the last drifted.
func orders() plan.Source {
	return plan.Source{Columns: []plan.Column{
		{Name: "id", Type: schema.Integer},
		{Name: "total", Type: schema.Decimal{Precision: 10, Scale: 2}},
		{Name: "country", Type: schema.String},
		{Name: "ship region", Type: schema.String, Drifted: true},
	}}
}

// add adds a step that must be right.
func add(t *testing.T, b *plan.Builder, name string, op plan.Op, inputs ...string) *plan.Step {
	t.Helper()
	step, err := b.Add(name, diag.Place{}, op, inputs...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return step
}

// ref refers to the only column of a name.
func ref(t *testing.T, step *plan.Step, name string, input int) plan.Ref {
	t.Helper()
	found := step.Named(name)
	if len(found) != 1 {
		t.Fatalf("%s has %d columns %s", step.Name, len(found), name)
	}
	return plan.Ref{Input: input, ID: found[0].ID, Of: found[0].Type}
}

func operate(t *testing.T, op plan.Operator, args ...plan.Expr) plan.Expr {
	t.Helper()
	e, err := plan.Operate(op, args...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func whole(n int64) plan.Literal { return plan.Literal{Value: n, Of: schema.Integer} }

func TestLineage(t *testing.T) {
	var b plan.Builder
	source := add(t, &b, "in", orders())
	derived := add(t, &b, "derived", plan.Derive{Set: []plan.Assignment{
		{Name: "total", Value: plan.Convert{From: ref(t, source, "total", 0), To: schema.Decimal{Precision: 18, Scale: 2}}},
		{Name: "big", Value: operate(t, plan.Greater, ref(t, source, "id", 0), whole(100))},
	}}, "in")
	add(t, &b, "taken", plan.Select{Take: []plan.Assignment{
		{Name: "id", Value: ref(t, derived, "id", 0)},
		{Name: "ship_region", Value: ref(t, derived, "ship region", 0), Drifted: true},
		{Name: "total", Value: ref(t, derived, "total", 0)},
	}}, "derived")
	p := b.Plan()
	if err := plan.Check(p); err != nil {
		t.Fatal(err)
	}
	want := `in = source
  #1 id int, added
  #2 total decimal(10,2), added
  #3 country string, added
  #4 ship region string, added, drifted

derived = derive in
  set total = total#2 as decimal(18,2)
  set big = (id#1 > 100)
  #5 id int, from in.id
  #6 total decimal(18,2), changed
  #7 country string, from in.country
  #8 ship region string, drifted, from in.ship region
  #9 big boolean, added

taken = select derived
  take id = id#5
  take ship_region = ship region#8
  take total = total#6
  #10 id int, from in.id
  #11 ship_region string, renamed, drifted, from in.ship region
  #12 total decimal(18,2), from derived.total
`
	if got := p.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var gone []string
	for _, c := range p.Dropped("taken") {
		gone = append(gone, c.Name)
	}
	if got := strings.Join(gone, " "); got != "country big" {
		t.Errorf("dropped: %s", got)
	}
	taken := p.Step("taken")
	if id := ref(t, taken, "ship_region", 0).ID; !p.Through(taken, id, "in") {
		t.Error("ship_region did not come through in")
	}
	if id := ref(t, taken, "total", 0).ID; p.Through(taken, id, "in") || !p.Through(taken, id, "derived") {
		t.Error("total was made in derived")
	}
}

func TestCheckRefuses(t *testing.T) {
	text := plan.Literal{Value: "a", Of: schema.String}
	source := plan.Step{Name: "in", Op: orders(), Columns: []plan.Column{{ID: 1, Name: "id", Type: schema.Integer}}}
	for _, c := range []struct {
		name  string
		steps []plan.Step
		want  string
	}{
		{"cycle", []plan.Step{
			{Name: "a", Inputs: []string{"b"}, Op: plan.Alias{}},
			{Name: "b", Inputs: []string{"a"}, Op: plan.Alias{}},
		}, "a from b from a"},
		{"twice", []plan.Step{source, source}, "second stream"},
		{"input", []plan.Step{source, {Name: "b", Inputs: []string{"im"}, Op: plan.Alias{}}}, `"im"`},
		{"inputs", []plan.Step{source, {Name: "b", Inputs: []string{"in"}, Op: plan.Join{}}}, "found 1 inputs, want 2"},
		{"column", []plan.Step{source, {
			Name: "b", Inputs: []string{"in"},
			Op: plan.Derive{Set: []plan.Assignment{{Name: "x", Value: plan.Ref{ID: 9, Of: schema.Integer}}}},
		}}, "column #9"},
		{"condition", []plan.Step{source, {Name: "b", Inputs: []string{"in"}, Op: plan.Filter{Keep: text}}}, "found string, want boolean"},
		{"operands", []plan.Step{source, {Name: "b", Inputs: []string{"in"}, Op: plan.Filter{
			Keep: plan.Operation{Op: plan.Less, Args: []plan.Expr{text, whole(1)}, Of: schema.Boolean},
		}}}, "operands of one type"},
		{"literal", []plan.Step{source, {Name: "b", Inputs: []string{"in"}, Op: plan.Derive{Set: []plan.Assignment{
			{Name: "x", Value: plan.Literal{Value: "1.234", Of: schema.Decimal{Precision: 4, Scale: 2}}},
		}}}}, "want a value of decimal(4,2)"},
		{"row in a group", []plan.Step{source, {Name: "b", Inputs: []string{"in"}, Op: plan.Aggregate{Values: []plan.Assignment{
			{Name: "x", Value: plan.Ref{ID: 1, Of: schema.Integer}},
		}}}}, "column id of single rows"},
		{"outputs", []plan.Step{source, {
			Name: "b", Inputs: []string{"in"},
			Op: plan.Split{Conditions: []plan.Expr{plan.Literal{Value: true, Of: schema.Boolean}}},
		}}, "0 outputs for 1 conditions"},
		{"local", []plan.Step{source, {Name: "b", Inputs: []string{"in"}, Op: plan.Derive{Set: []plan.Assignment{
			{Name: "x", Value: plan.Local{Name: "item", Of: schema.Integer}},
		}}}}, `"item"`},
	} {
		err := plan.Check(&plan.Plan{Steps: c.steps})
		if diag.CodeOf(err) != diag.PlanInvalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}
