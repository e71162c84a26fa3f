package laws_test

import (
	"context"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/column"
)

// TestHints: what a scanner says of its nodes is nothing but what their text says, so
// that the evidence is the same without.
func TestHints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := trials().Filter(func(c trial) bool { return c.tree }).Draw(t, "case")
		l := &landing{source: &c.source, parts: sound()}
		for _, f := range c.files {
			with, err := l.seen(f, false)
			if err != nil {
				t.Fatal(err)
			}
			without, err := l.seen(f, true)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(with, without) {
				t.Fatalf("%q: got %+v, want %+v", f.text, with, without)
			}
		}
	})
}

// seen is the evidence of a file, with the hints of its scanner or without.
func (l *landing) seen(f file, bare bool) (column.Evidence, error) {
	o := column.NewObserver(&l.forms, 0)
	r, err := l.open(&object{file: f}, l.slabBytes(f))
	if err != nil || r == nil {
		return column.Evidence{}, err
	}
	for slab, err := range r.Slabs(context.Background()) {
		if err != nil {
			return column.Evidence{}, err
		}
		if bare {
			withoutHints(slab)
		}
		o.Add(slab)
	}
	return o.Evidence(nil), nil
}

// slabBytes is a size of slabs of which a file has some.
func (l *landing) slabBytes(f file) int { return 1 + len(f.text)/3 }
