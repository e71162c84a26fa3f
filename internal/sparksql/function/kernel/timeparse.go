package kernel

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// moment is a date and time as it is read, field by field.
type moment struct {
	year, month, day, yearDay, hour, minute, second, nanos int
	pm, halfDay                                            bool
	offset                                                 int // seconds east of UTC
}

// parseTime reads a time by a pattern, in microseconds since 1970 in UTC. The
// whole text must be one, of a day that exists. A year of two digits is of this
// century.
func parseTime(text, pattern string) (any, error) {
	p, err := ParseReadingPattern(pattern)
	if err != nil {
		return nil, err
	}
	m := moment{year: 1970, month: 1, day: 1}
	rest, ok := p.parse(&m, text)
	if !ok || rest != "" {
		return nil, nil
	}
	return m.micros(), nil
}

// mustParseTime is parseTime that fails where there is no time.
func mustParseTime(text, pattern string) (any, error) {
	v, err := parseTime(text, pattern)
	if err == nil && v == nil {
		err = fmt.Errorf("CANNOT_PARSE_TIMESTAMP: found %q, want a time as in %q; try_to_timestamp gives NULL", text, pattern)
	}
	return v, err
}

func (p TimePattern) parse(m *moment, text string) (string, bool) {
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
func (f timeField) parse(m *moment, text string, after int) (string, bool) {
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
		m.pm = strings.EqualFold(text[:2], "PM")
		return text[2:], true
	case 'G':
		return cutName(text, "AD ", 3)
	case 'X', 'x', 'Z', 'z', 'V', 'O':
		return f.parseZone(m, text)
	}
	if !f.digits() {
		return f.parseName(m, text)
	}
	return f.parseDigits(m, text, after)
}

func cutName(text, name string, count int) (string, bool) {
	if count <= 3 {
		name = strings.TrimSpace(name[:3])
	}
	if len(text) < len(name) || !strings.EqualFold(text[:len(name)], name) {
		return text, false
	}
	return text[len(name):], true
}

// parseName reads the name of a month.
func (f timeField) parseName(m *moment, text string) (string, bool) {
	if f.letter != 'M' && f.letter != 'L' {
		return text, false
	}
	for month := time.January; month <= time.December; month++ {
		if rest, ok := cutName(text, month.String(), f.count); ok {
			m.month = int(month)
			return rest, true
		}
	}
	return text, false
}

// parseDigits reads a number: of one letter as many digits as there are, less
// those of numbers behind it; of more letters as many as these, but a year of
// four or more may have a sign and more digits.
func (f timeField) parseDigits(m *moment, text string, after int) (string, bool) {
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
func (f timeField) set(m *moment, value, digits int) bool {
	switch f.letter {
	case 'y':
		if m.year = value; f.count == 2 {
			m.year += 2000
		}
	case 'M', 'L':
		m.month = value
		return value >= 1 && value <= 12
	case 'd':
		m.day = value
		return value >= 1 && value <= 31
	case 'D':
		m.yearDay = value
		return value >= 1 && value <= 366
	case 'm':
		m.minute = value
		return value < 60
	case 's':
		m.second = value
		return value < 60
	case 'S':
		for ; digits < 9; digits++ {
			value *= 10
		}
		m.nanos = value
	default:
		return f.setHour(m, value)
	}
	return true
}

func (f timeField) setHour(m *moment, value int) bool {
	switch f.letter {
	case 'H':
		m.hour = value
		return value < 24
	case 'k':
		m.hour = value % 24
		return value >= 1 && value <= 24
	}
	m.halfDay = true
	m.hour = value % 12
	if f.letter == 'h' {
		return value >= 1 && value <= 12
	}
	return value < 12
}

// parseZone reads an offset, or a name of UTC.
func (f timeField) parseZone(m *moment, text string) (string, bool) {
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
	hours, rest, ok := twoDigits(text[1:])
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
	minutes, tail, ok := twoDigits(tail)
	if ok {
		rest = tail
	} else if f.count > 1 || f.letter == 'Z' {
		return text, false
	}
	m.offset = (hours*60 + minutes) * 60
	if text[0] == '-' {
		m.offset = -m.offset
	}
	return rest, minutes < 60
}

// twoDigits reads a number of two digits, 0 if there is none.
func twoDigits(text string) (n int, rest string, ok bool) {
	if len(text) < 2 || text[0] < '0' || text[0] > '9' || text[1] < '0' || text[1] > '9' {
		return 0, text, false
	}
	return int(text[0]-'0')*10 + int(text[1]-'0'), text[2:], true
}

// micros is nil for a day that does not exist.
func (m *moment) micros() any {
	hour := m.hour
	if m.pm && m.halfDay {
		hour += 12
	}
	month, day := time.Month(m.month), m.day
	if m.yearDay > 0 {
		month, day = time.January, m.yearDay
	}
	t := time.Date(m.year, month, day, hour, m.minute, m.second, m.nanos, time.UTC)
	if m.yearDay == 0 && (t.Day() != m.day || int(t.Month()) != m.month) || t.Year() != m.year {
		return nil
	}
	return t.UnixMicro() - int64(m.offset)*int64(time.Second/time.Microsecond)
}
