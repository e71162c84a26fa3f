package encode

import (
	"encoding/binary"
	"math/bits"
)

// Deltas are packed in blocks of so many, each of so many parts of their own
// width.
const (
	blockDeltas = 128
	blockParts  = 4
	partDeltas  = blockDeltas / blockParts
)

// appendDeltas appends values in DELTA_BINARY_PACKED. Differences wrap around in
// the width of the values, which is 32 bits if narrow.
func appendDeltas(dst []byte, v []int64, narrow bool) []byte {
	dst = binary.AppendUvarint(dst, blockDeltas)
	dst = binary.AppendUvarint(dst, blockParts)
	dst = binary.AppendUvarint(dst, uint64(len(v)))
	first := int64(0)
	if len(v) > 0 {
		first = v[0]
	}
	dst = binary.AppendVarint(dst, first)
	var deltas [blockDeltas]int64
	for at := 1; at < len(v); at += blockDeltas {
		n := min(blockDeltas, len(v)-at)
		least := differences(deltas[:n], v[at-1:], narrow)
		dst = appendBlock(dst, &deltas, n, least)
	}
	return dst
}

// differences sets out to those between values that follow one another and
// returns the least.
func differences(out, v []int64, narrow bool) int64 {
	v = v[:len(out)+1]
	if narrow {
		for i := range out {
			out[i] = int64(int32(v[i+1] - v[i]))
		}
	} else {
		for i := range out {
			out[i] = v[i+1] - v[i]
		}
	}
	least := out[0]
	for _, d := range out {
		least = min(least, d)
	}
	return least
}

// appendBlock appends n deltas. The last part that has some is filled up, the
// ones behind it are left out.
func appendBlock(dst []byte, deltas *[blockDeltas]int64, n int, least int64) []byte {
	dst = binary.AppendVarint(dst, least)
	widths := len(dst)
	dst = append(dst, make([]byte, blockParts)...)
	for i := n; i < blockDeltas; i++ {
		deltas[i] = least
	}
	for part := 0; part*partDeltas < n; part++ {
		some := deltas[part*partDeltas:][:partDeltas]
		all := uint64(0)
		for _, d := range some {
			all |= uint64(d) - uint64(least)
		}
		width := bits.Len64(all)
		dst[widths+part] = byte(width)
		dst = appendPart(dst, some, least, width)
	}
	return dst
}

// appendPart packs what deltas exceed the least one by.
func appendPart(dst []byte, deltas []int64, least int64, width int) []byte {
	if width == 0 {
		return dst
	}
	var word uint64
	have := 0
	for _, d := range deltas {
		x := uint64(d) - uint64(least)
		word |= x << have
		if have += width; have >= 64 {
			dst = binary.LittleEndian.AppendUint64(dst, word)
			have -= 64
			word = x >> (width - have)
		}
	}
	if have > 0 { // 32 values of an odd width end in the middle of a word
		dst = binary.LittleEndian.AppendUint32(dst, uint32(word))
	}
	return dst
}
