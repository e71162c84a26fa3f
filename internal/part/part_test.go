package part_test

import (
	"testing"

	"landfall/internal/column"
	"landfall/internal/part"
	"landfall/internal/value"
)

// Clocks are found wherever they stand.
func TestHasClocks(t *testing.T) {
	of := func(c value.Class) []column.Seen { return []column.Seen{{Class: c, Count: 1, First: 1}} }
	local := column.Evidence{Strings: of(value.TimestampLocal)}
	within := func(e column.Evidence) column.Evidence {
		return column.Evidence{Fields: []column.FieldEvidence{{Name: "a"}, {Name: "b", Evidence: e}}}
	}
	for name, c := range map[string]struct {
		e    column.Evidence
		want bool
	}{
		"none":       {within(column.Evidence{Bare: of(value.Text), Strings: of(value.IntegerExact)}), false},
		"bare":       {column.Evidence{Bare: of(value.TimestampLocal)}, true},
		"of a field": {within(within(local)), true},
		"in arrays":  {within(column.Evidence{Element: &local}), true},
		"of keys":    {column.Evidence{Key: &local}, true},
	} {
		if got := part.HasClocks(&c.e); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
