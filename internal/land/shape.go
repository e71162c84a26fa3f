package land

import (
	"slices"

	"landfall/internal/contract"
	"landfall/internal/intake"
	"landfall/internal/schema"
)

// shape is how rows are written under one version of the contract.
type shape struct {
	intake.Shape
	// table is the table's schema once the batch has landed, grown that the batch
	// changes it.
	table schema.Struct
	grown bool
	// retyped are the folded names of the table's columns whose standing values are
	// of another type then, and are written again. widening says that others are read
	// as the new type where they stand.
	retyped  map[string]bool
	widening bool
}

// shapeOf derives the schemas of the table and of data files for a version.
func (a *attempt) shapeOf(v contract.Version) (*shape, error) {
	s := &shape{Shape: intake.Shape{Version: v}, grown: true}
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
		s.retyped, s.widening = a.retyped(*current, s.table)
	}
	types := map[string]schema.Type{}
	for _, f := range ours.Fields {
		types[schema.Fold(f.Name)] = f.Type
	}
	for i, f := range s.table.Fields {
		if t, ok := types[schema.Fold(f.Name)]; ok && !a.partitioned(v, f.Name) {
			if known, ok := common(f.Type, t); ok {
				f.Type = known
				s.Held = append(s.Held, i)
				s.File.Fields = append(s.File.Fields, f)
			}
		}
		s.Fits.Fields = append(s.Fits.Fields, f)
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

// retyped names the columns of a table that are of another type in the next one and
// have to be written again; widening tells that there are others, which readers take
// for the new type as they are. Fields that structs gain are null in what stands.
func (a *attempt) retyped(before, after schema.Struct) (names map[string]bool, widening bool) {
	names = map[string]bool{}
	written := a.l.written() != ""
	for _, f := range before.Fields {
		i := after.Lookup(f.Name)
		switch {
		case i < 0 || intake.Within(f.Type, after.Fields[i].Type):
		case written || !inPlace(a.l.src.Policy, f, after.Fields[i]):
			names[schema.Fold(f.Name)] = true
		default:
			widening = true
		}
	}
	return names, widening
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
