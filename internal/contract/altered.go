package contract

import (
	"landfall/internal/event"
	"landfall/internal/schema"
)

// followTable takes over the types that the table's owner, or another source, gave
// to columns since: what lands in a table has the table's types.
func (e *evolution) followTable() error {
	stored := make(map[string]schema.Type, len(e.table))
	for _, f := range e.table {
		stored[schema.Fold(f.Name)] = f.Type
	}
	for i := range e.index.columns {
		c := &e.index.columns[i]
		t, ok := stored[schema.Fold(c.Name)]
		if !ok || c.Type == schema.Unknown.String() {
			continue
		}
		ours, err := c.SchemaType()
		if err != nil {
			return err
		}
		from := c.Type
		if c.setType(followed(ours, t)); c.Type != from {
			e.noteOf(*c, event.TypeAltered, "adopt", event.Drift{From: from, To: c.Type})
		}
	}
	return nil
}

// followed is one of our types with the table's where they differ. Fields that
// only one side has are left as they are.
func followed(ours, table schema.Type) schema.Type {
	switch t := table.(type) {
	case schema.Struct:
		if o, same := ours.(schema.Struct); same {
			return followedFields(o, t)
		}
	case schema.Array:
		if o, same := ours.(schema.Array); same {
			o.Element = followed(o.Element, t.Element)
			return o
		}
	case schema.Map:
		if o, same := ours.(schema.Map); same {
			o.Key, o.Value = followed(o.Key, t.Key), followed(o.Value, t.Value)
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
			f.Type = followed(f.Type, table.Fields[at].Type)
		}
		s.Fields[i] = f
	}
	return s
}
