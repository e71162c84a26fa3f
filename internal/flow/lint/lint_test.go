package lint_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"landfall/internal/diag"
	"landfall/internal/flow/lint"
	"landfall/internal/flow/resource"
	"landfall/internal/flow/syntax"
)

// run gives the names of the findings of a script, with their columns.
func run(t *testing.T, files map[string]string, name string) []string {
	t.Helper()
	folder := fstest.MapFS{}
	for file, text := range files {
		folder[file] = &fstest.MapFile{Data: []byte(text)}
	}
	flows, err := resource.Load(folder, name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := syntax.Parse(flows[0].File)
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	out := []string{}
	for _, f := range lint.Run(flows[0], s) {
		if f.Message == "" || f.Fix == "" || f.At.Line == 0 || f.Excerpt == "" || f.Effect == "" {
			t.Errorf("found %+v, want all of it", f)
		}
		out = append(out, strings.TrimRight(f.Stream+" "+f.Name+" "+f.Column, " "))
	}
	return out
}

const open = "source(allowSchemaDrift: true, inferDriftedColumnTypes: true, validateSchema: false) ~> In\n"

func TestFindings(t *testing.T) {
	seen := map[string]bool{}
	for script, want := range map[string][]string{
		open + "In sink(allowSchemaDrift: true) ~> Out": nil,
		// The source.
		"source(output(a as string), allowSchemaDrift: false) ~> In\nIn sink(allowSchemaDrift: true) ~> Out":                                {"In source-drift"},
		"source(output(a as string)) ~> In\nIn sink() ~> Out":                                                                               {"In source-drift"},
		"source(allowSchemaDrift: true) ~> In\nIn sink(allowSchemaDrift: true) ~> Out":                                                      {"In string-drift"},
		"source(allowSchemaDrift: true, inferDriftedColumnTypes: true, validateSchema: true) ~> In\nIn sink(allowSchemaDrift: true) ~> Out": {"In validate-schema"},
		"source(allowSchemaDrift: true, inferDriftedColumnTypes: true, useSchema: true) ~> In\nIn sink(allowSchemaDrift: true) ~> Out":      {"In projected-schema"},
		"source(allowSchemaDrift: true, inferDriftedColumnTypes: true, format: 'parquet') ~> In\nIn sink(allowSchemaDrift: true) ~> Out":    {"In int96"},
		"source(output(a as string), allowSchemaDrift: false, format: 'table') ~> In\nIn sink(allowSchemaDrift: true) ~> Out":               nil,
		// The sink.
		open + "In sink(allowSchemaDrift: true, mapColumn(each(match(true())))) ~> Out":                             nil,
		open + "In sink(allowSchemaDrift: true, mapColumn(each(match(name != 'x')))) ~> Out":                        {"Out sink-mapping"},
		open + "In derive(a = 1) ~> D\nD sink(allowSchemaDrift: true, mapColumn(a)) ~> Out":                         {"Out sink-mapping"},
		open + "In sink(validateSchema: false) ~> Out":                                                              {"Out sink-drift"},
		open + "In sink(allowSchemaDrift: true, validateSchema: true) ~> Out":                                       {"Out validate-schema"},
		open + "In sink(store: 'cache', format: 'inline') ~> Out":                                                   nil,
		"source(output(a as string), allowSchemaDrift: false, format: 'table') ~> In\nIn sink(mapColumn(a)) ~> Out": nil,
		// Names that Parquet does not take.
		open + "In sink(allowSchemaDrift: true, format: 'parquet') ~> Out":                                                                                              {"Out parquet-name"},
		open + "In select(mapColumn(each(match(true()), replace($$, ' ', '_') = $$))) ~> S\nS sink(allowSchemaDrift: true, format: 'parquet') ~> Out":                   nil,
		open + "In select(mapColumn(each(match(true()), replace($$, 'a', 'b') = $$))) ~> S\nS sink(allowSchemaDrift: true, format: 'parquet') ~> Out":                   {"Out parquet-name"},
		open + "In select(mapColumn(each(match(true()), regexReplace($$, '[^a-z]', '_') = $$))) ~> S\nS sink(allowSchemaDrift: true, format: 'parquet') ~> Out":         nil,
		open + "In select(mapColumn(each(match(true())))) ~> S\nS sink(allowSchemaDrift: true, format: 'parquet') ~> Out":                                               {"Out parquet-name"},
		"source(output({ship region} as string), allowSchemaDrift: false, format: 'table') ~> In\nIn sink(allowSchemaDrift: true, format: 'parquet') ~> Out":            {"Out parquet-name ship region"},
		"source(output({ship region} as string), allowSchemaDrift: false, format: 'table') ~> In\nIn sink(format: 'parquet', mapColumn(region = {ship region})) ~> Out": nil,
		// A select or flatten.
		open + "In select(mapColumn(each(match(startsWith(name, 'a'))))) ~> S\nS sink(allowSchemaDrift: true) ~> Out": {"S select-rule"},
		open + "In derive(a = 1) ~> D\nD select(mapColumn(a)) ~> S\nS sink(mapColumn(a)) ~> Out":                      {"S select-rule"},
		open + "In select(mapColumn(each(patternMatch(`.*`), $$ = $$))) ~> S\nS sink(allowSchemaDrift: true) ~> Out":  nil,
		// Columns that no projection has.
		open + "In derive(net = order_total * 1.2) ~> D\nD sink(allowSchemaDrift: true) ~> Out":                                                                    {"D column-reference order_total"},
		open + "In filter(amount > 1 && amount < 3) ~> D\nD sink(allowSchemaDrift: true) ~> Out":                                                                   {"D column-reference amount"},
		open + "In derive(b = toInteger(byName('x'))) ~> D\nD derive(c = b + 1) ~> E\nE sink(allowSchemaDrift: true) ~> Out":                                       nil,
		open + "In derive(b = byName('x') + 1) ~> D\nD sink(allowSchemaDrift: true) ~> Out":                                                                        {"D bare-byname"},
		open + "In derive(b = byName('x') ? integer, c = isNull(byName('y'))) ~> D\nD sink(allowSchemaDrift: true) ~> Out":                                         nil,
		open + "In derive(each(match(endsWith(name, '_total')), $$ = toDecimal($$, 18, 2))) ~> D\nD sink(allowSchemaDrift: true) ~> Out":                           nil,
		open + "In derive(each(match(name != 'x'), 'new_' + $$ = type)) ~> D\nD filter(new_a == true) ~> F\nF sink(allowSchemaDrift: true) ~> Out":                 nil,
		open + "In select(mapColumn(order_id, each(match(true())))) ~> S\nS sink(allowSchemaDrift: true) ~> Out":                                                   {"S column-reference order_id"},
		"source(output(order_id as integer), allowSchemaDrift: false, format: 'table') ~> In\nIn filter(ordr_id > 1) ~> F\nF sink(allowSchemaDrift: true) ~> Out":  {"F column-reference ordr_id"},
		"source(output(Order_Id as integer), allowSchemaDrift: false, format: 'table') ~> In\nIn filter(order_id > 1) ~> F\nF sink(allowSchemaDrift: true) ~> Out": nil,
		"source(output(a as integer), allowSchemaDrift: true, inferDriftedColumnTypes: true) ~> In\n" + strings.ReplaceAll(open, "In", "B") +
			"In, B join(In@a == B@b, joinType: 'inner') ~> J\nJ sink(allowSchemaDrift: true) ~> Out": {"J column-reference b"},
		open + "In aggregate(groupBy(k = toString(byName('k'))), n = count()) ~> A\nA filter(n > 1 && k != 'x' && z) ~> F\nF sink() ~> Out": {"F column-reference z"},
	} {
		got := run(t, map[string]string{"f.dfs": script}, "f.dfs")
		if !slices.Equal(got, want) {
			t.Errorf("%s\nfound %q, want %q", script, got, want)
		}
		for _, one := range want {
			seen[strings.Fields(one)[1]] = true
		}
	}
	for _, r := range lint.Rules() {
		if !seen[r.Name] || r.Title == "" {
			t.Errorf("no script provokes %s", r.Name)
		}
	}
}

// What the datasets of a factory say counts: the format and the columns.
func TestDatasets(t *testing.T) {
	files := map[string]string{
		"dataflow/f.json": `{"properties": {"typeProperties": {"sources": [{"name": "In", "dataset": {"referenceName": "A"}}], "sinks": [{"name": "Out", "dataset": {"referenceName": "B"}}],
			"script": "source(allowSchemaDrift: true, inferDriftedColumnTypes: true) ~> In\nIn filter(id > other) ~> F\nF sink(allowSchemaDrift: true) ~> Out"}}}`,
		"dataset/A.json": `{"name": "A", "properties": {"type": "Parquet", "schema": [{"name": "id", "type": "INT32"}]}}`,
		"dataset/B.json": `{"name": "B", "properties": {"type": "Parquet"}}`,
	}
	want := []string{"In int96", "F column-reference other", "Out parquet-name"}
	if got := run(t, files, "dataflow/f.json"); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}
