package reconcile

import (
	"bytes"
	"math"
	"math/big"
	"strconv"
	"time"

	"landfall/internal/schema"
	"landfall/internal/value"
)

// reader reads a text, false if it is no such value.
type reader func(text []byte) (datum, bool)

// readForms reads what somebody wrote for a value of a type.
func readForms(t schema.Type, zone *time.Location) reader {
	f := &value.Forms{Zone: zone}
	if d, ok := t.(schema.Decimal); ok {
		return func(b []byte) (datum, bool) {
			v, ok := f.Decimal(b, d.Precision, d.Scale)
			return datum{kind: whole, scale: d.Scale, n: v}, ok
		}
	}
	switch t {
	case schema.Type(schema.String), schema.Type(schema.Binary):
		return readOwn(t)
	case schema.Type(schema.Float):
		return func(b []byte) (datum, bool) {
			v, ok := f.Float(b)
			return datum{kind: float, f: float64(v)}, ok
		}
	case schema.Type(schema.Double):
		return func(b []byte) (datum, bool) {
			v, ok := f.Double(b)
			return datum{kind: float, f: v}, ok
		}
	case schema.Type(schema.Boolean):
		return func(b []byte) (datum, bool) {
			v, ok := f.Boolean(b)
			return truth(v), ok
		}
	case schema.Type(schema.Date):
		return func(b []byte) (datum, bool) {
			v, ok := f.Day(b)
			return short(day, v), ok
		}
	case schema.Type(schema.Timestamp):
		return func(b []byte) (datum, bool) {
			v, ok := f.Instant(b)
			return short(instant, v.Micros), ok && v.Exact
		}
	case schema.Type(schema.TimestampNTZ):
		return func(b []byte) (datum, bool) {
			v, ok := f.Wall(b)
			return short(clock, v.Micros), ok && v.Exact
		}
	}
	return func(b []byte) (datum, bool) {
		v, ok := f.Long(b)
		return short(whole, v), ok
	}
}

func truth(v bool) datum {
	if v {
		return short(boolean, 1)
	}
	return short(boolean, 0)
}

// readOwn reads what a value of a file's type is written as in a text of the copy.
func readOwn(t schema.Type) reader {
	if _, ok := t.(schema.Decimal); ok {
		return readDigits
	}
	switch t {
	case schema.Type(schema.String), schema.Type(schema.Binary):
		return func(b []byte) (datum, bool) { return datum{kind: text, text: b}, true }
	case schema.Type(schema.Float):
		return readFloat(32)
	case schema.Type(schema.Double):
		return readFloat(64)
	case schema.Type(schema.Boolean):
		return func(b []byte) (datum, bool) {
			yes := string(b) == "true"
			return truth(yes), yes || string(b) == "false"
		}
	case schema.Type(schema.Date):
		return func(b []byte) (datum, bool) {
			at, rest, ok := readDay(b)
			return short(day, at), ok && len(rest) == 0
		}
	case schema.Type(schema.Timestamp), schema.Type(schema.TimestampNTZ):
		return readMoment
	}
	return func(b []byte) (datum, bool) {
		v, err := strconv.ParseInt(string(b), 10, 64)
		return short(whole, v), err == nil
	}
}

func readFloat(size int) reader {
	return func(b []byte) (datum, bool) {
		v, err := strconv.ParseFloat(string(b), size)
		return datum{kind: float, f: v}, err == nil
	}
}

// readDigits reads digits with or without a point.
func readDigits(b []byte) (datum, bool) {
	before, after, _ := bytes.Cut(b, []byte{'.'})
	if len(before) == 0 || len(before)+len(after) > 2*maxDigits {
		return datum{}, false
	}
	if v, ok := fewOf(before, after); ok {
		out := short(whole, v)
		out.scale = len(after)
		return out, true
	}
	n, ok := new(big.Int).SetString(string(before)+string(after), 10)
	if !ok {
		return datum{}, false
	}
	v, ok := wideOf(n)
	return datum{kind: whole, scale: len(after), n: v}, ok
}

// fewOf reads digits that 64 bits hold in any case; false says nothing.
func fewOf(before, after []byte) (v int64, ok bool) {
	const most = 18
	if len(before)+len(after) > most {
		return 0, false
	}
	digits := bytes.TrimPrefix(before, []byte{'-'})
	for _, part := range [...][]byte{digits, after} {
		for _, c := range part {
			if c < '0' || c > '9' {
				return 0, false
			}
			v = v*10 + int64(c-'0')
		}
	}
	if len(digits) < len(before) {
		v = -v
	}
	return v, len(digits) > 0
}

const (
	secondsPerDay   = 86_400
	microsPerSecond = 1_000_000
)

// readDay reads a day of any year, and returns what is behind it.
func readDay(b []byte) (days int64, rest []byte, ok bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	end := bytes.IndexByte(b, '-')
	if end < 0 || len(b) < end+len("-01-01") {
		return 0, nil, false
	}
	var parts [3]int
	for i, s := range [][]byte{b[:end], b[end+1 : end+3], b[end+4 : end+6]} {
		n, err := strconv.Atoi(string(s))
		if err != nil {
			return 0, nil, false
		}
		parts[i] = n
	}
	if negative {
		parts[0] = -parts[0]
	}
	t := time.Date(parts[0], time.Month(parts[1]), parts[2], 0, 0, 0, 0, time.UTC)
	ok = b[end+3] == '-' && int(t.Month()) == parts[1] && t.Day() == parts[2]
	return t.Unix() / secondsPerDay, b[end+6:], ok
}

// readMoment reads an instant of any year, or without a Z a wall clock.
func readMoment(b []byte) (datum, bool) {
	days, rest, ok := readDay(b)
	k := clock
	if n := len(rest); n > 0 && rest[n-1] == 'Z' {
		k, rest = instant, rest[:n-1]
	}
	clockTime, err := time.Parse("T15:04:05", string(rest)) // takes a fraction, too
	const most = math.MaxInt64/microsPerSecond/secondsPerDay + 1
	if !ok || err != nil || days > most || days < -most {
		return datum{}, false
	}
	seconds := days*secondsPerDay + int64(clockTime.Hour()*3600+clockTime.Minute()*60+clockTime.Second())
	micros := seconds*microsPerSecond + int64(clockTime.Nanosecond()/1000)
	return short(k, micros), (micros < 0) == (seconds < 0) // else no 64 bits hold it
}
