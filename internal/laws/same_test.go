package laws_test

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"landfall/internal/schema"
)

// says reports whether a scalar in a column is what the input says, by the
// standard library's reading of it: numbers exactly, days, instants and booleans
// as they are written, text byte by byte.
func (f *finder) says(t schema.Type, have any, v *node) bool {
	if t == schema.String {
		return have == v.textOrRaw()
	}
	if t == schema.Binary {
		return v.isText() && have == v.text
	}
	if !v.isText() && v.kind != '0' && v.kind != 't' && v.kind != 'f' {
		return false
	}
	if strict := f.policy.Preset != "" && f.policy.Preset != "evolve"; strict && v.kind == '"' && !isTime(t) {
		return false // strings are no numbers and no booleans there
	}
	text := v.textOrRaw()
	switch t {
	case schema.Boolean:
		return v.kind != '0' && isBoolean(text) && have == strings.EqualFold(text, "true")
	case schema.Date:
		day, ok := f.day(text)
		return ok && v.isText() && have == day
	case schema.Timestamp, schema.TimestampNTZ:
		return v.isText() && f.sameMoment(t, have.(int64), text)
	case schema.Double, schema.Float:
		return sameFloat(t, have.(float64), text, v.kind == '0')
	}
	if !whole.MatchString(text) || minusZero(text) {
		return false
	}
	n, ok := have.(*big.Rat)
	if i, isInt := have.(int64); isInt {
		n, ok = new(big.Rat).SetInt64(i), true
	}
	return ok && n.Cmp(rat(text)) == 0
}

// fits reports whether a type takes a scalar for certain.
func (f *finder) fits(t schema.Type, v *node) bool {
	if !v.isText() && v.kind != '0' && v.kind != 't' && v.kind != 'f' || strings.Contains(v.text, "\uFFFD") {
		return false
	}
	text := v.textOrRaw()
	var have any
	switch t {
	case schema.String, schema.Binary:
		have = text
	case schema.Boolean:
		have = strings.EqualFold(text, "true")
	case schema.Date:
		have, _ = f.day(text)
	case schema.Timestamp, schema.TimestampNTZ:
		at, _, ok := f.moment(text, t == schema.TimestampNTZ)
		if !ok || at.Nanosecond()%1000 != 0 {
			return false
		}
		have = at.UnixMicro()
	case schema.Double:
		have, _ = strconv.ParseFloat(text, 64)
	case schema.Float:
		have, _ = strconv.ParseFloat(text, 32)
	default:
		if !whole.MatchString(text) || !inRange(t, rat(text)) {
			return false
		}
		have = rat(text)
	}
	return f.says(t, have, v)
}

// inRange reports whether a type of integers or decimals has a number.
func inRange(t schema.Type, n *big.Rat) bool {
	if d, ok := t.(schema.Decimal); ok {
		power := func(n int) *big.Rat {
			return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil))
		}
		n = new(big.Rat).Mul(n, power(d.Scale))
		return n.IsInt() && new(big.Rat).Abs(n).Cmp(power(d.Precision)) < 0
	}
	bits := 0
	switch t {
	case schema.Long:
		bits = 64
	case schema.Integer:
		bits = 32
	case schema.Short:
		bits = 16
	case schema.Byte:
		bits = 8
	default:
		return false
	}
	limit := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(bits-1)))
	return n.IsInt() && n.Cmp(limit) < 0 && n.Cmp(new(big.Rat).Neg(limit)) >= 0
}

func (n *node) isText() bool { return n.kind == 'x' || n.kind == '"' }

// textOrRaw is what a string column holds of a value.
func (n *node) textOrRaw() string {
	if n.isText() {
		return n.text
	}
	return n.raw
}

// The forms of numbers (docs/inference.md, §1): all else that has digits is a
// code or text.
var (
	whole = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)
	float = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+([eE][+-]?[0-9]+)?|[eE][+-][0-9]+)?$`)
)

func rat(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return new(big.Rat)
	}
	return r
}

func minusZero(text string) bool { return strings.HasPrefix(text, "-") && rat(text).Sign() == 0 }

func isBoolean(text string) bool {
	switch text {
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return true
	}
	return false
}

// sameFloat compares by digits: the shortest text of the float is the number, and
// an integer is the very value.
func sameFloat(t schema.Type, have float64, text string, bare bool) bool {
	bits := 64
	if t == schema.Float {
		bits = 32
	}
	switch text {
	case "NaN":
		return have != have
	case "Inf", "Infinity":
		return math.IsInf(have, 1)
	case "-Inf", "-Infinity":
		return math.IsInf(have, -1)
	}
	if math.IsNaN(have) || math.IsInf(have, 0) || !bare && !float.MatchString(text) {
		return false
	}
	number := rat(text)
	if !strings.ContainsAny(text, ".eE") && new(big.Rat).SetFloat64(have).Cmp(number) != 0 {
		return false
	}
	shortest := rat(strconv.FormatFloat(have, 'g', -1, bits))
	return shortest.Cmp(number) == 0 && math.Signbit(have) == strings.HasPrefix(text, "-")
}

func isTime(t schema.Type) bool {
	return t == schema.Date || t == schema.Timestamp || t == schema.TimestampNTZ
}

// day is the days since 1970 of a date.
func (f *finder) day(text string) (int64, bool) {
	form := time.DateOnly
	if f.dates != "" {
		form = f.dates
	}
	t, err := time.Parse(form, text)
	return t.Unix() / 86400, err == nil && t.Format(form) == text
}

// sameMoment compares instants. Digits beyond the microsecond may be cut where
// the policy lets them, and are counted.
func (f *finder) sameMoment(t schema.Type, have int64, text string) bool {
	at, zoned, ok := f.moment(text, t == schema.TimestampNTZ)
	if !ok || zoned && t == schema.TimestampNTZ || at.UnixMicro() != have {
		return false
	}
	if at.Nanosecond()%1000 != 0 {
		if !f.does("value_truncated", "land") {
			return false
		}
		f.cut++
	}
	return true
}

// moment reads a timestamp or date; a wall clock stands in the zone of the
// source, or with wall in none.
func (f *finder) moment(text string, wall bool) (at time.Time, zoned, ok bool) {
	zone := time.UTC
	if f.forms.Zone != nil && !wall {
		zone = f.forms.Zone
	}
	forms := []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"}
	if f.moments != "" {
		forms = []string{f.moments}
	}
	for _, form := range forms {
		for _, suffix := range []string{"Z07:00", "-0700"} {
			if t, err := time.Parse(form+suffix, text); err == nil {
				return t, true, true
			}
		}
		if t, err := time.Parse(form, text); err == nil {
			at, ok = onClock(t, zone)
			return at, false, ok
		}
	}
	form := time.DateOnly
	if f.dates != "" {
		form = f.dates
	}
	t, err := time.Parse(form, text)
	if err != nil {
		return t, false, false
	}
	at, ok = onClock(t, zone)
	return at, false, ok
}

// onClock is the first instant at which clocks of a zone show a time; false if
// they skip it.
func onClock(wall time.Time, zone *time.Location) (time.Time, bool) {
	const form = "2006-01-02T15:04:05.999999999"
	var first time.Time
	found := false
	for _, day := range []time.Duration{-24 * time.Hour, 24 * time.Hour} {
		_, offset := wall.Add(day).In(zone).Zone()
		at := wall.Add(-time.Duration(offset) * time.Second)
		if at.In(zone).Format(form) == wall.Format(form) && (!found || at.Before(first)) {
			first, found = at, true
		}
	}
	return first, found
}
