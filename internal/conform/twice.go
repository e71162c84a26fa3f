package conform

import (
	"slices"

	"landfall/internal/diag"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/rescue"
	"landfall/internal/verdict"
)

// repeated deals with a name that an object has more than once. The last value
// counts; the others are rescued, and with them the last if any of it is.
func (f *Fitter) repeated(ns *names, s *slot, i int, rep uint8, l rescue.Label) outcome {
	by := f.met[i].by
	if by.twice == nil {
		by.remark = f.book.RemarkRule(event.KeyDuplicate, by.path, "each name once")
		by.twice = f.book.PolicyRule(event.KeyDuplicate, by.path, contract.WhyDuplicate, "each name once")
	}
	keep := twin{remark: by.remark, rule: by.twice}
	if s != nil {
		keep.slot = s
	} else {
		keep.left = ns.left(by)
	}
	return f.twins(keep, i, rep, l)
}

// twin says how the values of a name that comes twice are dealt with.
type twin struct {
	remark, rule *verdict.Rule
	// slot takes the last value; without one, left says what becomes of it.
	slot *slot
	left *verdict.Rule
}

func (f *Fitter) twins(w twin, i int, rep uint8, l rescue.Label) outcome {
	t, first := f.tape, len(f.twice)
	defer func() { f.twice = f.twice[:first] }()
	early := int64(0)
	for k := f.met[i].before; k >= 0; k = f.met[k].before {
		v := t.Value(f.met[k].member)
		if t.Nodes[v].Kind == column.Null {
			f.book.Counts.Null++
			continue
		}
		early += t.CellsAt(v)
		f.twice = append(f.twice, v)
	}
	slices.Reverse(f.twice[first:])
	f.book.Note(w.remark)
	kept := false
	if len(f.twice) > first {
		kept = f.book.Apply(w.rule, early, func() string { return "the name twice" })
	}
	if !kept {
		f.twice = f.twice[:first]
	}
	v := t.Value(f.met[i].member)
	out, r := f.last(w, v, rep, l, kept)
	if out == broken {
		return out
	}
	if out == spilled {
		f.twice = append(f.twice, v)
	}
	if kept {
		r = w.rule
	}
	if len(f.twice) > first {
		f.writer.PutNodes(l, r.Reason, f.twice[first:]...)
	}
	return landed
}

// last deals with the last of the values under one name. If something of it is
// rescued beside others of that name, all of it is: two values cannot stand
// under one name.
func (f *Fitter) last(w twin, v uint32, rep uint8, l rescue.Label, others bool) (outcome, *verdict.Rule) {
	if w.slot == nil {
		switch {
		case f.tape.Nodes[v].Kind == column.Null:
			f.book.Counts.Null++
		case f.book.Apply(w.left, f.tape.CellsAt(v), func() string { return diag.Excerpt(f.tape.Raw(v)) }):
			return spilled, w.left
		}
		return landed, w.left
	}
	if w.slot.folder != nil || !others {
		return f.fill(w.slot, v, rep, l)
	}
	if w.slot.target != nil {
		w.slot.target.catchUp(f.book.Row)
	}
	n := w.slot.node
	f.hold(n)
	counts, before := f.book.Counts, f.writer.Mark()
	out, r := f.fill(w.slot, v, rep, l)
	if out != landed || !f.writer.Wrote(before) {
		f.release()
		return out, r
	}
	f.takeBack(n)
	f.book.Counts = counts
	f.book.Counts.Rescued += f.tape.CellsAt(v)
	f.noValue(n, v, rep)
	return spilled, r
}
