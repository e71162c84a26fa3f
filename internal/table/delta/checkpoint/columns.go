package checkpoint

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"landfall/internal/table"
)

// group reads fields of a struct column by name. A missing column reads as
// null, as the protocol says; a column of another type than expected sets err,
// which stays.
type group struct {
	fields map[string]arrow.Array
	groups map[string]*group // of nested structs, made on first use
	err    error
}

func newGroup(s *array.Struct) *group {
	g := &group{fields: make(map[string]arrow.Array, s.NumField()), groups: map[string]*group{}}
	for i, f := range s.DataType().(*arrow.StructType).Fields() {
		g.fields[f.Name] = s.Field(i)
	}
	return g
}

// has tells whether row i has a value.
func (g *group) has(i int, name string) bool {
	f := g.fields[name]
	return f != nil && f.IsValid(i)
}

func (g *group) wrong(name string) {
	if g.err == nil {
		g.err = fmt.Errorf("%w: %s is %s", errCheckpoint, name, g.fields[name].DataType())
	}
}

// optText is a string, nil for null. It is a copy: records do not last.
func (g *group) optText(i int, name string) *string {
	if !g.has(i, name) {
		return nil
	}
	v, ok := textAt(g.fields[name], i)
	if !ok {
		g.wrong(name)
	}
	return &v
}

// text is a string, "" for null.
func (g *group) text(i int, name string) string {
	if v := g.optText(i, name); v != nil {
		return *v
	}
	return ""
}

// must is a string that has to be there.
func (g *group) must(i int, name string) string {
	v := g.text(i, name)
	if v == "" && g.err == nil {
		g.err = fmt.Errorf("%w: no %s", errCheckpoint, name)
	}
	return v
}

func textAt(a arrow.Array, i int) (string, bool) {
	switch a := a.(type) {
	case *array.String:
		return strings.Clone(a.Value(i)), true
	case *array.LargeString:
		return strings.Clone(a.Value(i)), true
	case *array.Binary:
		return string(a.Value(i)), true
	case *array.LargeBinary:
		return string(a.Value(i)), true
	}
	return "", false
}

// optInt is a whole number, nil for null.
func (g *group) optInt(i int, name string) *int64 {
	if !g.has(i, name) {
		return nil
	}
	v, ok := intAt(g.fields[name], i)
	if !ok {
		g.wrong(name)
	}
	return &v
}

// int is a whole number, 0 for null.
func (g *group) int(i int, name string) int64 {
	if v := g.optInt(i, name); v != nil {
		return *v
	}
	return 0
}

func intAt(a arrow.Array, i int) (int64, bool) {
	switch a := a.(type) {
	case *array.Int64:
		return a.Value(i), true
	case *array.Int32:
		return int64(a.Value(i)), true
	case *array.Int16:
		return int64(a.Value(i)), true
	case *array.Int8:
		return int64(a.Value(i)), true
	}
	return 0, false
}

// bool is a truth value, false for null.
func (g *group) bool(i int, name string) bool {
	if !g.has(i, name) {
		return false
	}
	b, ok := g.fields[name].(*array.Boolean)
	if !ok {
		g.wrong(name)
		return false
	}
	return b.Value(i)
}

// list is a list of strings, nil for null.
func (g *group) list(i int, name string) *[]string {
	if !g.has(i, name) {
		return nil
	}
	l, ok := g.fields[name].(array.ListLike)
	if !ok {
		g.wrong(name)
		return nil
	}
	from, to := l.ValueOffsets(i)
	out := make([]string, 0, to-from)
	for j := from; j < to; j++ {
		v, ok := textAt(l.ListValues(), int(j))
		if !ok {
			g.wrong(name)
		}
		out = append(out, v)
	}
	return &out
}

// texts is a map of strings to strings or nulls, nil for null.
func (g *group) texts(i int, name string) map[string]*string {
	if !g.has(i, name) {
		return nil
	}
	m, ok := g.fields[name].(*array.Map)
	if !ok {
		g.wrong(name)
		return nil
	}
	from, to := m.ValueOffsets(i)
	out := make(map[string]*string, to-from)
	for j := int(from); j < int(to); j++ {
		k, ok1 := textAt(m.Keys(), j)
		if m.Items().IsNull(j) {
			out[k] = nil
			continue
		}
		v, ok2 := textAt(m.Items(), j)
		if !ok1 || !ok2 {
			g.wrong(name)
		}
		out[k] = &v
	}
	return out
}

// present leaves out the entries that are null.
func present(m map[string]*string) map[string]string {
	out := make(map[string]string, len(m))
	for k, v := range m {
		if v != nil {
			out[k] = *v
		}
	}
	return out
}

// child is a nested struct column, nil if it is absent.
func (g *group) child(name string) *array.Struct {
	if g.fields[name] == nil {
		return nil
	}
	s, ok := g.fields[name].(*array.Struct)
	if !ok {
		g.wrong(name)
	}
	return s
}

// group reads the fields of a nested struct; nil if row i has none.
func (g *group) group(i int, name string) *group {
	if !g.has(i, name) {
		return nil
	}
	if g.groups[name] == nil {
		s := g.child(name)
		if s == nil {
			return nil
		}
		g.groups[name] = newGroup(s)
	}
	return g.groups[name]
}

// vector is the deletion vector of row i, nil if it has none.
func (g *group) vector(i int) *table.DeletionVector {
	d := g.group(i, "deletionVector")
	if d == nil || !d.has(i, "storageType") {
		return nil
	}
	v := &table.DeletionVector{
		StorageType:    d.text(i, "storageType"),
		PathOrInlineDV: d.text(i, "pathOrInlineDv"),
		SizeInBytes:    int32(d.int(i, "sizeInBytes")), //nolint:gosec // an INT32 column
		Cardinality:    d.int(i, "cardinality"),
	}
	if d.has(i, "offset") {
		o := int32(d.int(i, "offset")) //nolint:gosec // an INT32 column
		v.Offset = &o
	}
	if d.err != nil && g.err == nil {
		g.err = d.err
	}
	return v
}
