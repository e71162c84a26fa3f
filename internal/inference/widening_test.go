package inference_test

import (
	"fmt"
	"testing"

	"landfall/internal/column"
	"landfall/internal/column/columntest"
	"landfall/internal/inference"
	"landfall/internal/schema"
)

func parse(t *testing.T, text string) schema.Type {
	t.Helper()
	typ, err := schema.ParseDDL(text)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// in is the evidence of JSON values in one column.
func in(t *testing.T, values ...string) *column.Evidence {
	t.Helper()
	for i := range values {
		values[i] = `{"v":` + values[i] + `}`
	}
	e := columntest.Trees(t, values...)
	return &e.Fields[0].Evidence
}

// The record of the first value that a wider type would take, 0 for none.
func TestExceeds(t *testing.T) {
	for _, c := range []struct {
		typ    string
		rules  inference.Rules
		values []string
		want   int64
	}{
		{"bigint", inference.Rules{}, []string{"1", "2.0", `"2.5"`}, 0},
		{"bigint", inference.Rules{}, []string{"1", `"x"`, "2.5"}, 3},
		{"bigint", inference.Rules{PrefersDecimal: true}, []string{"1", `"2.5"`, "2.5"}, 2},
		{"bigint", inference.Rules{Strings: true}, []string{"2.5"}, 0},
		{"bigint", inference.Rules{}, []string{"9223372036854775807", "9223372036854775808"}, 2},
		{"smallint", inference.Rules{}, []string{"9999"}, 0},
		{"smallint", inference.Rules{}, []string{"99999"}, 1},
		{"decimal(4,2)", inference.Rules{}, []string{"99.99", "7"}, 0},
		{"decimal(4,2)", inference.Rules{}, []string{"99.99", "100"}, 1}, // the classes tell no digits of their own
		{"decimal(4,2)", inference.Rules{}, []string{"7", "0.125"}, 2},
		{"double", inference.Rules{}, []string{"9007199254740993"}, 0},
		{"date", inference.Rules{}, []string{`"2026-11-30"`, `"2026-11-30T10:00:00"`}, 2},
	} {
		m := inference.Method{Rules: c.rules}
		if got, some := m.Exceeds(parse(t, c.typ), in(t, c.values...)); got != c.want || some != (c.want > 0) {
			t.Errorf("%s of %v: got %d, %v, want %d", c.typ, c.values, got, some, c.want)
		}
	}
}

func TestHolds(t *testing.T) {
	for _, c := range []struct {
		from, to string
		values   []string
		want     bool
	}{
		{"bigint", "double", []string{"1", `"2"`}, true},
		{"bigint", "double", []string{"1", "9007199254740993"}, false},
		{"bigint", "double", []string{"1", `"9007199254740993"`}, false},
		{"int", "double", []string{`"9007199254740993"`}, true}, // no int is that long
		{"bigint", "decimal(3,1)", []string{"12", `"34"`}, true},
		{"bigint", "decimal(3,1)", []string{"12", `"345"`}, false},
		{"bigint", "int", []string{"1"}, false},
		{"bigint", "string", []string{"1"}, false},
		{"float", "double", []string{"null"}, true},
		{"float", "double", []string{"0.1"}, false},
		{"double", "decimal(3,1)", []string{"2.5"}, false},
		{"decimal(3,1)", "double", []string{"2.5"}, false},
	} {
		if got := (inference.Method{}).Holds(parse(t, c.from), parse(t, c.to), in(t, c.values...)); got != c.want {
			t.Errorf("%s in %s, of %v: got %v", c.from, c.to, c.values, got)
		}
	}
	if !(inference.Method{Strict: true}).Holds(schema.Long, schema.Double, in(t, "1", `"9007199254740993"`)) {
		t.Error("a string that no bigint takes is none")
	}
	for from, want := range map[string]bool{"int": true, "bigint": false, "float": true, "string": false} {
		e := columntest.Typed(t, "v: "+from, `{"v":`+map[bool]string{true: `"7"`, false: "7"}[from == "string"]+`}`)
		e.Fields[0].Types[0].Inexact = 1
		if got := (inference.Method{}).Holds(schema.Long, schema.Double, &e.Fields[0].Evidence); got != want {
			t.Errorf("values of files of %s in bigint and double: got %v", from, got)
		}
	}
}

// A decimal is in a float by its digits, which are another number as a double; a
// number with too many for a float wants a double.
func TestFloats(t *testing.T) {
	for _, c := range []struct {
		typ, value     string
		holds, exceeds bool
	}{
		{"decimal(3,1)", "4.9", false, false},
		{"decimal(3,1)", "4", true, false},
		{"decimal(10,2)", "1234567.89", false, true},
		{"int", "16777217", true, true},
		{"int", "5", true, false},
		{"float", "4.5", true, false},
		{"double", "0.1", true, true},
	} {
		e := columntest.Typed(t, "v: "+c.typ, `{"v":`+c.value+`}`)
		of := &e.Fields[0].Evidence
		if got := (inference.Method{}).Holds(schema.Float, schema.Double, of); got != c.holds {
			t.Errorf("%s %s in float and double: got %v", c.typ, c.value, got)
		}
		if _, got := (inference.Method{}).Exceeds(schema.Float, of); got != c.exceeds {
			t.Errorf("%s %s beyond float: got %v", c.typ, c.value, got)
		}
	}
}

// Of evidence without text the rest is left, and the evidence stays as it was.
func TestUntexted(t *testing.T) {
	e := in(t, "1", "2.5", `"7"`, `"x"`, `"02134"`, "true")
	e.Types = []column.Declared{{Type: "bigint", Count: 2}, {Type: "string", Count: 1}}
	before := fmt.Sprint(*e)
	left := inference.Method{}.Untexted(e)
	if got := fmt.Sprint(left.Bare, left.Strings, left.Types); got != "[{integer 1 1} {decimal 1 2} {boolean 1 6}] [{integer 1 3}] [{bigint 2 0 0 0 0 0}]" {
		t.Errorf("left %s", got)
	}
	if left := (inference.Method{Strict: true}).Untexted(e); len(left.Strings) > 0 || len(left.Bare) != 3 {
		t.Errorf("where strings are no numbers, left %+v", left)
	}
	if after := fmt.Sprint(*e); after != before {
		t.Errorf("became %s, was %s", after, before)
	}
}
