// Package rescue writes the rescue column: for a row with values that no column
// took, one JSON object that holds them.
//
// They stand under the file's own spelling of their names, those of nested
// objects under their parents; then come the file, the record and the reasons.
// Values come as nodes of text, which stay as they were written, or from columns
// that have types.
package rescue

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"landfall/internal/schema"
)

// Keys of the rescue JSON that are ours; a field of the source that has such a
// name, or begins with the prefix, is kept under the prefix and its name.
const (
	// CorruptRecord holds a record that could not be parsed, Value one that is no
	// object.
	CorruptRecord = "_corrupt_record"
	Value         = "_value"

	filePathKey   = "_file_path"
	recordKey     = "_record"
	whyKey        = "_why"
	byteOffsetKey = "_byte_offset"
	fieldPrefix   = "_field:"
)

// Reserved reports whether a name of the source cannot stand for itself, since
// it is a key of ours.
func Reserved(name string) bool {
	switch name {
	case filePathKey, recordKey, whyKey, byteOffsetKey, CorruptRecord, Value:
		return true
	}
	return strings.HasPrefix(name, fieldPrefix)
}

// Key is a name of the source within the rescue JSON.
type Key struct {
	Name string
	// quoted is `"name":`; piece what the name is within a path of _why.
	quoted, piece []byte
	// kept is the row in which the name was last written at the root.
	kept uint64
}

// NewKey makes the key of a name. A reserved one is kept under a prefix.
func NewKey(name string, reserved bool) Key {
	k := Key{Name: name}
	if reserved {
		name = fieldPrefix + name
	}
	k.quoted = append(Quote(name), ':')
	k.piece = appendPiece(nil, name)
	return k
}

// RawKey makes the key of a name that stands as it was written, quotes included:
// one that is no text.
func RawKey(name string, raw []byte) Key {
	k := NewKey(name, false)
	k.quoted = append(append([]byte(nil), raw...), ':')
	return k
}

// appendPiece adds a name as it stands in a path of _why: as schema.Path writes
// it if it could be taken for two, within a JSON string.
func appendPiece(b []byte, name string) []byte {
	if name == "" || strings.ContainsAny(name, ".`") || strings.TrimSpace(name) != name {
		name = schema.Path{name}.String()
	}
	quoted := Quote(name)
	return append(b, quoted[1:len(quoted)-1]...)
}

// Quote makes a JSON string; of bytes that are not UTF-8 as near as it can be.
func Quote(s string) []byte {
	quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD"))
	if err != nil {
		return []byte(`""`) // never: the text is valid
	}
	return quoted
}
