package kernel

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"landfall/internal/plan/function/kernel/javatime"
)

// field is a part of a pattern of Java's for dates: a letter that stands so
// often, or plain text.
type field struct {
	letter byte // 0 of plain text
	count  int
	text   string
}

// timeLetters are the letters that patterns may hold.
const timeLetters = "yuMLdDEHhkKmsSaXxZz"

// TimePattern is a pattern of Java's for dates and times.
type TimePattern []field

// ParseTimePattern reads a pattern.
func ParseTimePattern(text string) (TimePattern, error) {
	var out TimePattern
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\'':
			plain, next, ok := quoted(text, i)
			if !ok {
				return nil, fmt.Errorf("pattern %q: found a quote that does not end", text)
			}
			out, i = append(out, field{text: plain}), next
		case isLetter(c):
			n := 1
			for i+n < len(text) && text[i+n] == c {
				n++
			}
			if strings.IndexByte(timeLetters, c) < 0 {
				return nil, fmt.Errorf("pattern %q: found the letter %c, want one of %s", text, c, timeLetters)
			}
			out, i = append(out, field{letter: c, count: n}), i+n
		default:
			out, i = append(out, field{text: string(c)}), i+1
		}
	}
	return out, nil
}

// quoted reads what stands in quotes from a place on, and where it ends. Two
// quotes are one.
func quoted(text string, at int) (plain string, next int, ok bool) {
	if strings.HasPrefix(text[at:], "''") {
		return "'", at + 2, true
	}
	var out strings.Builder
	for i := at + 1; i < len(text); i++ {
		if text[i] != '\'' {
			out.WriteByte(text[i])
			continue
		}
		if !strings.HasPrefix(text[i:], "''") {
			return out.String(), i + 1, true
		}
		out.WriteByte('\'')
		i++
	}
	return "", 0, false
}

// formatTime writes an instant, in microseconds since 1970 in UTC, by a pattern.
func formatTime(micros int64, pattern, locale string) (any, error) {
	fields, err := ParseTimePattern(pattern)
	if err != nil {
		return nil, err
	}
	if err := english(locale); err != nil {
		return nil, err
	}
	t := time.UnixMicro(micros).UTC()
	var out strings.Builder
	for _, f := range fields {
		out.WriteString(f.format(t))
	}
	return out.String(), nil
}

// english refuses a locale whose names of months and days are not known.
func english(locale string) error {
	if language, _, _ := strings.Cut(strings.ToLower(locale), "-"); language != "en" {
		return fmt.Errorf("dates: found the locale %q, want en", locale)
	}
	return nil
}

func (f field) format(t time.Time) string {
	switch f.letter {
	case 0:
		return f.text
	case 'y', 'u':
		if f.count == 2 {
			return javatime.Padded(t.Year()%100, 2)
		}
		return javatime.Padded(t.Year(), f.count)
	case 'M', 'L':
		return named(t.Month().String(), int(t.Month()), f.count)
	case 'E':
		if f.count > 3 {
			return t.Weekday().String()
		}
		return t.Weekday().String()[:3]
	case 'a':
		return t.Format("PM")
	case 'S':
		return (javatime.Padded(t.Nanosecond(), 9) + strings.Repeat("0", f.count))[:f.count]
	case 'X', 'x', 'Z', 'z':
		return f.zone()
	}
	return javatime.Padded(javatime.Number(f.letter, t), f.count)
}

// zone writes UTC.
func (f field) zone() string {
	switch {
	case f.letter == 'X':
		return "Z"
	case f.letter == 'z':
		return "UTC"
	case f.letter == 'x' && f.count == 1:
		return "+00"
	case f.letter == 'x' && f.count%2 == 1:
		return "+00:00"
	}
	return "+0000"
}

func named(name string, number, count int) string {
	switch {
	case count > 3:
		return name
	case count == 3:
		return name[:3]
	}
	return javatime.Padded(number, count)
}

// parseTime reads an instant by a pattern, in microseconds since 1970 in UTC.
// The whole text must be one, of a day that exists; else the result is nil. A
// year of two digits is of this century, and one of four has four.
func parseTime(text, pattern string) (any, error) {
	fields, err := ParseTimePattern(pattern)
	if err != nil {
		return nil, err
	}
	m := javatime.Epoch()
	rest := text
	for i, f := range fields {
		adjacent := i+1 < len(fields) && fields[i+1].isDigits()
		var ok bool
		if rest, ok = f.parse(&m, rest, adjacent); !ok {
			return nil, nil
		}
	}
	if rest != "" {
		return nil, nil
	}
	return m.Micros(), nil
}

func (f field) isDigits() bool {
	return strings.IndexByte("yudDHhkKmsS", f.letter) >= 0 && f.letter != 0 || (f.letter == 'M' || f.letter == 'L') && f.count < 3
}

// parse reads one field from the beginning of a text.
func (f field) parse(m *javatime.Moment, text string, adjacent bool) (string, bool) {
	switch f.letter {
	case 0:
		return strings.CutPrefix(text, f.text)
	case 'E':
		for day := time.Sunday; day <= time.Saturday; day++ {
			if rest, ok := javatime.CutName(text, day.String(), f.count); ok {
				return rest, true
			}
		}
		return text, false
	case 'a':
		for _, half := range []string{"AM", "PM"} {
			if len(text) >= 2 && strings.EqualFold(text[:2], half) {
				m.PM = half == "PM"
				return text[2:], true
			}
		}
		return text, false
	case 'X', 'x', 'Z', 'z':
		return zone(m, text)
	}
	if !f.isDigits() {
		return f.month(m, text)
	}
	return f.digits(m, text, adjacent)
}

