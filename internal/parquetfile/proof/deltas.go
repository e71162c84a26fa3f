package proof

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/parquet"
)

// widest is the greatest number of bits that differences are looked through of: with
// the rest of a byte they fit a word.
const widest = 56

// deltas looks through integers that are stored as the differences between them
// ("DELTA_BINARY_PACKED" of Parquet's encodings). How large blocks are the reader of
// pages has checked.
func (p *proof) deltas(body []byte, values int) error {
	var head [4]uint64 // values of a block, small blocks in it, values, the first value
	if len(body) == 0 && values == 0 {
		return nil
	}
	for i := range head {
		n, length := binary.Uvarint(body)
		if length <= 0 {
			return errValues
		}
		head[i], body = n, body[length:]
	}
	block, minis := head[0], head[1]
	if head[2] != uint64(values) || minis == 0 || block%minis != 0 || block/minis%bitsOfByte != 0 {
		return errValues
	}
	d := deltas{last: unzigzag(head[3]), per: int(block / minis), narrow: p.Column.PhysicalType() == parquet.Types.Int32, within: p.claimed.Ints}
	if values > 0 && !d.holds() {
		return errOutside
	}
	for left := values - 1; left > 0; {
		step, length := binary.Uvarint(body)
		if length <= 0 || uint64(len(body)-length) < minis {
			return errValues
		}
		d.least = unzigzag(step)
		widths := body[length : length+int(minis)]
		body = body[length+int(minis):]
		for _, w := range widths {
			if left <= 0 {
				break
			}
			size := int(w) * d.per / bitsOfByte
			switch {
			case w > widest:
				return errUnproven
			case size > len(body):
				return errValues
			case !d.mini(body[:size], int(w), min(left, d.per)):
				return errOutside
			}
			body, left = body[size:], left-min(left, d.per)
		}
	}
	if len(body) > 0 {
		return errValues
	}
	return nil
}

// deltas is a place among integers that follow from one another.
type deltas struct {
	last, least int64
	// per is the number of differences in a small block, narrow says that values have
	// 32 bits.
	per    int
	narrow bool
	within *Range[int64]
}

func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// holds tells whether the value at this place is in the range.
func (d *deltas) holds() bool {
	if d.narrow {
		d.last = int64(int32(d.last))
	}
	return d.within == nil || d.within.Low <= d.last && d.last <= d.within.High
}

// mini passes the n first differences of a small block.
func (d *deltas) mini(packed []byte, width, n int) bool {
	var word uint64 // bits that are read, the next one lowest
	have, mask := 0, uint64(1)<<width-1
	for range n {
		for have < width {
			word |= uint64(packed[0]) << have
			packed, have = packed[1:], have+bitsOfByte
		}
		d.last += d.least + int64(word&mask)
		word, have = word>>width, have-width
		if !d.holds() {
			return false
		}
	}
	return true
}
