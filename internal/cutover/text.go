package cutover

import "strings"

// String is the script as a person reads and runs it: what stands before, the
// move and the check, with semicolons and the rest in comments; for Glue it is a
// script of a POSIX shell. It can be run as it stands, so the way back is not in it.
func (s Script) String() string {
	p := printer{engine: s.Engine}
	for _, n := range s.Notes {
		p.comment(n)
	}
	p.part("before", s.Before)
	p.part("move", s.Move)
	p.part("check", s.Check)
	return p.b.String()
}

// Back is the way back, as String writes the way there.
func (s Script) Back() string {
	p := printer{engine: s.Engine}
	p.part("back to the old folder", s.Undo)
	return p.b.String()
}

// printer writes steps and comments.
type printer struct {
	engine Engine
	b      strings.Builder
}

func (p *printer) comment(text string) {
	mark := "-- "
	if p.engine == Glue {
		mark = "# "
	}
	for _, line := range wrap(text, 80-len(mark)) {
		p.b.WriteString(mark + line + "\n")
	}
}

func (p *printer) part(title string, steps []Step) {
	if len(steps) == 0 {
		return
	}
	if p.b.Len() > 0 {
		p.b.WriteByte('\n')
	}
	p.comment("==== " + title)
	if p.engine == Glue {
		p.b.WriteString("set -eu\n")
	}
	for _, step := range steps {
		if step.Why != "" {
			p.b.WriteByte('\n')
			p.comment(step.Why)
		}
		p.b.WriteString(step.Text)
		if p.engine != Glue {
			p.b.WriteByte(';')
		}
		p.b.WriteByte('\n')
	}
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
