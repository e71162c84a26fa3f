package cutover

import (
	"strings"
)

// String is the script as a person reads and runs it: statements with semicolons,
// and the rest in comments; for Glue it is one of a POSIX shell.
func (s Script) String() string {
	comment, end := "-- ", ";"
	if s.Engine == Glue {
		comment, end = "# ", ""
	}
	var b strings.Builder
	line := func(text string) {
		for _, l := range wrap(text, 80-len(comment)) {
			b.WriteString(comment + l + "\n")
		}
	}
	for _, n := range s.Notes {
		line(n)
	}
	part := func(title string, steps []Step) {
		if len(steps) == 0 {
			return
		}
		b.WriteString("\n")
		line("==== " + title)
		for _, step := range steps {
			if step.Why != "" {
				b.WriteString("\n")
				line(step.Why)
			}
			b.WriteString(step.Text + end + "\n")
		}
	}
	part("before", s.Before)
	part("move", s.Move)
	part("check", s.Check)
	part("back, if it must be", s.Undo)
	return b.String()
}

// wrap breaks text into lines of at most width characters, between words.
func wrap(text string, width int) []string {
	var out []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			out = append(out, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(out, line)
}
