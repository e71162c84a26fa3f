package report

import (
	"fmt"
	"regexp"
	"strings"
)

// Layout says how a table is laid out. The zero value is plain text of any
// width.
type Layout struct {
	// Width is the number of cells a line may take; 0 is no limit.
	Width int
	// Indent is the number of spaces before each line.
	Indent int
	// Colour allows colours.
	Colour bool
	// Tone colours cells, by index of row and column; nil is plain.
	Tone func(row, column int) Tone
}

// gap stands between columns; narrow is the width to which columns shrink
// before whole columns are left out.
const (
	gap    = "  "
	narrow = 12
)

// Table lays out rows under a head, columns aligned, numbers to the right. In
// too narrow a width the widest columns are cut first, paths in the middle;
// then columns at the right are left out and named below the table.
func Table(head []string, rows [][]string, l Layout) string {
	t := table{layout: l, rows: [][]string{cleaned(head, len(head))}}
	for _, r := range rows {
		t.rows = append(t.rows, cleaned(r, len(head)))
	}
	t.measure()
	t.shrink()
	return t.render()
}

type table struct {
	layout Layout
	rows   [][]string // the head first
	widths []int
	right  []bool
}

// cleaned returns n cells, empty ones where the row has none.
func cleaned(row []string, n int) []string {
	out := make([]string, n)
	for i := range min(n, len(row)) {
		out[i] = Clean(row[i])
	}
	return out
}

func (t *table) measure() {
	// A number as this package or a query writes it, or one of the signs for
	// "none".
	number := regexp.MustCompile(`^(-?[0-9][0-9.,` + thin + `]*(e[+-]?[0-9]+)?( ([kMGTPE]?B|ms|s|%))?|NaN|-?Infinity|NULL|–|-|)$`)
	n := len(t.rows[0])
	t.widths, t.right = make([]int, n), make([]bool, n)
	for c := range n {
		t.right[c] = len(t.rows) > 1
		for r, row := range t.rows {
			t.widths[c] = max(t.widths[c], Width(row[c]))
			t.right[c] = t.right[c] && (r == 0 || number.MatchString(row[c]))
		}
	}
}

// shrink makes the table fit its width: it keeps as many columns as fit when
// each is as narrow as it may be, and cuts the widest of them.
func (t *table) shrink() {
	if t.layout.Width <= 0 {
		return
	}
	least := t.least()
	keep := len(least)
	for keep > 1 && t.total(least[:keep]) > t.layout.Width {
		keep--
	}
	t.widths = t.widths[:keep]
	for over := t.total(t.widths) - t.layout.Width; over > 0; over = t.total(t.widths) - t.layout.Width {
		widest, second := -1, 0
		for c, w := range t.widths {
			switch {
			case w > least[c] && (widest < 0 || w > t.widths[widest]):
				widest = c
			case w < t.widths[max(widest, 0)]:
				second = max(second, w)
			}
		}
		if widest < 0 {
			return
		}
		t.widths[widest] = max(t.widths[widest]-over, min(second, t.widths[widest]-1), least[widest])
	}
}

// least returns the widths below which columns are not cut: enough for a word,
// and for the names of files unless they take half a line.
func (t *table) least() []int {
	least := make([]int, len(t.widths))
	for c, w := range t.widths {
		least[c] = min(w, narrow)
		for _, row := range t.rows[1:] {
			if isPath(row[c]) {
				least[c] = max(least[c], min(Width(Path(row[c], 1)), w, t.layout.Width/2))
			}
		}
	}
	return least
}

// isPath tells a path or a file name from text that happens to hold a slash or
// a dot.
func isPath(cell string) bool {
	if cell == "" || strings.ContainsAny(cell[:1], "{[\"'") || strings.Contains(cell, " ") {
		return false
	}
	dot := strings.LastIndexByte(cell, '.')
	named := dot > 0 && dot+1 < len(cell) && (cell[dot+1]|0x20 >= 'a' && cell[dot+1]|0x20 <= 'z')
	return strings.Contains(cell, "/") || named
}

func (t *table) total(widths []int) int {
	sum := t.layout.Indent + len(gap)*(len(widths)-1)
	for _, w := range widths {
		sum += w
	}
	return sum
}

func (t *table) render() string {
	var b strings.Builder
	for r, row := range t.rows {
		var line strings.Builder
		line.WriteString(strings.Repeat(" ", t.layout.Indent))
		blank := 0 // trailing blanks are never written
		for c, width := range t.widths {
			cell := row[c]
			if r > 0 && isPath(cell) {
				cell = Path(cell, width) // a long file name rather breaks the column
			} else {
				cell = Cut(cell, width)
			}
			pad := max(width-Width(cell), 0)
			if t.right[c] {
				blank, pad = blank+pad, 0
			}
			if cell != "" {
				line.WriteString(strings.Repeat(" ", blank) + Paint(cell, t.tone(r, c), t.layout.Colour))
				blank = 0
			}
			blank += pad + len(gap)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	if left := t.rows[0][len(t.widths):]; len(left) > 0 {
		note := fmt.Sprintf("%s more: %s", Plural(int64(len(left)), "column"), strings.Join(left, ", "))
		room := max(t.layout.Width-t.layout.Indent, narrow)
		b.WriteString(strings.Repeat(" ", t.layout.Indent) + Paint(Cut(note, room), Faint, t.layout.Colour) + "\n")
	}
	return b.String()
}

func (t *table) tone(row, column int) Tone {
	switch {
	case row == 0:
		return Faint
	case t.layout.Tone == nil:
		return Plain
	}
	return t.layout.Tone(row-1, column)
}
