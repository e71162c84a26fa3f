package contract

import (
	"landfall/internal/column"
	"landfall/internal/event"
	"landfall/internal/schema"
)

// Judge says what the misfits of a column of type t mean, given the evidence on
// its values: value_misfit (single values), type_wider (the values are of a type
// that would hold them and those of t) or type_conflict.
func Judge(t schema.Type, e column.Evidence, p Policy) Kind {
	return event.ValueMisfit
}
