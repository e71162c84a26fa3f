package kernel

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math/bits"
)

// sha2 is a hash of so many bits as hexadecimal digits; 0 bits are 256.
func sha2(size int64, data []byte) (any, error) {
	var sum []byte
	switch size {
	case 224:
		d := sha256.Sum224(data)
		sum = d[:]
	case 0, 256:
		d := sha256.Sum256(data)
		sum = d[:]
	case 384:
		d := sha512.Sum384(data)
		sum = d[:]
	case 512:
		d := sha512.Sum512(data)
		sum = d[:]
	default:
		return nil, fmt.Errorf("sha2: found %d bits, want 0, 224, 256, 384 or 512", size)
	}
	return hex.EncodeToString(sum), nil
}

func crc32of(data []byte) int64 { return int64(crc32.ChecksumIEEE(data)) }

// blockSize is how many bytes blake2b takes at once.
const blockSize = 128

// blake2b is the hash of RFC 7693 without a key, of so many bits.
func blake2b(size int64, data []byte) (any, error) {
	if size < 8 || size > 512 || size%8 != 0 {
		return nil, fmt.Errorf("blake2b: found %d bits, want a multiple of 8 up to 512", size)
	}
	state := blakeStart()
	state[0] ^= 0x01010000 ^ uint64(size/8)
	done := 0
	for len(data)-done > blockSize {
		done += blockSize
		blakeMix(&state, data[done-blockSize:done], uint64(done), false)
	}
	last := make([]byte, blockSize)
	copy(last, data[done:])
	blakeMix(&state, last, uint64(len(data)), true)
	out := make([]byte, 0, 64)
	for _, word := range state {
		out = binary.LittleEndian.AppendUint64(out, word)
	}
	return out[:size/8], nil
}

// blakeStart is the fractions of the square roots of the first primes.
func blakeStart() [8]uint64 {
	return [8]uint64{
		0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
		0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
	}
}

// blakeOrder is in which order each round takes the words of a block, as
// hexadecimal digits.
const blakeOrder = "0123456789abcdef" + "ea489fd61c02b753" + "b8c052fdae367194" + "7931dcbe265a40f8" + "905724afe1bc683d" +
	"2c6a0b834d75fe19" + "c51fed4a0763928b" + "db7ec13950f4862a" + "6fe9b308c2d714a5" + "a2847615fb9e3cd0"

// blakeMix takes a block into the state; count is how many bytes are in with it.
func blakeMix(state *[8]uint64, block []byte, count uint64, last bool) {
	var words, v [16]uint64
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(block[8*i:])
	}
	start := blakeStart()
	copy(v[:], state[:])
	copy(v[8:], start[:])
	v[12] ^= count
	if last {
		v[14] = ^v[14]
	}
	for round := range 12 {
		order := blakeOrder[round%10*16:]
		word := func(i int) uint64 { return words[digit(order[i])] }
		for i := range 4 {
			blakeQuarter(&v, i, 4+i, 8+i, 12+i, word(2*i), word(2*i+1))
		}
		for i := range 4 {
			blakeQuarter(&v, i, 4+(i+1)%4, 8+(i+2)%4, 12+(i+3)%4, word(8+2*i), word(9+2*i))
		}
	}
	for i := range state {
		state[i] ^= v[i] ^ v[i+8]
	}
}

func digit(c byte) int {
	if c >= 'a' {
		return int(c-'a') + 10
	}
	return int(c - '0')
}

func blakeQuarter(v *[16]uint64, a, b, c, d int, x, y uint64) {
	v[a] += v[b] + x
	v[d] = bits.RotateLeft64(v[d]^v[a], -32)
	v[c] += v[d]
	v[b] = bits.RotateLeft64(v[b]^v[c], -24)
	v[a] += v[b] + y
	v[d] = bits.RotateLeft64(v[d]^v[a], -16)
	v[c] += v[d]
	v[b] = bits.RotateLeft64(v[b]^v[c], -63)
}
