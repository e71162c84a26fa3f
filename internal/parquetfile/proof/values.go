package proof

import (
	"bytes"
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/parquet"

	"landfall/internal/parquetfile/form"
	"landfall/internal/value"
)

// Values says which values a chunk is claimed to hold. A range that is nil holds all of
// them.
type Values struct {
	// Text says that bytes of any length are UTF-8.
	Text bool
	// Ints bounds integers, and booleans as 0 and 1; Floats both kinds of
	// floating-point numbers, so that there is no NaN; Bytes what is of any length, in
	// the order of its bytes; Wide numbers that have a fixed length, highest byte first.
	Ints   *Range[int64]
	Floats *Range[float64]
	Bytes  *Range[[]byte]
	Wide   *Range[value.Int128]
}

// Range is all values from Low to High.
type Range[T any] struct{ Low, High T }

// plain looks through values that stand one behind the other.
func (p *proof) plain(body []byte, values int) error {
	size := 0
	switch p.Column.PhysicalType() {
	case parquet.Types.Boolean:
		return p.booleans(body, values)
	case parquet.Types.ByteArray:
		return p.byteArrays(body, values)
	case parquet.Types.Int32, parquet.Types.Float:
		size = 4
	case parquet.Types.Int64, parquet.Types.Double:
		size = 8
	case parquet.Types.FixedLenByteArray:
		size = p.Column.TypeLength()
	default:
		return errUnproven
	}
	if size <= 0 || len(body) != values*size {
		return errValues
	}
	if !p.fixed(body, size) {
		return errOutside
	}
	return nil
}

// fixed tells whether values of one size are within their range.
func (p *proof) fixed(body []byte, size int) bool {
	switch p.Column.PhysicalType() {
	case parquet.Types.Int32:
		return within(p.claimed.Ints, body, size, func(b []byte) int64 { return int64(int32(binary.LittleEndian.Uint32(b))) })
	case parquet.Types.Int64:
		return within(p.claimed.Ints, body, size, func(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) })
	case parquet.Types.Float:
		return within(p.claimed.Floats, body, size, func(b []byte) float64 {
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		})
	case parquet.Types.Double:
		return within(p.claimed.Floats, body, size, func(b []byte) float64 {
			return math.Float64frombits(binary.LittleEndian.Uint64(b))
		})
	}
	r := p.claimed.Wide
	for ; r != nil && len(body) > 0; body = body[size:] {
		if v := form.GetWide(body[:size]); form.LessWide(v, r.Low) || form.LessWide(r.High, v) {
			return false
		}
	}
	return true
}

// within tells whether the values that of reads are all in the range; a NaN is not.
func within[T int64 | float64](r *Range[T], body []byte, size int, of func([]byte) T) bool {
	if r == nil {
		return true
	}
	low, high := r.Low, r.High
	for ; len(body) >= size; body = body[size:] {
		if v := of(body); low <= v && v <= high {
			continue
		}
		return false
	}
	return true
}

func (p *proof) booleans(body []byte, values int) error {
	if len(body) != (values+bitsOfByte-1)/bitsOfByte {
		return errValues
	}
	r := p.claimed.Ints
	if r == nil {
		return nil
	}
	if n := onesOf(body, values); n > 0 && r.High < 1 || n < values && r.Low > 0 {
		return errOutside
	}
	return nil
}

func (p *proof) byteArrays(body []byte, values int) error {
	r := p.claimed.Bytes
	for range values {
		if len(body) < lengthBytes {
			return errValues
		}
		size := uint64(binary.LittleEndian.Uint32(body))
		if body = body[lengthBytes:]; size > uint64(len(body)) {
			return errValues
		}
		v := body[:size]
		switch {
		case p.claimed.Text && !utf8.Valid(v):
			return errText
		case r != nil && (bytes.Compare(v, r.Low) < 0 || bytes.Compare(v, r.High) > 0):
			return errOutside
		}
		body = body[size:]
	}
	if len(body) > 0 {
		return errValues
	}
	return nil
}
