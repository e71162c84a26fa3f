package flow_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/flow"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/plan/function"
	"landfall/internal/schema"
)

// table is the function table.
func table(t testing.TB) *function.Table {
	t.Helper()
	out, err := function.Load()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// columns reads "a int, b string" as the columns of files.
func columns(t testing.TB, ddl string) []schema.Field {
	t.Helper()
	var out []schema.Field
	declared, err := schema.ParseColumns(ddl)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range declared {
		out = append(out, schema.Field{Name: d.Path[0], Type: d.Type, Nullable: true})
	}
	return out
}

// bind binds a script; the files of every source have the columns.
func bind(t testing.TB, script, ddl string, params map[string]string) (*plan.Plan, error) {
	t.Helper()
	return bindWith(t, script, ddl, func(o *flow.Options) { o.Parameters = params })
}

func bindWith(t testing.TB, script, ddl string, more func(*flow.Options)) (*plan.Plan, error) {
	t.Helper()
	f := syntax.NewFile("a.dfs", script)
	s, err := syntax.Parse(f)
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	o := flow.Options{Inputs: map[string][]schema.Field{}, Functions: table(t)}
	more(&o)
	for _, st := range s.Statements {
		if st.Verb.Text == "source" {
			o.Inputs[st.Output.Text] = columns(t, ddl)
		}
	}
	return flow.Bind(f, s, o)
}

// leaves says which columns leave the last step: name, type, and ~ where it is drifted.
func leaves(p *plan.Plan, step string) string {
	var out []string
	for _, c := range p.Step(step).Visible() {
		one := c.Name + " " + c.Type.String()
		if c.Drifted {
			one += "~"
		}
		out = append(out, one)
	}
	return strings.Join(out, ", ")
}

const (
	dayOne = "order_id int, order_total int, currency string"
	dayTwo = "order_id int, order_total decimal(18,2), currency string, discount_code string, `ship region` string"
	drifts = "source(allowSchemaDrift: true, inferDriftedColumnTypes: true) ~> In\n"
)

// The seed's script gives its columns on both days, with their lineage.
func TestSeed(t *testing.T) {
	script, err := os.ReadFile("syntax/testdata/seed.dfs")
	if err != nil {
		t.Fatal(err)
	}
	one, err := bind(t, string(script), dayOne, nil)
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	if got, want := leaves(one, "CuratedOrders"), "order_id int~, order_total decimal(18,2), currency string~, source_file string, discount_code string"; got != want {
		t.Errorf("day one: found %s, want %s", got, want)
	}
	both, err := bind(t, string(script), dayTwo, nil)
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	if got, want := leaves(both, "CuratedOrders"), "order_id int~, order_total decimal(18,2), currency string~, discount_code string, ship_region string~, source_file string"; got != want {
		t.Errorf("day two: found %s, want %s", got, want)
	}
	region := both.Step("CleanNames").Named("ship_region")
	if len(region) != 1 || region[0].Change != plan.Renamed || region[0].By != "CleanNames" || region[0].Origin != (plan.Origin{Stream: "RawOrders", Name: "ship region"}) {
		t.Errorf("found %+v", region)
	}
	if total := both.Step("TypedOrders").Named("order_total")[0]; total.Change != plan.Changed || total.By != "TypedOrders" {
		t.Errorf("found %+v", total)
	}
	if src := both.Step("RawOrders").Op.(plan.Source); src.PathColumn != "source_file" {
		t.Errorf("found %+v", src)
	}
}

// What leaves the last stream of a script.
func TestColumns(t *testing.T) {
	for _, c := range []struct{ script, files, want string }{
		// Sources.
		{"source(allowSchemaDrift: true) ~> Out", "a int, b double", "a string~, b string~"},
		{"source(output(b as double), allowSchemaDrift: true, inferDriftedColumnTypes: true) ~> Out", "a int, b double", "b double, a int~"},
		{"source(output(b as decimal(10,2))) ~> Out", "a int, b double", "b decimal(10,2)"},
		{"source(output(a as integer, b as (x as string[], y as [string,long])), validateSchema: true) ~> Out", "a int, b struct<x:array<string>,y:map<string,bigint>>", "a int, b struct<x:array<string>,y:map<string,bigint>>"},
		// Mappings: the conformance vectors.
		{drifts + "In select(mapColumn(each(match(name=='a')))) ~> Out", "a int, b int, c int", "a int~"},
		{"source(output(a as integer)) ~> In\nIn select(mapColumn(x = a, y = a), skipDuplicateMapInputs: true) ~> Out", "a int", "x int"},
		{"source(output(a as integer)) ~> In\nIn select(mapColumn(x = a, y = a), skipDuplicateMapInputs: false) ~> Out", "a int", "x int, y int"},
		{"source(output(a as integer, b as integer)) ~> In\nIn select(mapColumn(a, each(match(true()), 'a' = $$)), skipDuplicateMapOutputs: true) ~> Out", "a int, b int", "a int"},
		{drifts + "In select(mapColumn(each(patternMatch(`^(.)_x$`), $1 + '_y' = $$))) ~> Out", "a_x int, bb_x int, c_x string", "a_y int~, c_y string~"},
		{drifts + "In select(mapColumn(each(match(position == 2 || type == 'decimal')))) ~> Out", "a int, b int, c decimal(4,1)", "b int~, c decimal(4,1)~"},
		{"source(output(a as integer), allowSchemaDrift: true, inferDriftedColumnTypes: true) ~> In\nIn sink(mapColumn(a)) ~> Out", "a int, b int", "a int"},
		{drifts + "In select(mapColumn(each(match(stream == 'In' && origin == 'In' && !startsWith(name, 'b'))))) ~> Out", "a int, b int", "a int~"},
		// Derived columns and patterns.
		{drifts + "In derive(each(match(type=='string'), $$ + '_t' = trim($$))) ~> Out", "p string, q int", "p string~, q int~, p_t string~"},
		{drifts + "In derive(each(match(endsWith(name, '_total')), $$ = toDecimal($$, 18, 2))) ~> Out", "a_total int, b int", "a_total decimal(18,2)~, b int~"},
		{drifts + "In derive(h = hasColumn('a'), i = hasColumn('z'), j = toString(byName('z'))) ~> Out", "a int", "a int~, h boolean, i boolean, j string"},
		{"source(output(a as integer)) ~> In\nIn derive(b = a + 1, d = \"n {a}\", :e = a * 2, f = :e, g = [1, 2L][1], h = @(x = a, y = 'z')) ~> Out", "a int", "a int, b int, d string, f int, g bigint, h struct<x:int,y:string>"},
		// Windows, ranks, lookups, casts.
		{"source(output(a as integer, b as string)) ~> In\nIn window(over(b), asc(a, true), startRowOffset: -1L, endRowOffset: 0L, s = sum(a), n = rowNumber()) ~> Out", "a int, b string", "a int, b string, s bigint, n int"},
		{"source(output(a as integer)) ~> In\nIn rank(desc(a, true), output(r as long), dense: true) ~> R\nR keyGenerate(output(k as long), startAt: 5L) ~> Out", "a int", "a int, r bigint, k bigint"},
		{"source(output(a as integer)) ~> In\nsource(output(a as integer)) ~> B\nIn, B lookup(In@a == B@a, multiple: false, pickup: 'first', asc(B@a, true)) ~> Out", "a int", "a int, a int"},
		{"source(output(a as string, b as string)) ~> In\nIn cast(output(a as decimal(10,2), b as date), errors: false) ~> Out", "a string, b string", "a decimal(10,2), b date"},
		{"parameters{ n as string ('a'), k as integer (2) }\n" + drifts + "In derive(b = toInteger(byName($n)) + $k) ~> Out", "a int", "a int~, b int"},
		{"source(output(a as integer[])) ~> In\nIn derive(b = map(a, #item + 1), c = filter(a, #item > 1)) ~> Out", "a array<int>", "a array<int>, b array<int>, c array<int>"},
		{"source(output(s as (x as integer, y as string)[])) ~> In\nIn derive(b = s.x) ~> Out", "s array<struct<x:int,y:string>>", "s array<struct<x:int,y:string>>, b array<int>"},
		// Aggregates, joins, unions, branches.
		{"source(output(g as string, u as integer, v as string)) ~> In\nIn aggregate(groupBy(g), each(match(name != 'g'), $$ = first($$))) ~> Out", "g string, u int, v string", "g string, u int, v string"},
		{"source(output(g as string, u as integer)) ~> In\nIn aggregate(groupBy(k = upper(g)), n = count(), s = sum(u)) ~> Out", "g string, u int", "k string, n bigint, s bigint"},
		{"source(output(a as integer)) ~> In\nsource(output(a as integer)) ~> B\nIn, B join(In@a == B@a, joinType:'left', broadcast: 'auto') ~> Out", "a int", "a int, a int"},
		{"source(output(a as integer)) ~> In\nsource(output(a as integer)) ~> B\nIn, B exists(In@a === B@a, negate: true) ~> Out", "a int", "a int"},
		{"source(output(a as integer)) ~> In\nIn derive(b = a) ~> B\nIn, B union(byName: true) ~> Out", "a int", "a int, b int"},
		{"source(output(a as integer)) ~> In\nIn split(a < 1, disjoint: false) ~> S@(low, rest)\nS@rest filter(a > 2) ~> Out", "a int", "a int"},
		{"source(output(a as integer, b as string)) ~> In\nIn sort(desc(a, true), asc(lower(b))) ~> Out", "a int, b string", "a int, b string"},
		{"source(output(k as integer, ind as string, n as long)) ~> In\nIn pivot(groupBy(k), pivotBy(ind, ['cases', 'deaths']), count = sum(n), columnNaming: '$V_$N') ~> Out", "k int, ind string, n bigint", "k int, cases_count bigint, deaths_count bigint"},
		// Streams are used before they are made.
		{"In filter(a > 1) ~> Out\nsource(output(a as integer)) ~> In", "a int", "a int"},
	} {
		p, err := bind(t, c.script, c.files, nil)
		if err != nil {
			t.Errorf("%s\n%s", c.script, diag.Render(err, false))
			continue
		}
		if got := leaves(p, "Out"); got != c.want && c.want != "" {
			t.Errorf("%s\nfound %s, want %s", c.script, got, c.want)
		}
		if err := plan.Check(p); err != nil {
			t.Errorf("%s\n%v", c.script, err)
		}
		callable(t, p)
	}
}

// callable checks that every function in a plan has text for the engine.
func callable(t *testing.T, p *plan.Plan) {
	t.Helper()
	for _, s := range p.Steps {
		for _, e := range plan.Exprs(s.Op) {
			plan.Walk(e, func(e plan.Expr) bool {
				if c, ok := e.(plan.Call); ok {
					args := slices.Repeat([]string{"x"}, len(c.Args))
					_, err := c.Fn.SQL("duckdb", args)
					if w, ok := c.Fn.(plan.Windowed); ok && c.Kind == plan.Windowing {
						_, err = w.Over("duckdb", args, "()")
					}
					if err != nil {
						t.Errorf("%s: %v", c.Fn.Name(), err)
					}
				}
				return true
			})
		}
	}
}

// A parameter's value takes the place of its default.
func TestParameters(t *testing.T) {
	script := "parameters{ n as string ('a') }\n" + drifts + "In select(mapColumn(each(match(name == $n)))) ~> Out"
	p, err := bind(t, script, "a int, b int", map[string]string{"n": "'b'"})
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	if got := leaves(p, "Out"); got != "b int~" {
		t.Errorf("found %s", got)
	}
	if _, err := bind(t, script, "a int", map[string]string{"m": "1"}); diag.CodeOf(err) != diag.FlowName {
		t.Errorf("found %v", err)
	}
	if _, err := bind(t, script, "a int", map[string]string{"n": "'b"}); err == nil || !strings.Contains(err.Error(), "DF-Executor-ParameterParseError") {
		t.Errorf("found %v", err)
	}
}

// What is wrong is told with its code, its place, and the service's own code.
func TestProblems(t *testing.T) {
	for script, want := range map[string]struct {
		code diag.Code
		text string
	}{
		drifts + "In derive(b = a * 2) ~> Out":                                                                         {diag.FlowColumn, `a.dfs:2:15: derive Out: found "a", a drifted column.*DF-Executor-ColumnNotFound`},
		"source(output(a as integer)) ~> In\nIn filter(b > 1) ~> Out":                                                  {diag.FlowColumn, `DF-Executor-ColumnNotFound`},
		"source(output(a as integer, z as string)) ~> Out":                                                             {diag.FlowInput, `"z" in the projection.*DF-Executor-InvalidInputColumns`},
		"source(output(b as string), validateSchema: true) ~> Out":                                                     {diag.FlowInput, `validateSchema is true`},
		drifts + "In select(mapColumn(each(match(false())))) ~> S\nS sink(mapColumn(each(match(name == 'q')))) ~> Out": {diag.FlowInput, "DF-Executor-InvalidOutputColumns"},
		"source(output(a as integer)) ~> In\nIn filter(a + 1) ~> Out":                                                  {diag.FlowType, "want a condition"},
		"source(output(a as integer)) ~> In\nIn derive(b = uper(a)) ~> Out":                                            {diag.FlowName, "there is no such function"},
		"source(output(a as integer)) ~> In\nIn derive(b = upper(a)) ~> Out":                                           {diag.FlowType, "argument 1"},
		"source(output(a as integer)) ~> In\nIn derive(b = sum(a)) ~> Out":                                             {diag.FlowType, "of several rows"},
		"source(output(a as integer)) ~> In\nIn derive(b = $p) ~> Out":                                                 {diag.FlowName, "a parameter of the script"},
		"source(output(a as integer)) ~> In\nIn derive(b = $$) ~> Out":                                                 {diag.FlowColumn, "outside of a pattern"},
		"source(output(a as integer)) ~> In\nIn derive(each(match(a > 1), $$ = $$)) ~> Out":                            {diag.FlowRefused, "not known before the run"},
		"source(output(a as integer)) ~> In\nIn call(output(b as string)) ~> Out":                                      {diag.FlowRefused, "does not run here"},
		"source(output(s as (x as integer))) ~> In\nIn derive(b = s.y) ~> Out":                                         {diag.FlowColumn, "DF-Executor-FieldNotExist"},
		"source(output(a as integer)) ~> In\nsource(output(a as integer)) ~> B\nIn, B join(a == a) ~> Out":             {diag.FlowColumn, "found 2 columns"},
		"source(output(a as integer)) ~> In\nIn derive(b = byName(toString(a))) ~> Out":                                {diag.FlowType, "DF-Executor-StringValueNotInQuotes"},
	} {
		_, err := bind(t, script, "a int, s struct<x:int>, b string", nil)
		if strings.HasPrefix(script, "source(output(b") || strings.Contains(script, "filter(b") {
			_, err = bind(t, script, "a int, c string, b string", nil)
		}
		if got := diag.CodeOf(err); got != want.code || !regexp.MustCompile(want.text).MatchString(fmt.Sprint(err)) {
			t.Errorf("%s\nfound %v, want %s %s", script, err, want.code, want.text)
		}
		var d *diag.Diagnostic
		if errors.As(err, &d) && (d.Hint == "" || d.Excerpt == "" || d.At.Line == 0) {
			t.Errorf("%s\nfound %+v, want a place, a line and a hint", script, d)
		}
	}
}
