package function_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"testing"

	duck "github.com/duckdb/duckdb-go/v2"

	"landfall/internal/plan/function"
	"landfall/internal/schema"
)

// now is the time at which every run of the tests begins.
const now = "2026-02-03 04:05:06.789"

// session opens a DuckDB with the macros and kernels of the table.
func session(t *testing.T) *sql.Conn {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, k := range function.Kernels() {
		if err := duck.RegisterScalarUDF(conn, k.Name, kernel{t, k}); err != nil {
			t.Fatalf("%s: %v", k.Name, err)
		}
	}
	statements := append([]string{"SET TimeZone = 'UTC'", "SET VARIABLE adf_now = TIMESTAMP '" + now + "'"}, function.Macros(function.DuckDB)...)
	for _, s := range statements {
		if _, err := conn.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return conn
}

// kernel is a kernel of the table as DuckDB calls it.
type kernel struct {
	t *testing.T
	function.Kernel
}

func (k kernel) Config() duck.ScalarFuncConfig {
	c := duck.ScalarFuncConfig{ResultTypeInfo: k.info(k.Result)}
	for _, a := range k.Args {
		c.InputTypeInfos = append(c.InputTypeInfos, k.info(a))
	}
	return c
}

func (k kernel) info(typ schema.Type) duck.TypeInfo {
	types := map[schema.Type]duck.Type{
		schema.String: duck.TYPE_VARCHAR, schema.Long: duck.TYPE_BIGINT, schema.Double: duck.TYPE_DOUBLE, schema.Binary: duck.TYPE_BLOB,
	}
	info, err := duck.NewTypeInfo(types[typ])
	if err != nil {
		k.t.Fatalf("%s: type %s: %v", k.Name, typ, err)
	}
	return info
}

func (k kernel) Executor() duck.ScalarFuncExecutor {
	return duck.ScalarFuncExecutor{RowExecutor: func(values []driver.Value) (any, error) {
		args := make([]any, len(values))
		for i, v := range values {
			args[i] = v
		}
		return k.Call(args)
	}}
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
