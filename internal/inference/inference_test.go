package inference_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"landfall/internal/column/columntest"
	"landfall/internal/inference"
	"landfall/internal/parquetfile"
	"landfall/internal/schema"
)

// see is what objects of JSON rows say of a path.
func see(t *testing.T, exact bool, objects ...[]string) *inference.Sight {
	t.Helper()
	s := &inference.Sight{}
	for i, rows := range objects {
		e := columntest.Trees(t, rows...)
		s.Add(fmt.Sprint(i), &e, exact)
	}
	return s
}

func TestMethods(t *testing.T) {
	objects := [][]string{{`{"a":1,"o":{"x":null}}`, `{"A":"2"}`}, {`{"o":{"X":"7","y":[]}}`}}
	for want, m := range map[string]inference.Method{
		"struct<a:bigint,o:struct<x:string,y:void>>":             {},
		"struct<a:string,o:struct<x:string,y:void>>":             {Rules: inference.Rules{Strings: true}},
		"struct<a:decimal(1,0),o:struct<x:decimal(1,0),y:void>>": {Rules: inference.Rules{PrefersDecimal: true}},
		"struct<a:bigint,o:struct<x:string>>":                    {Rules: inference.Rules{DropAllNull: true}},
	} {
		if got := m.Infer(see(t, false, objects...), 0).String(); got != want {
			t.Errorf("%+v: got %s, want %s", m, got, want)
		}
	}
	exact := inference.Method{CaseSensitive: true}
	if got := exact.Infer(see(t, true, objects...), 0).String(); got != "struct<a:bigint,o:struct<x:void,y:void>>" {
		t.Errorf("exact: got %s", got)
	}
	strict := inference.Method{Strict: true}
	if got := strict.Infer(see(t, false, objects...), 0).String(); got != "struct<a:string,o:struct<x:string,y:void>>" {
		t.Errorf("strict: got %s", got)
	}
}

func TestRoom(t *testing.T) {
	room, full := 3, []string{}
	m := inference.Method{Room: &room, Full: func(file string) { full = append(full, file) }}
	got := m.Infer(see(t, false, []string{`{"a":1,"o":{"x":1}}`}, []string{`{"o":{"y":1},"b":2}`}), 0)
	if got.String() != "struct<a:bigint,o:struct<x:bigint>>" || room != 0 || fmt.Sprint(full) != "[1 1]" {
		t.Errorf("got %s, room for %d, full in %v", got, room, full)
	}
}

func TestSight(t *testing.T) {
	s := see(t, false, []string{`{"a":null}`, `{"A":null,"a":null}`}, []string{`{"b":[{"c":1}]}`, `{"A":1}`}, []string{`{"a":2}`})
	a := s.Members[0]
	if got := fmt.Sprintf("%s %v %s:%d of %d", a.Name(), a.Casings, a.File, a.Record, a.Objects); got != "a [{a 0 1 2} {A 0 2 2}] 1:2 of 2" {
		t.Errorf("got %s", got)
	}
	if c := s.Members[1].Element.Members[0]; c.Name() != "c" || c.Record != 1 || c.File != "1" {
		t.Errorf("got %+v", c)
	}
	v := see(t, false, []string{`{"k":{"x":1},"l":{"X":2.5,"y":[1]}}`}).Values()
	if got := (inference.Method{}).Infer(v, 0).String(); got != "struct<x:double,y:array<bigint>>" {
		t.Errorf("as a map: got %s", got)
	}
}

// What is nested deeper than types are is text, and files can be written of it.
func TestNesting(t *testing.T) {
	for _, around := range []string{`[%s]`, `{"f":%s}`, `[{"f":%s}]`} {
		value, levels := "1", strings.Count(around, "[")+strings.Count(around, "{")
		for range 150 / levels {
			value = fmt.Sprintf(around, value)
		}
		e := columntest.Trees(t, value)
		typ := infer(inference.Method{}, &e)
		if got := depth(typ); got != schema.MaxNesting {
			t.Errorf("%s is nested %d deep", around, got)
		}
		table := schema.Struct{Fields: []schema.Field{{Name: "c", Type: typ, Nullable: true}}}
		if _, err := parquetfile.NewWriter(io.Discard, table, parquetfile.Options{}); err != nil {
			t.Errorf("%s: %v", around, err)
		}
	}
}

// depth is how many structs and arrays are around the first leaf of a type.
func depth(t schema.Type) int {
	switch t := t.(type) {
	case schema.Array:
		return 1 + depth(t.Element)
	case schema.Struct:
		return 1 + depth(t.Fields[0].Type)
	default:
		return 0
	}
}

func TestWeigh(t *testing.T) {
	for _, c := range []struct {
		typ, values string
		want        inference.Verdict
	}{
		{"bigint", "1 1 1 N/A", inference.Single},
		{"bigint", "2.5", inference.Wider},
		{"bigint", "1.5E-7", inference.Conflict},
		{"bigint", "007", inference.Conflict},
		{"double", "9007199254740993", inference.Conflict},
		{"date", "2026-11-30T10:00:00Z", inference.Wider},
		{"date", "x", inference.Conflict},
	} {
		typ, err := schema.ParseDDL(c.typ)
		if err != nil {
			t.Fatal(err)
		}
		var rows [][]string
		for _, v := range strings.Fields(c.values) {
			rows = append(rows, []string{v})
		}
		e := columntest.Cells([]string{"v"}, rows...)
		s := &inference.Sight{}
		s.Add("", &e.Fields[0].Evidence, false)
		if got := (inference.Method{}).Weigh(typ, s); got != c.want {
			t.Errorf("%s in %s: got %d, want %d", c.values, c.typ, got, c.want)
		}
	}
}
