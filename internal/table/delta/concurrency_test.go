package delta

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/store/fault"
	"landfall/internal/store/memory"
	"landfall/internal/table"
	"landfall/internal/table/delta/action"
)

// committer is Commit, or a planted bug in its place.
type committer func(context.Context, *Table, *table.Snapshot, table.Change) (table.Result, error)

func rightCommit(ctx context.Context, t *Table, base *table.Snapshot, c table.Change) (table.Result, error) {
	return t.Commit(ctx, base, c)
}

// process lands the five batches of one app, as a program would that dies at
// the first error. Batch 2 brings a column, 3 replaces the rows of 1, 4 widens
// the column, for which all rows move into new files, and 5 is empty.
type process struct {
	app    string
	name   string // of the process: attempts of two are never the same
	commit committer
	tries  int
}

const batches = 5

// land runs the process over s until all batches are in the table.
func (p *process) land(s store.Store) error {
	for p.tries < 1000 {
		if done, err := p.step(s); done || err != nil {
			return err
		}
	}
	return errors.New("too many steps: no progress")
}

// step lands the next batch, or finds that it must be computed anew.
func (p *process) step(s store.Store) (done bool, err error) {
	ctx := context.Background()
	tbl := Open(s, testOptions())
	base, err := tbl.Snapshot(ctx)
	if err != nil && !errors.Is(err, table.ErrNoTable) {
		return false, err
	}
	next := int64(1)
	if base != nil {
		next = base.Txns[p.app] + 1
	}
	for ; next <= batches; next++ {
		p.tries++
		c, err := p.change(s, base, next)
		if err != nil {
			return false, err
		}
		r, err := p.commit(ctx, tbl, base, c)
		var conflict *table.Conflict
		if errors.As(err, &conflict) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if r.Attempt == "" || r.Version < 0 {
			return false, fmt.Errorf("batch %d: commit returned %+v", next, r)
		}
		if base, err = tbl.Snapshot(ctx); err != nil {
			return false, err
		}
		if err := verifyColumns(base); err != nil {
			return false, err
		}
	}
	return true, nil
}

// change computes a batch on a snapshot and writes its data file.
func (p *process) change(s store.Store, base *table.Snapshot, n int64) (table.Change, error) {
	c := table.Change{
		App: p.app, Batch: n, Attempt: fmt.Sprintf("%s-%d", p.name, p.tries), TableID: "t-" + p.name,
		Operation: "LAND", Schema: &schema.Struct{Fields: []schema.Field{text("a")}},
	}
	if base != nil {
		c.Schema = &base.Schema
	}
	column := "b_" + strings.ReplaceAll(p.app, "/", "_")
	switch n {
	case 2:
		with := withColumn(*c.Schema, column)
		with.Fields[with.Lookup(column)].Type = schema.Integer
		c.Schema = &with
	case 3:
		for _, f := range base.Files() {
			if f.Tags["batch"] == p.app+" 1" {
				c.Removes = append(c.Removes, f)
			}
		}
	case 4:
		if err := p.widen(s, base, &c, column); err != nil {
			return c, err
		}
	case 5:
		return c, nil
	}
	f := dataFile("part-" + c.Attempt + ".parquet")
	f.Tags = map[string]string{"batch": fmt.Sprintf("%s %d", p.app, n), "attempt": c.Attempt, "columns": c.Schema.String()}
	c.Adds = append(c.Adds, f)
	return c, s.Create(context.Background(), f.Path, []byte("rows"))
}

// widen gives a column a longer type, and moves the rows of all files, whoever
// wrote them, into files that have it.
func (p *process) widen(s store.Store, base *table.Snapshot, c *table.Change, column string) error {
	c.Schema = &schema.Struct{Fields: slices.Clone(base.Schema.Fields)}
	i := c.Schema.Lookup(column)
	if i < 0 {
		return fmt.Errorf("column %s is gone", column)
	}
	c.Schema.Fields[i].Type = schema.Long
	for _, f := range base.Files() {
		f.Moved = true
		c.Removes = append(c.Removes, f)
		f.Path = fmt.Sprintf("moved-%d-%s.parquet", len(c.Removes), c.Attempt)
		f.Tags = maps.Clone(f.Tags)
		f.Tags["columns"] = c.Schema.String()
		c.Adds = append(c.Adds, f)
		if err := s.Create(context.Background(), f.Path, []byte("rows")); err != nil {
			return err
		}
	}
	return nil
}

