package plan

import (
	"fmt"
	"strings"
)

// String prints the plan for people: a paragraph a step, with the columns that
// leave it and what each comes from. The same plan gives the same text.
func (p *Plan) String() string {
	var b strings.Builder
	for i := range p.Steps {
		if i > 0 {
			b.WriteByte('\n')
		}
		pr := printer{out: &b, step: &p.Steps[i], names: namesOf(p)}
		pr.print()
	}
	return b.String()
}

// namesOf maps ids to the names of their columns.
func namesOf(p *Plan) map[ID]string {
	names := map[ID]string{}
	for _, s := range p.Steps {
		for _, c := range s.Columns {
			names[c.ID] = c.Name
		}
	}
	return names
}

type printer struct {
	out   *strings.Builder
	step  *Step
	names map[ID]string
}

func (p *printer) print() {
	p.line("%s = %s", p.step.Name, strings.Join(append([]string{p.step.Op.verb()}, p.step.Inputs...), " "))
	p.op(p.step.Op)
	for _, c := range p.step.Columns {
		p.column(c)
	}
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(p.out, format+"\n", args...)
}

// column prints what leaves the step: "  #7 total decimal(18,2), changed".
func (p *printer) column(c Column) {
	notes := []string{c.Type.String()}
	if c.Change != Kept {
		notes = append(notes, c.Change.String())
	}
	if c.Drifted {
		notes = append(notes, "drifted")
	}
	if c.Hidden {
		notes = append(notes, "hidden")
	}
	if c.Origin.Stream != p.step.Name {
		notes = append(notes, "from "+c.Origin.Stream+"."+c.Origin.Name)
	}
	p.line("  #%d %s %s", c.ID, c.Name, strings.Join(notes, ", "))
}

func (p *printer) list(word string, list []Assignment) {
	for _, a := range list {
		p.line("  %s %s = %s", word, a.Name, p.expr(a.Value))
	}
}

func (p *printer) exprs(word string, list []Expr) {
	for _, e := range list {
		p.line("  %s %s", word, p.expr(e))
	}
}

func (p *printer) orders(word string, list []Order) {
	for _, o := range list {
		direction, nulls := "asc", "nulls last"
		if o.Descending {
			direction = "desc"
		}
		if o.NullsFirst {
			nulls = "nulls first"
		}
		if o.IgnoreCase {
			nulls += " ignoring case"
		}
		p.line("  %s %s %s %s", word, p.expr(o.By), direction, nulls)
	}
}

func (p *printer) op(op Op) {
	switch op := op.(type) {
	case Sink:
		p.sink(op)
	case Select:
		p.list("take", op.Take)
	case Derive:
		p.list("set", op.Set)
	case Filter:
		p.line("  keep %s", p.expr(op.Keep))
	case Aggregate:
		p.list("group", op.Group)
		p.list("set", op.Values)
	case Join:
		p.line("  %s on %s", op.Kind, p.expr(op.On))
	case Lookup:
		p.line("  %s on %s", op.Pick, p.expr(op.On))
		p.orders("by", op.Order)
	case Exists:
		word := "on"
		if op.Negate {
			word = "not on"
		}
		p.line("  %s %s", word, p.expr(op.On))
	case Union:
		word := "by position"
		if op.ByName {
			word = "by name"
		}
		p.line("  %s", word)
	case Split:
		p.split(op)
	case Output:
		p.line("  number %d", op.Number)
	default:
		p.more(op)
	}
}

func (p *printer) sink(op Sink) {
	p.list("take", op.Take)
	if op.Order != 0 {
		p.line("  order %d", op.Order)
	}
	if d := op.Partition; d != nil {
		p.line("  partition %s", strings.TrimSpace(fmt.Sprintf("%s %d %s", d.Kind, d.Count, strings.Join(d.By, ", "))))
	}
}

func (p *printer) split(op Split) {
	for i, name := range op.Outputs {
		if i < len(op.Conditions) {
			p.line("  %s if %s", name, p.expr(op.Conditions[i]))
		} else {
			p.line("  %s otherwise", name)
		}
	}
	p.when(op.All, "to all that apply")
}

