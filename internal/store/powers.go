package store

import (
	"context"
	"time"
)

// Local has the powers of a store whose objects are files on this machine. A
// store has all of them or none; those who ask want one.
type Local interface {
	Localizer
	Folder
	Sweeper
	Nester
}

// Localizer is a power of local stores.
type Localizer interface {
	// LocalPath returns the operating system's path of a key.
	LocalPath(key string) string
}

// Folder is a power of local stores. Others have no root to miss: an empty
// listing is all they can tell.
type Folder interface {
	// CheckRoot returns ErrNotExist if the root folder is missing, and an error
	// that says so if it is no folder.
	CheckRoot(ctx context.Context) error
}

// Sweeper is a power of local stores: killed writers leave something behind
// that no listing shows.
type Sweeper interface {
	// SweepTemp removes what writers abandoned before olderThan, and returns how
	// many pieces that were.
	SweepTemp(ctx context.Context, olderThan time.Time) (int, error)
}

// Nester is a power of local stores, by which Below keeps the others.
type Nester interface {
	// Nest returns the store of a folder below the root, without slashes at its
	// ends, with the powers that the store itself has.
	Nest(folder string) Store
}
