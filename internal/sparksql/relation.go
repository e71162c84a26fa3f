package sparksql

import "strings"

// from reads relations between commas, with their joins.
func (p *parser) from() Relation {
	begun := p.Peek().At
	left := p.joined()
	for p.Take(",") {
		right := p.joined()
		left = &Join{Kind: "CROSS", Left: left, Right: right, Range: p.since(begun)}
	}
	return left
}

// joined reads a relation and what is joined to it.
func (p *parser) joined() Relation {
	begun := p.Peek().At
	left := p.relation()
	for p.problem == nil {
		switch {
		case p.Is("LATERAL", "VIEW"):
			left = p.lateralView(left, begun)
			continue
		case p.Is("PIVOT", "("), p.Is("UNPIVOT"):
			p.refuse(p.Peek(), strings.ToUpper(p.Peek().Text), "write CASE in aggregates for PIVOT, stack() for UNPIVOT")
		}
		j := &Join{Left: left}
		j.Natural = p.Take("NATURAL")
		if j.Kind = p.joinKind(); j.Kind == "" {
			if j.Natural {
				p.fail(p.Peek(), "JOIN")
			}
			return left
		}
		j.Right = p.relation()
		p.joinCondition(j)
		j.Range = p.since(begun)
		left = j
	}
	return left
}

func (p *parser) joinKind() string {
	kind := ""
	switch {
	case p.Take("LEFT", "SEMI"), p.Take("SEMI"):
		kind = "SEMI"
	case p.Take("LEFT", "ANTI"), p.Take("ANTI"):
		kind = "ANTI"
	case p.Is("LEFT", "("), p.Is("RIGHT", "("):
		return ""
	case p.Take("LEFT"):
		kind = "LEFT"
	case p.Take("RIGHT"):
		kind = "RIGHT"
	case p.Take("FULL"):
		kind = "FULL"
	case p.Take("CROSS"):
		kind = "CROSS"
	case p.Take("INNER"), p.Is("JOIN"):
		kind = "INNER"
	default:
		return ""
	}
	p.Take("OUTER")
	p.want("JOIN")
	return kind
}

func (p *parser) joinCondition(j *Join) {
	switch {
	case p.Take("ON"):
		j.On = p.expression()
	case p.Is("USING"):
		p.At++
		j.Using = p.idents("the name of a column")
	}
}

func (p *parser) lateralView(left Relation, begun Pos) Relation {
	p.At += 2
	l := &Lateral{Left: left, Outer: p.Take("OUTER")}
	t := p.Peek()
	call, ok := p.expression().(*Call)
	if !ok {
		p.failHinted(t, "a function that makes rows", "as in LATERAL VIEW explode(items) t AS item")
		return l
	}
	l.Call = call
	if !p.Is("AS") && p.aliasFollows() {
		l.Table = p.ident("a name")
	}
	if p.Take("AS") {
		for p.problem == nil {
			l.Columns = append(l.Columns, p.ident("the name of a column"))
			if !p.Take(",") {
				break
			}
		}
	}
	l.Range = p.since(begun)
	return l
}

// relation reads a table, a call, or a query in parentheses.
func (p *parser) relation() Relation {
	begun := p.Peek()
	if !p.deeper() {
		return &Table{}
	}
	defer func() { p.depth-- }()
	lateral := p.Take("LATERAL")
	stream := p.stream()
	switch {
	case p.Is("(") && stream:
		return p.streamed(begun.At)
	case p.Is("("):
		return p.parenthesised(begun.At, lateral)
	case p.Is("VALUES"):
		p.At++
		v := p.values(begun.At)
		d := &Derived{Query: &Query{Range: v.Range, Body: v}, Alias: p.alias()}
		d.Range = p.since(begun.At)
		return d
	default:
		return p.named(begun.At, stream, lateral)
	}
}

// stream passes over STREAM, unless it is the name of a table.
func (p *parser) stream() bool {
	after := p.PeekAt(1)
	if !p.Is("STREAM") || after.Kind != Word && after.Kind != Quoted && !after.Is("(") || after.among(clauseWords) {
		return false
	}
	p.At++
	return true
}

