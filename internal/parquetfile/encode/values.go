package encode

import (
	"fmt"
	"math"
	"unicode/utf8"

	"landfall/internal/parquetfile/form"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// text adds a text, or bytes. known says that it is UTF-8.
func (c *chunk) text(v []byte, known bool) error {
	if c.coding {
		code, fresh := c.dict.code(v)
		c.page.codes = append(c.page.codes, code)
		if !fresh {
			return nil
		}
		if c.dict.full() {
			c.giveUp()
		}
	} else {
		c.page.body = appendText(c.page.body, v)
	}
	switch {
	case c.Type != schema.String:
		return nil
	case !known && !utf8.Valid(v):
		return form.ErrNotText
	}
	c.bounds.AddText(v)
	return nil
}

func (c *chunk) ints(v []int64) error {
	least, most := v[0], v[0]
	for _, n := range v {
		least, most = min(least, n), max(most, n)
	}
	if least < c.lo || most > c.hi {
		return fmt.Errorf("values from %d to %d are not all of type %v", least, most, c.Type)
	}
	c.bounds.AddInts(least, most)
	if !c.plain {
		c.page.ints = append(grow(c.page.ints, len(v)), v...)
		return nil
	}
	for _, n := range v {
		c.int(n)
	}
	return nil
}

func (c *chunk) int(v int64) {
	narrow := c.physical == form.PhysicalInt32
	switch {
	case !c.plain:
		c.page.ints = append(c.page.ints, v)
	case c.coding:
		var room [8]byte
		code, fresh := c.dict.code(appendInt(room[:0], v, narrow))
		c.page.codes = append(c.page.codes, code)
		if fresh && c.dict.full() {
			c.giveUp()
		}
	default:
		c.page.body = appendInt(c.page.body, v, narrow)
	}
}

func (c *chunk) wide(v []value.Int128) error {
	c.page.body = grow(c.page.body, c.width*len(v))
	for _, n := range v {
		if !c.digits.Hold(n) {
			return fmt.Errorf("a value has more digits than type %v", c.Type)
		}
		c.bounds.AddWide(n)
		at := len(c.page.body)
		c.page.body = append(c.page.body, make([]byte, c.width)...)
		form.PutWide(c.page.body[at:], n)
	}
	return nil
}

func (c *chunk) floats(v []float64) error {
	c.page.body = grow(c.page.body, 8*len(v))
	for _, f := range v {
		if c.single && float64(float32(f)) != f && !math.IsNaN(f) {
			return fmt.Errorf("value %v is not of type %v", f, c.Type)
		}
		c.float(f)
	}
	return nil
}

func (c *chunk) float(v float64) {
	c.bounds.AddFloat(v)
	if c.single {
		c.page.body = appendInt(c.page.body, int64(math.Float32bits(float32(v))), true)
		return
	}
	c.page.body = appendInt(c.page.body, int64(math.Float64bits(v)), false)
}

// giveUp writes the values that follow as they are. The codes of the open page
// become values; pages that are closed keep theirs, and the dictionary.
func (c *chunk) giveUp() {
	c.coding = false
	n := -1
	if !c.marked.closed {
		n = c.marked.codes
	}
	body := c.page.uncode(&c.dict, n)
	if n >= 0 {
		c.marked.codes, c.marked.body = 0, body
	}
}
