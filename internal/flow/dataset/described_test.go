package dataset_test

import (
	"fmt"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/flow/dataset"
	"landfall/internal/schema"
)

// factory is a flow with a source and a sink that datasets describe.
func factory(source, sink, node, in, out string) map[string]string {
	return map[string]string{
		"dataflow/f.json": fmt.Sprintf(`{"properties": {"typeProperties": {
			"sources": [{"name": "In", "dataset": {"referenceName": "A"%s}}], "sinks": [{"name": "Out", "dataset": {"referenceName": "B"}}],
			"scriptLines": ["source(%s) ~> In", "In sink(%s) ~> Out"]}}}`, node, source, sink),
		"dataset/A.json": `{"name": "A", "properties": ` + in + `}`,
		"dataset/B.json": `{"name": "B", "properties": ` + out + `}`,
	}
}

const (
	text = `{"type": "DelimitedText", "linkedServiceName": {"referenceName": "Lake"}, "schema": [{"name": "a", "type": "String"}],
		"typeProperties": {"location": {"type": "AzureBlobFSLocation", "fileSystem": "raw", "folderPath": "in", "fileName": "a.csv"},
		"columnDelimiter": ";", "firstRowAsHeader": true, "encodingName": "UTF-8", "compressionCodec": "gzip", "compressionLevel": 3, "nullValue": "N"}}`
	parquet = `{"type": "Parquet", "linkedServiceName": {"referenceName": "Store"}, "typeProperties": {"location": {"type": "AzureBlobStorageLocation", "container": "done", "folderPath": "out"}, "compressionCodec": "snappy"}}`
)