// streamed reads STREAM(t) and STREAM(read_files(…)).
func (p *parser) streamed(begun Pos) Relation {
	p.want("(")
	r := p.bare(true)
	p.want(")")
	p.decorate(r, begun)
	return r
}

func (p *parser) named(begun Pos, stream, lateral bool) Relation {
	r := p.bare(stream)
	if c, ok := r.(*TableCall); ok && lateral && !stream {
		return p.lateralCall(c, begun)
	}
	p.decorate(r, begun)
	return r
}

// lateralCall is LATERAL explode(…): a query of one generator.
func (p *parser) lateralCall(c *TableCall, begun Pos) Relation {
	call := &Call{Range: c.Range, Name: strings.ToLower(c.Name.Name), Args: c.Args}
	s := &Select{Range: c.Range, Items: []Item{{Range: c.Range, Expr: call}}}
	d := &Derived{Lateral: true, Query: &Query{Range: c.Range, Body: s}, Alias: p.alias()}
	d.Range = p.since(begun)
	return d
}

// bare reads the name of a table or a call, without what may follow it.
func (p *parser) bare(stream bool) Relation {
	begun := p.Peek()
	if p.Is("IDENTIFIER", "(") {
		p.At += 2
		t := &Table{Named: p.expression(), Stream: stream}
		p.want(")")
		t.Range = p.since(begun.At)
		return t
	}
	names := p.names("the name of a table")
	if p.Is("(") {
		if len(names) != 1 {
			p.fail(p.Peek(), "a table, not a call")
		}
		c := &TableCall{Name: names[len(names)-1], Stream: stream}
		c.Args = p.arguments()
		c.Range = p.since(begun.At)
		return c
	}
	return &Table{Range: p.since(begun.At), Name: names, Stream: stream}
}

// decorate reads the watermark and the alias of a relation.
func (p *parser) decorate(r Relation, begun Pos) {
	if p.Is("VERSION", "AS") || p.Is("TIMESTAMP", "AS") || p.Is("FOR") {
		p.refuse(p.Peek(), "a version of a table", "read the table as it is now")
	}
	if p.Is("TABLESAMPLE") {
		p.refuse(p.Peek(), "TABLESAMPLE", "its rows differ from run to run: filter by a hash of the key instead")
	}
	if p.Is("WITH", "(") {
		p.refuse(p.Peek(), "options of a read", "name the files by read_files(…)")
	}
	mark := p.watermark()
	alias := p.alias()
	switch r := r.(type) {
	case *Table:
		r.Watermark, r.Alias, r.Range = mark, alias, p.since(begun)
	case *TableCall:
		r.Watermark, r.Alias, r.Range = mark, alias, p.since(begun)
	}
}

func (p *parser) watermark() *Watermark {
	t := p.Peek()
	if !p.Take("WATERMARK") {
		return nil
	}
	w := &Watermark{Expr: p.expression()}
	if p.Take("AS") {
		w.Alias = p.ident("a name")
	}
	if !p.Take("DELAY") {
		p.fail(p.Peek(), "DELAY OF")
	}
	p.want("OF")
	w.Delay = p.expression()
	w.Range = p.since(t.At)
	return w
}

func (p *parser) alias() Alias {
	var a Alias
	if p.Take("AS") || p.aliasFollows() {
		a.Name = p.ident("a name")
		if p.Is("(") {
			a.Columns = p.idents("the name of a column")
		}
	}
	return a
}

// parenthesised reads a query or a join in parentheses.
func (p *parser) parenthesised(begun Pos, lateral bool) Relation {
	if !p.queryFollows() {
		p.want("(")
		r := p.from()
		p.want(")")
		if j, ok := r.(*Join); ok {
			j.Range = p.since(begun)
			return j
		}
		p.decorate(r, begun)
		return r
	}
	p.want("(")
	d := &Derived{Lateral: lateral, Query: p.query()}
	p.want(")")
	d.Alias = p.alias()
	d.Range = p.since(begun)
	return d
}

// queryFollows reports whether a query stands behind opening parentheses.
func (p *parser) queryFollows() bool {
	i := 0
	for p.PeekAt(i).Is("(") {
		i++
	}
	return i > 0 && p.PeekAt(i).Is("SELECT", "WITH", "VALUES", "FROM", "TABLE")
}
