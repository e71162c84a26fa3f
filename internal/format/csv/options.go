package csv

import (
	"strings"
	"unicode/utf8"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/format"
)

const (
	defaultSlab    = 512 << 10
	defaultRecord  = 256 << 20
	defaultColumns = 20480
	defaultSniff   = 64 << 10
	// maxName is the most characters of a column's name: more is a document.
	maxName = 10_000
)

// Options say how a file is written and how much of it is held at a time. The
// zero value finds out the dialect and uses our limits.
type Options struct {
	// Delimiter separates fields; "" is found out. It may have several characters.
	Delimiter string
	// Quote is the quote character; 0 is found out. NoQuote means none.
	Quote   byte
	NoQuote bool
	// Escape makes a quote or itself data within quotes, besides the doubled
	// quote; 0 is found out. NoEscape means only doubled quotes.
	Escape   byte
	NoEscape bool
	// Comment begins a line that is no record; 0 means none.
	Comment byte
	// EscapeEscape, if set, is what makes an escape data: it can only be Escape.
	EscapeEscape byte
	// Loose means that a field with text after its closing quote is one without
	// quotes, which are data then, unless a line ends within them. Else the record
	// is bad.
	Loose bool
	// NullValue means null, with quotes or without, beside the empty field without
	// quotes. EmptyValue stands for an empty field in quotes.
	NullValue, EmptyValue string
	// TrimLeft and TrimRight take spaces and tabs from fields without quotes.
	TrimLeft, TrimRight bool
	// NoHeader means that the first record is data; the names are then _c0, _c1 ….
	NoHeader bool
	// LineSep ends a record; "" means any of LF, CRLF and CR.
	LineSep string
	// SkipRows is how many lines come before the header.
	SkipRows int
	// Encoding is the declared encoding, "" is found out (format.OpenText).
	Encoding string
	// SlabBytes is about how much text is in a slab, 0 means 512 KiB.
	SlabBytes int
	// MaxRecordBytes is the length of the longest record, 0 means 256 MiB. A
	// longer one is bad.
	MaxRecordBytes int
	// MaxColumns is the most fields of a record, 0 means 20,480. A header of more
	// is refused, another record of more is bad.
	MaxColumns int

	sniffBytes int // how much text decides on the dialect; tests make it small
}

// Set applies an option by its documented name (autoloader options for CSV). It
// reports false for a name that is not one of them, and a *diag.Diagnostic for
// a value that is not understood.
func (o *Options) Set(key, value string) (known bool, err error) {
	switch strings.ToLower(key) {
	case "sep", "delimiter":
		o.Delimiter, err = format.Unescape(key, value)
		if err == nil {
			err = checkDelimiter(key, value, o.Delimiter)
		}
	case "linesep":
		o.LineSep, err = format.Unescape(key, value)
	case "quote":
		o.Quote, err = oneByte(key, value)
		o.NoQuote = o.Quote == 0
	case "escape":
		o.Escape, err = oneByte(key, value)
		o.NoEscape = o.Escape == 0
	case "chartoescapequoteescaping":
		o.EscapeEscape, err = oneByte(key, value)
	case "unescapedquotehandling":
		o.Loose, err = quoteHandling(key, value)
	case "nullvalue":
		o.NullValue = value
	case "emptyvalue":
		o.EmptyValue = value
	case "ignoreleadingwhitespace":
		o.TrimLeft, err = format.ParseBool(key, value)
	case "ignoretrailingwhitespace":
		o.TrimRight, err = format.ParseBool(key, value)
	case "comment":
		o.Comment, err = oneByte(key, value)
	case "header":
		var header bool
		header, err = format.ParseBool(key, value)
		o.NoHeader = !header
	case "multiline":
		// A line break within quotes is data whatever this says: nothing to do.
		_, err = format.ParseBool(key, value)
	case "skiprows":
		o.SkipRows, err = format.ParseNumber(key, value, 1<<31)
	case "maxcolumns":
		o.MaxColumns, err = format.ParseNumber(key, value, 1<<20)
	case "maxrecordbytes":
		o.MaxRecordBytes, err = format.ParseNumber(key, value, column.MaxValue)
	case "encoding", "charset":
		o.Encoding, err = format.ParseCharset(key, value)
	default:
		return false, nil
	}
	return true, err
}

