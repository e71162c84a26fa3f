// Package revise changes scripts of data flows as the service's editor does: it puts a
// transformation between others, and gives a source another projection. All else in a
// script stays as it is, byte for byte.
package revise

import (
	"fmt"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
	"landfall/internal/schema"
)

// MapDrifted is the derive by which drifted columns of a source become columns that can
// be named: each is looked up by its name and converted to its type. It returns the
// derive, and the script with it between the source and those that take its rows.
func MapDrifted(f *syntax.File, s *syntax.Script, source string, drifted []schema.Field) (derive, script string, err error) {
	st := statement(s, source)
	if st == nil {
		return "", "", missing(f, s, source)
	}
	name := free(s, "MapDrifted")
	var lines []string
	for _, c := range drifted {
		x, err := lookup(c)
		if err != nil {
			return "", "", err
		}
		lines = append(lines, column(c.Name)+" = "+x)
	}
	derive, err = laidOut(fmt.Sprintf("%s derive(%s) ~> %s", source, strings.Join(lines, ", "), name), source)
	if err != nil {
		return "", "", err
	}
	edits := []edit{{at: end(st), to: end(st), text: "\n" + derive}}
	for _, other := range s.Statements {
		for _, in := range other.Inputs {
			if in.Name.Text == source && in.Branch.Text == "" {
				at := int(in.Name.At)
				edits = append(edits, edit{at: at, to: at + len(source), text: name})
			}
		}
	}
	return derive, apply(f.Text, edits), nil
}

// laidOut is a transformation of a source in the layout of exports.
func laidOut(text, source string) (string, error) {
	s, err := syntax.Parse(syntax.NewFile("derive", "source() ~> "+source+"\n"+text))
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(syntax.Format(&syntax.Script{Statements: s.Statements[1:]}), "\n"), nil
}

// Project gives a source the projection of columns.
func Project(f *syntax.File, s *syntax.Script, source string, columns []schema.Field) (script string, err error) {
	st := statement(s, source)
	if st == nil {
		return "", missing(f, s, source)
	}
	list := &syntax.Schema{Name: syntax.Name{Text: "output"}}
	for _, c := range columns {
		list.Columns = append(list.Columns, syntax.Field{Name: nameOf(c.Name), Type: typeOf(c.Type)})
	}
	changed := *st
	changed.Lead, changed.Trail = nil, nil
	changed.Args.List = slices.Clone(st.Args.List)
	at := slices.IndexFunc(changed.Args.List, func(a syntax.Arg) bool {
		old, ok := a.Node.(*syntax.Schema)
		return ok && old.Name.Text == "output"
	})
	if at >= 0 {
		changed.Args.List[at].Node = list
	} else {
		changed.Args.List = slices.Insert(changed.Args.List, 0, syntax.Arg{Node: list})
	}
	text := strings.TrimSuffix(syntax.Format(&syntax.Script{Statements: []*syntax.Statement{&changed}}), "\n")
	return apply(f.Text, []edit{{at: int(st.At), to: end(st), text: text}}), nil
}

// statement is the one that makes a stream; nil for none.
func statement(s *syntax.Script, name string) *syntax.Statement {
	for _, st := range s.Statements {
		if st.Output.Text == name && st.Verb.Text == "source" {
			return st
		}
	}
	return nil
}

func missing(f *syntax.File, s *syntax.Script, source string) error {
	var names []string
	for _, st := range s.Statements {
		if st.Verb.Text == "source" {
			names = append(names, st.Output.Text)
		}
	}
	d := diag.New(diag.Usage, "found no source %s in the flow", diag.Quote(source)).In(diag.Place{File: f.Name})
	if near := diag.Nearest(source, names); near != "" {
		return d.Hinted("did you mean %s?", near)
	}
	return d.Hinted("sources are %s", strings.Join(names, ", "))
}

// end is the place behind a statement without branches.
func end(st *syntax.Statement) int { return int(st.Output.At) + len(st.Output.Text) }

// free is a name that no stream has: that of a kind with a number.
func free(s *syntax.Script, kind string) string {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s%d", kind, n)
		if !slices.ContainsFunc(s.Statements, func(st *syntax.Statement) bool { return st.Output.Text == name }) {
			return name
		}
	}
}

// edit puts a text in the place of what stands from at up to to.
type edit struct {
	at, to int
	text   string
}

func apply(text string, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.at - b.at })
	var b strings.Builder
	done := 0
	for _, e := range edits {
		b.WriteString(text[done:e.at])
		b.WriteString(e.text)
		done = e.to
	}
	b.WriteString(text[done:])
	return b.String()
}

// lookup finds a column by its name and converts it to its type.
func lookup(c schema.Field) (string, error) {
	byName := "byName(" + quote(c.Name) + ")"
	if d, ok := c.Type.(schema.Decimal); ok {
		return fmt.Sprintf("toDecimal(%s, %d, %d)", byName, d.Precision, d.Scale), nil
	}
	functions := map[schema.Type]string{
		schema.Boolean: "toBoolean", schema.Byte: "toByte", schema.Short: "toShort", schema.Integer: "toInteger", schema.Long: "toLong",
		schema.Float: "toFloat", schema.Double: "toDouble", schema.String: "toString", schema.Date: "toDate", schema.Timestamp: "toTimestamp",
		schema.TimestampNTZ: "toTimestamp", schema.Binary: "toBinary",
	}
	if _, nested := c.Type.(schema.Primitive); nested {
		if name, ok := functions[c.Type]; ok {
			return name + "(" + byName + ")", nil
		}
	}
	if strings.Contains(c.Name, "}") {
		return "", diag.New(diag.FlowRefused, "found column %s, whose name no script can write", diag.Quote(c.Name)).Hinted("rename it where the file is made")
	}
	return byName + " ? " + typeOf(c.Type).String(), nil
}

// column writes the name of a column.
func column(name string) string { return nameOf(name).String() }

// nameOf is a name, in braces unless it is a letter with letters, digits and _ behind it.
func nameOf(name string) syntax.Name {
	plain := name != ""
	for i, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		plain = plain && (letter || i > 0 && (r == '_' || r >= '0' && r <= '9'))
	}
	return syntax.Name{Text: name, Braced: !plain}
}

func quote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}
