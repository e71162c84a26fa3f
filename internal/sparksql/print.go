package sparksql

import "strings"

// Print writes a query in one layout, on one line: keywords in capitals, names in
// backticks, every operator in parentheses. What is read of that is the same tree.
// QUALIFY, STREAM and the star clauses that stock Spark lacks are printed as they are.
func Print(q *Query) string {
	var p printer
	p.query(q)
	return p.out.String()
}

// PrintExpression writes an expression as Print writes it.
func PrintExpression(x Expr) string {
	var p printer
	p.expr(x)
	return p.out.String()
}

type printer struct{ out strings.Builder }

func (p *printer) add(parts ...string) {
	for _, s := range parts {
		p.out.WriteString(s)
	}
}

// name writes a name in backticks.
func (p *printer) name(n string) { p.add("`", strings.ReplaceAll(n, "`", "``"), "`") }

func (p *printer) idents(list []Ident, between string) {
	for i, n := range list {
		if i > 0 {
			p.add(between)
		}
		p.name(n.Name)
	}
}

// each writes the items of a list between commas.
func each[T any](p *printer, list []T, write func(T)) {
	for i, v := range list {
		if i > 0 {
			p.add(", ")
		}
		write(v)
	}
}

func (p *printer) query(q *Query) {
	if len(q.With) > 0 {
		p.add("WITH ")
		each(p, q.With, func(c CTE) {
			p.name(c.Name.Name)
			p.columns(c.Columns)
			p.add(" AS (")
			p.query(c.Query)
			p.add(")")
		})
		p.add(" ")
	}
	p.body(q.Body)
	p.orders(" ORDER BY ", q.Order)
	p.clause(" LIMIT ", q.Limit)
	p.clause(" OFFSET ", q.Offset)
}

func (p *printer) columns(list []Ident) {
	if len(list) > 0 {
		p.add(" (")
		p.idents(list, ", ")
		p.add(")")
	}
}

func (p *printer) clause(word string, x Expr) {
	if x != nil {
		p.add(word)
		p.expr(x)
	}
}

func (p *printer) orders(word string, list []Order) {
	if len(list) == 0 {
		return
	}
	p.add(word)
	each(p, list, func(o Order) {
		p.expr(o.Expr)
		if o.Desc {
			p.add(" DESC")
		}
		if o.Nulls != "" {
			p.add(" NULLS ", o.Nulls)
		}
	})
}

func (p *printer) body(b Body) {
	switch b := b.(type) {
	case *Select:
		p.selects(b)
	case *Query:
		p.add("(")
		p.query(b)
		p.add(")")
	case *Values:
		p.add("VALUES ")
		each(p, b.Rows, func(row []Expr) {
			p.add("(")
			each(p, row, p.expr)
			p.add(")")
		})
	case *Set:
		p.side(b.Left)
		p.add(" ", b.Op)
		if b.All {
			p.add(" ALL")
		}
		if b.ByName {
			p.add(" BY NAME")
		}
		p.add(" ")
		p.side(b.Right)
	}
}

// side writes a side of a set operator; another operator there gets parentheses.
func (p *printer) side(b Body) {
	if _, ok := b.(*Set); !ok {
		p.body(b)
		return
	}
	p.add("(")
	p.body(b)
	p.add(")")
}

func (p *printer) selects(s *Select) {
	p.add("SELECT ")
	if s.Distinct {
		p.add("DISTINCT ")
	}
	each(p, s.Items, p.item)
	if s.From != nil {
		p.add(" FROM ")
		p.relation(s.From)
	}
	p.clause(" WHERE ", s.Where)
	p.group(s.Group)
	p.clause(" HAVING ", s.Having)
	p.clause(" QUALIFY ", s.Qualify)
	if len(s.Windows) > 0 {
		p.add(" WINDOW ")
		each(p, s.Windows, func(w NamedWindow) {
			p.name(w.Name.Name)
			p.add(" AS ")
			p.window(w.Window, false)
		})
	}
}

func (p *printer) item(it Item) {
	p.expr(it.Expr)
	switch {
	case len(it.Aliases) > 0:
		p.add(" AS")
		p.columns(it.Aliases)
	case it.Alias.Name != "":
		p.add(" AS ")
		p.name(it.Alias.Name)
	}
}

