package parquetfiletest

import (
	"landfall/internal/column"
	"landfall/internal/schema"
)

// Rows returns the values of a column of n rows, as [Column] takes them. It
// panics if the leaves do not make a column.
func Rows(c column.Column, nullable bool, n int) []any {
	a := &assembler{leaves: c.Leaves, infos: column.Leaves(c.Type, nullable), at: make([]int, len(c.Leaves)), values: make([]int, len(c.Leaves))}
	out := make([]any, n)
	for i := range out {
		a.leaf = 0
		out[i] = a.get(c.Type, nullable, 0, 0)
	}
	for i, l := range c.Leaves {
		if l.Defs != nil && a.at[i] != len(l.Defs) {
			panic("entries are left behind the rows")
		}
	}
	return out
}

// assembler is the way back of a shredder.
type assembler struct {
	leaves []column.Leaf
	infos  []column.LeafInfo
	// at and values are the next entry and the next value of each leaf.
	at, values []int
	leaf       int
}

func (a *assembler) level() uint8 {
	l := &a.leaves[a.leaf]
	if l.Defs == nil {
		return a.infos[a.leaf].MaxDef
	}
	return l.Defs[a.at[a.leaf]]
}

func (a *assembler) get(t schema.Type, nullable bool, def, depth uint8) any {
	if nullable {
		if a.level() <= def {
			a.pass(t)
			return nil
		}
		def++
	}
	switch t := t.(type) {
	case schema.Struct:
		out := make(Struct, len(t.Fields))
		for i, f := range t.Fields {
			out[i] = a.get(f.Type, f.Nullable, def, depth)
		}
		return out
	case schema.Array:
		out := List{}
		a.each(t, def, depth, func() {
			out = append(out, a.get(t.Element, t.ContainsNull, def+1, depth+1))
		})
		return out
	case schema.Map:
		out := Map{}
		a.each(t, def, depth, func() {
			key := a.get(t.Key, false, def+1, depth+1)
			out = append(out, Entry{key, a.get(t.Value, t.ValueContainsNull, def+1, depth+1)})
		})
		return out
	}
	return a.value()
}

// each calls one for each element of an array or map.
func (a *assembler) each(t schema.Type, def, depth uint8, one func()) {
	if a.level() <= def {
		a.pass(t)
		return
	}
	first := a.leaf
	for {
		a.leaf = first
		one()
		if l := &a.leaves[first]; a.at[first] == len(l.Reps) || l.Reps[a.at[first]] != depth+1 {
			return
		}
	}
}

// pass passes an entry of each leaf of t.
func (a *assembler) pass(t schema.Type) {
	for range column.Leaves(t, false) {
		a.at[a.leaf]++
		a.leaf++
	}
}

func (a *assembler) value() any {
	l := &a.leaves[a.leaf]
	i := a.values[a.leaf]
	a.values[a.leaf]++
	a.at[a.leaf]++
	a.leaf++
	switch {
	case l.Text != nil:
		return string(l.Text.Value(i))
	case l.Ints != nil:
		return l.Ints[i]
	case l.Wide != nil:
		return l.Wide[i]
	case l.Floats != nil:
		return l.Floats[i]
	}
	return l.Bools[i]
}