// quoteHandling reads what becomes of a field with text after its closing quote.
func quoteHandling(key, value string) (loose bool, err error) {
	switch strings.ToUpper(value) {
	case "RAISE_ERROR":
		return false, nil
	case "STOP_AT_DELIMITER":
		return true, nil
	case "STOP_AT_CLOSING_QUOTE", "BACK_TO_DELIMITER", "SKIP_VALUE":
		return false, diag.New(diag.OptionRefused, "%s: %s is not supported", key, strings.ToUpper(value)).
			Hinted("set %s to STOP_AT_DELIMITER to keep such a field with its quotes, or to RAISE_ERROR to quarantine its record", key)
	}
	return false, format.BadOption(key, value, "STOP_AT_DELIMITER or RAISE_ERROR")
}

// checkDelimiter refuses what is no delimiter, and words that mean one.
func checkDelimiter(key, value, delim string) error {
	if delim == "" {
		return format.BadOption(key, value, "at least one character")
	}
	char, ok := map[string]string{
		"tab": `\t`, "space": `" "`, "comma": `","`, "semicolon": `";"`, "pipe": `"|"`,
	}[strings.ToLower(value)]
	if !ok {
		return nil
	}
	return diag.New(diag.BadOption, "%s: found the word %s, want the character", key, diag.Quote(value)).
		Hinted("set %s to %s", key, char)
}

// marks are the characters that were said to have a meaning in the file.
func (o *Options) marks() string {
	marks := o.Delimiter + o.LineSep
	for _, c := range []byte{o.Quote, o.Escape, o.Comment} {
		if c != 0 {
			marks += string(rune(c))
		}
	}
	return marks
}

// oneByte reads a single ASCII character; empty and \0 mean none.
func oneByte(key, value string) (byte, error) {
	s, err := format.Unescape(key, value)
	switch {
	case err != nil:
		return 0, err
	case s == "":
		return 0, nil
	case len(s) > 1 || s[0] >= utf8.RuneSelf:
		return 0, format.BadOption(key, value, "one ASCII character")
	}
	return s[0], nil
}

// check refuses options that contradict each other and fills in the limits.
func (o *Options) check() error {
	for _, c := range []struct {
		value *int
		std   int
	}{
		{&o.SlabBytes, defaultSlab},
		{&o.MaxRecordBytes, defaultRecord},
		{&o.MaxColumns, defaultColumns},
		{&o.sniffBytes, defaultSniff},
	} {
		if *c.value <= 0 {
			*c.value = c.std
		}
	}
	o.MaxRecordBytes = min(o.MaxRecordBytes, column.MaxValue)
	o.sniffBytes = max(o.sniffBytes, 16) // room for a byte order mark and sep=X
	if c := o.EscapeEscape; c != 0 && c != o.Escape {
		return format.BadOption("charToEscapeQuoteEscaping", string(rune(c)), "the character of the option escape, which escapes itself")
	}
	if o.Escape == o.Quote && o.Escape != 0 || o.NoQuote {
		o.Escape, o.NoEscape = 0, true
	}
	ends := o.LineSep
	if ends == "" {
		ends = "\r\n"
	}
	switch {
	case o.Delimiter != "" && strings.ContainsAny(o.Delimiter[:1], ends):
		return format.BadOption("delimiter", o.Delimiter, "no character that ends a line")
	case o.Quote != 0 && strings.IndexByte(ends+o.Delimiter, o.Quote) >= 0:
		return format.BadOption("quote", string(rune(o.Quote)), "a character that neither separates fields nor ends lines")
	case o.Escape != 0 && strings.IndexByte(ends+o.Delimiter, o.Escape) >= 0:
		return format.BadOption("escape", string(rune(o.Escape)), "a character that neither separates fields nor ends lines")
	}
	return nil
}
