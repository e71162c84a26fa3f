package translate

import (
	"maps"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
)

// Catalog knows the tables of queries.
type Catalog interface {
	// Table finds what a query calls by a name. If there is nothing, the problem tells
	// so; its place is that of the name unless it has one.
	Table(t *sparksql.Table, name []string) (*Source, *diag.Diagnostic)
	// Call finds the rows of a function such as read_files.
	Call(c *sparksql.TableCall, args []Constant) (*Source, *diag.Diagnostic)
}

// Constant is an argument that is known before anything runs.
type Constant struct {
	// Name is that of name => value, "" for none.
	Name string
	// Value is text; of map(…) Map has the pairs.
	Value string
	Map   [][2]string
	At    sparksql.Range
}

// Source is a relation by the text that DuckDB has for it.
type Source struct {
	// SQL stands behind FROM: the name of a view in quotes, or a query in parentheses.
	SQL string
	// Table is its name for the lineage of columns.
	Table string
	// Columns are what it has.
	Columns []schema.Field
	// Origins are the columns that each of Columns comes from, if they are not those of
	// Table itself.
	Origins [][]Origin
	// Beside are columns behind Columns that a query may name, and that stand in no star:
	// _metadata.
	Beside []schema.Field
	// Hidden are columns behind Columns that no query names: where a row comes from, and
	// what became of a cast. They go along with rows as far as these stay single.
	Hidden []schema.Field
	// Stream says that only rows that are new are read.
	Stream bool
	// Stateful are what a query behind it does with a stream.
	Stateful []Stateful
}

// Origin is a column of a table.
type Origin struct{ Table, Column string }

// Options of a translation.
type Options struct {
	// Now is a literal of DuckDB, a TIMESTAMP WITH TIME ZONE: when the run began.
	Now string
	// Params are the values of :name.
	Params map[string]string
	// Probes asks for a hidden column for each TRY_CAST that a row of the result can be
	// told of: whether it made a value null.
	Probes bool
}

// Column is a column of a result.
type Column struct {
	Name string
	Type schema.Type
	// Named tells that the query gives the name, with AS or by a column's own.
	Named   bool
	Origins []Origin
	At      sparksql.Range
}

// Probe is a hidden column that says of each row whether a TRY_CAST lost its value.
type Probe struct {
	// Name is the column's, Column that of the result that the cast is part of.
	Name, Column string
	To           schema.Type
	At           sparksql.Range
}

// Stateful is something that needs more than the new rows of a stream.
type Stateful struct {
	// What is a word for it: "GROUP BY", "DISTINCT", "join of two streams".
	What string
	At   sparksql.Range
	// Watermark tells that the stream has one.
	Watermark bool
}

// Result is a query as DuckDB runs it.
type Result struct {
	SQL     string
	Columns []Column
	// Hidden are columns behind Columns: those of its stream, if every row comes from one
	// row of it, and those of Probes.
	Hidden []schema.Field
	Probes []Probe
	// Stream tells that it reads one incrementally.
	Stream   bool
	Stateful []Stateful
	// Tables are the tables that it reads, each once, in order.
	Tables []string
	// Varies names a function whose value differs from run to run, "" if there is none.
	Varies string
}

// Query translates a query. The error is a diag.List or *diag.Diagnostic with all that is
// wrong.
func Query(f *sparksql.File, q *sparksql.Query, c Catalog, o Options) (*Result, error) {
	t := newTranslator(f, c, o)
	r := t.query(q, &scope{})
	if err := t.problems.Err(); err != nil {
		return nil, err
	}
	out := &Result{SQL: r.sql, Stream: r.stream, Stateful: r.stateful, Tables: t.tables, Varies: t.varies, Probes: t.probes}
	for _, col := range r.columns {
		if col.hidden {
			out.Hidden = append(out.Hidden, schema.Field{Name: col.name, Type: col.typ, Nullable: true})
			continue
		}
		out.Columns = append(out.Columns, Column{Name: col.name, Type: col.typ, Named: col.named, Origins: col.origins, At: col.at})
	}
	return out, nil
}

// Condition translates a condition on the columns of a row, and tells which of them it
// names. The error is as that of Query.
func Condition(f *sparksql.File, x sparksql.Expr, columns []schema.Field, o Options) (sql string, names []string, err error) {
	t := newTranslator(f, nil, o)
	sparksql.Walk(x, func(node any) bool {
		if q, ok := node.(*sparksql.Query); ok && len(t.problems) == 0 {
			t.problem(diag.SQLRefused, q.Range, "a query is no condition on a row").Hint = "compare columns of the row; for keys of another table write EXPECT (…) REFERENCES"
		}
		return true
	})
	rel := &relation{}
	for _, c := range columns {
		rel.columns = append(rel.columns, column{name: c.Name, typ: c.Type, sql: quote(c.Name), origins: []Origin{{Column: c.Name}}})
	}
	if len(t.problems) > 0 {
		return "", nil, t.problems.Err()
	}
	e := &expressions{translator: t, scope: &scope{relations: []*relation{rel}}, place: "a condition on a row"}
	v := e.boolean(x)
	if err := t.problems.Err(); err != nil {
		return "", nil, err
	}
	for _, o := range v.origins {
		names = append(names, o.Column)
	}
	return v.sql, names, nil
}

type translator struct {
	file     *sparksql.File
	catalog  Catalog
	options  Options
	problems diag.List
	tables   []string
	varies   string
	probes   []Probe
	// names counts the names that the text of DuckDB needs beside those of the query.
	names map[string]int
}

func newTranslator(f *sparksql.File, c Catalog, o Options) *translator {
	return &translator{file: f, catalog: c, options: o, names: map[string]int{}}
}

// fresh is a name that nothing else in the text has.
func (t *translator) fresh(prefix string) string {
	t.names[prefix]++
	return prefix + itoa(t.names[prefix])
}

// problem tells what is wrong at a place.
func (t *translator) problem(code diag.Code, at sparksql.Range, format string, args ...any) *diag.Diagnostic {
	d := t.file.Problem(code, at.At, format, args...)
	t.problems.Add(d)
	return d
}

// told adds a problem of the catalog, at a place if it has none.
func (t *translator) told(d *diag.Diagnostic, at sparksql.Range) {
	if d.At.IsZero() {
		d.In(t.file.Place(at.At)).Excerpt = t.file.Excerpt(at.At)
	}
	t.problems.Add(d)
}

// quote writes a name for DuckDB.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// text writes a string for DuckDB.
func text(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func path(parts []sparksql.Ident) string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.Name
	}
	return strings.Join(names, ".")
}

// union is all origins of several, each once, in order.
func union(lists ...[]Origin) []Origin {
	set := map[Origin]bool{}
	for _, l := range lists {
		for _, o := range l {
			set[o] = true
		}
	}
	return slices.SortedFunc(maps.Keys(set), func(a, b Origin) int {
		return strings.Compare(a.Table+"\x00"+a.Column, b.Table+"\x00"+b.Column)
	})
}
