package contract

import (
	"landfall/internal/column"
	"landfall/internal/event"
	"landfall/internal/inference"
	"landfall/internal/schema"
)

// tellTexts notes objects and arrays that land in a string, as their own text:
// nothing of them is lost, but it is not what the other values are. Where a hint
// wants the string it is no news.
func (e *evolution) tellTexts(objects []ObjectEvidence) error {
	for at, c := range e.index.columns {
		if c.Retired || c.Hinted || e.left[at] || e.sights[at] == nil {
			continue
		}
		t, err := c.SchemaType()
		if err != nil {
			return err
		}
		e.texts(objects, c.path(), t, e.sights[at])
	}
	return nil
}

// texts walks a type beside what the batch says of it.
func (e *evolution) texts(objects []ObjectEvidence, path schema.Path, t schema.Type, s *inference.Sight) {
	switch t := t.(type) {
	case schema.Struct:
		names := FieldsOf(t, e.policy)
		for _, m := range s.Members {
			if at, _ := names.Find(m.Name()); at >= 0 {
				original, _ := schema.Original(t.Fields[at])
				e.texts(objects, path.Child(original), t.Fields[at].Type, m)
			}
		}
	case schema.Array:
		if s.Element != nil {
			e.texts(objects, path.Child("element"), t.Element, s.Element)
		}
	case schema.Primitive:
		if n := structured(&s.Own); n > 0 && t == schema.String {
			d := event.Drift{From: "struct", To: t.String(), Count: n}
			if s.Own.Objects.IsZero() {
				d.From = "array"
			}
			d.File, d.Record = firstStructured(objects, path)
			e.noteAt(path, event.TypeConflict, "land as JSON text", d)
		}
	}
}

// structured counts the values that are objects or arrays.
func structured(e *column.Evidence) int64 { return e.Objects.Count + e.Arrays.Count }

// firstStructured says where a path had an object or an array first.
func firstStructured(objects []ObjectEvidence, path schema.Path) (file string, record int64) {
	for _, o := range objects {
		for _, at := range at(&o.Evidence, path) {
			if structured(at) == 0 {
				continue
			}
			if record = at.Objects.First; record == 0 || at.Arrays.First > 0 && at.Arrays.First < record {
				record = at.Arrays.First
			}
			return o.Path, record
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
	if e.Element != nil && path[0] == "element" {
		found = append(found, at(e.Element, path[1:])...)
	}
	return found
}
