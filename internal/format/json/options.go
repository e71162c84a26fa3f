package json

import (
	"strings"

	"landfall/internal/column"
	"landfall/internal/format"
)

const (
	defaultSlab   = 512 << 10
	defaultRecord = 256 << 20
	defaultHead   = 64 << 10
	// defaultReach is how far behind a fault the end of a record is sought at once.
	defaultReach = 256 << 10
)

// Options say what texts are taken beside those of RFC 8259 and how much of a
// file is held at a time. The zero value takes what the RFC says and uses our
// limits.
type Options struct {
	// AllowComments takes // and /* */ wherever white space may stand.
	AllowComments bool
	// AllowUnquotedFieldNames takes names of letters, digits and _ $ @ # * - + .
	AllowUnquotedFieldNames bool
	// AllowSingleQuotes takes 'text' for "text".
	AllowSingleQuotes bool
	// AllowNonNumericNumbers takes NaN and, with or without a sign, INF and Infinity
	// for numbers.
	AllowNonNumericNumbers bool
	// AllowNumericLeadingZeros takes 007 for a number.
	AllowNumericLeadingZeros bool
	// AllowBackslashEscapingAnyCharacter takes \x for x.
	AllowBackslashEscapingAnyCharacter bool
	// AllowUnquotedControlChars takes control characters, line ends too, in strings.
	AllowUnquotedControlChars bool
	// LineSep may stand between records and ends a malformed one; "" means any of
	// LF, CRLF and CR.
	LineSep string
	// Encoding is the declared encoding; "" is UTF-8, or UTF-16 where the text shows
	// that.
	Encoding string
	// SlabBytes is about how much text is in a slab, 0 means 512 KiB.
	SlabBytes int
	// MaxRecordBytes is the length of the longest record, 0 means 256 MiB. A
	// longer one is bad.
	MaxRecordBytes int
	// Pool has memory of readers that are done; nil has each reader make its own.
	Pool *Pool

	headBytes, reach int // tests make them small
}

// Set applies an option by its documented name (autoloader options for JSON). It
// reports false for a name that is not one of them, and a *diag.Diagnostic for
// a value that is not understood.
func (o *Options) Set(key, value string) (known bool, err error) {
	allow := map[string]*bool{
		"allowcomments":                      &o.AllowComments,
		"allowunquotedfieldnames":            &o.AllowUnquotedFieldNames,
		"allowsinglequotes":                  &o.AllowSingleQuotes,
		"allownonnumericnumbers":             &o.AllowNonNumericNumbers,
		"allownumericleadingzeros":           &o.AllowNumericLeadingZeros,
		"allowbackslashescapinganycharacter": &o.AllowBackslashEscapingAnyCharacter,
		"allowunquotedcontrolchars":          &o.AllowUnquotedControlChars,
	}
	switch name := strings.ToLower(key); name {
	case "multiline":
		// Values are read one after the other whatever lines they are on.
		_, err = format.ParseBool(key, value)
	case "linesep":
		o.LineSep, err = format.Unescape(key, value)
	case "encoding", "charset":
		o.Encoding, err = format.ParseCharset(key, value)
	case "maxrecordbytes":
		o.MaxRecordBytes, err = format.ParseNumber(key, value, column.MaxValue)
	default:
		flag := allow[name]
		if flag == nil {
			return false, nil
		}
		*flag, err = format.ParseBool(key, value)
	}
	return true, err
}

// check fills in the limits.
func (o *Options) check() {
	for _, c := range []struct {
		value *int
		std   int
	}{
		{&o.SlabBytes, defaultSlab},
		{&o.MaxRecordBytes, defaultRecord},
		{&o.headBytes, defaultHead},
		{&o.reach, defaultReach},
	} {
		if *c.value <= 0 {
			*c.value = c.std
		}
	}
	o.MaxRecordBytes = min(o.MaxRecordBytes, column.MaxValue)
	o.headBytes = max(o.headBytes, 16) // room for a byte order mark
}
