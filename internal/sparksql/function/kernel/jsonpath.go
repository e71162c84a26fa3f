package kernel

import (
	"strconv"
	"strings"
)

// step is a step of a path: a name, a place in an array, or all there are.
type step struct {
	name  string
	index int
	array bool // of [0] and [*]
	all   bool // of [*], and of .*, which finds nothing
}

// readPath reads a path of get_json_object: $ with .name, ['name'], [0], [*] and
// .* behind it; false if it is none.
func readPath(text string) ([]step, bool) {
	text, ok := strings.CutPrefix(text, "$")
	var out []step
	for ok && text != "" {
		var s step
		switch {
		case strings.HasPrefix(text, "['"):
			end := strings.Index(text, "']")
			if end < 3 {
				return nil, false
			}
			s.name, text = text[2:end], text[end+2:]
			s.all = s.name == "*"
		case strings.HasPrefix(text, "[*]"):
			s.array, s.all, text = true, true, text[3:]
		case text[0] == '[':
			end := strings.IndexByte(text, ']')
			if end < 2 {
				return nil, false
			}
			n, err := strconv.ParseUint(text[1:end], 10, 31)
			if err != nil {
				return nil, false
			}
			s.array, s.index, text = true, int(n), text[end+1:] //nolint:gosec // of 31 bits
		case text[0] == '.':
			end := strings.IndexAny(text[1:], ".[")
			if end < 0 {
				end = len(text) - 1
			}
			if s.name = strings.TrimLeft(text[1:end+1], " "); s.name == "" {
				return nil, false
			}
			s.all, text = s.name == "*", text[end+1:]
		default:
			return nil, false
		}
		out = append(out, s)
	}
	return out, ok
}

// How texts stand in a result: by themselves, in quotes as JSON has them, or
// with the elements of arrays taken out.
type style int

const (
	raw style = iota
	quoted
	flat
)

// jsonObject is what a path finds in a JSON text: the characters of a text, the
// JSON of anything else; nil where it finds nothing or null.
func jsonObject(text, path string) any {
	steps, ok := readPath(path)
	if !ok {
		return nil
	}
	n := readJSON(text)
	if n == nil {
		return nil
	}
	var out results
	if !out.find(n, steps, raw) || len(out) == 0 {
		return nil
	}
	return strings.Join(out, ",")
}

// results are texts that stand with commas between them.
type results []string

// find adds what a path finds; false if that is nothing.
func (out *results) find(n *node, steps []step, s style) bool {
	if len(steps) == 0 {
		return out.add(n, s)
	}
	first, rest := steps[0], steps[1:]
	switch {
	case n.kind == '{' && !first.array:
		return out.findName(n, first, rest, s)
	case n.kind == '[' && first.array && first.all:
		return out.findAll(n, rest, s)
	case n.kind == '[' && first.array && first.index < len(n.kids):
		if len(rest) > 0 && rest[0].array && rest[0].all {
			s = quoted
		}
		return out.find(n.kids[first.index], rest, s)
	}
	return false
}

func (out *results) add(n *node, s style) bool {
	switch {
	case n.kind == '"' && s == raw:
		*out = append(*out, n.text)
	case n.kind == '[' && s == flat:
		found := false
		for _, kid := range n.kids {
			found = out.add(kid, s) || found
		}
		return found
	case n.kind == 'n' && s == raw:
		return false
	default:
		var text strings.Builder
		n.write(&text)
		*out = append(*out, text.String())
	}
	return true
}

func (out *results) findName(n *node, first step, rest []step, s style) bool {
	for i, key := range n.keys {
		if !first.all && key == first.name && n.kids[i].kind != 'n' && out.find(n.kids[i], rest, s) {
			return true
		}
	}
	return false
}

func (out *results) findAll(n *node, rest []step, s style) bool {
	var inner results
	count := 0
	double := len(rest) > 0 && rest[0].array && rest[0].all
	next := quoted
	switch {
	case double:
		rest, next = rest[1:], flat
	case s == flat:
		next = flat
	}
	for _, kid := range n.kids {
		if inner.find(kid, rest, next) {
			count++
		}
	}
	switch {
	case double || s == quoted || count > 1:
		*out = append(*out, "["+strings.Join(inner, ",")+"]")
	case count == 1:
		*out = append(*out, inner...)
	}
	return count > 0
}
