package land

import (
	"slices"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/schema"
)

// shape is how rows are written under one version of the contract.
type shape struct {
	version contract.Version
	// table is the table's schema once the batch has landed, grown that the batch
	// changes it.
	table schema.Struct
	grown bool
	// fits is what rows are fitted to: the columns of the table, of structs the
	// fields that the contract knows.
	fits schema.Struct
	// retyped are the folded names of the table's columns whose standing values are
	// of another type then.
	retyped map[string]bool
	// file holds the columns of data files, in the table's types: what the contract
	// has, and nothing that others added. held are their positions in fits.
	file schema.Struct
	held []int
}

// shapeOf derives the schemas of the table and of data files for a version.
func (a *attempt) shapeOf(v contract.Version) (*shape, error) {
	s := &shape{version: v, grown: true}
	policy := a.l.src.Policy
	ours, err := contract.TableSchema(v, policy)
	if err != nil {
		return nil, err
	}
	s.table = ours
	current := a.current()
	if current == nil && a.l.Snap != nil && len(v.Columns) == 0 && !a.in.Anew {
		current = &a.l.Snap.Schema // nothing is known yet that could take its place
	}
	if current != nil {
		merged := put(*current, v, a.in.Merges)
		if s.table, s.grown, err = contract.Extend(merged, v, policy); err != nil {
			return nil, err
		}
		s.grown = s.grown || len(a.in.Merges) > 0
		s.retyped = retyped(*current, s.table)
	}
	types := map[string]schema.Type{}
	for _, f := range ours.Fields {
		types[schema.Fold(f.Name)] = f.Type
	}
	for i, f := range s.table.Fields {
		if t, ok := types[schema.Fold(f.Name)]; ok {
			if known, ok := common(f.Type, t); ok {
				f.Type = known
				s.held = append(s.held, i)
				s.file.Fields = append(s.file.Fields, f)
			}
		}
		s.fits.Fields = append(s.fits.Fields, f)
	}
	return s, nil
}

// put puts columns of a table together: a column that becomes another leaves, or
// takes the name of one that the table does not have.
func put(table schema.Struct, v contract.Version, merges []contract.Merge) schema.Struct {
	table.Fields = slices.Clone(table.Fields)
	for _, m := range merges {
		at := table.Lookup(m.From)
		to := slices.IndexFunc(v.Columns, func(c contract.Column) bool { return schema.Fold(c.Name) == schema.Fold(m.To) })
		switch {
		case at < 0:
		case table.Lookup(m.To) >= 0 || to < 0:
			table.Fields = slices.Delete(table.Fields, at, at+1)
		default:
			f := table.Fields[at]
			f.Name = v.Columns[to].Name
			table.Fields[at] = f.WithOriginal(v.Columns[to].Original, v.Columns[to].K)
		}
	}
	return table
}

// retyped names the columns of a table that are of another type in the next one.
// Fields that structs gain are null in what stands.
func retyped(before, after schema.Struct) map[string]bool {
	names := map[string]bool{}
	for _, f := range before.Fields {
		if i := after.Lookup(f.Name); i >= 0 && !within(f.Type, after.Fields[i].Type) {
			names[schema.Fold(f.Name)] = true
		}
	}
	return names
}

// common returns a type of the table without the fields of structs that the
// contract does not have; ok is false if nothing is left. Where the two differ
// otherwise it is the table's that holds, since values are fitted to it: a column
// that stood in no data file would lose them. What a data file lacks, readers take
// for null, so a field that may not be null stays.
func common(table, ours schema.Type) (t schema.Type, ok bool) {
	switch table := table.(type) {
	case schema.Struct:
		if o, same := ours.(schema.Struct); same {
			s := commonFields(table, o)
			return s, len(s.Fields) > 0
		}
	case schema.Array:
		if o, same := ours.(schema.Array); same {
			table.Element, ok = common(table.Element, o.Element)
			return table, ok
		}
	case schema.Map:
		if o, same := ours.(schema.Map); same {
			table.Value, ok = common(table.Value, o.Value)
			return table, ok
		}
	}
	return table, true
}

func commonFields(table, ours schema.Struct) schema.Struct {
	types := map[string]schema.Type{}
	for _, f := range ours.Fields {
		types[schema.Fold(f.Name)] = f.Type
	}
	var s schema.Struct
	for _, f := range table.Fields {
		if t, has := types[schema.Fold(f.Name)]; has {
			if known, ok := common(f.Type, t); ok {
				f.Type = known
				s.Fields = append(s.Fields, f)
				continue
			}
		}
		if !f.Nullable {
			s.Fields = append(s.Fields, f)
		}
	}
	return s
}

// hold returns the columns of a batch that data files have.
func (s *shape) hold(b column.Batch) column.Batch {
	held := column.Batch{Rows: b.Rows, Columns: make([]column.Column, len(s.held))}
	for i, at := range s.held {
		held.Columns[i] = b.Columns[at]
	}
	return held
}

// takes tells whether a data file with the columns of file is one of the shape:
// each of them stands there, in the same type. A column, or a field of a struct,
// that the file lacks reads as null.
func (s *shape) takes(file schema.Struct) bool { return within(file, s.file) }

func within(small, large schema.Type) bool {
	switch small := small.(type) {
	case schema.Struct:
		l, same := large.(schema.Struct)
		if !same {
			return false
		}
		for _, f := range small.Fields {
			at := -1
			for i := range l.Fields {
				if l.Fields[i].Name == f.Name {
					at = i
				}
			}
			if at < 0 || l.Fields[at].Nullable != f.Nullable || !within(f.Type, l.Fields[at].Type) {
				return false
			}
		}
		return true
	case schema.Array:
		l, same := large.(schema.Array)
		return same && l.ContainsNull == small.ContainsNull && within(small.Element, l.Element)
	case schema.Map:
		l, same := large.(schema.Map)
		return same && l.ValueContainsNull == small.ValueContainsNull &&
			within(small.Key, l.Key) && within(small.Value, l.Value)
	}
	return small.String() == large.String()
}
