package pipeline_test

import (
	"fmt"
	"testing"

	"landfall/internal/pipeline"
	"landfall/internal/pipeline/record"
	"landfall/internal/store"
	"landfall/internal/store/fault"
)

const sweptSQL = `CREATE STREAMING TABLE t (CONSTRAINT some EXPECT (n < 100) ON VIOLATION DROP ROW, CONSTRAINT once EXPECT UNIQUE (id, n) ON VIOLATION DROP ROW);
CREATE FLOW one AS INSERT INTO t BY NAME SELECT id, n FROM STREAM(bronze);
CREATE FLOW two AS INSERT INTO t BY NAME SELECT id + 100 AS id, n FROM STREAM(bronze);
CREATE STREAMING TABLE down AS SELECT id FROM STREAM(t);
CREATE MATERIALIZED VIEW total AS SELECT count(*) AS c, sum(n) AS n FROM t;`

// swept is a table that was run once, and has had a file replaced and one added since.
func swept(t *testing.T) (*world, *source) {
	t.Helper()
	w := newWorld(t)
	s := w.source("bronze", "id", "long", "n", "integer")
	w.says(sweptSQL)
	s.append("a", "VALUES (1, 10), (2, 20), (2, 20)")
	s.append("z", "VALUES (9, 90)")
	w.run()
	s.replace("a2", "VALUES (1, 11), (3, 30)", "a")
	s.append("b", "VALUES (4, 40), (5, 500), (4, 40)")
	return w, s
}

// brought checks that all is as it is without faults, and that records and log agree.
func (w *world) brought(at string, more ...string) {
	w.Helper()
	w.holds("t", append([]string{"1|11", "3|30", "4|40", "9|90", "101|11", "103|30", "104|40", "109|90"}, more...)...)
	if len(more) == 0 {
		w.holds("down", "1", "3", "4", "9", "101", "103", "104", "109")
		w.holds("total", "8|342")
	}
	for _, dataset := range []string{"t", "down", "total"} {
		s := w.stores[dataset]
		past, err := record.Past(w.Context(), s, w.open(s))
		if err != nil {
			w.Fatalf("%s: %v", at, err)
		}
		rows := int64(0)
		for _, e := range past.Events {
			if e.Dataset.Status != "COMPLETED" {
				w.Errorf("%s: %s: batch %d %s", at, dataset, e.Batch, e.Dataset.Status)
			}
			rows += e.Dataset.RowsWritten - e.Dataset.RowsRemoved
		}
		if have := len(w.asks("SELECT * FROM "+dataset, dataset)); int64(have) != rows || len(past.Lost) > 0 {
			w.Errorf("%s: %s: the records tell of %d rows, and the table has %d; %d records are lost", at, dataset, rows, have, len(past.Lost))
		}
	}
	if w.Failed() {
		w.Fatal(at)
	}
}

// TestSweep breaks a run at each call to the store of one dataset, and runs again: no row
// is there twice, none is lost, and the records agree.
func TestSweep(t *testing.T) {
	for _, dataset := range []string{"t", "down", "total"} {
		for kind, name := range map[fault.Kind]string{fault.Fail: "fail", fault.Ambiguous: "ambiguous", fault.Crash: "crash"} {
			t.Run(dataset+" "+name, func(t *testing.T) {
				t.Parallel()
				for i := 0; ; i += stride {
					w, bronze := swept(t)
					var broken *fault.Store
					w.wrap = func(d string, s store.Store) store.Store {
						if d != dataset {
							return s
						}
						if broken == nil {
							broken = fault.New(s, fault.Plan{Kind: kind, At: i})
						}
						return broken
					}
					_, _ = w.runs() // what it leaves is what counts
					w.wrap = nil
					w.run()
					at := fmt.Sprintf("%s: %s call %d", dataset, name, i)
					w.brought(at)
					for d, o := range w.run() {
						if o.Status != pipeline.Unchanged {
							t.Fatalf("%s: %s: found %s, want nothing new", at, d, o.Status)
						}
					}
					bronze.replace("b2", "VALUES (4, 41)", "b")
					w.run()
					w.holds("t", "1|11", "3|30", "4|41", "9|90", "101|11", "103|30", "104|41", "109|90")
					if !broken.Struck() {
						return
					}
				}
			})
		}
	}
}

// TestTwoRuns lets another run come between, at each call of a run to the store of one
// dataset, with and without more rows than the first run saw.
func TestTwoRuns(t *testing.T) {
	for _, dataset := range []string{"t", "down"} {
		for _, more := range []bool{false, true} {
			t.Run(fmt.Sprint(dataset, " ", more), func(t *testing.T) {
				t.Parallel()
				for i := 0; ; i += stride {
					w, bronze := swept(t)
					var shared *fault.Store
					other := func() {
						wrap := w.wrap
						w.wrap = nil
						if more {
							bronze.append("c", "VALUES (6, 60)")
						}
						if _, err := w.runs(); err != nil {
							t.Errorf("call %d: the run between: %v", i, err)
						}
						w.wrap = wrap
					}
					w.wrap = func(d string, s store.Store) store.Store {
						if d != dataset {
							return s
						}
						if shared == nil {
							shared = fault.New(s, fault.Plan{At: i, Before: other})
						}
						return shared
					}
					if _, err := w.runs(); err != nil {
						t.Errorf("call %d: %v", i, err)
					}
					w.wrap = nil
					w.run()
					var rows []string
					if more && shared.Struck() {
						rows = []string{"6|60", "106|60"}
					}
					w.brought(fmt.Sprintf("%s: a run before call %d", dataset, i), rows...)
					if !shared.Struck() {
						return
					}
				}
			})
		}
	}
}
