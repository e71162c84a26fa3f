package evolution

import (
	"landfall/internal/contract"
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
	for i := range e.index.Columns {
		c := &e.index.Columns[i]
		t, ok := stored[schema.Fold(c.Name)]
		if !ok || c.Type == schema.Unknown.String() {
			continue
		}
		ours, err := c.SchemaType()
		if err != nil {
			return err
		}
		from := c.Type
		if c.SetType(contract.Follow(ours, t)); c.Type != from {
			e.noteOf(*c, event.TypeAltered, "adopt", event.Drift{From: from, To: c.Type})
		}
	}
	return nil
}
