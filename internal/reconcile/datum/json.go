package datum

import (
	"bytes"
	"encoding/base64"

	"github.com/go-json-experiment/json/jsontext"

	"landfall/internal/schema"
)

// ReadJSON is the value of a type of a file that JSON stands for; a text where it stands
// for none.
func ReadJSON(t schema.Type, v jsontext.Value) Value {
	b := []byte(v)
	switch v.Kind() {
	case '"':
		b, _ = jsontext.AppendUnquote(nil, v) // what is no text stays as near as it can be
	case '{':
		if raw, ok := readBase64(v); ok {
			return Value{Kind: Text, Text: raw}
		}
	}
	if d, ok := ReadOwn(t)(b); ok {
		return d
	}
	return Value{Kind: Text, Text: b}
}

// readBase64 reads bytes that are no text, false if an object does not begin with them.
func readBase64(v jsontext.Value) ([]byte, bool) {
	d := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := d.ReadToken(); err != nil {
		return nil, false
	}
	if name, err := d.ReadToken(); err != nil || name.String() != "$base64" {
		return nil, false
	}
	digits, err := d.ReadToken()
	if err != nil || digits.Kind() != '"' {
		return nil, false
	}
	raw, err := base64.StdEncoding.DecodeString(digits.String())
	return raw, err == nil
}
