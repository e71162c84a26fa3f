// Package source finds the sources of a table and the places where their states
// are kept.
//
// A source is a folder that is landed in a table. Its state stands beside the
// table or in a place that the table's properties tell; under two states its rows
// would land twice, so whoever begins one asks here for the others first.
package source

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/table"
)

// StateRoot is the folder beside a table that holds the state of its sources.
const StateRoot = "_landfall/"

// ConfigPrefix begins the table properties that say where a source's state is;
// the UUID of the source follows.
const ConfigPrefix = "landfall.source."

// Tag is the tag of a data file that names the source of its rows by UUID, for as
// long as no other tool rewrites it.
const Tag = "landfall.source"

// FilePrefix begins the names of all data files of a source.
func FilePrefix(uuid string) string { return "part-" + uuid + "-" }

// Located is the place of a source's state.
type Located struct {
	// Folder is its key in the table's folder, with a slash at the end; "" if
	// the state is elsewhere.
	Folder string
	// URL is where it is, Store what is there.
	URL   string
	Store store.Store
	// Identity is the newest record of who the source is.
	Identity state.Identity
}

// States returns the sources that keep their state in a table's folder, sorted
// by folder.
func States(ctx context.Context, data store.Store) ([]Located, error) {
	var found []Located
	for folder, err := range folders(ctx, data) {
		if err != nil {
			return nil, table.Fault(data.URL(StateRoot), fmt.Errorf("list %s: %w", data.URL(StateRoot), err))
		}
		key := StateRoot + folder + "/"
		kept := store.Below(data, key)
		ids, err := state.New(kept).Identities(ctx)
		if err != nil {
			return nil, err
		}
		if len(ids) > 0 {
			found = append(found, Located{key, state.New(kept).URL(), kept, ids[len(ids)-1]})
		}
	}
	return found, nil
}

// folders yields the folders right below the root of states, in order. Of what is in
// one, which grows with every batch, only the first is listed.
func folders(ctx context.Context, data store.Store) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for after, more := "", true; more; {
			more = false
			for info, err := range data.List(ctx, StateRoot, after) {
				folder, _, nested := strings.Cut(strings.TrimPrefix(info.Key, StateRoot), "/")
				if (err != nil || nested) && !yield(folder, err) || err != nil {
					return
				}
				if nested {
					after, more = StateRoot+folder+"/\xff", true // behind all that is in it
					break
				}
			}
		}
	}
}

// UUIDs returns the UUIDs of all sources that keep their state in the table's
// folder, the forgotten ones included.
func UUIDs(ctx context.Context, data store.Store) (map[string]bool, error) {
	located, err := States(ctx, data)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, at := range located {
		ids, err := state.New(at.Store).Identities(ctx)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			found[id.UUID] = true
			for _, f := range id.Forgets {
				found[f] = true
			}
		}
	}
	return found, nil
}
