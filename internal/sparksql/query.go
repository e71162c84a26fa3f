package sparksql

import "strings"

// query reads [WITH …] body [ORDER BY …] [LIMIT …] [OFFSET …].
func (p *parser) query() *Query {
	q := &Query{}
	begun := p.Peek().At
	if !p.deeper() {
		return q
	}
	defer func() { p.depth-- }()
	if p.Take("WITH") {
		q.With = p.ctes()
	}
	q.Body = p.body(0)
	p.tail(q)
	q.Range = p.since(begun)
	return q
}

func (p *parser) ctes() []CTE {
	if p.Is("RECURSIVE") && !p.PeekAt(1).Is("AS") {
		p.refuse(p.Peek(), "WITH RECURSIVE", "write the levels out as joins")
	}
	var out []CTE
	for p.problem == nil {
		c := CTE{Name: p.ident("the name of a query")}
		if p.Is("(") {
			c.Columns = p.idents("the name of a column")
		}
		p.Take("AS")
		p.want("(")
		c.Query = p.query()
		p.want(")")
		out = append(out, c)
		if !p.Take(",") {
			break
		}
	}
	return out
}

// tail reads what may follow the body of a query.
func (p *parser) tail(q *Query) {
	for p.problem == nil {
		t := p.Peek()
		switch {
		case p.Take("ORDER", "BY"):
			q.Order = p.orders()
		case p.Take("SORT", "BY"):
			p.orders()
		case p.Take("DISTRIBUTE", "BY"), p.Take("CLUSTER", "BY"):
			p.expressions()
		case p.Take("LIMIT"):
			if !p.Take("ALL") {
				q.Limit = p.expression()
			}
		case p.Take("OFFSET"):
			q.Offset = p.expression()
		case p.Is("|>"):
			p.refuse(t, "the pipe |>", "write the query as SELECT … FROM …")
		default:
			return
		}
	}
}

// setRank is how tight an operator between bodies binds: INTERSECT before the others.
func (p *parser) setRank() int {
	switch t := p.Peek(); {
	case t.Is("UNION", "EXCEPT", "MINUS"):
		return 1
	case t.Is("INTERSECT"):
		return 2
	default:
		return 0
	}
}

func (p *parser) body(above int) Body {
	begun := p.Peek().At
	left := p.primaryBody()
	for p.problem == nil {
		rank := p.setRank()
		if rank <= above {
			return left
		}
		s := &Set{Op: strings.ToUpper(p.Next().Text), Left: left}
		if s.Op == "MINUS" {
			s.Op = "EXCEPT"
		}
		s.All = p.Take("ALL")
		if !s.All {
			p.Take("DISTINCT")
		}
		s.ByName = p.Take("BY", "NAME")
		s.Right = p.body(rank)
		s.Range = p.since(begun)
		left = s
	}
	return left
}

func (p *parser) primaryBody() Body {
	t := p.Peek()
	switch {
	case p.Is("SELECT"):
		return p.selects()
	case p.Is("FROM"):
		return p.fromFirst()
	case p.Take("("):
		q := p.query()
		p.want(")")
		return q
	case p.Take("VALUES"):
		return p.values(t.At)
	case p.Take("TABLE"):
		r := &Table{Name: p.names("the name of a table")}
		r.Range = p.since(t.At)
		return &Select{Range: r.Range, Items: []Item{{Range: t.Range, Expr: &Star{Range: t.Range}}}, From: r}
	default:
		p.fail(t, "SELECT")
		return &Select{Range: t.Range}
	}
}

// fromFirst reads FROM t SELECT …, and FROM t alone.
func (p *parser) fromFirst() Body {
	begun := p.Next()
	from := p.from()
	if p.Is("SELECT") {
		s := p.selects()
		s.From = from
		s.Range = p.since(begun.At)
		return s
	}
	return &Select{Range: p.since(begun.At), Items: []Item{{Range: begun.Range, Expr: &Star{Range: begun.Range}}}, From: from}
}

func (p *parser) values(begun Pos) *Values {
	v := &Values{}
	for p.problem == nil {
		x := p.expression()
		if row, ok := x.(*Row); ok {
			v.Rows = append(v.Rows, row.Items)
		} else {
			v.Rows = append(v.Rows, []Expr{x})
		}
		if !p.Take(",") {
			break
		}
	}
	v.Range = p.since(begun)
	return v
}

func (p *parser) selects() *Select {
	begun := p.want("SELECT")
	s := &Select{}
	if p.Is("TRANSFORM", "(") && p.transformScript() {
		p.refuse(p.Peek(), "SELECT TRANSFORM", "use functions of SQL")
	}
	s.Distinct = p.Take("DISTINCT")
	if !s.Distinct {
		p.Take("ALL")
	}
	for p.problem == nil {
		s.Items = append(s.Items, p.item())
		if !p.Take(",") {
			break
		}
		if p.Peek().Is("FROM") { // a comma too many
			p.failHinted(p.Peek(), "a column", "take out the comma before FROM")
		}
	}
	if p.Take("FROM") {
		s.From = p.from()
	}
	p.clauses(s)
	s.Range = p.since(begun.At)
	return s
}

