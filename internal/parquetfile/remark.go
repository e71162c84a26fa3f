package parquetfile

import (
	"slices"

	"landfall/internal/parquetfile/logical"
)

// tally counts what the decoder of a leaf changed since it was looked at last.
// The first of each is a value of what is held.
type tally struct {
	counts [3]int64
	first  [3]int
}

// remarkKinds are the kinds that a tally counts, in its order.
func remarkKinds() []string { return []string{ValueTruncated, ZoneAssumed, CalendarRebased} }

// count adds what happened to the values from the one at before.
func (l *leafScan) count(t logical.Tally, before int) {
	l.tally.add(0, t.Cut, before+t.FirstCut)
	l.tally.add(2, t.Rebased, before+t.FirstRebased)
	if l.Wall {
		l.tally.add(1, int64(l.values-before), before)
	}
}

func (t *tally) add(kind int, n int64, at int) {
	if n > 0 && t.counts[kind] == 0 {
		t.first[kind] = at
	}
	t.counts[kind] += n
}

// remark moves the counts of all leaves into the remarks of the file.
func (s *scan) remark() {
	fresh := false
	for i, l := range s.leaves {
		for k, kind := range remarkKinds() {
			n := l.tally.counts[k]
			if n == 0 {
				continue
			}
			r := s.totals[remarkKey{i, kind}]
			if r == nil {
				r = &Remark{Kind: kind, Path: l.Path, First: s.done + int64(l.rowOf(l.tally.first[k])) + 1}
				s.totals[remarkKey{i, kind}] = r
			}
			r.Count += n
			fresh = true
		}
		l.tally = tally{}
	}
	if !fresh {
		return
	}
	s.f.remarks = s.f.remarks[:0:0]
	for i := range s.leaves {
		for _, kind := range remarkKinds() {
			if r := s.totals[remarkKey{i, kind}]; r != nil {
				s.f.remarks = append(s.f.remarks, *r)
			}
		}
	}
	s.f.remarks = slices.Clip(s.f.remarks)
}