func (p *printer) group(g *Group) {
	if g == nil {
		return
	}
	p.add(" GROUP BY ")
	switch {
	case g.All:
		p.add("ALL")
	case len(g.Sets) > 0:
		each(p, g.Items, p.expr)
		if len(g.Items) > 0 {
			p.add(" ")
		}
		p.add("GROUPING SETS (")
		each(p, g.Sets, func(set []Expr) {
			p.add("(")
			each(p, set, p.expr)
			p.add(")")
		})
		p.add(")")
	case g.Kind != "":
		p.add(g.Kind, "(")
		each(p, g.Items, p.expr)
		p.add(")")
	default:
		each(p, g.Items, p.expr)
	}
}

func (p *printer) alias(a Alias) {
	if a.Name.Name != "" {
		p.add(" AS ")
		p.name(a.Name.Name)
		p.columns(a.Columns)
	}
}

func (p *printer) stream(on bool, write func()) {
	if on {
		p.add("STREAM(")
		write()
		p.add(")")
		return
	}
	write()
}

func (p *printer) relation(r Relation) {
	switch r := r.(type) {
	case *Table:
		p.stream(r.Stream, func() { p.tableName(r) })
		p.watermark(r.Watermark)
		p.alias(r.Alias)
	case *TableCall:
		p.stream(r.Stream, func() {
			p.name(r.Name.Name)
			p.arguments(r.Args)
		})
		p.watermark(r.Watermark)
		p.alias(r.Alias)
	case *Derived:
		if r.Lateral {
			p.add("LATERAL ")
		}
		p.add("(")
		p.query(r.Query)
		p.add(")")
		p.alias(r.Alias)
	case *Lateral:
		p.relation(r.Left)
		p.add(" LATERAL VIEW ")
		if r.Outer {
			p.add("OUTER ")
		}
		p.expr(r.Call)
		if r.Table.Name != "" {
			p.add(" ")
			p.name(r.Table.Name)
		}
		if len(r.Columns) > 0 {
			p.add(" AS ")
			p.idents(r.Columns, ", ")
		}
	case *Join:
		p.join(r)
	}
}

func (p *printer) tableName(t *Table) {
	if t.Named != nil {
		p.add("IDENTIFIER(")
		p.expr(t.Named)
		p.add(")")
		return
	}
	p.idents(t.Name, ".")
}

func (p *printer) watermark(w *Watermark) {
	if w == nil {
		return
	}
	p.add(" WATERMARK ")
	p.expr(w.Expr)
	if w.Alias.Name != "" {
		p.add(" AS ")
		p.name(w.Alias.Name)
	}
	p.add(" DELAY OF ")
	p.expr(w.Delay)
}

func (p *printer) join(j *Join) {
	p.relation(j.Left)
	if j.Natural {
		p.add(" NATURAL")
	}
	p.add(" ", map[string]string{"SEMI": "LEFT SEMI", "ANTI": "LEFT ANTI"}[j.Kind])
	if j.Kind != "SEMI" && j.Kind != "ANTI" {
		p.add(j.Kind)
	}
	p.add(" JOIN ")
	if _, nested := j.Right.(*Join); nested {
		p.add("(")
		p.relation(j.Right)
		p.add(")")
	} else {
		p.relation(j.Right)
	}
	p.clause(" ON ", j.On)
	if len(j.Using) > 0 {
		p.add(" USING (")
		p.idents(j.Using, ", ")
		p.add(")")
	}
}

func (p *printer) arguments(list []Arg) {
	p.add("(")
	each(p, list, func(a Arg) {
		if a.Name.Name != "" {
			p.name(a.Name.Name)
			p.add(" => ")
		}
		p.expr(a.Expr)
		if a.Alias.Name != "" {
			p.add(" AS ")
			p.name(a.Alias.Name)
		}
	})
	p.add(")")
}

func (p *printer) window(w *Window, reference bool) {
	if reference && w.Name.Name != "" && w.Partition == nil && w.Order == nil && w.Frame == nil {
		p.name(w.Name.Name)
		return
	}
	p.add("(")
	if w.Name.Name != "" {
		p.name(w.Name.Name)
	}
	if len(w.Partition) > 0 {
		p.add(" PARTITION BY ")
		each(p, w.Partition, p.expr)
	}
	p.orders(" ORDER BY ", w.Order)
	if f := w.Frame; f != nil {
		p.add(" ", f.Unit, " BETWEEN ")
		p.bound(f.Start)
		p.add(" AND ")
		p.bound(f.End)
	}
	p.add(")")
}

func (p *printer) bound(b Bound) {
	if b.By != nil {
		p.expr(b.By)
		p.add(" ")
	}
	p.add(b.What)
}
