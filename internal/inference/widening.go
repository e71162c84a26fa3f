package inference

import (
	"slices"

	"landfall/internal/column"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// Exceeds reports whether the evidence has values that a column of the scalar type
// t does not take and that a wider type would, and the first record that may have
// one. Integers that are as long as the longest of a short type count as such.
func (m Method) Exceeds(t schema.Type, e *column.Evidence) (record int64, some bool) {
	see := func(first int64) {
		if !some || first < record {
			record, some = first, true
		}
	}
	over := m.over(t, e)
	m = m.timed(t)
	bare := count(&column.Evidence{Bare: e.Bare}, m.Rules, m.Strict)
	for _, s := range e.Bare {
		if over[s.Class] && bare.of[s.Class] > 0 {
			see(s.First)
		}
	}
	strings := count(&column.Evidence{Strings: e.Strings}, m.Rules, m.Strict)
	for _, s := range e.Strings {
		if over[s.Class] && strings.of[s.Class] > 0 {
			see(s.First)
		}
	}
	for _, d := range e.Types {
		if d.Count > 0 && exceeds(t, d) {
			see(d.First)
		}
	}
	return record, some
}

// timed is the method where strings that are times count, as they do for a column
// of days.
func (m Method) timed(t schema.Type) Method {
	m.Rules.Timestamps = m.Rules.Timestamps || t == schema.Date
	return m
}

// over are the classes with values that a type does not take, as far as digits
// tell.
func (m Method) over(t schema.Type, e *column.Evidence) (over [value.Classes]bool) {
	votes := count(e, m.timed(t).Rules, m.Strict)
	d, decimal := t.(schema.Decimal)
	digits := longest(t)
	switch {
	case decimal:
		large := votes.whole > d.Precision-d.Scale
		over[value.IntegerExact], over[value.IntegerLong], over[value.IntegerBig] = large, large, large
		over[value.DecimalExact] = large || votes.scale > d.Scale
		over[value.DecimalInexact] = over[value.DecimalExact]
	case digits > 0:
		large := votes.whole >= digits && t != schema.Long
		over[value.IntegerExact], over[value.IntegerLong], over[value.IntegerBig] = large, large, true
		over[value.DecimalExact] = votes.scale > 0 || votes.whole >= digits
		over[value.DecimalInexact] = over[value.DecimalExact]
		over[value.Float], over[value.Special] = true, true
	case t == schema.Date:
		over[value.TimestampZoned], over[value.TimestampLocal] = true, true
	}
	return over
}

// Untexted returns what evidence on scalars says without the values that are text and
// nothing else. It shares memory with e, and changes nothing there.
func (m Method) Untexted(e *column.Evidence) column.Evidence {
	left := *e
	left.Bare = slices.DeleteFunc(slices.Clone(e.Bare), func(s column.Seen) bool {
		return count(&column.Evidence{Bare: []column.Seen{s}}, m.Rules, m.Strict).text > 0
	})
	left.Strings = slices.DeleteFunc(slices.Clone(e.Strings), func(s column.Seen) bool {
		return s.Class == value.Text || s.Class == value.Code ||
			count(&column.Evidence{Strings: []column.Seen{s}}, m.Rules, m.Strict).text > 0
	})
	left.Types = slices.DeleteFunc(slices.Clone(e.Types), func(d column.Declared) bool { return d.Type == schema.String.String() })
	return left
}

// longest is how many digits an integer of a type has at most, 0 for other types.
func longest(t schema.Type) int {
	switch t {
	case schema.Byte:
		return 3
	case schema.Short:
		return 5
	case schema.Integer:
		return 10
	case schema.Long:
		return 19
	default:
		return 0
	}
}

// floatDigits is how many digits a number may have such that a float surely has it.
const floatDigits = 7

// exceeds reports whether values of a type that files declare are not all of
// another one, and may be of one that is wider.
func exceeds(t schema.Type, d column.Declared) bool {
	from, err := schema.ParseDDL(d.Type)
	if err != nil || schema.Widens(from, t) {
		return false
	}
	to, decimal := t.(schema.Decimal)
	_, point := from.(schema.Decimal)
	digits := longest(t)
	switch {
	case decimal:
		return (point || longest(from) > 0) && (d.Whole > to.Precision-to.Scale || d.Scale > to.Scale)
	case digits > 0 && point:
		return d.Scale > 0 || d.Whole >= digits
	case digits > 0 && (from == schema.Float || from == schema.Double):
		return d.Inexact > 0 || t != schema.Long // whole doubles are bigints
	case digits > 0:
		return longest(from) > 0
	case t == schema.Float:
		return from == schema.Double || (point || longest(from) > 0) && d.Inexact == 0 && d.Whole+d.Scale > floatDigits
	default:
		return t == schema.Date && (from == schema.Timestamp || from == schema.TimestampNTZ)
	}
}

// Wider returns the type that a column of the scalar type t would have by a sight
// of its whole life, which lies in so many structs, arrays and maps: what
// [Method.Infer] finds, or what that has in common with t where t has room that no
// value needed. It need be no wider type than t; whether it holds what the column
// has, [Method.Holds] says.
func (m Method) Wider(t schema.Type, s *Sight, depth int) schema.Type {
	found, typed := m.timed(t).Infer(s, depth), len(s.Own.Types) > 0
	_, decimal := t.(schema.Decimal)
	if decimal && !typed && (found == schema.Double || longest(found) > 0) {
		found = m.Exact(s)
	}
	if decimal || typed {
		if joined, lossless := schema.Join(t, found); lossless {
			return joined
		}
	}
	return found
}

// Exact is the decimal that has the digits of all numbers of text; void if some
// have an exponent, if the digits are too many, or if files declare types.
func (m Method) Exact(s *Sight) schema.Type {
	if len(s.Own.Types) > 0 {
		return schema.Unknown
	}
	return count(&s.Own, m.Rules, m.Strict).exact()
}

// Holds reports whether every value that a column of the scalar type from has
// taken in its life is exactly one of type to, as far as the evidence of that life
// says. Of a float the digits count where it was text or a decimal: 0.1 is another
// number as a double. No double and no decimal becomes a number of another kind.
func (m Method) Holds(from, to schema.Type, life *column.Evidence) bool {
	switch {
	case from == schema.Float:
		return schema.Widens(from, to) && !written(life) && !pointed(life)
	case schema.Widens(from, to):
		return true
	case longest(from) == 0:
		return false
	}
	d, decimal := to.(schema.Decimal)
	if !decimal && to != schema.Double {
		return false
	}
	whole, long := life.Whole, life.Of(life.Bare, value.IntegerLong).Count
	if !m.Strict {
		whole, long = max(whole, life.StringWhole), long+life.Of(life.Strings, value.IntegerLong).Count
	}
	if decimal && whole > d.Precision-d.Scale || !decimal && long > 0 {
		return false
	}
	for _, t := range life.Types {
		if t.Count > 0 && !takes(to, t) {
			return false
		}
	}
	return true
}

// written reports whether there are numbers in text.
func written(e *column.Evidence) bool {
	for _, seen := range [][]column.Seen{e.Bare, e.Strings} {
		for _, s := range seen {
			if isWhole(s.Class) || isPoint(s.Class) || s.Class == value.Float {
				return true
			}
		}
	}
	return false
}

// pointed reports whether files declared decimals with a point, which are in a float
// by their digits too.
func pointed(e *column.Evidence) bool {
	for _, t := range e.Types {
		if from, err := schema.ParseDDL(t.Type); err != nil || t.Count > 0 && isDecimal(from) && t.Scale > 0 {
			return true
		}
	}
	return false
}

func isDecimal(t schema.Type) bool { _, ok := t.(schema.Decimal); return ok }

// takes reports whether a double or decimal holds all integers among the values of
// a declared type.
func takes(to schema.Type, t column.Declared) bool {
	from, err := schema.ParseDDL(t.Type)
	if err != nil {
		return false
	}
	_, point := from.(schema.Decimal)
	known := point || longest(from) > 0
	if d, decimal := to.(schema.Decimal); decimal {
		room := d.Precision - d.Scale
		return known && t.Whole <= room || room >= longest(schema.Long)
	}
	return known && t.Inexact == 0 || schema.Widens(from, to)
}
