package engine

import (
	"context"

	"landfall/internal/schema"
)

// Sessions runs several statements over the same rows.
type Sessions interface {
	// Session lends a session for the time that use takes.
	Session(ctx context.Context, o SessionOptions, use func(Session) error) error
}

// SessionOptions says what the statements of a session see.
type SessionOptions struct {
	// Views are opened, but no rows of them are read, before a statement asks for them.
	Views    []View
	Listings []Listing
	// Macros are statements of the engine that define functions, to run at the beginning.
	// The functions of Spark are there without.
	Macros string
	// Folders lie on this machine; Write writes to them and to what lies in them.
	Folders []string
}

// Session runs SELECTs of ours in the engine's own SQL, whose time zone is UTC. A
// statement that is wrong is a diag.QueryFailed, which wraps what the engine said as a
// [Reason]; a data file that contradicts its table is a diag.FileUnreadable. A session is
// for one goroutine; its methods may be called while rows of a result are read.
type Session interface {
	// Columns describes the rows of a SELECT without running it. Types are those of
	// Spark that hold all values, but for integers of more than 38 digits; every part of
	// them can be null.
	Columns(ctx context.Context, sql string) (schema.Struct, error)
	// Keep runs a SELECT once and keeps its rows under a name that no view and no other
	// rows have, for later statements, and tells how many they are. They may spill.
	Keep(ctx context.Context, name, sql string) (rows int64, err error)
	// Drop forgets rows that were kept.
	Drop(ctx context.Context, name string) error
	// Query lends the rows of a SELECT.
	Query(ctx context.Context, sql string, use func(Result) error) error
	// Write writes the rows of a SELECT to Parquet files, as Runner.Write does. Their
	// columns are those of as, by place, and fields of structs by name, and have these
	// types: timestamps in microseconds, no field ids. Files say of every column that it
	// may be null; a null where as has none is refused, and so is a value that is not
	// exactly one of its column.
	Write(ctx context.Context, sql string, as schema.Struct, to Target) ([]Written, error)
}

// Reason is what the engine said of a statement that failed, in full; of one that calls
// error('…') just that text.
type Reason struct{ Text string }

// Error is what the engine said.
func (r Reason) Error() string { return r.Text }
