package column

// Copy holds a batch in memory of its own. The zero value is ready.
type Copy struct {
	columns []Column
	leaves  [][]Leaf
	texts   []Text
	// data are copies of the Data of texts, of which many may share one: used of them
	// belong to the batch that is held.
	data []copied
	used int
}

// copied is a copy of bytes that begin at from.
type copied struct {
	from *byte
	own  []byte
}

// Of returns a copy of b, which is valid until the next.
func (c *Copy) Of(b Batch) Batch {
	n := len(b.Columns)
	for len(c.columns) < n {
		c.columns, c.leaves, c.texts = append(c.columns, Column{}), append(c.leaves, nil), append(c.texts, Text{})
	}
	c.used = 0
	for i, from := range b.Columns {
		to := Column{Type: from.Type, Constant: from.Constant}
		if from.Leaves != nil {
			for len(c.leaves[i]) < len(from.Leaves) {
				c.leaves[i] = append(c.leaves[i], Leaf{})
			}
			to.Leaves = c.leaves[i][:len(from.Leaves)]
			for k := range to.Leaves {
				c.leaf(&to.Leaves[k], &from.Leaves[k])
			}
		}
		if from.Text != nil {
			to.Text = &c.texts[i]
			c.text(to.Text, from.Text)
		}
		c.columns[i] = to
	}
	return Batch{Rows: b.Rows, Columns: c.columns[:n:n]}
}

func (c *Copy) leaf(to, from *Leaf) {
	if from.Text == nil {
		to.Text = nil
	} else {
		if to.Text == nil {
			to.Text = new(Text)
		}
		c.text(to.Text, from.Text)
	}
	to.Ints, to.Wide = again(to.Ints, from.Ints), again(to.Wide, from.Wide)
	to.Floats, to.Bools = again(to.Floats, from.Floats), again(to.Bools, from.Bools)
	to.Defs, to.Reps = again(to.Defs, from.Defs), again(to.Reps, from.Reps)
	to.Flaws = again(to.Flaws, from.Flaws)
}

func (c *Copy) text(to, from *Text) {
	to.Spans, to.Data = again(to.Spans, from.Spans), nil
	if len(from.Data) == 0 {
		return
	}
	begin := &from.Data[0]
	for _, d := range c.data[:c.used] {
		if d.from == begin && len(d.own) == len(from.Data) {
			to.Data = d.own
			return
		}
	}
	if c.used == len(c.data) {
		c.data = append(c.data, copied{})
	}
	d := &c.data[c.used]
	c.used++
	d.from, d.own = begin, append(d.own[:0], from.Data...)
	to.Data = d.own
}

// again copies values into the memory of others; nil stays nil.
func again[T any](to, from []T) []T {
	if from == nil {
		return nil
	}
	if to == nil {
		to = make([]T, 0, len(from))
	}
	return append(to[:0], from...)
}
