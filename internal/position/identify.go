package position

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/discovery"
	"landfall/internal/source"
	"landfall/internal/state"
	"landfall/internal/table"
)

// Tries bounds how many records of others a run follows while it finds
// out who the source is.
const Tries = 10

// Identify reads who the source is, or mints its identity. A reset that did not
// come to its end is completed first.
func (p *Position) Identify(ctx context.Context) error {
	root := p.Files.URL("")
	for range Tries {
		ids, err := p.Complete(ctx)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			id, err := p.mint(ctx)
			if err != nil {
				return err
			}
			ids = []state.Identity{id}
		}
		p.Know(ids)
		if p.ID.Root == root {
			return p.giveUp(ctx)
		}
		if !p.Moved {
			return p.moved(root)
		}
		// Whatever stands under the next number now is read in the next round.
		if _, err = p.next(ctx, func(id *state.Identity) { id.Root, id.Cause = root, "moved" }); err != nil {
			return err
		}
	}
	return Busy()
}

func (p *Position) moved(root string) error {
	return diag.New(diag.SourceMoved, "source %q was landed from %s, now it is %s", p.ID.Name, p.ID.Root, root).
		In(diag.Place{File: p.State.URL()}).
		Hinted("if the same files moved there, run again with --moved; if it is another feed, give it a name: --source NAME")
}

// Busy is the error of a run that gives up following what others do.
func Busy() error {
	return diag.New(diag.ConflictLost, "other runs of this source kept changing its state while this one looked").
		Hinted("run again when they are done")
}

// Know takes the records of who the source is for granted.
func (p *Position) Know(ids []state.Identity) {
	p.IDs, p.ID = ids, ids[len(ids)-1]
	p.Roots, p.UUIDs = nil, map[string]bool{}
	for _, id := range ids {
		p.UUIDs[id.UUID] = true
		for _, f := range id.Forgets {
			p.UUIDs[f] = true
		}
		if !slices.Contains(p.Roots, id.Root) {
			p.Roots = append(p.Roots, id.Root)
		}
	}
}

// Complete returns the records of who the source is. If the newest intent is
// that of a reset, its identity is the last of them.
func (p *Position) Complete(ctx context.Context) ([]state.Identity, error) {
	for range Tries {
		ids, err := p.State.Identities(ctx)
		if err != nil {
			return nil, err
		}
		last, err := p.State.LastIntent(ctx)
		if err != nil || last == 0 {
			return ids, err
		}
		in, _, err := p.State.Intent(ctx, last)
		if state.IsBroken(err) {
			return ids, nil // a landing will stop at it, a reset passes it by
		}
		if err != nil || in.Identity == nil || has(ids, in.Identity.UUID) {
			return ids, err
		}
		id := *in.Identity
		id.Number = int64(len(ids)) + 1
		if _, err := p.State.Identify(ctx, id); err != nil {
			return nil, err
		}
	}
	return nil, Busy()
}

func has(ids []state.Identity, uuid string) bool {
	return slices.ContainsFunc(ids, func(id state.Identity) bool { return id.UUID == uuid })
}

// next writes the record that follows p.ID, if nobody else has written one.
func (p *Position) next(ctx context.Context, change func(*state.Identity)) (state.Identity, error) {
	id := p.ID
	id.Number++
	id.At = p.Now().UTC()
	change(&id)
	return p.State.Identify(ctx, id)
}

// still makes sure that the source is still who this run takes it for. It is
// asked after every reading of the table: a reset changes the table's
// properties before it relies on anything, so a commit built on what was read
// before meets a conflict, and its writer comes here.
func (p *Position) still(ctx context.Context) error {
	newest, ok, err := p.State.LastIdentity(ctx)
	switch {
	case err != nil:
		return err
	case !ok:
		return diag.New(diag.StateLost, "the state of the source vanished while it landed").
			In(diag.Place{File: p.State.URL()}).
			Hinted("restore the folder from a backup; or land only files that come from now on: landfall reset %s --keep", p.Args)
	case newest.Number == p.ID.Number && newest.UUID == p.ID.UUID:
		return nil
	case newest.UUID != p.ID.UUID:
		return WasReset()
	}
	ids, err := p.State.Identities(ctx)
	if err != nil {
		return err
	}
	p.Know(ids)
	if root := p.Files.URL(""); p.ID.Root != root {
		return p.moved(root)
	}
	return nil
}

// WasReset is the error of a run whose source took another identity.
func WasReset() error {
	return diag.New(diag.ConflictLost, "the source was reset by another run while this one landed").
		Hinted("what the reset gave up has not landed here; run again")
}

