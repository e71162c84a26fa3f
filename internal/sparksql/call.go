package sparksql

import "strings"

// word reads what begins with a word: a keyword's form, a call, a column.
func (p *parser) word() Expr {
	t, after := p.Peek(), p.PeekAt(1)
	switch {
	case t.Is("CASE"):
		return p.cases()
	case t.Is("NULL", "TRUE", "FALSE") && !after.Is("(", ".", "->"):
		return p.constant()
	case t.Is("CAST", "TRY_CAST") && after.Is("("):
		return p.cast()
	case t.Is("EXISTS") && after.Is("(") && p.queryAt(1):
		p.At += 2
		e := &Exists{Query: p.query()}
		p.want(")")
		e.Range = p.since(t.At)
		return e
	case t.Is("INTERVAL") && (after.Kind == String || after.Kind == Number || after.Is("-", "+", "(") || after.Kind == Word && p.unitAt(2)):
		return p.interval()
	case t.Is("DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "X") && after.Kind == String:
		p.At += 2
		return &Literal{Range: p.since(t.At), Class: Typed, Text: after.Text, Keyword: strings.ToUpper(t.Text)}
	case after.Is("("):
		if form := p.form(); form != nil {
			return form
		}
	case t.Is("CURRENT_DATE", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP", "CURRENT_USER") && !after.Is("."):
		p.At++
		return &Call{Range: t.Range, Name: strings.ToLower(t.Text)}
	case t.among(reserved):
		p.failHinted(t, "an expression", "a column of that name stands in backticks: `"+t.Text+"`")
	}
	return p.column()
}

// reserved words begin no expression.
const reserved = " FROM WHERE GROUP HAVING QUALIFY UNION JOIN ON USING THEN WHEN ELSE AND OR AS SELECT INTERSECT "

// queryAt reports whether a query stands behind the parenthesis n tokens on.
func (p *parser) queryAt(n int) bool {
	for p.PeekAt(n).Is("(") {
		n++
	}
	return p.PeekAt(n).Is("SELECT", "WITH", "VALUES", "FROM", "TABLE")
}

func (p *parser) constant() Expr {
	t := p.Next()
	l := &Literal{Range: t.Range, Text: strings.ToLower(t.Text)}
	if !t.Is("NULL") {
		l.Class = Boolean
	}
	return l
}

func (p *parser) cases() Expr {
	begun := p.Next().At
	c := &Case{}
	if !p.Is("WHEN") {
		c.Operand = p.expression()
	}
	for p.Take("WHEN") {
		w := When{If: p.expression()}
		p.want("THEN")
		w.Then = p.expression()
		c.Whens = append(c.Whens, w)
	}
	if len(c.Whens) == 0 {
		p.fail(p.Peek(), "WHEN")
	}
	if p.Take("ELSE") {
		c.Else = p.expression()
	}
	p.want("END")
	c.Range = p.since(begun)
	return c
}

func (p *parser) cast() Expr {
	t := p.Next()
	p.want("(")
	c := &Cast{Try: t.Is("TRY_CAST"), X: p.expression()}
	p.want("AS")
	c.Type = p.dataType()
	p.want(")")
	c.Range = p.since(t.At)
	return c
}

// form reads the calls whose arguments are written with words; nil for others.
func (p *parser) form() Expr {
	t := p.Peek()
	switch name := strings.ToLower(t.Text); {
	case name == "extract" && p.PeekAt(3).Is("FROM"):
		return p.extract(t)
	case name == "position" && p.wordAhead("IN"):
		return p.position(t)
	case name == "trim" && (p.PeekAt(2).Is("BOTH", "LEADING", "TRAILING") || p.wordAhead("FROM")):
		return p.trim(t)
	case (name == "substring" || name == "substr") && p.wordAhead("FROM"):
		return p.substring(t)
	case name == "overlay" && p.wordAhead("PLACING"):
		return p.overlay(t)
	default:
		return nil
	}
}

// wordAhead reports whether a word stands in the parentheses that begin at the next
// token, and not deeper.
func (p *parser) wordAhead(word string) bool {
	depth := 0
	for i := 1; ; i++ {
		switch t := p.PeekAt(i); {
		case t.Kind == End:
			return false
		case t.Is("(", "["):
			depth++
		case t.Is(")", "]"):
			depth--
			if depth == 0 {
				return false
			}
		case depth == 1 && t.Is(word):
			return true
		}
	}
}

// extract reads EXTRACT(unit FROM x).
func (p *parser) extract(t Token) Expr {
	p.At += 2
	unit := p.Next()
	c := &Call{Name: "extract", Args: []Arg{{Expr: &Literal{Range: unit.Range, Class: Text, Text: strings.ToLower(unit.Text)}}}}
	p.want("FROM")
	c.Args = append(c.Args, Arg{Expr: p.expression()})
	p.want(")")
	c.Range = p.since(t.At)
	return c
}

// position reads POSITION(a IN b). IN would make a list of what follows, so that the
// sides are read below it.
func (p *parser) position(t Token) Expr {
	p.At += 2
	c := &Call{Name: "position", Args: []Arg{{Expr: p.comparison()}}}
	p.want("IN")
	c.Args = append(c.Args, Arg{Expr: p.comparison()})
	p.want(")")
	c.Range = p.since(t.At)
	return c
}

func (p *parser) trim(t Token) Expr {
	p.At += 2
	c := &Call{Name: "trim"}
	switch {
	case p.Take("LEADING"):
		c.Name = "ltrim"
	case p.Take("TRAILING"):
		c.Name = "rtrim"
	default:
		p.Take("BOTH")
	}
	var chars Expr
	if !p.Is("FROM") {
		chars = p.expression()
	}
	p.want("FROM")
	c.Args = []Arg{{Expr: p.expression()}}
	p.want(")")
	c.Range = p.since(t.At)
	switch {
	case chars == nil:
	case c.Name == "trim": // btrim(text, characters)
		c.Name = "btrim"
		c.Args = append(c.Args, Arg{Expr: chars})
	default: // ltrim(characters, text)
		c.Args = append([]Arg{{Expr: chars}}, c.Args...)
	}
	return c
}

func (p *parser) substring(t Token) Expr {
	p.At += 2
	c := &Call{Name: "substring", Args: []Arg{{Expr: p.expression()}}}
	p.want("FROM")
	c.Args = append(c.Args, Arg{Expr: p.expression()})
	if p.Take("FOR") {
		c.Args = append(c.Args, Arg{Expr: p.expression()})
	}
	p.want(")")
	c.Range = p.since(t.At)
	return c
}

func (p *parser) overlay(t Token) Expr {
	p.At += 2
	c := &Call{Name: "overlay", Args: []Arg{{Expr: p.expression()}}}
	for _, word := range []string{"PLACING", "FROM"} {
		p.want(word)
		c.Args = append(c.Args, Arg{Expr: p.expression()})
	}
	if p.Take("FOR") {
		c.Args = append(c.Args, Arg{Expr: p.expression()})
	}
	p.want(")")
	c.Range = p.since(t.At)
	return c
}

// arguments reads the arguments of a call, with its parentheses.
func (p *parser) arguments() []Arg {
	p.want("(")
	out := p.argumentList()
	p.want(")")
	return out
}

func (p *parser) argumentList() []Arg {
	var out []Arg
	for p.problem == nil && !p.Is(")") {
		var a Arg
		if p.PeekAt(1).Is("=>") {
			a.Name = p.ident("the name of an argument")
			p.At++
		}
		if p.Is("STREAM") || p.Is("TABLE", "(") {
			p.refuse(p.Peek(), "a table as an argument", "read it in FROM")
		}
		a.Expr = p.expression()
		if p.Take("AS") {
			a.Alias = p.ident("a name")
		}
		out = append(out, a)
		if !p.Take(",") {
			break
		}
	}
	return out
}

// call reads the arguments of a function, and the words of aggregates behind them.
func (p *parser) call(names []Ident, begun Pos) Expr {
	name := names[len(names)-1]
	c := &Call{Name: strings.ToLower(name.Name)}
	if len(names) > 1 && !strings.EqualFold(names[0].Name, "system") && !strings.EqualFold(names[0].Name, "builtin") {
		p.refuse(Token{Range: names[0].Range}, "a function of a catalogue", "use functions of SQL")
		return c
	}
	p.want("(")
	c.Distinct = p.Take("DISTINCT")
	if !c.Distinct && p.Is("ALL") && !p.PeekAt(1).Is(",", ")") {
		p.At++
	}
	c.Args = p.argumentList()
	p.want(")")
	p.suffixes(c)
	c.Range = p.since(begun)
	return c
}

// suffixes reads WITHIN GROUP, FILTER, IGNORE NULLS and OVER.
func (p *parser) suffixes(c *Call) {
	for p.problem == nil {
		switch {
		case p.Take("WITHIN", "GROUP", "(", "ORDER", "BY"):
			c.Within = p.orders()
			p.want(")")
		case p.Take("FILTER", "(", "WHERE"):
			c.Filter = p.expression()
			p.want(")")
		case p.Take("IGNORE", "NULLS"):
			c.IgnoreNulls = true
		case p.Take("RESPECT", "NULLS"):
		case p.Is("OVER"):
			p.At++
			c.Over = p.window()
			return
		default:
			return
		}
	}
}

func (p *parser) window() *Window {
	begun := p.Peek()
	w := &Window{}
	if !p.Is("(") {
		w.Name = p.ident("the name of a window")
		w.Range = w.Name.Range
		return w
	}
	p.want("(")
	if t := p.Peek(); (t.Kind == Word || t.Kind == Quoted) && !t.Is("PARTITION", "DISTRIBUTE", "ORDER", "SORT", "ROWS", "RANGE") {
		w.Name = p.ident("the name of a window")
	}
	if p.Take("PARTITION", "BY") || p.Take("DISTRIBUTE", "BY") {
		w.Partition = p.expressions()
	}
	if p.Take("ORDER", "BY") || p.Take("SORT", "BY") {
		w.Order = p.orders()
	}
	if p.Peek().Is("ROWS", "RANGE") {
		w.Frame = p.frame()
	}
	p.want(")")
	w.Range = p.since(begun.At)
	return w
}

func (p *parser) frame() *Frame {
	f := &Frame{Unit: strings.ToUpper(p.Next().Text)}
	if p.Take("BETWEEN") {
		f.Start = p.bound()
		p.want("AND")
		f.End = p.bound()
		return f
	}
	f.Start, f.End = p.bound(), Bound{What: "CURRENT ROW"}
	return f
}

func (p *parser) bound() Bound {
	var b Bound
	switch {
	case p.Take("CURRENT", "ROW"):
		b.What = "CURRENT ROW"
		return b
	case p.Take("UNBOUNDED"):
		b.What = "UNBOUNDED "
	default:
		b.By = p.comparison()
	}
	if t := p.Peek(); t.Is("PRECEDING", "FOLLOWING") {
		b.What += strings.ToUpper(p.Next().Text)
	} else {
		p.fail(t, "PRECEDING or FOLLOWING")
	}
	return b
}
