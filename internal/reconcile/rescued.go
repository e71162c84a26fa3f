package reconcile

import (
	"bytes"
	"encoding/base64"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"landfall/internal/diag"
	"landfall/internal/rescue"
)

// rescued adds the values of a row of the rescue column.
func (t *teller) rescued(b []byte, place uint64) {
	row, err := rescue.ParseRow(b)
	if err != nil {
		t.astray("", b)
		return
	}
	for i := range row.Members {
		m := &row.Members[i]
		if m.Ours {
			t.astray("", m.Value)
		} else if n := t.plan.names[m.Name]; n != nil {
			t.json(n, m.Value, place, rescued)
		} else if n := t.plan.folder(m.Name); n != nil {
			t.json(n, m.Value, place, rescued)
		} else {
			t.astray(m.Name, m.Value)
		}
	}
}

// folder finds the node of a folder by a name in the rescue column, which may have a
// number behind it.
func (b *plan) folder(name string) *node {
	if n := b.folders[fold(name)]; n != nil {
		return n
	}
	if at := strings.LastIndexByte(name, '#'); at >= 0 {
		return b.folders[fold(name[:at])]
	}
	return nil
}

// astray notes a value that its file has no place for.
func (t *teller) astray(name string, v []byte) {
	t.strays[t.object] = t.strays[t.object].merge(stray{row: t.row, name: name, text: diag.Excerpt(v), n: 1})
}

// written adds the values in the JSON of a node with parts that stands in a column.
func (t *teller) written(n *node, b []byte, place uint64) {
	watch := t.watch
	t.watch = false // all of it is here
	if jsontext.Value(b).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		t.json(n, b, place, converted)
	} else {
		t.astray(n.label(t.plan), b)
	}
	t.watch = watch
}

// label is the path of a node, as far as it has one.
func (n *node) label(p *plan) string {
	for n.slot < 0 {
		if len(n.fields) == 0 {
			return ""
		}
		n = n.fields[0]
	}
	return p.slots[n.slot].path.String()
}

// json adds a value that stands as JSON, under the names of its file.
func (t *teller) json(n *node, v jsontext.Value, place uint64, how manner) {
	switch kind := v.Kind(); {
	case kind == 'n':
	case n.scalar():
		t.add(n, t.scalarOf(n, v), place, how)
	case n.key != nil && (kind == '{' || kind == '['):
		t.jsonEntries(n, v, place, how)
	case n.element != nil && n.key == nil && kind == '[':
		count := int64(0)
		for element := range values(v) {
			t.json(n.element, element, within(place, uint64(count)), how)
			count++
		}
		if !t.stands(n.slot, place) {
			t.count(n.slot, count, place)
		}
	case n.names != nil && kind == '{':
		for name, value := range members(v) {
			if below := n.names[name]; below != nil {
				t.json(below, value, place, how)
			} else {
				t.astray(name, value)
			}
		}
	default:
		t.astray(n.label(t.plan), v)
	}
}

// jsonEntries adds those of a map: an object, or an array of keys and values.
func (t *teller) jsonEntries(n *node, v jsontext.Value, place uint64, how manner) {
	if !t.stands(n.slot, place) {
		t.count(n.slot, 1, place)
	}
	if v.Kind() == '{' {
		count := uint64(0)
		for name, value := range members(v) {
			if n.key.scalar() {
				d, ok := readOwn(n.key.typ)([]byte(name))
				if !ok {
					d = datum{kind: text, text: []byte(name)}
				}
				t.entry(n, d, value, place, how)
				continue
			}
			at := within(place, count)
			count++
			t.written(n.key, []byte(name), at)
			t.json(n.element, value, at, how)
		}
		return
	}
	count := uint64(0)
	for entry := range values(v) {
		var key, value jsontext.Value
		for name, part := range members(entry) {
			switch name {
			case "key":
				key = part
			case "value":
				value = part
			}
		}
		if key == nil || value == nil {
			t.astray(n.label(t.plan), entry)
			continue
		}
		if n.key.scalar() {
			t.entry(n, t.scalarOf(n.key, key), value, place, how)
			continue
		}
		at := within(place, count)
		count++
		t.json(n.key, key, at, how)
		t.json(n.element, value, at, how)
	}
}

// entry adds an entry of a map; its key only if it does not stand in the column.
func (t *teller) entry(n *node, key datum, value jsontext.Value, place uint64, how manner) {
	at := n.key.keyed(key, place)
	if !t.stands(n.slot, at) {
		t.add(n.key, key, place, how)
	}
	t.json(n.element, value, at, how)
}

// scalarOf is the value of a file's type that JSON stands for; a text where it stands
// for none.
func (t *teller) scalarOf(n *node, v jsontext.Value) datum {
	b := []byte(v)
	switch v.Kind() {
	case '"':
		b, _ = jsontext.AppendUnquote(nil, v) // what is no text stays as near as it can be
	case '{':
		for name, value := range members(v) {
			bare, err := jsontext.AppendUnquote(nil, value)
			if name != "$base64" || err != nil {
				break
			}
			if raw, err := base64.StdEncoding.DecodeString(string(bare)); err == nil {
				return datum{kind: text, text: raw}
			}
		}
	}
	if d, ok := readOwn(n.typ)(b); ok {
		return d
	}
	return datum{kind: text, text: b}
}

// members yields those of an object, values the elements of an array; both end where
// the text is no JSON.
func members(v jsontext.Value) func(yield func(string, jsontext.Value) bool) {
	return func(yield func(string, jsontext.Value) bool) {
		d := decoder(v)
		if _, err := d.ReadToken(); err != nil {
			return
		}
		for d.PeekKind() == '"' {
			name, err := d.ReadToken()
			if err != nil {
				return
			}
			key := name.String()
			value, err := d.ReadValue()
			if err != nil || !yield(key, value.Clone()) {
				return
			}
		}
	}
}

func values(v jsontext.Value) func(yield func(jsontext.Value) bool) {
	return func(yield func(jsontext.Value) bool) {
		d := decoder(v)
		if _, err := d.ReadToken(); err != nil {
			return
		}
		for d.PeekKind() != ']' {
			value, err := d.ReadValue()
			if err != nil || !yield(value.Clone()) {
				return
			}
		}
	}
}

func decoder(v jsontext.Value) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}
