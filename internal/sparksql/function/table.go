package function

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
)

// The table is text, a file for each family. An entry is:
//
//	name alias [kind]: what it means
//	  (string, int) string = template
//	  (dec) @sum ~ template            ~ casts to the result's type; @ names
//	  (array<T>) array<T> = @reverse   a rule in Go for the type, or the text
//	  refused: why it cannot be computed
//	  random                           two calls may differ
//	  from VALUES (1), (2) AS t(v)     the rows of the examples behind it
//	  > an expression ==> its value    in quotes if it has spaces around it
//
// A line that is indented by four more goes on with the one before.
//
//go:embed table/*.txt
var tables embed.FS

// families are the names of the table's files, in the order of the manual.
func families() []string {
	return []string{"text", "number", "cast", "time", "condition", "array", "higher", "struct", "json", "hash", "aggregate", "window", "generator", "other"}
}

// entriesOf calls use with the text of each entry of a family: its first line,
// and the others; until use returns false.
func entriesOf(family string, use func(head, rest string) bool) {
	data, err := tables.ReadFile(path.Join("table", family+".txt"))
	if err != nil {
		return // a family without functions
	}
	lines := strings.SplitAfter(string(data), "\n")
	for i := 0; i < len(lines); {
		end := i + 1
		for end < len(lines) && strings.HasPrefix(lines[end], " ") {
			end++
		}
		head := strings.TrimSpace(lines[i])
		if head != "" && head[0] != '#' && !use(head, strings.Join(lines[i+1:end], "")) {
			return
		}
		i = end
	}
}

// headNames are the names in the first line of an entry.
func headNames(head string) []string {
	names, _, _ := strings.Cut(head, ":")
	names, _, _ = strings.Cut(names, " [")
	return strings.Fields(names)
}

// Lookup finds a function by one of its names, in any casing.
func Lookup(name string) (*Function, bool) {
	folded := strings.ToLower(name)
	var found *Function
	for _, family := range families() {
		entriesOf(family, func(head, rest string) bool {
			if !slices.Contains(headNames(head), folded) {
				return true
			}
			e, err := readEntry(head, rest)
			if err != nil {
				return false // a test reads every entry
			}
			e.family = family
			found = &Function{e, folded}
			return false
		})
	}
	return found, found != nil
}

// Names are the names of all functions, sorted.
func Names() []string {
	var out []string
	for _, family := range families() {
		entriesOf(family, func(head, _ string) bool {
			out = append(out, headNames(head)...)
			return true
		})
	}
	slices.Sort(out)
	return out
}

// readEntry reads one function.
func readEntry(head, rest string) (entry, error) {
	before, does, ok := strings.Cut(head, ": ")
	e := entry{names: headNames(head), does: does}
	if _, kind, marked := strings.Cut(before, " ["); marked {
		k := slices.Index([]string{"scalar]", "aggregate]", "window]", "generator]"}, kind)
		ok = ok && k >= 0
		e.kind = Kind(k)
	}
	if !ok {
		return e, fmt.Errorf("%s: found no meaning, or no kind of function", head)
	}
	rows := ""
	for line := range strings.SplitSeq(strings.ReplaceAll(rest, "\n      ", " "), "\n") {
		line = strings.TrimLeft(line, " ")
		word, text, _ := strings.Cut(line, " ")
		switch {
		case line == "":
		case word == "refused:":
			e.refused = text
		case word == "random":
			e.random = true
		case word == "from":
			rows = text
		case word == ">":
			expr, value, ok := strings.Cut(text+" ", " ==> ")
			if !ok {
				return e, fmt.Errorf("%s: found no value in %s", head, line)
			}
			if value = strings.TrimSuffix(value, " "); strings.HasPrefix(value, `"`) {
				value = strings.Trim(value, `"`)
			}
			e.examples = append(e.examples, Example{Expr: expr, Value: value, Rows: rows})
		default:
			f, err := readForm(line)
			if err != nil {
				return e, fmt.Errorf("%s: %w", head, err)
			}
			e.forms = append(e.forms, f)
		}
	}
	return e, nil
}

// readForm reads one way to call a function.
func readForm(line string) (form, error) {
	at, mark := strings.Index(line, " = "), " = "
	if i := strings.Index(line, " ~ "); i >= 0 && (at < 0 || i < at) {
		at, mark = i, " ~ "
	}
	end := 0
	if at > 0 {
		end = closing(line[:at])
	}
	if end == 0 {
		return form{}, fmt.Errorf("found %s, want (arguments) result = template", line)
	}
	f := form{takes: line[1:end], gives: strings.TrimSpace(line[end+1 : at]), sql: line[at+len(mark):], cast: mark == " ~ "}
	if rule, ok := strings.CutPrefix(f.gives, "@"); ok {
		if f.gives, f.typ = "", typeRule(rule); f.typ == nil && rule != "own" {
			return f, fmt.Errorf("found no rule for a type of the name %s", rule)
		}
	}
	if rule, ok := strings.CutPrefix(f.sql, "@"); ok {
		if f.sql, f.write = "", textRule(rule); f.write == nil {
			return f, fmt.Errorf("found no rule for a text of the name %s", rule)
		}
	}
	return f, nil
}

// closing is where the parenthesis ends with which a text begins, 0 if it does
// not.
func closing(text string) int {
	depth := 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}
