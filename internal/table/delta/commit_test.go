package delta

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/store/fault"
	"landfall/internal/store/memory"
	"landfall/internal/table"
)

// tableOf makes a table of the given commits and returns it at the newest.
func tableOf(t *testing.T, commits ...[]string) (*memory.Store, *Table, *table.Snapshot) {
	t.Helper()
	disk := memory.New(nil)
	for v, lines := range commits {
		putLines(t, disk, versionKey(int64(v)), lines...)
	}
	tbl := Open(disk, testOptions())
	base, err := tbl.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return disk, tbl, base
}

func first(more ...string) []string {
	return append([]string{protocolLine, metaLine, addLine("x"), addLine("y")}, more...)
}

func txnLine(app string, version int64) string {
	return fmt.Sprintf(`{"txn":{"appId":%q,"version":%d}}`, app, version)
}

func attemptLine(id string) string {
	return fmt.Sprintf(`{"commitInfo":{"landfallAttempt":%q,"operation":["not","a","string"]}}`, id)
}

// The changes of the conflict table, all on a table of the files x and y.
func appendChange(*table.Snapshot) table.Change {
	return table.Change{App: "landfall/s", Batch: 7, Attempt: "ours", Adds: []table.File{dataFile("new")}}
}

func replaceChange(base *table.Snapshot) table.Change {
	c := appendChange(base)
	c.Removes = []table.File{base.Files()[table.Key{Path: "x"}]}
	return c
}

func widenChange(base *table.Snapshot) table.Change {
	c := appendChange(base)
	s := withColumn(base.Schema, "more")
	c.Schema = &s
	return c
}

func retypeChange(*table.Snapshot) table.Change {
	c := appendChange(nil)
	c.Schema = &schema.Struct{Fields: []schema.Field{text("a")}}
	return c
}

func TestConflicts(t *testing.T) {
	changes := map[string]func(*table.Snapshot) table.Change{
		"append": appendChange, "replace": replaceChange, "column": widenChange, "retype": retypeChange,
	}
	const rebased = "version 2 by ours"
	for _, c := range []struct {
		name  string
		other [][]string
		// want is the outcome for append, replace, column, retype; the last one
		// given stands for the rest.
		want []string
	}{
		{"nothing", nil, []string{"version 1 by ours"}},
		{"append", [][]string{{addLine("z")}}, []string{rebased, rebased, rebased, "conflict 1 added"}},
		{"DELETE of x", [][]string{{removeLine("x")}}, []string{rebased, "conflict 1 removed", rebased}},
		{"DELETE of y", [][]string{{removeLine("y")}}, []string{rebased}},
		{
			"OPTIMIZE",
			[][]string{{removeLine("x"), removeLine("y"), addLine("xy")}},
			[]string{rebased, "conflict 1 removed", rebased, "conflict 1 added"},
		},
		{
			"DELETE and RESTORE of x",
			[][]string{{removeLine("x")}, {addLine("x")}},
			[]string{"version 3 by ours", "version 3 by ours", "version 3 by ours", "conflict 2 added"},
		},
		{
			"vector on x",
			[][]string{{removeLine("x"), `{"add":{"path":"x","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true,"deletionVector":{"storageType":"u","pathOrInlineDv":"p","sizeInBytes":1,"cardinality":1}}}`}},
			[]string{rebased, "conflict 1 removed", rebased, "conflict 1 added"},
		},
		{"metadata", [][]string{{strings.Replace(metaLine, `"k":"v"`, `"k":"w"`, 1)}}, []string{"conflict 1 metadata"}},
		{"protocol", [][]string{{strings.Replace(protocolLine, `:2}`, `:3}`, 1)}}, []string{"conflict 1 protocol"}},
		{"batch of another app", [][]string{{txnLine("landfall/other", 9), addLine("z")}}, []string{rebased, rebased, rebased, "conflict 1 added"}},
		{"earlier batch of ours", [][]string{{txnLine("landfall/s", 6)}}, []string{rebased}},
		{"this batch", [][]string{{attemptLine("theirs"), txnLine("landfall/s", 7)}}, []string{"version 1 by theirs"}},
		{
			"this batch and a later one",
			[][]string{{attemptLine("theirs"), txnLine("landfall/s", 7)}, {attemptLine("next"), txnLine("landfall/s", 8)}},
			[]string{"version 1 by theirs"},
		},
		{"metadata, then this batch", [][]string{{metaLine}, {attemptLine("theirs"), txnLine("landfall/s", 7)}}, []string{"version 2 by theirs"}},
		{
			"our own commit",
			[][]string{{addLine("z")}, {attemptLine("ours"), txnLine("landfall/s", 7), metaLine}, {addLine("q")}},
			[]string{"version 2 by ours"},
		},
	} {
		for i, name := range []string{"append", "replace", "column", "retype"} {
			t.Run(c.name+" against "+name, func(t *testing.T) {
				disk, tbl, base := tableOf(t, first())
				for v, lines := range c.other {
					putLines(t, disk, versionKey(int64(v+1)), lines...)
				}
				r, err := tbl.Commit(t.Context(), base, changes[name](base))
				if got, want := outcome(r, err), c.want[min(i, len(c.want)-1)]; got != want {
					t.Errorf("found %s, want %s", got, want)
				}
			})
		}
	}
}

