// Package logical tells what the columns of a Parquet file mean as columns of a
// table.
//
// A file's schema is groups and annotations; a table knows structs, arrays, maps
// and plain types. [Columns] maps the one to the other, whatever writer made the
// file, and says for each leaf how its levels and values translate. Everything
// becomes nullable but the keys of maps; no value changes.
package logical

import (
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	pq "github.com/apache/arrow-go/v18/parquet/schema"

	"landfall/internal/diag"
	"landfall/internal/schema"
)

// NullKey is what Level returns for an entry of a map whose key is null, for
// which tables have no place.
const NullKey = 1<<8 - 1

// Column is a column of a file as one of a table.
type Column struct {
	// Name is as the file spells it; a file may have two of one name.
	Name string
	// Type is all nullable, but for the keys of maps.
	Type schema.Type
	// Leaves are in the order of column.Leaves(Type, true).
	Leaves []Leaf
}

// Leaf says how a leaf of a file becomes one of a table.
type Leaf struct {
	// Path names it in messages: names between dots, of lists and maps
	// "element", "key" and "value".
	Path schema.Path
	Type schema.Type
	// MaxDef and MaxRep are its greatest levels in the table's column.
	MaxDef, MaxRep uint8
	// Wall says that it holds wall clocks, which are read as those of
	// Calendar.Clocks.
	Wall bool
	// levels holds the table's definition level for each of the file's.
	levels []uint8
	form   form
}

// Level returns the definition level in the table's column for one of the file.
func (l *Leaf) Level(def int16) (level uint8, ok bool) {
	if def < 0 || int(def) >= len(l.levels) {
		return 0, false
	}
	return l.levels[def], true
}

// Distinct tells whether the file has a level of its own for one of the table's,
// counted from 1: whether what stands there may be null, or is an array or a map,
// in the file too.
func (l *Leaf) Distinct(level uint8) bool {
	for def, reached := range l.levels {
		if reached >= level && reached != NullKey {
			return def > 0 && l.levels[def-1] == level-1
		}
	}
	return false
}

// FileLevels is the number of definition levels in the file, that of values the
// last.
func (l *Leaf) FileLevels() int { return len(l.levels) }

// NullKeys tells whether keys of maps may be null in the file.
func (l *Leaf) NullKeys() bool { return slices.Contains(l.levels, NullKey) }

// Columns returns the columns of a file, in its order. Types that tables cannot
// have are a *diag.Diagnostic that names the column, and so are types nested
// deeper than schema.MaxNesting.
func Columns(root *pq.GroupNode, c Calendar) ([]Column, error) {
	out := make([]Column, root.NumFields())
	for i := range out {
		n := root.Field(i)
		w := walker{calendar: c}
		t, err := w.field(n, place{path: schema.Path{n.Name()}})
		if err != nil {
			return nil, err
		}
		out[i] = Column{Name: n.Name(), Type: t, Leaves: w.leaves}
	}
	return out, nil
}

// place is where in a column a node stands.
type place struct {
	path schema.Path
	// def is the file's definition level so far, and steps holds for each level
	// of the table the file's from which it is reached.
	def   int
	steps []int
	rep   uint8
	// nullKeys are the levels of the file at which a key is null.
	nullKeys []int
	nesting  int
}

func (p place) below(name string) place {
	p.path = p.path.Child(name)
	p.steps, p.nullKeys = slices.Clip(p.steps), slices.Clip(p.nullKeys)
	return p
}

// step adds a level of the table that is reached with the file's present one.
func (p place) step() place {
	p.steps = append(slices.Clip(p.steps), p.def)
	return p
}

// enter passes a node that may be null.
func (p place) enter(n pq.Node) place {
	if n.RepetitionType() == parquet.Repetitions.Optional {
		p.def++
	}
	return p.step()
}

// repeat passes a repeated node: the level of an array or map with an entry.
func (p place) repeat() place {
	p.def++
	p.rep++
	return p.step()
}

// deeper passes a struct, an array or a map.
func (p place) deeper() (place, error) {
	if p.nesting++; p.nesting > schema.MaxNesting {
		d := diag.New(diag.FileUnreadable, "found types nested more than %d deep, want at most that", schema.MaxNesting).
			Hinted("flatten the column before it is written, or write it as text")
		d.Path = p.path[0]
		return place{}, d
	}
	return p, nil
}

type walker struct {
	calendar Calendar
	leaves   []Leaf
}

// field returns the type of a column or a field of a struct.
func (w *walker) field(n pq.Node, p place) (schema.Type, error) {
	if n.RepetitionType() == parquet.Repetitions.Repeated {
		// A repeated node that nothing makes a list is an array that is never null.
		p, err := p.deeper()
		if err != nil {
			return nil, err
		}
		element, err := w.content(n, p.step().repeat().below("element").step())
		return schema.Array{Element: element, ContainsNull: true}, err
	}
	return w.content(n, p.enter(n))
}

