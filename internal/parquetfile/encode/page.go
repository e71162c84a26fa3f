package encode

import (
	"encoding/binary"

	"landfall/internal/parquetfile/form"
)

// page is one that is open: levels and values that are not yet compressed.
type page struct {
	rows, entries int
	// def is the level of every entry, unless leveled: then defs, and reps in
	// arrays and maps, hold one each.
	def        uint8
	leveled    bool
	defs, reps []uint8
	// values are in one of these: codes of the dictionary, integers that are to
	// be packed, booleans; the rest are in body as pages hold them.
	codes []uint32
	ints  []int64
	bools []bool
	// body begins with a gap, in which short levels find their place.
	body []byte
}

// gap holds the levels of a flat column that are all one run.
const gap = 16

func newPage() page { return page{body: make([]byte, gap)} }

// place is how much there was in a page at one time.
type place struct {
	rows, entries            int
	def                      uint8
	leveled                  bool
	defs, reps               int
	codes, ints, bools, body int
}

// end is the place behind all that is there.
func (p *page) end() place {
	return place{
		rows: p.rows, entries: p.entries, def: p.def, leveled: p.leveled, defs: len(p.defs), reps: len(p.reps),
		codes: len(p.codes), ints: len(p.ints), bools: len(p.bools), body: len(p.body),
	}
}

// cut forgets what came behind a place.
func (p *page) cut(to place) {
	p.rows, p.entries, p.def, p.leveled = to.rows, to.entries, to.def, to.leveled
	p.defs, p.reps = p.defs[:to.defs], p.reps[:to.reps]
	p.codes, p.ints, p.bools, p.body = p.codes[:to.codes], p.ints[:to.ints], p.bools[:to.bools], p.body[:max(gap, to.body)]
}

// limits say when a page is closed.
type limits struct{ rows, bytes int }

// full tells whether a page that could take more should be closed.
func (p *page) full(l limits) bool {
	return p.rows >= l.rows ||
		len(p.body)+8*len(p.ints)+4*len(p.codes)+len(p.bools)/8+len(p.defs)+len(p.reps) >= l.bytes
}

// fill adds n entries of one level. In arrays and maps they still need repeat.
func (p *page) fill(def uint8, n int) {
	if p.entries == 0 {
		p.def, p.leveled = def, false
	}
	if !p.leveled && def != p.def {
		p.spell()
	}
	p.entries += n
	if p.leveled {
		p.defs = appendTimes(p.defs, def, n)
	}
}

// repeat says of the last n entries that each begins a row.
func (p *page) repeat(n int) { p.reps = appendTimes(p.reps, 0, n) }

// spell turns the one level into a level for each entry.
func (p *page) spell() {
	p.leveled = true
	p.defs = appendTimes(p.defs[:0], p.def, p.entries)
}

func appendTimes[T any](dst []T, v T, n int) []T {
	dst = grow(dst, n)
	for range n {
		dst = append(dst, v)
	}
	return dst
}

// grow makes room for n more, and for as many again as there are: pages grow to
// their size once.
func grow[T any](dst []T, n int) []T {
	if cap(dst)-len(dst) >= n {
		return dst
	}
	return append(make([]T, 0, max(2*cap(dst), len(dst)+n)), dst...)
}

// level adds entries with their levels.
func (p *page) level(defs, reps []uint8) {
	if !p.leveled {
		p.spell()
	}
	p.entries += len(defs)
	p.defs, p.reps = append(p.defs, defs...), append(p.reps, reps...)
}

// uncode turns the codes of a dictionary into the values that they stand for.
// It returns how much room the first n of them take.
func (p *page) uncode(d *dictionary, n int) (body int) {
	size := 0
	for _, code := range p.codes {
		size += len(d.spelled(code))
	}
	p.body = grow(p.body, size)
	for i, code := range p.codes {
		if i == n {
			body = len(p.body)
		}
		p.body = append(p.body, d.spelled(code)...)
	}
	if n == len(p.codes) {
		body = len(p.body)
	}
	p.codes = p.codes[:0]
	return body
}

// raw returns the levels and values as a page of version 1 has them, in room if
// they are not there already, and room as it has grown.
func (p *page) raw(room []byte, c *chunk, as int32) (raw, grown []byte) {
	room = p.appendLevels(room[:0], c)
	switch {
	case as == formDictionary:
		width := widthOf(len(c.dict.ends) - 1)
		room = appendHybrid(append(room, byte(width)), p.codes, width)
	case as == formDelta:
		room = appendDeltas(room, p.ints, c.physical == form.PhysicalInt32)
	case c.physical == form.PhysicalBoolean:
		room = appendBools(room, p.bools)
	case len(room) <= gap:
		from := gap - len(room)
		copy(p.body[from:], room)
		return p.body[from:], room
	default:
		room = append(room, p.body[gap:]...)
	}
	return room, room
}

func (p *page) appendLevels(dst []byte, c *chunk) []byte {
	if c.MaxRep > 0 {
		dst = appendLevels(dst, p.reps, c.MaxRep)
	}
	switch {
	case c.MaxDef == 0:
	case p.leveled:
		dst = appendLevels(dst, p.defs, c.MaxDef)
	default:
		dst = appendLevel(dst, p.def, p.entries, c.MaxDef)
	}
	return dst
}

// appendBools appends booleans, eight to a byte, the first in the lowest bit.
func appendBools(dst []byte, v []bool) []byte {
	for len(v) > 0 {
		var bits byte
		some := v[:min(8, len(v))]
		for i, b := range some {
			if b {
				bits |= 1 << i
			}
		}
		dst, v = append(dst, bits), v[len(some):]
	}
	return dst
}

// appendInt appends an integer as pages hold it.
func appendInt(dst []byte, v int64, narrow bool) []byte {
	if narrow {
		return binary.LittleEndian.AppendUint32(dst, uint32(int32(v)))
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(v))
}

func appendText(dst, v []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(v))), v...)
}