// What a dataset says holds where the script says nothing.
func TestDescribed(t *testing.T) {
	f, s := load(t, factory("columnDelimiter: '|', folderPath: 'other'", "", "", text, parquet), "dataflow/f.json")
	sources, sinks, err := dataset.Read(f, s, work(f.File))
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	in, out := sources[0], sinks[0]
	if in.Format != dataset.Delimited || in.Location != (dataset.Location{Service: "Lake", Container: "raw", Folder: "other", File: "a.csv"}) || in.Compression != "gzip" {
		t.Errorf("found %+v", in)
	}
	if want := (dataset.Text{Delimiter: "|", Quote: `"`, Escape: `\`, Null: "N", Header: true, Encoding: "UTF-8"}); in.Text != want {
		t.Errorf("found %+v", in.Text)
	}
	if len(in.Projection) != 1 || in.Projection[0].Type != schema.String {
		t.Errorf("found projection %v", in.Projection)
	}
	if len(in.Notes) != 1 || !strings.Contains(in.Notes[0].Message, "compressionLevel") || in.Notes[0].Rule.File != "dataset/A.json" {
		t.Errorf("found notes %v", in.Notes)
	}
	if out.Format != dataset.Parquet || out.Location != (dataset.Location{Service: "Store", Container: "done", Folder: "out"}) || out.Compression != "snappy" || out.Notes != nil {
		t.Errorf("found %+v", out)
	}
}

// Datasets that do not run are refused by name.
func TestDescribedProblems(t *testing.T) {
	for in, want := range map[string]string{
		`{"type": "AzureSqlTable"}`: `E0907 found dataset "A" of type "AzureSqlTable"`,
		`{"type": "Parquet", "typeProperties": {"location": {"folderPath": "[parameters('folder')]"}}}`: `E0907 dataset "A": folderPath is computed, and not here: "[parameters('folder')]"`,
		`{"type": "Avro"}`: `E0907 found format "avro"`,
		`{"type": "Parquet", "typeProperties": {"location": {"folderPath": "../x"}}}`:                                                      `E0910 folderPath`,
		`{"type": "Parquet", "typeProperties": {"location": 7}}`:                                                                           `E0904 the location of dataset "A"`,
		`{"type": "Parquet", "typeProperties": []}`:                                                                                        `E0904 the properties of dataset "A"`,
		`{"type": "DelimitedText", "typeProperties": {"firstRowAsHeader": "yes"}}`:                                                         `E0909 columnNamesAsHeader`,
		`{"type": "DelimitedText", "typeProperties": {"nullValue": {"a": 1}}}`:                                                             `E0909 nullValue`,
		`{"type": "Parquet", "typeProperties": {"location": {"folderPath": {"value": "@pipeline().parameters.x", "type": "Expression"}}}}`: `E0907 dataset "A": folderPath is computed, and not here: "@pipeline().parameters.x"`,
		`{"type": "Parquet", "typeProperties": {"location": {"folderPath": {"value": "@dataset().day", "type": "Expression"}}}}`:           `E0907 dataset "A": folderPath is computed, and not here: "@dataset().day", and nothing gives the parameter "day"`,
	} {
		f, s := load(t, factory("", "", "", in, parquet), "dataflow/f.json")
		_, _, err := dataset.Read(f, s, work(f.File))
		found(t, in, err, "source In", want)
	}
	files := factory("", "", "", text, parquet)
	delete(files, "dataset/A.json")
	f, s := load(t, files, "dataflow/f.json")
	_, _, err := dataset.Read(f, s, work(f.File))
	found(t, "no dataset", err, "source In", `E0911 found dataset "A" in the resource, which is not beside the flow`)
	files["dataflow/f.json"] = strings.Replace(files["dataflow/f.json"], `"dataset": {"referenceName": "A"}`, `"flowlet": {"referenceName": "L"}`, 1)
	f, s = load(t, files, "dataflow/f.json")
	_, _, err = dataset.Read(f, s, work(f.File))
	found(t, "flowlet", err, "source In", `E0907 found flowlet "L"`)
}

// Columns of a dataset have the types that its store names.
func TestStored(t *testing.T) {
	for word, want := range map[string]schema.Type{
		"BOOLEAN": schema.Boolean, "INT_8": schema.Byte, "INT_16": schema.Short, "INT32": schema.Integer, "INT64": schema.Long, "FLOAT": schema.Float,
		"DOUBLE": schema.Double, "INT96": schema.Timestamp, "DATE": schema.Date, "BYTE_ARRAY": schema.Binary, "UTF8": schema.String, "String": schema.String,
		`DECIMAL", "precision": 10, "scale": "2`:        schema.Decimal{Precision: 10},
		`DECIMAL", "precision": 10, "scale": 2, "x": "`: schema.Decimal{Precision: 10, Scale: 2}, "DECIMAL": schema.String,
	} {
		in := `{"type": "Parquet", "schema": [{"name": "a", "type": "` + word + `"}]}`
		f, s := load(t, factory("", "", "", in, parquet), "dataflow/f.json")
		sources, _, err := dataset.Read(f, s, work(f.File))
		if err != nil || len(sources[0].Projection) != 1 || sources[0].Projection[0].Type != want {
			t.Errorf("%s: found %v, %v, want %s", word, sources[0].Projection, err, want)
		}
	}
}

// Expressions of parameters and texts are worked out, others are refused.
func TestPipeline(t *testing.T) {
	const defaults = `"parameters": {"day": {"type": "string", "defaultValue": "monday"}, "n": {"type": "int", "defaultValue": 7}, "x": {"type": "string"}}`
	for expression, want := range map[string]string{
		"@dataset().day":                           "monday",
		"in/@{dataset().day}/@{dataset().n}":       "in/monday/7",
		"@concat('in/', dataset().day, '/')":       "in/monday",
		"@concat(toUpper(dataset().day), 'it''s')": "MONDAYit's",
		"@{toLower('ABC')}":                        "abc",
		"@ dataset( ) . given":                     "given here",
		"@trim(string(dataset().n))":               "7",
		"@@literal":                                "@literal",
		"a@@{b}":                                   "a@{b}",
		"a@b":                                      "a@b",
		"[a](b)":                                   "[a](b)", "[](x)]": "[](x)]",
		"plain":                             "plain",
		"@dataset().x":                      "!and nothing gives the parameter",
		"@dataset().own":                    "!parameter",
		"@concat('a'":                       "!computed",
		"@concat('a":                        "!computed",
		"@formatDateTime(utcnow(), 'yyyy')": "!computed",
		"@dataset().day.more":               "!computed",
		"@{dataset().day":                   "!computed",
		"@":                                 "!computed",
		"@{":                                "!computed",
	} {
		in := fmt.Sprintf(`{"type": "Parquet", %s, "typeProperties": {"location": {"folderPath": {"value": %q, "type": "Expression"}}}}`, defaults, expression)
		node := `, "parameters": {"given": "given here", "own": {"value": "@pipeline().x", "type": "Expression"}}`
		f, s := load(t, factory("", "", node, in, parquet), "dataflow/f.json")
		sources, _, err := dataset.Read(f, s, work(f.File))
		if problem, refused := strings.CutPrefix(want, "!"); refused {
			if list := problems(t, err); len(list) != 1 || !strings.Contains(list[0].Message, problem) {
				t.Errorf("%s: found %v, want one with %s", expression, list, problem)
			}
			continue
		}
		if err != nil || sources[0].Folder != want {
			t.Errorf("%s: found %q, %v, want %q", expression, sources[0].Folder, err, want)
		}
	}
}
