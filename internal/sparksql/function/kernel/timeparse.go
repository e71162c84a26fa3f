package kernel

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"landfall/internal/plan/function/kernel/javatime"
)

// parseTime reads a time by a pattern, in microseconds since 1970 in UTC. The
// whole text must be one, of a day that exists. A year of two digits is of this
// century.
func parseTime(text, pattern string) (any, error) {
	p, err := ParseReadingPattern(pattern)
	if err != nil {
		return nil, err
	}
	m := javatime.Epoch()
	rest, ok := p.parse(&m, text)
	if !ok || rest != "" {
		return nil, nil
	}
	return m.Micros(), nil
}

// mustParseTime is parseTime that fails where there is no time.
func mustParseTime(text, pattern string) (any, error) {
	v, err := parseTime(text, pattern)
	if err == nil && v == nil {
		err = fmt.Errorf("CANNOT_PARSE_TIMESTAMP: found %q, want a time as in %q; try_to_timestamp gives NULL", text, pattern)
	}
	return v, err
}

func (p TimePattern) parse(m *javatime.Moment, text string) (string, bool) {
	for i, f := range p {
		if f.optional != nil {
			inner := *m
			if rest, ok := f.optional.parse(&inner, text); ok {
				*m, text = inner, rest
			}
			continue
		}
		// Digits that belong to numbers behind it.
		after := 0
		for _, g := range p[i+1:] {
			if !g.digits() || g.count == 1 {
				break
			}
			after += g.count
		}
		var ok bool
		if text, ok = f.parse(m, text, after); !ok {
			return text, false
		}
	}
	return text, true
}

// parse reads one field from the beginning of a text.
func (f timeField) parse(m *javatime.Moment, text string, after int) (string, bool) {
	switch f.letter {
	case 0:
		if len(text) < len(f.text) || !strings.EqualFold(text[:len(f.text)], f.text) {
			return text, false
		}
		return text[len(f.text):], true
	case 'a':
		if len(text) < 2 || !strings.EqualFold(text[:2], "AM") && !strings.EqualFold(text[:2], "PM") {
			return text, false
		}
		m.PM = strings.EqualFold(text[:2], "PM")
		return text[2:], true
	case 'G':
		return javatime.CutName(text, "AD ", 3)
	case 'X', 'x', 'Z', 'z', 'V', 'O':
		return f.parseZone(m, text)
	}
	if !f.digits() {
		return f.parseName(m, text)
	}
	return f.parseDigits(m, text, after)
}

// parseName reads the name of a month.
func (f timeField) parseName(m *javatime.Moment, text string) (string, bool) {
	if f.letter != 'M' && f.letter != 'L' {
		return text, false
	}
	for month := time.January; month <= time.December; month++ {
		if rest, ok := javatime.CutName(text, month.String(), f.count); ok {
			m.Month = int(month)
			return rest, true
		}
	}
	return text, false
}

// parseDigits reads a number: of one letter as many digits as there are, less
// those of numbers behind it; of more letters as many as these, but a year of
// four or more may have a sign and more digits.
func (f timeField) parseDigits(m *javatime.Moment, text string, after int) (string, bool) {
	signed := f.letter == 'y' && f.count != 2 && strings.HasPrefix(text, "+")
	if signed {
		text = text[1:]
	}
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	least, most := f.count, f.count
	switch {
	case f.letter == 'S':
		least, most = 1, 9
		if after > 0 {
			least, most = f.count, f.count
		}
	case f.letter == 'y' && signed:
		least, most = f.count+1, 19
	case f.letter == 'y' && f.count == 3:
		most = 19
	case f.count == 1:
		most = 19
	case f.letter == 'D' && f.count == 2:
		most = 3
	}
	if after > 0 {
		n = max(n-after, 0)
	}
	n = min(n, most)
	if n < least || n > 9 {
		return text, false
	}
	value, err := strconv.Atoi(text[:n])
	return text[n:], err == nil && f.set(m, value, n)
}

// set takes the value of a field of digits over, unless it cannot be.
func (f timeField) set(m *javatime.Moment, value, digits int) bool {
	switch f.letter {
	case 'y':
		if m.Year = value; f.count == 2 {
			m.Year += 2000
		}
	case 'M', 'L':
		m.Month = value
		return value >= 1 && value <= 12
	case 'd':
		m.Day = value
		return value >= 1 && value <= 31
	case 'D':
		m.YearDay = value
		return value >= 1 && value <= 366
	case 'm':
		m.Minute = value
		return value < 60
	case 's':
		m.Second = value
		return value < 60
	case 'S':
		for ; digits < 9; digits++ {
			value *= 10
		}
		m.Nanos = value
	default:
		return m.SetHour(f.letter, value)
	}
	return true
}

// parseZone reads an offset, or a name of UTC.
func (f timeField) parseZone(m *javatime.Moment, text string) (string, bool) {
	names := []string{"UTC", "GMT", "Z"}
	switch {
	case f.letter == 'X' || f.letter == 'Z' && f.count == 5:
		names = []string{"Z"}
	case f.letter == 'x' || f.letter == 'Z':
		names = nil
	}
	for _, name := range names {
		if rest, ok := strings.CutPrefix(text, name); ok {
			text = rest
			if f.letter == 'X' || f.letter == 'Z' || text == "" || text[0] != '+' && text[0] != '-' {
				return text, true
			}
			break
		}
	}
	if text == "" || text[0] != '+' && text[0] != '-' {
		return text, false
	}
	hours, rest, ok := javatime.TwoDigits(text[1:])
	if !ok || hours > 18 {
		return text, false
	}
	colon := f.letter == 'X' && f.count >= 3 || f.letter == 'x' && f.count >= 3 || f.letter == 'Z' && f.count == 5 || strings.IndexByte("zVO", f.letter) >= 0
	tail := rest
	if colon {
		tail = strings.TrimPrefix(rest, ":")
		if tail == rest {
			return text, false
		}
	}
	minutes, tail, ok := javatime.TwoDigits(tail)
	if ok {
		rest = tail
	} else if f.count > 1 || f.letter == 'Z' {
		return text, false
	}
	m.Offset = (hours*60 + minutes) * 60
	if text[0] == '-' {
		m.Offset = -m.Offset
	}
	return rest, minutes < 60
}
