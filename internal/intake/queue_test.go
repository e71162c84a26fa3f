package intake

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/datafile"
	"landfall/internal/state"
)

// loadOf is a load that tells its unit.
func loadOf(unit int) datafile.Load {
	return datafile.Load{Files: []datafile.File{{Rows: int64(unit)}}}
}

// TestQueuePacksInOrder ends units in any order: they are packed in theirs, each once,
// and no more are out than there is room for.
func TestQueuePacksInOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		units, room := rapid.IntRange(1, 12).Draw(r, "units"), rapid.IntRange(1, 5).Draw(r, "room")
		var packed []int64
		q := newQueue(units, 1, room, func(_ context.Context, _ int, l datafile.Load) error {
			packed = append(packed, l.Files[0].Rows)
			return nil
		})
		var out []int
		for handed := 0; ; {
			for handed < units && handed < len(packed)+room {
				unit, more, err := q.next(r.Context())
				if err != nil || !more || unit != handed {
					r.Fatalf("unit %d, %v, %v after %d of %d", unit, more, err, handed, units)
				}
				handed++
				out = append(out, unit)
			}
			if len(out) == 0 {
				break
			}
			at := rapid.IntRange(0, len(out)-1).Draw(r, "ended")
			unit := out[at]
			out = slices.Delete(out, at, at+1)
			if err := q.done(r.Context(), unit, loadOf(unit)); err != nil {
				r.Fatal(err)
			}
		}
		if unit, more, err := q.next(r.Context()); more || err != nil {
			r.Fatalf("unit %d, %v, %v behind the last", unit, more, err)
		}
		want := make([]int64, units)
		for i := range want {
			want[i] = int64(i)
		}
		if !slices.Equal(packed, want) {
			r.Errorf("packed %v, want %v", packed, want)
		}
	})
}

// TestQueueWaits has no room for a unit that comes too early, until the one before is
// packed.
func TestQueueWaits(t *testing.T) {
	q := newQueue(3, 3, 2, func(context.Context, int, datafile.Load) error { return nil })
	for range 2 {
		if _, _, err := q.next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.done(t.Context(), 1, loadOf(1)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if unit, more, err := q.next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("unit %d, %v, %v while the first is out", unit, more, err)
	}
	if err := q.done(t.Context(), 0, loadOf(0)); err != nil {
		t.Fatal(err)
	}
	if unit, more, err := q.next(t.Context()); unit != 2 || !more || err != nil {
		t.Errorf("unit %d, %v, %v, want 2", unit, more, err)
	}
}

// TestQueueStops hands an error of packing to who brought the unit on, and packs
// nothing behind it.
func TestQueueStops(t *testing.T) {
	broken := errors.New("disk full")
	var packed []int64
	q := newQueue(3, 3, 3, func(_ context.Context, _ int, l datafile.Load) error {
		if l.Files[0].Rows == 1 {
			return broken
		}
		packed = append(packed, l.Files[0].Rows)
		return nil
	})
	for range 3 {
		if _, _, err := q.next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, unit := range []int{2, 1} { // they wait for the first
		if err := q.done(t.Context(), unit, loadOf(unit)); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.done(t.Context(), 0, loadOf(0)); !errors.Is(err, broken) {
		t.Errorf("found %v, want %v", err, broken)
	}
	if !slices.Equal(packed, []int64{0}) {
		t.Errorf("packed %v, want the first", packed)
	}
}

// TestUnits cuts objects into runs that are no larger than asked for, but for an object
// that is; none of them could take the object behind it.
func TestUnits(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		sizes := rapid.SliceOfN(rapid.Int64Range(0, 10), 0, 20).Draw(r, "sizes")
		most := rapid.Int64Range(1, 12).Draw(r, "most")
		in := state.Intent{}
		var objects []int
		for i, n := range sizes {
			in.Objects = append(in.Objects, state.Object{Path: strconv.Itoa(i), Size: n})
			if rapid.Bool().Draw(r, "open") {
				objects = append(objects, i)
			}
		}
		p := pass{Intake: New(Source{Unit: most}, in, "a", nil)}
		units := p.units(objects)
		if all := slices.Concat(units...); !slices.Equal(all, objects) {
			r.Fatalf("units %v of %v", units, objects)
		}
		sum := func(unit []int) (n int64) {
			for _, i := range unit {
				n += sizes[i]
			}
			return n
		}
		for k, unit := range units {
			if len(unit) == 0 || len(unit) > 1 && sum(unit) > most {
				r.Errorf("unit %v of %d bytes, want %d at most", unit, sum(unit), most)
			}
			if k > 0 && sum(units[k-1])+sizes[unit[0]] <= most {
				r.Errorf("unit %v has room for object %d", units[k-1], unit[0])
			}
		}
	})
}
