package contract

import (
	"fmt"
	"strconv"

	"landfall/internal/schema"
)

// Column is a column of the contract.
type Column struct {
	// Name is the stored name, once given never changed.
	Name string `json:"name"`
	// Original is the name in the first file that had it, trimmed.
	Original string `json:"original"`
	// K is k for the k-th equal name of one header (k ≥ 2), 0 for all others.
	// It is no part of Original, since a file may have a column named "a#2".
	K int `json:"k,omitempty"`
	// Type is the Spark DDL of the column's type, with stored names; "void" for
	// a column that has no type, and no place in the table, yet.
	Type string `json:"type"`
	// Nested maps the paths of struct fields below the column, in stored names
	// and as schema.Path writes them, to their original names where these differ.
	Nested map[string]string `json:"nested,omitempty"`
	// Hinted is set where a hint gave the type, or part of it.
	Hinted bool `json:"hinted,omitempty"`
	// Retired is set by a rollback to a version without the column: it keeps
	// its name, and its values are rescued.
	Retired bool `json:"retired,omitempty"`
	// Partition is set for columns that come from folder names (k=v).
	Partition bool `json:"partition,omitempty"`
	// File and Record say where the column was first seen.
	File   string `json:"file,omitempty"`
	Record int64  `json:"record,omitempty"`
}

// SchemaType returns the type of the column with stored names; fields whose
// original name is another carry it in their metadata ([schema.Original]).
func (c Column) SchemaType() (schema.Type, error) {
	t, err := schema.ParseDDL(c.Type)
	if err != nil {
		return nil, fmt.Errorf("column %s of the contract: %w", c.Name, err)
	}
	if len(c.Nested) == 0 {
		return t, nil
	}
	return withOriginals(t, nil, c.Nested), nil
}

// SetType sets Type and Nested by a type with stored names, whose fields carry their
// original names ([schema.Original]).
func (c *Column) SetType(t schema.Type) {
	c.Type, c.Nested = t.String(), nil
	originals(t, nil, func(path schema.Path, original string) {
		if c.Nested == nil {
			c.Nested = make(map[string]string)
		}
		c.Nested[path.String()] = original
	})
}

// withOriginals puts original names into the metadata of struct fields.
func withOriginals(t schema.Type, path schema.Path, names map[string]string) schema.Type {
	switch t := t.(type) {
	case schema.Struct:
		out := schema.Struct{Fields: make([]schema.Field, len(t.Fields))}
		for i, f := range t.Fields {
			below := path.Child(f.Name)
			f.Type = withOriginals(f.Type, below, names)
			if original, ok := names[below.String()]; ok {
				f = f.WithOriginal(original, 0)
			}
			out.Fields[i] = f
		}
		return out
	case schema.Array:
		t.Element = withOriginals(t.Element, path.Child("element"), names)
		return t
	case schema.Map:
		t.Key = withOriginals(t.Key, path.Child("key"), names)
		t.Value = withOriginals(t.Value, path.Child("value"), names)
		return t
	default:
		return t
	}
}

// originals calls found for every struct field whose original name is another
// than the stored one.
func originals(t schema.Type, path schema.Path, found func(path schema.Path, original string)) {
	switch t := t.(type) {
	case schema.Struct:
		for _, f := range t.Fields {
			below := path.Child(f.Name)
			if original, _ := schema.Original(f); original != f.Name {
				found(below, original)
			}
			originals(f.Type, below, found)
		}
	case schema.Array:
		originals(t.Element, path.Child("element"), found)
	case schema.Map:
		originals(t.Key, path.Child("key"), found)
		originals(t.Value, path.Child("value"), found)
	}
}

// Path is the path of the column in original names.
func (c Column) Path() schema.Path { return schema.Path{c.Title()} }

// Title is what people call the column: its original name, and #k of the k-th
// equal one.
func (c Column) Title() string { return numbered(c.Original, c.K) }

func numbered(name string, k int) string {
	if k < 2 {
		return name
	}
	return name + "#" + strconv.Itoa(k)
}
