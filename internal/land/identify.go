package land

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/discovery"
	"landfall/internal/source"
	"landfall/internal/state"
	"landfall/internal/table"
)

// identityTries bounds how many records of others a run follows while it finds
// out who the source is.
const identityTries = 10

// identify reads who the source is, or mints its identity. A reset that did not
// come to its end is completed first.
func (l *landing) identify(ctx context.Context) error {
	root := l.src.Files.URL("")
	for range identityTries {
		ids, err := l.complete(ctx)
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
		l.know(ids)
		if l.id.Root == root {
			return l.giveUp(ctx)
		}
		if !l.src.Moved {
			return l.moved(root)
		}
		// Whatever stands under the next number now is read in the next round.
		if _, err = l.next(ctx, func(id *state.Identity) { id.Root, id.Cause = root, "moved" }); err != nil {
			return err
		}
	}
	return busy()
}

func (l *landing) moved(root string) error {
	return diag.New(diag.SourceMoved, "source %q was landed from %s, now it is %s", l.id.Name, l.id.Root, root).
		In(diag.Place{File: l.src.State.URL()}).
		Hinted("if the same files moved there, run again with --moved; if it is another feed, give it a name: --source NAME")
}

func busy() error {
	return diag.New(diag.ConflictLost, "other runs of this source kept changing its state while this one looked").
		Hinted("run again when they are done")
}

// know takes the records of who the source is for granted.
func (l *landing) know(ids []state.Identity) {
	l.ids, l.id = ids, ids[len(ids)-1]
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
}

// complete returns the records of who the source is. If the newest intent is
// that of a reset, its identity is the last of them.
func (l *landing) complete(ctx context.Context) ([]state.Identity, error) {
	for range identityTries {
		ids, err := l.src.State.Identities(ctx)
		if err != nil {
			return nil, err
		}
		last, err := l.src.State.LastIntent(ctx)
		if err != nil || last == 0 {
			return ids, err
		}
		in, _, err := l.src.State.Intent(ctx, last)
		if state.IsBroken(err) {
			return ids, nil // a landing will stop at it, a reset passes it by
		}
		if err != nil || in.Identity == nil || has(ids, in.Identity.UUID) {
			return ids, err
		}
		id := *in.Identity
		id.Number = int64(len(ids)) + 1
		if _, err := l.src.State.Identify(ctx, id); err != nil {
			return nil, err
		}
	}
	return nil, busy()
}

func has(ids []state.Identity, uuid string) bool {
	return slices.ContainsFunc(ids, func(id state.Identity) bool { return id.UUID == uuid })
}

// next writes the record that follows l.id, if nobody else has written one.
func (l *landing) next(ctx context.Context, change func(*state.Identity)) (state.Identity, error) {
	id := l.id
	id.Number++
	id.At = l.env.Now().UTC()
	change(&id)
	return l.src.State.Identify(ctx, id)
}

// still makes sure that the source is still who this run takes it for. It is
// asked after every reading of the table: a reset changes the table's
// properties before it relies on anything, so a commit built on what was read
// before meets a conflict, and its writer comes here.
func (l *landing) still(ctx context.Context) error {
	newest, ok, err := l.src.State.LastIdentity(ctx)
	switch {
	case err != nil:
		return err
	case !ok:
		return diag.New(diag.StateLost, "the state of the source vanished while it landed").
			In(diag.Place{File: l.src.State.URL()}).
			Hinted("restore the folder from a backup; or land only files that come from now on: landfall reset %s --keep", l.src.Args)
	case newest.Number == l.id.Number && newest.UUID == l.id.UUID:
		return nil
	case newest.UUID != l.id.UUID:
		return wasReset()
	}
	ids, err := l.src.State.Identities(ctx)
	if err != nil {
		return err
	}
	l.know(ids)
	if root := l.src.Files.URL(""); l.id.Root != root {
		return l.moved(root)
	}
	return nil
}

func wasReset() error {
	return diag.New(diag.ConflictLost, "the source was reset by another run while this one landed").
		Hinted("what the reset gave up has not landed here; run again")
}

