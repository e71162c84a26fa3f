package syntax

import (
	"fmt"
	"strconv"
	"strings"
)

// Tree prints the tree of a script: a node a line, indented below what it belongs to, with
// the places of statements and arguments in the file.
func Tree(f *File, s *Script) string {
	t := &outline{file: f}
	if s.Parameters != nil {
		t.line(0, "parameters")
		for _, p := range s.Parameters.List {
			t.line(1, t.at(p.At)+" parameter "+p.Name.String()+" "+p.Type.String())
			t.expr(2, p.Default)
		}
	}
	for _, st := range s.Statements {
		t.statement(st)
	}
	return t.b.String()
}

type outline struct {
	file *File
	b    strings.Builder
}

func (t *outline) line(level int, text string) {
	t.b.WriteString(strings.Repeat("  ", level) + strings.TrimSpace(text) + "\n")
}

func (t *outline) at(p Pos) string {
	place := t.file.Place(p)
	return fmt.Sprintf("%d:%d", place.Line, place.Column)
}

func (t *outline) statement(s *Statement) {
	head := t.at(s.At) + " " + s.Verb.Text + " " + s.Output.String()
	for _, b := range s.Branches {
		head += "@" + b.String()
	}
	for i, in := range s.Inputs {
		if i == 0 {
			head += " of"
		}
		head += " " + in.String()
	}
	t.line(0, head)
	t.args(1, s.Args)
}

func (t *outline) args(level int, args Args) {
	for _, a := range args.List {
		t.arg(level, a)
	}
}

func (t *outline) arg(level int, a Arg) {
	at := t.at(a.At)
	switch n := a.Node.(type) {
	case *Option:
		t.line(level, at+" option "+n.Name.Text)
		t.expr(level+1, n.Value)
	case *Assign:
		t.line(level, at+" assign")
		t.expr(level+1, n.Target)
		t.expr(level+1, n.Value)
	case *Each:
		t.line(level, at+" each "+n.Matcher)
		t.expr(level+1, n.Path)
		t.expr(level+1, n.Cond)
		t.args(level+1, n.Pairs)
	case *Schema:
		t.line(level, at+" columns "+n.Name.Text)
		for _, f := range n.Columns {
			t.line(level+1, t.at(f.At)+" column "+f.text(0))
		}
	case *Clause:
		t.line(level, at+" group "+n.Name.Text)
		t.args(level+1, n.Args)
	case *Value:
		t.line(level, at+" value")
		t.expr(level+1, n.X)
	}
}

// expr prints an expression; comments and what prints on one line anyway have no node.
func (t *outline) expr(level int, x Expr) {
	if text, ok := leaf(x); ok {
		if text != "" {
			t.line(level, kindOf(x)+" "+text)
		}
		return
	}
	switch n := x.(type) {
	case *Noted:
		t.expr(level, n.X)
		return
	case *Struct:
		t.line(level, "struct")
		t.args(level+1, n.Args)
		return
	case *Cast:
		t.line(level, "cast "+n.Type.String())
	case *Interpolated:
		t.line(level, "interpolated")
		for _, part := range n.Parts {
			if part.X == nil {
				t.line(level+1, "text "+strconv.Quote(part.Raw))
			}
			t.expr(level+1, part.X)
		}
		return
	default:
		t.line(level, kindOf(x))
	}
	for _, part := range Parts(x) {
		t.expr(level+1, part)
	}
}

// kindOf is the word for a node of an expression, with its name or operator.
func kindOf(x Expr) string {
	switch n := x.(type) {
	case *Column:
		return "column"
	case *Param:
		return "parameter"
	case *Matched:
		return "matched"
	case *Variable:
		return "variable"
	case *Local:
		return "local"
	case *Number:
		return "number"
	case *Text:
		return "text"
	case *Array:
		return "array"
	case *Call:
		return "call " + n.head()
	case *Member:
		return "field " + n.Name.String()
	case *Index:
		return "index"
	case *Unary:
		return "operator " + n.Op
	case *Binary:
		return "operator " + n.Op
	}
	return "parentheses"
}
