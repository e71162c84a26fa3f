package resource

import (
	"errors"
	"sort"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
)

// holder says how the file of a flow holds its script, so that another can take its place.
type holder struct {
	// whole is whether the file is the script.
	whole bool
	// at and end are the value in the file, host the file; lines is whether the value is
	// a list of lines. A value that is computed, or several that make one script, have none.
	at, end int
	host    string
	lines   bool
}

// script finds the script of a flow: a text, a list of lines, or a text with each stream,
// as early exports have it.
func (l *loader) script(f *Flow, typed *value) (bool, error) {
	if v := typed.get("scriptLines"); v != nil && !v.isText && !v.isObject {
		text, marks := joined(v.items())
		f.File = syntax.Within(l.name, l.text, text, marks)
		f.holder = holder{at: v.at, end: v.end, host: l.text, lines: true}
		return true, nil
	}
	if v := typed.get("script"); v != nil && v.isText {
		text, marks, err := l.computed(v.text, v.marks)
		if err != nil {
			return false, l.host.Problem(diag.FlowResource, syntax.Pos(v.at), "data flow %s: the script is computed: %v", f.Name, err).
				Hinted("export the data flow from the factory, or write its script as a text")
		}
		f.File = syntax.Within(l.name, l.text, text, marks)
		if text == v.text {
			f.holder = holder{at: v.at, end: v.end, host: l.text}
		}
		return true, nil
	}
	var parts []*value
	for _, kind := range []string{"sources", "transformations", "sinks"} {
		for _, n := range typed.get(kind).items() {
			if v := n.get("script"); v != nil && v.isText {
				parts = append(parts, v)
			}
		}
	}
	if len(parts) == 0 {
		return false, nil
	}
	text, marks := joined(parts)
	f.File = syntax.Within(l.name, l.text, text, marks)
	return true, nil
}

// joined is the text of several strings, each a line.
func joined(list []*value) (string, []syntax.Mark) {
	var b strings.Builder
	var marks []syntax.Mark
	for i, v := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, m := range v.marks {
			marks = append(marks, syntax.Mark{Script: b.Len() + m.Script, Host: m.Host})
		}
		b.WriteString(v.text)
	}
	return b.String(), marks
}

// errComputed says what of a template's language is understood.
var errComputed = errors.New("only concat of texts and parameters with a default value can be read")

// computed is the text that a template's expression makes: [concat('a', parameters('b'))].
// A text that is none is returned as it is.
func (l *loader) computed(text string, marks []syntax.Mark) (string, []syntax.Mark, error) {
	if strings.HasPrefix(text, "[[") {
		return text[1:], shifted(marks, 1), nil
	}
	if !strings.HasPrefix(text, "[") || !strings.HasSuffix(text, "]") {
		return text, marks, nil
	}
	inner := text[1 : len(text)-1]
	if rest, ok := strings.CutPrefix(inner, "concat("); ok && strings.HasSuffix(rest, ")") {
		return l.concat(strings.TrimSuffix(rest, ")"), len("[concat("), marks)
	}
	return l.concat(inner, 1, marks)
}

// concat joins the texts of arguments that begin at a byte of the expression.
func (l *loader) concat(args string, from int, marks []syntax.Mark) (string, []syntax.Mark, error) {
	var b strings.Builder
	var out []syntax.Mark
	for i := 0; i < len(args); {
		switch {
		case strings.IndexByte(" ,\t\r\n", args[i]) >= 0:
			i++
		case args[i] == '\'':
			n := literal(&b, &out, args, i, from, marks)
			if n < 0 {
				return "", nil, errComputed
			}
			i = n
		case strings.HasPrefix(args[i:], "parameters('"):
			name, rest, ok := strings.Cut(args[i+len("parameters('"):], "')")
			text, known := l.defaults[name]
			if !ok || !known {
				return "", nil, errComputed
			}
			b.WriteString(text)
			i = len(args) - len(rest)
		default:
			return "", nil, errComputed
		}
	}
	return b.String(), out, nil
}

// literal reads a text between single quotes, in which two stand for one, and returns the
// place behind it, -1 if it does not end.
func literal(b *strings.Builder, out *[]syntax.Mark, args string, i, from int, marks []syntax.Mark) int {
	mark := func(i int) {
		if marks != nil {
			*out = append(*out, syntax.Mark{Script: b.Len(), Host: host(marks, from+i)})
		}
	}
	mark(i + 1)
	for i++; i < len(args); i++ {
		switch {
		case args[i] != '\'':
			if marks != nil && boundary(marks, from+i) {
				mark(i)
			}
			b.WriteByte(args[i])
		case i+1 < len(args) && args[i+1] == '\'':
			mark(i)
			b.WriteByte('\'')
			i++
			mark(i + 1)
		default:
			return i + 1
		}
	}
	return -1
}

// behind is the number of marks that begin up to a byte of a string.
func behind(marks []syntax.Mark, at int) int {
	return sort.Search(len(marks), func(i int) bool { return marks[i].Script > at })
}

// host is the place in the file of a byte of a string.
func host(marks []syntax.Mark, at int) int {
	m := marks[behind(marks, at)-1] // the first mark is that of the first byte
	return m.Host + at - m.Script
}

// boundary tells whether a mark begins at a byte.
func boundary(marks []syntax.Mark, at int) bool {
	n := behind(marks, at)
	return n > 0 && marks[n-1].Script == at
}

// shifted are the marks of a text without its first bytes.
func shifted(marks []syntax.Mark, by int) []syntax.Mark {
	out := make([]syntax.Mark, 0, len(marks))
	for _, m := range marks {
		out = append(out, syntax.Mark{Script: max(m.Script-by, 0), Host: m.Host + max(by-m.Script, 0)})
	}
	return out
}

// Rewrite is the file of flows with other scripts in the place of their own. The flows are
// those that Load returned of one file, in its order; scripts are parallel to them. It fails
// with a diagnostic where the file computes a script, or has it in parts.
func Rewrite(flows []*Flow, scripts []string) (string, error) {
	var b strings.Builder
	done := 0
	for i, f := range flows {
		h := f.holder
		if h.whole {
			return scripts[i], nil
		}
		if h.end == 0 {
			return "", diag.New(diag.FlowResource, "data flow %s: the script is in parts, or computed, and cannot be written back", f.Name).In(diag.Place{File: f.File.Name}).
				Hinted("export the data flow from the factory in its current form")
		}
		text, err := h.encode(scripts[i])
		if err != nil {
			return "", err
		}
		b.WriteString(h.host[done:h.at] + text)
		done = h.end
	}
	b.WriteString(flows[0].holder.host[done:])
	return b.String(), nil
}

// encode is a script in the form that the file has it in.
func (h holder) encode(script string) (string, error) {
	if h.lines {
		return lines(script, h.host[:h.at])
	}
	return encode(strings.TrimSuffix(script, "\n"))
}

// lines is a script as a list of lines, indented as what stands before it is.
func lines(script, before string) (string, error) {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	outer := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	step := "    "
	if strings.HasPrefix(outer, "\t") {
		step = "\t"
	}
	var b strings.Builder
	b.WriteString("[")
	for i, one := range strings.Split(strings.TrimSuffix(script, "\n"), "\n") {
		text, err := encode(one)
		if err != nil {
			return "", err
		}
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n" + outer + step + text)
	}
	b.WriteString("\n" + outer + "]")
	return b.String(), nil
}
