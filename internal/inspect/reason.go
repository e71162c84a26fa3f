package inspect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"landfall/internal/diag"
	"landfall/internal/forecast"
	"landfall/internal/format"
)

// Unreadable is a file that no reader of Parquet can read.
type Unreadable struct {
	Path string `json:"path"`
	// Code is that of docs/errors.md.
	Code diag.Code `json:"code"`
	// Message says what the file is instead.
	Message string `json:"message"`
	Bytes   int64  `json:"bytes"`

	hint      string
	condition forecast.Condition
	version   string
}

// headBytes is how much of the beginning of a file tells what it is.
const headBytes = 4 << 10

// unreadable says why a file of so many bytes cannot be read, of what its footer
// lacks and how it begins. An error is the store's.
func unreadable(r io.ReaderAt, size int64, why error) (Unreadable, error) {
	out, err := reason(r, size, why)
	out.condition = conditionOf(out.Message, size)
	return out, err
}

func reason(r io.ReaderAt, size int64, why error) (Unreadable, error) {
	var d *diag.Diagnostic
	if !errors.As(why, &d) {
		return Unreadable{}, why
	}
	out := Unreadable{Code: d.Code, Message: d.Message, Bytes: size, hint: d.Hint}
	if size == 0 {
		out.Message = "empty: 0 bytes"
		return out, nil
	}
	head := make([]byte, min(size, headBytes))
	if n, err := r.ReadAt(head, 0); n < len(head) && err != nil && !errors.Is(err, io.EOF) {
		return out, err
	}
	var last [4]byte
	if size >= int64(len(last)) {
		if n, err := r.ReadAt(last[:], size-int64(len(last))); n < len(last) && err != nil && !errors.Is(err, io.EOF) {
			return out, err
		}
	}
	switch begins := string(head[:min(4, len(head))]); {
	case begins == "PARE" || string(last[:]) == "PARE":
		out.Message = "encrypted: nobody can read it without its key"
	case begins == "PAR1" && string(last[:]) != "PAR1":
		out.Message = fmt.Sprintf("truncated at %d bytes: begins as Parquet, and its footer is missing", size)
	case begins == "PAR1":
		out.Message = "broken footer: " + d.Message
	case string(last[:]) == "PAR1":
		out.Message = fmt.Sprintf("damaged: ends as Parquet, begins with %q", begins)
	default:
		out.Code, out.Message = diag.FileForeign, "not Parquet: "+looksLike(head)
	}
	return out, nil
}

// looksLike says what the beginning of a file seems to be.
func looksLike(head []byte) string {
	if bytes.HasPrefix(head, []byte("\x1f\x8b")) {
		return "gzip data"
	}
	if bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")) {
		return "zstd data"
	}
	if what := format.Magic(head); what != "" {
		return what
	}
	if what, ok := format.Foreign(head); ok {
		return what
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case len(text) == 0:
		return "blank"
	case len(bytes.Trim(head, "\x00")) == 0:
		return "zeros"
	case !utf8.Valid(text[:format.WholeRunes(text)]) || bytes.IndexByte(text, 0) >= 0:
		return fmt.Sprintf("begins with %q", head[:min(4, len(head))])
	case text[0] == '{' || text[0] == '[':
		return "looks like JSON"
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	for _, sep := range []string{",", ";", "\t", "|"} {
		if bytes.Contains(line, []byte(sep)) {
			return "looks like CSV"
		}
	}
	return "text, begins with " + diag.Quote(string(bytes.TrimRight(line, "\r")))
}
