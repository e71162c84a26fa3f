package store

import (
	"context"
	"time"
)

// Folder is an optional power of stores whose keys lie in real folders.
type Folder interface {
	// CheckRoot returns ErrNotExist if the root folder is missing, and an error
	// that says so if it is no folder. Other stores have no root to miss: an
	// empty listing is all they can tell.
	CheckRoot(ctx context.Context) error
}

// Sweeper is an optional power of stores in which killed writers leave
// something behind that no listing shows.
type Sweeper interface {
	// SweepTemp removes what writers abandoned before olderThan, and returns how
	// many pieces that were.
	SweepTemp(ctx context.Context, olderThan time.Time) (int, error)
}

// Nester is an optional power of stores that can move their root down. Every
// store with another power has this one too, so that Below keeps them all.
type Nester interface {
	// Nest returns the store of a folder below the root, without slashes at its
	// ends, with the powers that the store itself has.
	Nest(folder string) Store
}

// Decorator is a store around another one.
type Decorator interface {
	Store
	Nester
}

// WithPowers returns the decorator b with the powers of p besides its own.
func WithPowers(b Decorator, p Powers) Store {
	l, f, w := p.Localizer, p.Folder, p.Sweeper
	switch {
	case l != nil && f != nil && w != nil:
		return struct {
			Decorator
			Localizer
			Folder
			Sweeper
		}{b, l, f, w}
	case l != nil && f != nil:
		return struct {
			Decorator
			Localizer
			Folder
		}{b, l, f}
	case l != nil && w != nil:
		return struct {
			Decorator
			Localizer
			Sweeper
		}{b, l, w}
	case f != nil && w != nil:
		return struct {
			Decorator
			Folder
			Sweeper
		}{b, f, w}
	case l != nil:
		return struct {
			Decorator
			Localizer
		}{b, l}
	case f != nil:
		return struct {
			Decorator
			Folder
		}{b, f}
	case w != nil:
		return struct {
			Decorator
			Sweeper
		}{b, w}
	}
	return b
}

// Powers are optional powers of one store; nil means that it lacks one.
type Powers struct {
	Localizer Localizer
	Folder    Folder
	Sweeper   Sweeper
}

// PowersOf returns the powers of s, for a decorator to pass on.
func PowersOf(s Store) Powers {
	var p Powers
	p.Localizer, _ = s.(Localizer)
	p.Folder, _ = s.(Folder)
	p.Sweeper, _ = s.(Sweeper)
	return p
}