// transformScript tells the script of Hive, TRANSFORM(a) USING 'x', from the function.
func (p *parser) transformScript() bool {
	depth := 0
	for i := 1; ; i++ {
		switch t := p.PeekAt(i); {
		case t.Kind == End:
			return false
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
			if depth == 0 {
				return p.PeekAt(i + 1).Is("USING")
			}
		}
	}
}

func (p *parser) clauses(s *Select) {
	for p.problem == nil {
		t := p.Peek()
		switch {
		case p.Take("WHERE"):
			s.Where = p.expression()
		case p.Is("GROUP") && p.PeekAt(1).Is("BY"):
			s.Group = p.grouping()
		case p.Take("HAVING"):
			s.Having = p.expression()
		case p.Take("QUALIFY"):
			s.Qualify = p.expression()
		case p.Take("WINDOW"):
			s.Windows = p.windows()
		case t.Is("PIVOT", "UNPIVOT"):
			p.refuse(t, strings.ToUpper(t.Text), "write CASE in aggregates for PIVOT, stack() for UNPIVOT")
		default:
			return
		}
	}
}

func (p *parser) windows() []NamedWindow {
	var out []NamedWindow
	for p.problem == nil {
		n := NamedWindow{Name: p.ident("the name of a window")}
		p.want("AS")
		n.Window = p.window()
		out = append(out, n)
		if !p.Take(",") {
			break
		}
	}
	return out
}

func (p *parser) item() Item {
	begun := p.Peek().At
	it := Item{Expr: p.expression()}
	as := p.Take("AS")
	switch {
	case as && p.Is("("):
		it.Aliases = p.idents("the name of a column")
	case as, p.aliasFollows():
		if t := p.Peek(); t.Kind == String {
			p.failHinted(t, "a name", "names stand in backticks: `"+t.Text+"`")
		}
		it.Alias = p.ident("a name")
	}
	it.Range = p.since(begun)
	return it
}

// clauseWords end an item or a relation: they are no alias without AS.
const clauseWords = " FROM WHERE GROUP ORDER HAVING LIMIT OFFSET QUALIFY WINDOW UNION EXCEPT MINUS INTERSECT" +
	" JOIN INNER LEFT RIGHT FULL CROSS NATURAL SEMI ANTI LATERAL ON USING SORT DISTRIBUTE CLUSTER PIVOT UNPIVOT TABLESAMPLE" +
	" AS AND OR NOT IN IS LIKE ILIKE RLIKE REGEXP BETWEEN DIV WHEN THEN ELSE END ASC DESC NULLS SELECT WATERMARK WITH SET "

// aliasFollows reports whether the next token is a name that needs no AS.
func (p *parser) aliasFollows() bool {
	t := p.Peek()
	return t.Kind == Quoted || t.Kind == Word && !t.among(clauseWords)
}

func (p *parser) grouping() *Group {
	begun := p.Next().At
	p.want("BY")
	g := &Group{}
	switch {
	case p.Is("ALL") && !p.PeekAt(1).Is(".", "("):
		p.At++
		g.All = true
	case p.Is("GROUPING", "SETS"):
		g.Kind, g.Sets = "GROUPING SETS", p.groupingSets()
	case p.Is("ROLLUP", "("), p.Is("CUBE", "("):
		g.Kind = strings.ToUpper(p.Next().Text)
		p.want("(")
		g.Items = p.expressions()
		p.want(")")
	default:
		g.Items = p.expressions()
		g.with(p)
	}
	g.Range = p.since(begun)
	return g
}

// with reads the older spellings behind the items: WITH CUBE, GROUPING SETS (…).
func (g *Group) with(p *parser) {
	switch {
	case p.Take("WITH", "CUBE"):
		g.Kind = "CUBE"
	case p.Take("WITH", "ROLLUP"):
		g.Kind = "ROLLUP"
	case p.Is("GROUPING", "SETS"):
		g.Kind, g.Sets = "GROUPING SETS", p.groupingSets()
	}
}

func (p *parser) groupingSets() [][]Expr {
	p.At += 2
	p.want("(")
	var out [][]Expr
	for p.problem == nil {
		if p.Take("(") {
			var set []Expr
			if !p.Is(")") {
				set = p.expressions()
			}
			p.want(")")
			out = append(out, set)
		} else {
			out = append(out, []Expr{p.expression()})
		}
		if !p.Take(",") {
			break
		}
	}
	p.want(")")
	return out
}

func (p *parser) orders() []Order {
	var out []Order
	for p.problem == nil {
		o := Order{Expr: p.expression()}
		o.Desc = p.Take("DESC")
		if !o.Desc {
			p.Take("ASC")
		}
		if p.Take("NULLS") {
			o.Nulls = strings.ToUpper(p.Peek().Text)
			if !p.Take("FIRST") && !p.Take("LAST") {
				p.fail(p.Peek(), "FIRST or LAST")
			}
		}
		out = append(out, o)
		if !p.Take(",") {
			break
		}
	}
	return out
}

func (p *parser) expressions() []Expr {
	var out []Expr
	for p.problem == nil {
		out = append(out, p.expression())
		if !p.Take(",") {
			break
		}
	}
	return out
}
