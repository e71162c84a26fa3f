package delta

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"landfall/internal/diag"
	"landfall/internal/store"
	"landfall/internal/table"
	"landfall/internal/table/delta/action"
	"landfall/internal/table/delta/checkpoint"
)

// loadTries bounds how often a load begins anew because the log changed under
// it: a cleanup removed what a listing had shown, or a listing of several
// requests saw a later commit but not an earlier one.
const loadTries = 3

var (
	// errMoved: what the listing showed was gone when it was read.
	errMoved = errors.New("the log changed while it was read")
	// errHole: a version is missing between two that are there.
	errHole = errors.New("missing version")
	// errNoStart: nothing to begin a replay with at or after a hint.
	errNoStart = errors.New("no checkpoint where the hint says")
)

// load replays the log to its newest version; table.ErrNoTable if it is empty.
func (t *Table) load(ctx context.Context) (*state, error) { return t.loadAt(ctx, -1) }

// loadAt replays the log to a version, or to the newest if it is negative. The
// hint only saves listing: if it leads nowhere, the whole log is listed.
func (t *Table) loadAt(ctx context.Context, to int64) (*state, error) {
	from, err := readHint(ctx, t.s)
	if err != nil {
		return nil, err
	}
	if to >= 0 && from > to {
		from = 0
	}
	if from > 0 {
		// What goes wrong behind a hint may be the hint's fault.
		st, err := t.loadFrom(ctx, from, to, false)
		if err == nil {
			return st, st.check()
		}
		if !errors.Is(err, errMoved) && !errors.Is(err, errNoStart) && diag.CodeOf(err) != diag.LogBroken {
			return nil, err
		}
	}
	for try := 1; ; try++ {
		st, err := t.loadFrom(ctx, 0, to, try == loadTries)
		switch {
		case err == nil:
			return st, st.check()
		case try == loadTries, !errors.Is(err, errMoved) && !errors.Is(err, errHole):
			return nil, err
		}
	}
}

// loadFrom replays what the log holds of the versions from..to. The newest
// complete checkpoint that can be read is the start. A file that the listing
// showed and that is gone means errMoved, or on the last try a broken log.
func (t *Table) loadFrom(ctx context.Context, from, to int64, last bool) (*state, error) {
	seg, err := listSegment(ctx, t.s, from, to)
	if err != nil {
		return nil, err
	}
	starts := seg.checkpoints()
	if from == 0 {
		if seg.newest < 0 {
			return nil, table.ErrNoTable
		}
		starts = append(starts, start{version: -1})
	}
	broken := errNoStart // why the newest checkpoint was of no use
	for i, c := range starts {
		if err := seg.contiguous(t.s, c.version+1); err != nil {
			if i == 0 {
				return nil, err
			}
			break
		}
		st, err := readStart(ctx, t.s, c)
		if err == nil {
			err = st.replayTo(ctx, t.s, seg.newest)
		}
		gone := errors.Is(err, store.ErrNotExist)
		switch {
		case gone && !last:
			return nil, errors.Join(errMoved, err)
		case gone:
			err = diag.New(diag.LogBroken, "a file of the log is missing: %v", err).
				Hinted("restore the file from a backup or a copy of the table").Because(err)
		case st != nil || diag.CodeOf(err) != diag.LogBroken:
			if n := len(seg.commits); st != nil && n > 0 && seg.commits[n-1] == st.version {
				st.stamp = seg.stamp
			}
			return st, err
		}
		if errors.Is(broken, errNoStart) {
			broken = err
		}
	}
	return nil, broken
}

// replayTo applies the commits up to a version.
func (st *state) replayTo(ctx context.Context, s store.Store, to int64) error {
	for st.version < to {
		if err := st.replay(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// segment is what a listing shows of the log: the part that a replay needs.
type segment struct {
	newest  int64 // -1 if the log is empty
	commits []int64
	stamp   string // of the last of commits
	singles map[int64]string
	parts   map[partsID][]string
}

// partsID tells apart checkpoints of one version in different numbers of parts.
type partsID struct{ version, parts int64 }

// start is a checkpoint, or with version -1 the empty table.
type start struct {
	version int64
	keys    []string
}

func listSegment(ctx context.Context, s store.Store, from, to int64) (*segment, error) {
	seg := &segment{newest: -1, singles: map[int64]string{}, parts: map[partsID][]string{}}
	for n, err := range names(ctx, s, from) {
		if err != nil {
			return nil, err
		}
		if to >= 0 && n.version > to {
			break
		}
		switch n.kind {
		case commitFile:
			seg.commits, seg.stamp = append(seg.commits, n.version), n.stamp
		case checkpointSingle:
			seg.singles[n.version] = n.key
		case checkpointPart:
			id := partsID{n.version, n.parts}
			seg.parts[id] = append(seg.parts[id], n.key)
		}
	}
	if n := len(seg.commits); n > 0 {
		seg.newest = seg.commits[n-1]
	}
	if c := seg.checkpoints(); len(c) > 0 {
		seg.newest = max(seg.newest, c[0].version)
	}
	if to >= 0 && seg.newest < to {
		return nil, missing(s, seg.newest+1, to)
	}
	return seg, nil
}

// checkpoints lists the complete checkpoints, newest first; of one version the
// single file before the parts.
func (g *segment) checkpoints() []start {
	all := make(map[int64]start, len(g.singles))
	for id, keys := range g.parts {
		if int64(len(keys)) == id.parts {
			all[id.version] = start{id.version, keys}
		}
	}
	for v, key := range g.singles {
		all[v] = start{v, []string{key}}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b start) int { return cmp.Compare(b.version, a.version) })
}

// contiguous checks that the commits from a version to the newest are there.
func (g *segment) contiguous(s store.Store, from int64) error {
	i, _ := slices.BinarySearch(g.commits, from)
	for v := from; v <= g.newest; v++ {
		if i >= len(g.commits) || g.commits[i] != v {
			return missing(s, v, g.newest)
		}
		i++
	}
	return nil
}

// readStart returns the state that a checkpoint holds.
func readStart(ctx context.Context, s store.Store, c start) (*state, error) {
	st := newState()
	var sidecars []string
	for _, key := range c.keys {
		err := checkpoint.Read(ctx, s, key, func(a *action.Action) {
			if a.Sidecar != nil {
				sidecars = append(sidecars, sidecarKey(a.Sidecar.Path))
				return
			}
			st.apply(a)
		})
		if err != nil {
			return nil, st.explain(fmt.Errorf("read checkpoint %d: %w", c.version, err))
		}
	}
	for _, key := range sidecars {
		if err := checkpoint.Read(ctx, s, key, st.apply); err != nil {
			return nil, st.explain(fmt.Errorf("read a sidecar of checkpoint %d: %w", c.version, err))
		}
	}
	st.version = c.version
	return st, nil
}

// explain prefers to name a feature that we do not know to the trouble that it
// gave us.
func (st *state) explain(err error) error {
	if st.protocol != nil {
		if unknown := readable(st.protocol); unknown != nil {
			return unknown
		}
	}
	return err
}

// sidecarKey is the key of a sidecar. Writers give its name or its full path;
// the folder is always this one.
func sidecarKey(p string) string { return sidecarFolder + path.Base(action.DecodePath(p)) }