func (p *printer) more(op Op) {
	switch op := op.(type) {
	case Source:
		if op.PathColumn != "" {
			p.line("  path in %s", op.PathColumn)
		}
		for _, one := range op.Parse {
			p.line("  %s by %s", one.Column, p.expr(one.By))
		}
		if op.Limit > 0 {
			p.line("  limit %d", op.Limit)
		}
	case Window:
		p.exprs("over", op.Over)
		p.orders("by", op.Order)
		if op.Frame != nil {
			p.line("  rows %s to %s", op.Frame.Start, op.Frame.End)
		}
		p.list("set", op.Set)
	case Rank:
		p.orders("by", op.Order)
		p.when(op.Dense, "dense")
	case Key:
		p.line("  from %d by %d", op.Start, op.Step)
	case Sort:
		p.orders("by", op.By)
	case Assert:
		p.rules(op)
	case Cast:
		for _, c := range op.Columns {
			by := ""
			if c.By != nil {
				by = " by " + p.expr(c.By)
			}
			p.line("  %s as %s%s", p.names[c.Column], c.To, by)
		}
	case Flatten:
		for _, u := range op.Unroll {
			word := "unroll"
			if u.Required {
				word = "unroll required"
			}
			p.line("  %s %s as %s", word, p.expr(u.Of), u.Bind)
		}
		p.list("take", op.Take)
	case Pivot:
		p.pivot(op)
		p.when(op.Lateral, "side by side")
	case Unpivot:
		for _, id := range op.Columns {
			p.line("  row of %s", p.names[id])
		}
		p.when(op.IgnoreNullValues, "without nulls")
	}
}

// when prints what an op says of all its rows, if it says so.
func (p *printer) when(yes bool, words string) {
	if yes {
		p.line("  %s", words)
	}
}

func (p *printer) rules(op Assert) {
	for _, r := range op.Rules {
		text := fmt.Sprintf("%s %s: %s", r.Kind, r.ID, p.expr(r.On))
		if r.IgnoreNulls {
			text += " or null"
		}
		if r.Filter != nil {
			text += " where " + p.expr(r.Filter)
		}
		if r.Message != nil {
			text += ", else " + p.expr(r.Message)
		}
		p.line("  %s", text)
	}
	p.when(op.Abort, "or abort")
}

func (p *printer) pivot(op Pivot) {
	p.list("group", op.Group)
	p.line("  key %s", p.expr(op.Key))
	p.exprs("aggregate", op.Aggregates)
	for _, v := range op.Values {
		p.line("  %s: %s", v.Value, strings.Join(v.Columns, ", "))
	}
}

// String says where the end of a frame is.
func (b Bound) String() string {
	if b.Unbounded {
		return "unbounded"
	}
	return fmt.Sprintf("%+d", b.Rows)
}

// expr prints an expression in the manner of a flow.
func (p *printer) expr(e Expr) string {
	switch e := e.(type) {
	case nil:
		return "true"
	case Literal:
		return e.String()
	case Ref:
		return fmt.Sprintf("%s#%d", p.names[e.ID], e.ID)
	case Local:
		return "#" + e.Name
	case Call:
		return e.Fn.Name() + "(" + p.all(e.Args) + ")"
	case Fold:
		return p.fold(e)
	case Operation:
		return p.operation(e)
	case Case:
		return "case(" + p.all(Parts(e)) + ")"
	case Convert:
		return p.expr(e.From) + " as " + e.To.String()
	case Member:
		return p.expr(e.From) + "." + e.Name
	case Object:
		fields := make([]string, len(e.Values))
		for i, v := range e.Values {
			fields[i] = e.Names[i] + " = " + p.expr(v)
		}
		return "@(" + strings.Join(fields, ", ") + ")"
	case Items:
		return "[" + p.all(e.Values) + "]"
	case Lambda:
		return "(" + strings.Join(e.Params, ", ") + ") -> " + p.expr(e.Body)
	case Cached:
		return e.Step + "#lookup(" + p.all(e.Keys) + ")"
	}
	return fmt.Sprintf("%T", e)
}

func (p *printer) all(list []Expr) string {
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = p.expr(e)
	}
	return strings.Join(texts, ", ")
}

func (p *printer) fold(e Fold) string {
	text := e.Kind.String() + "("
	if e.Distinct {
		text += "distinct "
	}
	text += p.all(some(e.Arg))
	if e.IgnoreNulls {
		text += " ignore nulls"
	}
	text += ")"
	if e.If != nil {
		text += " if " + p.expr(e.If)
	}
	return text
}

func (p *printer) operation(e Operation) string {
	switch {
	case e.Op == IsNull || e.Op == Coalesce || e.Op == Concat:
		return e.Op.String() + "(" + p.all(e.Args) + ")"
	case len(e.Args) == 1:
		return e.Op.String() + p.expr(e.Args[0])
	}
	texts := make([]string, len(e.Args))
	for i, a := range e.Args {
		texts[i] = p.expr(a)
	}
	return "(" + strings.Join(texts, " "+e.Op.String()+" ") + ")"
}
