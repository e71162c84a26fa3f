// Package parquetfiletest makes columns of any type from Go values, for tests.
//
// It is the plain spelling of Parquet's nested encoding, against which writers
// are tested.
package parquetfiletest

import (
	"fmt"

	"landfall/internal/column"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// A value is nil, bool, int64, float64, string (also for binary),
// [value.Int128], or one of these.
type (
	// List is an array.
	List []any
	// Struct holds the fields in order.
	Struct []any
	// Map holds the entries in order.
	Map []Entry
)

// Entry is one entry of a [Map].
type Entry struct{ Key, Value any }

// Column returns a column of values, one a row. It panics if a value is none of
// the type.
func Column(t schema.Type, nullable bool, rows []any) column.Column {
	s := &shredder{}
	infos := column.Leaves(t, nullable)
	s.leaves = make([]column.Leaf, len(infos))
	for _, v := range rows {
		s.at = 0
		s.put(t, nullable, v, 0, 0, 0)
	}
	for i, info := range infos {
		l := &s.leaves[i]
		if info.MaxRep == 0 {
			l.Reps = nil
		}
		if info.MaxDef == 0 {
			l.Defs = nil
		}
	}
	return column.Column{Type: t, Leaves: s.leaves}
}

type shredder struct {
	leaves []column.Leaf
	// at is the leaf that comes next.
	at int
}

// put adds a value: def is the definition level of what surrounds it, rep its
// repetition level, depth the number of arrays and maps around it.
func (s *shredder) put(t schema.Type, nullable bool, v any, def, rep, depth uint8) {
	if nullable {
		if v == nil {
			s.nothing(t, def, rep)
			return
		}
		def++
	}
	switch t := t.(type) {
	case schema.Struct:
		for i, f := range t.Fields {
			s.put(f.Type, f.Nullable, v.(Struct)[i], def, rep, depth)
		}
	case schema.Array:
		list := v.(List)
		if len(list) == 0 {
			s.nothing(t, def, rep)
			return
		}
		s.each(len(list), rep, depth, func(i int, rep uint8) {
			s.put(t.Element, t.ContainsNull, list[i], def+1, rep, depth+1)
		})
	case schema.Map:
		entries := v.(Map)
		if len(entries) == 0 {
			s.nothing(t, def, rep)
			return
		}
		s.each(len(entries), rep, depth, func(i int, rep uint8) {
			s.put(t.Key, false, entries[i].Key, def+1, rep, depth+1)
			s.put(t.Value, t.ValueContainsNull, entries[i].Value, def+1, rep, depth+1)
		})
	default:
		l := s.level(def, rep)
		s.value(l, v)
	}
}

// each adds the elements of an array or map, all to the same leaves.
func (s *shredder) each(n int, rep, depth uint8, put func(i int, rep uint8)) {
	first := s.at
	for i := range n {
		s.at = first
		if i > 0 {
			rep = depth + 1
		}
		put(i, rep)
	}
}

// nothing adds to all leaves below t that there is no value.
func (s *shredder) nothing(t schema.Type, def, rep uint8) {
	for range column.Leaves(t, false) {
		s.level(def, rep)
	}
}

// level adds levels to the next leaf.
func (s *shredder) level(def, rep uint8) *column.Leaf {
	l := &s.leaves[s.at]
	s.at++
	l.Defs, l.Reps = append(l.Defs, def), append(l.Reps, rep)
	return l
}

func (s *shredder) value(l *column.Leaf, v any) {
	switch v := v.(type) {
	case bool:
		l.Bools = append(l.Bools, v)
	case int64:
		l.Ints = append(l.Ints, v)
	case float64:
		l.Floats = append(l.Floats, v)
	case value.Int128:
		l.Wide = append(l.Wide, v)
	case string:
		if l.Text == nil {
			l.Text = &column.Text{}
		}
		l.Text.AppendValue([]byte(v))
	default:
		panic(fmt.Sprintf("no leaf holds a %T", v))
	}
}
