package transform

import (
	"slices"

	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
)

// upTo is the part of a script that a transformation needs: so it can be looked at while
// others are wrong. Sinks that hold looked up values are needed by all.
func upTo(f *syntax.File, s *syntax.Script, at string) (*syntax.Script, error) {
	made := map[string]*syntax.Statement{}
	var names []string
	for _, st := range s.Statements {
		made[st.Output.Text] = st
		if len(st.Branches) == 0 {
			names = append(names, st.Output.Text)
		}
		for _, b := range st.Branches {
			names = append(names, st.Output.Text+"@"+b.Text)
		}
	}
	if !slices.Contains(names, at) {
		return nil, noStream(f.Name, at, names)
	}
	needed := map[*syntax.Statement]bool{}
	var need func(st *syntax.Statement)
	need = func(st *syntax.Statement) {
		if st == nil || needed[st] {
			return
		}
		needed[st] = true
		for _, in := range st.Inputs {
			need(made[in.Name.Text])
		}
	}
	for _, st := range s.Statements {
		own := st.Output.Text == at || slices.ContainsFunc(st.Branches, func(b syntax.Name) bool { return st.Output.Text+"@"+b.Text == at })
		if own || holds(st) {
			need(st)
		}
	}
	part := *s
	part.Statements = slices.DeleteFunc(slices.Clone(s.Statements), func(st *syntax.Statement) bool { return !needed[st] })
	return &part, nil
}

// holds tells whether a transformation is a sink that others look values up in.
func holds(st *syntax.Statement) bool {
	return slices.ContainsFunc(st.Args.List, func(a syntax.Arg) bool {
		o, ok := a.Node.(*syntax.Option)
		if !ok || o.Name.Text != "store" {
			return false
		}
		text, ok := o.Value.(*syntax.Text)
		return ok && text.Value() == "cache"
	})
}

// noStream says that a flow has no stream of a name.
func noStream(file, name string, names []string) error {
	d := diag.New(diag.Usage, "found no stream %s in the flow", diag.Quote(name)).In(diag.Place{File: file})
	if near := diag.Nearest(name, names); near != "" {
		return d.Hinted("did you mean %s?", near)
	}
	return d.Hinted("streams are %s", joined(names))
}
