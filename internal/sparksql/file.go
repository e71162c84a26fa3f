package sparksql

import (
	"sort"
	"strings"

	"landfall/internal/diag"
)

// Pos is a byte offset in the text of a File.
type Pos int

// Range is a part of a text, from its first byte to behind its last.
type Range struct{ At, End Pos }

// Pos is where it begins.
func (r Range) Pos() Pos { return r.At }

// Span is the whole range.
func (r Range) Span() Range { return r }

// Edit replaces a part of the text of a file before it is read.
type Edit struct {
	Range
	Text string
}

// File is a text that holds SQL, and where its parts stand for people.
type File struct {
	// Name is the path as the user knows it.
	Name string
	// Text is what is read: that of the file, edited.
	Text string

	host  string
	lines []int
	marks []mark
}

// mark says that from a byte of the text on, up to the next mark, its bytes are those of
// the file from another byte on; what an edit wrote has one place, where it begins.
type mark struct {
	text, host int
	fixed      bool
}

// NewFile is a text with its edits, which are in order and do not overlap.
func NewFile(name, text string, edits ...Edit) *File {
	f := &File{Name: name, host: text, lines: []int{0}}
	for i := range len(text) {
		if text[i] == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	var out strings.Builder
	at := 0
	for _, e := range edits {
		f.marks = append(f.marks, mark{text: out.Len(), host: at})
		out.WriteString(text[at:e.At])
		f.marks = append(f.marks, mark{text: out.Len(), host: int(e.At), fixed: true})
		out.WriteString(e.Text)
		at = int(e.End)
	}
	f.marks = append(f.marks, mark{text: out.Len(), host: at})
	out.WriteString(text[at:])
	f.Text = out.String()
	return f
}

func (f *File) offset(p Pos) int {
	at := min(max(int(p), 0), len(f.Text))
	m := f.marks[max(0, sort.Search(len(f.marks), func(i int) bool { return f.marks[i].text > at })-1)]
	if m.fixed {
		return m.host
	}
	return min(m.host+at-m.text, len(f.host))
}

// Place is a byte of the text as line and column of the file, both from 1 on; columns
// count bytes.
func (f *File) Place(p Pos) diag.Place {
	at := f.offset(p)
	line := sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > at })
	return diag.Place{File: f.Name, Line: int64(line), Column: at - f.lines[line-1] + 1}
}

// Excerpt is the line of the file that a byte of the text stands in.
func (f *File) Excerpt(p Pos) string {
	line := sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > f.offset(p) })
	text, _, _ := strings.Cut(f.host[f.lines[line-1]:], "\n")
	return strings.TrimSuffix(text, "\r")
}

// Problem is a diagnostic at a place of the text.
func (f *File) Problem(code diag.Code, p Pos, format string, args ...any) *diag.Diagnostic {
	d := diag.New(code, format, args...).In(f.Place(p))
	d.Excerpt = f.Excerpt(p)
	return d
}

// Slice is the text of a range, as it is read.
func (f *File) Slice(r Range) string { return f.Text[r.At:r.End] }
