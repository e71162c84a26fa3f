package recode

import (
	"landfall/internal/column"
	"landfall/internal/value"
)

// walk goes through the rows of one column.
type walk struct {
	*Recoder
	in  []cursor
	out []sink
	// depth counts the arrays and maps around. broken says that the innermost
	// pair that catches must be null.
	depth   int
	broken  bool
	at      int // row
	misfits []Misfit
}

// cursor stands before an entry of a leaf of the source.
type cursor struct {
	leaf  *column.Leaf
	max   uint8
	entry int
	value int
	// flaw is the number of flaws before the value.
	flaw int
}

// flawed reports whether the value at hand has a flaw.
func (c *cursor) flawed() bool {
	flaws := c.leaf.Flaws
	for c.flaw < len(flaws) && flaws[c.flaw].Value < c.value {
		c.flaw++
	}
	return c.flaw < len(flaws) && flaws[c.flaw].Value == c.value
}

// def is the level of the entry.
func (c *cursor) def() uint8 {
	if c.leaf.Defs == nil {
		return c.max
	}
	return c.leaf.Defs[c.entry]
}

// next goes on to the next entry.
func (c *cursor) next() {
	if c.def() == c.max {
		c.value++
	}
	c.entry++
}

// repeats reports whether the entry goes on with an array or map whose elements
// have a level, or with what is in it.
func (c *cursor) repeats(rep uint8) bool {
	return c.entry < len(c.leaf.Reps) && c.leaf.Reps[c.entry] >= rep
}

// sink gathers a leaf of the target.
type sink struct {
	values         column.Leaf
	text           column.Text
	form           form
	maxDef, maxRep uint8
	nulls          int
}

// mark is how much of a sink there was at some time.
type mark struct{ spans, ints, wide, floats, bools, entries, nulls int }

func (s *sink) mark() mark {
	v := &s.values
	m := mark{
		spans: len(s.text.Spans), ints: len(v.Ints), wide: len(v.Wide), floats: len(v.Floats), bools: len(v.Bools),
		entries: len(v.Defs), nulls: s.nulls,
	}
	return m
}

func (s *sink) undo(m mark) {
	v := &s.values
	v.Ints, v.Wide, v.Floats, v.Bools = v.Ints[:m.ints], v.Wide[:m.wide], v.Floats[:m.floats], v.Bools[:m.bools]
	v.Defs = v.Defs[:m.entries]
	if s.maxRep > 0 {
		v.Reps = v.Reps[:m.entries]
	}
	s.text.Spans, s.nulls = s.text.Spans[:m.spans], m.nulls
}

// entry adds levels.
func (s *sink) entry(def, rep uint8) {
	s.values.Defs = append(s.values.Defs, def)
	if s.maxRep > 0 {
		s.values.Reps = append(s.values.Reps, rep)
	}
	if def < s.maxDef {
		s.nulls++
	}
}

// zero adds a value, but not its levels.
func (s *sink) zero() {
	v := &s.values
	switch s.form {
	case texts:
		s.text.Spans = append(s.text.Spans, column.NewSpan(0, 0, false))
	case wides:
		v.Wide = append(v.Wide, value.Int128{})
	case floats:
		v.Floats = append(v.Floats, 0)
	case bools:
		v.Bools = append(v.Bools, false)
	default:
		v.Ints = append(v.Ints, 0)
	}
}

func newWalk(r *Recoder, leaves []column.Leaf) *walk {
	w := &walk{Recoder: r, in: make([]cursor, len(leaves)), out: make([]sink, len(r.targets))}
	for i := range leaves {
		w.in[i] = cursor{leaf: &leaves[i], max: r.sources[i].MaxDef}
	}
	for i, info := range r.targets {
		w.out[i] = sink{form: formOf(info.Type), maxDef: info.MaxDef, maxRep: info.MaxRep}
		if len(leaves) == len(r.targets) {
			w.out[i].room(entriesOf(&leaves[i]))
		}
	}
	return w
}

// entriesOf is about how many entries a leaf has: it may be without levels.
func entriesOf(l *column.Leaf) int {
	n := max(len(l.Defs), len(l.Reps), len(l.Ints), len(l.Wide), len(l.Floats), len(l.Bools))
	if l.Text != nil {
		n = max(n, len(l.Text.Spans))
	}
	return n
}

// room makes room for so many entries: most columns keep how many they have.
func (s *sink) room(entries int) {
	const digits = 8 // of a number as text
	v := &s.values
	v.Defs = make([]uint8, 0, entries)
	switch s.form {
	case texts:
		s.text.Spans, s.text.Data = make([]column.Span, 0, entries), make([]byte, 0, digits*entries)
	case wides:
		v.Wide = make([]value.Int128, 0, entries)
	case floats:
		v.Floats = make([]float64, 0, entries)
	case bools:
		v.Bools = make([]bool, 0, entries)
	default:
		v.Ints = make([]int64, 0, entries)
	}
}

