package contract

import (
	"slices"

	"landfall/internal/schema"
)

// TableSchema returns the schema of a new table for v: the data columns, then
// the rescue and metadata columns.
func TableSchema(v Version, p Policy) (schema.Struct, error) {
	s, _, err := Extend(schema.Struct{}, v, p)
	return s, err
}

// Extend returns the schema of a table with what v needs beside: new data
// columns stand before our metadata columns, new fields at the end of their
// structs, and types are v's where these are wider. Nothing else that the table has
// is changed, and what has no type yet is left out. changed is false if it needs
// nothing.
func Extend(table schema.Struct, v Version, p Policy) (s schema.Struct, changed bool, err error) {
	have := slices.Clone(table.Fields)
	at := make(map[string]int, len(have))
	meta := len(have)
	for i, f := range have {
		at[schema.Fold(f.Name)] = i
		if meta == len(have) && p.Reserves(schema.Fold(f.Name)) {
			meta = i
		}
	}
	var data, ours []schema.Field
	for _, c := range v.Columns {
		f, err := c.field()
		if err != nil {
			return schema.Struct{}, false, err
		}
		t, ok := schema.Storable(f.Type)
		if !ok {
			continue
		}
		i, known := at[schema.Fold(f.Name)]
		if !known {
			f.Type = t
			data = append(data, f)
		} else if grown, grew := extended(have[i].Type, t, true); grew {
			have[i].Type, changed = grown, true
		}
	}
	for _, f := range metaFields(p) {
		if _, known := at[schema.Fold(f.Name)]; !known {
			ours = append(ours, f)
		}
	}
	fields := slices.Concat(have[:meta], data, have[meta:], ours)
	return schema.Struct{Fields: fields}, changed || len(data)+len(ours) > 0, nil
}

// extended returns a table's type with the wider types of what is wanted and, where
// it is open, with the fields that structs in it lack. Structs in maps are not: not
// every reader can read files that lack such a field.
func extended(table, want schema.Type, open bool) (t schema.Type, changed bool) {
	switch table := table.(type) {
	case schema.Array:
		if want, ok := want.(schema.Array); ok {
			table.Element, changed = extended(table.Element, want.Element, open)
		}
		return table, changed
	case schema.Map:
		if want, ok := want.(schema.Map); ok {
			table.Value, changed = extended(table.Value, want.Value, false)
		}
		return table, changed
	case schema.Struct:
		if want, ok := want.(schema.Struct); ok {
			return extendedStruct(table, want, open)
		}
		return table, false
	default:
		if MayWiden(table, want) {
			return want, true
		}
		return table, false
	}
}

func extendedStruct(table, want schema.Struct, open bool) (t schema.Type, changed bool) {
	fields := slices.Clone(table.Fields)
	for _, f := range want.Fields {
		i := table.Lookup(f.Name)
		if i < 0 {
			if open {
				fields, changed = append(fields, f), true
			}
			continue
		}
		if below, more := extended(fields[i].Type, f.Type, open); more {
			fields[i].Type, changed = below, true
		}
	}
	return schema.Struct{Fields: fields}, changed
}

// MayWiden reports whether a scalar type of a table may become another: because that
// has all its values, or because it may have those that were seen.
func MayWiden(from, to schema.Type) bool {
	if !schema.Scalar(from) || !schema.Scalar(to) || from == schema.Unknown || from == to {
		return false
	}
	_, decimal := to.(schema.Decimal)
	return schema.Widens(from, to) || isInteger(from) && (decimal || to == schema.Double)
}

func isInteger(t schema.Type) bool {
	return t == schema.Byte || t == schema.Short || t == schema.Integer || t == schema.Long
}

// Follow returns one of our types, with the table's where they differ: the table's
// owner has spoken. Fields that only one side has are left as they are.
func Follow(ours, table schema.Type) schema.Type {
	switch t := table.(type) {
	case schema.Struct:
		if o, same := ours.(schema.Struct); same {
			return followedFields(o, t)
		}
	case schema.Array:
		if o, same := ours.(schema.Array); same {
			o.Element = Follow(o.Element, t.Element)
			return o
		}
	case schema.Map:
		if o, same := ours.(schema.Map); same {
			o.Key, o.Value = Follow(o.Key, t.Key), Follow(o.Value, t.Value)
			return o
		}
	}
	if ours == schema.Unknown || ours.String() == table.String() {
		return ours
	}
	return table
}

func followedFields(ours, table schema.Struct) schema.Struct {
	s := schema.Struct{Fields: make([]schema.Field, len(ours.Fields))}
	for i, f := range ours.Fields {
		if at := table.Lookup(f.Name); at >= 0 {
			f.Type = Follow(f.Type, table.Fields[at].Type)
		}
		s.Fields[i] = f
	}
	return s
}

func metaFields(p Policy) []schema.Field {
	var fields []schema.Field
	if name := p.RescueColumn(); name != "" {
		fields = append(fields, schema.Field{Name: name, Type: schema.String, Nullable: true})
	}
	if p.Bare {
		return fields
	}
	return append(fields,
		schema.Field{Name: SourceFile, Type: schema.String, Nullable: true},
		schema.Field{Name: IngestedAt, Type: schema.Timestamp, Nullable: true})
}

// field is the table's field for a column.
func (c Column) field() (schema.Field, error) {
	t, err := c.SchemaType()
	if err != nil {
		return schema.Field{}, err
	}
	return schema.Field{Name: c.Name, Type: t, Nullable: true}.WithOriginal(c.Original, c.K), nil
}
