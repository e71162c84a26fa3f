package sqlpipe

import (
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
)

// columns reads the list behind the name: columns, keys and expectations in any order.
func (p *parser) columns(d *Dataset) {
	p.list("a column or CONSTRAINT", func(in *parser) {
		switch t := in.Peek(); {
		case in.Is("CONSTRAINT"):
			in.constraint(d)
		case in.Is("PRIMARY", "KEY"), in.Is("FOREIGN", "KEY"):
			p.note(p.file, t.At, strings.ToUpper(t.Text)+" KEY is not enforced: write CONSTRAINT … EXPECT UNIQUE (…) or EXPECT (…) REFERENCES …")
		case t.Is("EXPECT"):
			in.fail("CONSTRAINT", "an expectation has a name: CONSTRAINT name EXPECT (…)")
		default:
			in.column(d)
		}
	})
}

func (p *parser) column(d *Dataset) {
	c := Column{Name: p.ident("a column or CONSTRAINT")}
	if !p.failed && p.At < len(p.Tokens) && !p.Peek().Is("COMMENT", "NOT", "DEFAULT", "GENERATED", "MASK", "PRIMARY", "CONSTRAINT", "EXPECT") {
		t, taken, err := sparksql.ParseType(p.file, p.Tokens[p.At:])
		p.told(err)
		c.Type = t
		p.At = min(p.At+taken, len(p.Tokens))
	}
	for !p.failed && p.At < len(p.Tokens) {
		t := p.Peek()
		switch {
		case p.Take("NOT", "NULL"):
			c.NotNull = true
		case p.Take("COMMENT"):
			c.Comment = p.text("a comment")
		case p.columnKey():
			p.note(p.file, t.At, "keys of a column are not enforced: write CONSTRAINT … EXPECT UNIQUE (…) or EXPECT (…) REFERENCES … in the list")
		case t.Is("EXPECT", "CONSTRAINT"):
			p.fail("a comma", "an expectation is a part of the list by itself: CONSTRAINT name EXPECT (…)")
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

// columnKey passes over a key that stands at its column, with or without a name.
func (p *parser) columnKey() bool {
	i := 0
	if p.Is("CONSTRAINT") {
		i = 2
	}
	switch {
	case p.PeekAt(i).Is("PRIMARY") && p.PeekAt(i+1).Is("KEY"):
		p.At += i + 2
	case p.PeekAt(i).Is("FOREIGN") && p.PeekAt(i+1).Is("KEY"):
		p.At += i + 2
	case p.PeekAt(i).Is("REFERENCES"):
		p.At += i
	default:
		return false
	}
	if p.Take("REFERENCES") {
		p.name("the name of a table")
		if p.Is("(") {
			p.group()
		}
	}
	for p.Take("RELY") || p.Take("NORELY") || p.Take("NOT", "ENFORCED") || p.Take("TIMESERIES") {
		continue
	}
	return true
}

// constraint reads CONSTRAINT name EXPECT (…) ON VIOLATION …
func (p *parser) constraint(d *Dataset) {
	begun := p.Next()
	id := p.ident("the name of the expectation")
	if p.Is("PRIMARY") || p.Is("FOREIGN") || p.Is("CHECK") {
		p.note(p.file, begun.At, strings.ToUpper(p.Peek().Text)+" is not enforced: write CONSTRAINT … EXPECT (…)")
		return
	}
	if !p.Take("EXPECT") {
		p.fail("EXPECT", "EXPECT is missing, as in CONSTRAINT "+id.Name+" EXPECT (…) ON VIOLATION DROP ROW")
		return
	}
	r := Rule{Name: id.Name, At: sparksql.Range{At: id.At, End: id.End}}
	p.expectation(&r)
	if p.Take("ON", "VIOLATION") {
		switch {
		case p.Take("DROP", "ROW"):
			r.Action = Drop
		case p.Take("FAIL", "UPDATE"):
			r.Action = Fail
		case p.Take("WARN"):
		default:
			p.fail("DROP ROW or FAIL UPDATE", "")
		}
	}
	p.end()
	if p.failed {
		return
	}
	if r.Kind == Fresh && r.Action == Drop {
		p.problem(diag.PipelineRule, sparksql.Token{Range: id.Range}, "leave ON VIOLATION out, or write ON VIOLATION FAIL UPDATE", "expectation %s: found DROP ROW, and FRESH looks at the whole table", r.Name)
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
	case p.Take("UNIQUE"):
		r.Kind = Unique
		begun := p.Peek()
		r.Columns = p.idents("the name of a column")
		r.Text = p.since(begun)
	case p.Take("FRESH"):
		r.Kind = Fresh
		begun := p.Peek()
		var parts []sparksql.Expr
		p.list("a time and an interval", func(in *parser) { parts = append(parts, in.expr(in.Tokens)) })
		if len(parts) != 2 {
			p.problem(diag.SQLSyntax, begun, "as in EXPECT FRESH (updated_at, INTERVAL 1 DAY)", "FRESH: found %d parts, want a time and an interval", len(parts))
			return
		}
		r.Expr, r.Within = parts[0], parts[1]
		r.Text = p.since(begun)
	default:
		p.condition(r)
	}
}

// condition reads (condition), or (columns) REFERENCES table (columns).
func (p *parser) condition(r *Rule) {
	begun, at := p.Peek(), p.At
	if !p.Is("(") {
		p.fail("(", "the condition stands in parentheses: EXPECT (amount > 0)")
		return
	}
	inside := p.group()
	if p.failed {
		return
	}
	if !p.Is("REFERENCES") {
		if len(inside) == 0 {
			p.problem(diag.SQLSyntax, begun, "as in EXPECT (amount > 0)", "found an empty condition")
			return
		}
		r.Expr = p.expr(inside)
		p.oneRow(r.Expr)
		r.Text = p.file.Slice(sparksql.Range{At: inside[0].At, End: inside[len(inside)-1].End})
		return
	}
	r.Kind = References
	p.At = at
	r.Columns = p.idents("the name of a column")
	p.want("REFERENCES")
	r.Table = p.name("the name of a table")
	r.Other = r.Columns
	if p.Is("(") {
		r.Other = p.idents("the name of a column")
	}
	if len(r.Other) != len(r.Columns) {
		p.problem(diag.SQLSyntax, begun, "name as many columns of the table", "REFERENCES: found %d columns for %d", len(r.Other), len(r.Columns))
	}
	r.Text = p.since(begun)
}

// oneRow tells of a condition that looks at more than a row of its dataset.
func (p *parser) oneRow(x sparksql.Expr) {
	if p.failed {
		return
	}
	sparksql.Walk(x, func(node any) bool {
		switch n := node.(type) {
		case *sparksql.Subquery, *sparksql.Exists, *sparksql.Query:
			at := node.(interface{ Span() sparksql.Range }).Span()
			p.problem(diag.PipelineRule, sparksql.Token{Range: at}, "rows of another table are wanted by EXPECT (column) REFERENCES other (column); or join it in the query", "condition: found a query, want a condition on columns of one row")
			return false
		case *sparksql.Call:
			if n.Over != nil {
				p.problem(diag.PipelineRule, sparksql.Token{Range: n.Range}, "compute it as a column of the query; rows that stand twice are found by EXPECT UNIQUE (column)", "condition: found a window of rows, want a condition on columns of one row")
				return false
			}
		}
		return true
	})
}

func (p *parser) since(begun sparksql.Token) string {
	if p.failed || p.At == 0 {
		return ""
	}
	return p.file.Slice(sparksql.Range{At: begun.At, End: p.Tokens[p.At-1].End})
}

func (p *parser) expr(tokens []sparksql.Token) sparksql.Expr {
	x, err := sparksql.ParseExpression(p.file, tokens)
	p.told(err)
	if err == nil {
		p.bind(p.file, x)
	}
	return x
}