func (f field) month(m *javatime.Moment, text string) (string, bool) {
	for month := time.January; month <= time.December; month++ {
		if rest, ok := javatime.CutName(text, month.String(), f.count); ok {
			m.Month = int(month)
			return rest, true
		}
	}
	return text, false
}

// digits reads a number: as many digits as letters where another number
// follows, else one more than the letters say is too many.
func (f field) digits(m *javatime.Moment, text string, adjacent bool) (string, bool) {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	least, most := 1, max(f.count, 2)
	switch f.letter {
	case 'y', 'u':
		least, most = max(f.count, 2), max(f.count, 4)
		switch f.count {
		case 1:
			least = 4
		case 2:
			most = 2
		}
	case 'S':
		least, most = f.count, f.count
	case 'D':
		most = 3
	}
	if adjacent {
		n = min(n, f.count)
	}
	if n < least || n > most || n > 9 {
		return text, false
	}
	value, err := strconv.Atoi(text[:n])
	return text[n:], err == nil && f.set(m, value, n)
}

// set takes the value of a field of digits over, unless it cannot be.
func (f field) set(m *javatime.Moment, value, digits int) bool {
	switch f.letter {
	case 'y', 'u':
		m.Year = value
		if digits == 2 {
			m.Year += 2000
		}
		return value > 0 || digits == 2
	case 'M', 'L':
		m.Month = value
		return value >= 1 && value <= 12
	case 'd':
		m.Day = value
		return value >= 1 && value <= 31
	case 'D':
		m.YearDay = value
		return value >= 1
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
		return true
	}
	return m.SetHour(f.letter, value)
}

// zone reads an offset, or a name of UTC.
func zone(m *javatime.Moment, text string) (string, bool) {
	for _, name := range []string{"Z", "UTC", "GMT"} {
		if rest, ok := strings.CutPrefix(text, name); ok {
			return rest, true
		}
	}
	if text == "" || text[0] != '+' && text[0] != '-' {
		return text, false
	}
	hours, rest, ok := javatime.TwoDigits(text[1:])
	if !ok || hours > 18 {
		return text, false
	}
	minutes, after, ok := javatime.TwoDigits(strings.TrimPrefix(rest, ":"))
	if ok {
		rest = after
	}
	m.Offset = (hours*60 + minutes) * 60
	if text[0] == '-' {
		m.Offset = -m.Offset
	}
	return rest, minutes < 60
}

// Strftime is a format of DuckDB that writes times the same; false if there is
// none.
func (p TimePattern) Strftime() (string, bool) {
	var out strings.Builder
	for _, f := range p {
		text := f.strftime()
		if text == "" {
			return "", false
		}
		out.WriteString(text)
	}
	return out.String(), true
}

// Strptime is a format of DuckDB, and the regular expression of the texts that
// it reads as ParseTimePattern's pattern does; false if there is none. It needs
// year, month and day, and no field twice.
func (p TimePattern) Strptime() (shape, format string, ok bool) {
	var shapes, formats strings.Builder
	seen := ""
	for i, f := range p {
		if f.letter == 0 {
			shapes.WriteString(regexp.QuoteMeta(f.text))
			formats.WriteString(strings.ReplaceAll(f.text, "%", "%%"))
			continue
		}
		adjacent := i+1 < len(p) && p[i+1].isDigits()
		shape, format := f.strptime(adjacent)
		if shape == "" || strings.IndexByte(seen, f.letter) >= 0 {
			return "", "", false
		}
		seen += string(f.letter)
		shapes.WriteString(shape)
		formats.WriteString(format)
	}
	return shapes.String(), formats.String(), strings.Contains(seen, "y") && strings.Contains(seen, "M") && strings.Contains(seen, "d")
}

// strptime is the shape and format of one field, "" if there is none. Where
// another number follows, the digits are as many as the letters.
func (f field) strptime(adjacent bool) (shape, format string) {
	switch {
	case f.letter == 'y' && f.count == 4:
		return "(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])", "%Y"
	case f.letter == 'S' && f.count == 3:
		return "[0-9]{3}", "%g"
	case f.count > 2 || adjacent && f.count != 2:
		return "", ""
	}
	zero := "?"
	if adjacent {
		zero = ""
	}
	switch f.letter {
	case 'M':
		return "(?:0" + zero + "[1-9]|1[0-2])", "%m"
	case 'd':
		return "(?:0" + zero + "[1-9]|[12][0-9]|3[01])", "%d"
	case 'H':
		return "(?:[01]" + zero + "[0-9]|2[0-3])", "%H"
	case 'm':
		return "[0-5]" + zero + "[0-9]", "%M"
	case 's':
		return "[0-5]" + zero + "[0-9]", "%S"
	}
	return "", ""
}

// strftime is the field in a format of DuckDB that writes the same, "" if there
// is none.
func (f field) strftime() string {
	known := []string{
		"yyyy", "%Y", "MM", "%m", "M", "%-m", "MMM", "%b", "MMMM", "%B", "dd", "%d", "d", "%-d", "HH", "%H", "H", "%-H",
		"hh", "%I", "mm", "%M", "ss", "%S", "SSS", "%g", "SSSSSS", "%f", "a", "%p", "EEE", "%a", "EEEE", "%A", "E", "%a", "yy", "%y",
	}
	if f.letter == 0 {
		return strings.ReplaceAll(f.text, "%", "%%")
	}
	if i := slices.Index(known, strings.Repeat(string(f.letter), f.count)); i >= 0 && i%2 == 0 {
		return known[i+1]
	}
	return ""
}
