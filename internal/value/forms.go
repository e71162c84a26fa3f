package value

import (
	"math"
	"time"
)

// Forms are the forms in which a source writes its values. The zero value has
// those of docs/inference.md: ISO dates and timestamps, in UTC where they name
// no zone.
type Forms struct {
	// Date is the form of dates, and no other is one; nil means yyyy-MM-dd.
	Date *Pattern
	// Timestamp is the form of timestamps, and no other is one; nil means ISO.
	// Dates convert to timestamps whatever it is.
	Timestamp *Pattern
	// TimestampNTZ is the same for timestamps that are asked for without a zone.
	TimestampNTZ *Pattern
	// Zone is where wall clocks stand; nil means UTC.
	Zone *time.Location
	// NaN, PositiveInf and NegativeInf are texts for these doubles; empty means
	// NaN, Inf and -Inf. NaN, Infinity and -Infinity always stand for them.
	NaN, PositiveInf, NegativeInf string
}

// Text returns the shape of a CSV field, or of the text of a JSON string.
//
// What reads as a number is one before it is a date, so a form of digits alone
// (yyyyMMdd) makes no dates of numbers: only a type that was asked for does.
func (f *Forms) Text(text []byte) Shape {
	if len(text) == 0 {
		return Shape{Class: Empty}
	}
	if !f.Usual() {
		return f.anyText(text)
	}
	switch c := text[0]; {
	case isDigit(c), c == '-':
		if p, ok := plainNumber(text); ok {
			return p.Shape()
		}
		if len(text) >= isoDateLength && text[4] == '-' && text[7] == '-' { // no number has two
			return Shape{Class: f.calendar(text)}
		}
	case c != '+' && (len(text) > longestWord || BeginsText(c)):
		return Shape{Class: Text}
	case c > '9':
		return Shape{Class: word(text)}
	}
	return f.anyText(text)
}

// word returns the class of a text that does not begin like a number or a date, in
// usual forms.
func word(text []byte) Class {
	switch string(text) {
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return Boolean
	case "NaN", "Inf", "Infinity":
		return Special
	}
	if nullLike(text) {
		return NullLike
	}
	return Text
}

// Usual reports whether the forms are those of the zero value, whatever the zone.
func (f *Forms) Usual() bool {
	return f.Date == nil && f.Timestamp == nil && !f.renamed()
}

// renamed reports whether NaN or the infinities have other texts than the usual.
func (f *Forms) renamed() bool { return f.NaN != "" || f.PositiveInf != "" || f.NegativeInf != "" }

// longestWord is the longest of the words that are no text: -Infinity.
const longestWord = 9

// BeginsText reports whether nothing but text begins with c, in usual forms.
func BeginsText(c byte) bool {
	const (
		low  = 1<<'+' | 1<<'-' | 1<<'#' | 1<<'?' | 0x3ff<<'0'
		high = 1<<('\\'-64) | 1<<('F'-64) | 1<<('I'-64) | 1<<('N'-64) | 1<<('T'-64) |
			1<<('f'-64) | 1<<('n'-64) | 1<<('t'-64)
	)
	if c < 64 {
		return uint64(low)>>c&1 == 0
	}
	return uint64(high)>>(c-64)&1 == 0 // of bytes beyond ASCII all is shifted out
}

// anyText is Text for anything that is not empty.
func (f *Forms) anyText(text []byte) Shape {
	if _, ok := f.special(text); ok {
		return Shape{Class: Special}
	}
	if c := text[0]; isDigit(c) || c == '-' || c == '+' {
		if s, ok := numberShape(text, false); ok {
			return s
		}
	}
	if nullLike(text) {
		return Shape{Class: NullLike}
	}
	if _, ok := f.Boolean(text); ok {
		return Shape{Class: Boolean}
	}
	return Shape{Class: f.calendar(text)}
}

// calendar returns Date, a class of timestamps, or Text.
func (f *Forms) calendar(text []byte) Class {
	if _, ok := f.Day(text); ok {
		return Date
	}
	var m moment
	if !f.timestamp(&m, text) {
		return Text
	}
	switch i, ok := f.instant(&m); {
	case !ok || !i.Exact:
		return Text
	case i.Zoned:
		return TimestampZoned
	}
	return TimestampLocal
}

// Number returns the shape of a number that stands bare in JSON. One with an
// exponent is a Float if a double has its digits, else Text: no type holds it. A
// leading zero makes a Code where an option lets it through.
func (f *Forms) Number(raw []byte) Shape {
	if p, ok := plainNumber(raw); ok {
		return p.Shape()
	}
	if s, ok := numberShape(raw, true); ok {
		return s
	}
	if _, ok := f.bareSpecial(raw); ok {
		return Shape{Class: Special}
	}
	return Shape{Class: Text}
}

// Boolean returns the value of true, True and TRUE, false, False and FALSE.
func (f *Forms) Boolean(text []byte) (v, ok bool) {
	switch string(text) {
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	}
	return false, false
}

// special returns NaN or an infinity.
func (f *Forms) special(text []byte) (float64, bool) {
	switch { // comparisons, since a switch over string(text) may copy it
	case len(text) == 0:
		return 0, false
	case string(text) == "NaN", string(text) == f.NaN:
		return math.NaN(), true
	case string(text) == "Infinity", string(text) == f.PositiveInf:
		return math.Inf(1), true
	case string(text) == "-Infinity", string(text) == f.NegativeInf:
		return math.Inf(-1), true
	case string(text) == "Inf":
		return math.Inf(1), f.PositiveInf == ""
	case string(text) == "-Inf":
		return math.Inf(-1), f.NegativeInf == ""
	}
	return 0, false
}

// bareSpecial also takes the names that Spark's allowNonNumericNumbers lets
// through.
func (f *Forms) bareSpecial(raw []byte) (float64, bool) {
	switch string(raw) {
	case "INF", "+INF", "+Infinity":
		return math.Inf(1), true
	case "-INF":
		return math.Inf(-1), true
	}
	return f.special(raw)
}

// nullLike reports whether text is one of the words for nothing, in any casing.
func nullLike(text []byte) bool {
	var lower [4]byte
	if len(text) > len(lower) {
		return false
	}
	for i, c := range text {
		lower[i] = toLower(c)
	}
	switch string(lower[:len(text)]) {
	case "n/a", "na", "#n/a", "null", "none", "nil", "-", "--", "?", `\n`:
		return true
	}
	return false
}

func toLower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
