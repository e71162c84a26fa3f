package contract

import (
	"landfall/internal/column"
	"landfall/internal/schema"
)

// Infer returns the type of a path from the evidence on it (docs/inference.md).
// Fields of structs go by the names of the files.
func Infer(e *column.Evidence, r Rules) schema.Type {
	return schema.String
}
