package sqlpipe

import (
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
)

// columns reads the list behind the name: columns, keys and expectations in any order.
func (p *parser) columns(d *Dataset, tokens []sparksql.Token) {
	for _, item := range items(tokens) {
		in := p.inside(item)
		if len(item) == 0 {
			continue
		}
		switch {
		case in.is("CONSTRAINT"):
			in.constraint(d)
		case in.is("PRIMARY", "KEY"), in.is("FOREIGN", "KEY"):
			p.note(p.file, item[0].At, strings.ToUpper(item[0].Text)+" KEY is not enforced: write CONSTRAINT … EXPECT UNIQUE (…) or EXPECT (…) REFERENCES …")
		default:
			in.column(d)
		}
	}
}

func (p *parser) column(d *Dataset) {
	c := Column{Name: p.ident("a column or CONSTRAINT")}
	if !p.failed && p.at < len(p.tokens) && !p.peek().Is("COMMENT", "NOT", "DEFAULT", "GENERATED", "MASK", "PRIMARY") {
		t, taken, err := sparksql.ParseType(p.file, p.tokens[p.at:])
		p.told(err)
		c.Type = t
		p.at = min(p.at+taken, len(p.tokens))
	}
	for !p.failed && p.at < len(p.tokens) {
		t := p.peek()
		switch {
		case p.take("NOT", "NULL"):
			c.NotNull = true
		case p.take("COMMENT"):
			c.Comment = p.text("a comment")
		case p.take("PRIMARY", "KEY"):
			p.note(p.file, t.At, "PRIMARY KEY is not enforced: write CONSTRAINT … EXPECT UNIQUE (…)")
		case t.Is("DEFAULT", "GENERATED", "MASK"):
			p.refuse(t, strings.ToUpper(t.Text)+" of a column", "compute the column in the query")
		default:
			p.fail("NOT NULL, COMMENT or a comma", "")
		}
	}
	if p.failed {
		return
	}
	for _, other := range d.Columns {
		if schema.Fold(other.Name.Name) == schema.Fold(c.Name.Name) {
			p.problem(diag.PipelineGraph, sparksql.Token{Range: c.Name.Range}, "give one of them another name", "column %s: stands twice in the list", c.Name.Name)
			return
		}
	}
	d.Columns = append(d.Columns, c)
}

// constraint reads CONSTRAINT name EXPECT (…) ON VIOLATION …
func (p *parser) constraint(d *Dataset) {
	begun := p.next()
	id := p.ident("the name of the expectation")
	if p.is("PRIMARY") || p.is("FOREIGN") || p.is("CHECK") {
		p.note(p.file, begun.At, strings.ToUpper(p.peek().Text)+" is not enforced: write CONSTRAINT … EXPECT (…)")
		return
	}
	if !p.take("EXPECT") {
		p.fail("EXPECT", "as in CONSTRAINT "+id.Name+" EXPECT (…) ON VIOLATION DROP ROW")
		return
	}
	r := Rule{Name: id.Name, At: sparksql.Range{At: id.At, End: id.End}}
	p.expectation(&r)
	if p.take("ON", "VIOLATION") {
		switch {
		case p.take("DROP", "ROW"):
			r.Action = Drop
		case p.take("FAIL", "UPDATE"):
			r.Action = Fail
		case p.take("WARN"):
		default:
			p.fail("DROP ROW or FAIL UPDATE", "")
		}
	}
	p.end()
	if p.failed {
		return
	}
	for _, other := range d.Rules {
		if schema.Fold(other.Name) == schema.Fold(r.Name) {
			p.problem(diag.PipelineRule, sparksql.Token{Range: id.Range}, "give each expectation of a dataset a name of its own", "expectation %s: stands twice on %s", r.Name, d.Name)
			return
		}
	}
	d.Rules = append(d.Rules, r)
}

// expectation reads what is expected.
func (p *parser) expectation(r *Rule) {
	switch {
	case p.take("UNIQUE"):
		r.Kind = Unique
		begun := p.peek()
		r.Columns = p.idents("the name of a column")
		r.Text = p.since(begun)
	case p.take("FRESH"):
		r.Kind = Fresh
		begun := p.peek()
		parts := items(p.group())
		if len(parts) != 2 {
			p.problem(diag.SQLSyntax, begun, "as in EXPECT FRESH (updated_at, INTERVAL 1 DAY)", "FRESH: found %d parts, want a time and an interval", len(parts))
			return
		}
		r.Expr, r.Within = p.expr(parts[0]), p.expr(parts[1])
		r.Text = p.since(begun)
	default:
		p.condition(r)
	}
}

// condition reads (condition), or (columns) REFERENCES table (columns).
func (p *parser) condition(r *Rule) {
	begun := p.peek()
	inside := p.group()
	if p.failed {
		return
	}
	if !p.take("REFERENCES") {
		if len(inside) == 0 {
			p.problem(diag.SQLSyntax, begun, "as in EXPECT (amount > 0)", "found an empty condition")
			return
		}
		r.Expr = p.expr(inside)
		r.Text = p.file.Slice(sparksql.Range{At: inside[0].At, End: inside[len(inside)-1].End})
		return
	}
	r.Kind = References
	for _, item := range items(inside) {
		in := p.inside(item)
		r.Columns = append(r.Columns, in.ident("the name of a column"))
		in.end()
	}
	r.Table = p.name("the name of a table")
	r.Other = r.Columns
	if p.is("(") {
		r.Other = p.idents("the name of a column")
	}
	if len(r.Other) != len(r.Columns) {
		p.problem(diag.SQLSyntax, begun, "name as many columns of the table", "REFERENCES: found %d columns for %d", len(r.Other), len(r.Columns))
	}
	r.Text = p.since(begun)
}

func (p *parser) since(begun sparksql.Token) string {
	if p.failed || p.at == 0 {
		return ""
	}
	return p.file.Slice(sparksql.Range{At: begun.At, End: p.tokens[p.at-1].End})
}

func (p *parser) expr(tokens []sparksql.Token) sparksql.Expr {
	x, err := sparksql.ParseExpression(p.file, tokens)
	p.told(err)
	return x
}
