package function_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"landfall/internal/plan/function"
	"landfall/internal/schema"
)

// operands are what random expressions are made of.
var operands = []string{
	"'abc'", "''", "' a B '", "'héllo€'", "'42'", "'-7.5'", "'x,y,,z'", "'2026-02-28'", "'true'", "'b'", "','", "toString(null)",
	"0", "1", "2", "-3", "7", "1000", "toInteger(null)", "5l", "-9l", "toShort(6)", "toByte(3)",
	"2.5", "-0.5", "100.0", "0.001", "1.0E10", "toDouble(null)", "1.5f", "toDecimal('1.25', 10, 2)", "toDecimal('-7.5', 6, 3)",
	"date'2026-02-27'", "date'2024-02-29'", "date'1969-12-31'", "timestamp'2026-01-02 03:04:05.678'", "timestamp'1999-12-31 23:59:59'",
	"true", "false", "toBoolean(null)", "[1, 2, 2]", "[3, null]", "['a', 'b']", "[2.5, 1.0]", "null", "binary'616263'", "['a' -> 1]",
	"'yyyy-MM-dd'", "'Europe/Oslo'",
}

// columns are those of the rows that random aggregates see.
var columns = map[string]schema.Type{
	"x": schema.Integer, "y": schema.Double, "s": schema.String, "d": schema.Decimal{Precision: 10, Scale: 2}, "c": schema.Boolean,
}

const columnRows = ` FROM (VALUES
	(1, CAST(2.5 AS DOUBLE), 'a', CAST(1.10 AS DECIMAL(10,2)), true), (2, CAST(NULL AS DOUBLE), 'b', CAST(2.25 AS DECIMAL(10,2)), false),
	(2, CAST(-1.0 AS DOUBLE), NULL, CAST(NULL AS DECIMAL(10,2)), true), (NULL, CAST(7.25 AS DOUBLE), 'a', CAST(-3.00 AS DECIMAL(10,2)), NULL),
	(9, CAST(0.5 AS DOUBLE), 'c', CAST(100.00 AS DECIMAL(10,2)), true)) AS t(x, y, s, d, c))`

// drawn is a call at random, whether or not a form fits it.
func drawn(r *rand.Rand, table *function.Table, name string) (text string, aggregate bool) {
	aggregate = table.Lookup(name).Kind == function.Aggregate
	args := make([]string, r.IntN(6))
	for i := range args {
		args[i] = operands[r.IntN(len(operands))]
		if aggregate {
			args[i] = string("xysdc"[r.IntN(5)])
		}
	}
	return name + "(" + strings.Join(args, ", ") + ")", aggregate
}

// TestCallsRun holds that whatever resolves runs, and has the type that it is
// said to have.
func TestCallsRun(t *testing.T) {
	table := load(t)
	conn := session(t)
	r := rand.New(rand.NewPCG(8, 8))
	for _, name := range table.Names() {
		if f := table.Lookup(name); !f.Runs() || f.Kind == function.Window || strings.HasPrefix(name, "=") {
			continue
		}
		ran := 0
		for tries := 0; tries < 3000 && ran < 25; tries++ {
			text, aggregate := drawn(r, table, name)
			x, err := bind(t, table, function.DuckDB, text, columns)
			if err != nil {
				continue
			}
			ran++
			from := ""
			if aggregate {
				from = strings.TrimSuffix(columnRows, ")")
			}
			var got string
			query := "SELECT typeof(v) FROM (SELECT " + x.sql + " AS v" + from + ")"
			if err := conn.QueryRowContext(t.Context(), query).Scan(&got); err != nil {
				if !mayFail(err) {
					t.Errorf("%s: %v\n%s", text, err, query)
				}
				continue
			}
			if want := function.TypeSQL(function.DuckDB, x.typ); got != want && got != `"NULL"` && !loose(x.typ) {
				t.Errorf("%s: found the type %s, want %s\n%s", text, got, want, query)
			}
		}
	}
}

// mayFail reports whether a row may end the run: a pattern, format, zone or size
// that is none, or a number that its type does not hold.
func mayFail(err error) bool {
	for _, text := range []string{"want ", "Unknown TimeZone", "Out of Range", "out of range", "Overflow", "Conversion Error"} {
		if strings.Contains(fmt.Sprint(err), text) {
			return true
		}
	}
	return false
}

// loose reports whether a type holds that of null, which engines write as they
// like.
func loose(typ schema.Type) bool {
	switch typ := typ.(type) {
	case schema.Array:
		return loose(typ.Element)
	case schema.Map:
		return loose(typ.Key) || loose(typ.Value)
	}
	return typ == schema.Unknown
}
