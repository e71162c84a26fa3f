package column

import (
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
