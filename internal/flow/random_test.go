package flow_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/flow"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/plan/function"
	"landfall/internal/schema"

	"pgregory.net/rapid"
)

// words draws one of some.
func words(t *rapid.T, list ...string) string { return rapid.SampledFrom(list).Draw(t, "word") }

// expression draws an expression, most of which make sense.
func expression(t *rapid.T, depth int) string {
	if depth == 0 {
		return words(t, "a", "b", "l", "s", "m", "z", "In@a", "s.x", "1", "2L", "1.5", "'t'", "true()", "null()", "$p", "$$", "$1", ":v", "#item", "name", "type", "position", "byName('d')", "columns()", "cache#output()")
	}
	x := func() string { return expression(t, depth-1) }
	switch rapid.IntRange(0, 13).Draw(t, "form") {
	case 0, 1:
		return x() + " " + words(t, "+", "-", "*", "/", "%", "==", "!=", "===", "<=>", "<", "&&", "||", "->") + " " + x()
	case 2:
		return words(t, "!", "-") + "(" + x() + ")"
	case 3:
		return "[" + x() + ", " + x() + "]"
	case 4:
		return "@(x = " + x() + ", y = " + x() + ")"
	case 5:
		return "(" + x() + ")[" + x() + "]"
	case 6:
		return "(" + x() + ").x"
	case 7:
		return "(" + x() + ") ? " + words(t, "integer", "string", "string[]", "decimal(4,2)", "any", "[string,integer]", "(q as long)")
	case 8:
		return "\"v {" + x() + "}\""
	case 9:
		return "cache#" + words(t, "lookup", "mlookup", "outputs") + "(" + x() + ")"
	}
	names := []string{"upper", "sum", "first", "iif", "coalesce", "isNull", "map", "filter", "reduce", "byName", "byNames", "byPath", "byItem", "hasColumn", "hasPath", "columnNames", "columns", "typeMatch", "unfold", "isMatch", "isError", "hasError", "assertErrorMessages", "expr", "toDecimal", "toDate", "size", "rowNumber", "lag", "mapIndex", "concat", "md5", "byPosition", "originColumns", "nothing"}
	var args []string
	for range rapid.IntRange(0, 3).Draw(t, "arguments") {
		args = append(args, x())
	}
	return words(t, names...) + "(" + strings.Join(args, ", ") + ")"
}

