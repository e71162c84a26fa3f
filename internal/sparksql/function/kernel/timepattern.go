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

// timeField is a part of a pattern of Java's for dates: a letter that stands so
// often, plain text, or a part that may be missing.
type timeField struct {
	letter   byte // 0 of plain text and of a part that may be missing
	count    int
	text     string
	optional TimePattern
}

// TimePattern is a pattern of Java's for dates and times, as Spark takes them.
type TimePattern []timeField

const timeLetters = "GyMLdDQqEaHhKkmsSVzOXxZ"

// ParseTimePattern reads a pattern.
func ParseTimePattern(text string) (TimePattern, error) {
	p, rest, err := timeFields(text)
	if err == nil && rest != "" {
		err = fmt.Errorf("found ] without [ before it in the pattern %q", text)
	}
	return p, err
}

// ParseReadingPattern reads a pattern of texts that are read: what follows from a
// date, as the day of the week, is none of it.
func ParseReadingPattern(text string) (TimePattern, error) {
	p, err := ParseTimePattern(text)
	if err == nil {
		err = p.readable()
	}
	return p, err
}

func (p TimePattern) readable() error {
	for _, f := range p {
		if f.letter != 0 && strings.IndexByte("EQq", f.letter) >= 0 {
			return fmt.Errorf("found the letter %c in the pattern, want letters from which a time follows", f.letter)
		}
		if err := f.optional.readable(); err != nil {
			return err
		}
	}
	return nil
}

// timeFields reads fields up to the end or a bracket that closes.
func timeFields(text string) (p TimePattern, rest string, err error) {
	for text != "" && text[0] != ']' {
		c := text[0]
		switch {
		case c == '\'':
			plain, end, ok := quotedText(text)
			if !ok {
				return nil, "", fmt.Errorf("found a quote that does not end in the pattern")
			}
			p, text = append(p, timeField{text: plain}), text[end:]
		case c == '[':
			inner, after, err := timeFields(text[1:])
			if err != nil || after == "" {
				return nil, "", fmt.Errorf("found [ without ] behind it in the pattern")
			}
			p, text = append(p, timeField{optional: inner}), after[1:]
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			n := 1
			for n < len(text) && text[n] == c {
				n++
			}
			if strings.IndexByte(timeLetters, c) < 0 {
				return nil, "", fmt.Errorf("found the letter %c in the pattern, want one of %s", c, timeLetters)
			}
			p, text = append(p, timeField{letter: c, count: n}), text[n:]
		case c == '#' || c == '{' || c == '}':
			return nil, "", fmt.Errorf("found %c in the pattern, want it in quotes", c)
		default:
			p, text = append(p, timeField{text: text[:1]}), text[1:]
		}
	}
	return p, text, nil
}

// quotedText is what stands between quotes, and where it ends. Two quotes are
// one.
func quotedText(text string) (plain string, end int, ok bool) {
	if strings.HasPrefix(text, "''") {
		return "'", 2, true
	}
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] != '\'':
			plain += text[i : i+1]
		case strings.HasPrefix(text[i:], "''"):
			plain += "'"
			i++
		default:
			return plain, i + 1, true
		}
	}
	return "", 0, false
}

// formatTime writes an instant, in microseconds since 1970 in UTC, by a pattern.
func formatTime(micros int64, pattern string) (any, error) {
	p, err := ParseTimePattern(pattern)
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	p.format(&out, time.UnixMicro(micros).UTC())
	return out.String(), nil
}

func (p TimePattern) format(out *strings.Builder, t time.Time) {
	for _, f := range p {
		f.optional.format(out, t)
		out.WriteString(f.text)
		if f.letter != 0 {
			out.WriteString(f.format(t))
		}
	}
}

func (f timeField) format(t time.Time) string {
	switch f.letter {
	case 'G':
		return "AD"
	case 'y':
		if f.count == 2 {
			return javatime.Padded(t.Year()%100, 2)
		}
		if t.Year() > 9999 && f.count == 4 {
			return "+" + strconv.Itoa(t.Year())
		}
		return javatime.Padded(t.Year(), f.count)
	case 'M', 'L':
		return f.named(t.Month().String(), int(t.Month()))
	case 'Q', 'q':
		return f.quarter((int(t.Month()) + 2) / 3)
	case 'E':
		if f.count > 3 {
			return t.Weekday().String()
		}
		return t.Weekday().String()[:3]
	case 'a':
		return t.Format("PM")
	case 'S':
		return (javatime.Padded(t.Nanosecond(), 9) + strings.Repeat("0", f.count))[:f.count]
	case 'V', 'z', 'O', 'X', 'x', 'Z':
		return f.zone()
	}
	return javatime.Padded(javatime.Number(f.letter, t), f.count)
}

