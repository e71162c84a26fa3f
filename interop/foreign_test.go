//go:build interop

package interop

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/store"
	"landfall/internal/store/fault"
)

// foreign is what another writer does to a table between our batches, or in
// the middle of a commit of ours.
type foreign struct {
	name string
	do   func(t *testing.T, dir string)
	// changes is what it does to the rows, nil for nothing.
	changes func(records []string) []string
}

func sparkDoes(statements ...string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		for _, s := range statements {
			spark(t).sql(t, dir, s)
		}
	}
}

func lakeDoes(op string, more args) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		a := args{"path": dir}
		for k, v := range more {
			a[k] = v
		}
		lake(t).do(t, op, a, nil)
	}
}

// minus takes a record out.
func minus(record string) func([]string) []string {
	return func(all []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(r string) bool { return r == record })
	}
}

// plus adds the record of another writer.
func plus(record string) func([]string) []string {
	return func(all []string) []string {
		out := append(slices.Clone(all), record)
		slices.Sort(out)
		return out
	}
}

// others are the foreign writers under whom landing goes on.
func others() []foreign {
	return []foreign{
		{"Spark OPTIMIZE", sparkDoes("optimize %t"), nil},
		{"Spark DELETE", sparkDoes("delete from %t where id = 'b1'"), minus("b.csv b1")},
		{"Spark DELETE with vectors", sparkDoes(
			"alter table %t set tblproperties ('delta.enableDeletionVectors' = 'true')",
			"delete from %t where id = 'b1'"), minus("b.csv b1")},
		{"Spark ALTER ADD COLUMNS", sparkDoes("alter table %t add columns (Extra string)"), nil},
		{"Spark VACUUM", sparkDoes("vacuum %t"), nil},
		{"delta-rs append", lakeDoes("append", args{"columns": args{"id": []any{"f1"}}, "merge": true}), plus("- f1")},
		{"delta-rs optimize", lakeDoes("optimize", nil), nil},
		{"delta-rs vacuum", lakeDoes("vacuum", args{"hours": 168}), nil},
	}
}

func (f foreign) apply(records []string) []string {
	if f.changes == nil {
		return records
	}
	return f.changes(records)
}

// TestForeignBetween has others write between two landings. The second lands a
// new file and a rewritten one, whose old rows must go.
func TestForeignBetween(t *testing.T) {
	more := []foreign{
		{"Spark OPTIMIZE and VACUUM all", sparkDoes("optimize %t", "vacuum %t retain 0 hours"), nil},
		{"delta-rs optimize and vacuum all", func(t *testing.T, dir string) {
			lakeDoes("optimize", nil)(t, dir)
			lakeDoes("vacuum", args{"hours": 0})(t, dir)
		}, nil},
	}
	for _, f := range append(others(), more...) {
		t.Run(f.name, func(t *testing.T) {
			w := newWorld(t)
			for day := range 2 {
				w.deliver(day)
				w.land()
			}
			f.do(t, w.table)
			w.check(f.apply(w.records()))
			for day := 2; day < 4; day++ {
				w.deliver(day)
				w.land()
			}
			w.check(f.apply(w.records()))
		})
	}
}

// TestForeignWithin has others write at the moment when our commit is about to
// create its version.
func TestForeignWithin(t *testing.T) {
	for _, f := range others() {
		t.Run(f.name, func(t *testing.T) {
			w := newWorld(t)
			for day := range 2 {
				w.deliver(day)
				w.land()
			}
			w.deliver(2)
			done := false
			err := w.landThrough(beforeCommit(func() {
				f.do(t, w.table)
				done = true
			}))
			if err != nil || !done {
				t.Fatalf("land: %v; the other writer wrote: %v", err, done)
			}
			w.check(f.apply(w.records()))
			w.deliver(3)
			w.land()
			w.check(f.apply(w.records()))
		})
	}
}

// TestRestore goes back in time between two landings and in the middle of one:
// landing must say so and stop, now and later, for the table no longer holds
// what the state says has landed.
func TestRestore(t *testing.T) {
	restore := sparkDoes("restore table %t to version as of 0")
	t.Run("between", func(t *testing.T) {
		w := newWorld(t)
		for day := range 2 {
			w.deliver(day)
			w.land()
		}
		restore(t, w.table)
		w.check(w.records("a.csv", "b.csv"))
		w.deliver(2)
		w.refused("RESTORE", "landfall reset")
		w.check([]string{"a.csv a1", "a.csv a2", "b.csv b1", "b.csv b2"})
	})
	t.Run("within", func(t *testing.T) {
		w := newWorld(t)
		for day := range 2 {
			w.deliver(day)
			w.land()
		}
		w.deliver(2)
		err := w.landThrough(beforeCommit(func() { restore(t, w.table) }))
		var d *diag.Diagnostic
		if !errors.As(err, &d) || d.Code != diag.TableRestored {
			t.Errorf("the landing under which the table was restored: found %v, wanted %s", err, diag.TableRestored)
		}
		w.refused("RESTORE", "landfall reset")
		once(t, w)
	})
}

// once fails if a record is in the table twice, or both versions of one.
func once(t *testing.T, w *world) {
	t.Helper()
	found, err := read(t, "spark", w.table)
	if err != nil {
		t.Fatal(err)
	}
	all := recordsOf(found)
	if len(slices.Compact(slices.Clone(all))) != len(all) {
		t.Errorf("found records twice: %q", all)
	}
	if slices.Contains(all, "a.csv a2") && slices.Contains(all, "a.csv a3") {
		t.Errorf("found both versions of a.csv: %q", all)
	}
}

// beforeCommit runs another writer once, before the first commit to the log.
func beforeCommit(do func()) func(store.Store) store.Store {
	return func(s store.Store) store.Store {
		return fault.New(s, fault.Plan{
			Match: func(c fault.Call) bool {
				return c.Op == fault.Create && strings.HasPrefix(c.Key, "_delta_log/") && strings.HasSuffix(c.Key, ".json")
			},
			Before: do,
		})
	}
}
