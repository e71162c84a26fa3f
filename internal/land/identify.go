package land

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

// configPrefix begins the table properties that say where a source's state is.
const configPrefix = "landfall.source."

// identify reads who the source is, or mints its identity.
func (l *landing) identify(ctx context.Context) error {
	ids, err := l.src.State.Identities(ctx)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		id, err := l.mint(ctx)
		if err != nil {
			return err
		}
		ids = []state.Identity{id}
	}
	l.id = ids[len(ids)-1]
	if root := l.src.Files.URL(""); l.id.Root != root {
		if !l.src.Moved {
			return diag.New(diag.SourceMoved, "source %q was landed from %s, now it is %s", l.id.Name, l.id.Root, root).
				In(diag.Place{File: l.src.State.URL()}).
				Hinted("if the same files moved there, run again with --moved; if it is another feed, give it a name: --source NAME")
		}
		if l.id, err = l.next(ctx, func(id *state.Identity) { id.Root, id.Cause = root, "moved" }); err != nil {
			return err
		}
		ids = append(ids, l.id)
	}
	l.roots, l.uuids = nil, map[string]bool{}
	for _, id := range ids {
		l.uuids[id.UUID] = true
		for _, f := range id.Forgets {
			l.uuids[f] = true
		}
		if !slices.Contains(l.roots, id.Root) {
			l.roots = append(l.roots, id.Root)
		}
	}
	return l.adopt(ctx)
}

// next writes the record that follows l.id.
func (l *landing) next(ctx context.Context, change func(*state.Identity)) (state.Identity, error) {
	id := l.id
	id.Number++
	id.At = l.env.Now().UTC()
	change(&id)
	return l.src.State.Identify(ctx, id)
}

// mint makes the first identity. The table must not remember a source whose
// state is lost: its rows would land a second time.
func (l *landing) mint(ctx context.Context) (state.Identity, error) {
	if err := l.refresh(ctx); err != nil {
		return state.Identity{}, err
	}
	id := state.Identity{
		Number: 1, UUID: l.env.NewID(), Name: l.src.Name, Root: l.src.Files.URL(""),
		FileFormat: l.src.Format, TableID: l.env.NewID(), TableVersion: -1,
		Keep: l.src.Select.NewOnly, Cause: "created", At: l.env.Now().UTC(),
	}
	if l.snap == nil {
		empty := l.src.Table.CheckEmpty(ctx)
		if empty == nil {
			return l.src.State.Identify(ctx, id)
		}
		// The files may be those of another run that was faster; it made its
		// identity before them.
		ids, err := l.src.State.Identities(ctx)
		if err != nil || len(ids) == 0 {
			return id, errors.Join(err, empty)
		}
		return ids[len(ids)-1], nil
	}
	id.TableID, id.TableVersion = l.snap.ID, l.snap.Version
	lost, err := l.orphans(ctx)
	if err != nil {
		return id, err
	}
	for _, uuid := range lost {
		where := l.snap.Config[configPrefix+uuid]
		return id, diag.New(diag.StateLost, "the table holds batches up to %d of a source whose state is gone (%s)", l.snap.Txns["landfall/"+uuid], uuid).
			In(diag.Place{File: l.src.Data.URL(where)}).
			Hinted("restore the folder from a backup; or land only files that come from now on: landfall reset --keep")
	}
	return l.src.State.Identify(ctx, id)
}

// orphans returns the UUIDs of sources that have landed batches in the table
// and whose state cannot be found.
func (l *landing) orphans(ctx context.Context) ([]string, error) {
	found, err := uuids(ctx, l.src.Data)
	if err != nil {
		return nil, err
	}
	var lost []string
	for _, app := range slices.Sorted(maps.Keys(l.snap.Txns)) {
		uuid, ours := strings.CutPrefix(app, "landfall/")
		where, placed := l.snap.Config[configPrefix+uuid]
		// A state that was put elsewhere is its owner's business.
		elsewhere := placed && !strings.HasPrefix(where, stateRoot) && where != l.src.StateKey
		if ours && !found[uuid] && !elsewhere {
			lost = append(lost, uuid)
		}
	}
	return lost, nil
}

// uuids returns the UUIDs of all sources that keep their state in the table's
// folder, the forgotten ones included.
func uuids(ctx context.Context, data store.Store) (map[string]bool, error) {
	located, err := States(ctx, data)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, at := range located {
		ids, err := state.New(store.Below(data, at.Folder)).Identities(ctx)
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

// adopt takes the table that stands there when nothing has landed yet and two
// sources, or two tools, raced to create it.
func (l *landing) adopt(ctx context.Context) error {
	snap, err := l.src.Table.Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		return nil
	}
	if err != nil || snap.ID == l.id.TableID || l.id.TableVersion >= 0 {
		return err
	}
	if _, ok, err := l.src.State.LastMark(ctx); err != nil || ok {
		return err
	}
	l.id, err = l.next(ctx, func(id *state.Identity) {
		id.TableID, id.TableVersion, id.Cause = snap.ID, snap.Version, "adopted"
	})
	return err
}
