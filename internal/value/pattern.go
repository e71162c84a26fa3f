package value

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Pattern is a form of dates or timestamps, compiled from the letters of Spark:
//
//	y yyy yyyy  year of 1 to 4, 3 to 4 or 4 digits; yy: 2000 to 2099
//	M MM        month of 1 to 2, or 2 digits
//	MMM MMMM    its English name: Jan, January
//	d dd        day of the month
//	H HH        hour, 0 to 23
//	h hh a      hour, 1 to 12, and AM or PM
//	m mm s ss   minute, second
//	S…          up to as many digits of the second's fraction, 9 at most
//	X XX XXX    +01 or +0130, +0130, +01:30; or Z
//	x xx xxx    the same without Z
//	Z           +0130
//	z VV        UTC, GMT or Z: names of other zones are not read
//	'text'      itself; '' is a quote
//	[ ]         what may be missing
//
// Everything but letters stands for itself. Letters match in any casing. Parts
// of a date that a form lacks are 1, parts of a time 0.
type Pattern struct {
	text  string
	steps []step
}

// String returns the pattern as it was written.
func (p *Pattern) String() string { return p.text }

// PatternError is a mistake in a pattern.
type PatternError struct {
	// At is the 1-based character of the pattern at which the mistake stands.
	At int
	// Message says what was found there and what was wanted.
	Message string
}

func (e *PatternError) Error() string { return fmt.Sprintf("character %d: %s", e.At, e.Message) }

// part is what a step of a pattern reads.
type part uint8

const (
	year part = iota
	month
	day
	hour
	hour12
	half // AM, PM
	minute
	second
	fraction
	numbers // above are those that set a number
	literal
	offsetLong    // +01:30
	offsetBasic   // +0130
	offsetShort   // +01, +0130
	zoneName      // UTC
	optionalStart // the steps up to end may be missing
)

// step reads one part.
type step struct {
	part part
	// least and most are the digits that a number takes; 0 for a name. Reserve
	// are the digits that the numbers right behind it need.
	least, most, reserve int
	// utc: Z stands for an offset of 0.
	utc bool
	// text is that of a literal in lower case.
	text string
	// end is the step behind the optional ones.
	end int
	// at is the byte of the pattern at which it stands.
	at int
}

// numeric reports whether the step reads digits.
func (s *step) numeric() bool { return s.part < numbers && s.least > 0 }

// compiler turns the text of a pattern into steps.
type compiler struct {
	text  string
	at    int
	steps []step
	open  []int // the optional sections that are open, as steps
}

// maxSections is how deep optional sections may stand in each other.
const maxSections = 20

// CompilePattern compiles a datetime pattern of Spark. The error is a
// [*PatternError].
func CompilePattern(pattern string) (*Pattern, error) {
	c := compiler{text: pattern}
	for c.at < len(c.text) {
		if err := c.next(); err != nil {
			return nil, err
		}
	}
	if len(c.open) > 0 {
		return nil, c.failf(c.steps[c.open[len(c.open)-1]].at, `found "[", want a "]" behind it`)
	}
	if err := c.widths(); err != nil {
		return nil, err
	}
	if err := c.complete(); err != nil {
		return nil, err
	}
	return &Pattern{text: pattern, steps: c.steps}, nil
}

// next compiles one run of letters, one text in quotes or one character.
func (c *compiler) next() error {
	switch b := c.text[c.at]; {
	case isLetter(b):
		return c.letters()
	case b == '\'':
		return c.quoted()
	case b == '[' && len(c.open) == maxSections:
		return c.failf(c.at, `found "[" within %d others`, maxSections)
	case b == '[':
		c.open = append(c.open, len(c.steps))
		c.add(step{part: optionalStart}, 1)
	case b == ']' && len(c.open) > 0:
		last := len(c.open) - 1
		c.steps[c.open[last]].end = len(c.steps)
		c.open = c.open[:last]
		c.at++
	case strings.IndexByte("]{}#", b) >= 0:
		return c.failf(c.at, `found "%c", want it between quotes`, b)
	default:
		c.literal(c.text[c.at:c.at+1], 1)
	}
	return nil
}

func isLetter(b byte) bool {
	b = toLower(b)
	return 'a' <= b && b <= 'z'
}

func (c *compiler) failf(at int, format string, args ...any) error {
	return &PatternError{At: utf8.RuneCountInString(c.text[:at]) + 1, Message: fmt.Sprintf(format, args...)}
}

