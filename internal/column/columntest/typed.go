package columntest

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"testing"

	"landfall/internal/column"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// Typed is the evidence on rows of an object that declares its types: columns is
// DDL, rows are JSON objects. Numbers may be strings ("NaN"), dates and timestamps
// are ISO texts, binary values are hex, maps are objects.
func Typed(t testing.TB, columns string, rows ...string) column.Evidence {
	t.Helper()
	typ, err := schema.ParseDDL("struct<" + columns + ">")
	if err != nil {
		t.Fatal(err)
	}
	fields := typ.(schema.Struct).Fields
	header, types := make([]string, len(fields)), make([]schema.Type, len(fields))
	slab := &column.Slab{Records: records(len(rows))}
	parsed := make([]map[string]any, len(rows))
	for i, row := range rows {
		d := json.NewDecoder(bytes.NewReader([]byte(row)))
		d.UseNumber()
		if err := d.Decode(&parsed[i]); err != nil {
			t.Fatalf("%s: %v", row, err)
		}
	}
	for i, f := range fields {
		header[i], types[i] = f.Name, f.Type
		values := make([]any, len(rows))
		for row := range rows {
			values[row] = parsed[row][f.Name]
		}
		slab.Columns = append(slab.Columns, Shred(t, f.Type, values))
	}
	o := column.NewTypedObserver(types)
	o.Add(slab)
	return o.Evidence(header)
}

// Shred makes a column of values as encoding/json reads them with UseNumber, nil
// for null. The column may be null, as may the parts that its type lets be.
func Shred(t testing.TB, typ schema.Type, values []any) column.Column {
	t.Helper()
	s := shredder{TB: t, infos: column.Leaves(typ, true)}
	s.leaves = make([]column.Leaf, len(s.infos))
	for i, info := range s.infos {
		if info.Type == schema.String || info.Type == schema.Binary {
			s.leaves[i].Text = &column.Text{}
		}
	}
	for _, v := range values {
		s.next = 0
		s.value(typ, true, v, 0, 0, 0)
	}
	for i, info := range s.infos {
		if info.MaxRep == 0 {
			s.leaves[i].Reps = nil
		}
	}
	return column.Column{Type: typ, Leaves: s.leaves}
}

// shredder takes values apart into leaves.
type shredder struct {
	testing.TB
	infos  []column.LeafInfo
	leaves []column.Leaf
	// next is the leaf that comes next.
	next int
}

// value adds a value, or what is missing in place of one. rep is the level at
// which this entry begins, repeated that of entries behind it.
func (s *shredder) value(t schema.Type, nullable bool, v any, def, rep, repeated uint8) {
	if v == nil {
		s.missing(t, def, rep)
		return
	}
	if nullable {
		def++
	}
	switch t := t.(type) {
	case schema.Struct:
		members := v.(map[string]any)
		for _, f := range t.Fields {
			s.value(f.Type, f.Nullable, members[f.Name], def, rep, repeated)
		}
	case schema.Array:
		elements := v.([]any)
		if len(elements) == 0 {
			s.missing(t, def, rep)
		}
		first := s.next
		for i, e := range elements {
			s.next = first
			s.value(t.Element, t.ContainsNull, e, def+1, again(i, rep, repeated), repeated+1)
		}
	case schema.Map:
		s.entries(t, v.(map[string]any), def, rep, repeated)
	default:
		s.scalar(t, v, def, rep)
	}
}

// again is the level at which element i begins.
func again(i int, rep, repeated uint8) uint8 {
	if i == 0 {
		return rep
	}
	return repeated + 1
}

func (s *shredder) entries(t schema.Map, entries map[string]any, def, rep, repeated uint8) {
	if len(entries) == 0 {
		s.missing(t, def, rep)
	}
	first, i := s.next, 0
	for k, v := range entries {
		s.next = first
		at := again(i, rep, repeated)
		s.value(t.Key, false, k, def+1, at, repeated+1)
		s.value(t.Value, t.ValueContainsNull, v, def+1, at, repeated+1)
		i++
	}
}

// missing adds an entry without a value to every leaf of a type.
func (s *shredder) missing(t schema.Type, def, rep uint8) {
	for range column.Leaves(t, true) {
		l := &s.leaves[s.next]
		l.Defs, l.Reps = append(l.Defs, def), append(l.Reps, rep)
		s.next++
	}
}

func (s *shredder) scalar(t schema.Type, v any, def, rep uint8) {
	l := &s.leaves[s.next]
	l.Defs, l.Reps = append(l.Defs, def), append(l.Reps, rep)
	s.next++
	if b, ok := v.(bool); ok {
		l.Bools = append(l.Bools, b)
		return
	}
	var text []byte
	switch v := v.(type) {
	case json.Number:
		text = []byte(v)
	case string:
		text = []byte(v)
	}
	if !addText(l, t, text) {
		s.Fatalf("%v is no %s", v, t)
	}
}

// addText adds the value that a text is; it reports whether it is one of the type.
func addText(l *column.Leaf, t schema.Type, text []byte) (ok bool) {
	var forms value.Forms
	var number int64
	var float float64
	var instant value.Instant
	switch t {
	case schema.String:
		l.Text.AppendValue(text)
		return true
	case schema.Binary:
		raw, err := hex.DecodeString(string(text))
		l.Text.AppendValue(raw)
		return err == nil
	case schema.Float, schema.Double:
		if float, ok = forms.Double(text); !ok {
			float, ok = forms.NumberDouble(text)
		}
		l.Floats = append(l.Floats, float)
		return ok
	case schema.Date:
		number, ok = forms.Day(text)
	case schema.Timestamp, schema.TimestampNTZ:
		instant, ok = forms.Instant(text)
		number = instant.Micros
	default:
		if d, decimal := t.(schema.Decimal); decimal {
			return addDecimal(l, d, text)
		}
		number, ok = forms.Long(text)
	}
	l.Ints = append(l.Ints, number)
	return ok
}

// addDecimal adds the value of a decimal: short ones are integers of 64 bits.
func addDecimal(l *column.Leaf, t schema.Decimal, text []byte) bool {
	const short = 18
	v, ok := new(value.Forms).Decimal(text, t.Precision, t.Scale)
	if t.Precision <= short {
		l.Ints = append(l.Ints, int64(v.Low))
	} else {
		l.Wide = append(l.Wide, v)
	}
	return ok
}
