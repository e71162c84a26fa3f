package recode

import (
	"bytes"
	"unicode/utf8"

	"landfall/internal/column"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// form says which of the slices of a leaf holds the values.
type form uint8

const (
	ints form = iota
	texts
	wides
	floats
	bools
)

// maxShort is the most digits of a decimal that always fit 64 bits.
const maxShort = 18

func formOf(t schema.Type) form {
	if d, ok := t.(schema.Decimal); ok && d.Precision > maxShort {
		return wides
	}
	switch t {
	case schema.Type(schema.String), schema.Type(schema.Binary):
		return texts
	case schema.Type(schema.Float), schema.Type(schema.Double):
		return floats
	case schema.Type(schema.Boolean):
		return bools
	}
	return ints
}

// move adds value i of a leaf to a sink, but not its levels. It reports false,
// and adds nothing, if the type of the sink does not hold it.
type move func(r *Recoder, from *column.Leaf, i int, to *sink) bool

// moveOf returns how values of a scalar become those of another, nil if none do.
func moveOf(from, to schema.Type) move {
	switch {
	case !isScalar(from) || from == schema.Type(schema.Unknown) && from != to:
		return nil
	case from == to || sameForm(from, to):
		return moveSame(formOf(from))
	case to == schema.Type(schema.String):
		return moveToText(from)
	case from == schema.Type(schema.String):
		return moveText(to)
	case isNumber(from) && isNumber(to):
		return moveNumber(from, to)
	case from == schema.Type(schema.Date) && to == schema.Type(schema.TimestampNTZ):
		return moveWallDate
	case from == schema.Type(schema.Date) && isTimestamp(to):
		return moveDate
	case from == schema.Type(schema.TimestampNTZ) && to == schema.Type(schema.Date):
		return moveWallMidnight
	case isTimestamp(from) && to == schema.Type(schema.Date):
		return moveMidnight
	}
	return nil
}

func isScalar(t schema.Type) bool {
	switch t.(type) {
	case schema.Primitive, schema.Decimal:
		return true
	}
	return false
}

func isTimestamp(t schema.Type) bool {
	return t == schema.Type(schema.Timestamp) || t == schema.Type(schema.TimestampNTZ)
}

// sameForm reports whether every value of a scalar is one of another, and looks
// the same in a leaf.
func sameForm(from, to schema.Type) bool {
	switch {
	case from == to:
		return true
	case from == schema.Type(schema.Unknown), isTimestamp(to), !schema.Widens(from, to), formOf(from) != formOf(to):
		return false
	}
	return scaleOf(from) == scaleOf(to)
}

func scaleOf(t schema.Type) int {
	d, _ := t.(schema.Decimal)
	return d.Scale
}

func moveSame(f form) move {
	switch f {
	case texts:
		return moveSpan
	case wides:
		return func(_ *Recoder, from *column.Leaf, i int, to *sink) bool {
			to.values.Wide = append(to.values.Wide, from.Wide[i])
			return true
		}
	case floats:
		return func(_ *Recoder, from *column.Leaf, i int, to *sink) bool {
			to.values.Floats = append(to.values.Floats, from.Floats[i])
			return true
		}
	case bools:
		return func(_ *Recoder, from *column.Leaf, i int, to *sink) bool {
			to.values.Bools = append(to.values.Bools, from.Bools[i])
			return true
		}
	}
	return func(_ *Recoder, from *column.Leaf, i int, to *sink) bool {
		to.values.Ints = append(to.values.Ints, from.Ints[i])
		return true
	}
}

// moveSpan borrows the bytes of a value: all values of a sink come from one leaf.
func moveSpan(_ *Recoder, from *column.Leaf, i int, to *sink) bool {
	to.text.Data = from.Text.Data
	to.text.Spans = append(to.text.Spans, from.Text.Spans[i])
	return true
}

func moveToText(from schema.Type) move {
	if from == schema.Type(schema.Binary) {
		return func(r *Recoder, from *column.Leaf, i int, to *sink) bool {
			return utf8.Valid(from.Text.Value(i)) && moveSpan(r, from, i, to)
		}
	}
	write := writerOf(from)
	return func(_ *Recoder, from *column.Leaf, i int, to *sink) bool {
		begin := len(to.text.Data)
		data, ok := write(to.text.Data, from, i)
		to.text.Data = data
		if ok {
			to.text.Spans = append(to.text.Spans, column.NewSpan(begin, len(data)-begin, false))
		}
		return ok
	}
}

// moveText reads text as fields of CSV are read.
func moveText(to schema.Type) move {
	if d, ok := to.(schema.Decimal); ok {
		return func(r *Recoder, from *column.Leaf, i int, to *sink) bool {
			v, ok := r.forms.Decimal(from.Text.Value(i), d.Precision, d.Scale)
			return ok && to.decimal(v)
		}
	}
	switch to {
	case schema.Type(schema.Binary):
		return moveSpan
	case schema.Type(schema.Boolean):
		return func(r *Recoder, from *column.Leaf, i int, to *sink) bool {
			v, ok := r.forms.Boolean(from.Text.Value(i))
			if ok {
				to.values.Bools = append(to.values.Bools, v)
			}
			return ok
		}
	case schema.Type(schema.Double):
		return func(r *Recoder, from *column.Leaf, i int, to *sink) bool {
			return to.float(r.forms.Double(from.Text.Value(i)))
		}
	case schema.Type(schema.Float):
		return func(r *Recoder, from *column.Leaf, i int, to *sink) bool {
			v, ok := r.forms.Float(from.Text.Value(i))
			return to.float(float64(v), ok)
		}
	case schema.Type(schema.Date):
		return func(r *Recoder, from *column.Leaf, i int, to *sink) bool {
			return to.int(r.forms.Day(from.Text.Value(i)))
		}
	case schema.Type(schema.Timestamp):
		return func(r *Recoder, from *column.Leaf, i int, to *sink) bool {
			v, ok := r.forms.Instant(from.Text.Value(i))
			return to.int(v.Micros, ok && v.Exact)
		}
	case schema.Type(schema.TimestampNTZ):
		return func(r *Recoder, from *column.Leaf, i int, to *sink) bool {
			v, ok := r.forms.Wall(from.Text.Value(i))
			return to.int(v.Micros, ok && v.Exact)
		}
	}
	low, high, ok := rangeOf(to)
	if !ok {
		return nil
	}
	return func(r *Recoder, from *column.Leaf, i int, to *sink) bool {
		v, ok := r.forms.Long(from.Text.Value(i))
		return to.int(v, ok && v >= low && v <= high)
	}
}

// int, float and decimal add a value that is ok.
func (s *sink) int(v int64, ok bool) bool {
	if ok {
		s.values.Ints = append(s.values.Ints, v)
	}
	return ok
}

func (s *sink) float(v float64, ok bool) bool {
	if ok {
		s.values.Floats = append(s.values.Floats, v)
	}
	return ok
}

func (s *sink) decimal(v value.Int128) bool {
	if s.form == wides {
		s.values.Wide = append(s.values.Wide, v)
	} else {
		s.values.Ints = append(s.values.Ints, int64(v.Low)) // the sign is in all of its bits
	}
	return true
}

const microsPerDay = 86_400_000_000

func moveDate(r *Recoder, from *column.Leaf, i int, to *sink) bool {
	return to.int(value.DayInstant(from.Ints[i], r.forms.Zone))
}

func moveWallDate(_ *Recoder, from *column.Leaf, i int, to *sink) bool {
	return to.int(value.DayInstant(from.Ints[i], nil))
}

func moveMidnight(r *Recoder, from *column.Leaf, i int, to *sink) bool {
	return to.int(value.InstantDay(from.Ints[i], r.forms.Zone))
}

func moveWallMidnight(_ *Recoder, from *column.Leaf, i int, to *sink) bool {
	return to.int(value.InstantDay(from.Ints[i], nil))
}

// moveClock makes an instant what clocks in the zone of the forms show. A time that
// they skip came as it stands on a clock.
func moveClock(r *Recoder, from *column.Leaf, i int, to *sink) bool {
	f := from.Flaw(i)
	switch {
	case f == nil:
		return to.int(value.InstantWall(from.Ints[i], r.forms.Zone))
	case f.Kind == column.Skipped:
		return to.int(from.Ints[i], f.Nanos == 0)
	}
	return false
}

// distinct makes sure that keys which differ still differ: text that stands for
// another type must be the one way to write its value.
func distinct(from, to schema.Type, m move) move {
	if from != schema.Type(schema.String) || formOf(to) == texts {
		return m
	}
	write := writerOf(to)
	return func(r *Recoder, from *column.Leaf, i int, to *sink) bool {
		before := to.mark()
		if !m(r, from, i, to) {
			return false
		}
		var ok bool
		r.scratch, ok = write(r.scratch[:0], &to.values, lengthOf(&to.values)-1)
		if ok = ok && bytes.Equal(r.scratch, from.Text.Value(i)); !ok {
			to.undo(before)
		}
		return ok
	}
}

// lengthOf counts the values of a leaf without text.
func lengthOf(l *column.Leaf) int {
	return len(l.Ints) + len(l.Wide) + len(l.Floats) + len(l.Bools)
}
