package resource_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"landfall/internal/diag"
	"landfall/internal/flow/resource"
	"landfall/internal/flow/syntax"
)

func folder(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

const lines = `{
	"name": "orders",
	"properties": {
		"type": "MappingDataFlow",
		"typeProperties": {
			"sources": [{"name": "Raw", "dataset": {"referenceName": "RawFiles", "type": "DatasetReference", "parameters": {"day": "1"}}}],
			"sinks": [{"name": "Out", "linkedService": {"referenceName": "Lake"}}],
			"transformations": [{"name": "Typed"}],
			"scriptLines": [
				"source(allowSchemaDrift: true) ~> Raw",
				"Raw derive(a = \"é\\n\", b = 'x\u00e9', c = wrong wrong) ~> Typed",
				"Typed sink() ~> Out"
			]
		}
	}
}`

const dataset = `{"name": "RawFiles", "properties": {"type": "Parquet", "linkedServiceName": {"referenceName": "Lake"},
	"typeProperties": {"location": {"folderPath": "orders"}}, "schema": [{"name": "id", "type": "INT32"}]}}`

func TestFolder(t *testing.T) {
	files := folder(map[string]string{
		"dataflow/orders.json": lines, "dataset/RawFiles.json": dataset,
		"linkedService/Lake.json": `{"name": "Lake", "properties": {"type": "AzureBlobFS", "typeProperties": {"url": "https://x"}}}`,
		"dataset/notes.txt":       "none",
	})
	flows, err := resource.Load(files, "dataflow/orders.json")
	if err != nil || len(flows) != 1 || flows[0].Name != "orders" {
		t.Fatalf("found %v, %v", flows, err)
	}
	f := flows[0]
	d, ok := f.Dataset("Raw")
	if !ok || d.Type != "Parquet" || d.LinkedService != "Lake" || len(d.Schema) != 1 || d.Schema[0].Name != "id" {
		t.Errorf("found %+v", d)
	}
	if s := f.Factory.LinkedServices["Lake"]; s.Type != "AzureBlobFS" || f.Sinks[0].LinkedService != "Lake" {
		t.Errorf("found %+v, %+v", s, f.Sinks)
	}
	if string(f.Sources[0].Parameters) != `{"day": "1"}` {
		t.Errorf("found parameters %s", f.Sources[0].Parameters)
	}
	_, err = syntax.Parse(f.File)
	wantPlace(t, err, lines)
}

// wantPlace checks that the first problem is where the second "wrong" is in the file.
func wantPlace(t *testing.T, err error, text string) {
	t.Helper()
	var d *diag.Diagnostic
	if !errors.As(err, &d) {
		t.Fatalf("found %v, want a diagnostic", err)
	}
	at := strings.Index(text, "wrong wrong") + len("wrong ")
	line := strings.Count(text[:at], "\n") + 1
	column := at - strings.LastIndexByte(text[:at], '\n')
	if int(d.At.Line) != line || d.At.Column != column {
		t.Errorf("found %s, want %d:%d", d.At, line, column)
	}
	if !strings.Contains(d.Excerpt, "wrong wrong") {
		t.Errorf("found excerpt %q", d.Excerpt)
	}
}

// A template holds all resources, with computed names and scripts in every form.
func TestTemplate(t *testing.T) {
	text := `{"$schema": "x", "parameters": {"factoryName": {"type": "string"}, "folder": {"defaultValue": "in"}},
 "resources": [
  {"name": "[concat(parameters('factoryName'), '/one')]", "type": "Microsoft.DataFactory/factories/dataflows", "properties": {"type": "MappingDataFlow", "typeProperties": {
   "script": "source() ~> a\na sink() ~> b"}}},
  {"name": "[concat(parameters('factoryName'), '/two')]", "type": "Microsoft.DataFactory/factories/dataFlows", "properties": {"typeProperties": {
   "script": "[concat('source(folderPath: ''', parameters('folder'), ''') ~> a\na derive(x = wrong wrong) ~> b')]"}}},
  {"name": "ws/three", "type": "Microsoft.Synapse/workspaces/dataflows", "properties": {"typeProperties": {
   "sources": [{"name": "a", "script": "source() ~> a"}], "transformations": [{"name": "b", "script": "a filter(true()) ~> b"}], "sinks": [{"name": "c", "script": "b sink() ~> c"}]}}},
  {"name": "[concat(parameters('factoryName'), '/RawFiles')]", "type": "Microsoft.DataFactory/factories/datasets", "properties": {"type": "Json", "linkedServiceName": {"referenceName": "L"}}},
  {"type": "Microsoft.Resources/deployments", "name": "inner", "properties": {"template": {"resources": [
   {"name": "f/four", "type": "Microsoft.DataFactory/factories/dataflows", "properties": {"script": "source() ~> a"}}]}}}
 ]}`
	flows, err := resource.Load(folder(map[string]string{"t.json": text}), "t.json")
	if err != nil || len(flows) != 4 {
		t.Fatalf("found %d flows, %v", len(flows), err)
	}
	for i, want := range []string{"one", "two", "three", "four"} {
		if flows[i].Name != want {
			t.Errorf("found %s, want %s", flows[i].Name, want)
		}
	}
	if got := flows[1].File.Text; got != "source(folderPath: 'in') ~> a\na derive(x = wrong wrong) ~> b" {
		t.Errorf("found %q", got)
	}
	_, err = syntax.Parse(flows[1].File)
	wantPlace(t, err, text)
	if _, err := syntax.Parse(flows[2].File); err != nil {
		t.Error(err)
	}
	if flows[0].Factory.Datasets["RawFiles"].Type != "Json" {
		t.Errorf("found %+v", flows[0].Factory)
	}
	for i, can := range []bool{true, false, false, true} {
		if _, err := resource.Rewrite(flows[i:i+1], []string{"x"}); (err == nil) != can {
			t.Errorf("flow %d: found %v", i, err)
		}
	}
}

// What is written back is the file with another script, and nothing else.
func TestRewrite(t *testing.T) {
	for _, text := range []string{lines, `{"properties": {"typeProperties": {"script": "source() ~> a"}}, "x": "<&>"}`} {
		flows, err := resource.Load(folder(map[string]string{"f.json": text}), "f.json")
		if err != nil {
			t.Fatal(err)
		}
		const script = "source(\n\tname: \"<é>\\\\\") ~> a\na sink() ~> b\n"
		written, err := resource.Rewrite(flows, []string{script})
		if err != nil {
			t.Fatal(err)
		}
		again, err := resource.Load(folder(map[string]string{"f.json": written}), "f.json")
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		if got := again[0].File.Text + "\n"; got != script {
			t.Errorf("found %q, want %q", got, script)
		}
		back, err := resource.Rewrite(again, []string{flows[0].File.Text})
		if err != nil || !strings.HasPrefix(back, text[:40]) || !strings.HasSuffix(back, text[len(text)-10:]) {
			t.Errorf("found %s, %v", back, err)
		}
	}
}

func TestProblems(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"none.json":     {`{"properties": {}}`, "found no data flow"},
		"broken.json":   {"{\n \"a\": x}", "broken.json:2:7: the file is no JSON"},
		"tail.json":     {`{} {}`, "found text behind the value"},
		"deep.json":     {strings.Repeat("[", 300), "deep"},
		"computed.json": {`{"properties": {"script": "[variables('x')]"}}`, "the script is computed"},
		"cut.json":      {`{"properties"`, "the file is no JSON"},
	} {
		_, err := resource.Load(folder(map[string]string{name: c.text}), name)
		if diag.CodeOf(err) != diag.FlowResource || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: found %v, want %s", name, err, c.want)
		}
	}
	if _, err := resource.Load(folder(nil), "missing.dfs"); diag.CodeOf(err) != diag.FlowResource {
		t.Errorf("found %v", err)
	}
}

// Several flows of one file are written back at once.
func TestRewriteSeveral(t *testing.T) {
	const text = `{"resources": [
  {"name": "f/a", "type": "Microsoft.DataFactory/factories/dataflows", "properties": {"script": "source() ~> a"}},
  {"name": "f/b", "type": "Microsoft.DataFactory/factories/dataflows", "properties": {"script": "source() ~> b"}}]}`
	flows, err := resource.Load(folder(map[string]string{"t.json": text}), "t.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := resource.Rewrite(flows, []string{"one\n", "two\n"})
	want := strings.NewReplacer("source() ~> a", "one", "source() ~> b", "two").Replace(text)
	if err != nil || got != want {
		t.Errorf("found %s, %v", got, err)
	}
}