// verify reads what is in the store and returns what is wrong with it: every
// batch of every app must have landed once, with its file, and nothing else.
func verify(s store.Store, apps ...string) error {
	ctx := context.Background()
	tbl := Open(s, testOptions())
	snap, err := tbl.Snapshot(ctx)
	if err != nil {
		return err
	}
	landed := map[string]int{}
	attempts := map[string]string{}
	for c, err := range tbl.Commits(ctx, 0, snap.Version) {
		if err != nil {
			return err
		}
		if c.App == "" {
			continue
		}
		id := fmt.Sprintf("%s %d", c.App, c.Batch)
		landed[id]++
		attempts[id] = c.Attempt
	}
	want := map[string]int{}
	var files []string
	for _, app := range apps {
		for n := range batches {
			want[fmt.Sprintf("%s %d", app, n+1)] = 1
		}
		files = append(files, app+" 2", app+" 3", app+" 4")
		if snap.Txns[app] != batches {
			return fmt.Errorf("last batch of %s: found %d, want %d", app, snap.Txns[app], batches)
		}
	}
	if !maps.Equal(landed, want) {
		return fmt.Errorf("batches in the log: found %v, want %v", landed, want)
	}
	if len(snap.Schema.Fields) != 1+len(apps) {
		return fmt.Errorf("columns: found %v, want %d", snap.Schema, 1+len(apps))
	}
	return errors.Join(verifyFiles(s, snap, attempts, files), verifyReplay(s, snap.Version))
}

// verifyFiles compares the live files with the batches they should be of.
func verifyFiles(s store.Store, snap *table.Snapshot, attempts map[string]string, want []string) error {
	var found []string
	for _, f := range snap.Files() {
		found = append(found, f.Tags["batch"])
		if a := attempts[f.Tags["batch"]]; f.Tags["attempt"] != a {
			return fmt.Errorf("file %s is live, but attempt %s landed %s", f.Path, a, f.Tags["batch"])
		}
		if _, err := s.Stat(context.Background(), f.Path); err != nil {
			return fmt.Errorf("a live file: %w", err)
		}
	}
	slices.Sort(found)
	slices.Sort(want)
	if !slices.Equal(found, want) {
		return fmt.Errorf("live files: found %v, want %v", found, want)
	}
	return nil
}

// verifyColumns compares the columns that live files have with the table's: at
// no version may a file hold one with another type.
func verifyColumns(snap *table.Snapshot) error {
	for _, f := range snap.Files() {
		columns, err := schema.ParseDDL(f.Tags["columns"])
		if err != nil || retypes(columns.(schema.Struct), snap.Schema) {
			return errors.Join(err, fmt.Errorf("file %s has the columns %s, the table %v", f.Path, f.Tags["columns"], snap.Schema))
		}
	}
	return nil
}

// verifyReplay replays all commits and compares the state with each checkpoint
// on the way: a reader would fall back on commits, and hide a broken one.
func verifyReplay(s store.Store, newest int64) error {
	ctx := context.Background()
	st := newState()
	for v := range newest + 1 {
		if err := st.replay(ctx, s); err != nil {
			return err
		}
		if _, err := s.Stat(ctx, checkpointKey(v)); errors.Is(err, store.ErrNotExist) {
			continue
		}
		checkpoint, err := readStart(ctx, s, start{v, []string{checkpointKey(v)}})
		if err != nil {
			return err
		}
		now := testOptions().Now()
		if got, want := linesOf(checkpoint.checkpointActions(now)), linesOf(st.checkpointActions(now)); got != want {
			return fmt.Errorf("version %d by its commits is\n%s\nbut by its checkpoint\n%s", v, want, got)
		}
	}
	return nil
}

// linesOf renders actions as a commit would hold them.
func linesOf(acts []*action.Action) string {
	var b []byte
	for _, a := range acts {
		plain := *a
		if a.Add != nil { // checkpoints do not say what changed rows
			add := *a.Add
			add.DataChange, plain.Add = false, &add
		}
		if a.Remove != nil { // nor do they repeat the tags of what is gone
			remove := *a.Remove
			remove.DataChange, remove.Tags, plain.Remove = false, nil, &remove
		}
		var err error
		if b, err = action.Append(b, &plain); err != nil {
			return err.Error()
		}
	}
	return string(b)
}

// sweep meets the plan at call 0, 1, 2 … until a landing gets through untouched,
// then lands once more as another process, and verifies. It returns the first
// thing that is wrong.
func sweep(plan fault.Plan, commit committer) (calls int, err error) {
	for ; ; calls += stride {
		disk := memory.New(nil)
		plan.At = calls
		s := fault.New(disk, plan)
		first := &process{app: "landfall/a", name: "first", commit: commit}
		firstErr := first.land(s)
		second := &process{app: "landfall/a", name: "second", commit: commit}
		err := second.land(disk)
		if err == nil {
			err = verify(disk, "landfall/a")
		}
		if err != nil {
			return calls, fmt.Errorf("fault at call %d, which ended in %s: %w", calls, fmt.Sprint(firstErr), err)
		}
		if !s.Struck() {
			_, err := disk.Stat(context.Background(), checkpointKey(2))
			return calls, errors.Join(firstErr, err)
		}
	}
}

