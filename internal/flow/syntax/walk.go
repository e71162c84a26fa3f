package syntax

// Walk calls visit with an expression and all that it is made of, outer ones first; the
// parts of one for which visit returns false are passed over. Nothing is done for nil.
func Walk(x Expr, visit func(Expr) bool) {
	if x == nil || !visit(x) {
		return
	}
	for _, part := range Parts(x) {
		Walk(part, visit)
	}
}

// Parts are the expressions that an expression is made of, in the order of the script.
func Parts(x Expr) []Expr {
	switch n := x.(type) {
	case *Interpolated:
		var out []Expr
		for _, part := range n.Parts {
			if part.X != nil {
				out = append(out, part.X)
			}
		}
		return out
	case *Array:
		return n.Items
	case *Struct:
		var out []Expr
		for _, a := range n.Args.List {
			switch one := a.Node.(type) {
			case *Assign:
				out = append(out, one.Value)
			case *Value:
				out = append(out, one.X)
			}
		}
		return out
	case *Call:
		return n.Args
	case *Member:
		return []Expr{n.X}
	case *Index:
		return []Expr{n.X, n.I}
	case *Unary:
		return []Expr{n.X}
	case *Binary:
		return []Expr{n.X, n.Y}
	case *Cast:
		return []Expr{n.X}
	case *Paren:
		return []Expr{n.X}
	case *Noted:
		return []Expr{n.X}
	}
	return nil
}