// transformation draws one over the streams that there are.
func transformation(t *rapid.T, streams []string, name string) string {
	in := func() string { return words(t, streams...) }
	x := func() string { return expression(t, rapid.IntRange(0, 2).Draw(t, "depth")) }
	each := func() string {
		return words(t, "each(match("+x()+"), "+x()+" = "+x()+")", "each(patternMatch(`^(.)`), $1 = $$)", "each(s, match(true()), $$ = $$)", "each(match(true()))", "each(l, match("+x()+"))")
	}
	set := func() string { return words(t, "c = "+x(), "b = "+x(), ":v = "+x(), each()) }
	order := words(t, "asc(", "desc(") + x() + ", true)"
	more := words(t, "", "", ", partitionBy('hash', "+x()+", "+x()+")")
	switch verb := words(t, "select", "derive", "filter", "aggregate", "join", "lookup", "exists", "union", "pivot", "unpivot", "window", "rank", "keyGenerate", "sort", "assert", "cast", "foldDown", "sink"); verb {
	case "select", "sink":
		return fmt.Sprintf("%s %s(mapColumn(%s, q = %s, %s)%s) ~> %s\n", in(), verb, x(), x(), each(), more, name)
	case "derive":
		return fmt.Sprintf("%s derive(%s, %s%s) ~> %s\n", in(), set(), set(), more, name)
	case "aggregate":
		return fmt.Sprintf("%s aggregate(groupBy(%s, k = %s), %s) ~> %s\n", in(), x(), x(), set(), name)
	case "join", "exists":
		return fmt.Sprintf("%s, %s %s(%s) ~> %s\n", in(), in(), verb, x(), name)
	case "lookup":
		return fmt.Sprintf("%s, %s lookup(%s, multiple: false, pickup: 'last', %s) ~> %s\n", in(), in(), x(), order, name)
	case "union":
		return fmt.Sprintf("%s, %s union(byName: %s) ~> %s\n", in(), in(), words(t, "true", "false", x()), name)
	case "pivot":
		return fmt.Sprintf("%s pivot(groupBy(%s), pivotBy(%s%s), n = %s) ~> %s\n", in(), x(), x(), words(t, "", ", ['x', 'y']", ", "+x()), x(), name)
	case "unpivot":
		return fmt.Sprintf("%s unpivot(output(k as string, v as %s), ungroupBy(%s)) ~> %s\n", in(), words(t, "string", "integer", "any"), x(), name)
	case "window":
		return fmt.Sprintf("%s window(over(%s), %s, startRowOffset: %s, %s) ~> %s\n", in(), x(), order, x(), set(), name)
	case "rank":
		return fmt.Sprintf("%s rank(%s, output(r as long), dense: %s) ~> %s\n", in(), order, x(), name)
	case "keyGenerate":
		return fmt.Sprintf("%s keyGenerate(output(r as long), startAt: %s) ~> %s\n", in(), x(), name)
	case "sort":
		return fmt.Sprintf("%s sort(%s, %s) ~> %s\n", in(), order, order, name)
	case "assert":
		return fmt.Sprintf("%s, %s assert(expectTrue(%s, false, 'i', %s, %s), expectUnique(%s), expectExists(%s, true, %s)) ~> %s\n", in(), in(), x(), x(), x(), x(), x(), x(), name)
	case "cast":
		return fmt.Sprintf("%s cast(output(a as %s, b as date 'yyyy'), errors: %s) ~> %s\n", in(), words(t, "string", "decimal(3,1)", "any", "long '##'"), x(), name)
	case "foldDown":
		return fmt.Sprintf("%s foldDown(%s(%s, %s), mapColumn(a, %s, %s)) ~> %s\n", in(), words(t, "unroll", "unrollMultiple"), words(t, "l", "s.x", x()), words(t, "l", x()), x(), each(), name)
	}
	return fmt.Sprintf("%s filter(%s) ~> %s\n", in(), x(), name)
}

// Of any script that can be read the binder makes a plan that holds together, or it tells
// what is wrong, at a place, with an action.
func TestAnyScript(t *testing.T) {
	functions, files := table(t), columns(t, "a int, b string, l array<int>, s struct<x:int,y:array<string>>, m map<string,int>, d double")
	rapid.Check(t, func(t *rapid.T) {
		script := "parameters{ p as string ('a'), q as integer }\nsource(output(a as integer, b as string, l as integer[], s as (x as integer, y as string[]), m as [string,integer]), allowSchemaDrift: true) ~> In\nIn sink(store: 'cache', keys: ['a']) ~> cache\n"
		streams := []string{"In"}
		for i := range rapid.IntRange(1, 4).Draw(t, "steps") {
			name := fmt.Sprintf("S%d", i)
			script += transformation(t, streams, name)
			streams = append(streams, name)
		}
		bound(t, script, files, functions)
	})
}

func bound(t *rapid.T, script string, files []schema.Field, functions *function.Table) {
	f := syntax.NewFile("a.dfs", script)
	s, err := syntax.Parse(f)
	if err != nil {
		return
	}
	p, err := flow.Bind(f, s, flow.Options{Inputs: map[string][]schema.Field{"In": files}, Functions: functions})
	var needs *flow.NeedsValues
	if errors.As(err, &needs) {
		p, err = needs.Plan, nil
	}
	if err == nil {
		if err := plan.Check(p); err != nil {
			t.Fatalf("%s\nfound a plan that does not hold: %v", script, err)
		}
		_ = p.String()
		return
	}
	var list diag.List
	var one *diag.Diagnostic
	if !errors.As(err, &list) && errors.As(err, &one) {
		list = diag.List{one}
	}
	if len(list) == 0 {
		t.Fatalf("%s\nfound %v, want diagnostics", script, err)
	}
	for _, d := range list {
		if d.At.Line == 0 || d.Hint == "" || d.Excerpt == "" {
			t.Fatalf("%s\nfound %v without place, line or hint", script, d)
		}
	}
}
