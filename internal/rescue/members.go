package rescue

import (
	"encoding/base64"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/zeebo/xxh3"

	"landfall/internal/column"
)

// Members gathers members of one row's object, and their reasons.
type Members struct {
	text, why []byte
	// row is the number of rows so far.
	row uint64
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

// Names writes the names that are not known beforehand: those of a map's
// entries, by their numbers.
type Names interface {
	// AppendName adds the name as a JSON string, Name returns its text.
	AppendName(b []byte, at int) []byte
	Name(at int) string
}

// Label says under which name or number a value stands.
type Label struct {
	// Key is the name of a member. It is nil for entries of maps and for elements.
	Key *Key
	// Names has the name of a map's entry, At is its number there. Without either,
	// At is the position in an array.
	Names Names
	At    int
}

func (l *Label) element() bool { return l.Key == nil && l.Names == nil }

// frame is an object or array that is being passed.
type frame struct {
	Label
	list bool
	// written counts the elements of an array that the text has so far.
	written int
}

// begin begins a row.
func (m *Members) begin() {
	m.row++
	m.frames, m.open, m.lists = m.frames[:0], 0, 0
	if len(m.told) > 0 {
		clear(m.told)
	}
}

// Put adds a text and its reason, a JSON string. Bytes that are not UTF-8 are in
// base 64.
func (m *Members) Put(k *Key, reason, value []byte) {
	m.text = append(appendText(append(m.text, k.quoted...), value), ',')
	m.why = append(append(append(m.why, '"'), k.piece...), `":`...)
	m.why = append(append(m.why, reason...), ',')
}

// appendText adds a text as JSON.
func appendText(b, value []byte) []byte {
	quoted, err := b, error(nil)
	if utf8.Valid(value) {
		quoted, err = jsontext.AppendQuote(b, value)
	}
	if len(quoted) == len(b) || err != nil {
		b = append(b, `{"$base64":"`...)
		b = base64.StdEncoding.AppendEncode(b, value)
		quoted = append(b, `"}`...)
	}
	return quoted
}

// PutNodes adds values of the tape under one name, and their reason: one as it
// is, several as an array.
func (m *Members) PutNodes(l Label, reason []byte, values ...uint32) {
	b := m.Open(l)
	if len(values) == 1 {
		b = appendNode(b, m.tape, values[0])
	} else {
		b = append(b, '[')
		for _, v := range values {
			b = append(appendNode(b, m.tape, v), ',')
		}
		b[len(b)-1] = ']'
	}
	m.Close(b, l, reason)
}

// PutRoot adds a record of the tape that is no object.
func (m *Members) PutRoot(reason []byte, v uint32) {
	m.text = append(m.text, `"`+Value+`":`...)
	m.text = append(appendNode(m.text, m.tape, v), ',')
	m.why = append(append(append(m.why, `"`+Value+`":`...), reason...), ',')
}

// Open begins a value: its caller adds JSON to the text it returns, and hands it
// to Close with the reason.
func (m *Members) Open(l Label) []byte {
	m.openFrames()
	if len(m.frames) == 0 && l.Key != nil {
		l.Key.kept = m.row
	}
	return appendName(m.text, l)
}

// Close ends what Open began.
func (m *Members) Close(b []byte, l Label, reason []byte) {
	m.text = append(b, ',')
	m.because(l, reason)
}

// Push enters an object or array, Pop leaves it.
func (m *Members) Push(l Label, list bool) {
	m.frames = append(m.frames, frame{Label: l, list: list})
	if list {
		m.lists++
	}
}

// Pop leaves what was entered last.
func (m *Members) Pop() {
	last := len(m.frames) - 1
	if m.frames[last].list {
		m.lists--
	}
	if m.open > last {
		b := m.text
		b[len(b)-1] = '}' // in place of the comma
		if m.frames[last].list {
			b[len(b)-1] = ']'
		}
		m.text = append(b, ',')
		m.open = last
	}
	m.frames = m.frames[:last]
}

// openFrames writes the objects and arrays around the value at hand. Elements
// that have nothing to keep are null.
func (m *Members) openFrames() {
	b := m.text
	for ; m.open < len(m.frames); m.open++ {
		fr := &m.frames[m.open]
		if fr.element() {
			list := &m.frames[m.open-1]
			for ; list.written < fr.At; list.written++ {
				b = append(b, "null,"...)
			}
			list.written++
		} else {
			b = appendName(b, fr.Label)
			if m.open == 0 && fr.Key != nil {
				fr.Key.kept = m.row
			}
		}
		fr.written = 0
		if fr.list {
			b = append(b, '[')
		} else {
			b = append(b, '{')
		}
	}
	m.text = b
}

// appendName adds `"name":`.
func appendName(b []byte, l Label) []byte {
	if l.Key != nil {
		return append(b, l.Key.quoted...)
	}
	return append(l.Names.AppendName(b, l.At), ':')
}

// because adds a reason under the path of a value.
func (m *Members) because(l Label, reason []byte) {
	start := len(m.why)
	b := append(m.why, '"')
	for i := range m.frames {
		b = append(appendPart(b, m.frames[i].Label), '.')
	}
	b = append(appendPart(b, l), `":`...)
	if m.lists > 0 {
		if m.told == nil {
			m.told = make(map[uint64]struct{})
		}
		hash := xxh3.Hash(b[start:])
		if _, twice := m.told[hash]; twice {
			return
		}
		m.told[hash] = struct{}{}
	}
	m.why = append(append(b, reason...), ',')
}

func appendPart(b []byte, l Label) []byte {
	switch {
	case l.Key != nil:
		return append(b, l.Key.piece...)
	case l.Names != nil:
		return appendPiece(b, l.Names.Name(l.At))
	default:
		return append(b, "element"...)
	}
}

// Mark is how far a row was at some time.
type Mark struct{ text, why, frames, open, lists, written int }

// Mark returns how far the row is.
func (m *Members) Mark() Mark {
	k := Mark{len(m.text), len(m.why), len(m.frames), m.open, m.lists, 0}
	if m.open > 0 {
		k.written = m.frames[m.open-1].written
	}
	return k
}

// Undo takes back what was written since.
func (m *Members) Undo(k Mark) {
	m.text, m.why = m.text[:k.text], m.why[:k.why]
	m.frames, m.open, m.lists = m.frames[:k.frames], k.open, k.lists
	if m.open > 0 {
		m.frames[m.open-1].written = k.written
	}
}

// Wrote reports whether anything was written since.
func (m *Members) Wrote(k Mark) bool { return len(m.text) > k.text }
