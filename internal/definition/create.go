package definition

import (
	"slices"
	"strings"

	"landfall/internal/schema"
)

// created finds the word CREATE of a text that creates a table; -1 for none. Before
// it there may be the head of the column in which a client shows the text.
func created(words []word) int {
	if len(words) > 0 && words[0].is("createtab_stmt") {
		words = words[1:]
		if at := created(words); at >= 0 {
			return at + 1
		}
		return -1
	}
	if len(words) == 0 || !words[0].is("create") {
		return -1
	}
	return 0
}

// createTable reads CREATE [EXTERNAL] TABLE name (columns) … PARTITIONED BY (…).
func createTable(text string, words []word, at int) (Table, error) {
	t := Table{Form: CreateTable}
	open := at
	for ; open < len(words) && words[open].text != "("; open++ {
		if w := words[open]; w.is("view") {
			return t, wrong(w.start, "found a view, want a table")
		} else if w.text == ";" || w.is("using") || w.is("as") || w.is("like") || w.is("stored") {
			return t, wrong(w.start, "found %q, want the table's columns in parentheses before it", w.text)
		}
	}
	columns, next, err := items(words, open)
	if err != nil {
		return t, err
	}
	for _, item := range columns {
		if c, ok, err := declaration(text, item); err != nil {
			return t, err
		} else if ok {
			t.Columns = append(t.Columns, c)
		}
	}
	for i := next; i+2 < len(words) && words[i].text != ";"; i++ {
		if words[i].is("partitioned") && words[i+1].is("by") && words[i+2].text == "(" {
			parts, _, err := items(words, i+2)
			if err != nil {
				return t, err
			}
			return t, t.partitioned(text, parts)
		}
	}
	return t, nil
}

// items cuts what stands in parentheses, the first of which is a word, at commas.
// next is the word behind.
func items(words []word, open int) (out [][]word, next int, err error) {
	if open >= len(words) {
		return nil, 0, wrong(words[len(words)-1].end, `found the end, want the table's columns in parentheses`)
	}
	depth, from := 0, open+1
	item := func(end int) error {
		if end == from {
			return wrong(words[end].start, "found %q, want a column before it", words[end].text)
		}
		out = append(out, words[from:end])
		from = end + 1
		return nil
	}
	for i := open; i < len(words); i++ {
		switch words[i].text {
		case "(", "<":
			depth++
		case ">":
			depth--
		case ")":
			if depth--; depth == 0 {
				err := item(i)
				return out, i + 1, err
			}
		case ",":
			if depth == 1 {
				if err := item(i); err != nil {
					return nil, 0, err
				}
			}
		}
	}
	return nil, 0, wrong(words[len(words)-1].end, `found the end, want ")" after the columns`)
}

// declaration reads an item of a list of columns; constraints of the table are none.
func declaration(text string, item []word) (c schema.Declared, ok bool, err error) {
	if slices.ContainsFunc([]string{"constraint", "primary", "foreign", "unique", "check"}, item[0].is) && len(item) > 2 && !simple(item) {
		return c, false, nil
	}
	end, notNull := tail(item)
	list, err := declared(text, item[:end], item[0].start, item[end-1].end)
	if err != nil {
		return c, false, err
	}
	c = list[0]
	c.NotNull, c.At = notNull, item[0].start
	return c, true, nil
}

// simple tells a column whose name is a word of SQL from a constraint: a type
// follows it, and not another such word, a name and a parenthesis.
func simple(item []word) bool {
	_, err := schema.ParseDDL(item[1].text)
	return err == nil && item[2].text != "(" || item[2].is("comment")
}

// tail finds where a column's name and type end, and whether what follows says that
// it is never null.
func tail(item []word) (end int, notNull bool) {
	const words = " not null comment default generated primary unique check constraint references disable enable novalidate rely norely mask collate "
	depth := 0
	end = len(item)
	for i := 2; i < len(item); i++ {
		switch w := item[i]; {
		case w.text == "(" || w.text == "<":
			depth++
		case w.text == ")" || w.text == ">":
			depth--
		case depth == 0 && strings.Contains(words, " "+strings.ToLower(w.text)+" "):
			end = min(end, i)
			notNull = notNull || w.is("not") && i+1 < len(item) && item[i+1].is("null")
		}
	}
	return end, notNull
}

// partitioned takes the columns that folders have. Where the list has types, as in
// Hive, they are columns of their own; names alone are of columns named before.
// What a table computes, as days(ts), no folder has.
func (t *Table) partitioned(text string, items [][]word) error {
	for _, item := range items {
		switch {
		case len(item) == 1:
			if err := t.moved(unquoted(item[0]), item[0].start); err != nil {
				return err
			}
		case item[1].text == "(":
			continue
		default:
			c, ok, err := declaration(text, item)
			if err != nil {
				return err
			}
			if ok {
				t.Partitions = append(t.Partitions, c)
			}
		}
	}
	return nil
}

// moved makes a column that was named before one that folders have.
func (t *Table) moved(name string, at int) error {
	i := slices.IndexFunc(t.Columns, func(c schema.Declared) bool { return c.Path.Equal(schema.Path{name}) })
	if i < 0 {
		return wrong(at, "found partition column %q, which is none of the table's columns", name)
	}
	t.Partitions = append(t.Partitions, t.Columns[i])
	t.Columns = slices.Delete(t.Columns, i, i+1)
	return nil
}