// mint makes the first identity. The table must not remember a source whose
// state is lost: its rows would land a second time.
func (p *Position) mint(ctx context.Context) (state.Identity, error) {
	if err := p.ReadTable(ctx); err != nil {
		return state.Identity{}, err
	}
	id := state.Identity{
		Number: 1, UUID: p.NewID(), Name: p.Name, Root: p.Files.URL(""),
		FileFormat: p.Format, TableID: p.NewID(), TableVersion: -1,
		Keep: p.NewOnly, Cause: "created", At: p.Now().UTC(),
	}
	if err := p.fit(ctx, &id); err != nil {
		// What stands there may be another run's that was faster; it made its
		// identity before all else.
		ids, ierr := p.State.Identities(ctx)
		if ierr != nil || len(ids) == 0 {
			return id, errors.Join(err, ierr)
		}
		return ids[len(ids)-1], nil
	}
	return p.State.Identify(ctx, id)
}

// fit makes a first identity fit the table that is there.
func (p *Position) fit(ctx context.Context, id *state.Identity) error {
	if p.Snap == nil {
		return p.checkEmpty(ctx)
	}
	id.TableID, id.TableVersion = p.Snap.ID, p.Snap.Version
	lost, err := p.Orphans(ctx)
	if err != nil || len(lost) == 0 {
		return err
	}
	where := p.Snap.Config[source.ConfigPrefix+lost[0]]
	return diag.New(diag.StateLost, "the table holds batches up to %d of a source whose state is gone (%s)", p.Snap.Txns["landfall/"+lost[0]], lost[0]).
		In(diag.Place{File: p.stateURL(where)}).
		Hinted("restore the folder from a backup; or land only files that come from now on: landfall reset %s --keep", p.Args)
}

// checkEmpty refuses a folder that holds files and no table, unless they are
// data files of other sources that are about to make the table.
func (p *Position) checkEmpty(ctx context.Context) error {
	refused := p.Table.CheckEmpty(ctx)
	if refused == nil {
		return nil
	}
	known, err := source.UUIDs(ctx, p.Data)
	if err != nil {
		return err
	}
	for info, err := range p.Data.List(ctx, "", "") {
		if err != nil {
			return table.Fault(p.Data.URL(""), err)
		}
		ours := func(uuid string) bool { return strings.HasPrefix(path.Base(info.Key), source.FilePrefix(uuid)) }
		if !discovery.Hidden(info.Key) && !slices.ContainsFunc(slices.Collect(maps.Keys(known)), ours) {
			return refused
		}
	}
	return nil
}

// stateURL is the address of a state by what the table's properties say of it.
func (p *Position) stateURL(where string) string {
	if strings.Contains(where, "://") {
		return where
	}
	return p.Data.URL(strings.TrimSuffix(where, "/"))
}

// Orphans returns the UUIDs of sources that have landed batches in the table
// and whose state cannot be found.
func (p *Position) Orphans(ctx context.Context) ([]string, error) {
	found, err := source.UUIDs(ctx, p.Data)
	if err != nil {
		return nil, err
	}
	for uuid := range p.UUIDs {
		found[uuid] = true
	}
	var lost []string
	for _, app := range slices.Sorted(maps.Keys(p.Snap.Txns)) {
		uuid, ours := strings.CutPrefix(app, "landfall/")
		where, placed := p.Snap.Config[source.ConfigPrefix+uuid]
		// A state that was put elsewhere is its owner's business.
		elsewhere := placed && !strings.HasPrefix(where, source.StateRoot) && where != p.StateKey
		if ours && !found[uuid] && !elsewhere {
			lost = append(lost, uuid)
		}
	}
	return lost, nil
}

// adopt takes the table that stands there when nothing has landed yet: two
// sources, or two tools, raced to create it, or it was made anew.
func (p *Position) adopt(ctx context.Context) error {
	if p.Snap == nil || p.Snap.ID == p.ID.TableID || p.Batch() > p.ID.After {
		return nil
	}
	if _, landed := p.Snap.Txns[p.ID.App()]; landed {
		return nil
	}
	if _, err := p.next(ctx, func(id *state.Identity) {
		id.TableID, id.TableVersion, id.Cause = p.Snap.ID, p.Snap.Version, "adopted"
	}); err != nil {
		return err
	}
	return p.still(ctx)
}

// ReadTable reads the table anew.
func (p *Position) ReadTable(ctx context.Context) error {
	snap, err := p.Table.Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		snap, err = nil, nil
	}
	p.Snap = snap
	return table.Fault(p.Data.URL(""), err)
}

// Look reads the table anew and returns the last batch of ours that it holds.
func (p *Position) Look(ctx context.Context) (held int64, err error) {
	if err := p.ReadTable(ctx); err != nil {
		return 0, err
	}
	if err := p.still(ctx); err != nil {
		return 0, err
	}
	if err := p.adopt(ctx); err != nil {
		return 0, err
	}
	return p.held()
}
