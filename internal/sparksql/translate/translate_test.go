package translate_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
	"landfall/internal/sparksql/translate"
)

// tables are those of the tests: how both engines make them.
func tables() []struct{ name, columns, duck, spark string } {
	return []struct{ name, columns, duck, spark string }{
		{
			"trips", "id INT, vendor STRING, fare DECIMAL(10,2), dist DOUBLE, at TIMESTAMP, day DATE, tags ARRAY<STRING>, pay STRUCT<kind: STRING, amount: DECIMAL(10,2)>, extra MAP<STRING,INT>, note STRING",
			`SELECT * FROM (VALUES
			(1, 'a', 10.50::DECIMAL(10,2), 1.5::DOUBLE, TIMESTAMPTZ '2025-06-01 10:00:00+00', DATE '2025-06-01', ['x','y'], {'kind':'cash','amount':1.00::DECIMAL(10,2)}, MAP {'k': 1}, '{"a":{"b":1},"l":[5,6]}'),
			(2, 'b', 20.00, 2.5, TIMESTAMPTZ '2025-06-02 23:30:00+00', DATE '2025-06-02', []::VARCHAR[], {'kind':'card','amount':2.50}, MAP {}, 'n/a'),
			(3, 'a', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
			(4, NULL, -3.25, 0.0, TIMESTAMPTZ '2025-06-30 00:00:00+00', DATE '2025-06-30', ['z'], {'kind':NULL,'amount':NULL}, MAP {'k': NULL, 'm': 3}, '17')) v(id, vendor, fare, dist, "at", day, tags, pay, extra, note)`,
			`SELECT * FROM VALUES
			(1, 'a', CAST(10.50 AS DECIMAL(10,2)), 1.5D, TIMESTAMP '2025-06-01 10:00:00', DATE '2025-06-01', array('x','y'), named_struct('kind','cash','amount',CAST(1.00 AS DECIMAL(10,2))), map('k', 1), '{"a":{"b":1},"l":[5,6]}'),
			(2, 'b', CAST(20.00 AS DECIMAL(10,2)), 2.5D, TIMESTAMP '2025-06-02 23:30:00', DATE '2025-06-02', CAST(array() AS ARRAY<STRING>), named_struct('kind','card','amount',CAST(2.50 AS DECIMAL(10,2))), CAST(map() AS MAP<STRING,INT>), 'n/a'),
			(3, 'a', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
			(4, NULL, CAST(-3.25 AS DECIMAL(10,2)), 0.0D, TIMESTAMP '2025-06-30 00:00:00', DATE '2025-06-30', array('z'), named_struct('kind',CAST(NULL AS STRING),'amount',CAST(NULL AS DECIMAL(10,2))), map('k', NULL, 'm', 3), '17') AS v(id, vendor, fare, dist, at, day, tags, pay, extra, note)`,
		},
		{
			"vendors", "vendor STRING, name STRING, since INT",
			"SELECT * FROM (VALUES ('a', 'Alpha', 2001), ('c', 'Gamma', 2003), (NULL, 'Nobody', NULL)) v(vendor, name, since)",
			"SELECT * FROM VALUES ('a', 'Alpha', 2001), ('c', 'Gamma', 2003), (NULL, 'Nobody', NULL) AS v(vendor, name, since)",
		},
	}
}

// catalog knows the tables, and a stream with hidden columns.
type catalog struct{ columns map[string][]schema.Field }

func newCatalog(t testing.TB) catalog {
	c := catalog{map[string][]schema.Field{}}
	for _, table := range tables() {
		declared, err := schema.ParseColumns(table.columns)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range declared {
			c.columns[table.name] = append(c.columns[table.name], schema.Field{Name: d.Path[0], Type: d.Type, Nullable: true})
		}
	}
	return c
}

