package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// ChangesKey is the metadata key under which a table with Delta's type widening
// keeps what the types of a field, or in it, were before.
const ChangesKey = "delta.typeChanges"

// ReadsAs reports whether a scalar type may become another in a table with Delta's
// type widening: its readers take the values of the one in data files for the other.
// Each value of the one is one of the other, but not every type that widens has such
// files read: no bigint is read as a double, and no date as an instant. An integer
// needs a decimal with the digits of its whole type, 10, or 20 for a bigint.
func ReadsAs(from, to Type) bool {
	if !Scalar(from) || !Scalar(to) || from == to {
		return false
	}
	if _, decimal := to.(Decimal); decimal {
		held, ok := asDecimal(from)
		return ok && Widens(held, to)
	}
	switch to {
	case Type(Timestamp), Type(Float):
		return false
	}
	return from != Type(Unknown) && Widens(from, to)
}

// AllReadAs reports whether a type differs from another in scalars alone, and each of
// these may be read as the other. Fields that structs gain are null in what stands.
func AllReadAs(from, to Type) bool {
	switch from := from.(type) {
	case Struct:
		to, same := to.(Struct)
		return same && allReadAs(from, to)
	case Array:
		to, same := to.(Array)
		return same && (to.ContainsNull || !from.ContainsNull) && AllReadAs(from.Element, to.Element)
	case Map:
		to, same := to.(Map)
		return same && (to.ValueContainsNull || !from.ValueContainsNull) &&
			AllReadAs(from.Key, to.Key) && AllReadAs(from.Value, to.Value)
	}
	return from == to || ReadsAs(from, to)
}

func allReadAs(from, to Struct) bool {
	met := 0
	for _, f := range to.Fields {
		i := slices.IndexFunc(from.Fields, func(g Field) bool { return g.Name == f.Name })
		switch {
		case i < 0 && !f.Nullable:
			return false
		case i < 0:
			continue
		case from.Fields[i].Nullable && !f.Nullable, !AllReadAs(from.Fields[i].Type, f.Type):
			return false
		}
		met++
	}
	return met == len(from.Fields)
}

// TypeChange is a scalar type that became another: that of a field, or at a path of
// "element", "key" and "value" in the field's arrays and maps.
type TypeChange struct {
	From, To Type
	Path     Path
}

// typeChange is a TypeChange as metadata has it.
type typeChange struct {
	From string `json:"fromType"`
	To   string `json:"toType"`
	Path string `json:"fieldPath,omitempty"`
}

// TypeChanges returns what a field's metadata says of its types, oldest first; an
// error if it cannot be understood. Fields of structs in it speak for themselves.
func (f Field) TypeChanges() ([]TypeChange, error) {
	raw, some := f.Metadata[ChangesKey]
	if !some {
		return nil, nil
	}
	var list []typeChange
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("column %q: metadata %s: %w", f.Name, ChangesKey, err)
	}
	var changes []TypeChange
	for _, c := range list {
		from, err := parseNamed(c.From, f.Name)
		if err != nil {
			return nil, err
		}
		to, err := parseNamed(c.To, f.Name)
		if err != nil {
			return nil, err
		}
		var path Path
		if c.Path != "" {
			if path, err = ParsePath(c.Path); err != nil {
				return nil, fmt.Errorf("column %q: metadata %s: %w", f.Name, ChangesKey, err)
			}
		}
		changes = append(changes, TypeChange{from, to, path})
	}
	return changes, nil
}

// WithTypeChanges returns the field with what its scalars have been in its metadata,
// after what stands there, as have the fields of structs in it; was is the type before.
func (f Field) WithTypeChanges(was Type) (Field, error) {
	var own []typeChange
	t, err := recorded(was, f.Type, nil, &own)
	if err != nil {
		return f, err
	}
	f.Type = t
	if len(own) == 0 {
		return f, nil
	}
	var list []json.RawMessage
	if raw, some := f.Metadata[ChangesKey]; some {
		if err := json.Unmarshal(raw, &list); err != nil {
			return f, fmt.Errorf("column %q: metadata %s: %w", f.Name, ChangesKey, err)
		}
	}
	for _, c := range own {
		raw, err := json.Marshal(c)
		if err != nil {
			return f, fmt.Errorf("column %q: %w", f.Name, err)
		}
		list = append(list, raw)
	}
	text, err := json.Marshal(list)
	if err != nil {
		return f, fmt.Errorf("column %q: %w", f.Name, err)
	}
	if f.Metadata = maps.Clone(f.Metadata); f.Metadata == nil {
		f.Metadata = map[string]json.RawMessage{}
	}
	f.Metadata[ChangesKey] = text
	return f, nil
}

// recorded returns a type whose structs' fields have their changes, and adds those of
// its own scalars to own. What cannot be read as it is now is not recorded.
func recorded(was, is Type, at Path, own *[]typeChange) (Type, error) {
	var err error
	switch is := is.(type) {
	case Struct:
		was, same := was.(Struct)
		if !same {
			return is, nil
		}
		fields := slices.Clone(is.Fields)
		for i, f := range fields {
			old := slices.IndexFunc(was.Fields, func(g Field) bool { return g.Name == f.Name })
			if old < 0 {
				continue
			}
			if fields[i], err = f.WithTypeChanges(was.Fields[old].Type); err != nil {
				return is, err
			}
		}
		return Struct{Fields: fields}, nil
	case Array:
		if was, same := was.(Array); same {
			is.Element, err = recorded(was.Element, is.Element, at.Child("element"), own)
		}
		return is, err
	case Map:
		if was, same := was.(Map); same {
			if is.Key, err = recorded(was.Key, is.Key, at.Child("key"), own); err == nil {
				is.Value, err = recorded(was.Value, is.Value, at.Child("value"), own)
			}
		}
		return is, err
	}
	if !ReadsAs(was, is) {
		return is, nil
	}
	from, err := jsonName(was)
	if err != nil {
		return is, err
	}
	to, err := jsonName(is)
	*own = append(*own, typeChange{from, to, at.String()})
	return is, err
}

// jsonName is the name of a scalar in Delta's JSON.
func jsonName(t Type) (string, error) {
	quoted, err := appendType(nil, t, 0)
	if err != nil {
		return "", err
	}
	name, err := jsontext.AppendUnquote(nil, quoted)
	return string(name), err
}

// WithoutTypeChanges returns the field without what its metadata, and that of fields
// in it, says of types that were: for a column that all files hold as it is.
func (f Field) WithoutTypeChanges() Field {
	if _, some := f.Metadata[ChangesKey]; some {
		if f.Metadata = maps.Clone(f.Metadata); len(f.Metadata) == 1 {
			f.Metadata = nil
		}
		delete(f.Metadata, ChangesKey)
	}
	f.Type = forgetful(f.Type)
	return f
}

func forgetful(t Type) Type {
	switch t := t.(type) {
	case Struct:
		fields := slices.Clone(t.Fields)
		for i := range fields {
			fields[i] = fields[i].WithoutTypeChanges()
		}
		return Struct{Fields: fields}
	case Array:
		t.Element = forgetful(t.Element)
		return t
	case Map:
		t.Key, t.Value = forgetful(t.Key), forgetful(t.Value)
		return t
	}
	return t
}
