package csv

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/format"
)

const (
	defaultSlab    = 4 << 20
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
	// NoHeader means that the first record is data; the names are then _c0, _c1 ….
	NoHeader bool
	// LineSep ends a record; "" means any of LF, CRLF and CR.
	LineSep string
	// SkipRows is how many lines come before the header.
	SkipRows int
	// Encoding is the declared encoding, "" is found out (format.OpenText).
	Encoding string
	// SlabBytes is about how much text is in a slab, 0 means 4 MiB.
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
		o.Delimiter, err = unescape(key, value)
		if err == nil {
			err = checkDelimiter(key, value, o.Delimiter)
		}
	case "linesep":
		o.LineSep, err = unescape(key, value)
	case "quote":
		o.Quote, err = oneByte(key, value)
		o.NoQuote = o.Quote == 0
	case "escape":
		o.Escape, err = oneByte(key, value)
		o.NoEscape = o.Escape == 0
	case "comment":
		o.Comment, err = oneByte(key, value)
	case "header":
		var header bool
		header, err = parseBool(key, value)
		o.NoHeader = !header
	case "multiline":
		// A line break within quotes is data whatever this says: nothing to do.
		_, err = parseBool(key, value)
	case "skiprows":
		o.SkipRows, err = number(key, value, 1<<31)
	case "maxcolumns":
		o.MaxColumns, err = number(key, value, 1<<20)
	case "maxrecordbytes":
		o.MaxRecordBytes, err = number(key, value, column.MaxValue)
	case "encoding", "charset":
		o.Encoding = value
		if _, ok := format.ParseEncoding(value); !ok {
			err = badValue(key, value, "UTF-8, UTF-16, UTF-16LE, UTF-16BE, ISO-8859-1 or windows-1252")
		}
	default:
		return false, nil
	}
	return true, err
}

// checkDelimiter refuses what is no delimiter, and words that mean one.
func checkDelimiter(key, value, delim string) error {
	if delim == "" {
		return badValue(key, value, "at least one character")
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

func badValue(key, value, want string) error {
	return diag.New(diag.BadOption, "%s: found %s, want %s", key, diag.Quote(value), want)
}

func parseBool(key, value string) (bool, error) {
	switch strings.ToLower(value) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, badValue(key, value, "true or false")
}

func number(key, value string, most int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 || n > most {
		return 0, badValue(key, value, fmt.Sprintf("a whole number up to %d", most))
	}
	return n, nil
}

// oneByte reads a single ASCII character; empty and \0 mean none.
func oneByte(key, value string) (byte, error) {
	s, err := unescape(key, value)
	switch {
	case err != nil:
		return 0, err
	case s == "":
		return 0, nil
	case len(s) > 1 || s[0] >= utf8.RuneSelf:
		return 0, badValue(key, value, "one ASCII character")
	}
	return s[0], nil
}

// unescape reads the escapes that option values use for characters that are
// hard to type: \t, \n, \r, \\, \0, \u0001. A lone backslash is itself.
func unescape(key, value string) (string, error) {
	if len(value) < 2 || value[0] != '\\' && !strings.Contains(value, `\`) {
		return value, nil
	}
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] != '\\' || i+1 == len(value) {
			b.WriteByte(value[i])
			continue
		}
		i++
		switch value[i] {
		case 't':
			b.WriteByte('\t')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case '0':
			b.WriteByte(0)
		case '\\', '"', '\'':
			b.WriteByte(value[i])
		case 'u':
			n, err := strconv.ParseUint(value[i+1:min(i+5, len(value))], 16, 16)
			if err != nil || i+5 > len(value) {
				return "", badValue(key, value, `four hex digits after \u`)
			}
			b.WriteRune(rune(n))
			i += 4
		default:
			return "", badValue(key, value, `\t, \n, \r, \0, \\ or \u and four hex digits`)
		}
	}
	return b.String(), nil
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
	if o.Escape == o.Quote && o.Escape != 0 || o.NoQuote {
		o.Escape, o.NoEscape = 0, true
	}
	ends := o.LineSep
	if ends == "" {
		ends = "\r\n"
	}
	switch {
	case o.Delimiter != "" && strings.ContainsAny(o.Delimiter[:1], ends):
		return badValue("delimiter", o.Delimiter, "no character that ends a line")
	case o.Quote != 0 && strings.IndexByte(ends+o.Delimiter, o.Quote) >= 0:
		return badValue("quote", string(rune(o.Quote)), "a character that neither separates fields nor ends lines")
	case o.Escape != 0 && strings.IndexByte(ends+o.Delimiter, o.Escape) >= 0:
		return badValue("escape", string(rune(o.Escape)), "a character that neither separates fields nor ends lines")
	}
	return nil
}
