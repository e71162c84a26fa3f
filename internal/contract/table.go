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
// columns stand before our metadata columns, and nothing that the table has is
// changed. changed is false if it needs nothing.
func Extend(table schema.Struct, v Version, p Policy) (s schema.Struct, changed bool, err error) {
	at := len(table.Fields)
	for i, f := range table.Fields {
		if p.reserves(schema.Fold(f.Name)) {
			at = i
			break
		}
	}
	has := make(map[string]bool, len(table.Fields))
	for _, f := range table.Fields {
		has[schema.Fold(f.Name)] = true
	}
	var data, meta []schema.Field
	for _, c := range v.Columns {
		if has[schema.Fold(c.Name)] {
			continue
		}
		f, err := c.field()
		if err != nil {
			return schema.Struct{}, false, err
		}
		data = append(data, f)
	}
	for _, f := range metaFields(p) {
		if !has[schema.Fold(f.Name)] {
			meta = append(meta, f)
		}
	}
	fields := slices.Concat(table.Fields[:at], data, table.Fields[at:], meta)
	return schema.Struct{Fields: fields}, len(data)+len(meta) > 0, nil
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
