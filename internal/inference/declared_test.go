package inference_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/column/columntest"
	"landfall/internal/inference"
	"landfall/internal/schema"
)

// files draws files of one column, as a type and rows.
func files() *rapid.Generator[[2]string] {
	scalars := [][]string{
		{"int", "1", "-70000"},
		{"tinyint", "0", "7"},
		{"bigint", "1", "9007199254740993", "9223372036854775807"},
		{"float", "1.5", "3"},
		{"double", "2.5", "3", `"-0"`, `"NaN"`, "1e300"},
		{"decimal(18,2)", `"99.90"`, `"1234567890123456.78"`},
		{"decimal(38,30)", `"0.5"`, `"0.123456789012345678901234567891"`},
		{"decimal(38,0)", `"7"`, `"12345678901234567890123456789012345678"`},
		{"string", `"x"`, `"1"`},
		{"binary", `"ff"`, `"41"`},
		{"boolean", "true"},
		{"date", `"2026-11-30"`},
		{"timestamp", `"2026-11-30T10:00:00Z"`},
		{"void"},
	}
	return rapid.Custom(func(t *rapid.T) [2]string {
		of := rapid.SampledFrom(scalars).Draw(t, "type")
		typ, values := of[0], append([]string{"null"}, of[1:]...)
		rows := rapid.SliceOfN(rapid.SampledFrom(values), 0, 3).Draw(t, "values")
		switch rapid.IntRange(0, 5).Draw(t, "nested") {
		case 0:
			return [2]string{"array<" + typ + ">", "[" + strings.Join(rows, ",") + "]"}
		case 1:
			name := rapid.SampledFrom([]string{"a", "A", "b"}).Draw(t, "name")
			typ = "struct<" + name + ":" + typ + ">"
			for i := range rows {
				rows[i] = fmt.Sprintf(`{"v":{"%s":%s}}`, name, rows[i])
			}
			return [2]string{typ, strings.Join(rows, "\n")}
		case 2:
			return [2]string{"map<string," + typ + ">", ""}
		}
		for i := range rows {
			rows[i] = `{"v":` + rows[i] + `}`
		}
		return [2]string{typ, strings.Join(rows, "\n")}
	})
}

// declares is the evidence of one file.
func declares(t testing.TB, file [2]string) *column.Evidence {
	rows := strings.Split(file[1], "\n")
	switch {
	case file[1] == "":
		rows = nil
	case file[1][0] == '[':
		rows[0] = `{"v":` + rows[0] + `}`
	}
	e := columntest.Typed(t, "v "+file[0], rows...)
	return &e.Fields[0].Evidence
}

// The type depends on the set of files alone, and on what their values are known
// to be, not on how they were cut.
func TestDeclaredOrderLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var all []*column.Evidence
		for _, f := range rapid.SliceOfN(files(), 1, 6).Draw(rt, "files") {
			all = append(all, declares(t, f))
		}
		typ := infer(inference.Method{}, all...)
		want := sorted(typ).String()
		shuffled := rapid.Permutation(all).Draw(rt, "order")
		if got := sorted(infer(inference.Method{}, shuffled...)).String(); got != want {
			rt.Fatalf("in another order: got %s, want %s", got, want)
		}
		var one column.Evidence
		for _, e := range shuffled {
			one.Merge(e)
		}
		if got := sorted(infer(inference.Method{}, &one)).String(); got != want {
			rt.Fatalf("as one object: got %s, want %s", got, want)
		}
		// Nothing of the batch is a misfit of the type that it gives, and the
		// rules for text have no say.
		s := &inference.Sight{}
		for _, e := range all {
			s.Add("", e, false)
		}
		if shape := strings.Trim(typ.String(), "(),0123456789"); typ != schema.String && !strings.Contains(shape, "<") {
			if v := (inference.Method{}).Weigh(typ, s); v != inference.Single {
				rt.Fatalf("%s: weighs %d", typ, v)
			}
		}
		text := inference.Method{Rules: inference.Rules{Strings: true, PrefersDecimal: true, PrimitivesAsString: true, Agreement: 1, NullLikesVote: true}, Strict: true}
		if got := sorted(infer(text, all...)).String(); got != want {
			rt.Fatalf("under rules for text: got %s, want %s", got, want)
		}
	})
}

