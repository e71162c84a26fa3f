package contract

import "landfall/internal/schema"

// pin is what the hints say about one path; the zero value says nothing.
type pin struct{}

func (p Policy) pin(original string, k int) pin { return pin{} }

// none reports whether no hint names the path or a part of it.
func (p pin) none() bool { return true }

func (p pin) child(name string) pin { return pin{} }

func (p pin) apply(t schema.Type) schema.Type { return t }

func (p pin) decision(other string) string { return other }

func (g growth) held(path schema.Path, t schema.Type, pin pin) {}

func (g growth) pinned(path schema.Path, names *Names, came map[string]bool, pin pin) []fresh {
	return nil
}

func (e *evolution) hintColumns() error { return nil }
