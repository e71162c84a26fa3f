package conform

import (
	"encoding/base64"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/zeebo/xxh3"

	"landfall/internal/column"
	"landfall/internal/contract"
)

// Keys of the rescue JSON that are ours; a field of the source that has such a
// name, or begins with the prefix, is kept under the prefix and its name.
const (
	filePathKey      = "_file_path"
	recordKey        = "_record"
	whyKey           = "_why"
	byteOffsetKey    = "_byte_offset"
	corruptRecordKey = "_corrupt_record"
	valueKey         = "_value"
	fieldPrefix      = "_field:"
)

var errTooLarge = errors.New("the rescued values of one slab are too many to hold")

// isReserved reports whether a name of the source cannot stand for itself.
func isReserved(name string) bool {
	switch name {
	case filePathKey, recordKey, whyKey, byteOffsetKey, corruptRecordKey, valueKey,
		contract.RescuedData, contract.SourceFile, contract.IngestedAt:
		return true
	}
	return strings.HasPrefix(name, fieldPrefix)
}

// rescueWriter writes the rescue column: for a row with values that no column
// took, one JSON object with these under the file's own spelling, those of
// nested objects under their parents; then the file, the record and the reasons.
type rescueWriter struct {
	text column.Text
	// path is `"_file_path":"…","_record":`.
	path []byte
	why  []byte
	// start is where the row begins in the text, row the number of rows so far.
	start int
	row   uint64
	// frames are the objects and arrays around the value at hand; the first open
	// of them are written already.
	frames []frame
	open   int
	// lists counts the arrays among them. Below an array one path may come
	// twice: told holds the hashes of those that did come.
	lists int
	told  map[uint64]struct{}
	tape  *column.Tape
}

// label says under which name or number a value stands.
type label struct {
	// by is the name of a member. It is nil for keys of maps and for elements.
	by *spelling
	// member is the node of the name, element the position in an array; -1 for
	// members.
	member  uint32
	element int
}

// frame is an object or array that is being passed.
type frame struct {
	label
	list bool
	// written counts the elements of an array that the text has so far.
	written int
}

func (w *rescueWriter) init(url string) {
	w.path = append(append([]byte(`"`+filePathKey+`":`), quote(url)...), `,"`+recordKey+`":`...)
}

// reset prepares for a slab.
func (w *rescueWriter) reset(t *column.Tape) {
	w.text.Data, w.text.Spans = w.text.Data[:0], w.text.Spans[:0]
	w.tape = t
}

// begin begins a row.
func (w *rescueWriter) begin() {
	w.row++
	w.start = len(w.text.Data)
	w.text.Data = append(w.text.Data, '{')
	w.why = w.why[:0]
	w.frames, w.open, w.lists = w.frames[:0], 0, 0
	if len(w.told) > 0 {
		clear(w.told)
	}
}