// pace says how another process lands its batches.
type pace int

const (
	atOnce   pace = iota // all of them before one call
	justOne              // one before one call
	eachCall             // one before this and each later call
)

// interleave lets another process come in before call 0, 1, 2 … of a landing,
// which may also have a fault. Both land once more at the end.
func interleave(app string, kind fault.Kind, p pace, commit committer) (calls int, err error) {
	for ; ; calls += stride {
		disk := memory.New(nil)
		other := &process{app: app, name: "other", commit: commit}
		var otherErr error
		done := false
		plan := fault.Plan{Kind: kind, At: calls, Before: func() { otherErr = errors.Join(otherErr, other.land(disk)) }}
		if p == eachCall {
			plan.Times = fault.Forever
		}
		if p != atOnce {
			plan.Before = func() {
				if !done && otherErr == nil {
					done, otherErr = other.one(disk)
				}
			}
		}
		s := fault.New(disk, plan)
		first := &process{app: "landfall/a", name: "first", commit: commit}
		err := first.land(s)
		if kind != fault.None {
			err = nil // it may give up
		}
		for _, app := range []string{"landfall/a", app} {
			last := &process{app: app, name: "last " + app, commit: commit}
			err = errors.Join(err, last.land(disk))
		}
		if err = errors.Join(err, otherErr); err == nil {
			err = verify(disk, slices.Compact([]string{"landfall/a", app})...)
		}
		if err != nil {
			return calls, fmt.Errorf("other writer before call %d: %w", calls, err)
		}
		if !s.Struck() {
			return calls, nil
		}
	}
}

// one lands at most one batch.
func (p *process) one(s store.Store) (bool, error) {
	once := *p
	once.commit = func(ctx context.Context, t *Table, base *table.Snapshot, c table.Change) (table.Result, error) {
		r, err := p.commit(ctx, t, base, c)
		if err == nil {
			err = &table.Conflict{Version: r.Version, Reason: "enough"} // ends the step
		}
		return r, err
	}
	done, err := once.step(s)
	p.tries = once.tries
	return done, err
}

func TestSweep(t *testing.T) {
	lost := errors.New("connection reset")
	for name, plan := range map[string]fault.Plan{
		"fail":                {Kind: fault.Fail},
		"fail for good":       {Kind: fault.Fail, Times: fault.Forever},
		"fail otherwise":      {Kind: fault.Fail, Err: lost},
		"done but error":      {Kind: fault.Ambiguous},
		"done but other":      {Kind: fault.Ambiguous, Err: lost},
		"done twice error":    {Kind: fault.Ambiguous, Times: 2},
		"crash":               {Kind: fault.Crash},
		"crash within a read": {Kind: fault.Crash, Fine: true},
	} {
		t.Run(name, func(t *testing.T) {
			calls, err := sweep(plan, rightCommit)
			if err != nil {
				t.Fatal(err)
			}
			if calls < 30 {
				t.Errorf("swept over %d calls: a landing of four batches makes more", calls)
			}
		})
	}
}

func TestInterleave(t *testing.T) {
	for _, c := range []struct {
		name string
		app  string
		kind fault.Kind
		pace pace
	}{
		{"same app at once", "landfall/a", fault.None, atOnce},
		{"same app step by step", "landfall/a", fault.None, eachCall},
		{"same app and a lost answer", "landfall/a", fault.Ambiguous, atOnce},
		{"other app at once", "landfall/b", fault.None, atOnce},
		{"other app once", "landfall/b", fault.None, justOne},
		{"other app step by step", "landfall/b", fault.None, eachCall},
		{"other app and a lost answer", "landfall/b", fault.Ambiguous, atOnce},
		{"other app and a crash", "landfall/b", fault.Crash, atOnce},
	} {
		t.Run(c.name, func(t *testing.T) {
			if calls, err := interleave(c.app, c.kind, c.pace, rightCommit); err != nil {
				t.Fatal(err)
			} else if calls < 30 {
				t.Errorf("swept over %d calls: a landing of four batches makes more", calls)
			}
		})
	}
}

// TestRace lets processes of two apps run free, six for each.
func TestRace(t *testing.T) {
	disk := memory.New(nil)
	var all sync.WaitGroup
	for i := range 12 {
		p := &process{app: "landfall/" + string("ab"[i%2]), name: fmt.Sprintf("p%d", i), commit: rightCommit}
		all.Go(func() {
			if err := p.land(disk); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := verify(disk, "landfall/a", "landfall/b"); err != nil {
		t.Error(err)
	}
}
