package evolution

import (
	"cmp"
	"fmt"
	"slices"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/hint"
	"landfall/internal/inference"
	"landfall/internal/schema"
)

// typeColumns gives the new columns their types, and grows those that stand.
func (e *evolution) typeColumns() error {
	for at := range e.index.Columns {
		c := &e.index.Columns[at]
		h := e.hintOn(*c)
		file, foldered := e.foldered[at]
		if c.Retired || e.left[at] || c.Type != "" && e.sights[at] == nil && h == nil && !foldered {
			continue
		}
		g := growth{evolution: e, column: at}
		if c.Type == "" {
			t := h.Apply(e.plain(g.inferUnder(h, c.Path(), e.sights[at])))
			if t == schema.Unknown && foldered {
				t = schema.String // as of a column that a folder brings
			}
			c.Hinted = h != nil
			c.SetType(g.stored(c.Path(), t, c.File))
			continue
		}
		t, err := c.SchemaType()
		if err != nil {
			return err
		}
		var table schema.Type
		if i := (schema.Struct{Fields: e.table}).Lookup(c.Name); i >= 0 {
			table = e.table[i].Type
		}
		grown := g.grow(c.Path(), t, table, e.sights[at], h)
		if grown == schema.Unknown && foldered {
			grown = schema.String
			e.noteOf(*c, event.ColumnAdded, "add", event.Drift{File: file, From: t.String(), To: grown.String()})
		}
		if grown.String() != c.Type {
			c.Hinted = c.Hinted || h != nil
			c.SetType(grown)
		}
	}
	return nil
}

// growth grows the type of one column.
type growth struct {
	*evolution
	column int
	// closed is set below the key and value of a map that the table has: no
	// struct gains a field there, since not every reader can read files that
	// lack it.
	closed bool
}

// infer returns the type of what is new at a path, with the names of the files.
func (g growth) infer(path schema.Path, s *inference.Sight) schema.Type {
	if s == nil {
		return schema.Unknown
	}
	m := g.policy.Method()
	m.Room, m.Full = &g.room, g.overflow
	return m.Infer(s, len(path)-1)
}

// inferUnder is infer where a hint follows. A hinted struct has the fields of the
// objects, even where too few of the values are objects for them to agree.
func (g growth) inferUnder(h *hint.Node, path schema.Path, s *inference.Sight) schema.Type {
	t := g.infer(path, s)
	if h != nil && s != nil && s.Own.Objects.Count > 0 && shape(t) != "struct" && shape(h.Apply(schema.Unknown)) == "struct" {
		m := g.policy.Method()
		m.Room, m.Full = &g.room, g.overflow
		return m.Objects(s, len(path)-1)
	}
	return t
}

// guess is the type that what is not taken up would have at a path.
func (g growth) guess(path schema.Path, s *inference.Sight) schema.Type {
	return g.policy.Method().Infer(s, len(path)-1)
}

// grow returns a standing type with what is new in it. table is the type that
// the table has there, nil for none.
func (g growth) grow(path schema.Path, t, table schema.Type, s *inference.Sight, h *hint.Node) schema.Type {
	if t == schema.Unknown {
		return g.first(path, table, s, h)
	}
	if g.held(path, t, h) {
		h = nil
	}
	if s == nil && h == nil {
		return t
	}
	switch t := t.(type) {
	case schema.Struct:
		return g.structure(path, t, table, s, h)
	case schema.Array:
		have, _ := table.(schema.Array)
		if s != nil {
			s = s.Elements()
		}
		t.Element = g.grow(path.Child("element"), t.Element, have.Element, s, h.Part("element"))
		return t
	case schema.Map:
		have, _ := table.(schema.Map)
		var keys *inference.Sight
		if s != nil {
			keys, s = s.Key, s.Values()
		}
		if _, stored := schema.Storable(t); stored {
			g.closed = true
		}
		t.Key = g.grow(path.Child("key"), t.Key, nil, keys, h.Part("key"))
		t.Value = g.grow(path.Child("value"), t.Value, have.Value, s, h.Part("value"))
		return t
	default:
		return t
	}
}

// first gives a type to what has none so far, under any policy: it is known.
func (g growth) first(path schema.Path, table schema.Type, s *inference.Sight, h *hint.Node) schema.Type {
	if g.closed && table == nil {
		g.keepOut(path, s, h)
		return schema.Unknown
	}
	t, decision := table, "adopt"
	if t == nil {
		if decision = "add"; h != nil && (s == nil || s.Objects == 0) {
			decision = "hint"
		}
		t = g.stored(path, h.Apply(g.plain(g.inferUnder(h, path, s))), g.index.Columns[g.column].File)
	}
	if t == schema.Unknown {
		return t
	}
	d := event.Drift{From: schema.Unknown.String(), To: t.String()}
	if s != nil {
		d.File, d.Record, d.Count = s.File, s.Record, s.Objects
	}
	g.noteAt(path, event.ColumnAdded, decision, d)
	return t
}

