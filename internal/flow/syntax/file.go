package syntax

import (
	"sort"
	"strings"

	"landfall/internal/diag"
)

// Pos is a place in the text of a script: a 0-based byte offset.
type Pos int

// Mark says where a stretch of a script stands in the file that holds it.
type Mark struct {
	// Script is the first byte of the stretch in the script, Host the one in the file.
	Script, Host int
}

// File is the text of a script, with the way back to the file it stands in.
type File struct {
	// Name is the file as the user knows it.
	Name string
	// Text is the script.
	Text string
	// host is the whole file where the script is only a part of it, else the script.
	host string
	// marks lead from the script to the host, in the order of both; none where they are the same.
	marks []Mark
	// lines are the offsets in host at which its lines begin.
	lines []int
}

// NewFile is a script in a file of its own.
func NewFile(name, text string) *File {
	return &File{Name: name, Text: text, host: text, lines: lineStarts(text)}
}

// Within is a script that stands within another file, such as the text of a JSON value.
// The marks are in the order of the script; each holds until the next begins.
func Within(name, host, text string, marks []Mark) *File {
	return &File{Name: name, Text: text, host: host, marks: marks, lines: lineStarts(host)}
}

func lineStarts(text string) []int {
	starts := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// offset is the place of p in the host.
func (f *File) offset(p Pos) int {
	at := min(max(int(p), 0), len(f.Text))
	if i := sort.Search(len(f.marks), func(i int) bool { return f.marks[i].Script > at }) - 1; i >= 0 {
		at = f.marks[i].Host + at - f.marks[i].Script
	}
	return min(at, len(f.host))
}

// Place is p as line and column of the file, both from 1 on; columns count bytes.
func (f *File) Place(p Pos) diag.Place {
	at := f.offset(p)
	line := sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > at })
	return diag.Place{File: f.Name, Line: int64(line), Column: at - f.lines[line-1] + 1}
}

// Excerpt is the line of the file that p stands in.
func (f *File) Excerpt(p Pos) string {
	at := f.offset(p)
	line := sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > at })
	text, _, _ := strings.Cut(f.host[f.lines[line-1]:], "\n")
	return strings.TrimSuffix(text, "\r")
}

// Problem is a diagnostic at a place of the script.
func (f *File) Problem(code diag.Code, p Pos, format string, args ...any) *diag.Diagnostic {
	d := diag.New(code, format, args...).In(f.Place(p))
	d.Excerpt = f.Excerpt(p)
	return d
}

// problem is a diagnostic that was told of, and may still be given its hint.
type problem struct{ told *diag.Diagnostic }

// hint sets what to do about it.
func (p problem) hint(format string, args ...any) problem {
	p.told.Hint = sprint(format, args...)
	return p
}
