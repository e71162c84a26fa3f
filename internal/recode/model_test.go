package recode

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
	"landfall/internal/value"
)

type (
	list  = parquetfiletest.List
	group = parquetfiletest.Struct
	pairs = parquetfiletest.Map
)

// convert is what a Recoder does, said without levels: the value of the target,
// nil for null, and the paths of what does not fit.
func convert(from, to schema.Type, v any, path schema.Path) (any, []schema.Path) {
	misfit := []schema.Path{path}
	if v == nil {
		return nil, nil
	}
	switch to := to.(type) {
	case schema.Array:
		if from, ok := from.(schema.Array); ok {
			out := list{}
			for _, e := range v.(list) {
				w, misfits := convert(from.Element, to.Element, e, path)
				if len(misfits) > 0 || w == nil && !to.ContainsNull {
					return nil, misfit
				}
				out = append(out, w)
			}
			return out, nil
		}
	case schema.Map:
		if from, ok := from.(schema.Map); ok {
			return convertMap(from, to, v.(pairs), path)
		}
	case schema.Struct:
		if from, ok := from.(schema.Struct); ok {
			return convertStruct(from, to, v.(group), path)
		}
	default:
		if isScalar(from) {
			if w, ok := convertScalar(from, to, v); ok {
				return w, nil
			}
		}
	}
	return nil, misfit
}

func convertMap(from, to schema.Map, v pairs, path schema.Path) (any, []schema.Path) {
	misfit := []schema.Path{path}
	out := pairs{}
	for _, e := range v {
		k, bad := convert(from.Key, to.Key, e.Key, path)
		w, worse := convert(from.Value, to.Value, e.Value, path)
		if len(bad)+len(worse) > 0 || k == nil || w == nil && !to.ValueContainsNull {
			return nil, misfit
		}
		isText := to.Key == schema.Type(schema.String) || to.Key == schema.Type(schema.Binary)
		if from.Key == schema.Type(schema.String) && !isText && textOf(to.Key, k) != e.Key {
			return nil, misfit
		}
		out = append(out, parquetfiletest.Entry{Key: k, Value: w})
	}
	return out, nil
}

func convertStruct(from, to schema.Struct, v group, path schema.Path) (any, []schema.Path) {
	out := group{}
	var all []schema.Path
	for _, f := range to.Fields {
		var w any
		if i := from.Lookup(f.Name); i >= 0 {
			var misfits []schema.Path
			w, misfits = convert(from.Fields[i].Type, f.Type, v[i], path.Child(from.Fields[i].Name))
			all = append(all, misfits...)
		}
		if w == nil && !f.Nullable {
			return nil, []schema.Path{path}
		}
		out = append(out, w)
	}
	return out, all
}

func convertScalar(from, to schema.Type, v any) (any, bool) {
	forms := value.Forms{}
	s, isText := v.(string)
	switch {
	case from == schema.Type(schema.Unknown):
		return nil, false
	case from == to:
		return v, true
	case to == schema.Type(schema.String):
		s = textOf(from, v)
		return s, s != noText && utf8.ValidString(s)
	case from == schema.Type(schema.String) && to == schema.Type(schema.Binary):
		return v, true
	case from == schema.Type(schema.String):
		return read(&forms, to, s)
	case isText:
		return nil, false
	case isNumber(from) && isNumber(to):
		return convertNumber(from, to, v)
	case from == schema.Type(schema.Date) && isTimestamp(to):
		return v.(int64) * 86400e6, true
	case isTimestamp(from) && to == schema.Type(schema.Date):
		days := new(big.Rat).SetFrac64(v.(int64), 86400e6)
		if !days.IsInt() {
			return nil, false
		}
		return days.Num().Int64(), true
	}
	return nil, false
}

// read is what the forms of text make of it, which is tested where they are.
func read(forms *value.Forms, to schema.Type, s string) (any, bool) {
	if d, ok := to.(schema.Decimal); ok {
		v, ok := forms.Decimal([]byte(s), d.Precision, d.Scale)
		if d.Precision <= 18 {
			return int64(v.Low), ok
		}
		return v, ok
	}
	switch to {
	case schema.Type(schema.Boolean):
		return boxed(forms.Boolean([]byte(s)))
	case schema.Type(schema.Double):
		return boxed(forms.Double([]byte(s)))
	case schema.Type(schema.Float):
		v, ok := forms.Float([]byte(s))
		return float64(v), ok
	case schema.Type(schema.Date):
		return boxed(forms.Day([]byte(s)))
	case schema.Type(schema.Timestamp):
		v, ok := forms.Instant([]byte(s))
		return v.Micros, ok && v.Exact
	case schema.Type(schema.TimestampNTZ):
		v, ok := forms.Wall([]byte(s))
		return v.Micros, ok && v.Exact
	case schema.Type(schema.Unknown):
		return nil, false
	}
	v, ok := forms.Long([]byte(s))
	low, high, _ := rangeOf(to)
	return v, ok && v >= low && v <= high
}

