package land_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"landfall/internal/diag"
	"landfall/internal/land"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/store/fault"
	"landfall/internal/store/retry"
	"landfall/internal/table"
	"landfall/internal/vacuum"
)

// trouble returns a process that meets trouble at call i of its run, and tells
// afterwards whether it did.
type trouble func(w *world, i int) (process, func() bool)

// sweep plays a scene again and again, with trouble at call 0, step, 2·step … of
// each day. When that process fails, the next one lands after it; then come the
// days that are left.
func sweep(ctx context.Context, s scene, step int, meet trouble) error {
	start := newWorld(s)
	for n := range s.days {
		if err := start.deliver(ctx, n); err != nil {
			return err
		}
		for i := 0; ; i += step {
			w := start.clone()
			p, struck := meet(w, i)
			if err := w.play(ctx, n, i, p); err != nil {
				return fmt.Errorf("day %d, call %d: %w", n+1, i, err)
			}
			if !struck() {
				break
			}
		}
		p := start.process(fmt.Sprintf("clean%d-", n))
		p.day = s.days[n]
		if _, err := p.run(ctx); err != nil {
			return fmt.Errorf("day %d, without trouble: %w", n+1, err)
		}
	}
	return nil
}

// play does one day with p, and the days that follow without trouble.
func (w *world) play(ctx context.Context, n, i int, p process) error {
	w.today, p.day = n, w.days[n]
	if _, err := p.run(ctx); err != nil {
		if p.strict || !expected(err) {
			return fmt.Errorf("unexpected error: %w", err)
		}
		again := w.process("again-")
		if i%2 == 0 { // a person repeats the reset, or just lands
			again.day = w.days[n]
		}
		if _, err := again.run(ctx); err != nil {
			return fmt.Errorf("again: %w", err)
		}
	}
	if err := w.check(ctx); err != nil {
		return err
	}
	for n++; n < len(w.days); n++ {
		if err := w.deliver(ctx, n); err != nil {
			return err
		}
		next := w.process(fmt.Sprintf("next%d-", n))
		next.day = w.days[n]
		if _, err := next.run(ctx); err != nil {
			return fmt.Errorf("day %d after it: %w", n+1, err)
		}
		if err := w.check(ctx); err != nil {
			return fmt.Errorf("day %d after it: %w", n+1, err)
		}
	}
	return nil
}

// expected tells whether an error is one that trouble may end in. A run that
// meets a reset by another gives way to it.
func expected(err error) bool {
	return errors.Is(err, store.ErrTransient) || errors.Is(err, fault.ErrCrashed) ||
		errors.Is(err, &diag.Diagnostic{Code: diag.ConflictLost})
}

// faulty strikes calls to the table's folder.
func faulty(plans func(i int) []fault.Plan) trouble {
	return func(w *world, i int) (process, func() bool) {
		data := fault.New(w.data, plans(i)...)
		p := w.process("first-")
		p.data = data
		return p, data.Struck
	}
}

// faults are the ways in which single calls go wrong.
func faults() map[string]func(i int) []fault.Plan {
	at := func(kind fault.Kind) func(int) []fault.Plan {
		return func(i int) []fault.Plan { return []fault.Plan{{Kind: kind, At: i}} }
	}
	return map[string]func(int) []fault.Plan{
		"fail": at(fault.Fail), "ambiguous": at(fault.Ambiguous), "crash": at(fault.Crash),
		// The answer is lost, and nobody can ask what became of the call.
		"ambiguous, then fail": func(i int) []fault.Plan {
			return []fault.Plan{{Kind: fault.Ambiguous, At: i}, {Kind: fault.Fail, At: i + 1}}
		},
		"dead from then on": func(i int) []fault.Plan {
			return []fault.Plan{{Kind: fault.Ambiguous, At: i, Times: fault.Forever}}
		},
	}
}