// end ends a row: it is null if nothing was written.
func (w *rescueWriter) end(record, offset int64) error {
	b := w.text.Data
	if len(b) == w.start+1 {
		w.text.Data = b[:w.start]
		w.text.Spans = append(w.text.Spans, column.NullSpan)
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
	w.text.Data = b
	w.text.Spans = append(w.text.Spans, column.NewSpan(w.start, len(b)-w.start, false))
	return nil
}

// put adds a text and its reason. Bytes that are not UTF-8 are in base 64.
func (w *rescueWriter) put(k *key, reason, value []byte) {
	b := append(w.text.Data, k.quoted...)
	quoted, err := b, error(nil)
	if utf8.Valid(value) {
		quoted, err = jsontext.AppendQuote(b, value)
	}
	if len(quoted) == len(b) || err != nil {
		b = append(b, `{"$base64":"`...)
		b = base64.StdEncoding.AppendEncode(b, value)
		quoted = append(b, `"}`...)
	}
	w.text.Data = append(quoted, ',')
	w.why = append(append(append(w.why, '"'), k.piece...), `":`...)
	w.why = append(append(w.why, reason...), ',')
}

// putNodes adds values of the tape under one name, and their reason: one as it
// is, several as an array.
func (w *rescueWriter) putNodes(l label, reason []byte, values ...uint32) {
	w.openFrames()
	b := w.appendName(w.text.Data, l)
	if len(w.frames) == 0 && l.by != nil {
		l.by.kept = w.row
	}
	if len(values) == 1 {
		b = w.appendNode(b, values[0])
	} else {
		b = append(b, '[')
		for _, v := range values {
			b = append(w.appendNode(b, v), ',')
		}
		b[len(b)-1] = ']'
	}
	w.text.Data = append(b, ',')
	w.because(l, reason)
}

// putRoot adds a record that is no object.
func (w *rescueWriter) putRoot(reason []byte, v uint32) {
	w.text.Data = append(w.text.Data, `"`+valueKey+`":`...)
	w.text.Data = append(w.appendNode(w.text.Data, v), ',')
	w.why = append(append(append(w.why, `"`+valueKey+`":`...), reason...), ',')
}

// push enters an object or array, pop leaves it.
func (w *rescueWriter) push(l label, list bool) {
	w.frames = append(w.frames, frame{label: l, list: list})
	if list {
		w.lists++
	}
}

func (w *rescueWriter) pop() {
	last := len(w.frames) - 1
	if w.frames[last].list {
		w.lists--
	}
	if w.open > last {
		b := w.text.Data
		b[len(b)-1] = '}' // in place of the comma
		if w.frames[last].list {
			b[len(b)-1] = ']'
		}
		w.text.Data = append(b, ',')
		w.open = last
	}
	w.frames = w.frames[:last]
}

// openFrames writes the objects and arrays around the value at hand. Elements
// that have nothing to keep are null.
func (w *rescueWriter) openFrames() {
	b := w.text.Data
	for ; w.open < len(w.frames); w.open++ {
		fr := &w.frames[w.open]
		if fr.element >= 0 {
			list := &w.frames[w.open-1]
			for ; list.written < fr.element; list.written++ {
				b = append(b, "null,"...)
			}
			list.written++
		} else {
			b = w.appendName(b, fr.label)
			if w.open == 0 && fr.by != nil {
				fr.by.kept = w.row
			}
		}
		fr.written = 0
		if fr.list {
			b = append(b, '[')
		} else {
			b = append(b, '{')
		}
	}
	w.text.Data = b
}

// appendName adds `"name":`.
func (w *rescueWriter) appendName(b []byte, l label) []byte {
	if l.by != nil {
		return append(b, l.by.quoted...)
	}
	if raw := w.tape.Raw(l.member); raw[0] == '"' && strict(raw) {
		b = append(b, raw...)
	} else {
		b = append(b, quote(string(w.tape.Text(l.member)))...)
	}
	return append(b, ':')
}

// because adds a reason under the path of a value.
func (w *rescueWriter) because(l label, reason []byte) {
	start := len(w.why)
	b := append(w.why, '"')
	for i := range w.frames {
		b = append(w.appendPart(b, w.frames[i].label), '.')
	}
	b = append(w.appendPart(b, l), `":`...)
	if w.lists > 0 {
		if w.told == nil {
			w.told = make(map[uint64]struct{})
		}
		hash := xxh3.Hash(b[start:])
		if _, twice := w.told[hash]; twice {
			return
		}
		w.told[hash] = struct{}{}
	}
	w.why = append(append(b, reason...), ',')
}

func (w *rescueWriter) appendPart(b []byte, l label) []byte {
	switch {
	case l.by != nil:
		return append(b, l.by.piece...)
	case l.element >= 0:
		return append(b, "element"...)
	default:
		return appendPiece(b, string(w.tape.Text(l.member)))
	}
}

// writing is how far a row was at some time.
type writing struct{ text, why, frames, open, lists, written int }

func (w *rescueWriter) mark() writing {
	m := writing{len(w.text.Data), len(w.why), len(w.frames), w.open, w.lists, 0}
	if w.open > 0 {
		m.written = w.frames[w.open-1].written
	}
	return m
}

// undo takes back what was written since.
func (w *rescueWriter) undo(m writing) {
	w.text.Data, w.why = w.text.Data[:m.text], w.why[:m.why]
	w.frames, w.open, w.lists = w.frames[:m.frames], m.open, m.lists
	if w.open > 0 {
		w.frames[w.open-1].written = m.written
	}
}

// wrote reports whether anything was written since.
func (w *rescueWriter) wrote(m writing) bool { return len(w.text.Data) > m.text }
