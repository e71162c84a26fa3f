package vector

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// A deletion vector is a magic number and a 64-bit Roaring bitmap in the
// portable format, all little endian:
//
//	magic u32 | buckets u64 | (high u32 | 32-bit bitmap)…
//
// and a 32-bit bitmap is, with n containers of up to 65,536 values each,
//
//	cookie u32 (no runs: 12346, then n u32; runs: 12347 | (n-1)<<16, then a bit
//	per container) | (key u16, cardinality-1 u16)… | offsets u32… | containers
//
// where the offsets are left out if there are runs and n < 4.
const (
	magicNumber   = 1681511377
	cookieNoRuns  = 12346
	cookieRuns    = 12347
	noOffsets     = 4
	arrayMax      = 4096 // values in an array container
	containerBits = 1 << 16
	bitmapBytes   = containerBits / 8
)

// decode returns the values of a vector, which must be as many as its
// descriptor says: the bound keeps a few hostile bytes from growing without end.
func decode(data []byte, cardinality int64) ([]int64, error) {
	d := &roaring{data: data, most: cardinality}
	if magic := d.u32(); magic != magicNumber {
		return nil, fmt.Errorf("%w: found format %d, want %d", errVector, magic, magicNumber)
	}
	buckets := d.u64()
	last := int64(-1)
	for b := uint64(0); b < buckets && d.err == nil; b++ {
		high := int64(d.u32())
		if high <= last || high > 1<<31-1 {
			d.fail("buckets out of order")
		}
		last = high
		d.bitmap(high << 32)
	}
	switch {
	case d.err != nil:
		return nil, d.err
	case len(d.data) > 0:
		return nil, fmt.Errorf("%w: %d bytes too many", errVector, len(d.data))
	case int64(len(d.out)) != cardinality:
		return nil, fmt.Errorf("%w: found %d rows, want %d", errVector, len(d.out), cardinality)
	}
	return d.out, nil
}

// roaring consumes data; after the first error it only yields zeros.
type roaring struct {
	data []byte
	out  []int64
	most int64
	err  error
}

func (d *roaring) fail(what string) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s", errVector, what)
	}
}

// take returns the next n bytes; zeros when they are not there.
func (d *roaring) take(n int) []byte {
	if d.err != nil || n > len(d.data) {
		d.fail("cut short")
		return make([]byte, min(n, bitmapBytes))
	}
	b := d.data[:n]
	d.data = d.data[n:]
	return b
}

func (d *roaring) u16() uint16 { return binary.LittleEndian.Uint16(d.take(2)) }
func (d *roaring) u32() uint32 { return binary.LittleEndian.Uint32(d.take(4)) }
func (d *roaring) u64() uint64 { return binary.LittleEndian.Uint64(d.take(8)) }

// add keeps the values from..to, which must come after those it has.
func (d *roaring) add(from, to int64) {
	if to-from >= d.most-int64(len(d.out)) {
		d.fail("more rows than its cardinality")
		return
	}
	if n := len(d.out); n > 0 && from <= d.out[n-1] {
		d.fail("rows out of order")
		return
	}
	for v := from; v <= to; v++ {
		d.out = append(d.out, v)
	}
}

// bitmap decodes a 32-bit bitmap; base is added to its values.
func (d *roaring) bitmap(base int64) {
	cookie := d.u32()
	n := 0
	var runs []byte
	switch {
	case cookie == cookieNoRuns:
		count := d.u32()
		if count > containerBits {
			d.fail("too many containers")
			return
		}
		n = int(count)
	case cookie&0xffff == cookieRuns:
		n = int(cookie>>16) + 1
		runs = d.take((n + 7) / 8)
	default:
		d.fail("not a Roaring bitmap")
	}
	header := d.take(4 * n)
	if runs == nil || n >= noOffsets {
		d.take(4 * n) // the offsets say nothing that the order does not
	}
	for i := range n {
		if d.err != nil {
			return
		}
		key := int64(binary.LittleEndian.Uint16(header[4*i:]))
		size := int(binary.LittleEndian.Uint16(header[4*i+2:])) + 1
		d.container(base|key<<16, size, runs != nil && runs[i/8]>>(i%8)&1 == 1)
	}
}

func (d *roaring) container(base int64, size int, run bool) {
	switch {
	case run:
		for range d.u16() {
			from, more := int64(d.u16()), int64(d.u16())
			if from+more >= containerBits {
				d.fail("a run beyond its container")
			}
			if d.err != nil {
				return
			}
			d.add(base+from, base+from+more)
		}
	case size <= arrayMax:
		values := d.take(2 * size)
		for ; len(values) > 0 && d.err == nil; values = values[2:] {
			v := base + int64(binary.LittleEndian.Uint16(values))
			d.add(v, v)
		}
	default:
		words := d.take(bitmapBytes)
		for i := 0; i < bitmapBytes && d.err == nil; i += 8 {
			for w := binary.LittleEndian.Uint64(words[i:]); w != 0 && d.err == nil; w &= w - 1 {
				v := base + int64(8*i+bits.TrailingZeros64(w))
				d.add(v, v)
			}
		}
	}
}
