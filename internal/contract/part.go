package contract

import (
	"slices"

	"landfall/internal/schema"
)

// TypeOf returns the type of a column, or of a part of one, that a person or an
// event names: a column by any of its names, or a path as [schema.ParsePath] reads
// it, in any casing. ok is false if there is none.
func (v Version) TypeOf(name string) (t schema.Type, ok bool) {
	if c, ok := v.Named(name); ok {
		t, err := c.SchemaType()
		return t, err == nil
	}
	path, err := schema.ParsePath(name)
	if err != nil {
		return nil, false
	}
	c, ok := v.Named(path[0])
	if !ok {
		return nil, false
	}
	if t, err = c.SchemaType(); err != nil {
		return nil, false
	}
	return partOf(t, path[1:])
}

// Named finds the column of a name: the one in files, another that people decided
// it has, or the stored one.
func (v Version) Named(name string) (c Column, ok bool) {
	names := choicesOf(v.Decisions)
	title := names.target(schema.TrimName(name))
	if at := v.column(title); at >= 0 {
		return v.Columns[at], true
	}
	at := slices.IndexFunc(v.Columns, func(c Column) bool { return schema.Fold(c.Name) == schema.Fold(name) })
	if at < 0 {
		return c, false
	}
	return v.Columns[at], true
}

// partOf finds a part of a type by the names in files, or the stored ones.
func partOf(t schema.Type, path schema.Path) (schema.Type, bool) {
	if len(path) == 0 {
		return t, true
	}
	switch t := t.(type) {
	case schema.Struct:
		at := slices.IndexFunc(t.Fields, func(f schema.Field) bool {
			original, _ := schema.Original(f)
			return schema.Fold(original) == schema.Fold(path[0])
		})
		if at < 0 {
			at = t.Lookup(path[0])
		}
		if at >= 0 {
			return partOf(t.Fields[at].Type, path[1:])
		}
	case schema.Array:
		if schema.Fold(path[0]) == "element" {
			return partOf(t.Element, path[1:])
		}
	case schema.Map:
		switch schema.Fold(path[0]) {
		case "key":
			return partOf(t.Key, path[1:])
		case "value":
			return partOf(t.Value, path[1:])
		}
	}
	return nil, false
}
