package hint

import (
	"fmt"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
)

// Parse reads hints: declarations of columns and of parts of columns between
// commas, in Auto Loader's forms. Text without any is no hints. What a hint says
// of nulls does not hold, as with Spark's readers of files: see [Set.Required].
// Parts of whole types must agree with them. The error is a diagnostic or a [diag.List] of all that is wrong;
// each wraps a [*schema.DDLError], which has the place in the text.
func Parse(text string) (Set, error) {
	s := Set{Text: text}
	if strings.TrimSpace(text) == "" {
		return s, nil
	}
	list, err := schema.ParseColumns(text)
	if err != nil {
		return Set{}, mistake(err)
	}
	var r reader
	for _, d := range list {
		r.add(d)
	}
	for _, n := range r.root.fields {
		r.settle(n)
	}
	if len(r.problems) > 0 {
		return Set{}, r.problems.Err()
	}
	s.top, s.required = r.root.fields, r.required
	s.byName = make(map[string]*Node, len(s.top))
	for _, n := range s.top {
		s.byName[schema.Fold(n.Name)] = n
	}
	return s, nil
}

// reader makes a tree of declarations. While it reads, all parts of a node
// are in its fields.
type reader struct {
	root     Node
	required []string
	problems diag.List
}

// add takes in a declaration.
func (r *reader) add(d schema.Declared) {
	if len(d.Path) > schema.MaxNesting {
		r.problem(d, "found %d names, want %d at most", len(d.Path), schema.MaxNesting)
		return
	}
	n := &r.root
	for i, part := range d.Path {
		name := schema.TrimName(part)
		if name == "" {
			r.problem(d, "found a blank name, want one that a column can have")
			return
		}
		d.Path[i] = name
		n = n.child(name, d.At)
	}
	if d.NotNull {
		r.required = append(r.required, d.Path.String())
	}
	t, ok := r.typ(d, d.Path, d.Type)
	switch {
	case !ok:
	case n.Type == nil:
		d.Type = t
		n.Type, n.typed = t, d
	case !sameType(n.Type, t):
		d.Type = t
		r.conflict(n.typed, d)
	}
}

// child returns the part of a name, a new one if there is none yet.
func (n *Node) child(name string, at int) *Node {
	want := schema.Fold(name)
	for _, c := range n.fields {
		if schema.Fold(c.Name) == want {
			return c
		}
	}
	n.fields = append(n.fields, &Node{Name: name, At: at})
	return n.fields[len(n.fields)-1]
}

// typ returns a type as hints can give it, at a path: every part of it can hold
// values and may be null.
func (r *reader) typ(d schema.Declared, path schema.Path, t schema.Type) (schema.Type, bool) {
	if len(path) > schema.MaxNesting {
		r.problem(d, "found a type of more than %d levels, want one of fewer", schema.MaxNesting)
		return nil, false
	}
	switch t := t.(type) {
	case schema.Array:
		e, ok := r.typ(d, path.Child("element"), t.Element)
		return schema.Array{Element: e, ContainsNull: true}, ok
	case schema.Map:
		if !isKey(t.Key) {
			r.problem(d, "found %s as the keys of %s, want a type without parts", diag.Quote(t.Key.String()), path)
			return nil, false
		}
		k, ok1 := r.typ(d, path.Child("key"), t.Key)
		v, ok2 := r.typ(d, path.Child("value"), t.Value)
		return schema.Map{Key: k, Value: v, ValueContainsNull: true}, ok1 && ok2
	case schema.Struct:
		return r.structure(d, path, t)
	default:
		if t == schema.Unknown {
			r.problem(d, "found void, want a type that holds values for %s", path)
			return nil, false
		}
		return t, true
	}
}

func (r *reader) structure(d schema.Declared, path schema.Path, s schema.Struct) (schema.Type, bool) {
	out := schema.Struct{Fields: make([]schema.Field, 0, len(s.Fields))}
	for _, f := range s.Fields {
		name := schema.TrimName(f.Name)
		switch {
		case name == "":
			r.problem(d, "found a field of %s with a blank name, want one that a field can have", path)
			return nil, false
		case out.Lookup(name) >= 0:
			r.problem(d, "found field %s of %s twice, want it once", schema.Path{name}, path)
			return nil, false
		}
		if !f.Nullable {
			r.required = append(r.required, path.Child(name).String())
		}
		t, ok := r.typ(d, path.Child(name), f.Type)
		if !ok {
			return nil, false
		}
		out.Fields = append(out.Fields, schema.Field{Name: name, Type: t, Nullable: true})
	}
	if len(out.Fields) == 0 {
		r.problem(d, "found a struct without fields, want a type that holds values for %s", path)
		return nil, false
	}
	return out, true
}

// settle checks the parts of a node against its type, or says what they are
// parts of.
func (r *reader) settle(n *Node) {
	if n.Type != nil {
		for _, c := range n.fields {
			r.agree(n, c, partOf(n.Type, c.Name))
		}
		n.fields = nil
		return
	}
	for _, c := range n.fields {
		r.settle(c)
	}
	var element, key, value *Node
	for _, c := range n.fields {
		switch schema.Fold(c.Name) {
		case "element":
			element = c
		case "key":
			key = c
		case "value":
			value = c
		default:
			return // a struct
		}
	}
	if element == nil || len(n.fields) == 1 {
		n.element, n.key, n.value, n.fields = element, key, value, nil
	}
}

// agree compares what is hinted of a part, and of parts of it, with the type that
// the part has by the type of a whole; nil if that has no such part.
func (r *reader) agree(whole, part *Node, t schema.Type) {
	if part.Type != nil && (t == nil || !sameType(part.Type, t)) {
		r.conflict(whole.typed, part.typed)
		return
	}
	for _, c := range part.fields {
		r.agree(whole, c, partOf(t, c.Name))
	}
}

// partOf is the type of a part of a type, nil if there is no such part.
func partOf(t schema.Type, name string) schema.Type {
	folded := schema.Fold(name)
	switch t := t.(type) {
	case schema.Struct:
		if i := t.Lookup(name); i >= 0 {
			return t.Fields[i].Type
		}
	case schema.Array:
		if folded == "element" {
			return t.Element
		}
	case schema.Map:
		switch folded {
		case "key":
			return t.Key
		case "value":
			return t.Value
		}
	}
	return nil
}

// sameType reports whether types are the same but for the casing of names.
func sameType(a, b schema.Type) bool { return schema.Fold(a.String()) == schema.Fold(b.String()) }

// conflict is a problem of two declarations; the later one is told.
func (r *reader) conflict(a, b schema.Declared) {
	if a.At > b.At {
		a, b = b, a
	}
	says := func(d schema.Declared) string { return diag.Quote(d.Path.String() + " " + d.Type.String()) }
	r.problems.Add(mistake(&schema.DDLError{
		At:      b.At,
		Message: fmt.Sprintf("found %s, want what agrees with %s at character %d", says(b), says(a), a.At),
	}).Hinted("keep one of them"))
}

// problem is a problem of one declaration.
func (r *reader) problem(d schema.Declared, format string, args ...any) {
	r.problems.Add(mistake(&schema.DDLError{At: d.At, Message: fmt.Sprintf(format, args...)}))
}

// mistake is the diagnostic for a mistake in the text of hints.
func mistake(err error) *diag.Diagnostic {
	return diag.New(diag.BadOption, "%v", err).Because(err).
		Hinted(`write hints as "name TYPE, struct.field TYPE, array.element TYPE, map.value TYPE"`)
}
