package encode

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// Bounds of a dictionary. One that has more than sureEntries is given up when most
// values are new ones, one that has freshEntries if all are: they are ids.
const (
	mostEntries  = 64 << 10
	mostBytes    = 1 << 20
	sureEntries  = 8 << 10
	freshEntries = 4 << 10
	firstSlots   = 256
)

// dictionary numbers the values of a leaf in the order in which they come.
type dictionary struct {
	// width is the length of each value, 0 for texts, which bring theirs.
	width int
	// seed and salt make hashes that nobody can foresee.
	seed maphash.Seed
	salt uint64
	// body holds the entries as the dictionary page does, ends where each ends.
	body []byte
	ends []uint32
	// slots hold the upper half of a hash, whose lower bits say where to look
	// first, and one more than the number of an entry, 0 for none.
	slots []uint64
	// values is how many there were.
	values int
}

const lengthBytes = 4

// entry returns a value by its number.
func (d *dictionary) entry(code uint32) []byte {
	from := uint32(0)
	if code > 0 {
		from = d.ends[code-1]
	}
	if d.width == 0 {
		from += lengthBytes
	}
	return d.body[from:d.ends[code]]
}

// spelled returns an entry with its length, as pages hold it.
func (d *dictionary) spelled(code uint32) []byte {
	from := uint32(0)
	if code > 0 {
		from = d.ends[code-1]
	}
	return d.body[from:d.ends[code]]
}

// code returns the number of a value, and whether it is a new one.
func (d *dictionary) code(v []byte) (code uint32, fresh bool) {
	d.values++
	if 2*len(d.ends) >= len(d.slots) {
		d.grow()
	}
	hash := d.hash(v) >> 32
	mask := uint64(len(d.slots) - 1)
	at := hash & mask
	for ; d.slots[at] != 0; at = (at + 1) & mask {
		if d.slots[at]>>32 != hash {
			continue
		}
		if code = uint32(d.slots[at]) - 1; bytes.Equal(d.entry(code), v) {
			return code, false
		}
	}
	code = uint32(len(d.ends))
	if d.width == 0 {
		d.body = binary.LittleEndian.AppendUint32(d.body, uint32(len(v)))
	}
	d.body = append(d.body, v...)
	d.ends = append(d.ends, uint32(len(d.body)))
	d.slots[at] = hash<<32 | uint64(code+1)
	return code, true
}

// hash is a hash of all bytes of a value. Most values are short: two words, which may
// overlap, have all of their bytes.
func (d *dictionary) hash(v []byte) uint64 {
	var a, b uint64
	switch n := len(v); {
	case n > 16:
		return maphash.Bytes(d.seed, v)
	case n >= 8:
		a, b = binary.LittleEndian.Uint64(v), binary.LittleEndian.Uint64(v[n-8:])
	case n >= 4:
		a, b = uint64(binary.LittleEndian.Uint32(v)), uint64(binary.LittleEndian.Uint32(v[n-4:]))
	case n > 0:
		a = uint64(v[0])<<16 | uint64(v[n/2])<<8 | uint64(v[n-1])
	}
	const odd = 0x9e3779b97f4a7c15
	high, low := bits.Mul64(a^d.salt, b^d.salt>>1^odd*uint64(len(v)+1))
	return high ^ low
}

func (d *dictionary) grow() {
	old := d.slots
	d.slots = make([]uint64, max(firstSlots, 2*len(old)))
	for _, slot := range old {
		if slot != 0 {
			d.place(slot)
		}
	}
}

func (d *dictionary) place(slot uint64) {
	mask := uint64(len(d.slots) - 1)
	at := slot >> 32 & mask
	for d.slots[at] != 0 {
		at = (at + 1) & mask
	}
	d.slots[at] = slot
}

// full tells whether a further value should not be added.
func (d *dictionary) full() bool {
	n := len(d.ends)
	ids := n == freshEntries && n == d.values
	return ids || n > sureEntries && 2*n > d.values || n >= mostEntries || len(d.body) > mostBytes
}

// pays tells whether most values came before.
func (d *dictionary) pays() bool { return 2*len(d.ends) <= d.values }

// cut forgets all but the first n entries of so many values.
func (d *dictionary) cut(n, values int) {
	d.values = values
	if n == len(d.ends) {
		return
	}
	d.ends = d.ends[:n]
	d.body = d.body[:0:cap(d.body)]
	if n > 0 {
		d.body = d.body[:d.ends[n-1]]
	}
	clear(d.slots)
	for code := range uint32(n) {
		d.place(d.hash(d.entry(code))>>32<<32 | uint64(code+1))
	}
}