func boxed[T any](v T, ok bool) (any, bool) { return v, ok }

// ratOf is a number as a fraction, nil for what is none.
func ratOf(t schema.Type, v any) *big.Rat {
	switch v := v.(type) {
	case float64:
		if v == 0 && math.Signbit(v) {
			return nil
		}
		return new(big.Rat).SetFloat64(v)
	case int64:
		return new(big.Rat).SetFrac(big.NewInt(v), ten(scaleOf(t)))
	case value.Int128:
		return new(big.Rat).SetFrac(bigOf(v), ten(scaleOf(t)))
	}
	return nil
}

func ten(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

func bigOf(v value.Int128) *big.Int {
	out := new(big.Int).Lsh(big.NewInt(v.High), 64)
	return out.Add(out, new(big.Int).SetUint64(v.Low))
}

func wideOf(v *big.Int) value.Int128 {
	low := new(big.Int).And(v, new(big.Int).SetUint64(math.MaxUint64))
	return value.Int128{High: new(big.Int).Rsh(v, 64).Int64(), Low: low.Uint64()}
}

func convertNumber(from, to schema.Type, v any) (any, bool) {
	f, isFloat := v.(float64)
	r := ratOf(from, v)
	_, isDecimal := from.(schema.Decimal)
	if formOf(to) == floats {
		bits := 64
		if to == schema.Type(schema.Float) {
			bits = 32
		}
		switch {
		case isFloat:
			return f, bits == 64 || math.IsNaN(f) || float64(float32(f)) == f
		default:
			g, _ := strconv.ParseFloat(r.FloatString(scaleOf(from)), bits)
			back := new(big.Rat).SetFloat64(g)
			if isDecimal && !r.IsInt() {
				back, _ = new(big.Rat).SetString(strconv.FormatFloat(g, 'e', -1, bits))
			}
			return g, back.Cmp(r) == 0
		}
	}
	if _, toDecimal := to.(schema.Decimal); toDecimal && isFloat && r != nil && !r.IsInt() {
		bits := 64
		if from == schema.Type(schema.Float) {
			bits = 32
		}
		r, _ = new(big.Rat).SetString(strconv.FormatFloat(f, 'e', -1, bits)) // the digits that it shows
	} else if r == nil || isFloat && !r.IsInt() {
		return nil, false
	}
	r = new(big.Rat).Mul(r, new(big.Rat).SetInt(ten(scaleOf(to))))
	if !r.IsInt() {
		return nil, false
	}
	n := r.Num()
	if d, ok := to.(schema.Decimal); ok {
		if n.CmpAbs(ten(d.Precision)) >= 0 {
			return nil, false
		}
		if d.Precision <= 18 {
			return n.Int64(), true
		}
		return wideOf(n), true
	}
	low, high, _ := rangeOf(to)
	return n.Int64(), n.IsInt64() && n.Int64() >= low && n.Int64() <= high
}

const noText = "\xff"

// textOf is the text of a scalar.
func textOf(t schema.Type, v any) string {
	switch v := v.(type) {
	case bool:
		return fmt.Sprint(v)
	case string:
		return v
	case float64:
		bits := 64
		if t == schema.Type(schema.Float) {
			bits = 32
		}
		return string(appendFloat(nil, v, bits)) // its own test says how it looks
	case value.Int128:
		return ratOf(t, v).FloatString(scaleOf(t))
	case int64:
		if t != schema.Type(schema.Date) && !isTimestamp(t) {
			return ratOf(t, v).FloatString(scaleOf(t))
		}
		return timeText(t, v)
	}
	return noText
}

func timeText(t schema.Type, v int64) string {
	if t == schema.Type(schema.Date) {
		v *= 86400e6
	}
	at := time.UnixMicro(v).UTC()
	switch {
	case at.Year() < 1 || at.Year() > 9999:
		return noText
	case t == schema.Type(schema.Date):
		return at.Format(time.DateOnly)
	}
	out := at.Format("2006-01-02T15:04:05")
	if micros := at.Nanosecond() / 1000; micros != 0 {
		out += strings.TrimRight(fmt.Sprintf(".%06d", micros), "0")
	}
	if t == schema.Type(schema.Timestamp) {
		out += "Z"
	}
	return out
}
