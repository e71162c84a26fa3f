package column

import (
	"bytes"

	"landfall/internal/value"
)

// Copy is room for a copy of one slab or one batch, so that it can be read while the
// reader or the fitter that made it goes on with the next. The zero value is ready. A
// copy is valid until the next is made in the same room.
type Copy struct {
	slab  Slab
	tape  Tape
	lain  []lain
	texts run[Text]

	bytes  run[byte]
	levels run[uint8]
	spans  run[Span]
	ints   run[int64]
	wide   run[value.Int128]
	floats run[float64]
	bools  run[bool]
	where  run[Where]
	nodes  run[Node]
	places run[uint32]
	fields run[Text]
	leaves run[Leaf]
	all    run[Column]
}

// lain is text that columns lie in, and its copy.
type lain struct{ of, copied []byte }

// run is room for slices of one kind, one behind the other.
type run[T any] []T

// copy returns a copy of s, which is nil only if s is.
func (r *run[T]) copy(s []T) []T {
	if len(s) == 0 {
		return s[:0:0]
	}
	from := len(*r)
	*r = append(*r, s...) // slices of a run that moved stay where they were
	return (*r)[from:len(*r):len(*r)]
}

// begin makes the room empty.
func (c *Copy) begin() {
	clear(c.lain)
	c.lain, c.texts = c.lain[:0], c.texts[:0]
	c.bytes, c.levels, c.spans = c.bytes[:0], c.levels[:0], c.spans[:0]
	c.ints, c.wide, c.floats, c.bools = c.ints[:0], c.wide[:0], c.floats[:0], c.bools[:0]
	c.where, c.nodes, c.places = c.where[:0], c.nodes[:0], c.places[:0]
	c.fields, c.leaves, c.all = c.fields[:0], c.leaves[:0], c.all[:0]
}

// Slab copies a slab of text.
func (c *Copy) Slab(s *Slab) *Slab {
	c.begin()
	c.slab = Slab{
		Records: c.ints.copy(s.Records), Fields: c.fields.copy(s.Fields),
		Data: c.data(s.Data), Where: c.where.copy(s.Where),
	}
	for i := range c.slab.Fields {
		c.slab.Fields[i] = c.text(&s.Fields[i])
	}
	if t := s.Tape; t != nil {
		c.tape = *t
		c.tape.Data, c.tape.Nodes = c.data(t.Data), c.nodes.copy(t.Nodes)
		c.tape.Roots, c.tape.Cells = c.places.copy(t.Roots), c.places.copy(t.Cells)
		c.slab.Tape = &c.tape
	}
	for _, r := range s.Ragged {
		c.slab.Ragged = append(c.slab.Ragged, Ragged{r.Row, r.Have, cloned(r.Extra)})
	}
	for _, b := range s.Bad {
		b.Bytes = bytes.Clone(b.Bytes)
		c.slab.Bad = append(c.slab.Bad, b)
	}
	return &c.slab
}

// cloned copies values of which some may be nil.
func cloned(values [][]byte) [][]byte {
	if values == nil {
		return nil
	}
	out := make([][]byte, len(values))
	for i, v := range values {
		out[i] = bytes.Clone(v)
	}
	return out
}

// Batch copies a batch.
func (c *Copy) Batch(b Batch) Batch {
	c.begin()
	out := Batch{Rows: b.Rows, Columns: c.all.copy(b.Columns)}
	for i := range out.Columns {
		to := &out.Columns[i]
		to.Text = c.owned(to.Text)
		to.Leaves = c.leaves.copy(to.Leaves)
		for k := range to.Leaves {
			c.leaf(&to.Leaves[k])
		}
	}
	return out
}

// leaf makes the values of a leaf its own.
func (c *Copy) leaf(l *Leaf) {
	l.Text = c.owned(l.Text)
	l.Ints, l.Wide, l.Floats, l.Bools = c.ints.copy(l.Ints), c.wide.copy(l.Wide), c.floats.copy(l.Floats), c.bools.copy(l.Bools)
	l.Defs, l.Reps, l.Flaws = c.levels.copy(l.Defs), c.levels.copy(l.Reps), append([]Flaw(nil), l.Flaws...)
}

// owned copies a text, nil of nil.
func (c *Copy) owned(t *Text) *Text {
	if t == nil {
		return nil
	}
	c.texts = append(c.texts, c.text(t))
	return &c.texts[len(c.texts)-1]
}

// text copies a text without its Numbers, which are for those who look at a slab first.
func (c *Copy) text(t *Text) Text {
	return Text{Data: c.data(t.Data), Spans: c.spans.copy(t.Spans), UTF8: t.UTF8}
}

// data copies text once, however many columns lie in it.
func (c *Copy) data(text []byte) []byte {
	if len(text) == 0 {
		return text[:0:0]
	}
	for i := range c.lain {
		if l := &c.lain[i]; &l.of[0] == &text[0] && len(l.of) >= len(text) {
			return l.copied[:len(text):len(text)]
		}
	}
	copied := c.bytes.copy(text)
	c.lain = append(c.lain, lain{text, copied})
	return copied
}
