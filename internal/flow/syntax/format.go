package syntax

import (
	"strings"
	"unicode/utf8"
)

// Format prints a script in its one layout, which is that of the service's own exports:
// a setting a line, columns and mappings indented below their group, long expressions
// broken at their outermost commas and operators. What Parse reads of it is the script
// that was printed.
func Format(s *Script) string {
	var p printer
	if s.Parameters != nil {
		p.parameters(s.Parameters)
	}
	for _, st := range s.Statements {
		p.statement(st)
	}
	p.lines(s.End, 0)
	return p.b.String()
}

// FormatExpr prints an expression on a line of its own, or on more where it is long.
func FormatExpr(x Expr) string { return broken(x, 0, bindPair, bindPair) }

const (
	widest = 100 // characters of a line, before it is broken
	tab    = 4   // characters that an indent counts for
)

type printer struct{ b strings.Builder }

func indent(n int) string { return strings.Repeat("\t", n) }

// lines prints comments, each on its own line.
func (p *printer) lines(notes []Comment, level int) {
	for _, c := range notes {
		p.b.WriteString(indent(level) + c.Text + "\n")
	}
}

// trailing is the text of comments behind something, and whether the line must end there.
func trailing(notes []Comment) (text string, ends bool) {
	for _, c := range notes {
		text += " " + c.Text
		ends = c.Line()
	}
	return text, ends
}

func (p *printer) parameters(block *Parameters) {
	p.lines(block.Lead, 0)
	p.b.WriteString("parameters{\n")
	for i, one := range block.List {
		p.lines(one.Lead, 1)
		p.b.WriteString(indent(1) + one.Name.String() + " as " + one.Type.text(1))
		if one.Default != nil {
			p.b.WriteString(" (" + broken(one.Default, 1, bindPair, bindPair) + ")")
		}
		if i < len(block.List)-1 {
			p.b.WriteString(",")
		}
		text, _ := trailing(one.Trail)
		p.b.WriteString(text + "\n")
	}
	p.lines(block.End, 1)
	p.b.WriteString("}\n")
}

func (p *printer) statement(s *Statement) {
	p.lines(s.Lead, 0)
	for i, in := range s.Inputs {
		if i > 0 {
			p.b.WriteString(", ")
		}
		p.b.WriteString(in.Name.String())
		if in.Branch.Text != "" {
			p.b.WriteString("@" + in.Branch.String())
		}
	}
	if len(s.Inputs) > 0 {
		p.b.WriteString(" ")
	}
	p.b.WriteString(s.Verb.String() + "(" + s.Args.hanging(1) + ") ~> " + s.Output.String())
	if len(s.Branches) > 0 {
		p.b.WriteString("@(")
		for i, b := range s.Branches {
			if i > 0 {
				p.b.WriteString(", ")
			}
			p.b.WriteString(b.String())
		}
		p.b.WriteString(")")
	}
	text, _ := trailing(s.Trail)
	p.b.WriteString(text + "\n")
}

// commented tells whether there are comments that need lines.
func (a Args) commented() bool {
	if len(a.End) > 0 {
		return true
	}
	for _, one := range a.List {
		if len(one.Lead)+len(one.Trail) > 0 {
			return true
		}
	}
	return false
}

// hanging prints arguments one a line, the first where the parenthesis is.
func (a Args) hanging(level int) string {
	var b strings.Builder
	ended := false
	for i, one := range a.List {
		if i > 0 || len(one.Lead) > 0 {
			b.WriteString("\n")
		}
		for _, c := range one.Lead {
			b.WriteString(indent(level) + c.Text + "\n")
		}
		if i > 0 || len(one.Lead) > 0 {
			b.WriteString(indent(level))
		}
		ended = one.print(&b, level, i == len(a.List)-1)
	}
	if len(a.End) > 0 {
		b.WriteString("\n")
		for _, c := range a.End {
			b.WriteString(indent(level) + c.Text + "\n")
		}
		b.WriteString(indent(level - 1))
	} else if ended {
		b.WriteString("\n" + indent(level-1))
	}
	return b.String()
}

// block prints arguments one a line, below the parenthesis.
func (a Args) block(level int) string {
	if len(a.List) == 0 && len(a.End) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n")
	for i, one := range a.List {
		for _, c := range one.Lead {
			b.WriteString(indent(level) + c.Text + "\n")
		}
		b.WriteString(indent(level))
		one.print(&b, level, i == len(a.List)-1)
		b.WriteString("\n")
	}
	for _, c := range a.End {
		b.WriteString(indent(level) + c.Text + "\n")
	}
	b.WriteString(indent(level - 1))
	return b.String()
}

// inline prints arguments on one line; they have no comments.
func (a Args) inline(level int) string {
	parts := make([]string, 0, len(a.List))
	for _, one := range a.List {
		parts = append(parts, one.text(level, flat))
	}
	return strings.Join(parts, ", ")
}

// group prints arguments on one line if they fit, else one a line.
func (a Args) group(level, used int, wide func(int) string) string {
	if !a.commented() {
		if text := a.inline(level); fits(text, level, used) {
			return text
		}
	}
	return wide(level)
}

