package function_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/engine/duckdb/sessiontest"
	"landfall/internal/plan/function"
	"landfall/internal/schema"
)

// now is the time at which every run of the tests begins.
const now = "2026-02-03 04:05:06.789"

// session opens a DuckDB with the macros and kernels of the table.
func session(t *testing.T) *sql.Conn {
	t.Helper()
	return sessiontest.Open(t, function.Kernels(), append([]string{"SET VARIABLE adf_now = TIMESTAMP '" + now + "'"}, function.Macros(function.DuckDB)...)...)
}

func load(t *testing.T) *function.Table {
	t.Helper()
	table, err := function.Load()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestExamples executes every example and holds its value and its type against
// what the table says.
func TestExamples(t *testing.T) {
	table := load(t)
	conn := session(t)
	for _, name := range table.Names() {
		f := table.Lookup(name)
		if !f.Runs() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for _, e := range f.Examples {
				if err := check(t, conn, table, e); err != nil {
					t.Errorf("%s: %v", e.Expr, err)
				}
			}
		})
	}
}

// TestDifferences holds that where the table says that Spark differs, ours is as
// it says.
func TestDifferences(t *testing.T) {
	table := load(t)
	conn := session(t)
	found := 0
	for _, name := range table.Names() {
		for _, d := range table.Lookup(name).Differs {
			found++
			if err := check(t, conn, table, function.Example{Expr: d.Expr, Value: d.Ours}); err != nil {
				t.Errorf("%s: %v", d.Expr, err)
			}
		}
	}
	if found == 0 {
		t.Error("found no differences")
	}
}

// check executes one example.
func check(t *testing.T, conn *sql.Conn, table *function.Table, e function.Example) error {
	t.Helper()
	from, columns, err := rows(t, table, e.Rows)
	if err != nil {
		return err
	}
	got, err := bind(t, table, function.DuckDB, e.Expr, columns)
	if err != nil {
		return err
	}
	want, err := bind(t, table, function.DuckDB, e.Value, nil)
	if err != nil {
		return err
	}
	if e.Window {
		order := e.Rows[0].Name
		from = fmt.Sprintf(" FROM (SELECT list(v ORDER BY o) AS v FROM (SELECT %s AS v, %s AS o%s))", got.over("(ORDER BY "+order+")"), order, from)
		got = bound{sql: "v", typ: schema.Array{Element: got.typ, ContainsNull: true}}
	}
	if _, err := table.Resolve("equals", []function.Argument{{Type: got.typ}, {Type: want.typ}}); err != nil {
		return fmt.Errorf("found the type %s, want %s", got.typ, want.typ)
	}
	typ := function.TypeSQL(function.DuckDB, got.typ)
	query := fmt.Sprintf("SELECT typeof(v), v IS NOT DISTINCT FROM CAST(%s AS %s), CAST(v AS VARCHAR) FROM (SELECT %s AS v%s)", want.sql, typ, got.sql, from)
	return compare(t.Context(), conn, query, typ, e.Value)
}

func compare(ctx context.Context, conn *sql.Conn, query, typ, want string) error {
	var gotType string
	var equal bool
	var got sql.NullString
	if err := conn.QueryRowContext(ctx, query).Scan(&gotType, &equal, &got); err != nil {
		return fmt.Errorf("%w\n%s", err, query)
	}
	if !equal {
		return fmt.Errorf("found %+v, want %s\n%s", got, want, query)
	}
	if strings.ReplaceAll(gotType, `"`, "") != strings.ReplaceAll(typ, `"`, "") && got.Valid {
		return fmt.Errorf("found the type %s, want %s\n%s", gotType, typ, query)
	}
	return nil
}

// rows writes the rows of an example as a FROM clause.
func rows(t *testing.T, table *function.Table, columns []function.Column) (string, map[string]schema.Type, error) {
	t.Helper()
	if columns == nil {
		return "", nil, nil
	}
	types := map[string]schema.Type{}
	var parts []string
	for _, c := range columns {
		x, err := bind(t, table, function.DuckDB, "["+c.Values+"]", nil)
		if err != nil {
			return "", nil, err
		}
		types[c.Name] = x.typ.(schema.Array).Element
		parts = append(parts, "unnest("+x.sql+") AS "+c.Name)
	}
	return " FROM (SELECT " + strings.Join(parts, ", ") + ")", types, nil
}

// TestConstantPatterns holds that a pattern means the same to DuckDB, which is
// told a constant one, and to the kernel, which reads all others.
func TestConstantPatterns(t *testing.T) {
	table := load(t)
	conn := session(t)
	patterns := []string{
		"yyyy-MM-dd", "yyyyMMdd", "M/d/yyyy", "dd.MM.yyyy HH:mm", "yyyy-MM-dd'T'HH:mm:ss.SSS", "yyyyMMddHHmmss", "yyyyMMddHHmmssSSS",
		"d-M-yyyy H:m:s", "yyyy%MM%dd", "MMM d yyyy", "yyyy", "dd MM yy", "(yyyy) [MM] dd.",
	}
	written := func(t *rapid.T, name string, args []function.Argument, texts ...string) string {
		call, err := table.Resolve(name, args)
		if err != nil {
			t.Fatal(err)
		}
		sql, err := call.SQL(function.DuckDB, texts)
		if err != nil {
			t.Fatal(err)
		}
		return sql
	}
	rapid.Check(t, func(rt *rapid.T) {
		pattern := rapid.SampledFrom(patterns).Draw(rt, "pattern")
		quoted := function.Quote(function.DuckDB, pattern)
		at := fmt.Sprintf("make_timestamp(CAST(%d AS BIGINT) * 1000)", rapid.Int64Range(-60_000_000_000_000, 250_000_000_000_000).Draw(rt, "milliseconds"))
		constant := func(typ schema.Type) []function.Argument {
			return []function.Argument{{Type: typ}, {Type: schema.String, Literal: pattern}}
		}
		var fast, slow string
		query := "SELECT " + written(rt, "toString", constant(schema.Timestamp), at, quoted) + ", " +
			written(rt, "toString", args(schema.Timestamp, schema.String), at, quoted)
		if err := conn.QueryRowContext(t.Context(), query).Scan(&fast, &slow); err != nil {
			rt.Fatal(err)
		}
		if fast != slow {
			rt.Fatalf("%s writes %q, and as a constant %q", pattern, slow, fast)
		}
		text := slow
		if i := rapid.IntRange(-1, len(text)-1).Draw(rt, "place"); i >= 0 {
			change := rapid.SampledFrom([]string{"", "0", "1", "3", "9", " ", "-", "x"}).Draw(rt, "change")
			text = text[:i] + change + text[i+rapid.IntRange(0, 1).Draw(rt, "drop"):]
		}
		text = function.Quote(function.DuckDB, text)
		var a, b sql.NullString
		query = "SELECT CAST(" + written(rt, "toTimestamp", constant(schema.String), text, quoted) + " AS VARCHAR), CAST(" +
			written(rt, "toTimestamp", args(schema.String, schema.String), text, quoted) + " AS VARCHAR)"
		if err := conn.QueryRowContext(t.Context(), query).Scan(&a, &b); err != nil {
			rt.Fatal(err)
		}
		if a != b {
			rt.Fatalf("%s reads %s as %v, and as a constant as %v", pattern, text, b, a)
		}
	})
}
