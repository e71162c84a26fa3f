package encode

// mark notes what there is, for undo.
func (c *chunk) mark() {
	m := &c.marked
	m.place, m.tail = c.page.end(), c.tail
	m.out, m.numbers, m.values = len(c.out), len(c.dict.ends), c.dict.values
	m.bounds.Copy(&c.bounds)
	m.closed = false
	m.kept.cut(place{})
}

// undo takes back what came behind the mark. A dictionary that was given up
// stays so.
func (c *chunk) undo() {
	m := &c.marked
	if m.closed && m.place.entries > 0 {
		c.page, m.kept = m.kept, c.page
	}
	c.page.cut(m.place)
	clear(c.out[m.out:])
	c.out = c.out[:m.out]
	given := m.coding && !c.coding
	c.tail = m.tail
	if given {
		c.coding = false
		c.page.uncode(&c.dict, -1)
	}
	c.dict.cut(m.numbers, m.values)
	c.bounds.Copy(&m.bounds)
	c.mark()
}

// turn begins the next page; the one that was open at the mark is kept, unless
// it was empty then.
func (c *chunk) turn() {
	if m := &c.marked; !m.closed {
		m.closed = true
		if m.place.entries > 0 {
			c.page, m.kept = m.kept, c.page
		}
	}
	c.page.cut(place{})
}
