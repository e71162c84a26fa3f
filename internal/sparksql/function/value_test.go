package function_test

import (
	"errors"
	"slices"
	"testing"

	"landfall/internal/schema"
	"landfall/internal/sparksql/function"
)

// TestCasts holds casts against what Spark makes of them.
func TestCasts(t *testing.T) {
	conn := session(t)
	for _, e := range casts() {
		got := ask(t, conn, e)
		switch {
		case e.Value == "error" && got.err == "":
			t.Errorf("%s: found %s, want an error", e.Expr, got.value)
		case e.Value != "error" && (got.err != "" || got.value != e.Value):
			t.Errorf("%s: found %s %s, want %s", e.Expr, got.value, got.err, e.Value)
		}
	}
}

// casts are casts and operators with the values they have in Spark.
func casts() []function.Example {
	return []function.Example{
		{Expr: "CAST(' 42 ' AS int)", Value: "42"},
		{Expr: "CAST('42.7' AS int)", Value: "error"},
		{Expr: "TRY_CAST('42.7' AS int)", Value: "NULL"},
		{Expr: "TRY_CAST('1_000' AS int)", Value: "NULL"},
		{Expr: "CAST(2.5 AS int)", Value: "2"},
		{Expr: "CAST(-2.7e0 AS int)", Value: "-2"},
		{Expr: "CAST(3e9 AS int)", Value: "error"},
		{Expr: "CAST('5d' AS double)", Value: "5.0"},
		{Expr: "CAST(1e7 AS string)", Value: "1.0E7"},
		{Expr: "CAST('2026-01' AS date)", Value: "2026-01-01"},
		{Expr: "CAST('2026-02-30' AS date)", Value: "error"},
		{Expr: "TRY_CAST('2026-01-02 24:00:00' AS timestamp)", Value: "NULL"},
		{Expr: "CAST('2026-01-02T03:04:05+02:00' AS timestamp)", Value: "2026-01-02 01:04:05"},
		{Expr: "CAST('2026-01-02T03:04:05+02:00' AS timestamp_ntz)", Value: "2026-01-02 03:04:05"},
		{Expr: "CAST(TIMESTAMP'2026-01-02 03:04:05.12' AS string)", Value: "2026-01-02 03:04:05.12"},
		{Expr: "CAST(TIMESTAMP'1969-12-31 23:59:59.5' AS bigint)", Value: "-1"},
		{Expr: "CAST('on' AS boolean)", Value: "error"},
		{Expr: "CAST('Yes' AS boolean)", Value: "true"},
		{Expr: "CAST(array(1, NULL) AS array<string>)", Value: "[1, null]"},
		{Expr: "1 / 0", Value: "error"},
		{Expr: "NULL / 0", Value: "NULL"},
		{Expr: "5 % 0", Value: "error"},
		{Expr: "7 / 2", Value: "3.5"},
		{Expr: "-7 div 2", Value: "-3"},
		{Expr: "2147483647 + 1", Value: "error"},
		{Expr: "CAST(10 AS decimal(10,2)) / CAST(3 AS decimal(10,2))", Value: "3.3333333333333"},
		{Expr: "CAST(1.25 AS decimal(10,2)) * CAST(1.5 AS decimal(10,2))", Value: "1.8750"},
		{Expr: "CAST(1234567890.12 AS decimal(12,2)) * CAST(9876543210.98 AS decimal(12,2))", Value: "12193263113658588617.5176"},
		{Expr: "CAST(9999999999999999.99 AS decimal(18,2)) + CAST(9999999999999999.99 AS decimal(18,2))", Value: "19999999999999999.98"},
		{Expr: "CAST(-10 AS decimal(10,2)) / 3", Value: "-3.333333"},
		{Expr: "CAST(2 AS decimal(10,2)) / CAST(-3 AS decimal(10,2))", Value: "-0.6666666666667"},
		{Expr: "CAST(9999999999999999.99 AS decimal(18,2)) / CAST(0.01 AS decimal(18,2))", Value: "999999999999999999.00000000000000000000"},
		{Expr: "CAST('2026-01-02T03:04:05.123456789Z' AS timestamp)", Value: "2026-01-02 03:04:05.123456"},
		{Expr: "1 = '1'", Value: "true"},
		{Expr: "1 = 'a'", Value: "error"},
		{Expr: "NULL <=> NULL", Value: "true"},
		{Expr: "DATE'2026-01-31' + INTERVAL 1 MONTH", Value: "2026-02-28"},
		{Expr: "DATE'2026-01-01' + 1", Value: "2026-01-02"},
		{Expr: "TIMESTAMP'2026-01-01 00:00:00' - INTERVAL 90 MINUTES", Value: "2025-12-31 22:30:00"},
		{Expr: "'2026-01-01' + INTERVAL 1 DAY", Value: "2026-01-02 00:00:00"},
		{Expr: "2 ^ 10", Value: "8"},
		{Expr: "'a' || 1", Value: "a1"},
	}
}

// TestMisuse holds what is said of wrong calls.
func TestMisuse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"upper()", "upper: found 0 arguments, want 1 argument"},
		{"year(true)", "year, argument 1: found boolean, want date; cast it"},
		{"transform(1, x -> x)", "transform, argument 1: found int, want array<T>; cast it"},
		{"'a' rlike '(?=b)'", "rlike, argument 2: found regular expression"},
		{"array(1) + 1", "+: found array<int> and int, want numbers; cast one of them"},
		{"CAST(true AS date)", "cast, argument 1: found boolean, want a type whose values become date"},
		{"row_number()", "row_number: found no window, want OVER"},
		{"corr(DISTINCT 1, 2)", "corr: found DISTINCT, want none in a call"},
		{"upper('a') FILTER (WHERE true)", "upper: found FILTER, want an aggregate"},
	} {
		_, _, err := read(c.text, nil)
		var m *function.Misuse
		if !errors.As(err, &m) || len(err.Error()) < len(c.want) || err.Error()[:len(c.want)] != c.want {
			t.Errorf("%s: found %v, want %s", c.text, err, c.want)
		}
	}
}

// TestNames holds that no name stands for two functions.
func TestNames(t *testing.T) {
	names := function.Names()
	if unique := slices.Compact(slices.Clone(names)); len(unique) != len(names) {
		t.Error("a name stands for two functions")
	}
	f, ok := function.Lookup("SubStr")
	if !ok || f.Name() != "substring" {
		t.Error("SubStr is not found")
	}
}

func TestCommon(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"int", "bigint", "bigint"},
		{"int", "float", "double"},
		{"float", "double", "double"},
		{"int", "string", "bigint"},
		{"decimal(10,2)", "string", "double"},
		{"date", "string", "date"},
		{"date", "timestamp", "timestamp"},
		{"date", "timestamp_ntz", "timestamp_ntz"},
		{"timestamp", "timestamp_ntz", "timestamp"},
		{"int", "decimal(5,2)", "decimal(12,2)"},
		{"bigint", "decimal(38,10)", "decimal(38,10)"},
		{"array<int>", "array<string>", "array<bigint>"},
		{"boolean", "int", ""},
		{"boolean", "string", "boolean"},
		{"void", "date", "date"},
	} {
		a, err := schema.ParseDDL(c.a)
		if err != nil {
			t.Fatal(err)
		}
		b, err := schema.ParseDDL(c.b)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			got, ok := function.Common(a, b)
			if ok != (c.want != "") || ok && got.String() != c.want {
				t.Errorf("%s and %s: found %v, want %s", c.a, c.b, got, c.want)
			}
			a, b = b, a
		}
	}
}
