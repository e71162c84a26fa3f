package syntax

import (
	"strconv"
	"strings"
)

// flat prints an expression on one line, but for comments that end theirs. Parentheses
// are added where the tree needs them: least is how tight operators must bind to stand
// here without, casts how tight a cast must. The two differ left of an operator, where
// a cast may stand though it binds loosely, since the type ends it.
func flat(x Expr, level, least, casts int) string {
	if text, ok := leaf(x); ok {
		return text
	}
	return compound(x, level, least, casts, flat)
}

// broken prints an expression on one line if it fits, else broken at its outermost
// commas or operators.
func broken(x Expr, level, least, casts int) string {
	if text, ok := leaf(x); ok {
		return text
	}
	if line := flat(x, level, least, casts); fits(line, level, 0) {
		return line
	}
	switch n := x.(type) {
	case *Call:
		return n.head() + "(" + rows(n.Args, level+1) + ")"
	case *Array:
		return "[" + rows(n.Items, level+1) + "]"
	case *Struct:
		return "@(" + n.Args.hanging(level+1) + ")"
	case *Binary:
		return chain(n, level, least, casts)
	}
	return compound(x, level, least, casts, broken)
}

// rows prints expressions one a line, the first where the parenthesis is.
func rows(list []Expr, level int) string {
	parts := make([]string, 0, len(list))
	for _, x := range list {
		parts = append(parts, broken(x, level, bindPair, bindPair))
	}
	return strings.Join(parts, ",\n"+indent(level))
}

// chain prints operators that bind alike below each other.
func chain(x *Binary, level, least, casts int) string {
	bind := binding(x.Op)
	if bind < least {
		return "(" + broken(x, level, bindPair, bindPair) + ")"
	}
	var rest []string
	var left Expr = x
	for {
		b, ok := left.(*Binary)
		if !ok || binding(b.Op) != bind {
			break
		}
		rest = append(rest, indent(level)+b.Op+" "+broken(b.Y, level, bind+1, bind+1))
		left = b.X
	}
	var out strings.Builder
	out.WriteString(broken(left, level, bind, casts))
	for i := len(rest) - 1; i >= 0; i-- {
		out.WriteString("\n" + rest[i])
	}
	return out.String()
}

// leaf prints what has no parts.
func leaf(x Expr) (string, bool) {
	switch n := x.(type) {
	case nil:
		return "", true
	case *Column:
		text := ""
		for _, s := range n.Streams {
			text += s.String() + "@"
		}
		return text + n.Name.String(), true
	case *Param:
		return "$" + n.Name, true
	case *Matched:
		if n.Group < 0 {
			return "$$", true
		}
		return "$" + strconv.Itoa(n.Group), true
	case *Variable:
		return "#" + n.Name, true
	case *Local:
		return ":" + n.Name, true
	case *Number:
		return n.Text, true
	case *Text:
		return string(n.Quote) + n.Raw + string(n.Quote), true
	}
	return "", false
}

func (e *Call) head() string {
	if e.Cache.Text != "" {
		return e.Cache.String() + "#" + e.Name.Text
	}
	return e.Name.Text
}

// compound prints what has parts, these in a layout.
func compound(x Expr, level, least, casts int, as layout) string {
	inside := func(x Expr) string { return as(x, level, bindPair, bindPair) }
	switch n := x.(type) {
	case *Interpolated:
		return n.text(level)
	case *Array:
		return "[" + joined(n.Items, inside) + "]"
	case *Struct:
		return "@(" + n.Args.group(level, 0, n.Args.hanging) + ")"
	case *Call:
		return n.head() + "(" + joined(n.Args, inside) + ")"
	case *Member:
		return as(n.X, level, bindPostfix, bindPostfix) + "." + n.Name.String()
	case *Index:
		return as(n.X, level, bindPostfix, bindPostfix) + "[" + inside(n.I) + "]"
	case *Unary:
		return inParens(least > bindUnary, n.Op+as(n.X, level, bindUnary, bindUnary))
	case *Binary:
		bind := binding(n.Op)
		if bind < least {
			return "(" + inside(n) + ")"
		}
		return as(n.X, level, bind, casts) + " " + n.Op + " " + as(n.Y, level, bind+1, bind+1)
	case *Cast:
		if casts > bindCast {
			return "(" + inside(n) + ")"
		}
		return as(n.X, level, bindCast, casts) + " ? " + n.Type.text(level)
	case *Paren:
		return "(" + inside(n.X) + ")"
	case *Noted:
		return noteText(n.Comments, level) + as(n.X, level, max(least, bindUnary), max(casts, bindUnary))
	}
	return ""
}

func inParens(need bool, text string) string {
	if need {
		return "(" + text + ")"
	}
	return text
}

func joined(list []Expr, print func(Expr) string) string {
	parts := make([]string, 0, len(list))
	for _, x := range list {
		parts = append(parts, print(x))
	}
	return strings.Join(parts, ", ")
}

// noteText prints comments before an expression.
func noteText(notes []Comment, level int) string {
	var b strings.Builder
	for _, c := range notes {
		b.WriteString(c.Text)
		if c.Line() {
			b.WriteString("\n" + indent(level))
		} else {
			b.WriteString(" ")
		}
	}
	return b.String()
}

func (e *Interpolated) text(level int) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, part := range e.Parts {
		if part.X == nil {
			b.WriteString(part.Raw)
			continue
		}
		b.WriteString("{" + flat(part.X, level, bindPair, bindPair) + "}")
	}
	b.WriteByte('"')
	return b.String()
}