func (c catalog) Table(t *sparksql.Table, name []string) (*translate.Source, *diag.Diagnostic) {
	last := strings.ToLower(name[len(name)-1])
	columns, ok := c.columns[last]
	if !ok {
		return nil, diag.New(diag.SQLName, "table %s: there is none of that name", last)
	}
	s := &translate.Source{SQL: `"` + last + `"`, Table: last, Columns: columns, Stream: t.Stream}
	if t.Stream {
		s.SQL = `(SELECT *, 1 AS _landfall_row FROM ` + s.SQL + `)`
		s.Hidden = []schema.Field{{Name: "_landfall_row", Type: schema.Integer}}
	}
	return s, nil
}

func (c catalog) Call(call *sparksql.TableCall, _ []translate.Constant) (*translate.Source, *diag.Diagnostic) {
	return nil, diag.New(diag.SQLRefused, "%s() is not understood", call.Name.Name)
}

func params() map[string]string { return map[string]string{"schema": "lake", "p": "a"} }

// blocks are those of the file of queries.
func blocks(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/queries.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n\n")
}

// filled is a session with the tables of the tests.
func filled(t *testing.T) *sql.Conn {
	t.Helper()
	conn := session(t)
	for _, table := range tables() {
		if _, err := conn.ExecContext(t.Context(), "CREATE TABLE "+table.name+" AS "+table.duck); err != nil {
			t.Fatal(err)
		}
	}
	return conn
}

func translated(t testing.TB, c translate.Catalog, text string) (*translate.Result, error) {
	t.Helper()
	f := sparksql.NewFile("q.sql", text)
	tokens, err := sparksql.Lex(f)
	if err != nil {
		return nil, err
	}
	q, err := sparksql.ParseQuery(f, tokens)
	if err != nil {
		return nil, err
	}
	return translate.Query(f, q, c, translate.Options{Now: "TIMESTAMPTZ '2026-12-01 10:00:00+00'", Params: params(), Probes: true})
}

// rows are the rows of a statement as text, in order of their texts unless it is ordered.
func rows(ctx context.Context, conn *sql.Conn, r *translate.Result) (string, error) {
	parts := make([]string, len(r.Columns))
	for i := range r.Columns {
		parts[i] = fmt.Sprintf("coalesce(CAST(c%d AS VARCHAR), 'NULL')", i)
	}
	names := make([]string, len(r.Columns)+len(r.Hidden))
	for i := range names {
		names[i] = fmt.Sprintf("c%d", i)
	}
	text := "SELECT string_agg(v, chr(10)) FROM (SELECT " + strings.Join(parts, " || ' | ' || ") + " AS v FROM (" + r.SQL + ") AS q(" + strings.Join(names, ", ") + ") ORDER BY ALL)"
	var out sql.NullString
	err := conn.QueryRowContext(ctx, text).Scan(&out)
	return out.String, err
}

func types(r *translate.Result) string {
	parts := make([]string, len(r.Columns))
	for i, c := range r.Columns {
		parts[i] = c.Name + " " + c.Type.String()
	}
	return strings.Join(parts, ", ")
}

// The file has queries, the columns that they have, and their rows in order of their text.
func TestQueries(t *testing.T) {
	conn, c := filled(t), newCatalog(t)
	var out strings.Builder
	cases := 0
	for _, block := range blocks(t) {
		query, _, _ := strings.Cut(block, "\n")
		cases++
		got := query + "\n"
		r, err := translated(t, c, query)
		if err != nil {
			t.Errorf("%s\n%v", query, err)
			out.WriteString(block + "\n\n")
			continue
		}
		got += types(r)
		text, err := rows(t.Context(), conn, r)
		if err != nil {
			t.Errorf("%s\n%s\n%v", query, r.SQL, err)
			out.WriteString(block + "\n\n")
			continue
		}
		if text != "" {
			got += "\n" + text
		}
		if got != block {
			t.Errorf("found\n%s\nwant\n%s\nby\n%s", got, block, r.SQL)
		}
		out.WriteString(got + "\n\n")
	}
	if os.Getenv("LANDFALL_UPDATE") != "" {
		if err := os.WriteFile("testdata/queries.txt", []byte(strings.TrimSuffix(out.String(), "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if cases < 150 {
		t.Errorf("found %d queries, want 150 at least", cases)
	}
}
