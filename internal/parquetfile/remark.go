package parquetfile

import (
	"slices"

	"landfall/internal/parquetfile/leaf"
)

// remarkKinds are the kinds of remarks by change.
func remarkKinds() [leaf.Kinds]string {
	return [leaf.Kinds]string{leaf.Cut: ValueTruncated, leaf.Wall: ZoneAssumed, leaf.Rebased: CalendarRebased}
}

// remark moves the counts of all leaves into the remarks of the file.
func (s *scan) remark() {
	fresh := false
	for i, l := range s.leaves {
		changes := l.Changes()
		for k, kind := range remarkKinds() {
			n := changes[k].Count
			if n == 0 {
				continue
			}
			r := s.totals[remarkKey{i, kind}]
			if r == nil {
				r = &Remark{Kind: kind, Path: l.Path, First: s.done + int64(l.Row(changes[k].First)) + 1}
				s.totals[remarkKey{i, kind}] = r
			}
			r.Count += n
			fresh = true
		}
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
