package dataset_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"landfall/internal/flow/dataset"
	"landfall/internal/flow/resource"
	"landfall/internal/flow/syntax"
)

// FuzzRead: no script and no dataset breaks the reader, and every path that comes out
// stays below its container.
func FuzzRead(f *testing.F) {
	f.Add("format: 'parquet', folderPath: 'a/../b'", "@concat('a', dataset().x)")
	f.Add("format: 'delta', versionAsOf: -1, keys: [[1]], moveFiles: [('a'), 'b']", "@{dataset().x}@@{")
	f.Add("format: 'delimited', partitionBy('hash', 2, byName('x')), skipLines: 0xfl", "'")
	f.Add("wildcardPaths: ['**/{a,b}/[', \"x{$p}\"], filePattern: 'a[n]'", `\..\`)
	f.Fuzz(func(t *testing.T, settings, property string) {
		for _, script := range []string{"source(" + settings + ") ~> In\nIn sink() ~> Out", "source() ~> In\nIn sink(" + settings + ") ~> Out"} {
			fuzzed(t, script, property)
		}
	})
}

// fuzzed reads a script whose streams have a dataset with an odd folder.
func fuzzed(t *testing.T, script, property string) {
	t.Helper()
	text, err := json.Marshal(property)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := json.Marshal(script)
	if err != nil {
		t.Fatal(err)
	}
	folder := fstest.MapFS{
		"dataflow/f.json": {Data: []byte(`{"properties": {"sources": [{"name": "In", "dataset": {"referenceName": "A", "parameters": {"x": ` + string(text) + `}}}], "sinks": [{"name": "Out", "dataset": {"referenceName": "A"}}], "script": ` + string(lines) + `}}`)},
		"dataset/A.json":  {Data: []byte(`{"properties": {"type": "DelimitedText", "typeProperties": {"location": {"folderPath": ` + string(text) + `}}}}`)},
	}
	flows, err := resource.Load(folder, "dataflow/f.json")
	if err != nil {
		return
	}
	s, err := syntax.Parse(flows[0].File)
	if err != nil {
		return
	}
	sources, sinks, err := dataset.Read(flows[0], s, func(x syntax.Expr) (any, error) { return syntax.FormatExpr(x), nil })
	for _, d := range problems(t, err) {
		if d.Message == "" {
			t.Errorf("%s\nfound a problem without a message", script)
		}
	}
	var paths []string
	for _, s := range sources {
		paths = append(paths, slices.Concat(s.Wildcards, []string{s.Folder, s.File, s.PartitionRoot, s.MoveFrom, s.MoveTo})...)
	}
	for _, s := range sinks {
		paths = append(paths, slices.Concat(s.Naming.Files, []string{s.Folder, s.File, s.Naming.Pattern})...)
	}
	for _, path := range paths {
		if slices.Contains(strings.FieldsFunc(path, func(c rune) bool { return c == '/' || c == '\\' }), "..") || strings.HasPrefix(path, "/") {
			t.Errorf("%s\nfound path %q, which leaves its container", script, path)
		}
	}
}
