// Package vacuum removes what attempts at batches left behind: files of runs that
// died, met another writer, or read objects again.
package vacuum

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"landfall/internal/source"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/table"
)

// Keep is how long files of lost attempts are spared at least: another run may
// still be writing them.
const Keep = 7 * 24 * time.Hour

// Source is whose files are looked at.
type Source struct {
	Name  string
	Data  store.Store
	Table table.Table
	State *state.State
}

// Report says what a vacuum removed, or would remove.
type Report struct {
	Source string   `json:"source"`
	Files  []string `json:"files"`
	Bytes  int64    `json:"bytes"`
	// Temporary counts pieces that killed writers left behind.
	Temporary int  `json:"temporary"`
	DryRun    bool `json:"dry_run"`
}

// Run removes what attempts wrote that did not become part of the table,
// once their batch has a mark and they are older than keep by the store's
// clock. It never touches a file of the table: what the log names as live is
// spared whatever the state says of it.
func Run(ctx context.Context, src Source, keep time.Duration, dry bool) (Report, error) {
	v := &vacuum{src: src, dry: dry, done: Report{Source: src.Name, Files: []string{}, DryRun: dry}}
	err := v.run(ctx, keep)
	return v.done, err
}

type vacuum struct {
	src  Source
	dry  bool
	done Report
	// winners is the attempt that the table holds, by batch.
	winners map[int64]string
	// live are the files of the table.
	live   map[string]bool
	before time.Time
	// used are the data files of the attempt that landed batch.
	batch int64
	used  map[string]bool
}

func (v *vacuum) run(ctx context.Context, keep time.Duration) error {
	now, err := v.src.State.Clock(ctx)
	if err != nil {
		return err
	}
	v.before = now.Add(-keep)
	v.winners = map[int64]string{}
	for m, err := range v.src.State.Marks(ctx) {
		if err != nil {
			return err
		}
		v.winners[m.Batch] = m.Attempt
		if m.Kind == state.KindVoid {
			v.winners[m.Batch] = "" // all its attempts lost
		}
	}
	// What an attempt left in the state is looked at in any case, files only if
	// the table says that they are not its own.
	if err := v.sweep(ctx, v.src.State.Store(), "attempts/", false); err != nil {
		return err
	}
	if err := v.readLive(ctx); err != nil {
		return err
	}
	ids, err := v.src.State.Identities(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := v.sweep(ctx, v.src.Data, source.FilePrefix(id.UUID), true); err != nil {
			return err
		}
	}
	return v.sweepTemporary(ctx)
}

func (v *vacuum) readLive(ctx context.Context) error {
	v.live = map[string]bool{}
	snap, err := v.src.Table.Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		return nil
	}
	if err != nil {
		return table.Fault(v.src.Data.URL(""), err)
	}
	for k := range snap.Files() {
		v.live[k.Path] = true
	}
	return nil
}

// sweep removes the files of lost attempts under a prefix, behind which stand
// batch number and attempt id; data files as well that an attempt gave up.
func (v *vacuum) sweep(ctx context.Context, s store.Store, prefix string, data bool) error {
	for info, err := range s.List(ctx, prefix, "") {
		if err != nil {
			return fmt.Errorf("list %s: %w", s.URL(prefix), err)
		}
		if v.live[info.Key] || info.ModTime.After(v.before) {
			continue
		}
		garbage, err := v.garbage(ctx, strings.TrimPrefix(info.Key, prefix), info.Key, data)
		if err != nil {
			return err
		}
		if !garbage {
			continue
		}
		v.done.Files = append(v.done.Files, s.URL(info.Key))
		v.done.Bytes += info.Size
		if v.dry {
			continue
		}
		if err := s.Delete(ctx, info.Key); err != nil {
			return fmt.Errorf("delete %s: %w", s.URL(info.Key), err)
		}
	}
	return nil
}

// garbage tells whether a file named "00000007-<attempt>…" behind its prefix is
// nobody's: that of an attempt which lost, or a data file that the attempt which
// won gave up. What the table once held is its own, for as long as it keeps it.
func (v *vacuum) garbage(ctx context.Context, name, key string, data bool) (bool, error) {
	digits, rest, ok := strings.Cut(name, "-")
	batch, err := strconv.ParseInt(digits, 10, 64)
	winner, marked := v.winners[batch]
	rest, won := strings.CutPrefix(rest, winner)
	won = won && rest != "" && strings.ContainsRune("-/", rune(rest[0]))
	if !ok || err != nil || !marked || won && !data {
		return false, nil
	}
	if !won {
		return true, nil
	}
	used, err := v.filesOf(ctx, batch, winner)
	return used != nil && !used[key], err
}

// filesOf returns the data files of the attempt that landed a batch, nil if its
// record cannot be read.
func (v *vacuum) filesOf(ctx context.Context, batch int64, winner string) (map[string]bool, error) {
	if v.batch == batch {
		return v.used, nil
	}
	a, err := v.src.State.Attempt(ctx, batch, winner)
	v.batch, v.used = batch, nil
	if state.IsBroken(err) {
		return nil, nil
	}
	v.used = map[string]bool{}
	for _, f := range a.Files {
		v.used[f.Path] = true
	}
	return v.used, err
}

func (v *vacuum) sweepTemporary(ctx context.Context) error {
	s, ok := v.src.Data.(store.Sweeper)
	if !ok || v.dry {
		return nil
	}
	n, err := s.SweepTemp(ctx, v.before)
	v.done.Temporary = n
	return err
}
