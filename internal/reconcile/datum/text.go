package datum

import (
	"bytes"
	"math"
	"math/big"
	"strconv"
	"time"

	"landfall/internal/schema"
	"landfall/internal/value"
)

// Reader reads a text, false if it is no such value.
type Reader func(text []byte) (Value, bool)

// ReadForms reads what somebody wrote for a value of a type; nil is UTC.
func ReadForms(t schema.Type, zone *time.Location) Reader {
	f := &value.Forms{Zone: zone}
	if d, ok := t.(schema.Decimal); ok {
		return func(b []byte) (Value, bool) {
			v, ok := f.Decimal(b, d.Precision, d.Scale)
			return Value{Kind: Whole, Scale: d.Scale, N: v}, ok
		}
	}
	switch t {
	case schema.Type(schema.String), schema.Type(schema.Binary):
		return ReadOwn(t)
	case schema.Type(schema.Float):
		return func(b []byte) (Value, bool) {
			v, ok := f.Float(b)
			return Value{Kind: Float, F: float64(v)}, ok
		}
	case schema.Type(schema.Double):
		return func(b []byte) (Value, bool) {
			v, ok := f.Double(b)
			return Value{Kind: Float, F: v}, ok
		}
	case schema.Type(schema.Boolean):
		return func(b []byte) (Value, bool) {
			v, ok := f.Boolean(b)
			return truth(v), ok
		}
	case schema.Type(schema.Date):
		return func(b []byte) (Value, bool) {
			v, ok := f.Day(b)
			return Of(Day, v), ok
		}
	case schema.Type(schema.Timestamp):
		return func(b []byte) (Value, bool) {
			v, ok := f.Instant(b)
			return Of(Instant, v.Micros), ok && v.Exact
		}
	case schema.Type(schema.TimestampNTZ):
		return func(b []byte) (Value, bool) {
			v, ok := f.Wall(b)
			return Of(Clock, v.Micros), ok && v.Exact
		}
	}
	return func(b []byte) (Value, bool) {
		v, ok := f.Long(b)
		return Of(Whole, v), ok
	}
}

func truth(v bool) Value {
	if v {
		return Of(Boolean, 1)
	}
	return Of(Boolean, 0)
}

// ReadOwn reads what a value of a file's type is written as in a text of the copy.
func ReadOwn(t schema.Type) Reader {
	if _, ok := t.(schema.Decimal); ok {
		return readDigits
	}
	switch t {
	case schema.Type(schema.String), schema.Type(schema.Binary):
		return func(b []byte) (Value, bool) { return Value{Kind: Text, Text: b}, true }
	case schema.Type(schema.Float):
		return readFloat(32)
	case schema.Type(schema.Double):
		return readFloat(64)
	case schema.Type(schema.Boolean):
		return func(b []byte) (Value, bool) {
			yes := string(b) == "true"
			return truth(yes), yes || string(b) == "false"
		}
	case schema.Type(schema.Date):
		return func(b []byte) (Value, bool) {
			at, rest, ok := readDay(b)
			return Of(Day, at), ok && len(rest) == 0
		}
	case schema.Type(schema.Timestamp), schema.Type(schema.TimestampNTZ):
		return readMoment
	}
	return func(b []byte) (Value, bool) {
		v, err := strconv.ParseInt(string(b), 10, 64)
		return Of(Whole, v), err == nil
	}
}

func readFloat(size int) Reader {
	return func(b []byte) (Value, bool) {
		v, err := strconv.ParseFloat(string(b), size)
		return Value{Kind: Float, F: v}, err == nil
	}
}

// readDigits reads digits with or without a point.
func readDigits(b []byte) (Value, bool) {
	before, after, _ := bytes.Cut(b, []byte{'.'})
	if len(before) == 0 || len(before)+len(after) > 2*maxDigits {
		return Value{}, false
	}
	if v, ok := fewOf(before, after); ok {
		out := Of(Whole, v)
		out.Scale = len(after)
		return out, true
	}
	n, ok := new(big.Int).SetString(string(before)+string(after), 10)
	if !ok {
		return Value{}, false
	}
	v, ok := wideOf(n)
	return Value{Kind: Whole, Scale: len(after), N: v}, ok
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
func readMoment(b []byte) (Value, bool) {
	days, rest, ok := readDay(b)
	k := Clock
	if n := len(rest); n > 0 && rest[n-1] == 'Z' {
		k, rest = Instant, rest[:n-1]
	}
	clockTime, err := time.Parse("T15:04:05", string(rest)) // takes a fraction, too
	const most = math.MaxInt64/microsPerSecond/secondsPerDay + 1
	if !ok || err != nil || days > most || days < -most {
		return Value{}, false
	}
	seconds := days*secondsPerDay + int64(clockTime.Hour()*3600+clockTime.Minute()*60+clockTime.Second())
	micros := seconds*microsPerSecond + int64(clockTime.Nanosecond()/1000)
	return Of(k, micros), (micros < 0) == (seconds < 0) // else no 64 bits hold it
}
