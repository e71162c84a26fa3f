package reconcile

import (
	"slices"
	"strconv"
	"time"

	"landfall/internal/reconcile/datum"
	"landfall/internal/rescue"
	"landfall/internal/schema"
)

// plan says where the values of files with one schema are compared. It is read only
// once it is made.
type plan struct {
	fields []schema.Field
	// roots are the nodes of the fields, names finds them by what the rescue column
	// calls them.
	roots []*node
	names map[string]*node
	// folders are the nodes of partition folders by folded name, each once.
	folders map[string]*node
	// places are those of the columns of the proof, in order.
	places []*place
	slots  []slot
	// bySlot finds slots by path and form.
	bySlot map[string]int
	zone   *time.Location
	nodes  int
}

// slot is where the values of a path add up.
type slot struct {
	// path is folded.
	path schema.Path
	form datum.Form
	// typ is the type of the values of the first field of the files that has the path.
	typ schema.Type
	// base is the path of the array or map that has the entries among which nulls
	// are; empty for rows.
	base schema.Path
	role role
}

// role says what the values of a slot are.
type role uint8

const (
	scalars  role = iota
	lengths       // of arrays
	presence      // of maps
)

// node is a part of a file's type, or of a type of the copy that no file has.
type node struct {
	typ schema.Type
	// id tells it from all others of the plan, two of which may have one slot.
	id int
	// column is the field of the files that it is in, −1 for none.
	column int
	// slot is that of a scalar, of the lengths of an array, or of a map; −1 of structs.
	slot int
	// salt tells the values of nodes with one slot apart; 0 for the first.
	salt uint64
	pair *datum.Pair
	// given says that a folder gives the values; folder is set for a column whose values
	// one may repeat.
	given  bool
	folder *node
	// fields are those of a struct, names has them by the names in JSON.
	fields       []*node
	names        map[string]*node
	key, element *node
}

// place is a part of the copy's type and the node that its values belong to. A string
// whose node has parts holds their JSON.
type place struct {
	node   *node
	typ    schema.Type
	fields []*place
	// stored are the names of the fields in the copy, folded.
	stored       []string
	key, element *place
}

func fold(name string) string { return schema.Fold(schema.TrimName(name)) }

// folded is the name of a column of the copy as files have it.
func (c *Column) folded() string {
	if c.Nth > 1 {
		return fold(c.Original + "#" + strconv.Itoa(c.Nth))
	}
	return fold(c.Original)
}

// newPlan plans files with those fields and folders, by name.
func newPlan(fields []schema.Field, folders []Folder, p *Proof) *plan {
	b := &plan{fields: fields, names: map[string]*node{}, folders: map[string]*node{}, bySlot: map[string]int{}, zone: p.Zone}
	copied := map[string]*Column{}
	for i := len(p.Columns) - 1; i >= 0; i-- {
		copied[p.Columns[i].folded()] = &p.Columns[i]
	}
	for _, f := range folders {
		name := fold(f.Name)
		if b.folders[name] == nil {
			n := b.build(-1, schema.Path{name}, schema.String, scalarOf(copied[name]), nil)
			n.given = true
			n.pair.Pad()
			b.folders[name] = n
		}
	}
	named := slices.Clone(fields)
	for i := range named { // what has no name is called by its place
		if schema.TrimName(named[i].Name) == "" {
			named[i].Name = "_c" + strconv.Itoa(i)
		}
	}
	for i, name := range rescue.NthNames(schema.Struct{Fields: named}) {
		c := copied[fold(name)]
		var t schema.Type
		if c != nil {
			t = c.Type
		}
		n := b.build(i, schema.Path{fold(name)}, fields[i].Type, t, nil)
		if n.scalar() {
			n.folder = b.folders[fold(name)]
		}
		b.roots = append(b.roots, n)
		b.names[name] = n
	}
	for i := range p.Columns {
		b.places = append(b.places, b.place(schema.Path{p.Columns[i].folded()}, p.Columns[i].Type, b.owner(&p.Columns[i])))
	}
	return b
}

func scalarOf(c *Column) schema.Type {
	if c == nil || !schema.Scalar(c.Type) {
		return nil
	}
	return c.Type
}

// owner is the node whose values a column of the copy holds, nil for none: that of a
// folder, else of the field with its very name, else of the first with another casing.
func (b *plan) owner(c *Column) *node {
	name := c.folded()
	if n := b.folders[name]; n != nil {
		return n
	}
	if n := b.names[c.Original]; n != nil && c.Nth < 2 {
		return n
	}
	for i, other := range rescue.NthNames(schema.Struct{Fields: b.fields}) {
		if fold(other) == name {
			return b.roots[i]
		}
	}
	return nil
}

func (n *node) scalar() bool { return n.fields == nil && n.element == nil && n.names == nil }

