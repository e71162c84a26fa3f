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
// structs. Nothing else that the table has is changed, and what has no type yet
// is left out. changed is false if it needs nothing.
func Extend(table schema.Struct, v Version, p Policy) (s schema.Struct, changed bool, err error) {
	have := slices.Clone(table.Fields)
	at := make(map[string]int, len(have))
	meta := len(have)
	for i, f := range have {
		at[schema.Fold(f.Name)] = i
		if meta == len(have) && p.reserves(schema.Fold(f.Name)) {
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
		} else if grown, grew := withFields(have[i].Type, t); grew {
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

// withFields returns a table's type with the fields that structs in it lack, but
// for those in maps: not every reader can read files that lack such a field.
func withFields(table, want schema.Type) (t schema.Type, grew bool) {
	switch table := table.(type) {
	case schema.Array:
		if want, ok := want.(schema.Array); ok {
			table.Element, grew = withFields(table.Element, want.Element)
		}
		return table, grew
	case schema.Struct:
		want, ok := want.(schema.Struct)
		if !ok {
			return table, false
		}
		fields := slices.Clone(table.Fields)
		for _, f := range want.Fields {
			i := table.Lookup(f.Name)
			if i < 0 {
				fields, grew = append(fields, f), true
			} else if below, more := withFields(fields[i].Type, f.Type); more {
				fields[i].Type, grew = below, true
			}
		}
		return schema.Struct{Fields: fields}, grew
	default:
		return table, false
	}
}

func metaFields(p Policy) []schema.Field {
	var fields []schema.Field
	if name := p.RescueColumn(); name != "" {
		fields = append(fields, schema.Field{Name: name, Type: schema.String, Nullable: true})
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