func (f timeField) named(name string, number int) string {
	switch {
	case f.count > 3:
		return name
	case f.count == 3:
		return name[:3]
	}
	return javatime.Padded(number, f.count)
}

func (f timeField) quarter(n int) string {
	switch {
	case f.count > 3:
		return []string{"1st", "2nd", "3rd", "4th"}[n-1] + " quarter"
	case f.count == 3:
		return "Q" + strconv.Itoa(n)
	}
	return javatime.Padded(n, f.count)
}

// zone writes UTC.
func (f timeField) zone() string {
	switch {
	case f.letter == 'X', f.letter == 'Z' && f.count == 5:
		return "Z"
	case f.letter == 'z' && f.count > 3:
		return "Coordinated Universal Time"
	case f.letter == 'z', f.letter == 'V':
		return "UTC"
	case f.letter == 'O', f.letter == 'Z' && f.count == 4:
		return "GMT"
	case f.letter == 'x' && f.count == 1:
		return "+00"
	case f.letter == 'x' && f.count%2 == 1:
		return "+00:00"
	}
	return "+0000"
}

// Strftime is a format of DuckDB that writes times the same; false if there is
// none.
func (p TimePattern) Strftime() (string, bool) {
	known := []string{
		"yyyy", "%Y", "MM", "%m", "M", "%-m", "MMM", "%b", "MMMM", "%B", "dd", "%d", "d", "%-d", "HH", "%H", "H", "%-H",
		"hh", "%I", "h", "%-I", "mm", "%M", "ss", "%S", "SSS", "%g", "SSSSSS", "%f", "a", "%p", "EEE", "%a", "EEEE", "%A", "E", "%a", "yy", "%y",
	}
	var out strings.Builder
	for _, f := range p {
		i := slices.Index(known, strings.Repeat(string(f.letter), f.count))
		switch {
		case f.letter == 0 && f.optional == nil:
			out.WriteString(strings.ReplaceAll(f.text, "%", "%%"))
		case f.letter == 0 || i < 0 || i%2 != 0:
			return "", false
		default:
			out.WriteString(known[i+1])
		}
	}
	return out.String(), true
}

// Strptime is a format of DuckDB, and the regular expression of texts that it
// reads as the pattern does; all says that these are all texts which the pattern
// reads. It is false if there is none: it needs year, month and day, and no
// field twice.
func (p TimePattern) Strptime() (shape, format string, all, ok bool) {
	known := map[string][2]string{
		"yyyy": {"[0-9]{4}", "%Y"}, "MM": {"[0-9]{2}", "%m"}, "M": {"[0-9]{1,2}", "%m"}, "dd": {"[0-9]{2}", "%d"}, "d": {"[0-9]{1,2}", "%d"},
		"HH": {"(?:[01][0-9]|2[0-3])", "%H"}, "H": {"(?:[01]?[0-9]|2[0-3])", "%H"}, "mm": {"[0-5][0-9]", "%M"}, "m": {"[0-5]?[0-9]", "%M"},
		"SSS": {"[0-9]{3}", "%g"}, "SSSSSS": {"[0-9]{6}", "%f"}, "X": {"Z", "Z"}, "XX": {"Z", "Z"}, "XXX": {"Z", "Z"},
		"ss": {"[0-5][0-9]", "%S"}, "s": {"[0-5]?[0-9]", "%S"}, "MMM": {"[A-Za-z]{3}", "%b"}, "MMMM": {"[A-Za-z]+", "%B"},
	}
	var shapes, formats strings.Builder
	seen := ""
	all = true
	for i, f := range p {
		if f.letter == 0 && f.optional == nil {
			shapes.WriteString(regexp.QuoteMeta(f.text))
			formats.WriteString(strings.ReplaceAll(f.text, "%", "%%"))
			continue
		}
		k, ok := known[strings.Repeat(string(f.letter), f.count)]
		if !ok || strings.IndexByte(seen, f.letter) >= 0 || f.count == 1 && i+1 < len(p) && p[i+1].digits() {
			return "", "", false, false
		}
		all = all && f.letter != 'S' && f.letter != 'X'
		seen += string(f.letter)
		shapes.WriteString(k[0])
		formats.WriteString(k[1])
	}
	return shapes.String(), formats.String(), all, strings.Contains(seen, "y") && strings.Contains(seen, "M") && strings.Contains(seen, "d")
}

// digits reports whether a field is a number.
func (f timeField) digits() bool {
	return f.letter != 0 && (strings.IndexByte("ydDHhkKmsS", f.letter) >= 0 || strings.IndexByte("MLQq", f.letter) >= 0 && f.count < 3)
}
