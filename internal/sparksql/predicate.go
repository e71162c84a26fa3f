package sparksql

import (
	"strings"
)

func (p *parser) negation() Expr {
	begun := p.Peek().At
	if p.Is("NOT") || p.Is("!") {
		if !p.deeper() {
			return &Literal{Range: p.Peek().Range}
		}
		defer func() { p.depth-- }()
		p.At++
		x := p.negation()
		return &Unary{Range: p.since(begun), Op: "NOT", X: x}
	}
	return p.predicate()
}

// predicate reads a comparison and the words behind it: IS, IN, LIKE, BETWEEN.
func (p *parser) predicate() Expr {
	begun := p.Peek().At
	x := p.comparison()
	for p.problem == nil {
		not := p.Is("NOT") && p.PeekAt(1).Is("IN", "LIKE", "ILIKE", "RLIKE", "REGEXP", "BETWEEN")
		if not {
			p.At++
		}
		switch t := p.Peek(); {
		case p.Take("IS"):
			x = p.isWhat(begun, x)
		case p.Take("IN"):
			x = p.in(begun, x, not)
		case t.Is("LIKE", "ILIKE", "RLIKE", "REGEXP"):
			x = p.like(begun, x, not)
		case p.Take("BETWEEN"):
			b := &Between{Not: not, X: x, Low: p.comparison()}
			p.want("AND")
			b.High = p.comparison()
			b.Range = p.since(begun)
			x = b
		default:
			return x
		}
	}
	return x
}

func (p *parser) isWhat(begun Pos, x Expr) Expr {
	i := &Is{X: x, Not: p.Take("NOT")}
	t := p.Peek()
	switch {
	case t.Is("NULL", "TRUE", "FALSE", "UNKNOWN"):
		i.What = strings.ToUpper(p.Next().Text)
	case p.Take("DISTINCT", "FROM"):
		i.What, i.Y = "DISTINCT", p.comparison()
	default:
		p.fail(t, "NULL, TRUE, FALSE or DISTINCT FROM")
	}
	i.Range = p.since(begun)
	return i
}

func (p *parser) in(begun Pos, x Expr, not bool) Expr {
	i := &In{X: x, Not: not}
	query := p.queryFollows()
	p.want("(")
	if query {
		i.Query = p.query()
	} else {
		i.List = p.expressions()
	}
	p.want(")")
	i.Range = p.since(begun)
	return i
}

func (p *parser) like(begun Pos, x Expr, not bool) Expr {
	l := &Like{X: x, Not: not, Op: strings.ToUpper(p.Next().Text)}
	if l.Op == "REGEXP" {
		l.Op = "RLIKE"
	}
	if p.Peek().Is("ANY", "ALL", "SOME") && p.PeekAt(1).Is("(") {
		l.Quantity = strings.ToUpper(p.Next().Text)
		if l.Quantity == "SOME" {
			l.Quantity = "ANY"
		}
		p.want("(")
		l.Patterns = p.expressions()
		p.want(")")
	} else {
		l.Patterns = []Expr{p.comparison()}
	}
	if p.Take("ESCAPE") {
		l.Escape = p.primary()
	}
	l.Range = p.since(begun)
	return l
}