// content returns the type of a node whose own repetition is passed.
func (w *walker) content(n pq.Node, p place) (schema.Type, error) {
	g, ok := n.(*pq.GroupNode)
	if !ok {
		return w.leaf(n, p)
	}
	p, err := p.deeper()
	if err != nil {
		return nil, err
	}
	switch {
	case isList(g):
		return w.list(g, p)
	case isMap(g):
		return w.mapping(g, p)
	}
	s := schema.Struct{Fields: make([]schema.Field, g.NumFields())}
	for i := range s.Fields {
		f := g.Field(i)
		t, err := w.field(f, p.below(f.Name()))
		if err != nil {
			return nil, err
		}
		s.Fields[i] = schema.Field{Name: f.Name(), Type: t, Nullable: true}
	}
	return s, nil
}

func isRepeated(n pq.Node) bool { return n.RepetitionType() == parquet.Repetitions.Repeated }

// isList tells whether a group is a list: annotated, around one repeated node.
func isList(g *pq.GroupNode) bool {
	_, logical := g.LogicalType().(pq.ListLogicalType)
	return (logical || g.ConvertedType() == pq.ConvertedTypes.List) && g.NumFields() == 1 && isRepeated(g.Field(0))
}

// isMap tells whether a group is a map: annotated, around a repeated group of a
// key and perhaps a value.
func isMap(g *pq.GroupNode) bool {
	_, logical := g.LogicalType().(pq.MapLogicalType)
	if !logical && g.ConvertedType() != pq.ConvertedTypes.Map && g.ConvertedType() != pq.ConvertedTypes.MapKeyValue {
		return false
	}
	if g.NumFields() != 1 || !isRepeated(g.Field(0)) {
		return false
	}
	entry, ok := g.Field(0).(*pq.GroupNode)
	return ok && entry.NumFields() >= 1 && entry.NumFields() <= 2 && !isRepeated(entry.Field(0))
}

// list follows the rules by which lists of all writers are told apart: the
// repeated node is a wrapper, or itself the element.
func (w *walker) list(g *pq.GroupNode, p place) (schema.Type, error) {
	repeated := g.Field(0)
	p = p.repeat().below("element")
	var element schema.Type
	var err error
	if wrapper, ok := repeated.(*pq.GroupNode); ok && isWrapper(g, wrapper) {
		element, err = w.content(wrapper.Field(0), p.enter(wrapper.Field(0)))
	} else {
		element, err = w.content(repeated, p.step())
	}
	return schema.Array{Element: element, ContainsNull: true}, err
}

// isWrapper tells whether the repeated group of a list only wraps the element.
func isWrapper(list, g *pq.GroupNode) bool {
	switch {
	case g.NumFields() != 1 || isRepeated(g.Field(0)):
		return false
	case isList(g) || isMap(g):
		return false
	}
	return g.Name() != "array" && g.Name() != list.Name()+"_tuple"
}

// mapping reads a map. One without values is the set of its keys.
func (w *walker) mapping(g *pq.GroupNode, p place) (schema.Type, error) {
	entry := g.Field(0).(*pq.GroupNode) //nolint:forcetypeassert // isMap saw it.
	p = p.repeat()
	if entry.NumFields() == 1 {
		key := entry.Field(0)
		element, err := w.content(key, p.below("element").enter(key))
		return schema.Array{Element: element, ContainsNull: true}, err
	}
	at := p.below("key")
	if entry.Field(0).RepetitionType() == parquet.Repetitions.Optional {
		at.nullKeys = append(at.nullKeys, at.def)
		at.def++
	}
	key, err := w.content(entry.Field(0), at)
	if err != nil {
		return nil, err
	}
	value, err := w.field(entry.Field(1), p.below("value"))
	return schema.Map{Key: key, Value: value, ValueContainsNull: true}, err
}

func (w *walker) leaf(n pq.Node, p place) (schema.Type, error) {
	primitive, ok := n.(*pq.PrimitiveNode)
	if !ok {
		return nil, fmt.Errorf("node %T", n)
	}
	f, err := formOf(primitive, w.calendar)
	if err != nil {
		d := diag.New(diag.FileUnreadable, "%v", err).
			Hinted("write the column as another type, or leave it out")
		d.Path = p.path.String()
		return nil, d
	}
	l := Leaf{
		Path: p.path, Type: f.t, Wall: f.wall, form: f,
		MaxDef: uint8(len(p.steps)), MaxRep: p.rep,
		levels: make([]uint8, p.def+1),
	}
	for def := range l.levels {
		for _, from := range p.steps {
			if def >= from {
				l.levels[def]++
			}
		}
	}
	for _, def := range p.nullKeys {
		l.levels[def] = NullKey
	}
	w.leaves = append(w.leaves, l)
	return f.t, nil
}
