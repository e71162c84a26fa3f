// Package form knows which form columns have as leaves: kinds of values, their bounds, and levels.
//
// It says of a type whether files can have it, and of a column whether it is one of its type.
package form

import (
	"errors"
	"fmt"
	"math"

	"landfall/internal/column"
	"landfall/internal/schema"
)

// What no file can have.
var (
	ErrNoColumns = errors.New("a Parquet file needs a column")
	ErrNoFields  = errors.New("a struct without fields cannot be written")
	ErrTooDeep   = errors.New("types are nested too deep")
)

// maxLevel is the greatest level that a batch can spell.
const maxLevel = 1<<8 - 1

// Decimals of as many digits fit in 32 and 64 bits, and in a file at all.
const (
	IntDigits  = 9
	LongDigits = 18
	maxDigits  = 38
)

// Kind is how a batch holds the values of a leaf.
type Kind uint8

// The kinds, named after the fields of column.Leaf.
const (
	Text Kind = iota
	Ints
	Wide
	Floats
	Bools
)

// KindOf returns the kind of the values of a type without parts.
func KindOf(t schema.Type) Kind {
	if d, ok := t.(schema.Decimal); ok {
		if d.Precision > LongDigits {
			return Wide
		}
		return Ints
	}
	switch t {
	case schema.String, schema.Binary:
		return Text
	case schema.Float, schema.Double:
		return Floats
	case schema.Boolean:
		return Bools
	}
	return Ints
}

// Range bounds the integers of a type.
func Range(t schema.Type) (lo, hi int64) {
	switch t := t.(type) {
	case schema.Decimal:
		if t.Precision <= LongDigits {
			most := int64(power(t.Precision).low) - 1
			return -most, most
		}
	case schema.Primitive:
		switch t {
		case schema.Byte:
			return math.MinInt8, math.MaxInt8
		case schema.Short:
			return math.MinInt16, math.MaxInt16
		case schema.Integer, schema.Date:
			return math.MinInt32, math.MaxInt32
		}
	}
	return math.MinInt64, math.MaxInt64
}

// Refused says why files cannot have the columns of a table: none at all, types
// of unknown, structs without fields, types so deep that their levels exceed 255.
func Refused(s schema.Struct) error {
	if len(s.Fields) == 0 {
		return ErrNoColumns
	}
	for _, f := range s.Fields {
		if err := refused(f.Type, f.Nullable, 0); err != nil {
			return fmt.Errorf("column %q: %w", f.Name, err)
		}
	}
	return nil
}

// refused checks a type; level is the definition level of what surrounds it.
func refused(t schema.Type, nullable bool, level int) error {
	if nullable {
		level++
	}
	if level > maxLevel {
		return ErrTooDeep
	}
	switch t := t.(type) {
	case schema.Struct:
		if len(t.Fields) == 0 {
			return ErrNoFields
		}
		for _, f := range t.Fields {
			if err := refused(f.Type, f.Nullable, level); err != nil {
				return fmt.Errorf("field %q: %w", f.Name, err)
			}
		}
		return nil
	case schema.Array:
		return refused(t.Element, t.ContainsNull, level+1)
	case schema.Map:
		if err := refused(t.Key, false, level+1); err != nil {
			return fmt.Errorf("key: %w", err)
		}
		return refused(t.Value, t.ValueContainsNull, level+1)
	case schema.Decimal:
		if t.Precision >= 1 && t.Precision <= maxDigits && t.Scale >= 0 && t.Scale <= t.Precision {
			return nil
		}
	case schema.Primitive:
		switch t {
		case schema.Boolean, schema.Byte, schema.Short, schema.Integer, schema.Long, schema.Float, schema.Double,
			schema.String, schema.Binary, schema.Date, schema.Timestamp, schema.TimestampNTZ:
			return nil
		}
	}
	return fmt.Errorf("type %v cannot be written", t)
}

// Leaf is what there is to know about a leaf of a column.
type Leaf struct {
	column.LeafInfo
	Kind Kind

	// floors holds, for each repetition level from 1, the definition level
	// from which the array or map of that level has an element.
	floors []uint8
	// sharedDef and sharedRep are the levels of what surrounds this leaf and
	// the one before it, 0 if that is no part of the same column.
	sharedDef, sharedRep uint8
}

// Leaves lists the leaves of a column of type t, which must not be refused.
func Leaves(t schema.Type, nullable bool) []Leaf {
	infos := column.Leaves(t, nullable)
	out := make([]Leaf, len(infos))
	for i, info := range infos {
		out[i].LeafInfo, out[i].Kind = info, KindOf(info.Type)
	}
	w := walk{out: out}
	w.walk(t, nullable, 0, nil)
	return out
}

// walk finds what the levels of leaves mean from their type.
type walk struct {
	out []Leaf
	at  int
	// def and rep are the levels of what surrounds the next leaf and the one
	// before.
	def, rep uint8
}

// walk passes what lies below def and the arrays and maps of floors.
func (w *walk) walk(t schema.Type, nullable bool, def uint8, floors []uint8) {
	if nullable {
		def++
	}
	switch t := t.(type) {
	case schema.Struct:
		for i, f := range t.Fields {
			w.part(i, f.Type, f.Nullable, def, floors)
		}
	case schema.Array:
		w.part(0, t.Element, t.ContainsNull, def+1, append(floors[:len(floors):len(floors)], def+1))
	case schema.Map:
		floors = append(floors[:len(floors):len(floors)], def+1)
		w.part(0, t.Key, false, def+1, floors)
		w.part(1, t.Value, t.ValueContainsNull, def+1, floors)
	default:
		l := &w.out[w.at]
		l.floors, l.sharedDef, l.sharedRep = floors, w.def, w.rep
		w.at++
	}
}

// part passes the part i of a struct, an array or a map.
func (w *walk) part(i int, t schema.Type, nullable bool, def uint8, floors []uint8) {
	if i > 0 {
		w.def, w.rep = def, uint8(len(floors))
	}
	w.walk(t, nullable, def, floors)
}
