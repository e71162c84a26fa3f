package flow_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/flow"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/plan/function"
	"landfall/internal/schema"
	"landfall/internal/store/local"

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

// sensible draws an expression of a kind that fits its columns.
func sensible(t *rapid.T, kind string, depth int) string {
	number := func() string { return sensible(t, "number", depth-1) }
	value := func() string { return sensible(t, "text", depth-1) }
	truth := func() string { return sensible(t, "truth", depth-1) }
	if depth <= 0 {
		return words(t, map[string][]string{
			"number": {"a", "1", "2L", "s.x", "l[1]", "m['k']", "$q", "toInteger(byName('a'))"},
			"text":   {"b", "'t'", "$p", "toString(byName('d'))", "s.y[1]"},
			"truth":  {"true()", "isNull(b)", "hasColumn('z')", "a > 1", "isError()"},
			"list":   {"l", "[1, 2]", "s.y", "columnNames()"},
		}[kind]...)
	}
	form := rapid.IntRange(0, 5).Draw(t, "form")
	switch kind {
	case "number":
		return []string{"(" + number() + " + " + number() + ")", "length(" + value() + ")", "iif(" + truth() + ", " + number() + ", " + number() + ")", "coalesce(" + number() + ", " + number() + ")", "size(l)", "-" + number()}[form]
	case "text":
		return []string{"upper(" + value() + ")", "(" + value() + " + " + value() + ")", "\"v {" + number() + "}\"", "toString(" + number() + ")", "md5(columns())", "replace(" + value() + ", 'a', " + value() + ")"}[form]
	case "truth":
		return []string{"(" + number() + " == " + number() + ")", "(" + value() + " <=> " + value() + ")", "(" + truth() + " && " + truth() + ")", "!(" + truth() + ")", "in(['t', b], " + value() + ")", "isNull(cache#lookup(a).b)"}[form]
	}
	return []string{"map(l, #item + " + number() + ")", "filter(l, #item > " + number() + ")", "[" + number() + ", " + number() + "]", "split(" + value() + ", ',')", "[" + value() + "]", "sort(l, compare(#item1, #item2))"}[form]
}

// draw draws an expression of a kind, or sometimes any.
func draw(t *rapid.T, kind string) string {
	if rapid.IntRange(0, 11).Draw(t, "wild") == 0 {
		return expression(t, rapid.IntRange(0, 2).Draw(t, "depth"))
	}
	return sensible(t, kind, rapid.IntRange(0, 2).Draw(t, "depth"))
}

// transformation draws one over the streams that there are.
func transformation(t *rapid.T, streams []string, name string) string {
	in := func() string { return words(t, streams...) }
	number, value, truth, list := func() string { return draw(t, "number") }, func() string { return draw(t, "text") }, func() string { return draw(t, "truth") }, func() string { return draw(t, "list") }
	x := func() string { return draw(t, words(t, "number", "text", "truth", "list")) }
	pattern := func() string {
		return words(t, "each(match(type == 'string'), $$ = upper($$))", "each(match(name != 'a'), $$ + '_t' = $$)", "each(patternMatch(`^(.)`), $1 + 'x' = $$)", "each(s, match(true()), $$ = $$)", "each(match(true()))", "each(match("+truth()+"), $$ = "+x()+")")
	}
	set := func() string { return words(t, "c = "+x(), "b = "+value(), ":v = "+x(), pattern()) }
	order := words(t, "asc(", "desc(") + words(t, number(), value()) + ", true)"
	more := words(t, "", "", ", partitionBy('hash', 4, a)")
	folded := "n = " + words(t, "count()", "sum("+number()+")", "first("+x()+")", "max("+value()+")", "collect("+value()+")")
	form := map[string]func() string{
		"select": func() string {
			return "select(mapColumn(a, b, l, q = " + words(t, "a", "s.x") + ", " + pattern() + ")" + more + ")"
		},
		"derive":    func() string { return "derive(" + set() + ", " + set() + more + ")" },
		"unfold":    func() string { return "derive(u = unfold(" + list() + "), " + set() + ")" },
		"filter":    func() string { return "filter(" + truth() + ")" },
		"aggregate": func() string { return "aggregate(groupBy(b, k = " + x() + "), " + folded + ")" },
		"pivot": func() string {
			return "pivot(groupBy(a), pivotBy(b" + words(t, "", ", ['x', 'y']") + "), " + folded + ")"
		},
		"unpivot": func() string {
			return "unpivot(output(k as string, v as " + words(t, "string", "any") + "), ungroupBy(a, l, s, m))"
		},
		"window": func() string {
			return "window(over(" + words(t, "b", value()) + "), " + order + ", startRowOffset: -1L, r = " + words(t, "rowNumber()", "sum("+number()+")", "lag("+number()+", 1)") + ")"
		},
		"rank":        func() string { return "rank(" + order + ", output(r as long), dense: true)" },
		"keyGenerate": func() string { return "keyGenerate(output(r as long), startAt: 1L)" },
		"sort":        func() string { return "sort(" + order + ", " + order + ")" },
		"cast": func() string {
			return "cast(output(a as " + words(t, "string", "decimal(3,1)", "any") + ", b as date 'yyyy'), errors: true)"
		},
		"foldDown": func() string {
			return "foldDown(" + words(t, "unroll(l)", "unroll(s.y, s.y)", "unrollMultiple(l, s.y)", "unroll("+x()+")") + ", mapColumn(a, b, l, i = l, j = s.y, " + pattern() + "))"
		},
		"assert": func() string {
			return "assert(expectTrue(" + truth() + ", false, 'i', " + words(t, "null", truth()) + ", " + value() + "), expectUnique(" + number() + ", true, 'u'))"
		},
	}
	kinds := slices.Sorted(maps.Keys(form))
	if pair := words(t, append(kinds, "join", "lookup", "exists", "union", "expectExists")...); form[pair] != nil {
		return in() + " " + form[pair]() + " ~> " + name + "\n"
	} else {
		left, right := in(), in()
		both := map[string]string{
			"join":         "join(" + words(t, left+"@a == "+right+"@a", truth()) + ", joinType: 'cross')",
			"lookup":       "lookup(" + left + "@a == " + right + "@a, multiple: false, pickup: 'last', " + order + ")",
			"exists":       "exists(" + left + "@b == " + right + "@b, negate: true)",
			"union":        "union(byName: " + words(t, "true", "false") + ")",
			"expectExists": "assert(expectExists(" + left + "@a == " + right + "@a, true, 'e'))",
		}[pair]
		return left + ", " + right + " " + both + " ~> " + name + "\n"
	}
}

