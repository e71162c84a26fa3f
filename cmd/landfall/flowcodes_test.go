package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/transform"
)

// serviceCase is a flow that the service ends with a code. The script stands between a
// source In of a.csv and a sink Out, unless it has a source of its own.
type serviceCase struct {
	// service is the service's code, which the message has unless ours alone tells it.
	service string
	code    diag.Code
	script  string
	files   map[string]string
	at      string // where the message points
	says    string // what it says besides
	strict  bool
	silent  bool // the message does not have the service's code
}

const (
	codesSource = "source(allowSchemaDrift: true, inferDriftedColumnTypes: true, format: 'delimited', columnNamesAsHeader: true, wildcardPaths: ['*.csv']) ~> In\n"
	codesSink   = "\nMid sink(allowSchemaDrift: true, format: 'parquet') ~> Out\n"
)

// withSource is a source of columns of a projection.
func withSource(output, options string) string {
	return "source(output(" + output + "), allowSchemaDrift: true, format: 'delimited', columnNamesAsHeader: true, wildcardPaths: ['*.csv']" + options + ") ~> In\n"
}

func serviceCases() []serviceCase {
	sink := func(options string) string {
		return codesSource + "In sink(allowSchemaDrift: true" + options + ") ~> Out\n"
	}
	source := func(options string) string {
		return "source(allowSchemaDrift: true" + options + ") ~> In\nIn filter(true()) ~> Mid" + codesSink
	}
	return []serviceCase{
		{service: "DF-Executor-DSLParseError", code: diag.FlowSyntax, script: codesSource + "In derive(a = 'open) ~> Mid" + codesSink, at: "flow.dfs:2:15", silent: true},
		{service: "DF-Executor-DSLParseError", code: diag.FlowSyntax, script: codesSource + "In derive(a = (1 + 2) ~> Mid" + codesSink, at: "flow.dfs:", silent: true},
		{service: "DF-Executor-ParameterParseError", code: diag.FlowSyntax, script: "parameters{ p as integer (1 +) }\n" + codesSource + "In filter(true()) ~> Mid" + codesSink, at: "flow.dfs:1:", silent: true},
		{service: "DF-Executor-InvalidType", code: diag.FlowType, script: "parameters{ p as integer (true()) }\n" + codesSource + "In filter($p == 1) ~> Mid" + codesSink, at: "flow.dfs:1:"},
		{service: "DF-Executor-ColumnNotFound", code: diag.FlowColumn, script: codesSource + "In derive(a = missing + 1) ~> Mid" + codesSink, at: "flow.dfs:2:15"},
		{service: "DF-Executor-FieldNotExist", code: diag.FlowColumn, script: "source(output(s as (a as string)), allowSchemaDrift: true, format: 'json', wildcardPaths: ['*.json']) ~> In\nIn derive(x = s.b) ~> Mid" + codesSink, at: "flow.dfs:2:", files: map[string]string{"a.json": `{"s": {"a": "x"}}`}},
		{service: "DF-FN-002", code: diag.FlowType, script: codesSource + "In derive(a = upper(12)) ~> Mid" + codesSink, at: "flow.dfs:2:21"},
		{service: "DF-UNI-001", code: diag.FlowType, script: withSource("id as integer", "") + withSourceB() + "In, B union(byName: true) ~> Mid" + codesSink, at: "flow.dfs:3:"},
		{service: "DF-Executor-SystemImplicitCartesian", code: diag.FlowType, script: withSource("id as integer", "") + withSourceB() + "In, B join(In@id > 1, joinType: 'inner', broadcast: 'auto') ~> Mid" + codesSink, at: "flow.dfs:3:"},
		{service: "DF-Executor-InvalidPath", code: diag.FlowInput, script: source(", format: 'delimited', wildcardPaths: ['none/*.csv']"), at: "flow.dfs:1:1"},
		{service: "DF-Executor-InvalidInputColumns", code: diag.FlowInput, script: withSource("id as integer, gone as string", "") + "In filter(true()) ~> Mid" + codesSink, at: "flow.dfs:1:"},
		{service: "DF-Executor-PartitionDirectoryError", code: diag.FlowInput, script: source(", format: 'parquet', wildcardPaths: ['t/**'], partitionRootPath: 't'"), at: "", files: map[string]string{"t/k=1/a.parquet": onlyID, "t/b.parquet": onlyID}},
		{service: "DF-Executor-DriverError", code: diag.FlowService, strict: true, script: source(", format: 'parquet', wildcardPaths: ['*.parquet']"), files: map[string]string{"a.parquet": "ts: int96\n\n{\"ts\": \"2026-11-01 10:00:00\"}\n"}, at: "a.parquet"},
		{service: "DF-Executor-SystemInvalidJson", code: diag.FileUnreadable, silent: true, script: source(", format: 'json', wildcardPaths: ['*.json']"), files: map[string]string{"a.json": "{\"a\": 1}\n{\"a\": \n"}, at: "a.json"},
		{service: "DF-Delimited-ColumnDelimiterMissed", code: diag.FlowInput, script: sink(", format: 'delimited', columnDelimiter: ''"), at: "flow.dfs:2:"},
		{service: "validateSchema", code: diag.FlowInput, silent: true, script: withSource("id as integer", ", validateSchema: true") + "In filter(true()) ~> Mid" + codesSink, at: "flow.dfs:1:", says: "name"},
		{service: "DF-Executor-InvalidOutputColumns", code: diag.FlowInput, script: codesSource + "In sink(allowSchemaDrift: true, format: 'parquet', mapColumn(each(match(name == 'none')))) ~> Out\n", at: "flow.dfs:2:"},
		{service: "DF-Executor-InvalidPartitionFileNames", code: diag.FlowInput, script: sink(", format: 'parquet', partitionFileNames: ['']"), at: "flow.dfs:2:"},
		{service: "DF-CSVWriter-InvalidQuoteSetting", code: diag.FlowInput, script: sink(", format: 'delimited', quoteChar: '', escapeChar: ''"), at: "flow.dfs:2:"},
		{service: "Parquet names", code: diag.FlowService, silent: true, strict: true, script: codesSource + "In derive({a b} = 1) ~> Mid" + codesSink, at: "flow.dfs:3:", says: "a b"},
		{service: "DF-DELTA-InvalidConfiguration", code: diag.FlowInput, script: source(", format: 'delta', folderPath: 'd', versionAsOf: 1, timestampAsOf: '2026-01-01'"), at: "flow.dfs:1:"},
		{service: "DF-DELTA-InvalidTableOperationSettings", code: diag.FlowInput, script: sink(", format: 'delta', overwrite: true, deltaTruncate: true"), at: "flow.dfs:2:"},
		{service: "DF-DELTA-KeyColumnMissed", code: diag.FlowInput, script: sink(", format: 'delta', upsertable: true"), at: "flow.dfs:2:"},
		{service: "connector", code: diag.FlowRefused, silent: true, script: source(", format: 'table', store: 'sqlserver'"), at: "flow.dfs:1:", says: "table"},
		{service: "unknown transformation", code: diag.FlowName, silent: true, script: codesSource + "In derived(a = 1) ~> Mid" + codesSink, at: "flow.dfs:2:4", says: "derived"},
		{service: "ambiguous column", code: diag.FlowColumn, silent: true, script: withSource("id as integer", "") + withSourceB() + "In, B join(id == 1, joinType: 'cross', broadcast: 'auto') ~> Mid" + codesSink, at: "flow.dfs:3:12", says: "2 columns"},
		{service: "circle", code: diag.FlowGraph, silent: true, script: codesSource + "In, Later union(byName: true) ~> Mid\nMid filter(true()) ~> Later" + codesSink, at: "flow.dfs:"},
		{service: "missing stream", code: diag.FlowGraph, silent: true, script: codesSource + "Inn filter(true()) ~> Mid" + codesSink, at: "flow.dfs:2:1", says: "Inn"},
	}
}

