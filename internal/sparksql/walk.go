package sparksql

// Walk calls visit with a node and all that it is made of, outer ones first: queries,
// bodies, relations and expressions. The parts of one for which visit returns false are
// passed over; nil is no node.
func Walk(node any, visit func(node any) bool) {
	w := walker{visit}
	w.node(node)
}

type walker struct{ visit func(any) bool }

func (w walker) node(node any) {
	if node == nil || !w.visit(node) {
		return
	}
	switch n := node.(type) {
	case *Query:
		w.query(n)
	case *Select:
		w.selects(n)
	case *Set:
		w.node(n.Left)
		w.node(n.Right)
	case *Values:
		for _, row := range n.Rows {
			w.exprs(row)
		}
	default:
		w.relation(node)
	}
}

func (w walker) query(q *Query) {
	for _, c := range q.With {
		w.node(c.Query)
	}
	w.node(q.Body)
	w.orders(q.Order)
	w.exprs([]Expr{q.Limit, q.Offset})
}

func (w walker) selects(s *Select) {
	w.items(s.Items)
	if s.From != nil {
		w.node(s.From)
	}
	w.exprs([]Expr{s.Where})
	if s.Group != nil {
		w.exprs(s.Group.Items)
		for _, set := range s.Group.Sets {
			w.exprs(set)
		}
	}
	w.exprs([]Expr{s.Having, s.Qualify})
	for _, n := range s.Windows {
		w.window(n.Window)
	}
}

func (w walker) relation(node any) {
	switch n := node.(type) {
	case *Table:
		w.exprs([]Expr{n.Named})
		w.watermark(n.Watermark)
	case *TableCall:
		w.args(n.Args)
		w.watermark(n.Watermark)
	case *Derived:
		w.node(n.Query)
	case *Join:
		w.node(n.Left)
		w.node(n.Right)
		w.exprs([]Expr{n.On})
	case *Lateral:
		w.node(n.Left)
		w.node(n.Call)
	default:
		w.expr(node)
	}
}

func (w walker) watermark(m *Watermark) {
	if m != nil {
		w.exprs([]Expr{m.Expr, m.Delay})
	}
}

func (w walker) exprs(list []Expr) {
	for _, x := range list {
		if x != nil {
			w.node(x)
		}
	}
}

func (w walker) items(list []Item) {
	for _, it := range list {
		w.node(it.Expr)
	}
}

func (w walker) args(list []Arg) {
	for _, a := range list {
		w.node(a.Expr)
	}
}

func (w walker) orders(list []Order) {
	for _, o := range list {
		w.node(o.Expr)
	}
}

func (w walker) window(n *Window) {
	if n == nil {
		return
	}
	w.exprs(n.Partition)
	w.orders(n.Order)
	if n.Frame != nil {
		w.exprs([]Expr{n.Frame.Start.By, n.Frame.End.By})
	}
}

// expr walks the parts of an expression; those without parts have none.
func (w walker) expr(node any) {
	switch n := node.(type) {
	case *Star:
		w.items(n.Replace)
	case *Unary:
		w.node(n.X)
	case *Binary:
		w.exprs([]Expr{n.X, n.Y})
	case *Between:
		w.exprs([]Expr{n.X, n.Low, n.High})
	case *In:
		w.node(n.X)
		w.exprs(n.List)
		w.maybe(n.Query)
	case *Like:
		w.node(n.X)
		w.exprs(append(n.Patterns[:len(n.Patterns):len(n.Patterns)], n.Escape))
	case *Is:
		w.exprs([]Expr{n.X, n.Y})
	case *Case:
		w.exprs([]Expr{n.Operand})
		for _, b := range n.Whens {
			w.exprs([]Expr{b.If, b.Then})
		}
		w.exprs([]Expr{n.Else})
	default:
		w.value(node)
	}
}

func (w walker) maybe(q *Query) {
	if q != nil {
		w.node(q)
	}
}

func (w walker) value(node any) {
	switch n := node.(type) {
	case *Cast:
		w.node(n.X)
	case *Call:
		w.args(n.Args)
		w.exprs([]Expr{n.Filter})
		w.orders(n.Within)
		w.window(n.Over)
	case *Lambda:
		w.node(n.Body)
	case *Index:
		w.exprs([]Expr{n.X, n.I})
	case *Member:
		w.node(n.X)
	case *JSONPath:
		w.node(n.X)
	case *Interval:
		for _, a := range n.Parts {
			w.node(a.Count)
		}
	case *Subquery:
		w.node(n.Query)
	case *Exists:
		w.node(n.Query)
	case *Row:
		w.exprs(n.Items)
	}
}
