package rescue

import (
	"errors"
	"math"
	"strconv"

	"landfall/internal/column"
)

var errTooLarge = errors.New("the rescued values of one slab are too many to hold")

// Writer writes the rescue column of one object, slab by slab. Its buffers are
// used again.
type Writer struct {
	Members
	spans []column.Span
	// path is `"_file_path":"…","_record":`.
	path []byte
	// start is where the row begins in the text.
	start int
}

// NewWriter returns a writer for the object that has that URL.
func NewWriter(url string) *Writer {
	w := &Writer{}
	w.Turn(url)
	return w
}

// Turn begins another object. What was written before is void.
func (w *Writer) Turn(url string) {
	w.path = append(append(append(w.path[:0], `"`+filePathKey+`":`...), Quote(url)...), `,"`+recordKey+`":`...)
}

// Reset prepares for a slab, whose values are in the tape if it has one.
func (w *Writer) Reset(t *column.Tape) {
	w.text, w.spans = w.text[:0], w.spans[:0]
	w.tape = t
}

// Begin begins a row.
func (w *Writer) Begin() {
	w.begin()
	w.why = w.why[:0]
	w.start = len(w.text)
	w.text = append(w.text, '{')
}

// Null adds a row that has nothing to keep.
func (w *Writer) Null() { w.spans = append(w.spans, column.NullSpan) }

// Kept reports whether the row at hand has a member of that key.
func (w *Writer) Kept(k *Key) bool { return k.kept == w.row }

// End ends a row: it is null if nothing was written. An offset below 0 is none.
func (w *Writer) End(record, offset int64) error {
	b := w.text
	if len(b) == w.start+1 {
		w.text = b[:w.start]
		w.Null()
		return nil
	}
	b = append(b, w.path...)
	b = strconv.AppendInt(b, record, 10)
	if offset >= 0 {
		b = append(b, `,"`+byteOffsetKey+`":`...)
		b = strconv.AppendInt(b, offset, 10)
	}
	b = append(b, `,"`+whyKey+`":{`...)
	b = append(b, w.why[:len(w.why)-1]...)
	b = append(b, `}}`...)
	if len(b) > math.MaxUint32 || len(b)-w.start > column.MaxValue {
		return errTooLarge
	}
	w.text = b
	w.spans = append(w.spans, column.NewSpan(w.start, len(b)-w.start, false))
	return nil
}

// Column is what was written since Reset, nil if every row is null.
func (w *Writer) Column() *column.Text {
	if len(w.text) == 0 {
		return nil
	}
	return &column.Text{Data: w.text, Spans: w.spans}
}
