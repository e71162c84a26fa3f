package sparksql

import "strings"

// expression reads OR and what binds tighter.
func (p *parser) expression() Expr {
	if !p.deeper() {
		return &Literal{Range: p.peek().Range}
	}
	defer func() { p.depth-- }()
	begun := p.peek().At
	x := p.conjunction()
	for p.take("OR") {
		x = p.binary(begun, "OR", x, p.conjunction())
	}
	return x
}

func (p *parser) binary(begun Pos, op string, x, y Expr) Expr {
	return &Binary{Range: p.since(begun), Op: op, X: x, Y: y}
}

func (p *parser) conjunction() Expr {
	begun := p.peek().At
	x := p.negation()
	for p.take("AND") {
		x = p.binary(begun, "AND", x, p.negation())
	}
	return x
}

func (p *parser) negation() Expr {
	begun := p.peek().At
	if p.is("NOT") || p.is("!") {
		if !p.deeper() {
			return &Literal{Range: p.peek().Range}
		}
		defer func() { p.depth-- }()
		p.at++
		x := p.negation()
		return &Unary{Range: p.since(begun), Op: "NOT", X: x}
	}
	return p.predicate()
}

// predicate reads a comparison and the words behind it: IS, IN, LIKE, BETWEEN.
func (p *parser) predicate() Expr {
	begun := p.peek().At
	x := p.comparison()
	for p.problem == nil {
		not := p.is("NOT") && p.peekAt(1).Is("IN", "LIKE", "ILIKE", "RLIKE", "REGEXP", "BETWEEN")
		if not {
			p.at++
		}
		switch t := p.peek(); {
		case p.take("IS"):
			x = p.isWhat(begun, x)
		case p.take("IN"):
			x = p.in(begun, x, not)
		case t.Is("LIKE", "ILIKE", "RLIKE", "REGEXP"):
			x = p.like(begun, x, not)
		case p.take("BETWEEN"):
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
	i := &Is{X: x, Not: p.take("NOT")}
	t := p.peek()
	switch {
	case t.Is("NULL", "TRUE", "FALSE", "UNKNOWN"):
		i.What = strings.ToUpper(p.next().Text)
	case p.take("DISTINCT", "FROM"):
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
	l := &Like{X: x, Not: not, Op: strings.ToUpper(p.next().Text)}
	if l.Op == "REGEXP" {
		l.Op = "RLIKE"
	}
	if p.peek().Is("ANY", "ALL", "SOME") && p.peekAt(1).Is("(") {
		l.Quantity = strings.ToUpper(p.next().Text)
		if l.Quantity == "SOME" {
			l.Quantity = "ANY"
		}
		p.want("(")
		l.Patterns = p.expressions()
		p.want(")")
	} else {
		l.Patterns = []Expr{p.comparison()}
	}
	if p.take("ESCAPE") {
		l.Escape = p.primary()
	}
	l.Range = p.since(begun)
	return l
}

// ranks are the operators between values, those that bind least first. The marks of >>
// come one by one.
func ranks(rank int) []string {
	switch rank {
	case 0:
		return []string{"=", "==", "<=>", "<>", "!=", "<", "<=", ">", ">="}
	case 1:
		return []string{"|"}
	case 2:
		return []string{"^"}
	case 3:
		return []string{"&"}
	case 4:
		return []string{"<<", ">>"}
	case 5:
		return []string{"+", "-", "||"}
	case 6:
		return []string{"*", "/", "%", "DIV"}
	}
	return nil
}

func (p *parser) comparison() Expr { return p.ranked(0) }

func (p *parser) ranked(rank int) Expr {
	ops := ranks(rank)
	if ops == nil {
		return p.unary()
	}
	begun := p.peek().At
	x := p.ranked(rank + 1)
	for p.problem == nil {
		op := p.operator(ops)
		if op == "" {
			return x
		}
		x = p.binary(begun, op, x, p.ranked(rank+1))
	}
	return x
}

// operator passes over one of some operators, and spells it in one way.
func (p *parser) operator(ops []string) string {
	t := p.peek()
	shift := t.Is(">") && p.peekAt(1).Is(">") && t.End == p.peekAt(1).At
	for _, op := range ops {
		switch {
		case op == ">>" && shift:
			p.at += 2
			return op
		case t.Is(op) && (op != ">" || !shift):
			p.at++
			switch op {
			case "==":
				return "="
			case "!=":
				return "<>"
			}
			return op
		}
	}
	return ""
}

func (p *parser) unary() Expr {
	t := p.peek()
	if !t.Is("-", "+", "~") {
		return p.postfix()
	}
	if !p.deeper() {
		return &Literal{Range: t.Range}
	}
	defer func() { p.depth-- }()
	p.at++
	x := p.unary()
	return &Unary{Range: p.since(t.At), Op: t.Text, X: x}
}

// postfix reads a value and what leads into it: ::type, [i], .name, :path.
func (p *parser) postfix() Expr {
	begun := p.peek().At
	x := p.primary()
	for p.problem == nil {
		switch {
		case p.take("::"):
			x = &Cast{X: x, Type: p.dataType(), Range: p.since(begun)}
		case p.take("["):
			i := &Index{X: x, I: p.expression()}
			p.want("]")
			i.Range = p.since(begun)
			x = i
		case p.is(".") && p.peekAt(1).Is("*"):
			p.refuse(p.peek(), "* of a value that is no column", "give the value a name in a query of its own first")
		case p.take("."):
			m := &Member{X: x, Name: p.part()}
			m.Range = p.since(begun)
			x = m
		case p.is(":") && !p.peekAt(1).Is(":"):
			x = p.jsonPath(begun, x)
		case p.peek().Is("COLLATE"):
			p.refuse(p.peek(), "COLLATE", "compare lower(…) of both sides")
		default:
			return x
		}
	}
	return x
}

// jsonPath reads x:a.b[0]['c'].
func (p *parser) jsonPath(begun Pos, x Expr) Expr {
	p.at++
	var path strings.Builder
	name := func() {
		n := p.part()
		if n.Name != "" {
			path.WriteString("['" + strings.ReplaceAll(n.Name, "'", "\\'") + "']")
		}
	}
	if !p.is("[") {
		name()
	}
	for p.problem == nil {
		switch {
		case p.take("."):
			name()
		case p.take("["):
			t := p.next()
			switch {
			case t.Kind == Number:
				path.WriteString("[" + t.Text + "]")
			case t.Kind == String:
				path.WriteString("['" + strings.ReplaceAll(t.Text, "'", "\\'") + "']")
			case t.Is("*"):
				path.WriteString("[*]")
			default:
				p.fail(t, "a number or a name in quotes")
			}
			p.want("]")
		default:
			return &JSONPath{Range: p.since(begun), X: x, Path: "$" + path.String()}
		}
	}
	return x
}

func (p *parser) primary() Expr {
	t := p.peek()
	switch t.Kind {
	case String:
		return p.text()
	case Number:
		return p.number()
	case Marker:
		p.at++
		return &Param{Range: t.Range, Name: t.Text}
	case Quoted:
		return p.column()
	case Word:
		return p.word()
	}
	switch {
	case p.is("("):
		return p.inParentheses()
	case p.is("*"):
		return p.star(nil, t.At)
	}
	p.fail(t, "an expression")
	return &Literal{Range: t.Range}
}

// text reads a string, or several in a row, which are one.
func (p *parser) text() Expr {
	t := p.next()
	l := &Literal{Class: Text, Text: t.Text}
	for p.peek().Kind == String {
		l.Text += p.next().Text
	}
	l.Range = p.since(t.At)
	return l
}

func (p *parser) number() Expr {
	t := p.next()
	digits, suffix := splitSuffix(t.Text)
	l := &Literal{Range: t.Range, Text: digits, Keyword: suffix}
	fraction := strings.ContainsAny(digits, ".")
	exponent := strings.ContainsAny(digits, "eE")
	switch {
	case suffix == "D" || suffix == "F" || suffix == "" && exponent:
		l.Class = Double
	case suffix == "BD" || suffix == "" && fraction:
		l.Class = Decimal
	case !fraction && !exponent && (suffix == "" || suffix == "L" || suffix == "S" || suffix == "Y"):
		l.Class = Whole
	default:
		p.at--
		p.failHinted(t, "a number", "a name that begins with a digit stands in backticks")
	}
	return l
}

// splitSuffix divides a number into its digits and the letters of its type.
func splitSuffix(text string) (digits, suffix string) {
	end := len(text)
	for end > 0 && letter(rune(text[end-1])) {
		end--
	}
	return text[:end], strings.ToUpper(text[end:])
}

func (p *parser) inParentheses() Expr {
	begun := p.peek().At
	if p.lambdaFollows() {
		return p.lambda(p.idents("the name of a parameter"), begun)
	}
	query := p.queryFollows()
	p.want("(")
	if query {
		s := &Subquery{Query: p.query()}
		p.want(")")
		s.Range = p.since(begun)
		return s
	}
	if p.take(")") {
		p.fail(p.tokens[p.at-1], "an expression")
	}
	list := p.expressions()
	p.want(")")
	if len(list) == 1 {
		return list[0]
	}
	return &Row{Range: p.since(begun), Items: list}
}

// lambdaFollows reports whether (a, b) -> stands here.
func (p *parser) lambdaFollows() bool {
	for i := 1; ; i += 2 {
		if k := p.peekAt(i).Kind; k != Word && k != Quoted {
			return false
		}
		switch t := p.peekAt(i + 1); {
		case t.Is(")"):
			return p.peekAt(i + 2).Is("->")
		case !t.Is(","):
			return false
		}
	}
}

func (p *parser) lambda(params []Ident, begun Pos) Expr {
	p.want("->")
	l := &Lambda{Params: params, Body: p.expression()}
	l.Range = p.since(begun)
	return l
}

// star reads * and its clauses.
func (p *parser) star(of []Ident, begun Pos) Expr {
	p.want("*")
	s := &Star{Of: of}
	for p.problem == nil {
		switch {
		case (p.is("EXCEPT") || p.is("EXCLUDE")) && p.exceptList():
			p.at++
			s.Except = p.exceptNames()
		case p.take("REPLACE", "("):
			for p.problem == nil {
				it := p.item()
				if it.Alias.Name == "" {
					p.fail(p.peek(), "AS and a name")
				}
				s.Replace = append(s.Replace, it)
				if !p.take(",") {
					break
				}
			}
			p.want(")")
		case p.take("RENAME", "("):
			s.Rename = p.renames()
		default:
			s.Range = p.since(begun)
			return s
		}
	}
	return s
}

// exceptList tells * EXCEPT (a) from the set operator.
func (p *parser) exceptList() bool {
	return p.peekAt(1).Is("(") && !p.peekAt(2).Is("SELECT", "WITH", "VALUES", "FROM", "(")
}

func (p *parser) exceptNames() [][]Ident {
	var out [][]Ident
	p.want("(")
	for p.problem == nil {
		out = append(out, p.names("the name of a column"))
		if !p.take(",") {
			break
		}
	}
	p.want(")")
	return out
}

func (p *parser) renames() []Rename {
	var out []Rename
	for p.problem == nil {
		r := Rename{From: p.ident("the name of a column")}
		p.want("AS")
		r.To = p.ident("a name")
		out = append(out, r)
		if !p.take(",") {
			break
		}
	}
	p.want(")")
	return out
}

func (p *parser) column() Expr {
	begun := p.peek()
	first := p.ident("a name")
	if p.is("->") {
		return p.lambda([]Ident{first}, begun.At)
	}
	parts := []Ident{first}
	for p.is(".") && !p.peekAt(1).Is("*") {
		p.at++
		parts = append(parts, p.part())
	}
	if p.is(".") {
		p.at++
		return p.star(parts, begun.At)
	}
	if p.is("(") {
		return p.call(parts, begun.At)
	}
	return &Column{Range: p.since(begun.At), Parts: parts}
}