func outcome(r table.Result, err error) string {
	var c *table.Conflict
	switch {
	case errors.As(err, &c):
		return fmt.Sprintf("conflict %d %s", c.Version, c.Reason)
	case err != nil:
		return err.Error()
	}
	return fmt.Sprintf("version %d by %s", r.Version, r.Attempt)
}

func TestAlreadyLanded(t *testing.T) {
	mine := func(id string, batch int64) []string { return []string{attemptLine(id), txnLine("landfall/s", batch)} }
	disk, tbl, base := tableOf(t, first(), mine("six", 6), []string{addLine("z")}, mine("seven", 7), mine("nine", 9))
	for batch, want := range map[int64]string{7: "version 3 by seven", 8: "version 4 by nine", 9: "version 4 by nine", 6: "version 1 by six"} {
		r, err := tbl.Commit(t.Context(), base, table.Change{App: "landfall/s", Batch: batch, Attempt: "ours"})
		if got := outcome(r, err); got != want {
			t.Errorf("batch %d: found %s, want %s", batch, got, want)
		}
	}
	if err := disk.Delete(t.Context(), versionKey(3)); err != nil {
		t.Fatal(err)
	}
	_, err := tbl.Commit(t.Context(), base, table.Change{App: "landfall/s", Batch: 7, Attempt: "ours"})
	if !errors.Is(err, table.ErrCleaned) {
		t.Errorf("its version was cleaned up: found %v", err)
	}
}

func TestInCommitTimestamps(t *testing.T) {
	protocol := `{"protocol":{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["inCommitTimestamp"]}}`
	meta := strings.Replace(metaLine, `"k":"v"`, `"delta.enableInCommitTimestamps":"true"`, 1)
	future := testOptions().Now().UnixMilli() + 1000
	at := func(ms int64) string { return fmt.Sprintf(`{"commitInfo":{"inCommitTimestamp":%d}}`, ms) }
	disk, tbl, base := tableOf(t, []string{at(1000), protocol, meta})
	times := func() (ms []int64) {
		snap, err := tbl.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for c, err := range tbl.Commits(t.Context(), 0, snap.Version) {
			if err != nil {
				t.Fatal(err)
			}
			ms = append(ms, c.Time.UnixMilli())
		}
		return ms
	}
	c := table.Change{Attempt: "a"}
	if _, err := tbl.Commit(t.Context(), base, c); err != nil {
		t.Fatal(err)
	}
	putLines(t, disk, versionKey(2), at(future)) // a writer whose clock is ahead
	c.Attempt = "b"
	if _, err := tbl.Commit(t.Context(), base, c); err != nil {
		t.Fatal(err)
	}
	now := testOptions().Now().UnixMilli()
	if got, want := times(), []int64{1000, now, future, future + 1}; !slices.Equal(got, want) {
		t.Errorf("found times %v, want %v", got, want)
	}
	if got := lineKinds(t, tbl, 3); !strings.HasPrefix(got, "commitInfo") {
		t.Errorf("found actions %s, want commitInfo first", got)
	}
}

// TestLosesForGood lets another writer win before every create.
func TestLosesForGood(t *testing.T) {
	disk, _, base := tableOf(t, first())
	v := int64(0)
	s := fault.New(disk, fault.Plan{
		Times:  fault.Forever,
		Match:  func(c fault.Call) bool { return c.Op == fault.Create },
		Before: func() { v++; putLines(t, disk, versionKey(v), addLine(fmt.Sprint("other", v))) },
	})
	o := testOptions()
	o.Tries = 4
	_, err := Open(s, o).Commit(t.Context(), base, appendChange(base))
	if diag.CodeOf(err) != diag.ConflictLost || v != 4 {
		t.Errorf("after %d tries: found %v", v, err)
	}
}

