package contract

// Change is one difference between two versions.
type Change struct {
	// Kind is added, removed, retyped, renamed, retired or restored.
	Kind string `json:"kind"`
	// Path names the column, or the part of one, by original names.
	Path string `json:"path"`
	// From and To are types, or names of a renamed one.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// Diff lists what changed from a to b, in the order of b's columns.
func Diff(a, b Version) []Change { return nil }

// Rollback returns the version after now that has the columns of to: what came
// since is retired.
func Rollback(now, to Version) Version { return now }
