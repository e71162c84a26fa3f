package function

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

// files hold the table: blocks of lines, each a word and the rest. A line that
// begins with two spaces continues the one before, "#" begins a comment.
//
//go:embed table/*.txt
var files embed.FS

// Load reads the table that comes with the program. An error is a mistake of
// ours in it.
func Load() (*Table, error) {
	t := &Table{functions: map[string]*Function{}, operators: map[string]*Function{}}
	entries, err := files.ReadDir("table")
	if err != nil {
		return nil, fmt.Errorf("list the function table: %w", err)
	}
	for _, e := range entries {
		text, err := files.ReadFile("table/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("read the function table: %w", err)
		}
		if err := t.read(string(text)); err != nil {
			return nil, fmt.Errorf("function table %s:%w", e.Name(), err)
		}
	}
	return t, nil
}

// line is a line of the table with what continues it.
type line struct {
	number     int
	word, rest string
}

func (t *Table) read(text string) error {
	var f *Function
	for _, l := range lines(text) {
		var err error
		if l.word == "function" {
			f, err = t.begin(l.rest)
		} else if f == nil {
			err = fmt.Errorf("found %q, want function first", l.word)
		} else {
			err = t.take(f, l)
		}
		if err != nil {
			return fmt.Errorf("%d: %w", l.number, err)
		}
	}
	return nil
}

func lines(text string) []line {
	var out []line
	for i, s := range strings.Split(text, "\n") {
		switch {
		case strings.TrimSpace(s) == "" || s[0] == '#':
		case strings.HasPrefix(s, "  ") && len(out) > 0:
			last := &out[len(out)-1]
			last.rest += " " + strings.TrimSpace(s)
		default:
			word, rest, _ := strings.Cut(s, " ")
			out = append(out, line{i + 1, word, strings.TrimSpace(rest)})
		}
	}
	return out
}

func (t *Table) begin(name string) (*Function, error) {
	if t.functions[name] != nil {
		return nil, fmt.Errorf("function %s stands twice", name)
	}
	f := &Function{Name: name, Kind: Scalar}
	t.functions[name] = f
	t.names = append(t.names, name)
	return f, nil
}

// take adds a line to the function that it belongs to.
func (t *Table) take(f *Function, l line) error {
	switch l.word {
	case "kind":
		f.Kind = Kind(l.rest)
	case "does":
		f.Does = l.rest
	case "operator":
		f.Operators = append(f.Operators, l.rest)
		t.operators[l.rest] = f
	case "note":
		f.Notes = append(f.Notes, l.rest)
	case "refused":
		f.Refused = l.rest
	case "bound":
		f.Bound = l.rest
	case "form":
		form, err := parseForm(l.rest)
		if err != nil {
			return err
		}
		f.Forms = append(f.Forms, form)
	case DuckDB, Spark:
		if len(f.Forms) == 0 {
			return fmt.Errorf("found %s before the first form", l.word)
		}
		f.Forms[len(f.Forms)-1].sql[l.word] = l.rest
	case "differs":
		return f.takeDifference(l.rest)
	default:
		return f.takeExample(l)
	}
	return nil
}

func (f *Function) takeDifference(text string) error {
	parts := strings.Split(text, " => ")
	if len(parts) != 3 {
		return fmt.Errorf("differs: found %q, want expression => ours => Spark's", text)
	}
	f.Differs = append(f.Differs, Difference{parts[0], parts[1], parts[2]})
	return nil
}

// takeExample reads an example: "documented" or "example", then "rows" or
// "window" with the columns in braces, if it needs any.
func (f *Function) takeExample(l line) error {
	if l.word != "documented" && l.word != "example" {
		return fmt.Errorf("found %q, want a word of the table", l.word)
	}
	e := Example{Documented: l.word == "documented"}
	text := l.rest
	for _, word := range []string{"rows {", "window {"} {
		if rest, ok := strings.CutPrefix(text, word); ok {
			columns, expr, ok := strings.Cut(rest, "} ")
			if !ok {
				return fmt.Errorf("example: found no } in %q", text)
			}
			e.Rows, e.Window, text = parseColumns(columns), word == "window {", expr
			break
		}
	}
	at := strings.LastIndex(text, " => ")
	if at < 0 {
		return fmt.Errorf("example: found no => in %q", text)
	}
	e.Expr, e.Value = strings.TrimSpace(text[:at]), strings.TrimSpace(text[at+len(" => "):])
	f.Examples = append(f.Examples, e)
	return nil
}

func parseColumns(text string) []Column {
	var out []Column
	for part := range strings.SplitSeq(text, ";") {
		name, values, _ := strings.Cut(part, "=")
		out = append(out, Column{strings.TrimSpace(name), strings.TrimSpace(values)})
	}
	return out
}

// parseForm reads "(a T, b T...) T". Parameters that end in ... stand several
// times together; one in brackets after them, or at the end, may be missing.
func parseForm(text string) (Form, error) {
	form := Form{Text: text, sql: map[Engine]string{}}
	if !strings.HasPrefix(text, "(") || matching(text) < 0 {
		return form, fmt.Errorf("form: found %q, want (parameters) result", text)
	}
	open := matching(text)
	var err error
	if form.result, err = parseTerm(text[open+1:]); err != nil {
		return form, err
	}
	form.group = [2]int{-1, -1}
	for part := range strings.SplitSeq(text[1:open], ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if err := form.addParam(part); err != nil {
			return form, err
		}
	}
	return form, nil
}

// matching returns where the parenthesis ends with which a text begins.
func matching(text string) int {
	depth := 0
	return strings.IndexFunc(text, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		return depth == 0
	})
}

func (f *Form) addParam(text string) error {
	if inner, ok := between(text, "[", "]"); ok {
		f.tail, text = true, inner
	} else if inner, ok := strings.CutSuffix(text, "..."); ok {
		if text = inner; f.group[0] < 0 {
			f.group[0] = len(f.params)
		}
		f.group[1] = len(f.params) + 1
	}
	declared, with, _ := strings.Cut(text, " with ")
	p, err := parseParam(declared)
	if err != nil {
		return err
	}
	for _, v := range slices.DeleteFunc(strings.Split(with, ";"), func(s string) bool { return s == "" }) {
		name, typ, _ := strings.Cut(strings.TrimSpace(v), " ")
		t, err := parseTerm(typ)
		if err != nil {
			return err
		}
		p.binds = append(p.binds, variable{name, t})
	}
	f.params = append(f.params, p)
	return nil
}

// parseParam reads "name type", "name literal type" for a constant, and "name
// true boolean" for that one.
func parseParam(text string) (param, error) {
	name, typ, ok := strings.Cut(text, " ")
	if !ok {
		return param{}, fmt.Errorf("parameter: found %q, want a name and a type", text)
	}
	p := param{name: name}
	if first, rest, two := strings.Cut(typ, " "); two && !strings.ContainsAny(first, "[(") {
		p.literal, typ = true, rest
		if first != "literal" {
			p.value = first
		}
	}
	var err error
	p.term, err = parseTerm(typ)
	return p, err
}
