package resource

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
)

// value is a JSON value with its place in the file: which encoding/json does not keep.
type value struct {
	// at and end are its first byte and the one behind it.
	at, end int
	// text is that of a string; marks lead from its bytes to the file's.
	text     string
	marks    []syntax.Mark
	isText   bool
	isObject bool
	// keys and list are those of an object, list alone that of an array.
	keys []string
	list []*value
	raw  string
}

// mostDepth bounds how deep the values of a file may be nested.
const mostDepth = 200

// parseJSON reads a whole file.
func parseJSON(name, text string) (*value, error) {
	r := &reader{text: text, d: json.NewDecoder(strings.NewReader(text))}
	r.d.UseNumber()
	v, err := r.value(0)
	if err == nil {
		if _, more := r.d.Token(); more == nil || !errors.Is(more, io.EOF) {
			err = errors.New("found text behind the value")
		}
	}
	if err == nil {
		return v, nil
	}
	f := syntax.NewFile(name, text)
	at := syntax.Pos(behindMarks(text, int(r.d.InputOffset())))
	return nil, f.Problem(diag.FlowResource, at, "the file is no JSON: %v", err).Hinted("mend it there, or name a script: FLOW.dfs")
}

type reader struct {
	text string
	d    *json.Decoder
	// before is the end of the token before the current one.
	before int
}

// next is a token, and its first byte.
func (r *reader) next() (json.Token, int, error) {
	r.before = int(r.d.InputOffset())
	t, err := r.d.Token()
	return t, behindMarks(r.text, r.before), err
}

// behindMarks is the first byte from one on that is neither space nor a mark between values.
func behindMarks(text string, at int) int {
	for at < len(text) && strings.IndexByte(" \t\r\n,:", text[at]) >= 0 {
		at++
	}
	return at
}

func (r *reader) value(depth int) (*value, error) {
	if depth > mostDepth {
		return nil, fmt.Errorf("found values %d deep, want at most %d", depth, mostDepth)
	}
	t, at, err := r.next()
	if err != nil {
		return nil, err
	}
	v := &value{at: at}
	switch t := t.(type) {
	case json.Delim:
		v.isObject = t == '{'
		err = r.members(v, depth)
	case string:
		v.isText = true
		v.text, v.marks = decode(r.text[at:r.d.InputOffset()], at)
	}
	v.end = int(r.d.InputOffset())
	v.raw = r.text[v.at:v.end]
	return v, err
}

// members reads what is in an object or an array, and its end.
func (r *reader) members(v *value, depth int) error {
	for r.d.More() {
		if v.isObject {
			key, _, err := r.next()
			if err != nil {
				return err
			}
			v.keys = append(v.keys, fmt.Sprint(key))
		}
		member, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		v.list = append(v.list, member)
	}
	_, err := r.d.Token()
	return err
}

// decode resolves the escapes of a string that begins at a byte of the file.
func decode(raw string, at int) (string, []syntax.Mark) {
	var b strings.Builder
	marks := []syntax.Mark{{Script: 0, Host: at + 1}}
	end := len(raw) - 1
	for i := 1; i < end; {
		if raw[i] != '\\' {
			b.WriteByte(raw[i])
			i++
			continue
		}
		marks = append(marks, syntax.Mark{Script: b.Len(), Host: at + i})
		i += escape(&b, raw[i:end])
		marks = append(marks, syntax.Mark{Script: b.Len(), Host: at + i})
	}
	return b.String(), marks
}

// escape writes what an escape stands for, and returns its length.
func escape(b *strings.Builder, raw string) int {
	const plain, means = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if i := strings.IndexByte(plain, raw[1]); i >= 0 {
		b.WriteByte(means[i])
		return 2
	}
	unit := func(s string) rune {
		if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
			return utf8.RuneError
		}
		n, err := strconv.ParseUint(s[2:6], 16, 16)
		if err != nil {
			return utf8.RuneError
		}
		return rune(n)
	}
	r := unit(raw)
	if utf16.IsSurrogate(r) {
		if low := utf16.DecodeRune(r, unit(raw[min(6, len(raw)):])); low != utf8.RuneError {
			b.WriteRune(low)
			return 12
		}
		r = utf8.RuneError
	}
	b.WriteRune(r)
	return min(6, len(raw))
}

// get is the member at a path of keys, nil if there is none.
func (v *value) get(path ...string) *value {
	for _, key := range path {
		var found *value
		if v != nil && v.isObject {
			for i, k := range v.keys {
				if k == key {
					found = v.list[i]
				}
			}
		}
		v = found
	}
	return v
}

// items are the members of an array, none of anything else.
func (v *value) items() []*value {
	if v == nil || v.isObject {
		return nil
	}
	return v.list
}

// string is the text of a member, empty if it is none.
func (v *value) string(path ...string) string {
	if m := v.get(path...); m != nil && m.isText {
		return m.text
	}
	return ""
}

// int is a whole number of an object; 0 where there is none.
func (v *value) int(name string) int {
	m := v.get(name)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m.raw)
	if err != nil {
		return 0
	}
	return n
}

// encode is a text as JSON, its characters as they are.
func encode(text string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		return "", fmt.Errorf("write a script as JSON: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
