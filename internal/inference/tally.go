package inference

import (
	"landfall/internal/column"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// maxDigits is the largest precision of a decimal.
const maxDigits = 38

// tally counts the votes of evidence.
type tally struct {
	rules Rules
	// of counts values that vote for the type of their class, strings the JSON
	// strings that only convert.
	of, strings [value.Classes]int64
	// text counts what votes for string, codes those among it.
	text, codes int64
	// quiet counts null-like values, which do not vote.
	quiet           int64
	objects, arrays int64
	// whole and scale are the most digits of the numbers that vote.
	whole, scale int
	// decimals is set where JSON strings vote as decimals.
	decimals bool
}

// count counts the votes. Where strict is set, JSON strings are no numbers and no
// booleans.
func count(e *column.Evidence, r Rules, strict bool) *tally {
	t := &tally{rules: r, whole: e.Whole, scale: e.Scale}
	t.objects = e.Objects.Count - e.EmptyObjects.Count
	t.arrays = e.Arrays.Count - e.EmptyArrays.Count
	for _, s := range e.Bare {
		switch {
		case t.silent(s):
		case s.Class == value.Code:
			t.text += s.Count
			t.codes += s.Count
		case s.Class == value.Text, r.Strings, r.PrimitivesAsString:
			t.text += s.Count
		default:
			t.of[s.Class] += s.Count
		}
	}
	for _, s := range e.Strings {
		switch {
		case t.silent(s):
		case r.Strings:
			t.text += s.Count
		case r.Timestamps && isTime(s.Class):
			t.of[s.Class] += s.Count
		case r.PrefersDecimal && (isWhole(s.Class) || isPoint(s.Class)):
			t.of[s.Class] += s.Count
			t.whole, t.scale = max(t.whole, e.StringWhole), max(t.scale, e.StringScale)
			t.decimals = true
		case strict && !isTime(s.Class):
			t.text += s.Count
		default:
			t.strings[s.Class] += s.Count
		}
	}
	return t
}

// silent counts a class that does not vote.
func (t *tally) silent(s column.Seen) bool {
	if s.Class != value.Empty && (s.Class != value.NullLike || t.rules.NullLikesVote) {
		return false
	}
	t.quiet += s.Count
	return true
}

// total is the number of values that vote.
func (t *tally) total() int64 {
	n := t.text + t.objects + t.arrays
	for c := range t.of {
		n += t.of[c] + t.strings[c]
	}
	return n
}

// agrees reports whether so many values make a type.
func (t *tally) agrees(n int64) bool {
	share := t.rules.Agreement
	if share == 0 {
		share = 0.99
	}
	total := t.total()
	return total > 0 && float64(n)/float64(total) >= share
}

// scalar is the type that the scalars agree on, [schema.String] for none.
func (t *tally) scalar() (typ schema.Type, belong int64) {
	typ = schema.String
	if t.codes > 0 {
		return typ, 0 // a number that is only right as text is never one
	}
	for _, f := range []schema.Type{t.number(), t.boolean(), t.time()} {
		if f == nil || f == schema.String {
			continue
		}
		if n := t.belong(f); t.agrees(n) && n > belong {
			typ, belong = f, n
		}
	}
	return typ, belong
}

// number is the type that holds all numbers digit by digit, nil without any and
// [schema.String] if there is none.
func (t *tally) number() schema.Type {
	long := t.of[value.IntegerExact] + t.of[value.IntegerLong]
	big := t.of[value.IntegerBig]
	point := t.of[value.DecimalExact] + t.of[value.DecimalInexact]
	float := t.of[value.Float] + t.of[value.Special]
	inexact := t.of[value.IntegerLong] + big + t.of[value.DecimalInexact]
	wants := t.rules.PrefersDecimal && float == 0 && (point > 0 || t.decimals) && t.whole+t.scale <= maxDigits
	switch {
	case long+big+point+float == 0:
		return nil
	case wants:
		return t.decimal()
	case big+point+float == 0:
		return schema.Long
	case point+float > 0 && inexact == 0:
		return schema.Double
	case float == 0 && t.whole+t.scale <= maxDigits:
		return t.decimal()
	default:
		return schema.String
	}
}

func (t *tally) decimal() schema.Type {
	return schema.Decimal{Precision: max(1, t.whole+t.scale), Scale: t.scale}
}

func (t *tally) boolean() schema.Type {
	if t.of[value.Boolean] == 0 {
		return nil
	}
	return schema.Boolean
}

// time is the type of days and instants, nil without any.
func (t *tally) time() schema.Type {
	instants := t.of[value.TimestampZoned] + t.of[value.TimestampLocal]
	switch {
	case instants+t.of[value.Date] == 0:
		return nil
	case instants == 0 && !t.rules.NoDates:
		return schema.Date
	default:
		return schema.Timestamp
	}
}

// belong counts the scalars that a type holds. Of a class whose values a type
// holds in part (a decimal, a short integer), all count.
func (t *tally) belong(typ schema.Type) int64 {
	var n int64
	for c := range value.Class(value.Classes) {
		if holds(typ, c) {
			n += t.of[c] + t.strings[c]
		}
	}
	return n
}

// holds reports whether a type takes values of a class.
func holds(typ schema.Type, c value.Class) bool {
	switch typ {
	case schema.Byte, schema.Short, schema.Integer, schema.Long:
		return c == value.IntegerExact || c == value.IntegerLong
	case schema.Float, schema.Double:
		return c == value.IntegerExact || c == value.DecimalExact || c == value.Float || c == value.Special
	case schema.Boolean:
		return c == value.Boolean
	case schema.Date:
		return c == value.Date
	case schema.Timestamp, schema.TimestampNTZ:
		return isTime(c)
	case schema.String, schema.Binary:
		return true
	}
	_, decimal := typ.(schema.Decimal)
	return decimal && (isWhole(c) || isPoint(c))
}

// inexact are the classes of numbers that a double is not if the type is one of
// integers or decimals, and that a bigint is not if it is a double.
func inexact(typ schema.Type) []value.Class {
	if isFloat(typ) {
		return []value.Class{value.DecimalExact, value.Float, value.Special}
	}
	return []value.Class{value.IntegerLong, value.IntegerBig, value.DecimalInexact}
}

func isWhole(c value.Class) bool {
	return c == value.IntegerExact || c == value.IntegerLong || c == value.IntegerBig
}

func isPoint(c value.Class) bool { return c == value.DecimalExact || c == value.DecimalInexact }

func isTime(c value.Class) bool {
	return c == value.Date || c == value.TimestampZoned || c == value.TimestampLocal
}

// exact is the decimal that holds all numbers where they would be a double, and
// void if some have an exponent.
func (t *tally) exact() schema.Type {
	if t.of[value.Float]+t.of[value.Special] > 0 || t.whole+t.scale > maxDigits {
		return schema.Unknown
	}
	return t.decimal()
}