// Of any script that can be read the binder makes a plan that holds together and that the
// engine runs, or it tells what is wrong, at a place, with an action.
func TestAnyScript(t *testing.T) {
	functions, files := table(t), columns(t, "a int, b string, l array<int>, s struct<x:int,y:array<string>>, m map<string,int>, d double")
	e, err := duckdb.Open(t.Context(), duckdb.Options{Threads: 1, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	lines := `{"a": 1, "b": "x", "l": [1, 2], "s": {"x": 1, "y": ["p"]}, "m": {"k": 7}, "d": 1.5}
{"a": 12345, "b": null, "l": [], "s": null, "m": null, "d": -0.0}
{"a": null, "b": "2020", "l": [null, 3], "s": {"x": null, "y": []}, "m": {"k": null}, "d": null}
`
	if err := os.WriteFile(filepath.Join(dir, "in.json"), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := local.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	in := engine.Input{Source: "In", Store: store, Groups: []engine.Group{{Format: engine.JSON, Columns: files, Files: []engine.InputFile{{Key: "in.json", Shown: "in.json"}}}}}
	rapid.Check(t, func(t *rapid.T) {
		script := "parameters{ p as string ('a'), q as integer }\nsource(output(a as integer, b as string, l as integer[], s as (x as integer, y as string[]), m as [string,integer]), allowSchemaDrift: true) ~> In\nIn sink(store: 'cache', keys: ['a']) ~> cache\n"
		streams := []string{"In"}
		for i := range rapid.IntRange(1, 3).Draw(t, "steps") {
			name := fmt.Sprintf("S%d", i)
			script += transformation(t, streams, name)
			streams = append(streams, name)
		}
		p, last := bound(t, script, files, functions)
		if p == nil {
			return
		}
		if last == "" {
			last = streams[len(streams)-1]
		}
		err := e.Run(context.Background(), engine.Job{Plan: p, Step: last, Inputs: []engine.Input{in}, Now: time.Unix(0, 0)}, func(r engine.Result) error {
			for _, err := range r.Rows {
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatalf("%s\n%s\nfound %v", script, p, err)
		}
	})
}

// bound is the plan of a script and, where the binder asks for values, the step that has
// them; nil where the script is wrong.
func bound(t *rapid.T, script string, files []schema.Field, functions *function.Table) (p *plan.Plan, step string) {
	f := syntax.NewFile("a.dfs", script)
	s, err := syntax.Parse(f)
	if err != nil {
		return nil, ""
	}
	p, err = flow.Bind(f, s, flow.Options{Inputs: map[string][]schema.Field{"In": files}, Functions: functions})
	var needs *flow.NeedsValues
	if errors.As(err, &needs) {
		p, step, err = needs.Plan, needs.Step, nil
	}
	if err == nil {
		if err := plan.Check(p); err != nil {
			t.Fatalf("%s\nfound a plan that does not hold: %v", script, err)
		}
		return p, step
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
	return nil, ""
}
