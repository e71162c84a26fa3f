package schema

import (
	"slices"
	"strings"
)

// Path is the way to a column or a part of one: names of fields, and "element",
// "key" and "value" for the parts of arrays and maps.
type Path []string

// ParsePath reads a path as a person writes it: names between dots, those with
// dots or backticks of their own in backticks: "a.b", "Order ID", "a.`b.c`". A
// backtick within backticks is written twice. Space around a bare name is not
// part of it. The error is a [*DDLError].
func ParsePath(text string) (Path, error) {
	p := ddl{text: text}
	var path Path
	for {
		name, err := p.part()
		if err != nil {
			return nil, err
		}
		path = append(path, name)
		if len(path) > maxDepth {
			return nil, p.failf(p.start, "%v", errTooDeep)
		}
		if p.at == len(p.text) {
			return path, nil
		}
		p.at++ // the dot
	}
}

// part reads one name of a path, up to the next dot or the end.
func (p *ddl) part() (string, error) {
	p.space()
	p.start = p.at
	rest := p.text[p.at:]
	if strings.HasPrefix(rest, "`") {
		name, err := p.quoted()
		if err != nil {
			return "", err
		}
		p.space()
		if rest = p.text[p.at:]; rest != "" && rest[0] != '.' {
			word := p.word()
			return "", p.failf(p.start, "found %s, want a dot or the end", found(word))
		}
		return name, nil
	}
	n := strings.IndexByte(rest, '.')
	if n < 0 {
		n = len(rest)
	}
	name := strings.TrimSpace(rest[:n])
	switch tick := strings.IndexByte(name, '`'); {
	case name == "" && n < len(rest):
		return "", p.failf(p.at, `found ".", want a name`)
	case name == "":
		return "", p.failf(p.end(), "found the end, want a name")
	case tick >= 0:
		return "", p.failf(p.at+tick, "found a backtick within a name, want the whole name in backticks")
	}
	p.at += n
	return name, nil
}

// String writes the path so that ParsePath and DDL read it: names that hold
// anything but letters, digits and _ stand in backticks.
func (p Path) String() string {
	parts := make([]string, len(p))
	for i, name := range p {
		parts[i] = quoteName(name)
	}
	return strings.Join(parts, ".")
}

// Folded is the text that all casings of a path have in common.
func (p Path) Folded() string {
	parts := make(Path, len(p))
	for i, name := range p {
		parts[i] = Fold(name)
	}
	return parts.String()
}

// Equal reports whether two paths are the same, whatever their casing.
func (p Path) Equal(other Path) bool {
	return slices.EqualFunc(p, other, func(a, b string) bool { return a == b || Fold(a) == Fold(b) })
}

// Parent is the path without its last name, nil if there is none before it.
func (p Path) Parent() Path {
	if len(p) < 2 {
		return nil
	}
	return p[: len(p)-1 : len(p)-1]
}

// Child is the path of a part of what the path names. The path itself stays.
func (p Path) Child(name string) Path { return append(p[:len(p):len(p)], name) }