const onlyID = "id: int32\n\n{\"id\": 1}\n"

func withSourceB() string {
	return "source(output(id as (x as string)), allowSchemaDrift: true, format: 'json', wildcardPaths: ['*.json']) ~> B\n"
}

// TestServiceCodes provokes what the service ends a run with: each comes with our code, with
// the place and with a hint, and where the service has a code, with that.
func TestServiceCodes(t *testing.T) {
	for _, c := range serviceCases() {
		t.Run(c.service, func(t *testing.T) {
			dir := t.TempDir()
			files := map[string]string{"a.csv": "id,name\n1,x\n", "b.json": `{"id": {"x": "y"}}`}
			if c.files != nil {
				files = c.files
			}
			for name, text := range files {
				writeInput(t, filepath.Join(dir, name), []byte(text))
			}
			writeInput(t, filepath.Join(dir, "flow.dfs"), []byte(c.script))
			err := runAll(t, dir, c.strict)
			var d *diag.Diagnostic
			if !errors.As(err, &d) {
				t.Fatalf("found %v, want a diagnostic", err)
			}
			text := diag.Render(err, false)
			for _, want := range []string{string(c.code), c.at, c.says, "hint: "} {
				if !strings.Contains(text, want) {
					t.Errorf("found\n%s\nwant %q in it", text, want)
				}
			}
			if has := strings.Contains(text, "("+c.service+")"); has == c.silent {
				t.Errorf("found\n%s\nwhere the service says %s", text, c.service)
			}
			if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
				t.Error("found an output, want none of a run that failed")
			}
		})
	}
}

// runAll runs the flow of a folder over its files.
func runAll(t *testing.T, dir string, strict bool) error {
	t.Helper()
	app := &app{stdout: os.Stderr, stderr: os.Stderr, now: clock, newID: newID}
	f := flowFlags{sources: []string{"In=" + dir}, sinks: []string{"Out=" + filepath.Join(dir, "out")}}
	script, err := os.ReadFile(filepath.Join(dir, "flow.dfs"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(script), "~> B\n") {
		f.sources = append(f.sources, "B="+dir)
	}
	if strict {
		f.strict = "adf"
	}
	job, err := app.flowJob(t.Context(), filepath.Join(dir, "flow.dfs"), f)
	if err != nil {
		return err
	}
	o, err := transform.Open(t.Context(), job)
	if err != nil {
		return err
	}
	defer o.Close() //nolint:errcheck // a temporary folder
	_, err = o.Run(t.Context())
	return err
}
