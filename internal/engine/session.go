package engine

import (
	"context"

	"landfall/internal/schema"
)

// Stepper runs several statements over the same rows.
type Stepper interface {
	// Steps lends a session for the time that use takes.
	Steps(ctx context.Context, o Steps, use func(Session) error) error
}

// Steps says what the statements of a session may see.
type Steps struct {
	// Views are opened as they are named, whether a statement reads them or not.
	Views    []View
	Listings []Listing
	// Folder is where Write puts files, on this machine; "" for a session that writes
	// none.
	Folder string
}

// Session runs statements of ours, in the engine's own SQL, with the functions that stand
// for those of Spark. Times of wall clocks are in UTC. A statement that is wrong is a
// diag.QueryFailed, a data file that contradicts its table a diag.FileUnreadable.
type Session interface {
	// Keep runs a SELECT once and keeps its rows under a name that later statements read.
	Keep(ctx context.Context, name, sql string) (rows int64, err error)
	// Query lends the rows of a SELECT.
	Query(ctx context.Context, sql string, use func(Result) error) error
	// Write writes the rows of a SELECT to a Parquet file of Steps.Folder, whose columns
	// are those given, by place. What the folder holds after an error is rubbish.
	Write(ctx context.Context, sql string, columns []schema.Field, file string) (Written, error)
}
