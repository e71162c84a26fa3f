package parquetfile

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/schema"
)

// errNotText: the bytes of a string are not UTF-8. The scanner saw to that, so
// it is a fault of ours.
var errNotText = errors.New("value is not valid UTF-8")

// buffer holds the values of one column of the open row group.
type buffer struct {
	runs []run
	// lens and data hold the text: the length of each value, -1 for null, and
	// the bytes.
	lens []int32
	data pile
}

// run is a stretch of rows that came in one way.
type run struct {
	rows int
	kind kind
	// value is the constant.
	value any
}

type kind uint8

const (
	nulls kind = iota
	constant
	text
)

// check tells whether c fits the field.
func check(c column.Column, f schema.Field, rows int) error {
	if c.Type != nil && c.Type != f.Type {
		return fmt.Errorf("batch has type %v, the file %v", c.Type, f.Type)
	}
	ok := true
	switch v := c.Constant.(type) {
	case nil:
		switch {
		case c.Text != nil:
			if f.Type != schema.String {
				return fmt.Errorf("text in a column of type %v", f.Type)
			}
			if len(c.Text.Spans) != rows {
				return fmt.Errorf("%d values for %d rows", len(c.Text.Spans), rows)
			}
			if !f.Nullable {
				return noNull(c.Text.Spans, f.Name)
			}
		case !f.Nullable && rows > 0:
			return nullRefused(f.Name)
		}
	case string:
		ok = f.Type == schema.String
		if !utf8.ValidString(v) {
			return errNotText
		}
	case int64:
		ok = f.Type == schema.Long || f.Type == schema.Timestamp
	default:
		ok = false
	}
	if !ok {
		return fmt.Errorf("constant %T in a column of type %v", c.Constant, f.Type)
	}
	return nil
}

func noNull(spans []column.Span, name string) error {
	for _, s := range spans {
		if s.Null() {
			return nullRefused(name)
		}
	}
	return nil
}

func nullRefused(name string) error {
	d := diag.New(diag.Constraint, "found null, but the column is NOT NULL").
		Hinted("drop the constraint of the table, or give every record a value")
	d.Path = name
	return d
}

// weigh is the memory that rows from..to of c will take.
func weigh(c column.Column, from, to int) int64 {
	if c.Text == nil || c.Constant != nil {
		v, _ := c.Constant.(string)
		return int64(to - from + len(v))
	}
	n := int64(to-from) * 4
	for _, s := range c.Text.Spans[from:to] {
		if !s.Null() {
			n += int64(s.Len())
		}
	}
	return n
}

// add copies rows from..to of c and counts them in st.
func (b *buffer) add(c column.Column, from, to int, st *ColumnStats) error {
	n := to - from
	switch {
	case c.Constant != nil:
		b.extend(run{n, constant, c.Constant})
		st.addConstant(c.Constant)
	case c.Text == nil:
		b.extend(run{n, nulls, nil})
		st.Nulls += int64(n)
	default:
		b.extend(run{n, text, nil})
		for i := from; i < to; i++ {
			v := c.Text.Value(i)
			if v == nil {
				b.lens = append(b.lens, -1)
				st.Nulls++
				continue
			}
			if !utf8.Valid(v) {
				return errNotText
			}
			b.lens = append(b.lens, int32(len(v)))
			b.data.put(v)
			st.addText(v)
		}
	}
	return nil
}

func (b *buffer) extend(r run) {
	if n := len(b.runs); n > 0 && b.runs[n-1].kind == r.kind && b.runs[n-1].value == r.value {
		b.runs[n-1].rows += r.rows
		return
	}
	b.runs = append(b.runs, r)
}

func (b *buffer) reset() {
	clear(b.runs)
	b.runs, b.lens = b.runs[:0], b.lens[:0]
	b.data.reset()
}

// repeats tells from the first values whether a dictionary pays: it does for
// constants, and when a value comes twice on average.
func (b *buffer) repeats() bool {
	const sample = 16 << 10
	if len(b.lens) == 0 {
		return slices.ContainsFunc(b.runs, func(r run) bool { return r.kind == constant })
	}
	seen, n, data := map[string]struct{}{}, 0, b.data.reader()
	for _, l := range b.lens {
		if l < 0 {
			continue
		}
		if n == sample {
			break
		}
		n++
		seen[string(data.next(int(l)))] = struct{}{}
	}
	return n > 0 && 2*len(seen) <= n
}

// Bounds of one call of the encoder: it looks at the size of a page only
// between calls.
const (
	callRows  = 4096
	callBytes = 512 << 10
)

// scratch holds values on their way into the encoder.
type scratch struct {
	defs  []int16
	texts []parquet.ByteArray
	ints  []int64
}

// encode writes the column's values. Required columns have no levels.
func (s *scratch) encode(b *buffer, cw file.ColumnChunkWriter, nullable bool) error {
	lens, data := b.lens, b.data.reader()
	for _, r := range b.runs {
		for left := r.rows; left > 0; {
			n := min(left, callRows)
			switch r.kind {
			case text:
				n = s.fill(lens[:n], &data)
				lens = lens[n:]
			default:
				s.repeat(r, n)
			}
			if err := s.send(cw, nullable); err != nil {
				return err
			}
			left -= n
		}
	}
	return nil
}

// fill takes values until one call is full and returns their number.
func (s *scratch) fill(lens []int32, data *reader) int {
	s.defs, s.texts = s.defs[:0], s.texts[:0]
	size := 0
	for _, l := range lens {
		if l < 0 {
			s.defs = append(s.defs, 0)
			continue
		}
		if size += int(l); size > callBytes && len(s.texts) > 0 {
			break
		}
		s.defs = append(s.defs, 1)
		s.texts = append(s.texts, data.next(int(l)))
	}
	return len(s.defs)
}

func (s *scratch) repeat(r run, n int) {
	s.defs, s.texts, s.ints = s.defs[:0], s.texts[:0], s.ints[:0]
	var value parquet.ByteArray
	if v, ok := r.value.(string); ok {
		value = parquet.ByteArray(v)
	}
	for range n {
		switch v := r.value.(type) {
		case nil:
			s.defs = append(s.defs, 0)
			continue
		case int64:
			s.ints = append(s.ints, v)
		default:
			s.texts = append(s.texts, value)
		}
		s.defs = append(s.defs, 1)
	}
}

func (s *scratch) send(cw file.ColumnChunkWriter, nullable bool) error {
	defs := s.defs
	if !nullable {
		defs = nil
	}
	var err error
	switch cw := cw.(type) {
	case *file.ByteArrayColumnChunkWriter:
		_, err = cw.WriteBatch(s.texts, defs, nil)
	case *file.Int64ColumnChunkWriter:
		_, err = cw.WriteBatch(s.ints, defs, nil)
	default:
		err = fmt.Errorf("no encoder for %T", cw)
	}
	return err
}
