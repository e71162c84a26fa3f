package rescue

import (
	"bytes"
	"strconv"
	"time"

	"landfall/internal/column"
	"landfall/internal/recode"
	"landfall/internal/schema"
)

func nth(name string, k int) string { return name + "#" + strconv.Itoa(k) }

// Append adds the value here as JSON, and stays before it.
//
// Numbers are exact, doubles in the shortest form that reads as them; NaN and
// infinities, dates and timestamps are strings; what is not UTF-8 is in base 64.
// A map is an object under the text of its keys; one that this cannot say, since
// keys are equal or no text, an array of its entries.
func (c *Cursor) Append(b []byte, p *Part) []byte {
	c.Save(p)
	b = c.append(b, p)
	c.Restore(p)
	return b
}

// append adds the value and passes it.
func (c *Cursor) append(b []byte, p *Part) []byte {
	if c.Null(p) {
		c.Skip(p)
		return append(b, "null"...)
	}
	switch p.Type.(type) {
	case schema.Struct:
		b = append(b, '{')
		for i := range p.Fields {
			b = append(b, p.keys[i].quoted...)
			b = append(c.append(b, &p.Fields[i]), ',')
		}
		return closeWith(b, '}')
	case schema.Array:
		return c.appendElements(b, p)
	case schema.Map:
		return c.appendEntries(b, p)
	default:
		b = AppendValue(b, p.Type, &c.leaves[p.First], c.Value(p))
		c.Skip(p)
		return b
	}
}

func (c *Cursor) appendElements(b []byte, p *Part) []byte {
	if c.Empty(p) {
		c.Skip(p)
		return append(b, "[]"...)
	}
	b = append(b, '[')
	for more := true; more; more = c.More(p) {
		b = append(c.append(b, p.Element), ',')
	}
	return closeWith(b, ']')
}

func (c *Cursor) appendEntries(b []byte, p *Part) []byte {
	if c.Empty(p) {
		c.Skip(p)
		return append(b, "{}"...)
	}
	open, end, odd := byte('{'), byte('}'), c.Odd(p)
	if odd {
		open, end = '[', ']'
	}
	b = append(b, open)
	for more := true; more; more = c.More(p) {
		if odd {
			b = append(c.append(append(b, `{"key":`...), p.Key), `,"value":`...)
			b = append(c.append(b, p.Element), '}', ',')
			continue
		}
		b = append(c.AppendKey(b, p.Key), ':')
		c.Skip(p.Key)
		b = append(c.append(b, p.Element), ',')
	}
	return closeWith(b, end)
}

// AppendKey adds a map's key as a JSON string.
func (c *Cursor) AppendKey(b []byte, p *Part) []byte { return append(b, Quote(c.Text(p))...) }

// Keys are the names of a map's entries, by the positions of their keys, which
// are scalars.
type Keys struct {
	cursor *Cursor
	part   *Part
}

// NewKeys returns the names of what has those keys.
func NewKeys(c *Cursor, key *Part) *Keys { return &Keys{c, key} }

// AppendName adds a key as a JSON string.
func (k *Keys) AppendName(b []byte, at int) []byte { return append(b, Quote(k.Name(at))...) }

// Name returns the text of a key.
func (k *Keys) Name(at int) string { return Text(k.part.Type, &k.cursor.leaves[k.part.First], at) }

// Text is the text of the value here: a string itself, of all else its JSON.
func (c *Cursor) Text(p *Part) string {
	if len(p.Fields) == 0 && p.Element == nil {
		return Text(p.Type, &c.leaves[p.First], c.Value(p))
	}
	return string(c.Append(nil, p))
}

// Text is the text of the i-th value of a leaf: strings as they are, everything
// else as in JSON without quotes.
func Text(t schema.Type, l *column.Leaf, i int) string {
	if l.Text != nil {
		return string(l.Text.Value(i))
	}
	b := AppendValue(nil, t, l, i)
	if b[0] == '"' {
		b = b[1 : len(b)-1]
	}
	return string(b)
}

// AppendValue adds the i-th value of a leaf as JSON. Numbers have the digits that
// they have as text.
func AppendValue(b []byte, t schema.Type, l *column.Leaf, i int) []byte {
	p, _ := t.(schema.Primitive)
	switch p {
	case schema.String, schema.Binary:
		return appendText(b, l.Text.Value(i))
	case schema.Date, schema.Timestamp, schema.TimestampNTZ:
		return append(appendMoment(append(b, '"'), p, l, i), '"')
	}
	start := len(b)
	b, _ = recode.AppendText(b, t, l, i)
	if digits := bytes.TrimPrefix(b[start:], []byte("-")); digits[0] == 'N' || digits[0] == 'I' {
		return append(b[:start], Quote(string(b[start:]))...)
	}
	return b
}

// appendMoment adds a day or an instant; those of years that no text has, in the
// same form.
func appendMoment(b []byte, t schema.Type, l *column.Leaf, i int) []byte {
	if text, ok := recode.AppendText(b, t, l, i); ok {
		return text
	}
	if t == schema.Date {
		return time.Unix(l.Ints[i]*86400, 0).UTC().AppendFormat(b, "2006-01-02")
	}
	at, wall := time.UnixMicro(l.Ints[i]), t == schema.TimestampNTZ
	if f := l.Flaw(i); f != nil {
		at, wall = at.Add(time.Duration(f.Nanos)), f.Kind == column.Skipped
	}
	b = at.UTC().AppendFormat(b, "2006-01-02T15:04:05.999999999")
	if wall {
		return b
	}
	return append(b, 'Z')
}