// TestLogMovedAway commits to a table whose log no longer has the base's version.
func TestLogMovedAway(t *testing.T) {
	disk, tbl, base := tableOf(t, first(), []string{addLine("z")}, []string{addLine("q")})
	for v := range int64(3) {
		if err := disk.Delete(t.Context(), versionKey(v)); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := tbl.Commit(t.Context(), base, appendChange(base)); outcome(r, err) != "conflict 2 metadata" {
		t.Errorf("nothing left: found %s", outcome(r, err))
	}
	putLines(t, disk, versionKey(0), first(txnLine("landfall/s", 7), attemptLine("again"))...)
	if r, err := tbl.Commit(t.Context(), base, appendChange(base)); outcome(r, err) != "version 0 by again" {
		t.Errorf("made anew with our batch: found %s", outcome(r, err))
	}
	c := appendChange(base)
	c.Batch = 8
	if r, err := tbl.Commit(t.Context(), base, c); outcome(r, err) != "conflict 0 metadata" {
		t.Errorf("made anew: found %s", outcome(r, err))
	}
}

func TestRefusesImpossibleChanges(t *testing.T) {
	_, tbl, base := tableOf(t, first())
	twice := table.Change{Attempt: "a", Adds: []table.File{dataFile("p"), dataFile("p")}}
	foreign := dataFile("p")
	foreign.Partition = map[string]*string{"day": nil}
	for name, try := range map[string]func() error{
		"no attempt":   func() error { _, err := tbl.Commit(t.Context(), base, table.Change{}); return err },
		"a file twice": func() error { _, err := tbl.Commit(t.Context(), base, twice); return err },
		"no such partition": func() error {
			_, err := tbl.Commit(t.Context(), base, table.Change{Attempt: "a", Adds: []table.File{foreign}})
			return err
		},
		"no schema": func() error {
			_, err := Open(memory.New(nil), testOptions()).Commit(t.Context(), nil, table.Change{Attempt: "a"})
			return err
		},
		"no clock": func() error {
			_, err := Open(memory.New(nil), Options{}).Commit(t.Context(), nil, table.Change{Attempt: "a"})
			return err
		},
	} {
		if err := try(); err == nil {
			t.Errorf("%s: committed", name)
		}
	}
	if r, err := tbl.Commit(t.Context(), base, table.Change{Attempt: "a", Removes: []table.File{dataFile("never")}}); outcome(r, err) != "conflict 0 removed" {
		t.Errorf("removing a file that is not live: %s", outcome(r, err))
	}
}

// TestUncertain loses the answer of the create, and cannot read who won: the commit may have
// come true, whatever the reason is that stands in the way.
func TestUncertain(t *testing.T) {
	disk, _, base := tableOf(t, first())
	created := false
	s := fault.New(disk,
		fault.Plan{Kind: fault.Ambiguous, Match: func(c fault.Call) bool {
			hit := c.Op == fault.Create && c.Key == versionKey(1)
			created = created || hit
			return hit
		}},
		fault.Plan{Kind: fault.Fail, Times: fault.Forever, Err: diag.New(diag.LogBroken, "no reading"), Match: func(c fault.Call) bool { return created && c.Op != fault.Create }},
	)
	_, err := Open(s, testOptions()).Commit(t.Context(), base, appendChange(base))
	if !errors.Is(err, table.ErrUncertain) || diag.CodeOf(err) != diag.LogBroken {
		t.Errorf("found %v", err)
	}
	if _, err := disk.Stat(t.Context(), versionKey(1)); err != nil {
		t.Errorf("the commit did not come true: %v", err)
	}
	bad := appendChange(base)
	bad.Removes = []table.File{dataFile("never")}
	if _, err := Open(disk, testOptions()).Commit(t.Context(), base, bad); errors.Is(err, table.ErrUncertain) {
		t.Errorf("a refusal is certain: found %v", err)
	}
}

// TestInterrupted checks that a cancelled commit is an error and not a defeat.
func TestInterrupted(t *testing.T) {
	disk, _, base := tableOf(t, first())
	ctx, cancel := context.WithCancel(t.Context())
	s := fault.New(disk, fault.Plan{Match: func(c fault.Call) bool { return c.Op == fault.Create }, Before: cancel})
	_, err := Open(s, testOptions()).Commit(ctx, base, appendChange(base))
	var c *table.Conflict
	if !errors.Is(err, context.Canceled) || errors.As(err, &c) {
		t.Errorf("found %v", err)
	}
}

func TestCheckpointTrouble(t *testing.T) {
	disk, _, base := tableOf(t, first(), []string{addLine("z")})
	var notes []error
	o := testOptions()
	o.Note = func(err error) { notes = append(notes, err) }
	s := fault.New(disk, fault.Plan{Kind: fault.Fail, Match: func(c fault.Call) bool { return c.Op == fault.Commit }})
	r, err := Open(s, o).Commit(t.Context(), base, appendChange(base))
	if outcome(r, err) != "version 2 by ours" || len(notes) != 1 || !errors.Is(notes[0], store.ErrTransient) {
		t.Errorf("found %s with notes %v", outcome(r, err), notes)
	}
	if disk.Pending() != 0 {
		t.Error("an upload was left open")
	}
}
