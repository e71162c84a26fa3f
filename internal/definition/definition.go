// Package definition reads table definitions of catalogues, as columns.
//
// It knows lists of columns, CREATE TABLE as Spark, Hive, Athena and Databricks
// print it, the output of DESCRIBE, a schema in the JSON of Spark, tables as Glue,
// Athena and Unity Catalog describe them, and the contract of a source. Which of
// these a text is, its content tells. It is pure.
package definition

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"landfall/internal/diag"
	"landfall/internal/schema"
)

// Form is a way in which tables are defined.
type Form string

// The forms.
const (
	Columns      Form = "columns"
	CreateTable  Form = "create table"
	Describe     Form = "describe"
	SparkJSON    Form = "spark json"
	Glue         Form = "glue"
	UnityCatalog Form = "unity catalog"
	Contract     Form = "contract"
)

// Table is a definition. Its columns have different names, whatever their casing,
// but where the form is Columns, whose names may be paths.
type Table struct {
	Form Form
	// Columns are those of the files, in order. At is of no use in them.
	Columns []schema.Declared
	// Partitions are the columns that folders give a value, in order; nil if the
	// definition names none.
	Partitions []schema.Declared
}

// Parse reads the definition in a text. name stands for the text in messages. The
// error is a diagnostic with line and column.
func Parse(name string, text []byte) (Table, error) {
	body := bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	p := parser{name: name, text: text, skipped: len(text) - len(body)}
	if !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0 {
		return Table{}, diag.New(diag.Usage, "found bytes that are no text, want a table definition").In(diag.Place{File: name}).Hinted(hint)
	}
	t, err := p.table(body)
	if err != nil {
		return Table{}, p.placed(err)
	}
	if t.Form == Columns {
		return t, nil
	}
	return t, p.placed(unique(t))
}

// hint says what can be read.
const hint = "give columns with their types, the output of SHOW CREATE TABLE or DESCRIBE, a schema in Spark's JSON, or a table as Glue, Athena or Unity Catalog print it"

// parser knows the text, for the places of mistakes.
type parser struct {
	name string
	text []byte
	// skipped is how many bytes stand before what is parsed.
	skipped int
}

// mistake is what is wrong at a byte of the text.
type mistake struct {
	at      int
	message string
	hint    string
}

func (m *mistake) Error() string { return m.message }

func wrong(at int, format string, args ...any) *mistake {
	return &mistake{at: at, message: fmt.Sprintf(format, args...)}
}

// placed makes a diagnostic of a mistake, with its line and column.
func (p parser) placed(err error) error {
	var m *mistake
	if !errors.As(err, &m) {
		return err
	}
	before := p.text[:min(p.skipped+m.at, len(p.text))]
	line := bytes.Count(before, []byte("\n"))
	column := len(before) - bytes.LastIndexByte(before, '\n')
	if m.hint == "" {
		m.hint = hint
	}
	return diag.New(diag.Usage, "%s", m.message).In(diag.Place{File: p.name, Line: int64(line) + 1, Column: column}).Hinted("%s", m.hint)
}

// table tells the forms apart.
func (p parser) table(body []byte) (Table, error) {
	trimmed := bytes.TrimSpace(body)
	if len(trimmed) == 0 {
		return Table{}, wrong(0, "found no columns, want some")
	}
	if trimmed[0] == '{' || trimmed[0] == '[' {
		return parseJSON(body)
	}
	text := unboxed(string(body))
	words := scan(text)
	if len(words) == 0 {
		return Table{}, wrong(0, "found no columns, want some")
	}
	if at := created(words); at > 0 {
		text = strings.ReplaceAll(text, `\n`, "  ") // as show() writes the ends of lines
		words = scan(text)
	}
	if at := created(words); at >= 0 {
		return createTable(text, words, at)
	}
	if described(text) {
		return describe(text)
	}
	columns, err := declared(text, words, 0, len(text))
	return Table{Form: Columns, Columns: columns}, err
}

// declared reads the declarations of a part of a text.
func declared(text string, words []word, from, to int) ([]schema.Declared, error) {
	list := blank(text, words, from, to)
	list = strings.TrimRight(list, "; \t\r\n")
	out, err := schema.ParseColumns(list)
	if err != nil {
		return nil, shifted(err, list, from)
	}
	return out, nil
}

// shifted is the mistake in a part of a text that begins at a byte.
func shifted(err error, part string, from int) error {
	var d *schema.DDLError
	if !errors.As(err, &d) {
		return wrong(from, "%v", err)
	}
	at := 0
	for range d.At - 1 {
		_, n := utf8.DecodeRuneInString(part[at:])
		at += n
	}
	return wrong(from+at, "%s", d.Message)
}

// unique refuses columns of one name, and of none.
func unique(t Table) error {
	met := map[string]bool{}
	for _, list := range [][]schema.Declared{t.Columns, t.Partitions} {
		for _, c := range list {
			if c.Path[0] == "" {
				return wrong(c.At, "found a column without a name")
			}
			if met[c.Path.Folded()] {
				return wrong(c.At, "found column %s twice, want one", c.Path)
			}
			met[c.Path.Folded()] = true
		}
	}
	if len(met) == 0 {
		return wrong(0, "found no columns, want some")
	}
	return nil
}
