package contract

import (
	"fmt"
	"slices"

	"landfall/internal/schema"
)

// Change is one difference between two versions.
type Change struct {
	// Kind is added, removed, retyped, renamed, retired or restored, or what a
	// decision says of the column: mapped, ignored, carried or undecided.
	Kind string `json:"kind"`
	// Path names the column, or the part of one, by original names.
	Path string `json:"path"`
	// From and To are types, or the stored names of a renamed one.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// Diff lists what changed from a to b: in the order of b's columns, then what b
// lacks.
func Diff(a, b Version) []Change {
	var d difference
	was := make(map[nth]Column, len(a.Columns))
	for _, c := range a.Columns {
		was[c.nth()] = c
	}
	for _, c := range b.Columns {
		old, ok := was[c.nth()]
		if !ok { // a column of another name may be it
			old, ok = renamedTo(a, b, c)
		}
		delete(was, old.nth())
		if !ok {
			d.note("added", c.Path(), "", c.Type)
			continue
		}
		if old.Name != c.Name {
			d.note("renamed", c.Path(), old.Name, c.Name)
		}
		switch {
		case c.Retired && !old.Retired:
			d.note("retired", c.Path(), c.Type, "")
		case old.Retired && !c.Retired:
			d.note("restored", c.Path(), "", c.Type)
		}
		d.columns(old, c)
	}
	for _, c := range a.Columns {
		if _, gone := was[c.nth()]; gone && !mapped(b, c) {
			d.note("removed", c.Path(), c.Type, "")
		}
	}
	d.decisions(a, b)
	return d
}

// difference collects changes.
type difference []Change

func (d *difference) note(kind string, path schema.Path, from, to string) {
	*d = append(*d, Change{Kind: kind, Path: path.String(), From: from, To: to})
}

// columns compares the types of a column.
func (d *difference) columns(a, b Column) {
	t, err1 := a.SchemaType()
	u, err2 := b.SchemaType()
	switch {
	case err1 == nil && err2 == nil:
		d.types(b.Path(), t, u)
	case a.Type != b.Type:
		d.note("retyped", b.Path(), a.Type, b.Type)
	}
}

// types compares types part by part.
func (d *difference) types(path schema.Path, a, b schema.Type) {
	switch b := b.(type) {
	case schema.Struct:
		if a, ok := a.(schema.Struct); ok {
			d.structs(path, a, b)
			return
		}
	case schema.Array:
		if a, ok := a.(schema.Array); ok {
			d.types(path.Child("element"), a.Element, b.Element)
			return
		}
	case schema.Map:
		if a, ok := a.(schema.Map); ok {
			d.types(path.Child("key"), a.Key, b.Key)
			d.types(path.Child("value"), a.Value, b.Value)
			return
		}
	}
	if a.String() != b.String() {
		d.note("retyped", path, a.String(), b.String())
	}
}

func (d *difference) structs(path schema.Path, a, b schema.Struct) {
	was, is := fieldsByName(a), fieldsByName(b)
	for _, f := range b.Fields {
		original, _ := schema.Original(f)
		below := path.Child(original)
		at, stood := was[fieldName(f)]
		if !stood {
			d.note("added", below, "", f.Type.String())
			continue
		}
		old := a.Fields[at]
		if old.Name != f.Name {
			d.note("renamed", below, old.Name, f.Name)
		}
		d.types(below, old.Type, f.Type)
	}
	for _, f := range a.Fields {
		if _, stays := is[fieldName(f)]; !stays {
			original, _ := schema.Original(f)
			d.note("removed", path.Child(original), f.Type.String(), "")
		}
	}
}

// fieldsByName finds the fields of a struct by what they are known by, the first of
// equal ones.
func fieldsByName(s schema.Struct) map[nth]int {
	at := make(map[nth]int, len(s.Fields))
	for i, f := range slices.Backward(s.Fields) {
		at[fieldName(f)] = i
	}
	return at
}

func fieldName(f schema.Field) nth {
	original, k := schema.Original(f)
	return nth{schema.Fold(original), max(k, 1)}
}

// nth is what the column is known by.
func (c Column) nth() nth { return nth{schema.Fold(c.Original), max(c.K, 1)} }

// Rollback returns the version after now that has the columns of to. What came
// since is retired: it keeps its name and its place in the table, and its values
// are rescued. What to has comes back. The table keeps its rows and its types, and
// structs the fields that they gained: no type changes.
func Rollback(now, to Version) Version {
	next := Version{
		Number: now.Number + 1, Reason: fmt.Sprintf("rollback to %d", to.Number), Options: now.Options,
		Columns: slices.Clone(now.Columns), Decisions: kept(now, to),
	}
	live := make(map[nth]bool, len(to.Columns))
	names := choicesOf(next.Decisions)
	for _, c := range to.Columns {
		at := c.nth()
		if c.K < 2 {
			at.name = schema.Fold(names.target(c.Original))
		}
		live[at] = live[at] || !c.Retired
	}
	for i := range next.Columns {
		c := &next.Columns[i]
		c.Retired = !live[c.nth()]
	}
	return next
}
