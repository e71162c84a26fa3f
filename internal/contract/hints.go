package contract

import "landfall/internal/schema"

// Hints pin the types of columns by path (cloudFiles.schemaHints).
type Hints struct {
	// Text is what a person wrote.
	Text string
	list []Hint
}

// Hint pins the type at a path.
type Hint struct {
	Path schema.Path
	Type schema.Type
}