func fits(text string, level, used int) bool {
	return !strings.Contains(text, "\n") && level*tab+used+utf8.RuneCountInString(text) <= widest
}

// print writes an argument with its comma and the comments behind; it tells whether
// those end the line.
func (a Arg) print(b *strings.Builder, level int, last bool) bool {
	b.WriteString(a.text(level, broken))
	if !last {
		b.WriteString(",")
	}
	text, ends := trailing(a.Trail)
	b.WriteString(text)
	return ends
}

// layout prints an expression: flat, or broken where it is long.
type layout func(x Expr, level, least, casts int) string

// text is an argument without its comments.
func (a Arg) text(level int, as layout) string {
	switch n := a.Node.(type) {
	case *Option:
		gap := ": "
		if _, ok := n.Value.(*Array); ok {
			gap = ":"
		}
		return n.Name.String() + gap + as(n.Value, level+1, bindPair, bindPair)
	case *Assign:
		return as(n.Target, level+1, bindPair, bindPair) + " = " + as(n.Value, level+1, bindPair, bindPair)
	case *Value:
		return as(n.X, level+1, bindPair, bindPair)
	case *Schema:
		return n.Name.String() + "(" + fieldBlock(n.Columns, n.End, level+1) + ")"
	case *Each:
		return n.text(level)
	case *Clause:
		if n.Name.Text == "mapColumn" {
			return "mapColumn(" + n.Args.block(level+1) + ")"
		}
		return n.Name.String() + "(" + n.Args.group(level+1, len(n.Name.Text)+3, n.Args.hanging) + ")"
	}
	return ""
}

func (e *Each) text(level int) string {
	head := "each("
	if e.Path != nil {
		head += flat(e.Path, level+1, bindPair, bindPair)
		if e.Matcher != "" {
			head += ", "
		}
	}
	if e.Matcher != "" {
		head += e.Matcher + "(" + broken(e.Cond, level+1, bindPair, bindPair) + ")"
	}
	if len(e.Pairs.List) == 0 {
		return head + e.Pairs.hanging(level+1) + ")"
	}
	if !e.Pairs.commented() {
		if line := head + ", " + e.Pairs.inline(level) + ")"; fits(line, level, 1) {
			return line
		}
	}
	if len(e.Pairs.List[0].Lead) > 0 {
		return head + "," + e.Pairs.hanging(level+1) + ")"
	}
	return head + ",\n" + indent(level+1) + e.Pairs.hanging(level+1) + ")"
}

// fieldBlock prints columns one a line.
func fieldBlock(fields []Field, end []Comment, level int) string {
	if len(fields) == 0 && len(end) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n")
	for i, f := range fields {
		for _, c := range f.Lead {
			b.WriteString(indent(level) + c.Text + "\n")
		}
		b.WriteString(indent(level) + f.text(level))
		if i < len(fields)-1 {
			b.WriteString(",")
		}
		text, _ := trailing(f.Trail)
		b.WriteString(text + "\n")
	}
	for _, c := range end {
		b.WriteString(indent(level) + c.Text + "\n")
	}
	b.WriteString(indent(level - 1))
	return b.String()
}

func (f Field) text(level int) string {
	text := f.Name.String()
	if f.Type != nil {
		text += " as " + f.Type.text(level)
	}
	if f.Format != nil {
		text += " " + flat(f.Format, level, bindPostfix, bindPostfix)
	}
	return text
}

// String is the type as scripts write it.
func (t *Type) String() string { return t.text(0) }

func (t *Type) text(level int) string {
	if t == nil {
		return "any"
	}
	text := t.Base
	switch {
	case t.Key != nil && t.Value != nil:
		text = "[" + t.Key.text(level) + "," + t.Value.text(level) + "]"
	case t.Base == "":
		text = "(" + t.members(level) + ")"
	case len(t.Params) > 0:
		text += "(" + strings.Join(t.Params, ",") + ")"
	}
	return text + strings.Repeat("[]", t.Dims)
}

// members prints the fields of a struct on one line, or below if that is too long.
func (t *Type) members(level int) string {
	parts := make([]string, 0, len(t.Fields))
	plain := true
	for _, f := range t.Fields {
		plain = plain && len(f.Lead)+len(f.Trail) == 0
		parts = append(parts, f.text(level+1))
	}
	if line := strings.Join(parts, ", "); plain && fits(line, level, 0) {
		return line
	}
	return fieldBlock(t.Fields, nil, level+1)
}

// String is the name, in braces where it needs them or was written with them.
func (n Name) String() string {
	if !n.Braced && plainName(n.Text) {
		return n.Text
	}
	var b strings.Builder
	b.WriteByte('{')
	for i := range len(n.Text) {
		c := n.Text[i]
		if c == '}' || c == '\\' && (i+1 == len(n.Text) || n.Text[i+1] == '}' || n.Text[i+1] == '\\') {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	b.WriteByte('}')
	return b.String()
}

// plainName tells whether a name needs no braces.
func plainName(text string) bool {
	for i, r := range text {
		if !inWord(r) || i == 0 && '0' <= r && r <= '9' {
			return false
		}
	}
	return text != ""
}
