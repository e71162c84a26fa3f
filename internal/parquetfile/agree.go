package parquetfile

import (
	"landfall/internal/column"
	"landfall/internal/schema"
)

// check sees that the leaves of each column make the same rows: the levels of a
// file may contradict one another.
func (s *scan) check(b column.Batch) error {
	for i, c := range s.f.columns {
		if len(c.Leaves) == 1 && c.Leaves[0].MaxRep == 0 {
			continue
		}
		f := schema.Field{Name: c.Name, Type: c.Type, Nullable: true}
		if err := checkLeaves(b.Columns[i].Leaves, f, s.forms[i], b.Rows); err != nil {
			return named(s.f.src.broken(err), schema.Path{c.Name})
		}
	}
	return nil
}

// formsOf returns what the leaves of a nullable column of a type must be like.
func formsOf(t schema.Type) []buffer {
	infos := column.Leaves(t, true)
	out := make([]buffer, len(infos))
	for i, info := range infos {
		out[i].LeafInfo, out[i].kind = info, kindOf(info.Type)
	}
	w := nestingWalk{out: out}
	w.walk(t, true, 0, nil)
	return out
}

// nestingWalk finds the nestings of leaves from their type.
type nestingWalk struct {
	out []buffer
	at  int
	// def and rep are the levels of what surrounds the next leaf and the one
	// before.
	def, rep uint8
}

// walk passes what lies below def and the arrays and maps of floors.
func (w *nestingWalk) walk(t schema.Type, nullable bool, def uint8, floors []uint8) {
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
		w.out[w.at].nesting = nesting{floors: floors, sharedDef: w.def, sharedRep: w.rep}
		w.at++
	}
}

// part passes the part i of a struct, an array or a map.
func (w *nestingWalk) part(i int, t schema.Type, nullable bool, def uint8, floors []uint8) {
	if i > 0 {
		w.def, w.rep = def, uint8(len(floors))
	}
	w.walk(t, nullable, def, floors)
}