// build makes the node of a part of a file's type, which the copy has as copied, nil
// for nowhere.
func (b *plan) build(field int, path schema.Path, t, copied schema.Type, base schema.Path) *node {
	b.nodes++
	n := &node{typ: t, id: b.nodes, column: field, slot: -1}
	switch t := t.(type) {
	case schema.Struct:
		to, _ := copied.(schema.Struct)
		n.names = map[string]*node{}
		for i, name := range rescue.NthNames(t) {
			child := b.build(field, path.Child(fold(name)), t.Fields[i].Type, fieldOf(to, name), base)
			n.fields = append(n.fields, child)
			n.names[name] = child
		}
	case schema.Array:
		to, _ := copied.(schema.Array)
		if holds(t) {
			b.fill(n, slot{path: path, form: datum.Form{Kind: datum.Whole}, typ: schema.Long, base: base, role: lengths})
		}
		n.element = b.build(field, path.Child("element"), t.Element, to.Element, path)
	case schema.Map:
		to, _ := copied.(schema.Map)
		b.fill(n, slot{path: path, form: datum.Form{Kind: datum.Whole}, typ: schema.Long, base: base, role: presence})
		n.key = b.build(field, path.Child("key"), t.Key, to.Key, path)
		n.element = b.build(field, path.Child("value"), t.Value, to.Value, path)
	default:
		if copied != nil && !schema.Scalar(copied) {
			copied = nil
		}
		n.pair = datum.NewPair(t, copied, b.zone)
		b.fill(n, slot{path: path, form: n.pair.Form, typ: displayed(n.pair, t, copied), base: base})
	}
	return n
}

// holds reports whether a type can hold any value.
func holds(t schema.Type) bool {
	switch t := t.(type) {
	case schema.Struct:
		for _, f := range t.Fields {
			if holds(f.Type) {
				return true
			}
		}
		return false
	case schema.Array:
		return holds(t.Element)
	case schema.Map:
		return true
	}
	return t != schema.Type(schema.Unknown)
}

// displayed is the type in which values of a pair's form are shown.
func displayed(p *datum.Pair, file, copied schema.Type) schema.Type {
	if copied != nil && (file == schema.Type(schema.Unknown) || datum.FormOf(copied) == p.Form) {
		return copied
	}
	return file
}

// fieldOf is the type of the field of a struct of the copy that takes those of a name,
// nil for none.
func fieldOf(s schema.Struct, name string) schema.Type {
	for i := range s.Fields {
		if originalOf(s.Fields[i]) == fold(name) {
			return s.Fields[i].Type
		}
	}
	return nil
}

// originalOf is the folded name that files have for a field.
func originalOf(f schema.Field) string {
	name, k := schema.Original(f)
	if k > 1 {
		name += "#" + strconv.Itoa(k)
	}
	return fold(name)
}

// fill gives a node its slot.
func (b *plan) fill(n *node, s slot) {
	key := s.path.String() + "\x00" + strconv.Itoa(int(s.form.Kind)) + "/" + strconv.Itoa(s.form.Scale) + "/" + strconv.Itoa(int(s.role))
	at, taken := b.bySlot[key]
	if n.slot = at; taken {
		n.salt = uint64(n.id)
		return
	}
	n.slot = len(b.slots)
	b.bySlot[key] = n.slot
	b.slots = append(b.slots, s)
}

// place finds the nodes of a type of the copy. What no file has gets nodes of its own,
// in which nothing was before.
func (b *plan) place(path schema.Path, t schema.Type, n *node) *place {
	p := &place{node: n, typ: t}
	if n == nil || !fits(n, t) {
		n = b.build(-1, path, renamed(t), t, nil)
		p.node = n
	}
	switch t := t.(type) {
	case schema.Struct:
		for _, f := range t.Fields {
			name := originalOf(f)
			p.stored = append(p.stored, schema.Fold(schema.PhysicalName(f)))
			p.fields = append(p.fields, b.place(path.Child(name), f.Type, n.field(name)))
		}
	case schema.Array:
		p.element = b.place(path.Child("element"), t.Element, n.element)
	case schema.Map:
		p.key = b.place(path.Child("key"), t.Key, n.key)
		p.element = b.place(path.Child("value"), t.Value, n.element)
	}
	return p
}

// field is the field of a struct with a folded name, nil for none.
func (n *node) field(name string) *node {
	s, _ := n.typ.(schema.Struct)
	for i, other := range rescue.NthNames(s) {
		if fold(other) == name {
			return n.fields[i]
		}
	}
	return nil
}

// fits reports whether values of a type of the copy may be those of a node.
func fits(n *node, t schema.Type) bool {
	switch t.(type) {
	case schema.Struct:
		return n.names != nil
	case schema.Array:
		return n.element != nil && n.key == nil
	case schema.Map:
		return n.key != nil
	}
	return n.scalar() || t == schema.Type(schema.String)
}

// renamed is a type of the copy with the names that files have.
func renamed(t schema.Type) schema.Type {
	switch t := t.(type) {
	case schema.Struct:
		out := schema.Struct{}
		for _, f := range t.Fields {
			out.Fields = append(out.Fields, schema.Field{Name: originalOf(f), Type: renamed(f.Type), Nullable: true})
		}
		return out
	case schema.Array:
		return schema.Array{Element: renamed(t.Element), ContainsNull: true}
	case schema.Map:
		return schema.Map{Key: renamed(t.Key), Value: renamed(t.Value), ValueContainsNull: true}
	}
	return t
}
