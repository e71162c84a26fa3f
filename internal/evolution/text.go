package evolution

import (
	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/inference"
	"landfall/internal/schema"
)

// tellTexts notes what lands in a string as text and is no text where it comes
// from: objects and arrays as JSON, and numbers, dates and booleans of files that
// declare their types. Nothing of it is lost, but it is not what the other values
// are. Where a hint wants the string it is no news.
func (e *evolution) tellTexts(objects []contract.ObjectEvidence) error {
	for at, c := range e.index.Columns {
		if c.Retired || c.Hinted || e.left[at] || e.sights[at] == nil {
			continue
		}
		t, err := c.SchemaType()
		if err != nil {
			return err
		}
		e.texts(objects, c.Path(), t, e.sights[at])
	}
	return nil
}

// texts walks a type beside what the batch says of it.
func (e *evolution) texts(objects []contract.ObjectEvidence, path schema.Path, t schema.Type, s *inference.Sight) {
	switch t := t.(type) {
	case schema.Struct:
		names := contract.FieldsOf(t, e.policy)
		for _, m := range s.Members {
			if at, _ := names.Find(m.Name()); at >= 0 {
				original, _ := schema.Original(t.Fields[at])
				e.texts(objects, path.Child(original), t.Fields[at].Type, m)
			}
		}
	case schema.Array:
		if elements := s.Elements(); elements != nil {
			e.texts(objects, path.Child("element"), t.Element, elements)
		}
	case schema.Map:
		if s.Key != nil {
			e.texts(objects, path.Child("value"), t.Value, s.Values())
		}
	case schema.Primitive:
		if t == schema.String {
			e.structuredTexts(objects, path, &s.Own)
			e.declaredTexts(objects, path, &s.Own)
		}
	}
}

// structuredTexts notes the values of a string that are objects, arrays or maps.
func (e *evolution) structuredTexts(objects []contract.ObjectEvidence, path schema.Path, own *column.Evidence) {
	n := own.Objects.Count + own.Arrays.Count + own.Maps.Count
	if n == 0 {
		return
	}
	d := event.Drift{From: "struct", To: schema.String.String(), Count: n}
	switch {
	case !own.Objects.IsZero():
	case !own.Arrays.IsZero():
		d.From = "array"
	default:
		d.From = "map"
	}
	d.File, d.Record = firstOf(objects, path, func(at *column.Evidence) (first int64) {
		for _, s := range []column.Seen{at.Objects, at.Arrays, at.Maps} {
			if s.Count > 0 && (first == 0 || s.First < first) {
				first = s.First
			}
		}
		return first
	})
	e.noteAt(path, event.TypeConflict, "land as JSON text", d)
}

// declaredTexts notes the values of a string that have another type in files, each
// type once.
func (e *evolution) declaredTexts(objects []contract.ObjectEvidence, path schema.Path, own *column.Evidence) {
	for _, typ := range own.Types {
		n := typ.Count
		switch typ.Type {
		case schema.String.String():
			continue
		case schema.Binary.String():
			n -= typ.Inexact // these do not land
		}
		if n == 0 {
			continue
		}
		d := event.Drift{From: typ.Type, To: schema.String.String(), Count: n}
		d.File, d.Record = firstOf(objects, path, func(at *column.Evidence) int64 {
			for _, other := range at.Types {
				if other.Type == typ.Type && other.Count > 0 {
					return other.First
				}
			}
			return 0
		})
		e.noteAt(path, event.TypeConflict, "land as text", d)
	}
}

// firstOf says where a path had a value of some kind first; first tells the record
// in the evidence of one object, 0 for none.
func firstOf(objects []contract.ObjectEvidence, path schema.Path, first func(*column.Evidence) int64) (file string, record int64) {
	for _, o := range objects {
		for _, at := range at(&o.Evidence, path) {
			if record = first(at); record > 0 {
				return o.Path, record
			}
		}
	}
	return "", 0
}

// at returns the evidence of a path, once for each casing.
func at(e *column.Evidence, path schema.Path) []*column.Evidence {
	if len(path) == 0 {
		return []*column.Evidence{e}
	}
	var found []*column.Evidence
	for i := range e.Fields {
		if f := &e.Fields[i]; schema.Fold(schema.TrimName(f.Name)) == schema.Fold(path[0]) {
			found = append(found, at(&f.Evidence, path[1:])...)
		}
	}
	part := path[0]
	switch {
	case part == "key" && e.Key != nil:
		found = append(found, at(e.Key, path[1:])...)
	case e.Element != nil && (part == "element" || part == "value" && e.Key != nil):
		found = append(found, at(e.Element, path[1:])...)
	}
	return found
}
