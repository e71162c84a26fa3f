package function_test

import (
	"context"
	"database/sql"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"landfall/internal/engine/duckdb/sessiontest"
	"landfall/internal/schema"
	"landfall/internal/sparksql/function"
)

// session is a session of DuckDB that has all that calls need. Macros may be run twice.
func session(t *testing.T) *sql.Conn {
	t.Helper()
	return sessiontest.Open(t, function.Kernels(), function.Macros(), function.Macros())
}

// answer is what an engine makes of an expression: the texts of the values of
// all rows, and the type; or an error.
type answer struct {
	value, typ string
	err        string
}

// ask computes an expression on DuckDB.
func ask(t *testing.T, conn *sql.Conn, e function.Example) answer {
	t.Helper()
	from, columns := relation(t, e.Rows)
	a, rows, err := read(e.Expr, columns)
	if err != nil {
		return answer{err: err.Error()}
	}
	text, err := query(a, from, rows)
	if err != nil {
		return answer{err: err.Error()}
	}
	out, err := values(t.Context(), conn, text)
	if err != nil {
		return answer{err: err.Error() + "\n" + text}
	}
	return answer{value: out, typ: a.Type.String()}
}

// query shows the values of an expression as texts, and compares DuckDB's type
// of it with the one that is said.
func query(a function.Argument, from string, rows bool) (string, error) {
	if from != "" {
		from = " FROM " + from
	}
	if strings.Contains(a.SQL, " OVER (") {
		from += " ORDER BY t.o"
	}
	if list, ok := a.Type.(schema.Array); ok && rows {
		from = " FROM (SELECT unnest(" + a.SQL + ") AS c" + from + ")"
		a = function.Argument{SQL: columns(list.Element), Type: list.Element}
	}
	text, err := show(a)
	if err != nil {
		return "", err
	}
	return "SELECT " + text + ", typeof(" + a.SQL + ") = typeof(CAST(NULL AS " + function.TypeSQL(a.Type) + ")), typeof(" + a.SQL + ")" + from, nil
}

// columns is a row of the columns that a row of a generator, c, is taken apart to.
func columns(t schema.Type) string {
	var parts []string
	for _, f := range t.(schema.Struct).Fields {
		parts = append(parts, "'"+f.Name+"': struct_extract(c, '"+f.Name+"')")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func show(a function.Argument) (string, error) {
	if a.Type == schema.Binary {
		return "lower(hex(" + a.SQL + "))", nil
	}
	return function.Cast(a, schema.String, false)
}

func values(ctx context.Context, conn *sql.Conn, text string) (string, error) {
	rows, err := conn.QueryContext(ctx, text)
	if err != nil {
		return "", err
	}
	defer rows.Close() //nolint:errcheck // what matters is in rows.Err
	var out []string
	for rows.Next() {
		var v sql.NullString
		var same bool
		var typ string
		if err := rows.Scan(&v, &same, &typ); err != nil {
			return "", err
		}
		if !same && typ != `"NULL"` {
			return "", &function.Misuse{Function: "type", Argument: -1, Found: typ, Want: text}
		}
		if !v.Valid {
			v.String = "NULL"
		}
		out = append(out, v.String)
	}
	return strings.Join(out, "; "), rows.Err()
}

// TestExamples executes what the table says of each function.
func TestExamples(t *testing.T) {
	conn := session(t)
	seen := map[string]bool{}
	for _, name := range function.Names() {
		f, _ := function.Lookup(name)
		if f.Refused() != "" || seen[f.Name()] {
			continue
		}
		seen[f.Name()] = true
		if len(f.Examples()) < 2 {
			t.Errorf("%s: %d examples, want two", f.Name(), len(f.Examples()))
		}
		for _, e := range f.Examples() {
			got := ask(t, conn, e)
			switch {
			case got.err != "" && (e.Value != "error" || strings.Contains(got.err, "Binder Error")):
				t.Errorf("%s: %s, want %s", e.Expr, got.err, e.Value)
			case got.err == "" && !agree(e.Value, got.value, got.typ):
				t.Errorf("%s: found %s, want %s", e.Expr, got.value, e.Value)
			}
		}
	}
	t.Logf("%d functions", len(seen))
}

var fraction = regexp.MustCompile(`-?[0-9]+\.[0-9]+(?:E-?[0-9]+)?`)

// agree compares two values as texts; doubles in them may differ in their last
// digits, for the engines add and compute in other orders.
func agree(ours, theirs, typ string) bool {
	if ours == theirs {
		return true
	}
	if fraction.ReplaceAllString(ours, "#") != fraction.ReplaceAllString(theirs, "#") {
		return false
	}
	apart := 1e-12
	if strings.Contains(typ, "float") {
		apart = 1e-6
	}
	a, b := fraction.FindAllString(ours, -1), fraction.FindAllString(theirs, -1)
	for i := range a {
		x, errX := strconv.ParseFloat(a[i], 64)
		y, errY := strconv.ParseFloat(b[i], 64)
		if errX != nil || errY != nil || math.Abs(x-y) > apart*max(math.Abs(x), math.Abs(y)) {
			return false
		}
	}
	return true
}
