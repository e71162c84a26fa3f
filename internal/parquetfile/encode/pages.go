package encode

import (
	"io"
	"math"

	"landfall/internal/parquetfile/rowgroup"
)

// Pages are closed at so many rows or bytes.
const (
	pageRows  = 20_000
	pageBytes = 1 << 20
)

// pages closes the pages of all chunks.
type pages struct {
	codec  *codec
	limits limits
	// room is that of pages which are put together.
	room []byte
	head []byte
}

// formOf tells how the values of the open page are to be stored.
func (c *chunk) formOf() int32 {
	switch {
	case len(c.page.codes) > 0:
		return formDictionary
	case len(c.page.ints) > 0:
		return formDelta
	}
	return formPlain
}

// close closes the open page of a chunk.
func (p *pages) close(c *chunk) error {
	f := c.formOf()
	var raw []byte
	raw, p.room = c.page.raw(p.room, c, f)
	body, err := p.shrink(raw, c.page.entries, &c.shrinks[f])
	if err != nil {
		return err
	}
	head := dataHeader(len(raw), len(body), c.page.entries, f).Append(p.head[:0])
	p.head = head
	c.raw += int64(len(head) + len(raw))
	c.out = append(c.out, append(append(make([]byte, 0, len(head)+len(body)), head...), body...))
	c.entries += int64(c.page.entries)
	c.forms[f]++
	c.turn()
	return nil
}

// shrink compresses a page of so many values, or stores it if that saves little: the
// first page decides for those that follow. The result is valid until the next call.
func (p *pages) shrink(raw []byte, values int, v *verdict) ([]byte, error) {
	if len(raw) > math.MaxInt32/2 {
		return nil, errPage
	}
	if *v != stored {
		out, err := p.codec.compress(raw, values)
		if err != nil {
			return nil, err
		}
		if *v == undecided {
			*v = shrinks
			if len(out) > len(raw)-len(raw)/saving {
				*v = stored
			}
		}
		if *v == shrinks {
			return out, nil
		}
	}
	return p.codec.store(raw), nil
}

// finish closes the last page and returns the chunk.
func (p *pages) finish(c *chunk) (rowgroup.Chunk, error) {
	if c.coding && c.forms[formDictionary] == 0 && !c.dict.pays() {
		c.giveUp()
	}
	if c.page.entries > 0 {
		if err := p.close(c); err != nil {
			return rowgroup.Chunk{}, err
		}
	}
	var body pieces
	if c.forms[formDictionary] > 0 {
		raw := c.dict.body
		var v verdict
		short, err := p.shrink(raw, len(c.dict.ends), &v)
		if err != nil {
			return rowgroup.Chunk{}, err
		}
		head := dictionaryHeader(len(raw), len(short), len(c.dict.ends)).Append(nil)
		c.raw += int64(len(head) + len(raw))
		body = append(body, append(head, short...))
	}
	dictionary := body.Size()
	body = append(body, c.out...)
	return rowgroup.Chunk{Meta: c.meta(p.codec.number(), dictionary, body.Size()), Body: body}, nil
}

// pieces are the pages of a chunk.
type pieces [][]byte

// Size is the number of bytes of all pages.
func (p pieces) Size() int64 {
	n := int64(0)
	for _, b := range p {
		n += int64(len(b))
	}
	return n
}

// WriteTo writes the pages to w.
func (p pieces) WriteTo(w io.Writer) (n int64, err error) {
	for _, b := range p {
		k, err := w.Write(b)
		n += int64(k)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
