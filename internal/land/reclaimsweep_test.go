package land_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"landfall/internal/land"
)

// goneScene is rescuedThenKnown without two of its files, before the replay that
// takes what was rescued of one data file; and how the table looks after it.
func goneScene(t *testing.T) (start *world, want []string) {
	t.Helper()
	l := rescuedThenKnown(t)
	l.loses("b.csv", "c.csv")
	// A later day tells that the rows are found when a file comes back.
	l.days = []day{{replay: &land.Choice{}}, {files: map[string]string{"b.csv": "id,city\nb9,Lima\n"}}}
	start = l.clone()
	l.replays(land.Choice{})
	return start, l.cellsOf()
}

// sweepGone meets trouble at each call of the replay, lands on, and looks whether
// the table is as it should be.
func sweepGone(t *testing.T, start *world, want []string, step int, meet trouble) error {
	t.Helper()
	for i := 0; ; i += step {
		w := start.clone()
		p, struck := meet(w, i)
		if err := reclaimsOnce(t, w, p, want); err != nil {
			return fmt.Errorf("call %d: %w", i, err)
		}
		if !struck() {
			return nil
		}
	}
}

func reclaimsOnce(t *testing.T, w *world, p process, want []string) error {
	t.Helper()
	w.today, p.day = 0, w.days[0]
	if _, err := p.run(t.Context()); err != nil {
		if !expected(err) {
			return err
		}
		again := w.process("again-")
		again.day = w.days[0]
		if _, err := again.run(t.Context()); err != nil {
			return fmt.Errorf("again: %w", err)
		}
	}
	l := &landed{world: w, t: t}
	if got := l.cellsOf(); want != nil && !slices.Equal(got, want) {
		return fmt.Errorf("found\n%q\nwant\n%q", got, want)
	}
	if n := l.entry("b.csv").Rescued + l.entry("c.csv").Rescued; n != 1 {
		return fmt.Errorf("found %d values rescued, want 1", n)
	}
	if err := w.check(t.Context()); err != nil {
		return err
	}
	return comesBack(t.Context(), w)
}

// comesBack lands a file that is there again.
func comesBack(ctx context.Context, w *world) error {
	if err := w.deliver(ctx, 1); err != nil {
		return err
	}
	if _, err := w.process("back-").land(ctx); err != nil {
		return fmt.Errorf("when a file is back: %w", err)
	}
	return w.check(ctx)
}

// Trouble at any call of a replay without its files: what was rescued is taken once.
func TestSweepReclaim(t *testing.T) {
	start, want := goneScene(t)
	for name, plans := range faults() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			step := stride
			if name == "ambiguous" || name == "crash" {
				step = min(stride, 3)
			}
			if err := sweepGone(t, start, want, step, faulty(plans)); err != nil {
				t.Error(err)
			}
		})
	}
}

// Another process replays, or another tool writes, between any two calls.
func TestSweepReclaimMeanwhile(t *testing.T) {
	start, want := goneScene(t)
	for name, do := range map[string]func(ctx context.Context, w *world) error{
		"replay": func(ctx context.Context, w *world) error {
			p := w.process("second-")
			p.day = w.days[0]
			_, err := p.run(ctx)
			return err
		},
		"land": func(ctx context.Context, w *world) error {
			_, err := w.process("second-").land(ctx)
			return err
		},
		"optimize": func(ctx context.Context, w *world) error { return (&other{data: w.data}).optimize(ctx) },
		"delete": func(ctx context.Context, w *world) error {
			w.want["b.csv"] = []map[string]int{{"b2": 1, "b3": 1}}
			return (&other{data: w.data}).remove(ctx, "b1")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := want
			if name == "delete" || name == "optimize" { // which takes texts alone along
				want = nil
			}
			step := stride
			if name == "replay" || name == "optimize" {
				step = min(stride, 3)
			}
			err := sweepGone(t, start, want, step, meanwhile(t, func(w *world) error { return do(t.Context(), w) }))
			if err != nil {
				t.Error(err)
			}
		})
	}
}
