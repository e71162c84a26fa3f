package source_test

import (
	"context"
	"testing"
	"time"

	"landfall/internal/diag"
	"landfall/internal/source"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/store/memory"
	"landfall/internal/table/delta"
)

// nowhere knows no folders.
type nowhere struct{}

func (nowhere) Missing(string) bool      { return false }
func (nowhere) Same(string, string) bool { return false }

// A state of the same folder is a twin, but for the source's own, which another
// process may just have made.
func TestTwins(t *testing.T) {
	data := memory.New(func() time.Time { return time.Unix(0, 0) })
	const folder, root = "_landfall/in-01234567/", "file:///in"
	st := state.New(store.Below(data, folder))
	if _, err := st.Identify(t.Context(), state.Identity{Number: 1, UUID: "u", Name: "in", Root: root, TableVersion: -1}); err != nil {
		t.Fatal(err)
	}
	open := func(string) (store.Store, error) { return nil, context.Canceled }
	twins := source.Twins{
		Data: data, Table: delta.Open(data, delta.Options{Now: time.Now}), Root: root, Own: st.URL(),
		Open: open, Folders: nowhere{},
	}
	if err := twins.Check(t.Context(), false); err != nil {
		t.Errorf("its own state is a twin: %v", err)
	}
	twins.Own = data.URL("_landfall/other")
	if err := twins.Check(t.Context(), false); diag.CodeOf(err) != diag.StateForeign {
		t.Errorf("found %v, want %s", err, diag.StateForeign)
	}
}
