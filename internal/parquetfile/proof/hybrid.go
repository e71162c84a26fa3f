package proof

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// bitsOfByte is also the number of values of a bit-packed group.
const bitsOfByte = 8

// eachRun goes through values in runs and in groups of eight that are bit-packed
// ("RLE / Bit-Packing Hybrid" of Parquet's encodings). Of groups, n are values.
func eachRun(data []byte, width, values int, use func(packed []byte, value uint64, n int) error) error {
	const longest = 5 // bytes of a head
	for values > 0 {
		head, length := binary.Uvarint(data)
		packs := head&1 == 1
		if length <= 0 || length > longest || head>>1 == 0 || head>>1 > math.MaxInt32/bitsOfByte || packs && width == 0 {
			return errValues
		}
		data = data[length:]
		size, n := (width+bitsOfByte-1)/bitsOfByte, int(head>>1)
		if packs {
			size, n = n*width, n*bitsOfByte
		}
		n = min(n, values)
		if size > len(data) {
			return errValues
		}
		var value uint64
		packed := data[:size:size]
		if !packs {
			for i, b := range packed {
				value |= uint64(b) << (bitsOfByte * i)
			}
			packed = nil
		}
		if err := use(packed, value, n); err != nil {
			return err
		}
		data, values = data[size:], values-n
	}
	return nil
}

// onesOf counts the bits that are set among the first n.
func onesOf(packed []byte, n int) (count int) {
	const word = 64
	for ; n >= word; n -= word {
		count += bits.OnesCount64(binary.LittleEndian.Uint64(packed))
		packed = packed[word/bitsOfByte:]
	}
	for ; n > 0; n -= bitsOfByte {
		b := packed[0]
		if n < bitsOfByte {
			b &= 1<<n - 1
		}
		count += bits.OnesCount8(b)
		packed = packed[1:]
	}
	return count
}

// greatest is the greatest of n bit-packed values.
func greatest(packed []byte, width, n int) (most uint64) {
	var word uint64
	have, mask := 0, uint64(1)<<width-1
	for range n {
		for have < width {
			word |= uint64(packed[0]) << have
			packed, have = packed[1:], have+bitsOfByte
		}
		most = max(most, word&mask)
		word, have = word>>width, have-width
	}
	return most
}

// unpacked adds n bit-packed values of up to eight bits to dst.
func unpacked(dst []uint8, packed []byte, width, n int) []uint8 {
	var word uint32
	have, mask := 0, uint32(1)<<width-1
	for range n {
		if have < width {
			word |= uint32(packed[0]) << have
			packed, have = packed[1:], have+bitsOfByte
		}
		dst = append(dst, uint8(word&mask))
		word, have = word>>width, have-width
	}
	return dst
}