// leaves returns what was gathered.
func (w *walk) leaves() []column.Leaf {
	out := make([]column.Leaf, len(w.out))
	for i := range w.out {
		s := &w.out[i]
		if s.form == texts {
			s.values.Text = &s.text
		}
		out[i] = s.values
		if s.nulls == 0 {
			out[i].Defs = nil
		}
	}
	return out
}

// row converts one row. Where the column takes no null, some value stands in.
func (w *walk) row(row int) {
	w.at, w.broken = row, false
	p := w.root
	if p.kind == asScalar && p.nullable {
		w.value(p, 0) // nothing breaks it
		return
	}
	misfits := w.begin(p)
	w.value(p, 0)
	if w.broken {
		w.undo(p, misfits)
		w.misfits = append(w.misfits, Misfit{Row: row, Path: p.path, Type: p.to})
		w.blank(p, 0)
	}
}

func (w *walk) begin(p *pair) (misfits int) {
	for i := range p.marks {
		p.marks[i] = w.out[p.first+i].mark()
	}
	return len(w.misfits)
}

func (w *walk) undo(p *pair, misfits int) {
	for i, m := range p.marks {
		w.out[p.first+i].undo(m)
	}
	w.misfits = w.misfits[:misfits]
}

// value converts what the source has for a pair; rep is the repetition level of
// its first entry in the target.
func (w *walk) value(p *pair, rep uint8) {
	o := p.from
	switch {
	case o == nil:
		w.null(p, rep)
	case w.in[o.first].def() < o.def:
		w.skip(o)
		w.null(p, rep)
	case p.kind == asMisfit:
		w.skip(o)
		w.misfit(p, rep)
	case p.kind == asScalar:
		w.scalar(p, rep)
	case p.catches && w.depth == 0 && p != w.root:
		w.caught(p, rep)
	default:
		w.parts(p, rep)
	}
}

func (w *walk) scalar(p *pair, rep uint8) {
	c, s := &w.in[p.from.first], &w.out[p.first]
	fits := (p.flawless || !c.flawed()) && p.move(w.Recoder, c.leaf, c.value, s)
	c.next()
	if fits {
		s.entry(p.def, rep)
	} else {
		w.misfit(p, rep)
	}
}

// caught converts a pair that is null as a whole where a part breaks it.
func (w *walk) caught(p *pair, rep uint8) {
	outer := w.broken
	w.broken = false
	misfits := w.begin(p)
	w.parts(p, rep)
	if w.broken && p.nullable {
		w.undo(p, misfits)
		w.broken = false
		w.misfit(p, rep)
	}
	w.broken = w.broken || outer
}

func (w *walk) parts(p *pair, rep uint8) {
	if p.kind == asStruct {
		for _, f := range p.fields {
			w.value(f, rep)
		}
		for _, leaf := range p.surplus {
			w.skipLeaf(leaf, p.from.rep)
		}
		return
	}
	o := p.from
	lead := &w.in[o.first]
	if lead.def() == o.def {
		w.skip(o)
		w.entries(p, p.def, rep)
		return
	}
	w.depth++
	for {
		if p.key != nil {
			w.value(p.key, rep)
		}
		w.value(p.element, rep)
		if !lead.repeats(o.rep) {
			break
		}
		rep = p.rep
	}
	w.depth--
}

// skip goes past all that the source has for a part, which is null or empty, or
// none of the target's.
func (w *walk) skip(o *origin) {
	for leaf := o.first; leaf < o.last; leaf++ {
		w.skipLeaf(leaf, o.rep)
	}
}

// skipLeaf goes past an entry of a leaf and those that repeat deeper.
func (w *walk) skipLeaf(leaf int, rep uint8) {
	c := &w.in[leaf]
	c.next()
	for c.repeats(rep + 1) {
		c.next()
	}
}

// misfit makes null of a value that does not fit.
func (w *walk) misfit(p *pair, rep uint8) {
	if w.depth > 0 {
		w.broken = true
	} else {
		w.misfits = append(w.misfits, Misfit{Row: w.at, Path: p.path, Type: p.to})
	}
	w.null(p, rep)
}

// null adds a null, or breaks what is around where there must be none.
func (w *walk) null(p *pair, rep uint8) {
	if !p.nullable {
		w.broken = true
		w.blank(p, rep)
		return
	}
	w.entries(p, p.def-1, rep)
}

func (w *walk) entries(p *pair, def, rep uint8) {
	for i := p.first; i < p.last; i++ {
		w.out[i].entry(def, rep)
	}
}

// blank adds some value, so that the levels stay right.
func (w *walk) blank(p *pair, rep uint8) {
	if p.nullable {
		w.entries(p, p.def-1, rep)
		return
	}
	// Seen from what is around, a part that may be null is null at this level, an
	// array or a map empty, and anything else a value.
	for i := p.first; i < p.last; i++ {
		s := &w.out[i]
		if p.def == s.maxDef {
			s.zero()
		}
		s.entry(p.def, rep)
	}
}
