package definition

import (
	"slices"
	"strings"

	"landfall/internal/schema"
)

// unboxed wipes the frame that clients draw around what they print. Bytes stay
// where they are.
func unboxed(text string) string {
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "+-") {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		body := strings.TrimRight(line, " \r\n")
		switch {
		case strings.HasPrefix(body, "+-"):
			lines[i] = strings.Repeat(" ", len(body)) + line[len(body):]
			continue
		case strings.HasPrefix(body, "|"):
			line = " " + line[1:]
		}
		if body != "|" && strings.HasSuffix(body, "|") {
			line = line[:len(body)-1] + " " + line[len(body):]
		}
		lines[i] = line
	}
	return strings.Join(lines, "")
}

// row is a line of a description: what stands in its first two columns.
type row struct {
	name, typ string
	// at and typeAt are their first bytes.
	at, typeAt int
}

// rows cuts a description into lines that say something.
func rows(text string) []row {
	var out []row
	at := 0
	for line := range strings.SplitAfterSeq(text, "\n") {
		if strings.TrimSpace(line) != "" {
			out = append(out, cut(line, at))
		}
		at += len(line)
	}
	return out
}

// cut finds the two columns of a line that begins at a byte: between bars, tabs, or
// else space.
func cut(line string, at int) row {
	parts := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
	if bar := strings.Split(line, "|"); len(parts) < 2 && len(bar) > 1 {
		parts = bar
	}
	if len(parts) < 2 {
		body := strings.TrimLeft(line, " ")
		name, rest, _ := strings.Cut(body, " ")
		typ, _, _ := strings.Cut(strings.TrimLeft(rest, " "), "  ")
		lead := len(line) - len(body)
		r := row{name: strings.TrimSpace(name), typ: strings.TrimSpace(typ), at: at + lead}
		r.typeAt = r.at + len(name) + max(0, strings.Index(body[len(name):], typ))
		return r
	}
	trimmed := func(i, from int) (string, int) {
		body := strings.TrimLeft(parts[i], " ")
		return strings.TrimSpace(body), from + len(parts[i]) - len(body)
	}
	var r row
	r.name, r.at = trimmed(0, at)
	r.typ, r.typeAt = trimmed(1, at+len(parts[0])+1)
	return r
}

// head tells the line that names the columns of a description.
func (r row) head() bool { return strings.TrimLeft(r.name, "# ") == "col_name" || r.name == "#" }

// described tells the output of DESCRIBE from a list of columns: by its head, its
// sections, or by lines between tabs that no comma ends.
func described(text string) bool {
	all := rows(text)
	if all[0].head() || slices.ContainsFunc(all, func(r row) bool { return strings.HasPrefix(r.name, "# ") }) {
		return true
	}
	for line := range strings.Lines(text) {
		body := strings.TrimSpace(line)
		if body != "" && (!strings.Contains(strings.TrimLeft(line, " \t"), "\t") || strings.HasSuffix(body, ",")) {
			return false
		}
	}
	return len(all) > 1
}

// describe reads the output of DESCRIBE, which names the columns of partitions
// twice, the second time in a section of their own.
func describe(text string) (Table, error) {
	t := Table{Form: Describe}
	partitions := false
	for i, r := range rows(text) {
		switch {
		case r.head(), r.name == "" && r.typ == "":
			continue
		case strings.HasPrefix(r.name, "# Partition Infor"): // show() cuts it
			partitions = true
			continue
		case strings.HasPrefix(r.name, "#") && i > 0:
			return t, nil
		}
		c, err := r.column()
		if err != nil {
			return t, err
		}
		if !partitions {
			t.Columns = append(t.Columns, c)
			continue
		}
		if t.moved(c.Path[0], r.at) != nil {
			t.Partitions = append(t.Partitions, c) // Hive names some here alone
		}
	}
	return t, nil
}

func (r row) column() (schema.Declared, error) {
	if r.typ == "" {
		return schema.Declared{}, wrong(r.at+len(r.name), "found column %q without a type", r.name)
	}
	if strings.HasSuffix(r.typ, "...") {
		m := wrong(r.typeAt, "found %q, which was cut when it was printed", r.typ)
		m.hint = "print it whole: show(truncate=False)"
		return schema.Declared{}, m
	}
	typ, err := typeOf(r.typ, r.typeAt)
	return schema.Declared{Path: schema.Path{r.name}, Type: typ, At: r.at}, err
}

// typeOf reads a type that stands at a byte.
func typeOf(text string, at int) (schema.Type, error) {
	plain := blank(text, scan(text), 0, len(text))
	t, err := schema.ParseDDL(plain)
	if err != nil {
		return nil, shifted(err, plain, at)
	}
	return t, nil
}
