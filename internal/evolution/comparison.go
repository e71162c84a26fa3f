package evolution

import (
	"slices"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/schema"
)

// Stale reports whether an object that was fitted under before has to be fitted
// again for after: a value of it would go elsewhere, or a column that its data
// may be written with is none of after's, or of another type there. Columns and
// fields that came, and that the object lacks, do it no harm: they are null.
func Stale(before, after contract.Version, o contract.ObjectEvidence, p contract.Policy) bool {
	same := slices.EqualFunc(before.Columns, after.Columns, sameColumn)
	if same && slices.Equal(before.Decisions, after.Decisions) {
		return false // but for their numbers they are one
	}
	if outgrown(before, after) || overflows(&o.Evidence) && !same {
		return true
	}
	c := comparison{p, before, after}
	if o.Tree {
		return c.tree(o)
	}
	return c.flat(o)
}

// overflows reports whether there are names that evidence does not hold.
func overflows(e *column.Evidence) bool {
	return e.Anywhere(func(e *column.Evidence) bool { return e.Overflow > 0 })
}

// outgrown reports whether data written for a version is not data of another.
func outgrown(before, after contract.Version) bool {
	stored := make(map[string]contract.Column, len(after.Columns))
	for _, c := range after.Columns {
		stored[c.Name] = c
	}
	for _, old := range before.Columns {
		now, ok := stored[old.Name]
		if ok && (now.Type == old.Type || old.Type == schema.Unknown.String()) {
			continue
		}
		a, err1 := schema.ParseDDL(old.Type)
		if a, storable := schema.Storable(a); err1 == nil && !storable {
			continue
		} else if b, err2 := schema.ParseDDL(now.Type); !ok || err1 != nil || err2 != nil || !readsAs(a, b) {
			return true
		}
	}
	return false
}

// readsAs reports whether data written as a can be read as b: structs may have
// more fields there.
func readsAs(a, b schema.Type) bool {
	switch a := a.(type) {
	case schema.Array:
		b, ok := b.(schema.Array)
		return ok && readsAs(a.Element, b.Element)
	case schema.Map:
		b, ok := b.(schema.Map)
		return ok && readsAs(a.Key, b.Key) && readsAs(a.Value, b.Value)
	case schema.Struct:
		b, ok := b.(schema.Struct)
		for _, f := range a.Fields {
			i := b.Lookup(f.Name)
			if !ok || i < 0 || b.Fields[i].Name != f.Name || !readsAs(f.Type, b.Fields[i].Type) {
				return false
			}
		}
		return ok
	default:
		return a == b
	}
}

// comparison is of two versions, for the values of one object.
type comparison struct {
	policy        contract.Policy
	before, after contract.Version
}

// flat compares where the fields of a header and the keys of folders go.
func (c comparison) flat(o contract.ObjectEvidence) bool {
	a, b := contract.Bind(c.before, c.policy, o.Header, o.Partitions), contract.Bind(c.after, c.policy, o.Header, o.Partitions)
	for i := range a.Fields {
		var e *column.Evidence
		if i < len(o.Evidence.Fields) {
			e = &o.Evidence.Fields[i].Evidence
		}
		x, y := a.Fields[i], b.Fields[i]
		if x.Folder != y.Folder || c.differ(x.Column, y.Column, x.Why != y.Why, e) {
			return true
		}
	}
	return c.folders(a, b)
}

// folders compares where the keys of folders go. They have a value in each row.
func (c comparison) folders(a, b contract.Binding) bool {
	for i := range a.Folders {
		x, y := a.Folders[i], b.Folders[i]
		if c.differ(x.Column, y.Column, x.Why != y.Why, nil) {
			return true
		}
	}
	return false
}

// tree compares where the members of objects go.
func (c comparison) tree(o contract.ObjectEvidence) bool {
	a, b := contract.NamesOf(c.before, c.policy), contract.NamesOf(c.after, c.policy)
	for i, name := range o.Header {
		var e *column.Evidence
		if i < len(o.Evidence.Fields) {
			e = &o.Evidence.Fields[i].Evidence
		}
		x, why1 := a.Find(name)
		y, why2 := b.Find(name)
		if c.differ(x, y, why1 != why2 || a.Spelling(name) != b.Spelling(name), e) {
			return true
		}
	}
	return c.folders(contract.Bind(c.before, c.policy, nil, o.Partitions), contract.Bind(c.after, c.policy, nil, o.Partitions))
}

// differ reports whether values go elsewhere: they are of column x before and of
// column y after, -1 for none. Without evidence there are values of any kind.
func (c comparison) differ(x, y int, other bool, e *column.Evidence) bool {
	if e != nil {
		if _, any := e.FirstValue(); !any {
			return false // nulls alone
		}
	}
	if x < 0 || y < 0 {
		return x != y || other
	}
	before, after := c.before.Columns[x], c.after.Columns[y]
	if before.Name != after.Name || other {
		return true
	}
	if before.Type == after.Type {
		return false
	}
	t, err1 := before.SchemaType()
	u, err2 := after.SchemaType()
	return err1 != nil || err2 != nil || e == nil || c.parts(t, u, e)
}

// parts compares types by the parts that there are values of.
func (c comparison) parts(before, after schema.Type, e *column.Evidence) bool {
	if _, any := e.FirstValue(); !any || before.String() == after.String() {
		return false
	}
	// What has no place in the table before or after has all its values elsewhere.
	if storable(before) != storable(after) {
		return true
	}
	a, ok1 := before.(schema.Struct)
	b, ok2 := after.(schema.Struct)
	if !ok1 || !ok2 || len(e.Bare)+len(e.Strings)+len(e.Types) > 0 || !e.Arrays.IsZero() || !e.Maps.IsZero() {
		return true // misfits say which type they did not fit
	}
	was, is := contract.FieldsOf(a, c.policy), contract.FieldsOf(b, c.policy)
	for i := range e.Fields {
		f := &e.Fields[i]
		if _, any := f.FirstValue(); !any {
			continue
		}
		x, why1 := was.Find(f.Name)
		y, why2 := is.Find(f.Name)
		switch {
		case x < 0 && y < 0 && why1 == why2:
		case x < 0 || y < 0 || a.Fields[x].Name != b.Fields[y].Name || c.parts(a.Fields[x].Type, b.Fields[y].Type, &f.Evidence):
			return true
		}
	}
	return false
}

func storable(t schema.Type) bool {
	_, ok := schema.Storable(t)
	return ok
}
