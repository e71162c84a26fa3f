package encode

import (
	"hash/maphash"

	"landfall/internal/column"
	"landfall/internal/parquetfile/form"
	"landfall/internal/parquetfile/rowgroup"
	"landfall/internal/schema"
)

// chunk encodes the values of one leaf.
type chunk struct {
	form.Leaf
	path     []string
	physical form.Physical
	// width is the length of long decimals in bytes, digits what they may be.
	width  int
	digits form.Digits
	// lo and hi bound integers, single says that floats have 32 bits.
	lo, hi int64
	single bool
	// plain says that integers are not packed as differences, numbered that there
	// is a dictionary as long as it pays.
	plain, numbered bool

	page page
	tail
	dict dictionary
	// out holds the pages that are closed.
	out    pieces
	bounds rowgroup.Bounds

	// marked is what there was at the mark. The page that was open then is kept
	// in kept once it is closed.
	marked struct {
		place
		tail
		out, numbers, values int
		bounds               rowgroup.Bounds
		closed               bool
		kept                 page
	}

	// at is where in the batch the rows begin that are added next, end where
	// they end.
	at, end mark
	// size is how much room texts between them take.
	size int
}

// tail is what there is to know about a chunk beside its pages.
type tail struct {
	// coding says that values are numbered.
	coding bool
	// entries are those of closed pages, raw is the size of these before they
	// were compressed.
	entries int64
	raw     int64
	// forms counts pages by the form of their values.
	forms [3]int
	// shrinks tells by form whether pages are worth compressing.
	shrinks [3]verdict
}

// The forms of the values of a page.
const (
	formPlain = iota
	formDictionary
	formDelta
)

type verdict uint8

const (
	undecided verdict = iota
	shrinks
	stored
)

// mark is a place in a leaf of a batch.
type mark struct{ entry, value int }

func newChunk(l form.Leaf, path []string, o Options, seed maphash.Seed) *chunk {
	c := &chunk{Leaf: l, path: path, page: newPage(), physical: form.PhysicalOf(l.Type), plain: o.Encoding == Plain}
	c.single = l.Type == schema.Float
	c.lo, c.hi = form.Range(l.Type)
	if d, ok := l.Type.(schema.Decimal); ok && l.Kind == form.Wide {
		c.width, c.digits = form.WideBytes(d.Precision), form.DigitsOf(d.Precision)
	}
	// Numbers with a point have no dictionary: Spark's filter on those loses −0.0.
	c.numbered = l.Kind == form.Text || l.Kind == form.Ints && c.plain
	c.dict.seed, c.dict.salt = seed, maphash.Bytes(seed, nil)
	if l.Kind == form.Ints {
		c.dict.width = 8
		if c.physical == form.PhysicalInt32 {
			c.dict.width = 4
		}
	}
	c.marked.kept = newPage()
	c.reset()
	return c
}

// reset begins the chunk of another group: nothing is known of the last one.
func (c *chunk) reset() {
	c.page.cut(place{})
	c.tail = tail{coding: c.numbered}
	c.dict.cut(0, 0)
	clear(c.out)
	c.out = c.out[:0]
	c.bounds.Reset()
	c.mark()
}

// leafOf returns leaf n of a column, nil if it comes in another form.
func leafOf(col column.Column, n int) *column.Leaf {
	if col.Constant != nil || col.Leaves == nil {
		return nil
	}
	return &col.Leaves[n]
}

// weigh is the size of rows from..to as input; it sets c.end and c.size.
func (c *chunk) weigh(col column.Column, l *column.Leaf, from, to int) int64 {
	n := to - from
	switch {
	case col.Constant != nil:
		v, _ := col.Constant.(string)
		return int64(n + len(v))
	case l != nil:
		c.end = c.after(l, n)
		weight := leafWeight(l, c.Kind, c.at, c.end)
		c.size = int(weight)
		return weight
	case col.Text == nil:
		return int64(n)
	}
	weight := leafWeight(&column.Leaf{Text: col.Text}, form.Text, mark{from, from}, mark{to, to})
	c.size = int(weight)
	return weight
}

// after returns the place n rows behind c.at.
func (c *chunk) after(l *column.Leaf, n int) mark {
	m := c.at
	if c.MaxRep == 0 {
		m.entry += n
	} else {
		for m.entry++; m.entry < len(l.Reps); m.entry++ {
			if l.Reps[m.entry] == 0 {
				if n--; n == 0 {
					break
				}
			}
		}
	}
	if l.Defs == nil {
		m.value += m.entry - c.at.entry
		return m
	}
	for _, d := range l.Defs[c.at.entry:m.entry] {
		if d == c.MaxDef {
			m.value++
		}
	}
	return m
}

