package column

import (
	"slices"

	"landfall/internal/schema"
	"landfall/internal/value"
)

// Leaf holds the values of one leaf of a column's type, in the order of rows:
// only those that are there, and levels that say where. Levels are those of
// Parquet ("Nested Encoding" of its documentation): a struct, an array, a map
// and a leaf that may be null each add one definition level; an array and a map
// add another, and a repetition level, for their elements.
type Leaf struct {
	// One of these holds the values, by the leaf's type: Text for string and
	// binary; Ints for byte to long, date (days since 1970), timestamps (µs
	// since 1970) and decimals of up to 18 digits (unscaled); Wide for longer
	// decimals; Floats for float and double; Bools for boolean. Spans of Text
	// are never null.
	Text   *Text
	Ints   []int64
	Wide   []value.Int128
	Floats []float64
	Bools  []bool
	// Defs holds the definition level of every entry; nil if each is a value.
	// Reps holds its repetition level; nil if the leaf is in no array or map.
	Defs, Reps []uint8
	// Flaws are the values that are not all that their file says, by position. Only
	// columns of a slab have any.
	Flaws []Flaw
}

// Flaw is a value of a file that a leaf of its type does not hold.
type Flaw struct {
	// Value is its position among the values of the leaf.
	Value int
	// Kind says what is wrong with it, and what stands in its place.
	Kind FlawKind
	// Nanos are those beyond the microsecond of a timestamp, 0 to 999.
	Nanos int
}

// FlawKind says what a leaf does not hold of a value.
type FlawKind uint8

// The kinds of flaws.
const (
	// NotText is a string of bytes that are not UTF-8: they stand there as they are.
	NotText FlawKind = iota
	// Cut is an instant with digits beyond the microsecond: what is before these
	// stands there.
	Cut
	// Skipped is a time that the clocks of its zone never show: the time as on a
	// clock of UTC stands there.
	Skipped
)

// Flaw returns what is wrong with a value, nil if nothing is.
func (l *Leaf) Flaw(value int) *Flaw {
	if len(l.Flaws) == 0 {
		return nil
	}
	i, found := slices.BinarySearchFunc(l.Flaws, value, func(f Flaw, value int) int { return f.Value - value })
	if !found {
		return nil
	}
	return &l.Flaws[i]
}

// LeafInfo describes a leaf of a type.
type LeafInfo struct {
	// Path is the leaf's path below its column, in Parquet's names: list,
	// element, key_value, key, value. Empty for a column without parts.
	Path []string
	Type schema.Type
	// MaxDef and MaxRep are its greatest levels.
	MaxDef, MaxRep uint8
}

// Leaves lists the leaves of a column of type t in Parquet's order.
func Leaves(t schema.Type, nullable bool) []LeafInfo {
	return leaves(nil, nil, t, nullable, 0, 0)
}

func leaves(out []LeafInfo, path []string, t schema.Type, nullable bool, def, rep uint8) []LeafInfo {
	if nullable {
		def++
	}
	below := func(names ...string) []string {
		return append(append([]string(nil), path...), names...)
	}
	switch t := t.(type) {
	case schema.Struct:
		for _, f := range t.Fields {
			out = leaves(out, below(schema.PhysicalName(f)), f.Type, f.Nullable, def, rep)
		}
	case schema.Array:
		out = leaves(out, below("list", "element"), t.Element, t.ContainsNull, def+1, rep+1)
	case schema.Map:
		out = leaves(out, below("key_value", "key"), t.Key, false, def+1, rep+1)
		out = leaves(out, below("key_value", "value"), t.Value, t.ValueContainsNull, def+1, rep+1)
	default:
		out = append(out, LeafInfo{Path: path, Type: t, MaxDef: def, MaxRep: rep})
	}
	return out
}
