package syntax_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/flow/syntax"
)

// gen makes random trees of all kinds of nodes, in the form in which Parse makes them:
// with parentheses only where they are written.
type gen struct {
	t *rapid.T
	// quiet is whether there are no comments.
	quiet bool
}

func (g gen) pick(n int) int { return rapid.IntRange(0, n-1).Draw(g.t, "pick") }

func (g gen) one(list ...string) string { return list[g.pick(len(list))] }

func (g gen) name() syntax.Name {
	text := g.one("a", "order_id", "name", "true", "ship region", "{note", "a}b", `c:\d\`, `\\}`, "", "Größe", "_x", "9lives", "match", "each(")
	return syntax.Name{Text: text, Braced: text == "true" || !plain(text) || g.pick(4) == 0}
}

func plain(text string) bool {
	for i, r := range text {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return text != ""
}

func (g gen) word() string { return g.one("alpha", "beta", "gamma", "delta_1", "zeta") }

func (g gen) plainName() syntax.Name { return syntax.Name{Text: g.word()} }

func (g gen) comments() []syntax.Comment {
	if g.quiet {
		return nil
	}
	switch g.pick(8) {
	case 0:
		return []syntax.Comment{{Text: "// to the end"}}
	case 1:
		return []syntax.Comment{{Text: "/* one */"}, {Text: "/* two\n lines */"}}
	}
	return nil
}

// operators that bind alike, from loose to tight; "?" is a cast.
func (g gen) operators() [][]string {
	return [][]string{{"->"}, {"?"}, {"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!=", "===", "<=>"}, {"<", "<=", ">", ">="}, {"+", "-"}, {"*", "/", "%"}}
}

// expr makes an expression whose operators bind at least so tight.
func (g gen) expr(depth, least int) syntax.Expr {
	if depth <= 0 || g.pick(3) == 0 {
		return g.operand(depth - 1)
	}
	levels := g.operators()
	if least >= len(levels) {
		return g.operand(depth - 1)
	}
	level := least + g.pick(len(levels)-least)
	x := g.expr(depth-1, level)
	if levels[level][0] == "?" {
		return &syntax.Cast{X: x, Type: g.typed(2)}
	}
	return &syntax.Binary{Op: g.one(levels[level]...), X: x, Y: g.expr(depth-1, level+1)}
}

// operand makes what stands between operators.
func (g gen) operand(depth int) syntax.Expr {
	x := g.unnoted(depth)
	if notes := g.comments(); notes != nil && depth > 0 {
		return &syntax.Noted{Comments: notes, X: x}
	}
	return x
}

func (g gen) unnoted(depth int) syntax.Expr {
	if depth <= 0 {
		return g.leaf()
	}
	switch g.pick(12) {
	case 0:
		return &syntax.Unary{Op: g.one("!", "-"), X: g.operand(depth - 1)}
	case 1:
		return &syntax.Member{X: g.postfix(depth), Name: g.name()}
	case 2:
		return &syntax.Index{X: g.postfix(depth), I: g.expr(depth-1, 0)}
	}
	return g.postfix(depth - 1)
}

// postfix makes what may have an index behind it.
func (g gen) postfix(depth int) syntax.Expr {
	if depth <= 0 {
		return g.leaf()
	}
	switch g.pick(7) {
	case 0:
		return &syntax.Paren{X: g.expr(depth-1, 0)}
	case 1:
		return &syntax.Array{Items: g.exprs(depth - 1)}
	case 2:
		return &syntax.Struct{Args: g.args(depth-1, g.assign)}
	case 3:
		return &syntax.Call{Name: g.plainName(), Args: g.exprs(depth - 1)}
	case 4:
		return &syntax.Call{Cache: syntax.Name{Text: "cache"}, Name: syntax.Name{Text: "lookup"}, Args: g.exprs(depth - 1)}
	case 5:
		return &syntax.Interpolated{Parts: []syntax.Part{{Raw: g.one("a ", `x \{ y\" `)}, {X: g.expr(depth-1, 0)}, {Raw: "}\n"}}}
	}
	return g.leaf()
}

func (g gen) leaf() syntax.Expr {
	switch g.pick(8) {
	case 0:
		return &syntax.Param{Name: g.word()}
	case 1:
		return &syntax.Matched{Group: g.pick(4) - 1}
	case 2:
		return &syntax.Variable{Name: g.one("item", "index_1", "acc")}
	case 3:
		return &syntax.Local{Name: g.word()}
	case 4:
		return &syntax.Number{Text: g.one("0", "12L", "1.5", "2.5e-3", "0xfF", "123.45f", "0022")}
	case 5:
		return &syntax.Text{Quote: '\'', Raw: g.one("", `it\'s`, `"{x}"`, "two\nlines", "// no comment", `\\`)}
	case 6:
		return &syntax.Text{Quote: '`', Raw: g.one(`(\d+)'"`, "")}
	}
	col := &syntax.Column{Name: g.name()}
	for range g.pick(3) {
		col.Streams = append(col.Streams, g.plainName())
	}
	return col
}

func (g gen) exprs(depth int) []syntax.Expr {
	var out []syntax.Expr
	for range g.pick(4) {
		out = append(out, g.expr(depth, 0))
	}
	return out
}