func leafWeight(l *column.Leaf, k form.Kind, from, to mark) int64 {
	const cell = 4
	n, values := int64(to.entry-from.entry)*cell, int64(to.value-from.value)
	if values == 0 {
		return n
	}
	switch k {
	case form.Text:
		for _, s := range l.Text.Spans[from.value:to.value] {
			n += int64(s.Len())
		}
	case form.Wide:
		n += 16 * values
	case form.Ints, form.Floats:
		n += 8 * values
	case form.Bools:
		n += values
	}
	return n
}

// add adds rows from..to, which were weighed before.
func (c *chunk) add(col column.Column, l *column.Leaf, from, to int) error {
	n := to - from
	c.page.rows += n
	switch {
	case col.Constant != nil:
		c.page.fill(c.MaxDef, n)
		return c.constant(col.Constant, n)
	case l != nil:
		return c.addLeaf(l)
	case col.Text == nil:
		c.page.fill(0, n)
		if c.MaxRep > 0 {
			c.page.repeat(n)
		}
		c.bounds.Nulls += int64(n)
		return nil
	}
	return c.addText(col.Text, from, to)
}

// addText adds rows of a column of text, which has null spans.
func (c *chunk) addText(t *column.Text, from, to int) error {
	nulls := 0
	for _, s := range t.Spans[from:to] {
		if s.Null() {
			nulls++
		}
	}
	c.bounds.Nulls += int64(nulls)
	switch nulls {
	case 0:
		c.page.fill(c.MaxDef, to-from)
	case to - from:
		c.page.fill(0, to-from)
		return nil
	default:
		c.page.level(nil, nil)
		for _, s := range t.Spans[from:to] {
			def := c.MaxDef
			if s.Null() {
				def = 0
			}
			c.page.defs = append(c.page.defs, def)
		}
		c.page.entries += to - from
	}
	if !c.coding {
		c.page.body = grow(c.page.body, c.size)
	}
	for i := from; i < to; i++ {
		if t.Spans[i].Null() {
			continue
		}
		if err := c.text(t.Value(i), t.UTF8); err != nil {
			return err
		}
	}
	return nil
}

// constant adds a value n times.
func (c *chunk) constant(v any, n int) error {
	switch v := v.(type) {
	case string:
		return c.sameText([]byte(v), n)
	case int64:
		for range n {
			c.int(v)
		}
		c.bounds.AddInt(v)
	case float64:
		for range n {
			c.float(v)
		}
	case bool:
		c.bounds.AddBool(v)
		c.page.bools = appendTimes(c.page.bools, v, n)
	}
	return nil
}

func (c *chunk) sameText(v []byte, n int) error {
	for n > 0 {
		if err := c.text(v, false); err != nil {
			return err
		}
		n--
		if codes := c.page.codes; c.coding && n > 0 {
			c.page.codes = appendTimes(codes, codes[len(codes)-1], n)
			c.dict.values += n
			return nil
		}
	}
	return nil
}

// addLeaf adds what is between c.at and c.end of a leaf.
func (c *chunk) addLeaf(l *column.Leaf) error {
	from, to := c.at, c.end
	c.at = to
	entries, values := to.entry-from.entry, to.value-from.value
	c.bounds.Nulls += int64(entries - values)
	switch {
	case c.MaxRep > 0:
		c.repeated(l, from.entry, to.entry)
	case entries == values:
		c.page.fill(c.MaxDef, entries)
	case values == 0 && c.MaxDef == 1:
		c.page.fill(0, entries)
	default:
		c.page.level(l.Defs[from.entry:to.entry], nil)
	}
	if values == 0 {
		return nil
	}
	return c.values(l, from.value, to.value)
}

// repeated adds the levels of entries in an array or map.
func (c *chunk) repeated(l *column.Leaf, from, to int) {
	if l.Defs != nil {
		c.page.level(l.Defs[from:to], l.Reps[from:to])
		return
	}
	c.page.level(nil, l.Reps[from:to])
	c.page.entries += to - from
	c.page.defs = appendTimes(c.page.defs, c.MaxDef, to-from)
}

func (c *chunk) values(l *column.Leaf, from, to int) error {
	switch c.Kind {
	case form.Text:
		if !c.coding {
			c.page.body = grow(c.page.body, c.size)
		}
		for i := from; i < to; i++ {
			if err := c.text(l.Text.Value(i), l.Text.UTF8); err != nil {
				return err
			}
		}
	case form.Ints:
		return c.ints(l.Ints[from:to])
	case form.Wide:
		return c.wide(l.Wide[from:to])
	case form.Floats:
		return c.floats(l.Floats[from:to])
	case form.Bools:
		for _, v := range l.Bools[from:to] {
			c.bounds.AddBool(v)
		}
		c.page.bools = append(c.page.bools, l.Bools[from:to]...)
	}
	return nil
}
