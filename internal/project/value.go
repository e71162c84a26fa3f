package project

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"landfall/internal/diag"
)

// Value is what somebody wrote, and where: in landfall.yaml or on the command
// line.
type Value struct {
	Text string
	// At is the place of the value, Key that of its key; zero if unknown.
	At, Key diag.Place
	// Excerpt and KeyExcerpt are the lines that these stand in.
	Excerpt, KeyExcerpt string

	// lines are those of the file, nil where there is none.
	lines []string
}

// character is the place of one character of the text, counted from 1, and the
// line it stands in. Of a text that is written with escapes it is that of the
// whole value.
func (v Value) character(n int) (diag.Place, string) {
	before := v.Text
	for i := range v.Text {
		if n--; n == 0 {
			before = v.Text[:i]
			break
		}
	}
	above := strings.Count(before, "\n")
	column := len(before) - 1 - strings.LastIndexByte(before, '\n')
	lines := strings.Split(v.Text, "\n")
	if v.lines == nil {
		at := v.At
		at.Column = column + 1
		return at, lines[above]
	}
	from := int(v.At.Line) - 1
	for i, line := range lines[:above+1] {
		trimmed := strings.TrimSpace(line)
		start := 0
		if i == 0 && from < len(v.lines) {
			start = min(max(v.At.Column-1, 0), len(v.lines[from]))
		}
		for from < len(v.lines) && !strings.Contains(v.lines[from][start:], trimmed) {
			from, start = from+1, 0
		}
		if from >= len(v.lines) {
			break
		}
		if i < above {
			from++
			continue
		}
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		at := diag.Place{File: v.At.File, Line: int64(from + 1)}
		at.Column = start + strings.Index(v.lines[from][start:], trimmed) + max(column-indent, 0) + 1
		return at, strings.TrimSuffix(v.lines[from], "\r")
	}
	return v.At, v.Excerpt
}

// Locate gives a diagnostic about the value its place; other errors stay.
func (v Value) Locate(err error) error {
	var d *diag.Diagnostic
	if !errors.As(err, &d) || !d.At.IsZero() {
		return err
	}
	located := *d
	located.At, located.Excerpt = v.At, v.Excerpt
	return &located
}

// Setting is an option by its documented name.
type Setting struct {
	Name  string
	Value Value
}

// bad is the diagnostic for a value that is not understood.
func (s Setting) bad(want string) *diag.Diagnostic {
	return s.diagnose(diag.BadOption, s.Name+": found "+diag.Quote(s.Value.Text)+", want "+want)
}

// refused is the diagnostic for a value that is understood but not supported.
func (s Setting) refused(hint string) *diag.Diagnostic {
	return s.diagnose(diag.OptionRefused, s.Name+": "+diag.Quote(s.Value.Text)+" is not supported").Hinted("%s", hint)
}

func (s Setting) diagnose(code diag.Code, message string) *diag.Diagnostic {
	d := diag.New(code, "%s", message).In(s.Value.At)
	d.Excerpt = s.Value.Excerpt
	return d
}

// truth reads true or false, in any casing.
func (s Setting) truth() (bool, *diag.Diagnostic) {
	switch strings.ToLower(s.Value.Text) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, s.bad("true or false")
}

// count reads a whole number of 1 or more.
func (s Setting) count() (int, *diag.Diagnostic) {
	n, err := strconv.Atoi(s.Value.Text)
	if err != nil || n < 1 {
		return 0, s.bad("a whole number from 1 on")
	}
	return n, nil
}

// bytes reads a size as Spark does: 10g, 512mb, 1000.
func (s Setting) bytes() (int64, *diag.Diagnostic) {
	const want = "a size such as 10g, 512m or 1000"
	text := strings.ToLower(strings.TrimSpace(s.Value.Text))
	digits := strings.TrimRight(text, "bkmgtp")
	unit := text[len(digits):]
	if len(unit) > 1 {
		unit = strings.TrimSuffix(unit, "b")
	}
	shift, ok := map[string]uint{"": 0, "b": 0, "k": 10, "m": 20, "g": 30, "t": 40, "p": 50}[unit]
	n, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || n < 1 || n > 1<<62>>shift {
		return 0, s.bad(want)
	}
	return n << shift, nil
}

// instant reads a time; one without a zone is in UTC.
func (s Setting) instant() (time.Time, *diag.Diagnostic) {
	for _, layout := range []string{
		"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999Z07:00",
		"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02",
	} {
		if t, err := time.Parse(layout, s.Value.Text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, s.bad("a time such as 2026-10-02T08:30:00Z (UTC without a zone)")
}

// list reads names between commas; empty text is an empty list.
func (s Setting) list() []string {
	names := []string{}
	for name := range strings.SplitSeq(s.Value.Text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}