func TestSweep(t *testing.T) {
	for where, s := range scenes() {
		for name, plans := range faults() {
			step := s.step()
			if where == "whole days" && (name == "ambiguous" || name == "crash") {
				step = min(stride, 3)
			}
			t.Run(where+"/"+name, func(t *testing.T) {
				t.Parallel()
				if err := sweep(t.Context(), s, step, faulty(plans)); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// The steps of listings and reads of the source go wrong too.
func TestSweepSource(t *testing.T) {
	for name, plans := range faults() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := sweep(t.Context(), scenes()["whole days"], stride, func(w *world, i int) (process, func() bool) {
				fine := plans(i)
				for n := range fine {
					fine[n].Fine = true
				}
				files := fault.New(w.files, fine...)
				p := w.process("first-")
				p.files = files
				return p, files.Struck
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// Above the retry decorator single faults are no faults: nothing may fail.
func TestSweepRetry(t *testing.T) {
	t.Parallel()
	s := scenes()["single files"]
	s.strict = true
	for _, kind := range []fault.Kind{fault.Fail, fault.Ambiguous} {
		err := sweep(t.Context(), s, stride, func(w *world, i int) (process, func() bool) {
			data := fault.New(w.data, fault.Plan{Kind: kind, At: i, Fine: true, Match: func(c fault.Call) bool { return c.Op != fault.Write && c.Op != fault.Commit }})
			p := w.process("first-")
			p.data = retry.New(data, retry.Policy{Sleep: func(context.Context, time.Duration) error { return nil }})
			return p, data.Struck
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// Another process runs to its end between any two calls of the first.
func TestSweepTwoWriters(t *testing.T) {
	for where, s := range scenes() {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			step := s.step()
			if where == "single files" {
				step = min(stride, 3)
			}
			if err := sweep(t.Context(), s, step, second(t, "")); err != nil {
				t.Error(err)
			}
		})
	}
}

// The source is reset between any two calls of a landing.
func TestSweepResetMeanwhile(t *testing.T) {
	for _, how := range []land.Reset{land.ResetReprocess, land.ResetKeep} {
		t.Run(string(how), func(t *testing.T) {
			t.Parallel()
			s := scenes()["single files"]
			if err := sweep(t.Context(), s, stride, second(t, how)); err != nil {
				t.Error(err)
			}
		})
	}
}

// meanwhile does something before call i of the first process.
func meanwhile(t *testing.T, do func(w *world) error) trouble {
	return func(w *world, i int) (process, func() bool) {
		return faulty(func(i int) []fault.Plan {
			return []fault.Plan{{At: i, Before: func() {
				if err := do(w); err != nil {
					t.Errorf("day %d, call %d: meanwhile: %v", w.today+1, i, err)
				}
			}}}
		})(w, i)
	}
}

// second lands, or resets, before call i of the first process.
func second(t *testing.T, how land.Reset) trouble {
	return meanwhile(t, func(w *world) error {
		p := w.process("second-")
		p.day.reset = how
		if how == land.ResetKeep {
			w.mayKeep(w.today)
		}
		_, err := p.run(t.Context())
		return err
	})
}

// A vacuum by a clock far ahead between any two calls takes nothing that the
// table or the run needs.
func TestSweepVacuum(t *testing.T) {
	for _, where := range []string{"single files", "reprocess"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			err := sweep(t.Context(), scenes()[where], stride, meanwhile(t, func(w *world) error {
				_, err := vacuum.Run(t.Context(), w.process("vacuum-").garbage(), -1000*time.Hour, false)
				return err
			}))
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// Another tool writes to the table between any two calls.
func TestSweepOthers(t *testing.T) {
	for name, do := range map[string]func(ctx context.Context, w *world, o *other) error{
		"insert": func(ctx context.Context, w *world, o *other) error {
			w.want[""] = []map[string]int{{"x1": 1}}
			return o.insert(ctx, false, "x1")
		},
		"add the column that comes": func(ctx context.Context, _ *world, o *other) error { return o.addColumn(ctx, "city", schema.String) },
		"add another column":        func(ctx context.Context, _ *world, o *other) error { return o.addColumn(ctx, "size", schema.Integer) },
		"optimize":                  func(ctx context.Context, _ *world, o *other) error { return o.optimize(ctx) },
		"delete": func(ctx context.Context, w *world, o *other) error {
			for _, file := range []string{"a.csv", "a.parquet"} {
				for i, ids := range w.want[file] {
					without := maps.Clone(ids)
					delete(without, "a1")
					w.want[file] = append(w.want[file][:i:i], without, ids)
				}
			}
			return o.remove(ctx, "a1")
		},
	} {
		for _, where := range []string{"single files", "decided", "parquet", "in place"} {
			s := scenes()[where]
			if where != "single files" && strings.HasPrefix(name, "add") {
				continue // no such column comes
			}
			t.Run(where+"/"+name, func(t *testing.T) {
				t.Parallel()
				err := sweep(t.Context(), s, s.step(), meanwhile(t, func(w *world) error {
					err := do(t.Context(), w, &other{data: w.data})
					if errors.Is(err, table.ErrNoTable) {
						delete(w.want, "")
						return nil
					}
					return err
				}))
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
}
