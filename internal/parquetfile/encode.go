package parquetfile

import (
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"

	"landfall/internal/parquetfile/pile"
	"landfall/internal/value"
)

// Bounds of one call of the encoder: it looks at the size of a page only
// between calls. A call ends with a row, and so does each page.
const (
	callEntries = 1024
	callBytes   = 512 << 10
)

// scratch holds values on their way into the encoder.
type scratch struct {
	defs, reps []int16
	texts      []parquet.ByteArray
	longs      []int64
	ints       []int32
	doubles    []float64
	singles    []float32
	bools      []bool
	wide       []value.Int128
	fixed      []parquet.FixedLenByteArray
	// digits are the bytes of fixed.
	digits []byte
}

// input walks what a buffer holds.
type input struct {
	*buffer
	defs, reps pile.Walker[uint8]
	lens       pile.Walker[int32]
	data       pile.Reader
	ints       pile.Walker[int64]
	wide       pile.Walker[value.Int128]
	floats     pile.Walker[float64]
	bools      pile.Walker[bool]
}

// encode writes what the buffer holds.
func (s *scratch) encode(b *buffer, cw file.ColumnChunkWriter) error {
	in := &input{
		buffer: b,
		defs:   b.defs.Walk(), reps: b.reps.Walk(), lens: b.lens.Walk(), data: b.data.Reader(),
		ints: b.ints.Walk(), wide: b.wide.Walk(), floats: b.floats.Walk(), bools: b.bools.Walk(),
	}
	for _, r := range b.runs {
		for left := r.entries; left > 0; {
			n, values := s.take(in, r, left)
			s.values(in, r, values)
			if err := s.send(b, cw); err != nil {
				return err
			}
			left -= n
		}
	}
	return nil
}

// take takes the levels of one call, and texts, whose length counts. It returns
// the number of entries and of values among them.
func (s *scratch) take(in *input, r run, left int) (n, values int) {
	s.texts = s.texts[:0]
	n = min(left, callEntries)
	switch r.from {
	case leveled:
		return s.levels(in, left)
	case nulls:
		s.same(0, n)
		return n, 0
	case present:
		if in.kind == asText {
			n = s.text(in, n)
		}
	}
	s.same(in.MaxDef, n)
	return n, n
}

// same makes n entries of one definition level.
func (s *scratch) same(def uint8, n int) {
	s.defs, s.reps = s.defs[:0], s.reps[:0]
	for range n {
		s.defs, s.reps = append(s.defs, int16(def)), append(s.reps, 0)
	}
}

// text takes up to n texts, fewer if they are long.
func (s *scratch) text(in *input, n int) int {
	size := 0
	for len(s.texts) < n && size < callBytes {
		size += s.oneText(in)
	}
	return len(s.texts)
}

func (s *scratch) oneText(in *input) int {
	length := int(in.lens.Next())
	s.texts = append(s.texts, in.data.Next(length))
	return length
}

// levels takes the entries of whole rows.
func (s *scratch) levels(in *input, left int) (n, values int) {
	s.defs, s.reps = s.defs[:0], s.reps[:0]
	size := 0
	for ; n < left; n++ {
		if (n >= callEntries || size >= callBytes) && (in.MaxRep == 0 || in.reps.More()[0] == 0) {
			break
		}
		def := in.defs.Next()
		if def == in.MaxDef {
			values++
			if in.kind == asText {
				size += s.oneText(in)
			}
		}
		s.defs = append(s.defs, int16(def))
		if in.MaxRep > 0 {
			s.reps = append(s.reps, int16(in.reps.Next()))
		}
	}
	return n, values
}

// values takes so many values, of kinds other than text.
func (s *scratch) values(in *input, r run, n int) {
	switch {
	case r.from == constant:
		s.repeat(r.value, n)
	case in.kind == asInts:
		s.longs = in.ints.Take(s.longs[:0], n)
	case in.kind == asWide:
		s.wide = in.wide.Take(s.wide[:0], n)
	case in.kind == asFloats:
		s.doubles = in.floats.Take(s.doubles[:0], n)
	case in.kind == asBools:
		s.bools = in.bools.Take(s.bools[:0], n)
	}
}

func (s *scratch) repeat(v any, n int) {
	s.longs, s.doubles, s.bools = s.longs[:0], s.doubles[:0], s.bools[:0]
	switch v := v.(type) {
	case string:
		text := parquet.ByteArray(v)
		for range n {
			s.texts = append(s.texts, text)
		}
	case int64:
		for range n {
			s.longs = append(s.longs, v)
		}
	case float64:
		for range n {
			s.doubles = append(s.doubles, v)
		}
	case bool:
		for range n {
			s.bools = append(s.bools, v)
		}
	}
}

func (s *scratch) send(b *buffer, cw file.ColumnChunkWriter) error {
	defs, reps := s.defs, s.reps
	if b.MaxDef == 0 {
		defs = nil
	}
	if b.MaxRep == 0 {
		reps = nil
	}
	var err error
	switch cw := cw.(type) {
	case *file.ByteArrayColumnChunkWriter:
		_, err = cw.WriteBatch(s.texts, defs, reps)
	case *file.Int64ColumnChunkWriter:
		_, err = cw.WriteBatch(s.longs, defs, reps)
	case *file.Int32ColumnChunkWriter:
		_, err = cw.WriteBatch(s.narrow(), defs, reps)
	case *file.Float64ColumnChunkWriter:
		_, err = cw.WriteBatch(s.doubles, defs, reps)
	case *file.Float32ColumnChunkWriter:
		_, err = cw.WriteBatch(s.single(), defs, reps)
	case *file.BooleanColumnChunkWriter:
		_, err = cw.WriteBatch(s.bools, defs, reps)
	case *file.FixedLenByteArrayColumnChunkWriter:
		_, err = cw.WriteBatch(s.bytes(b.width), defs, reps)
	default:
		err = fmt.Errorf("no encoder for %T", cw)
	}
	return err
}

// narrow returns the integers in 32 bits, in which add saw that they are.
func (s *scratch) narrow() []int32 {
	s.ints = s.ints[:0]
	for _, v := range s.longs {
		s.ints = append(s.ints, int32(v))
	}
	return s.ints
}

func (s *scratch) single() []float32 {
	s.singles = s.singles[:0]
	for _, v := range s.doubles {
		s.singles = append(s.singles, float32(v))
	}
	return s.singles
}

// bytes returns the decimals in so many bytes each.
func (s *scratch) bytes(width int) []parquet.FixedLenByteArray {
	s.fixed, s.digits = s.fixed[:0], slices.Grow(s.digits[:0], width*len(s.wide))
	for _, v := range s.wide {
		at := len(s.digits)
		s.digits = s.digits[:at+width]
		putWide(s.digits[at:], v)
		s.fixed = append(s.fixed, s.digits[at:])
	}
	return s.fixed
}
