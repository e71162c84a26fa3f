package function_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"landfall/internal/plan/function"
	"landfall/internal/schema"
)

// TestCounts holds that no function is missing: the service documents 266, and
// one operator stands for none of them.
func TestCounts(t *testing.T) {
	table := load(t)
	kinds := map[function.Kind]int{}
	runs := 0
	for _, name := range table.Names() {
		f := table.Lookup(name)
		kinds[f.Kind]++
		if f.Runs() {
			runs++
		}
	}
	want := map[function.Kind]int{
		function.Scalar: 156, function.Conversion: 28, function.Aggregate: 44, function.Window: 7,
		function.Metafunction: 15, function.Marker: 9, function.Sequence: 4, function.Cached: 4,
	}
	if !maps.Equal(kinds, want) {
		t.Errorf("found the kinds %v, want %v", kinds, want)
	}
	if n := len(table.Names()); n != 266+1 {
		t.Errorf("found %d functions, want 267", n)
	}
	if runs < 230 {
		t.Errorf("found %d functions that run, want 230", runs)
	}
}

// TestTable holds each entry to what every entry must say.
func TestTable(t *testing.T) {
	table := load(t)
	for _, name := range table.Names() {
		f := table.Lookup(name)
		switch {
		case f.Does == "" || !strings.HasSuffix(f.Does, "."):
			t.Errorf("%s: does: found %q, want a sentence", name, f.Does)
		case len(f.Forms) == 0:
			t.Errorf("%s: found no forms", name)
		case f.Runs() && len(f.Examples) == 0:
			t.Errorf("%s: runs without an example", name)
		case f.Refused != "" && f.Bound != "":
			t.Errorf("%s: is refused and bound", name)
		}
	}
}

func args(types ...schema.Type) []function.Argument {
	out := make([]function.Argument, len(types))
	for i, t := range types {
		out[i].Type = t
	}
	return out
}

func TestResolve(t *testing.T) {
	table := load(t)
	dec := func(p, s int) schema.Type { return schema.Decimal{Precision: p, Scale: s} }
	list := func(e schema.Type) schema.Type { return schema.Array{Element: e, ContainsNull: true} }
	for _, c := range []struct {
		name string
		args []schema.Type
		want schema.Type
	}{
		{"add", []schema.Type{schema.Integer, schema.Long}, schema.Long},
		{"add", []schema.Type{schema.Integer, schema.Double}, schema.Double},
		{"add", []schema.Type{dec(10, 2), schema.Integer}, dec(13, 2)},
		{"add", []schema.Type{dec(38, 10), dec(38, 0)}, dec(38, 6)},
		{"add", []schema.Type{schema.String, schema.String}, schema.String},
		{"add", []schema.Type{schema.Date, schema.Short}, schema.Date},
		{"add", []schema.Type{list(schema.Integer), list(schema.Long)}, list(schema.Long)},
		{"multiply", []schema.Type{dec(10, 2), dec(5, 3)}, dec(16, 5)},
		{"divide", []schema.Type{dec(10, 2), dec(10, 2)}, dec(23, 13)},
		{"divide", []schema.Type{schema.Integer, schema.Integer}, schema.Double},
		{"divide", []schema.Type{dec(10, 2), schema.Float}, schema.Double},
		{"iif", []schema.Type{schema.Boolean, schema.Unknown, schema.Date}, schema.Date},
		{"iif", []schema.Type{schema.Boolean, schema.Date, schema.Timestamp}, schema.Timestamp},
		{"coalesce", []schema.Type{schema.Byte, dec(4, 2)}, dec(5, 2)},
		{"year", []schema.Type{schema.TimestampNTZ}, schema.Integer},
	} {
		got, err := table.Resolve(c.name, args(c.args...))
		if err != nil {
			t.Errorf("%s%v: %v", c.name, c.args, err)
		} else if got.Result.String() != c.want.String() {
			t.Errorf("%s%v: found %s, want %s", c.name, c.args, got.Result, c.want)
		}
	}
}

func TestFaults(t *testing.T) {
	table := load(t)
	for _, c := range []struct {
		name     string
		args     []function.Argument
		reason   function.Reason
		argument int
		want     string
	}{
		{"uper", args(schema.String), function.NotKnown, 0, "uper: there is no such function, the nearest is upper"},
		{"qqqqqqqq", nil, function.NotKnown, 0, "qqqqqqqq: there is no such function"},
		{"upper", args(schema.Integer), function.WrongType, 1, "upper: argument 1: found integer, want string"},
		{"upper", nil, function.WrongCount, 0, "upper: found 0 arguments, want (s string) string"},
		{"add", args(schema.String, schema.Integer), function.WrongType, 2, "add: argument 2: found integer, want string"},
		{"equals", args(schema.String, schema.Integer), function.WrongType, 2, "equals: argument 2: found integer, want string"},
		{"iif", args(schema.String, schema.Integer), function.WrongType, 1, "iif: argument 1: found string, want boolean"},
		{"toDecimal", args(schema.String, schema.Integer, schema.Integer), function.NoConstant, 2, "toDecimal: argument 2: found integer, want the constant integral"},
		{"filter", args(schema.String, schema.Boolean), function.WrongType, 1, "filter: argument 1: found string, want T[]"},
		{"toDecimal", []function.Argument{{Type: schema.String}, {Type: schema.Integer, Literal: int64(39)}}, function.BadPattern, 2, "toDecimal: argument 2: found 39, want a precision from 1 to 38"},
		{"toDecimal", []function.Argument{{Type: schema.String}, {Type: schema.Integer, Literal: int64(5)}, {Type: schema.Integer, Literal: int64(6)}}, function.BadPattern, 3, "toDecimal: argument 3: found 6, want a scale from 0 to the precision"},
		{"random", nil, function.NotRun, 0, ""},
	} {
		_, err := table.Resolve(c.name, c.args)
		var fault *function.Fault
		if !errors.As(err, &fault) {
			t.Errorf("%s: found the error %v, want a fault", c.name, err)
			continue
		}
		if fault.Reason != c.reason || fault.Argument != c.argument || c.want != "" && fault.Error() != c.want {
			t.Errorf("%s: found %s of argument %d: %v\nwant %s of argument %d: %s", c.name, fault.Reason, fault.Argument, fault, c.reason, c.argument, c.want)
		}
	}
}

// TestPatternsAreChecked finds a bad constant before a row is seen.
func TestPatternsAreChecked(t *testing.T) {
	table := load(t)
	for _, c := range [][2]string{{"rlike", `a(?=b)`}, {"toDate", "bogus"}, {"rlike", `(`}, {"regexSplit", `a*+`}} {
		call, err := table.Resolve(c[0], []function.Argument{{Type: schema.String}, {Type: schema.String, Literal: c[1]}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = call.SQL(function.DuckDB, []string{"a", function.Quote(function.DuckDB, c[1])})
		var fault *function.Fault
		if !errors.As(err, &fault) || fault.Reason != function.BadPattern || fault.Argument != 2 {
			t.Errorf("%s of %q: found the error %v, want a bad pattern", c[0], c[1], err)
		}
	}
}