// keepOut notes what stays without a type, since it is in a map.
func (g growth) keepOut(path schema.Path, s *inference.Sight, h *hint.Node) {
	if h != nil {
		g.hold(path, schema.Unknown, h.Apply(schema.Unknown))
	}
	if s == nil {
		return
	}
	if t := g.guess(path, s); t != schema.Unknown {
		g.noteAt(path, event.ColumnAdded, g.spill(), event.Drift{
			From: schema.Unknown.String(), To: t.String(), File: s.File, Record: s.Record, Count: s.Objects,
		})
	}
}

// structure grows a struct by the members that its objects have.
func (g growth) structure(path schema.Path, t schema.Struct, table schema.Type, s *inference.Sight, h *hint.Node) schema.Type {
	have, _ := table.(schema.Struct)
	names, fields := contract.FieldsOf(t, g.policy), slices.Clone(t.Fields)
	var added []fresh
	met := make([]bool, len(fields))
	came := make(map[string]string)
	var members []*inference.Sight
	if s != nil {
		members = s.Members
		if s.Own.Overflow > 0 {
			g.overflow(s.File)
		}
	}
	for _, m := range members {
		folded := schema.Fold(m.Name())
		at, why := names.Find(m.Name())
		switch {
		case why == contract.WhyCase:
			g.otherCasing(path.Child(names.Spelling(m.Name())), m, g.lost())
		case g.policy.CaseSensitive && at < 0 && g.other(m, came[folded], h) != "":
			g.otherCasing(path.Child(g.other(m, came[folded], h)), m, g.lost())
		case at >= 0:
			met[at] = true
			f := &fields[at]
			original, _ := schema.Original(*f)
			below := path.Child(original)
			g.otherCasing(below, m, "fold")
			f.Type = g.grow(below, f.Type, typeIn(have, f.Name), m, h.Part(original))
		default:
			if f, ok := g.member(path.Child(m.Name()), have, m, h.Part(m.Name())); ok {
				came[folded] = f.Name
				added = append(added, f)
			}
		}
	}
	for i, f := range fields {
		if original, _ := schema.Original(f); !met[i] {
			fields[i].Type = g.grow(path.Child(original), f.Type, typeIn(have, f.Name), nil, h.Part(original))
		}
	}
	added = append(added, g.hinted(path, names, came, h)...)
	taken := make(map[string]bool, len(fields)+len(have.Fields))
	for _, f := range slices.Concat(fields, have.Fields) {
		taken[schema.Fold(f.Name)] = true
	}
	return schema.Struct{Fields: append(fields, g.name(path, added, taken)...)}
}

// fresh is a new field. Unless the table gave it its name, that is the original.
type fresh struct {
	schema.Field
	given bool
	file  string
}

// other is the spelling of a new field that casings of its name are not: that of
// one which came before, or that of a hint. It is "" if there is none or if the
// member has it.
func (g growth) other(m *inference.Sight, came string, h *hint.Node) string {
	if name := cmp.Or(came, h.Part(m.Name()).Spelling()); name != m.Name() {
		return name
	}
	return ""
}

// typeIn is the type of a table's field, nil if there is none.
func typeIn(s schema.Struct, name string) schema.Type {
	if i := s.Lookup(name); i >= 0 {
		return s.Fields[i].Type
	}
	return nil
}

