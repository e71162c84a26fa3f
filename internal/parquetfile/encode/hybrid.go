package encode

import (
	"encoding/binary"
	"math/bits"
)

// group is how many values the hybrid encoding packs together.
const group = 8

// appendHybrid appends values below 1<<width in the hybrid of run lengths and
// packed bits, which has neither a length nor an end of its own.
func appendHybrid[T uint8 | uint32](dst []byte, v []T, width int) []byte {
	from := 0 // of the values that wait to be packed
	for i := 0; i < len(v); {
		run := i + 1
		for run < len(v) && v[run] == v[i] {
			run++
		}
		// What is packed before a run are whole groups.
		fill := -(i - from) & (group - 1)
		if run-i-fill >= group {
			dst = appendPacked(dst, v[from:i+fill], width)
			dst = appendRun(dst, uint32(v[i]), run-i-fill, width)
			from = run
		}
		i = run
	}
	return appendPacked(dst, v[from:], width)
}

// appendRun appends n times one value.
func appendRun(dst []byte, v uint32, n, width int) []byte {
	dst = binary.AppendUvarint(dst, uint64(n)<<1)
	for ; width > 0; width -= 8 {
		dst = append(dst, byte(v))
		v >>= 8
	}
	return dst
}

// appendPacked appends values in groups, the last one filled up with zeros.
func appendPacked[T uint8 | uint32](dst []byte, v []T, width int) []byte {
	if len(v) == 0 {
		return dst
	}
	groups := (len(v) + group - 1) / group
	dst = binary.AppendUvarint(dst, uint64(groups)<<1|1)
	end := len(dst) + groups*width
	var word uint64
	have := 0
	for _, x := range v {
		word |= uint64(x) << have
		if have += width; have >= 32 {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(word))
			word >>= 32
			have -= 32
		}
	}
	for len(dst) < end {
		dst = append(dst, byte(word))
		word >>= 8
	}
	return dst
}

// widthOf is the number of bits that hold values up to most.
func widthOf(most int) int { return bits.Len(uint(most)) }

// appendLevels appends levels up to most with their length, as data pages of
// version 1 begin.
func appendLevels(dst []byte, v []uint8, most uint8) []byte {
	at := len(dst)
	dst = appendHybrid(append(dst, 0, 0, 0, 0), v, widthOf(int(most)))
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst
}

// appendLevel appends n times one level in the same way.
func appendLevel(dst []byte, v uint8, n int, most uint8) []byte {
	at := len(dst)
	dst = appendRun(append(dst, 0, 0, 0, 0), uint32(v), n, widthOf(int(most)))
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst
}
