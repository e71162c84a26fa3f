package lint

import (
	"maps"
	"slices"
	"strings"

	"landfall/internal/flow/syntax"
)

// columns is what a script alone says of the columns of a stream.
type columns struct {
	// defined are those that expressions may name.
	defined map[string]bool
	// drift is whether others may come with them, raw whether those have the names of files.
	drift, raw bool
	// unsure is whether there are names that only a run works out: a name that is not
	// defined may still be there.
	unsure bool
}

func (c columns) names() []string { return slices.Sorted(maps.Keys(c.defined)) }

func (c columns) copy() columns {
	c.defined = maps.Clone(c.defined)
	if c.defined == nil {
		c.defined = map[string]bool{}
	}
	return c
}

// has tells whether a name is defined, whatever its casing.
func (c columns) has(name string) bool {
	if c.defined[name] {
		return true
	}
	for known := range c.defined {
		if strings.EqualFold(known, name) {
			return true
		}
	}
	return false
}

func (c columns) with(others ...columns) columns {
	out := c.copy()
	for _, o := range others {
		maps.Copy(out.defined, o.defined)
		out.drift, out.raw, out.unsure = out.drift || o.drift, out.raw || o.raw, out.unsure || o.unsure
	}
	return out
}

// input are the columns of an input of a transformation.
func (l *linter) input(st *syntax.Statement, i int) columns {
	if i >= len(st.Inputs) {
		return columns{unsure: true}
	}
	return l.stream(st.Inputs[i].Name.Text)
}

// stream are the columns that leave a transformation.
func (l *linter) stream(name string) columns {
	if c, ok := l.known[name]; ok {
		return c
	}
	st := l.streams[name]
	if st == nil || l.busy[name] {
		return columns{unsure: true}
	}
	l.busy[name] = true
	c := l.leaves(st)
	l.busy[name] = false
	l.known[name] = c
	return c
}

// leaves works out what leaves a transformation.
func (l *linter) leaves(st *syntax.Statement) columns {
	in := l.input(st, 0)
	switch st.Verb.Text {
	case "source", "input":
		return l.projected(st)
	case "join", "lookup", "union":
		for i := 1; i < len(st.Inputs); i++ {
			in = in.with(l.input(st, i))
		}
		return in
	case "derive", "window", "parse", "stringify":
		return in.assigned(st.Args)
	case "rank", "keyGenerate":
		return in.declared(st)
	case "select", "foldDown":
		if c := clause(st, "mapColumn"); c != nil {
			return in.mapped(c.Args)
		}
		return in
	case "aggregate", "pivot", "unpivot":
		return in.grouped(st)
	case "call":
		out := in.declared(st)
		out.unsure = true
		return out
	}
	return in
}

// projected are the columns of a source.
func (l *linter) projected(st *syntax.Statement) columns {
	out := columns{drift: on(st, "allowSchemaDrift") && !on(st, "useSchema")}
	out.raw = out.drift
	out = out.declared(st)
	if _, ok := projection(st); !ok {
		d, _ := l.flow.Dataset(st.Output.Text)
		for _, c := range d.Schema {
			out.defined[c.Name] = true
		}
		out.unsure = len(d.Schema) == 0 && !out.drift
	}
	if x, _ := option(st, "rowUrlColumn"); x != nil {
		if t, ok := x.(*syntax.Text); ok {
			out.defined[t.Value()] = true
		} else {
			out.unsure = true
		}
	}
	if x, _ := option(st, "partitionRootPath"); x != nil {
		out.unsure = true // folders are columns
	}
	return out
}

// declared adds the columns that a transformation declares.
func (c columns) declared(st *syntax.Statement) columns {
	out := c.copy()
	fields, _ := projection(st)
	for _, f := range fields {
		out.defined[f.Name.Text] = true
	}
	return out
}

// staticName is the name that the left side of an assignment always means.
func staticName(x syntax.Expr) (string, bool) {
	switch x := x.(type) {
	case *syntax.Column:
		return x.Name.Text, len(x.Streams) == 0
	case *syntax.Text:
		return x.Value(), true
	case *syntax.Member:
		return staticName(x.X) // a field of a column that is there
	case *syntax.Noted:
		return staticName(x.X)
	}
	return "", false
}

// assigned adds the columns that assignments and patterns make.
func (c columns) assigned(args syntax.Args) columns {
	out := c.copy()
	for _, a := range args.List {
		switch n := a.Node.(type) {
		case *syntax.Assign:
			if name, ok := staticName(n.Target); ok {
				out.defined[name] = true
			} else if _, local := n.Target.(*syntax.Local); !local {
				out.unsure = true
			}
		case *syntax.Each:
			out.unsure = out.unsure || !keepsNames(n)
		}
	}
	return out
}

