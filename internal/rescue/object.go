package rescue

import (
	"bytes"
	"fmt"
	"io"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// members yields the members of an object of JSON, their names without escapes.
func members(text []byte) iter.Seq2[Member, error] {
	return func(yield func(Member, error) bool) {
		d := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
			yield(Member{}, fmt.Errorf("%w: no object", errNotOurs))
			return
		}
		for d.PeekKind() != '}' {
			m, err := member(d)
			if err != nil {
				yield(Member{}, fmt.Errorf("%w: %w", errNotOurs, err))
				return
			}
			if !yield(m, nil) {
				return
			}
		}
		if _, err := d.ReadToken(); err != nil {
			yield(Member{}, fmt.Errorf("%w: %w", errNotOurs, err))
			return
		}
		if _, err := d.ReadToken(); err != io.EOF { //nolint:errorlint // the decoder returns it bare
			yield(Member{}, fmt.Errorf("%w: more than an object", errNotOurs))
		}
	}
}

// member reads one. A name that is no text, but has half of a surrogate pair, is taken
// as it is written, as the reasons have it.
func member(d *jsontext.Decoder) (Member, error) {
	key, err := d.ReadValue()
	if err != nil {
		return Member{}, err
	}
	m := Member{Key: bytes.Clone(key)}
	name, err := jsontext.AppendUnquote(nil, key)
	if m.Name = string(name); err != nil {
		m.Name = string(key[1 : len(key)-1])
	}
	value, err := d.ReadValue()
	m.Value = bytes.Clone(value)
	return m, err
}
