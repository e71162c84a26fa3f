package sparksql

import (
	"strings"

	"landfall/internal/schema"
)

// quote writes a text between quotes.
func (p *printer) quote(s string) {
	p.add("'", strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\x00", `\000`).Replace(s), "'")
}

func (p *printer) expr(x Expr) {
	switch x := x.(type) {
	case *Literal:
		p.literal(x)
	case *Column:
		p.idents(x.Parts, ".")
	case *Star:
		p.star(x)
	case *Param:
		p.add(":", x.Name)
	case *Unary:
		p.add("(", x.Op, " ")
		p.expr(x.X)
		p.add(")")
	case *Binary:
		p.infix(x.X, x.Op, x.Y)
	case *Cast:
		p.cast(x)
	case *Case:
		p.cases(x)
	case *Call:
		p.call(x)
	case *Lambda:
		p.add("(")
		p.idents(x.Params, ", ")
		p.add(") -> ")
		p.expr(x.Body)
	case *Interval:
		p.interval(x)
	case *Row:
		p.list("(", x.Items)
	default:
		p.test(x)
	}
}

// test writes the expressions that ask something, and those that lead into a value.
func (p *printer) test(x Expr) {
	switch x := x.(type) {
	case *Between:
		p.add("(")
		p.expr(x.X)
		p.not(x.Not, "BETWEEN")
		p.expr(x.Low)
		p.add(" AND ")
		p.expr(x.High)
		p.add(")")
	case *In:
		p.in(x)
	case *Like:
		p.like(x)
	case *Is:
		p.is(x)
	case *Index:
		p.expr(x.X)
		p.list("[", []Expr{x.I})
	case *Member:
		p.add("(")
		p.expr(x.X)
		p.add(").")
		p.name(x.Name.Name)
	case *JSONPath:
		p.add("`get_json_object`(")
		p.expr(x.X)
		p.add(", ")
		p.quote(x.Path)
		p.add(")")
	case *Subquery:
		p.nested("", x.Query)
	case *Exists:
		p.nested("EXISTS", x.Query)
	}
}

func (p *printer) nested(word string, q *Query) {
	p.add(word, "(")
	p.query(q)
	p.add(")")
}

func (p *printer) infix(x Expr, op string, y Expr) {
	p.add("(")
	p.expr(x)
	p.add(" ", op, " ")
	p.expr(y)
	p.add(")")
}

func (p *printer) not(not bool, word string) {
	if not {
		p.add(" NOT")
	}
	p.add(" ", word, " ")
}

func (p *printer) list(open string, items []Expr) {
	p.add(open)
	each(p, items, p.expr)
	p.add(map[string]string{"(": ")", "[": "]"}[open])
}

func (p *printer) literal(l *Literal) {
	switch l.Class {
	case Text:
		p.quote(l.Text)
	case Typed:
		p.add(l.Keyword, " ")
		p.quote(l.Text)
	case Null, Boolean:
		p.add(strings.ToUpper(l.Text))
	default:
		p.add(l.Text, l.Keyword)
	}
}

func (p *printer) star(s *Star) {
	if len(s.Of) > 0 {
		p.idents(s.Of, ".")
		p.add(".")
	}
	p.add("*")
	if len(s.Except) > 0 {
		p.add(" EXCEPT (")
		each(p, s.Except, func(n []Ident) { p.idents(n, ".") })
		p.add(")")
	}
	if len(s.Replace) > 0 {
		p.add(" REPLACE (")
		each(p, s.Replace, p.item)
		p.add(")")
	}
	if len(s.Rename) > 0 {
		p.add(" RENAME (")
		each(p, s.Rename, func(r Rename) {
			p.name(r.From.Name)
			p.add(" AS ")
			p.name(r.To.Name)
		})
		p.add(")")
	}
}

func (p *printer) cast(c *Cast) {
	if c.Try {
		p.add("TRY_")
	}
	p.add("CAST(")
	p.expr(c.X)
	p.add(" AS ", typeText(c.Type), ")")
}

// typeText is a type with the names of fields in backticks.
func typeText(t schema.Type) string {
	switch t := t.(type) {
	case schema.Array:
		return "array<" + typeText(t.Element) + ">"
	case schema.Map:
		return "map<" + typeText(t.Key) + "," + typeText(t.Value) + ">"
	case schema.Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = "`" + strings.ReplaceAll(f.Name, "`", "``") + "`:" + typeText(f.Type)
		}
		return "struct<" + strings.Join(parts, ",") + ">"
	default:
		return t.String()
	}
}

func (p *printer) cases(c *Case) {
	p.add("CASE")
	p.clause(" ", c.Operand)
	for _, w := range c.Whens {
		p.clause(" WHEN ", w.If)
		p.clause(" THEN ", w.Then)
	}
	p.clause(" ELSE ", c.Else)
	p.add(" END")
}

func (p *printer) call(c *Call) {
	p.name(c.Name)
	if c.Distinct {
		p.add("(DISTINCT ")
		each(p, c.Args, func(a Arg) { p.expr(a.Expr) })
		p.add(")")
	} else {
		p.arguments(c.Args)
	}
	if c.Within != nil {
		p.orders(" WITHIN GROUP (ORDER BY ", c.Within)
		p.add(")")
	}
	if c.Filter != nil {
		p.clause(" FILTER (WHERE ", c.Filter)
		p.add(")")
	}
	if c.IgnoreNulls {
		p.add(" IGNORE NULLS")
	}
	if c.Over != nil {
		p.add(" OVER ")
		p.window(c.Over, true)
	}
}

// interval writes all amounts behind one word.
func (p *printer) interval(i *Interval) {
	p.add("INTERVAL")
	for _, a := range i.Parts {
		if u, ok := a.Count.(*Unary); ok && u.Op == "-" {
			p.clause(" -", u.X)
		} else {
			p.clause(" ", a.Count)
		}
		p.add(" ", strings.ToUpper(a.Unit))
	}
}

func (p *printer) in(x *In) {
	p.add("(")
	p.expr(x.X)
	p.not(x.Not, "IN")
	if x.Query != nil {
		p.nested("", x.Query)
	} else {
		p.list("(", x.List)
	}
	p.add(")")
}

func (p *printer) like(x *Like) {
	p.add("(")
	p.expr(x.X)
	p.not(x.Not, x.Op)
	if x.Quantity != "" {
		p.add(x.Quantity, " ")
		p.list("(", x.Patterns)
	} else {
		p.expr(x.Patterns[0])
	}
	p.clause(" ESCAPE ", x.Escape)
	p.add(")")
}

func (p *printer) is(x *Is) {
	p.add("(")
	p.expr(x.X)
	p.add(" IS ")
	if x.Not {
		p.add("NOT ")
	}
	if x.Y != nil {
		p.add("DISTINCT FROM ")
		p.expr(x.Y)
	} else {
		p.add(x.What)
	}
	p.add(")")
}
