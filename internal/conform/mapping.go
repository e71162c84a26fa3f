package conform

import (
	"strconv"

	"github.com/zeebo/xxh3"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/leaf"
	"landfall/internal/rescue"
	"landfall/internal/verdict"
)

// mapping fits the members of an object to a map. Its keys are the names as they
// are spelled.
func (f *Fitter) mapping(n *node, v uint32, rep uint8, l rescue.Label) outcome {
	base := len(f.met)
	f.meetKeys(v)
	end := len(f.met)
	f.writer.Push(l, false)
	out, entries := landed, 0
	for i := base; i < end && out == landed; i++ {
		if f.met[i].later {
			continue
		}
		r := rep
		if entries > 0 {
			r = n.rep
		}
		var added bool
		if added, out = f.entry(n, i, r); added {
			entries++
		}
	}
	f.writer.Pop()
	f.met = f.met[:base]
	if out == landed && entries == 0 {
		f.empty(n, rep)
		if f.tape.IsEmpty(v) {
			f.book.Counts.Typed++
		}
	}
	return out
}

// entry fits one member of a map; added tells that the map has it.
func (f *Fitter) entry(n *node, i int, rep uint8) (added bool, out outcome) {
	t, x := f.tape, f.met[i]
	l := rescue.Label{Names: rescue.TapeNames{Tape: t}, At: int(x.member)}
	if !f.mapKey(n.key, x.member) {
		v := t.Value(x.member)
		if f.arrays > 0 && n.key.misfit.Action == verdict.Rescues {
			f.book.Note(n.key.misfit)
			return false, broken
		}
		if x.before >= 0 {
			return false, f.twins(f.twinKeys(n, n.key.misfit), i, rep, l)
		}
		f.leave(n.key.misfit, v, l)
		return false, landed
	}
	n.key.leaves[0].There(rep)
	if x.before >= 0 {
		return true, f.twins(f.twinKeys(n, nil), i, rep, l)
	}
	if out = f.settle(n.element, t.Value(x.member), rep, l); out == spilled {
		f.writer.PutNodes(l, n.element.misfit.Reason, t.Value(x.member))
		out = landed
	}
	return true, out
}

// twinKeys says how keys that come twice are dealt with; left is set if they
// are no keys at all.
func (f *Fitter) twinKeys(n *node, left *verdict.Rule) twin {
	if n.twice == nil {
		n.remark = f.book.RemarkRule(event.KeyDuplicate, n.path, "each name once")
		n.twice = f.book.PolicyRule(event.KeyDuplicate, n.path, contract.WhyDuplicate, "each name once")
	}
	w := twin{remark: n.remark, rule: n.twice, left: left}
	if left == nil {
		w.slot = &n.entry
	}
	return w
}

// mapKey adds a member's name as a key. Of numbers only the one text is taken
// that stands for each, or two names could be one key.
func (f *Fitter) mapKey(n *node, m uint32) bool {
	t := f.tape
	if t.Nodes[m].Flags&column.Lone != 0 {
		return false
	}
	text := t.Text(m)
	if n.scalar.Kind == leaf.Integer {
		var digits [20]byte
		v, ok := f.forms.Long(text)
		if !ok || string(strconv.AppendInt(digits[:0], v, 10)) != string(text) {
			return false
		}
	}
	return f.text(n, text, t.Span(m))
}

// meetKeys meets the members of an object whose names are not known
// beforehand, and finds those that are equal.
func (f *Fitter) meetKeys(v uint32) {
	t, base := f.tape, len(f.met)
	for m := t.First(v); m < t.Next(v); m = t.Next(m) {
		f.met = append(f.met, meeting{member: m, before: -1})
	}
	met := f.met[base:]
	if len(met) < 2 {
		return
	}
	size := 4
	for size < 2*len(met) {
		size *= 2
	}
	f.table = append(f.table[:0], make([]int32, size)...)
	for i := range met {
		f.meetKey(met, i, base)
	}
}

// meetKey finds the last member before i with an equal name. f.table holds
// positions, counted from 1, under the hashes of their names.
func (f *Fitter) meetKey(met []meeting, i, base int) {
	t, mask := f.tape, uint64(len(f.table)-1)
	text, lone := t.Text(met[i].member), t.Nodes[met[i].member].Flags&column.Lone
	for h := xxh3.Hash(text); ; h++ {
		at := &f.table[h&mask]
		if *at == 0 {
			*at = int32(i + 1)
			return
		}
		other := met[*at-1].member
		if t.Nodes[other].Flags&column.Lone == lone && string(t.Text(other)) == string(text) {
			met[i].before = base + int(*at-1)
			met[*at-1].later = true
			*at = int32(i + 1)
			return
		}
	}
}
