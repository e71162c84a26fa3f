// Package column holds the columns of one slab of input, as spans over its bytes.
//
// A scanner cuts a slab of an object into records and fields without copying a
// value: a [Text] column is spans over the slab's buffer. Conforming turns a
// [Slab] into a [Batch], whose columns are in a table's order, and an encoder
// takes values from the spans straight into pages.
package column

import (
	"errors"
	"fmt"

	"landfall/internal/schema"
)

// Span locates one text value in the buffer of its column. It packs, from the
// low bits: offset (32), length (29), quoted, null.
type Span uint64

const (
	lengthBits = 29
	// MaxValue is the length in bytes that a span can hold at most.
	MaxValue = 1<<lengthBits - 1
	quoted   = Span(1) << 62
	null     = Span(1) << 63
)

// NullSpan is a value that is not there.
const NullSpan = null

// NewSpan locates length bytes at offset. wasQuoted tells `""` from an empty
// field, and "1" from 1.
func NewSpan(offset, length int, wasQuoted bool) Span {
	s := Span(uint32(offset)) | Span(length)<<32
	if wasQuoted {
		s |= quoted
	}
	return s
}

// Null reports whether there is no value.
func (s Span) Null() bool { return s&null != 0 }

// Quoted reports whether the value stood in quotes.
func (s Span) Quoted() bool { return s&quoted != 0 }

// Offset is where the value begins.
func (s Span) Offset() int { return int(uint32(s)) }

// Len is the length of the value in bytes.
func (s Span) Len() int { return int(s >> 32 & MaxValue) }

// Text is a column of text values. Spans point into Data, which the slab or
// batch that holds the column owns: it is valid until that is released.
type Text struct {
	Data  []byte
	Spans []Span
	// UTF8 says that all values are known to be UTF-8, so that nobody need look.
	UTF8 bool
	// Numbers are the values that were found to be plain numbers, at the positions of
	// their spans; those of others have no digits. Nil where nobody looked.
	Numbers []Plain
}

// Plain is a plain number: its digits as if there were no point, with the sign, and
// how many there are.
type Plain struct {
	Value  int64
	Digits Digits
}

// Value returns the bytes of value i, nil if it is null.
func (t Text) Value(i int) []byte {
	s := t.Spans[i]
	if s.Null() {
		return nil
	}
	if s.Len() == 0 {
		return []byte{} // of nil Data too: empty is not null
	}
	o := s.Offset()
	return t.Data[o : o+s.Len() : o+s.Len()]
}

// AppendValue copies v to the end of Data and adds a span for it.
func (t *Text) AppendValue(v []byte) {
	t.Spans = append(t.Spans, NewSpan(len(t.Data), len(v), false))
	t.Data = append(t.Data, v...)
}

// AppendNull adds a null.
func (t *Text) AppendNull() { t.Spans = append(t.Spans, NullSpan) }

// Slab is a run of consecutive good records of one object, as its scanner
// found them, and the bad ones met between.
type Slab struct {
	// Records holds the record number of each row, counted from 1 over all
	// records of the object, the bad ones included.
	Records []int64
	// Fields holds one column for each field of the object's header, in header
	// order, each with len(Records) spans. A field that a short record lacks is
	// null; so is an empty unquoted field. Empty where Tape is set.
	Fields []Text
	// Tape holds the rows of a format whose records are trees, nil for others.
	Tape *Tape
	// Columns holds the rows of a format that has types: one column for each field
	// of the object's header, in header order, all of it nullable, as Leaves.
	// Fields, Tape, Data and Where are empty then.
	Columns []Column
	// Data is the text of the slab, and Where says where in it each row is, so
	// that a row can be kept out of the table with its bytes and its place.
	Data  []byte
	Where []Where
	// Ragged names the rows whose number of fields is not the header's.
	Ragged []Ragged
	// Bad are the records of this stretch that could not be parsed.
	Bad []Bad
}

// Rows is the number of good records.
func (s *Slab) Rows() int { return len(s.Records) }

// Check refuses a slab of text that is not one of trees, if tree is set, or of so many
// fields.
func (s *Slab) Check(tree bool, fields int) error {
	if tree {
		if s.Tape == nil || len(s.Tape.Roots) != s.Rows() {
			return fmt.Errorf("a slab of %d records without a tree for each", s.Rows())
		}
		return nil
	}
	if s.Tape != nil || len(s.Fields) != fields {
		return fmt.Errorf("a slab of %d fields for a header of %d", len(s.Fields), fields)
	}
	for i := range s.Fields {
		if len(s.Fields[i].Spans) != s.Rows() {
			return fmt.Errorf("field %d has %d values in %d rows", i, len(s.Fields[i].Spans), s.Rows())
		}
	}
	for i, r := range s.Ragged {
		if r.Row < 0 || r.Row >= s.Rows() || i > 0 && r.Row <= s.Ragged[i-1].Row {
			return errors.New("the ragged rows of a slab are not in order")
		}
	}
	return nil
}

// Where is the place of one row.
type Where struct {
	// Offset and Line are as in Bad.
	Offset, Line int64
	// From and To bound its text in Data.
	From, To uint32
}

// Ragged is a row with fewer or more fields than the header.
type Ragged struct {
	// Row is the index in the slab.
	Row int
	// Have is the number of fields the record has.
	Have int
	// Extra are the values past the header, nil for a short row. An empty
	// unquoted extra field is nil.
	Extra [][]byte
}

// Bad is a record, or a stretch of bytes, that is no record.
type Bad struct {
	// Record is its 1-based number in the object.
	Record int64
	// Line is the 1-based physical line it begins on, Offset the 0-based byte
	// offset in the decoded text.
	Line, Offset int64
	// Length is its length in bytes, Bytes its raw bytes (nil if longer than
	// the limit on records).
	Length int64
	Bytes  []byte
	// Reason says why, in the words of a diagnostic: found, wanted.
	Reason string
	// Code is the diagnostic code of the reason.
	Code string
}

// Batch is a set of rows for one table, in the order of its columns.
type Batch struct {
	Rows    int
	Columns []Column
}

// Column is one column of a batch: its leaves, plain text, or one value for all
// rows. The zero value is all null.
type Column struct {
	// Type is the type the column is written as.
	Type schema.Type
	// Leaves holds the values, one Leaf for each of Leaves(Type, …), when
	// Constant is nil. Nil means that Text holds them.
	Leaves []Leaf
	// Text holds the values of a string column, with null spans, when Constant
	// and Leaves are nil; nil means all null.
	Text *Text
	// Constant is the value of every row: string for String, int64 µs since
	// 1970 UTC for Timestamp, int64 for Long. Nil means none.
	Constant any
}