// keepsNames tells whether a pattern writes to the columns that it matches alone.
func keepsNames(e *syntax.Each) bool {
	for _, p := range e.Pairs.List {
		n, ok := p.Node.(*syntax.Assign)
		if !ok {
			return false
		}
		if m, is := n.Target.(*syntax.Matched); !is || m.Group > 0 {
			return false
		}
	}
	return true
}

// grouped are the columns of an aggregate, pivot or unpivot: keys and what is assigned.
func (c columns) grouped(st *syntax.Statement) columns {
	out := columns{defined: map[string]bool{}, unsure: st.Verb.Text != "aggregate"}
	for _, name := range []string{"groupBy", "ungroupBy"} {
		if g := clause(st, name); g != nil {
			out = out.keys(g.Args)
		}
	}
	if st.Verb.Text == "unpivot" {
		return out.declared(st)
	}
	if st.Verb.Text == "pivot" {
		return out // its columns have the names of values
	}
	out = out.assigned(st.Args)
	for _, a := range st.Args.List {
		if e, ok := a.Node.(*syntax.Each); ok {
			out.drift, out.raw, out.unsure = c.drift, c.raw, true
			if everyName(e) && keepsNames(e) {
				maps.Copy(out.defined, c.defined)
			}
		}
	}
	return out
}

// keys adds the columns that rows are grouped by.
func (c columns) keys(args syntax.Args) columns {
	out := c.assigned(args)
	for _, a := range args.List {
		if v, ok := a.Node.(*syntax.Value); ok {
			out.unsure = out.unsure || !out.take(v.X)
		}
	}
	return out
}

// take adds the column that an entry of a mapping hands on under its own name.
func (c columns) take(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.Column:
		c.defined[x.Name.Text] = true
		return true
	case *syntax.Member:
		c.defined[x.Name.Text] = true
		return true
	case *syntax.Index:
		return c.take(x.X)
	case *syntax.Noted:
		return c.take(x.X)
	}
	return false
}

// mapped are the columns that a mapping lets through.
func (c columns) mapped(args syntax.Args) columns {
	out := columns{defined: map[string]bool{}, unsure: false}
	for _, a := range args.List {
		switch n := a.Node.(type) {
		case *syntax.Value:
			out.unsure = out.unsure || !out.take(n.X)
		case *syntax.Assign:
			if name, ok := staticName(n.Target); ok {
				out.defined[name] = true
			} else {
				out.unsure = true
			}
		case *syntax.Each:
			out = c.ruled(out, n)
		}
	}
	return out
}

// ruled adds what a rule lets through.
func (c columns) ruled(out columns, e *syntax.Each) columns {
	if e.Path != nil {
		out.unsure = true
		return out
	}
	out.drift = out.drift || c.drift
	if !everyName(e) {
		out.raw, out.unsure = out.raw || c.raw && !renames(e), true
		return out
	}
	out.unsure = out.unsure || c.unsure
	switch from, to, ok := replaced(e); {
	case ok:
		for name := range c.defined {
			out.defined[strings.ReplaceAll(name, from, to)] = true
		}
		out.raw = out.raw || c.raw && from != " "
	case renames(e):
		out.unsure = true
	default:
		maps.Copy(out.defined, c.defined)
		out.raw = out.raw || c.raw
	}
	return out
}

// renames tells whether a rule gives other names.
func renames(e *syntax.Each) bool { return !keepsNames(e) }

// replaced is what a rule of the form replace($$, 'from', 'to') = $$ does to names.
func replaced(e *syntax.Each) (from, to string, ok bool) {
	if len(e.Pairs.List) != 1 {
		return "", "", false
	}
	n, ok := e.Pairs.List[0].Node.(*syntax.Assign)
	if !ok {
		return "", "", false
	}
	call, ok := n.Target.(*syntax.Call)
	if !ok || call.Name.Text != "replace" || call.Cache.Text != "" || len(call.Args) < 2 || len(call.Args) > 3 {
		return "", "", false
	}
	if m, is := call.Args[0].(*syntax.Matched); !is || m.Group > 0 {
		return "", "", false
	}
	texts := []string{}
	for _, x := range call.Args[1:] {
		t, is := x.(*syntax.Text)
		if !is {
			return "", "", false
		}
		texts = append(texts, t.Value())
	}
	return texts[0], strings.Join(texts[1:], ""), true
}
