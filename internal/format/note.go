package format

// Note is something a person should know about an object although none of its
// values is lost: how its encoding was found, that its first line looks like a
// banner. Notes become events.
type Note struct {
	// Kind names what happened, in snake case: "encoding_detected".
	Kind string
	// Column is the path of the column concerned, as schema.Path writes it; "" for
	// none.
	Column string
	// Message says it, in the form of a diagnostic's message.
	Message string
	// Hint names an action, empty if there is none.
	Hint string
	// Record and Line say where it was met first, 0 if that is not known.
	Record, Line int64
	// Count is how often it was met.
	Count int64
}
