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

// wild are values at which engines part: limits, signs of zero, letters of several
// parts, days that calendars and zones leave out.
var wild = []string{
	"'e\u0301a\u0308'", "'😀x😀'", "'İıſß'", "'\u200b \u00a0'", "'\t a\n'", "'ÅÉ'", "'%_\\\\'", "'a\\'b\"c'", "'NaN'", "'-0'", "'1e400'", "'Infinity'",
	"' 12 '", "'0012'", "'+5'", "'.5'", "'99999999999999999999'", "'2024-02-29'", "'2023-02-29'", "'0001-01-01'", "'9999-12-31 23:59:59'",
	"'2026-03-29 02:30:00'", "'2026-10-25 02:30:00'", "'12:00'", "'TRUE'", "'y'",
	"toDouble('NaN')", "-0.0", "toDouble('Infinity')", "toDouble('-Infinity')", "1.0E-320", "1.7976931348623157E308", "9007199254740993.0", "0.1", "2.675", "-2.5",
	"toFloat('NaN')", "3.4E38", "16777217", "2147483647", "-2147483648", "9223372036854775807l", "-9223372036854775807l", "toShort(-32768)", "toByte(127)",
	"toDecimal('99999999999999999999999999999999999999', 38, 0)", "toDecimal('-0.00000000000000000001', 38, 20)", "toDecimal('0.005', 10, 3)",
	"toDecimal('123456789012345678.99', 20, 2)", "toDecimal(toString(null), 5, 2)",
	"date'0001-01-01'", "date'9999-12-31'", "date'1900-02-28'", "date'2000-02-29'", "date'1582-10-15'", "date'2024-12-30'", "date'2021-01-03'",
	"timestamp'0001-01-01 00:00:00'", "timestamp'2026-03-29 01:30:00'", "timestamp'2026-03-29 02:30:00'", "timestamp'2026-10-25 00:30:00'",
	"timestamp'1969-12-31 23:59:59.999'", "timestamp'2024-02-29 12:00:00'", "timestamp'9999-12-31 23:59:59.999'",
	"toDate(toString(null))", "toTimestamp(toString(null))", "[null, null]", "[toString(null), '', 'a']", "[-0.0, 0.0, toDouble('NaN')]",
	"[toBoolean(null), true, false]", "[date'2024-02-29', toDate(toString(null))]", "[[1, null], [2]]", "binary''", "binary'00ff80'",
	"['' -> toInteger(null), 'é' -> 2]", "'America/New_York'", "'Asia/Kathmandu'", "'UTC'", "'HH:mm:ss.SSS'", "'dd/MM/yy'", "'[a-z]+'", "'(é|x)*'",
}

// columns are those of the rows that random aggregates see.
var columns = map[string]schema.Type{
	"z": schema.Double, "x": schema.Integer, "y": schema.Double, "s": schema.String, "d": schema.Decimal{Precision: 10, Scale: 2}, "c": schema.Boolean,
}

const columnRows = ` FROM (VALUES
	(1, CAST(2.5 AS DOUBLE), 'a', CAST(1.10 AS DECIMAL(10,2)), true, CAST('NaN' AS DOUBLE)),
	(2, CAST(NULL AS DOUBLE), 'b', CAST(2.25 AS DECIMAL(10,2)), false, CAST('-0.0' AS DOUBLE)),
	(2, CAST(-1.0 AS DOUBLE), NULL, CAST(NULL AS DECIMAL(10,2)), true, CAST('0.0' AS DOUBLE)),
	(NULL, CAST(7.25 AS DOUBLE), 'a', CAST(-3.00 AS DECIMAL(10,2)), NULL, CAST(NULL AS DOUBLE)),
	(9, CAST(0.5 AS DOUBLE), 'c', CAST(100.00 AS DECIMAL(10,2)), true, CAST('Infinity' AS DOUBLE))) AS t(x, y, s, d, c, z))`

// drawn is a call at random, whether or not a form fits it.
func drawn(r *rand.Rand, table *function.Table, name string, operands []string) (text string, aggregate bool) {
	aggregate = table.Lookup(name).Kind == function.Aggregate
	args := make([]string, r.IntN(6))
	for i := range args {
		args[i] = operands[r.IntN(len(operands))]
		if aggregate {
			args[i] = string("xysdcz"[r.IntN(6)])
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
			text, aggregate := drawn(r, table, name, operands)
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