// mint makes the first identity. The table must not remember a source whose
// state is lost: its rows would land a second time.
func (l *landing) mint(ctx context.Context) (state.Identity, error) {
	if err := l.readTable(ctx); err != nil {
		return state.Identity{}, err
	}
	id := state.Identity{
		Number: 1, UUID: l.env.NewID(), Name: l.src.Name, Root: l.src.Files.URL(""),
		FileFormat: l.src.Format, TableID: l.env.NewID(), TableVersion: -1,
		Keep: l.src.Select.NewOnly, Cause: "created", At: l.env.Now().UTC(),
	}
	if err := l.fit(ctx, &id); err != nil {
		// What stands there may be another run's that was faster; it made its
		// identity before all else.
		ids, ierr := l.src.State.Identities(ctx)
		if ierr != nil || len(ids) == 0 {
			return id, errors.Join(err, ierr)
		}
		return ids[len(ids)-1], nil
	}
	return l.src.State.Identify(ctx, id)
}

// fit makes a first identity fit the table that is there.
func (l *landing) fit(ctx context.Context, id *state.Identity) error {
	if l.snap == nil {
		return l.checkEmpty(ctx)
	}
	id.TableID, id.TableVersion = l.snap.ID, l.snap.Version
	lost, err := l.orphans(ctx)
	if err != nil || len(lost) == 0 {
		return err
	}
	where := l.snap.Config[source.ConfigPrefix+lost[0]]
	return diag.New(diag.StateLost, "the table holds batches up to %d of a source whose state is gone (%s)", l.snap.Txns["landfall/"+lost[0]], lost[0]).
		In(diag.Place{File: l.stateURL(where)}).
		Hinted("restore the folder from a backup; or land only files that come from now on: landfall reset %s --keep", l.src.Args)
}

// checkEmpty refuses a folder that holds files and no table, unless they are
// data files of other sources that are about to make the table.
func (l *landing) checkEmpty(ctx context.Context) error {
	refused := l.src.Table.CheckEmpty(ctx)
	if refused == nil {
		return nil
	}
	known, err := source.UUIDs(ctx, l.src.Data)
	if err != nil {
		return err
	}
	for info, err := range l.src.Data.List(ctx, "", "") {
		if err != nil {
			return table.Fault(l.report.Table, err)
		}
		ours := func(uuid string) bool { return strings.HasPrefix(info.Key, source.FilePrefix(uuid)) }
		if !discovery.Hidden(info.Key) && !slices.ContainsFunc(slices.Collect(maps.Keys(known)), ours) {
			return refused
		}
	}
	return nil
}

// stateURL is the address of a state by what the table's properties say of it.
func (l *landing) stateURL(where string) string {
	if strings.Contains(where, "://") {
		return where
	}
	return l.src.Data.URL(strings.TrimSuffix(where, "/"))
}

// orphans returns the UUIDs of sources that have landed batches in the table
// and whose state cannot be found.
func (l *landing) orphans(ctx context.Context) ([]string, error) {
	found, err := source.UUIDs(ctx, l.src.Data)
	if err != nil {
		return nil, err
	}
	for uuid := range l.uuids {
		found[uuid] = true
	}
	var lost []string
	for _, app := range slices.Sorted(maps.Keys(l.snap.Txns)) {
		uuid, ours := strings.CutPrefix(app, "landfall/")
		where, placed := l.snap.Config[source.ConfigPrefix+uuid]
		// A state that was put elsewhere is its owner's business.
		elsewhere := placed && !strings.HasPrefix(where, source.StateRoot) && where != l.src.StateKey
		if ours && !found[uuid] && !elsewhere {
			lost = append(lost, uuid)
		}
	}
	return lost, nil
}

// adopt takes the table that stands there when nothing has landed yet: two
// sources, or two tools, raced to create it, or it was made anew.
func (l *landing) adopt(ctx context.Context) error {
	if l.snap == nil || l.snap.ID == l.id.TableID || l.batch() > l.id.After {
		return nil
	}
	if _, landed := l.snap.Txns[l.id.App()]; landed {
		return nil
	}
	if _, err := l.next(ctx, func(id *state.Identity) {
		id.TableID, id.TableVersion, id.Cause = l.snap.ID, l.snap.Version, "adopted"
	}); err != nil {
		return err
	}
	return l.still(ctx)
}

// readTable reads the table anew.
func (l *landing) readTable(ctx context.Context) error {
	snap, err := l.src.Table.Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		snap, err = nil, nil
	}
	l.snap = snap
	return table.Fault(l.report.Table, err)
}

// look reads the table anew and returns the last batch of ours that it holds.
func (l *landing) look(ctx context.Context) (held int64, err error) {
	if err := l.readTable(ctx); err != nil {
		return 0, err
	}
	if err := l.still(ctx); err != nil {
		return 0, err
	}
	if err := l.adopt(ctx); err != nil {
		return 0, err
	}
	return l.held()
}