func (g gen) typed(depth int) *syntax.Type {
	dims := g.pick(4) % 3
	if depth > 0 {
		switch g.pick(4) {
		case 0:
			return &syntax.Type{Fields: g.fields(depth - 1), Dims: dims}
		case 1:
			return &syntax.Type{Key: g.typed(depth - 1), Value: g.typed(depth - 1), Dims: dims}
		}
	}
	if g.pick(3) == 0 {
		return &syntax.Type{Base: "decimal", Params: []string{"18", "2"}, Dims: dims}
	}
	return &syntax.Type{Base: g.one("string", "integer", "timestamp"), Dims: dims}
}

func (g gen) fields(depth int) []syntax.Field {
	var out []syntax.Field
	for range 1 + g.pick(2) {
		f := syntax.Field{Name: g.name(), Type: g.typed(depth)}
		if g.pick(4) == 0 {
			f.Format = &syntax.Text{Quote: '\'', Raw: "yyyy-MM-dd"}
		}
		f.Lead, f.Trail = g.comments(), g.comments()
		out = append(out, f)
	}
	return out
}

func (g gen) assign(depth int) syntax.Node {
	return &syntax.Assign{Target: g.target(depth), Value: g.expr(depth, 0)}
}

// target is a name that is given; comments before it are its argument's.
func (g gen) target(depth int) syntax.Expr {
	return &syntax.Binary{Op: "+", X: &syntax.Matched{Group: -1}, Y: g.expr(depth-1, 10)}
}

func (g gen) args(depth int, node func(int) syntax.Node) syntax.Args {
	var out syntax.Args
	for range 1 + g.pick(3) {
		out.List = append(out.List, syntax.Arg{Lead: g.comments(), Trail: g.comments(), Node: node(depth)})
	}
	out.End = g.comments()
	return out
}

func (g gen) node(depth int) syntax.Node {
	switch g.pick(5) {
	case 0:
		return &syntax.Option{Name: syntax.Name{Text: "zeta"}, Value: g.expr(depth, 0)}
	case 1:
		e := &syntax.Each{Matcher: g.one("match", "patternMatch"), Cond: g.expr(depth, 0)}
		if g.pick(2) == 0 {
			e.Path = &syntax.Column{Name: syntax.Name{Text: "s"}}
		}
		if g.pick(2) == 0 {
			e.Pairs = g.args(depth-1, g.assign)
		}
		return e
	case 2:
		return &syntax.Schema{Name: syntax.Name{Text: g.one("output", "input")}, Columns: g.fields(depth - 1), End: g.comments()}
	case 3:
		return &syntax.Clause{Name: syntax.Name{Text: g.one("mapColumn", "groupBy", "over", "asc")}, Args: g.args(depth-1, g.assign)}
	}
	return g.assign(depth)
}

func (g gen) script() *syntax.Script {
	s := &syntax.Script{}
	if g.pick(3) == 0 {
		s.Parameters = &syntax.Parameters{Lead: g.comments(), List: []syntax.Parameter{
			{Lead: g.comments(), Trail: g.comments(), Name: syntax.Name{Text: "p"}, Type: g.typed(1), Default: g.expr(2, 0)},
			{Lead: g.comments(), Trail: g.comments(), Name: syntax.Name{Text: "q"}, Type: g.typed(1)},
		}, End: g.comments()}
	}
	for i := range 1 + g.pick(3) {
		st := &syntax.Statement{Verb: syntax.Name{Text: g.word()}, Output: syntax.Name{Text: fmt.Sprintf("s%d", i)}, Trail: g.comments(), Lead: g.comments()}
		for range g.pick(3) {
			st.Inputs = append(st.Inputs, syntax.Stream{Name: g.plainName()})
		}
		st.Args = g.args(3, g.node)
		s.Statements = append(s.Statements, st)
	}
	s.End = g.comments()
	return s
}

// What is printed reads as the tree that was printed.
func TestPrintedReadsTheSame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		made := gen{rt, true}.script()
		printed := syntax.Format(made)
		read, err := syntax.Read(syntax.NewFile("made.dfs", printed))
		if err != nil {
			rt.Fatalf("%v\n%s", err, printed)
		}
		same(rt, made, read)
	})
}

// No comment gets lost. Those that stand where the tree has no room for them move, once:
// what is printed then reads and prints the same.
func TestCommentsAreKept(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		printed := syntax.Format(gen{t: rt}.script())
		first, err := syntax.Read(syntax.NewFile("made.dfs", printed))
		if err != nil {
			rt.Fatalf("%v\n%s", err, printed)
		}
		text := syntax.Format(first)
		second, err := syntax.Read(syntax.NewFile("made.dfs", text))
		if err != nil {
			rt.Fatalf("%v\n%s", err, text)
		}
		same(rt, first, second)
		for _, mark := range []string{"// to the end", "/* one */", "lines */"} {
			if got, want := strings.Count(text, mark), strings.Count(printed, mark); got != want {
				rt.Fatalf("found %d comments %s, want %d\n%s\nprinted from\n%s", got, mark, want, text, printed)
			}
		}
	})
}
