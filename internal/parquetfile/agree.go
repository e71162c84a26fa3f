package parquetfile

import (
	"landfall/internal/column"
	"landfall/internal/parquetfile/form"
	"landfall/internal/schema"
)

// check sees that the leaves of each column make the same rows: the levels of a
// file may contradict one another.
func (s *scan) check(b column.Batch) error {
	for i, c := range s.f.columns {
		if s.left[i] || len(c.Leaves) == 1 && c.Leaves[0].MaxRep == 0 {
			continue
		}
		f := schema.Field{Name: c.Name, Type: c.Type, Nullable: true}
		if err := form.CheckLeaves(b.Columns[i].Leaves, f, s.forms[i], b.Rows); err != nil {
			return named(s.f.src.broken(err), schema.Path{c.Name})
		}
	}
	return nil
}
