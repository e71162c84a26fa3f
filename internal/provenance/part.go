package provenance

import (
	"encoding/json"
	"strings"

	"landfall/internal/schema"
)

// narrow makes a cell one of a part of its column. f is the column in the table.
func (e *Explainer) narrow(p *pending, c Cell, f schema.Field) Cell {
	path := schema.Path{c.Column}
	t, value, raw := f.Type, c.Value, json.RawMessage(nil)
	if c.Raw != nil && json.Valid([]byte(*c.Raw)) {
		raw = json.RawMessage(*c.Raw)
	}
	for _, name := range e.Part {
		var ok bool
		value, raw = inside(t, value, name), inside(t, raw, name)
		if t, name, ok = below(t, name); !ok {
			break
		}
		path = path.Child(name)
	}
	top := c.Field
	c.Column, c.Type, c.Value, c.Raw = path.String(), t.String(), value, nil
	if raw != nil {
		text := string(raw)
		c.Raw = &text
	}
	if c.Rule != nil {
		c.Rule.Evidence = "" // it is of the whole
	}
	if len(value) > 0 && string(value) != "null" {
		c.State, c.Why, c.Policy = Typed, "", ""
		return c
	}
	c.Value = json.RawMessage("null")
	for _, k := range p.row.Rescued {
		if kept, err := schema.ParsePath(k.Path); err == nil && leads(kept, append(schema.Path{top}, e.Part...)) {
			c.State, c.Why, c.Policy = Rescued, k.Why, k.Policy
			return c
		}
	}
	switch {
	case c.State == Rescued || c.State == Ignored: // with the whole
	case raw == nil && p.fields != nil:
		c.State = Missing
	default:
		c.State = Null
	}
	return c
}

// leads tells whether a path leads to another one, or to a whole that has it.
func leads(path, to schema.Path) bool {
	return len(path) <= len(to) && path.Folded() == to[:len(path)].Folded()
}

// below is the type of a part, and the name that it has in the table.
func below(t schema.Type, name string) (schema.Type, string, bool) {
	folded := schema.Fold(name)
	switch t := t.(type) {
	case schema.Struct:
		for _, f := range t.Fields {
			if original, _ := schema.Original(f); schema.Fold(original) == folded || schema.Fold(f.Name) == folded {
				return f.Type, f.Name, true
			}
		}
	case schema.Array:
		return t.Element, folded, folded == "element"
	case schema.Map:
		if folded == "key" {
			return t.Key, folded, true
		}
		return t.Value, folded, folded == "value"
	}
	return t, name, false
}

// inside is the part of a JSON value; of arrays and maps those of all elements, as an
// array. It is nil where there is none.
func inside(t schema.Type, value json.RawMessage, name string) json.RawMessage {
	switch t := t.(type) {
	case schema.Struct:
		return member(t, value, name)
	case schema.Array:
		var all []json.RawMessage
		if json.Unmarshal(value, &all) == nil && all != nil {
			return value
		}
	case schema.Map:
		return ofMap(value, strings.EqualFold(name, "key"))
	}
	return nil
}

// member is the member of an object, or of each object of an array, that is a field of
// a struct.
func member(t schema.Struct, value json.RawMessage, name string) json.RawMessage {
	var many []json.RawMessage
	if json.Unmarshal(value, &many) == nil && many != nil {
		out := make([]json.RawMessage, len(many))
		for i, one := range many {
			if out[i] = member(t, one, name); out[i] == nil {
				out[i] = json.RawMessage("null")
			}
		}
		text, err := json.Marshal(out)
		if err != nil {
			return nil
		}
		return text
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(value, &members) != nil {
		return nil
	}
	names := map[string]bool{schema.Fold(name): true}
	for _, f := range t.Fields {
		if original, _ := schema.Original(f); names[schema.Fold(original)] || names[schema.Fold(f.Name)] {
			names[schema.Fold(original)], names[schema.Fold(f.Name)] = true, true
		}
	}
	for spelt, v := range members {
		if names[schema.Fold(schema.TrimName(spelt))] {
			return v
		}
	}
	return nil
}

// ofMap are the keys or the values of a map, in the order of its text.
func ofMap(value json.RawMessage, keys bool) json.RawMessage {
	d := json.NewDecoder(strings.NewReader(string(value)))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	out := []json.RawMessage{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil
		}
		if keys {
			if v, err = json.Marshal(key); err != nil {
				return nil
			}
		}
		out = append(out, v)
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil
	}
	return text
}
