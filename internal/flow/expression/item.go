package expression

import (
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
)

// Unrolled is an array that a flatten makes rows of: in expressions its path, as of PathOf,
// means the item.
type Unrolled struct {
	Path string
	Item plan.Local
}

// PathOf spells a column or a part of one, without streams; "" for anything else. One that
// is looked up by name is that column.
func PathOf(x syntax.Expr) string {
	switch n := x.(type) {
	case *syntax.Column:
		return n.Name.Text
	case *syntax.Member:
		if of := PathOf(n.X); of != "" {
			return of + "\x00" + n.Name.Text
		}
	case *syntax.Call:
		if name, ok := soleText(n); ok && n.Name.Text == "byName" && n.Cache.Text == "" {
			return name
		}
	case *syntax.Noted:
		return PathOf(n.X)
	case *syntax.Paren:
		return PathOf(n.X)
	}
	return ""
}

// soleText is the only argument of a call, if that is a text.
func soleText(n *syntax.Call) (string, bool) {
	if len(n.Args) != 1 {
		return "", false
	}
	t, ok := n.Args[0].(*syntax.Text)
	if !ok {
		return "", false
	}
	return t.Value(), true
}

// whatUnrolls is the item where an expression is an array that is being unrolled.
func (sc *Scope) whatUnrolls(x syntax.Expr) (plan.Expr, bool) {
	path := ""
	if len(sc.Unrolled) > 0 {
		path = PathOf(x)
	}
	for _, u := range sc.Unrolled {
		if path != "" && u.Path == path {
			return u.Item, true
		}
	}
	return nil, false
}