func TestWeighDeclared(t *testing.T) {
	for _, c := range []struct {
		typ, file string
		want      inference.Verdict
	}{
		{"int", "bigint [3000000000]", inference.Wider},
		{"int", "bigint [null]", inference.Single},
		{"int", "bigint []", inference.Single},
		{"bigint", "int [1]", inference.Single},
		{"bigint", "decimal(18,2) [2.5]", inference.Wider},
		{"bigint", "double [2.5]", inference.Conflict},
		{"bigint", "double [3]", inference.Single},
		{"int", "double [3000000000]", inference.Wider},
		{"int", "void [null]", inference.Single},
		{"int", `string ["42"]`, inference.Conflict},
		{"int", "boolean [true]", inference.Conflict},
		{"int", "array<int> [[1]]", inference.Conflict},
		{"int", "array<int> [null]", inference.Single},
		{"double", "bigint [9007199254740993]", inference.Conflict},
		{"double", "bigint [7]", inference.Single},
		{"double", "decimal(18,2) [99.90]", inference.Single},
		{"double", "float [1.5]", inference.Single},
		{"float", "double [0.1]", inference.Wider},
		{"decimal(18,2)", "decimal(20,4) [1.2345]", inference.Wider},
		{"decimal(18,2)", "double [1.5]", inference.Conflict},
		{"decimal(18,2)", "int [1]", inference.Single},
		{"decimal(38,0)", "decimal(38,10) [1.5]", inference.Conflict},
		{"decimal(38,0)", "decimal(38,10) [15]", inference.Single},
		{"date", `timestamp ["2026-11-30T10:00:00Z"]`, inference.Wider},
		{"timestamp", `date ["2026-11-30"]`, inference.Single},
		{"string", "int [1]", inference.Single},
		{"string", `binary ["41"]`, inference.Single},
		{"string", `binary ["ff"]`, inference.Conflict},
		{"binary", `string ["x"]`, inference.Single},
	} {
		typ, err := schema.ParseDDL(c.typ)
		if err != nil {
			t.Fatal(err)
		}
		s := &inference.Sight{}
		s.Add("", file(t, c.file), false)
		if got := (inference.Method{}).Weigh(typ, s); got != c.want {
			t.Errorf("%s in %s: got %d, want %d", c.file, c.typ, got, c.want)
		}
	}
}

// A source whose files change from text to types keeps what is known of both.
func TestTextBesideTypes(t *testing.T) {
	for _, c := range []struct {
		text []string
		file string
		want string
	}{
		{[]string{"1", "2"}, "int [7]", "bigint"},
		{[]string{"1", "2"}, "double [2.5]", "double"},
		{[]string{"9007199254740993"}, "double [2.5]", "string"},
		{[]string{"2.5"}, "bigint [9007199254740993]", "string"},
		{[]string{"12345678901234567.89"}, "int [7]", "decimal(19,2)"},
		{[]string{"02134"}, "int [7]", "string"},
		{[]string{"N/A"}, "int [7]", "string"},
		{[]string{"∅"}, "int [7]", "int"},
		{[]string{"2026-11-30"}, `timestamp ["2026-11-30T10:00:00Z"]`, "timestamp"},
	} {
		var rows [][]string
		for _, v := range c.text {
			rows = append(rows, []string{v})
		}
		e := columntest.Cells([]string{"v"}, rows...)
		if got := infer(inference.Method{}, &e.Fields[0].Evidence, file(t, c.file)).String(); got != c.want {
			t.Errorf("%v and %s: got %s, want %s", c.text, c.file, got, c.want)
		}
	}
}

func TestMapsAndStructs(t *testing.T) {
	s := &inference.Sight{}
	s.Add("a", file(t, `map<string,struct<x:int>> [{"k":{"x":1}},null]`), false)
	s.Add("b", file(t, `map<string,struct<X:bigint>> [null,{"k":{"X":1}}]`), false)
	v := s.Values()
	if got := (inference.Method{}).Infer(v, 0).String(); got != "struct<x:bigint>" || v.File != "a" || v.Objects != 2 {
		t.Errorf("values: got %s, in %d objects from %s", got, v.Objects, v.File)
	}
	if got := (inference.Method{}).Infer(s.Key, 0); got != schema.String {
		t.Errorf("keys: got %s", got)
	}
	none := &inference.Sight{}
	none.Add("c", file(t, "int []"), false)
	none.Add("d", file(t, "int []"), false)
	if none.File != "c" || none.Objects != 0 {
		t.Errorf("declared only: got %d objects from %s", none.Objects, none.File)
	}
}
