package source

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/table"
)

// Twins knows what tells whether a source is the only one that lands its folder
// in its table. Under a second state its rows would stand there twice.
type Twins struct {
	Data  store.Store
	Table table.Table
	// Root is the source's folder, Own where its state is.
	Root, Own string
	// Siblings names sources that may share the folder, since they divide its
	// files among them.
	Siblings []string
	Open     func(url string) (store.Store, error)
	Folders  Folders
}

// Check stops if the folder is landed under another state: one that there is,
// or, if landed is set, only one that the table has batches of.
func (t Twins) Check(ctx context.Context, landed bool) error {
	all, err := t.others(ctx)
	if err != nil {
		return err
	}
	var snap *table.Snapshot
	if landed {
		if snap, err = t.Table.Snapshot(ctx); errors.Is(err, table.ErrNoTable) {
			return nil
		} else if err != nil {
			return err
		}
	}
	for _, f := range all {
		was := f.Identity
		if landed && snap.Txns[was.App()] == 0 {
			continue
		}
		return diag.New(diag.StateForeign, "the table holds this folder's files already, landed as source %q", was.Name).
			In(diag.Place{File: f.URL}).
			Hinted("keep its name (--source %s, or in landfall.yaml) and the place of its state; or land into another table", was.Name)
	}
	return nil
}

// Other returns the state under which the folder is landed instead of Own, zero
// if there is none: what has landed is told there.
func (t Twins) Other(ctx context.Context) (Located, error) {
	all, err := t.others(ctx)
	if err != nil || len(all) == 0 {
		return Located{}, err
	}
	return all[0], nil
}

// others returns the states but Own that the folder is landed under.
func (t Twins) others(ctx context.Context) ([]Located, error) {
	all, err := All(ctx, t.Data, t.Table, t.Open)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(f Located) bool {
		was := f.Identity
		same := was.Root == t.Root || t.Folders.Same(was.Root, t.Root)
		return !same || f.URL == t.Own || slices.Contains(t.Siblings, was.Name)
	}), nil
}

// Astray stops when a source of the table keeps its state in another place than
// beside it, and nothing is there any more: it may be the one that is landed.
func Astray(ctx context.Context, t table.Table, open func(url string) (store.Store, error)) error {
	snap, err := t.Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(snap.Config)) {
		at, uuid := snap.Config[key], strings.TrimPrefix(key, ConfigPrefix)
		if uuid == key || !strings.Contains(at, "://") || snap.Txns["landfall/"+uuid] == 0 {
			continue
		}
		kept, err := open(at)
		if err != nil {
			continue // a place that this machine does not know
		}
		ids, err := state.New(kept).Identities(ctx)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return diag.New(diag.StateLost, "the table holds batches up to %d of a source whose state is gone (%s)", snap.Txns["landfall/"+uuid], uuid).
				In(diag.Place{File: at}).
				Hinted("restore the folder from a backup, or land with the option that says where it is now; or begin anew: landfall reset, --keep or --reprocess")
		}
	}
	return nil
}

// All returns all sources of a table: those that keep their state beside
// it, and those that keep it where the table's properties say, if that can be
// opened here.
func All(ctx context.Context, data store.Store, t table.Table, open func(url string) (store.Store, error)) ([]Located, error) {
	found, err := States(ctx, data)
	if err != nil {
		return nil, err
	}
	snap, err := t.Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(snap.Config)) {
		at := snap.Config[key]
		if !strings.HasPrefix(key, ConfigPrefix) || !strings.Contains(at, "://") {
			continue
		}
		kept, err := open(at)
		if err != nil {
			continue // another machine's: nothing to compare
		}
		ids, err := state.New(kept).Identities(ctx)
		if err != nil {
			return nil, err
		}
		if len(ids) > 0 {
			found = append(found, Located{URL: at, Store: kept, Identity: ids[len(ids)-1]})
		}
	}
	return found, nil
}
