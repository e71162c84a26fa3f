package schema_test

import (
	"testing"

	"landfall/internal/schema"
)

// A field under another name is found in data files by the one it has there.
func TestWithPhysicalName(t *testing.T) {
	f := schema.Field{Name: "extra note", Type: schema.String}
	g := schema.WithPhysicalName(f, "extra_note")
	if schema.PhysicalName(g) != "extra_note" || g.Name != "extra note" {
		t.Errorf("found %q for %q, want extra_note", schema.PhysicalName(g), g.Name)
	}
	if schema.PhysicalName(f) != "extra note" {
		t.Errorf("found %q, want the field as it was", schema.PhysicalName(f))
	}
}
