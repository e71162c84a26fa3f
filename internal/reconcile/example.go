package reconcile

import (
	"cmp"
	"slices"
	"strings"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/reconcile/datum"
)

// want is a value of an object that is shown.
type want struct {
	sample
	example *Example
}

// examples chooses the values of each path that are shown, and has the objects look
// for what they were.
func (r *run) examples() map[string][]*Example {
	type found struct{ became, kept []sample }
	paths := map[string]*found{}
	for _, p := range r.order {
		for i, y := range r.tallies(p, after) {
			key := p.slots[i].path.String()
			f := paths[key]
			if f == nil {
				f = &found{}
				paths[key] = f
			}
			for _, s := range y.became {
				f.became = keep(f.became, s)
			}
			for _, s := range y.kept {
				f.kept = keep(f.kept, s)
			}
		}
	}
	out := map[string][]*Example{}
	for key, f := range paths {
		for _, s := range f.became {
			out[key] = append(out[key], r.want(s, &Example{Became: cut(s.text)}))
		}
		for _, s := range f.kept {
			out[key] = append(out[key], r.want(s, &Example{Rescued: cut(s.text)}))
		}
	}
	for i := range r.accounts {
		slices.SortStableFunc(r.accounts[i].wants, func(a, b want) int { return cmp.Compare(a.row, b.row) })
	}
	return out
}

func (r *run) want(s sample, e *Example) *Example {
	e.File, e.Row = r.Objects[s.object].Path, s.row+1
	a := &r.accounts[s.object]
	a.wants = append(a.wants, want{s, e})
	return e
}

// cut is a text as a report has it.
func cut(s string) string { return diag.Excerpt([]byte(strings.ToValidUTF8(s, "\uFFFD"))) }

// show looks for values that are shown among the rows of a batch, of which the first
// has that number.
func (a *account) show(b column.Batch, fields []*field, links []*link, first int64) {
	n := 0
	for n < len(a.wants) && a.wants[n].row < first+int64(b.Rows) {
		n++
	}
	if n == 0 {
		return
	}
	t := newTeller(a.plan)
	for _, w := range a.wants[:n] {
		if at := w.node.column; at >= 0 {
			w.example.Found = cut(fields[at].show(t, links[at], w.sample, b.Columns[at], int(w.row-first)))
			continue
		}
		for _, c := range a.constants {
			if c.node == w.node {
				w.example.Found = cut(string(c.value.Text))
			}
		}
	}
	a.wants = a.wants[n:]
}

// show is the text of the value of a column that a sample is of, in a row of a batch;
// empty if there is none. The teller is one that nobody asks for its tallies.
func (f *field) show(t *teller, k *link, s sample, c column.Column, row int) (text string) {
	if f.cursor != nil {
		f.cursor.Reset(c)
		for range row {
			f.cursor.Skip(f.part)
		}
		slot := s.node.slot
		t.row = s.row
		t.trace = &trace{wanted: map[int]int64{slot: s.row}, told: map[int][]string{}, only: s.place}
		w := walker{t, f.cursor, c.Leaves}
		w.walk(f.part, k, placeOf(s.row))
		if told := t.trace.told[slot]; len(told) > 0 {
			return told[0]
		}
		return ""
	}
	flatten(f.part, k, func(leaf int, k *link) {
		l := &c.Leaves[leaf]
		if k == nil || k.node != s.node || l.Defs != nil && l.Defs[row] != f.flat[leaf].max {
			return
		}
		value := row
		if l.Defs != nil {
			value = 0
			for _, def := range l.Defs[:row] {
				if def == f.flat[leaf].max {
					value++
				}
			}
		}
		d := k.as.Value(l, value)
		text = datum.Show(&d)
	})
	return text
}