// member treats a member that no field stands for; its field has the original
// name yet, unless the table has it.
func (g growth) member(path schema.Path, have schema.Struct, m *inference.Sight, h *hint.Node) (f fresh, ok bool) {
	d := event.Drift{File: m.Casings[0].File, Record: m.Casings[0].Record, Count: m.Casings[0].Objects}
	for _, theirs := range have.Fields {
		if original, _ := schema.Original(theirs); schema.Fold(original) == schema.Fold(m.Name()) {
			d.To = theirs.Type.String()
			g.noteAt(path, event.ColumnAdded, "adopt", d)
			g.room--
			return fresh{Field: theirs, given: true}, true
		}
	}
	action, rule := g.policy.ActionOf(event.ColumnAdded, path.String())
	decision := "add"
	switch {
	case g.stood == 0 || action == "add":
		action = "add"
	case h != nil:
		action, decision = "add", "hint"
	}
	if action == "add" && g.closed {
		action = g.spill()
	}
	if action == "add" && g.room <= 0 {
		g.overflow(d.File)
		return f, false
	}
	if action != "add" {
		d.To = g.guess(path, m).String()
		g.noteAt(path, event.ColumnAdded, action, d)
		if action == "fail" {
			g.failNew(path, d.File, rule)
		}
		return f, false
	}
	g.room--
	t := h.Apply(g.inferUnder(h, path, m))
	if t == schema.Unknown && g.policy.Rules.DropAllNull {
		g.room++
		return f, false
	}
	name := cmp.Or(h.Spelling(), m.Name())
	path = path.Parent().Child(name)
	f = fresh{file: d.File, Field: schema.Field{Name: name, Type: g.stored(path, t, d.File), Nullable: true}}
	d.To = f.Type.String()
	g.noteAt(path, event.ColumnAdded, decision, d)
	g.otherCasing(path, m, "fold")
	return f, true
}

// failNew collects the failure that a policy wants for what is new.
func (e *evolution) failNew(path schema.Path, file, rule string) {
	set := "column_added to add"
	if rule == contract.FailOnNewColumns {
		set = "cloudFiles.schemaEvolutionMode to " + contract.AddNewColumns
	}
	title := path[len(path)-1]
	if len(path) > 1 {
		title = path.String()
	}
	e.fail(event.ColumnAdded, path.String(), file, fmt.Sprintf("column %s is new", diag.Quote(title)),
		"take it up with landfall schema approve, or set "+set+" to take up all; or move the file out of the source")
}

// otherCasing notes the spellings of a member that are not the field's.
func (g growth) otherCasing(path schema.Path, m *inference.Sight, decision string) {
	for _, c := range m.Casings {
		original := path[len(path)-1]
		if c.Name == original {
			continue
		}
		d := event.Drift{File: c.File, Record: c.Record, Count: c.Objects, From: original, To: c.Name}
		text := path.String()
		if action, _ := g.policy.ActionOf(event.ColumnRecased, text); action == "fail" {
			decision = action
			g.fail(event.ColumnRecased, text, c.File, fmt.Sprintf("found %s, want %s", diag.Quote(c.Name), diag.Quote(original)),
				"set column_recased to fold to take it for the same column")
		}
		g.noteAt(path, event.ColumnRecased, decision, d)
	}
}

// stored returns a type with stored names for those of the files.
func (g growth) stored(path schema.Path, t schema.Type, file string) schema.Type {
	switch t := t.(type) {
	case schema.Array:
		t.Element = g.stored(path.Child("element"), t.Element, file)
		return t
	case schema.Map:
		t.Key = g.stored(path.Child("key"), t.Key, file)
		t.Value = g.stored(path.Child("value"), t.Value, file)
		return t
	case schema.Struct:
		fields := make([]fresh, len(t.Fields))
		for i, f := range t.Fields {
			f.Type = g.stored(path.Child(f.Name), f.Type, file)
			fields[i] = fresh{Field: f, file: file}
		}
		return schema.Struct{Fields: g.name(path, fields, make(map[string]bool, len(fields)))}
	default:
		return t
	}
}

// name gives new fields of a struct the stored names: as for columns, those that
// need no cleaning come first.
func (g growth) name(path schema.Path, fields []fresh, taken map[string]bool) []schema.Field {
	out := make([]schema.Field, len(fields))
	for _, made := range []bool{false, true} {
		for i, f := range fields {
			original := f.Name
			if f.given {
				out[i] = f.Field
				continue
			}
			if made != (schema.CleanName(original) != original) {
				continue
			}
			f.Name = schema.FreeName(original, func(folded string) bool { return taken[folded] })
			taken[schema.Fold(f.Name)] = true
			out[i] = f.WithOriginal(original, 0)
			if f.Name != original {
				g.cleanedPart(path.Child(original), f.Name, f.file)
			}
		}
	}
	return out
}

// cleanedPart notes a stored name of a field that is not the original.
func (g growth) cleanedPart(path schema.Path, stored, file string) {
	original, text := path[len(path)-1], path.String()
	action, _ := g.policy.ActionOf(event.NameCleaned, text)
	g.noteAt(path, event.NameCleaned, action, event.Drift{File: file, From: original, To: stored})
	if action == "fail" {
		g.fail(event.NameCleaned, text, file, fmt.Sprintf("column %s cannot keep its name", diag.Quote(text)),
			"set name_cleaned to clean to store it as "+stored)
	}
}
