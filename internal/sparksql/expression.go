package sparksql

import (
	"strings"
)

// expression reads OR and what binds tighter.
func (p *parser) expression() Expr {
	if !p.deeper() {
		return &Literal{Range: p.Peek().Range}
	}
	defer func() { p.depth-- }()
	begun := p.Peek().At
	x := p.conjunction()
	for p.Take("OR") {
		x = p.binary(begun, "OR", x, p.conjunction())
	}
	return x
}

func (p *parser) binary(begun Pos, op string, x, y Expr) Expr {
	return &Binary{Range: p.since(begun), Op: op, X: x, Y: y}
}

func (p *parser) conjunction() Expr {
	begun := p.Peek().At
	x := p.negation()
	for p.Take("AND") {
		x = p.binary(begun, "AND", x, p.negation())
	}
	return x
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
	begun := p.Peek().At
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
	t := p.Peek()
	shift := t.Is(">") && p.PeekAt(1).Is(">") && t.End == p.PeekAt(1).At
	for _, op := range ops {
		switch {
		case op == ">>" && shift:
			p.At += 2
			return op
		case t.Is(op) && (op != ">" || !shift):
			p.At++
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
	t := p.Peek()
	if !t.Is("-", "+", "~") {
		return p.postfix()
	}
	if !p.deeper() {
		return &Literal{Range: t.Range}
	}
	defer func() { p.depth-- }()
	p.At++
	x := p.unary()
	return &Unary{Range: p.since(t.At), Op: t.Text, X: x}
}

// postfix reads a value and what leads into it: ::type, [i], .name, :path.
func (p *parser) postfix() Expr {
	begun := p.Peek().At
	x := p.primary()
	for p.problem == nil {
		switch {
		case p.Take("::"):
			x = &Cast{X: x, Type: p.dataType(), Range: p.since(begun)}
		case p.Take("["):
			i := &Index{X: x, I: p.expression()}
			p.want("]")
			i.Range = p.since(begun)
			x = i
		case p.Is(".") && p.PeekAt(1).Is("*"):
			p.refuse(p.Peek(), "* of a value that is no column", "give the value a name in a query of its own first")
		case p.Take("."):
			m := &Member{X: x, Name: p.part()}
			m.Range = p.since(begun)
			x = m
		case p.Is(":") && !p.PeekAt(1).Is(":"):
			x = p.jsonPath(begun, x)
		case p.Peek().Is("COLLATE"):
			p.refuse(p.Peek(), "COLLATE", "compare lower(…) of both sides")
		default:
			return x
		}
	}
	return x
}

// jsonPath reads x:a.b[0]['c'].
func (p *parser) jsonPath(begun Pos, x Expr) Expr {
	p.At++
	var path strings.Builder
	name := func() {
		n := p.part()
		if n.Name != "" {
			path.WriteString("['" + strings.ReplaceAll(n.Name, "'", "\\'") + "']")
		}
	}
	if !p.Is("[") {
		name()
	}
	for p.problem == nil {
		switch {
		case p.Take("."):
			name()
		case p.Take("["):
			t := p.Next()
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
	t := p.Peek()
	switch t.Kind {
	case String:
		return p.text()
	case Number:
		return p.number()
	case Marker:
		p.At++
		return &Param{Range: t.Range, Name: t.Text}
	case Quoted:
		return p.column()
	case Word:
		return p.word()
	}
	switch {
	case p.Is("("):
		return p.inParentheses()
	case p.Is("*"):
		return p.star(nil, t.At)
	}
	p.fail(t, "an expression")
	return &Literal{Range: t.Range}
}

// text reads a string, or several in a row, which are one.
func (p *parser) text() Expr {
	t := p.Next()
	l := &Literal{Class: Text, Text: t.Text}
	for p.Peek().Kind == String {
		l.Text += p.Next().Text
	}
	l.Range = p.since(t.At)
	return l
}

func (p *parser) number() Expr {
	t := p.Next()
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
		p.At--
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
	begun := p.Peek().At
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
	if p.Take(")") {
		p.fail(p.Tokens[p.At-1], "an expression")
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
		if k := p.PeekAt(i).Kind; k != Word && k != Quoted {
			return false
		}
		switch t := p.PeekAt(i + 1); {
		case t.Is(")"):
			return p.PeekAt(i + 2).Is("->")
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

func (p *parser) column() Expr {
	begun := p.Peek()
	first := p.ident("a name")
	if p.Is("->") {
		return p.lambda([]Ident{first}, begun.At)
	}
	parts := []Ident{first}
	for p.Is(".") && !p.PeekAt(1).Is("*") {
		p.At++
		parts = append(parts, p.part())
	}
	if p.Is(".") {
		p.At++
		return p.star(parts, begun.At)
	}
	if p.Is("(") {
		return p.call(parts, begun.At)
	}
	return &Column{Range: p.since(begun.At), Parts: parts}
}
