package leaf

import (
	"landfall/internal/column"
	"landfall/internal/value"
)

// Shift drops the rows that were taken. What is left moves to the front.
func (s *Scan) Shift() {
	t := s.taken
	s.taken = extent{}
	h := &s.held
	h.Flaws = h.Flaws[:copy(h.Flaws, h.Flaws[s.flaws(t.values):])]
	for i := range h.Flaws {
		h.Flaws[i].Value -= t.values
	}
	h.Defs = h.Defs[:copy(h.Defs, h.Defs[t.entries:])]
	if s.MaxRep > 0 {
		h.Reps = h.Reps[:copy(h.Reps, h.Reps[t.entries:])]
	}
	h.Ints = drop(h.Ints, t.values)
	h.Wide = drop(h.Wide, t.values)
	h.Floats = drop(h.Floats, t.values)
	h.Bools = drop(h.Bools, t.values)
	if h.Text != nil {
		shiftText(h.Text, t.values)
	}
	s.rows -= t.rows
	s.begun -= t.rows
	s.entries -= t.entries
	s.values -= t.values
}

func drop[T int64 | value.Int128 | float64 | bool](s []T, n int) []T {
	if s == nil {
		return nil
	}
	return s[:copy(s, s[n:])]
}

// shiftText drops the first n values with their bytes, which stand in order.
func shiftText(t *column.Text, n int) {
	if n == 0 {
		return
	}
	from := len(t.Data)
	if n < len(t.Spans) {
		from = t.Spans[n].Offset()
	}
	t.Data = t.Data[:copy(t.Data, t.Data[from:])]
	left := t.Spans[n:]
	for i, s := range left {
		t.Spans[i] = column.NewSpan(s.Offset()-from, s.Len(), s.Quoted())
	}
	t.Spans = t.Spans[:len(left)]
}
