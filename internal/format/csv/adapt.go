package csv

import (
	"bytes"

	"landfall/internal/column"
)

// adapts reports whether options change values.
func (o *Options) adapts() bool {
	return o.TrimLeft || o.TrimRight || o.NullValue != "" || o.EmptyValue != ""
}

// value is the text of a span, nil if it is null. It is what column.Text gives
// once the slab is whole.
func (r *Reader) value(s column.Span) []byte {
	switch at := s.Offset() - len(r.in.Held); {
	case s.Null():
		return nil
	case s.Len() == 0:
		return []byte{}
	case at >= 0:
		return r.tail[at : at+s.Len() : at+s.Len()]
	default:
		return r.in.Held[s.Offset() : s.Offset()+s.Len() : s.Offset()+s.Len()]
	}
}

// adapt is a value as options ask for it: without spaces around it, if it stood
// without quotes; another text for an empty one in quotes; null for the text that
// means it.
func (r *Reader) adapt(s column.Span) column.Span {
	if s.Null() {
		return s
	}
	if !s.Quoted() {
		s = r.trim(s)
	}
	if s.Quoted() && s.Len() == 0 && r.o.EmptyValue != "" {
		if r.empty.Null() {
			r.empty = column.NewSpan(len(r.in.Held)+len(r.tail), len(r.o.EmptyValue), true)
			r.tail = append(r.tail, r.o.EmptyValue...)
		}
		s = r.empty
	}
	if r.o.NullValue != "" && string(r.value(s)) == r.o.NullValue {
		return column.NullSpan
	}
	return s
}

// trim takes spaces and tabs from the ends of a value.
func (r *Reader) trim(s column.Span) column.Span {
	const blank = " \t"
	from, text := s.Offset(), r.value(s)
	if r.o.TrimLeft {
		n := len(text)
		text = bytes.TrimLeft(text, blank)
		from += n - len(text)
	}
	if r.o.TrimRight {
		text = bytes.TrimRight(text, blank)
	}
	if len(text) == 0 {
		return column.NullSpan
	}
	return column.NewSpan(from, len(text), false)
}
