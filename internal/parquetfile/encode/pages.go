package encode

import (
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
	raw    []byte
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
	p.raw = c.page.appendTo(p.raw[:0], c, f)
	body, err := p.shrink(&c.shrinks[f])
	if err != nil {
		return err
	}
	before := len(c.out)
	c.out = dataHeader(len(p.raw), len(body), c.page.entries, f).Append(c.out)
	c.raw += int64(len(c.out) - before + len(p.raw))
	c.out = append(c.out, body...)
	c.entries += int64(c.page.entries)
	c.forms[f]++
	c.turn()
	return nil
}

// shrink compresses the raw page, or stores it if that saves little: the first
// page decides for those that follow.
func (p *pages) shrink(v *verdict) ([]byte, error) {
	if len(p.raw) > math.MaxInt32/2 {
		return nil, errPage
	}
	if *v != stored {
		out, err := p.codec.compress(p.raw)
		if err != nil {
			return nil, err
		}
		if *v == undecided {
			*v = shrinks
			if len(out) > len(p.raw)-len(p.raw)/saving {
				*v = stored
			}
		}
		if *v == shrinks {
			return out, nil
		}
	}
	return p.codec.store(p.raw), nil
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
	var dictionary, head []byte
	if c.forms[formDictionary] > 0 {
		p.raw = append(p.raw[:0], c.dict.body...)
		var v verdict
		var err error
		if dictionary, err = p.shrink(&v); err != nil {
			return rowgroup.Chunk{}, err
		}
		head = dictionaryHeader(len(p.raw), len(dictionary), len(c.dict.ends)).Append(nil)
		c.raw += int64(len(head) + len(p.raw))
	}
	body := make(rowgroup.Bytes, 0, len(head)+len(dictionary)+len(c.out))
	body = append(append(append(body, head...), dictionary...), c.out...)
	return rowgroup.Chunk{Meta: c.meta(p.codec.number(), len(head)+len(dictionary), len(body)), Body: body}, nil
}