// add adds a step for the next n bytes of the pattern.
func (c *compiler) add(s step, n int) {
	s.at = c.at
	c.steps = append(c.steps, s)
	c.at += n
}

func (c *compiler) literal(text string, n int) {
	lower := []byte(text)
	for i, b := range lower {
		lower[i] = toLower(b)
	}
	c.add(step{part: literal, text: string(lower)}, n)
}

// quoted reads 'text', or ” for a quote.
func (c *compiler) quoted() error {
	rest := c.text[c.at+1:]
	if strings.HasPrefix(rest, "'") {
		c.literal("'", len("''"))
		return nil
	}
	var text strings.Builder
	for i := 0; i < len(rest); i++ {
		switch {
		case rest[i] != '\'':
			text.WriteByte(rest[i])
		case strings.HasPrefix(rest[i+1:], "'"):
			text.WriteByte('\'')
			i++
		default:
			c.literal(text.String(), len("'")+i+1)
			return nil
		}
	}
	return c.failf(c.at, `found "'", want another behind it`)
}

// letters reads a run of one letter.
func (c *compiler) letters() error {
	letter := c.text[c.at]
	n := 1
	for c.at+n < len(c.text) && c.text[c.at+n] == letter {
		n++
	}
	s, most := meaning(letter, n)
	switch {
	case most == 0:
		return c.failf(c.at, `unknown letter "%c", want one of y M d H h a m s S X x Z z VV, or quotes around text`, letter)
	case letter == 'V' && n != most:
		return c.failf(c.at, `found "%s", want "VV"`, c.text[c.at:c.at+min(n, 10)])
	case n > most:
		return c.failf(c.at, `found "%c" %d times, want it %d times at most`, letter, n, most)
	}
	c.add(s, n)
	return nil
}

// meaning returns what n of a letter stand for, and how many may stand together:
// 0 if the letter is unknown.
func meaning(letter byte, n int) (s step, most int) {
	switch letter {
	case 'y':
		if n == 2 {
			return step{part: year, least: 2, most: 2}, 4
		}
		return step{part: year, least: n, most: 4}, 4
	case 'M':
		if n > 2 {
			return step{part: month, most: n}, 4
		}
		return step{part: month, least: n, most: 2}, 4
	case 'd', 'H', 'h', 'm', 's':
		return step{part: clockPart(letter), least: n, most: 2}, 2
	case 'a':
		return step{part: half}, 1
	case 'S':
		return step{part: fraction, least: 1, most: n}, 9
	case 'X', 'x':
		return step{part: offsetShort - part(min(n, 3)-1), utc: letter == 'X'}, 3
	case 'Z':
		return step{part: offsetBasic}, 3
	case 'z':
		return step{part: zoneName}, 4
	case 'V':
		return step{part: zoneName}, 2
	}
	return step{}, 0
}

func clockPart(letter byte) part {
	switch letter {
	case 'd':
		return day
	case 'H':
		return hour
	case 'h':
		return hour12
	case 'm':
		return minute
	}
	return second
}

// widths finds what numbers leave to those right behind them, and refuses
// patterns that do not tell where a number ends.
func (c *compiler) widths() error {
	for i := range c.steps {
		s := &c.steps[i]
		if !s.numeric() || s.least == s.most {
			continue
		}
		for j := i + 1; j < len(c.steps) && c.steps[j].numeric(); j++ {
			next := &c.steps[j]
			if next.least != next.most {
				return c.failf(next.at, "found a number of any length right behind another, want a character between them")
			}
			s.reserve += next.least
		}
	}
	return nil
}

// complete refuses patterns that are no date, or whose parts make no time.
func (c *compiler) complete() error {
	at := [numbers]int{}
	for i := range at {
		at[i] = -1
	}
	for _, s := range c.steps {
		if s.part < numbers && at[s.part] < 0 {
			at[s.part] = s.at
		}
	}
	switch {
	case at[year] < 0:
		return c.failf(len(c.text), "found no year, want yyyy: a time alone is no date")
	case at[day] >= 0 && at[month] < 0:
		return c.failf(at[day], "found a day without a month, want M (m is a minute)")
	case at[hour12] >= 0 && at[half] < 0:
		return c.failf(at[hour12], "found an hour of 12 without AM or PM, want H or an a")
	case at[half] >= 0 && at[hour12] < 0 && at[hour] < 0:
		return c.failf(at[half], "found AM or PM without an hour, want h")
	}
	return nil
}
