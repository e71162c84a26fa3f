package kernel

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// The hashes of Spark: Murmur3 of 32 bits, in which each byte of a text's end
// is a word of its own, and xxHash of 64 bits. A hash is the seed of the next.

func doubleBits(v any) int64 {
	x := doubleOf(v)
	if x == 0 {
		x = 0 // -0 is 0
	}
	if math.IsNaN(x) {
		return 0x7ff8000000000000
	}
	return int64(math.Float64bits(x)) //nolint:gosec // the same bits
}

func floatBits(v any) int64 {
	x := doubleOf(v)
	if x == 0 {
		x = 0
	}
	if math.IsNaN(x) {
		return 0x7fc00000
	}
	return int64(int32(math.Float32bits(float32(x)))) //nolint:gosec // the same bits
}

func murmurMix(h, k uint32) uint32 {
	k = bits.RotateLeft32(k*0xcc9e2d51, 15) * 0x1b873593
	return bits.RotateLeft32(h^k, 13)*5 + 0xe6546b64
}

func murmurEnd(h uint32, length int) int64 {
	h ^= uint32(length) //nolint:gosec // lengths of texts
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return int64(int32(h ^ h>>16)) //nolint:gosec // the same bits
}

func murmurInt(v, seed int64) int64 {
	return murmurEnd(murmurMix(uint32(seed), uint32(v)), 4) //nolint:gosec // the same bits
}

func murmurLong(v, seed int64) int64 {
	h := murmurMix(uint32(seed), uint32(v))                  //nolint:gosec // the lower bits
	return murmurEnd(murmurMix(h, uint32(uint64(v)>>32)), 8) //nolint:gosec // the same bits
}

func murmurBytes(b []byte, seed int64) int64 {
	h := uint32(seed) //nolint:gosec // the same bits
	n := len(b) &^ 3
	for i := 0; i < n; i += 4 {
		h = murmurMix(h, binary.LittleEndian.Uint32(b[i:]))
	}
	for _, c := range b[n:] {
		h = murmurMix(h, uint32(int32(int8(c)))) //nolint:gosec // bytes have a sign in Java
	}
	return murmurEnd(h, len(b))
}

const (
	prime1 uint64 = 0x9E3779B185EBCA87
	prime2 uint64 = 0xC2B2AE3D27D4EB4F
	prime3 uint64 = 0x165667B19E3779F9
	prime4 uint64 = 0x85EBCA77C2B2AE63
	prime5 uint64 = 0x27D4EB2F165667C5
)

func xxEnd(h uint64) int64 {
	h = (h ^ h>>33) * prime2
	h = (h ^ h>>29) * prime3
	return int64(h ^ h>>32) //nolint:gosec // the same bits
}

func xxRound(acc, v uint64) uint64 { return bits.RotateLeft64(acc+v*prime2, 31) * prime1 }

func xxWord4(h uint64, v uint32) uint64 {
	return bits.RotateLeft64(h^uint64(v)*prime1, 23)*prime2 + prime3
}

func xxWord8(h, v uint64) uint64 {
	return bits.RotateLeft64(h^xxRound(0, v), 27)*prime1 + prime4
}

func xxInt(v, seed int64) int64 {
	return xxEnd(xxWord4(uint64(seed)+prime5+4, uint32(v))) //nolint:gosec // the same bits
}

func xxLong(v, seed int64) int64 {
	return xxEnd(xxWord8(uint64(seed)+prime5+8, uint64(v))) //nolint:gosec // the same bits
}

func xxBytes(b []byte, seed int64) int64 {
	s := uint64(seed) //nolint:gosec // the same bits
	length := uint64(len(b))
	h := s + prime5
	if len(b) >= 32 {
		lanes := [4]uint64{s + prime1 + prime2, s + prime2, s, s - prime1}
		for ; len(b) >= 32; b = b[32:] {
			for i := range lanes {
				lanes[i] = xxRound(lanes[i], binary.LittleEndian.Uint64(b[8*i:]))
			}
		}
		h = bits.RotateLeft64(lanes[0], 1) + bits.RotateLeft64(lanes[1], 7) + bits.RotateLeft64(lanes[2], 12) + bits.RotateLeft64(lanes[3], 18)
		for _, lane := range lanes {
			h = (h^xxRound(0, lane))*prime1 + prime4
		}
	}
	h += length
	for ; len(b) >= 8; b = b[8:] {
		h = xxWord8(h, binary.LittleEndian.Uint64(b))
	}
	if len(b) >= 4 {
		h = xxWord4(h, binary.LittleEndian.Uint32(b))
		b = b[4:]
	}
	for _, c := range b {
		h = bits.RotateLeft64(h^uint64(c)*prime5, 11) * prime1
	}
	return xxEnd(h)
}
