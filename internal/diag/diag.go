// Package diag describes what went wrong in terms a user can act on.
//
// A [Diagnostic] carries a stable code, the place of the offending value, the
// place of the rule it offends, and a hint that names an action. Whatever a
// user can fix is a Diagnostic; whatever only we can fix stays a wrapped error.
package diag

import (
	"errors"
	"fmt"
	"strings"
)

// Code names one kind of diagnostic for ever: "E0412". Codes are listed in
// codes.go and are never reused for another meaning.
type Code string

// Place points into a file. The zero value of a field means "not known".
type Place struct {
	// File is the key or path as the user knows it.
	File string `json:"file,omitempty"`
	// Line and Column are 1-based; Column counts bytes.
	Line   int64 `json:"line,omitempty"`
	Column int   `json:"column,omitempty"`
	// Record is the 1-based number of the record in its file.
	Record int64 `json:"record,omitempty"`
	// Offset is a 0-based byte offset, printed when no line is known.
	Offset int64 `json:"offset,omitempty"`
}

// IsZero reports whether nothing is known about the place.
func (p Place) IsZero() bool { return p == Place{} }

// String renders file:line:column, or what of it is known.
func (p Place) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	switch {
	case p.Line > 0 && p.Column > 0:
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	case p.Line > 0:
		fmt.Fprintf(&b, ":%d", p.Line)
	case p.Record > 0:
		fmt.Fprintf(&b, ":record %d", p.Record)
	case p.Offset > 0:
		fmt.Fprintf(&b, ":byte %d", p.Offset)
	}
	return strings.TrimPrefix(b.String(), ":")
}

// Diagnostic is one problem a user can fix.
type Diagnostic struct {
	Code Code
	// Message is lower case, names the thing first, then what was found and
	// what was wanted.
	Message string
	// At is where the offending value stands.
	At Place
	// Path is the column path of the value, empty when there is none.
	Path string
	// Rule is where the rule stands that the value offends.
	Rule Place
	// Excerpt is the source line that At points into, for display.
	Excerpt string
	// Hint names an action that leads on.
	Hint string
	// Cause is the underlying error, if one is known.
	Cause error
}

// New returns a diagnostic with a formatted message.
func New(code Code, format string, args ...any) *Diagnostic {
	return &Diagnostic{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Hinted sets the hint and returns d.
func (d *Diagnostic) Hinted(format string, args ...any) *Diagnostic {
	d.Hint = fmt.Sprintf(format, args...)
	return d
}

// In sets the place and returns d.
func (d *Diagnostic) In(p Place) *Diagnostic {
	d.At = p
	return d
}

// Because sets the cause and returns d.
func (d *Diagnostic) Because(err error) *Diagnostic {
	d.Cause = err
	return d
}

// Error renders the first line of the diagnostic: place, path, message, code.
func (d *Diagnostic) Error() string {
	var b strings.Builder
	if !d.At.IsZero() {
		b.WriteString(d.At.String() + ": ")
	}
	if d.Path != "" {
		b.WriteString(d.Path + ": ")
	}
	b.WriteString(d.Message)
	if d.Code != "" {
		fmt.Fprintf(&b, " [%s]", d.Code)
	}
	return b.String()
}

// Unwrap returns the cause.
func (d *Diagnostic) Unwrap() error { return d.Cause }

// Is reports whether target is a diagnostic of the same code, so that
// errors.Is(err, &Diagnostic{Code: …}) finds a kind of problem.
func (d *Diagnostic) Is(target error) bool {
	t, ok := target.(*Diagnostic)
	return ok && t.Code == d.Code && t.Message == ""
}

// CodeOf returns the code of the first diagnostic in err's chain, or "".
func CodeOf(err error) Code {
	var d *Diagnostic
	if errors.As(err, &d) {
		return d.Code
	}
	return ""
}

// Quote quotes a value for a message and cuts it at 80 characters.
func Quote(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		return fmt.Sprintf("%q…", string(r[:most]))
	}
	return fmt.Sprintf("%q", s)
}

// Excerpt is a value for a message, as it is: cut at 80 bytes, before a character that
// these end within.
func Excerpt(raw []byte) string {
	const most = 80
	if len(raw) <= most {
		return string(raw)
	}
	cut := most
	for cut > 0 && raw[cut]&0xC0 == 0x80 {
		cut--
	}
	return string(raw[:cut]) + "…"
}
