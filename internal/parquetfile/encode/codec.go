package encode

import (
	"encoding/binary"
	"fmt"

	"github.com/DataDog/zstd"
	"github.com/klauspost/compress/s2"
)

// Compression names a codec of pages.
type Compression string

// The codecs that can be asked for; the zero value is Zstd.
const (
	Zstd   Compression = "zstd"
	Snappy Compression = "snappy"
)

// Their numbers in parquet.thrift.
const (
	codecSnappy = 1
	codecZstd   = 6
)

// The levels of zstd. Long texts take as long at either and are a tenth smaller at
// longLevel. All else is about as small at shortLevel, names and ids smaller, and takes
// two thirds of the time.
const (
	shortLevel = 1
	longLevel  = 3
	// longText is from how many bytes a value on texts are long.
	longText = 64
)

// saving: pages that lose less than one in so many bytes are stored.
const saving = 7

// codec compresses pages. One goroutine uses it.
type codec struct {
	snappy bool
	zstd   zstd.Ctx
	room   []byte
}

func newCodec(c Compression) *codec {
	if c == Snappy {
		return &codec{snappy: true}
	}
	return &codec{zstd: zstd.NewCtx()}
}

func (c *codec) number() int32 {
	if c.snappy {
		return codecSnappy
	}
	return codecZstd
}

// compress returns a page of so many values that is smaller, in room that the next
// call takes.
func (c *codec) compress(raw []byte, values int) ([]byte, error) {
	var err error
	if c.snappy {
		if n := s2.MaxEncodedLen(len(raw)); cap(c.room) < n {
			c.room = make([]byte, n)
		}
		c.room = s2.EncodeSnappy(c.room[:cap(c.room)], raw)
		return c.room, nil
	}
	if n := zstd.CompressBound(len(raw)); cap(c.room) < n {
		c.room = make([]byte, n)
	}
	level := shortLevel
	if len(raw) >= longText*values {
		level = longLevel
	}
	c.room, err = c.zstd.CompressLevel(c.room[:cap(c.room)], raw, level)
	if err != nil {
		return nil, fmt.Errorf("compress a page: %w", err)
	}
	return c.room, nil
}

// store returns a page in the form of the codec, but as it is, in the same room.
func (c *codec) store(raw []byte) []byte {
	if c.snappy {
		c.room = storeSnappy(c.room[:0], raw)
	} else {
		c.room = storeZstd(c.room[:0], raw)
	}
	return c.room
}

// storeSnappy appends a block of one literal.
func storeSnappy(dst, raw []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(raw)))
	if len(raw) == 0 {
		return dst
	}
	const literalOfFourBytes = 63 << 2
	dst = append(dst, literalOfFourBytes)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(raw)-1))
	return append(dst, raw...)
}

// storeZstd appends a frame of raw blocks, whose header gives the length.
func storeZstd(dst, raw []byte) []byte {
	const (
		magic       = 0xFD2FB528
		oneSegment  = 1 << 5
		fourBytes   = 2 << 6
		mostInBlock = 128 << 10
	)
	dst = binary.LittleEndian.AppendUint32(dst, magic)
	dst = append(dst, oneSegment|fourBytes)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(raw)))
	for {
		n := min(len(raw), mostInBlock)
		header := uint32(n) << 3
		if n == len(raw) {
			header |= 1 // the last one
		}
		dst = append(dst, byte(header), byte(header>>8), byte(header>>16))
		dst = append(dst, raw[:n]...)
		if raw = raw[n:]; len(raw) == 0 {
			return dst
		}
	}
}
