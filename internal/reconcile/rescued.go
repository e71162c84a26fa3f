package reconcile

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"landfall/internal/diag"
	"landfall/internal/reconcile/datum"
	"landfall/internal/rescue"
	"landfall/internal/schema"
)

// scrap is JSON that holds values of a file.
type scrap struct {
	*teller
	how manner
	// reasons are the paths of what stands in the rescue column. What has no reason of
	// its own, nor is in anything that has, is in its column too, without those parts.
	reasons []rescue.Reason
	path    schema.Path
}

// rescued adds the values of a row of the rescue column.
func (t *teller) rescued(b []byte, place uint64) {
	row, err := rescue.ParseRow(b)
	if err != nil {
		t.astray("", b)
		return
	}
	for i := range row.Members {
		m := &row.Members[i]
		n := t.plan.names[m.Name]
		if n == nil {
			n = t.plan.folder(m.Name)
		}
		if m.Ours || n == nil {
			t.astray(m.Name, m.Value)
			continue
		}
		s := scrap{teller: t, how: rescued, reasons: m.Reasons}
		if _, whole := m.Whole(); whole {
			s.reasons = nil
		} else if len(m.Reasons) > 0 {
			s.path = m.Reasons[0].Path[:1:1]
		}
		s.value(n, m.Value, place)
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
func (t *teller) written(n *node, b []byte, place uint64, how manner) {
	if jsontext.Value(b).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		s := scrap{teller: t, how: how}
		s.value(n, b, place)
		return
	}
	t.astray(n.label(t.plan), b)
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

// below is the scrap of a part: whole where the part has a reason.
func (s scrap) below(name string) scrap {
	if s.whole() {
		return s
	}
	s.path = s.path.Child(name)
	for i := range s.reasons {
		if s.reasons[i].Path.Equal(s.path) {
			s.reasons = nil
			break
		}
	}
	return s
}

// whole reports whether nothing of what is here is in a column.
func (s *scrap) whole() bool { return s.reasons == nil }

// value adds a value, whose parts stand under the names of its file.
func (s scrap) value(n *node, v jsontext.Value, place uint64) {
	switch kind := v.Kind(); {
	case kind == 'n':
	case n.scalar():
		s.add(n, datum.ReadJSON(n.typ, v), place, s.how)
	case n.key != nil && (kind == '{' || kind == '['):
		if s.whole() {
			s.count(n, 1, place)
		}
		s.entries(n, v, place)
	case n.element != nil && n.key == nil && kind == '[':
		count := int64(0)
		for element := range values(v) {
			s.below("element").value(n.element, element, within(place, uint64(count)))
			count++
		}
		if s.whole() {
			s.count(n, count, place)
		}
	case n.names != nil && kind == '{':
		for name, value := range members(v) {
			if below := n.names[name]; below != nil {
				s.below(name).value(below, value, place)
			} else {
				s.astray(name, value)
			}
		}
	default:
		s.astray(n.label(s.plan), v)
	}
}

// entries adds those of a map: an object, or an array of keys and values.
func (s scrap) entries(n *node, v jsontext.Value, place uint64) {
	if v.Kind() == '{' {
		count := uint64(0)
		for name, value := range members(v) {
			if n.key.scalar() {
				d, ok := datum.ReadOwn(n.key.typ)([]byte(name))
				if !ok {
					d = datum.Value{Kind: datum.Text, Text: []byte(name)}
				}
				s.entry(n, name, d, value, place)
				continue
			}
			at := within(place, count)
			count++
			s.written(n.key, []byte(name), at, s.how)
			s.below(name).value(n.element, value, at)
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
			s.astray(n.label(s.plan), entry)
			continue
		}
		if n.key.scalar() {
			s.entry(n, string(key), datum.ReadJSON(n.key.typ, key), value, place)
			continue
		}
		at := within(place, count)
		count++
		s.value(n.key, key, at)
		s.value(n.element, value, at)
	}
}

// entry adds an entry of a map; its key only if it does not stand in the column.
func (s scrap) entry(n *node, name string, key datum.Value, value jsontext.Value, place uint64) {
	at := n.key.keyed(key, place)
	if s.whole() || !s.stands(n, at) {
		s.add(n.key, key, at, s.how)
	}
	s.below(name).value(n.element, value, at)
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
