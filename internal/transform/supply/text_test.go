package supply_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/flow/dataset"
	"landfall/internal/schema"
	"landfall/internal/transform/supply"
)

func TestText(t *testing.T) {
	headed := dataset.Text{Delimiter: ",", Quote: `"`, Escape: `\`, Header: true}
	with := func(change func(*dataset.Text)) dataset.Text {
		out := headed
		change(&out)
		return out
	}
	tests := map[string]struct {
		files         map[string]string
		text          dataset.Text
		strings       bool
		columns, rows string
	}{
		"columns go by name": {
			files: map[string]string{"a.csv": "a,b\n1,x\n", "b.csv": "b,c,a\ny,2.5,2\n"}, text: headed,
			columns: "a bigint, b string, c double", rows: "1|x|NULL; 2|y|2.5",
		},
		"types of all values": {
			files: map[string]string{"a.csv": "a\n1\n", "b.csv": "a\nx\n"}, text: headed,
			columns: "a string", rows: "1; x",
		},
		"all are strings where nothing is inferred": {
			files: map[string]string{"a.csv": "a,b\n1,\n"}, text: headed, strings: true,
			columns: "a string, b string", rows: "1|NULL",
		},
		"a header without rows": {
			files: map[string]string{"a.csv": "a,b\n"}, text: headed,
			columns: "a string, b string",
		},
		"a header without rows before a file with some": {
			files: map[string]string{"a.csv": "c,b,a\n", "b.csv": "a,b\n1,2\n"}, text: headed,
			columns: "c string, b bigint, a bigint", rows: "NULL|2|1",
		},
		"a file of no bytes": {
			files: map[string]string{"a.csv": "", "b.csv": "a\n1\n"}, text: headed,
			columns: "a bigint", rows: "1",
		},
		"no header": {
			files:   map[string]string{"a.csv": "1,x\n2,y\n"},
			text:    with(func(d *dataset.Text) { d.Header = false }),
			columns: "_col0_ bigint, _col1_ string", rows: "1|x; 2|y",
		},
		"several characters between values, and another line end": {
			files: map[string]string{"a.csv": "a||b\r1||\"x||y\"\r"}, text: with(func(d *dataset.Text) { d.Delimiter = "||" }),
			columns: "a bigint, b string", rows: "1|x||y",
		},
		"a backslash before a quote": {
			files: map[string]string{"a.csv": "a\n\"x \\\"y\\\"\nz\"\n"}, text: headed,
			columns: "a string", rows: "x \"y\"\nz",
		},
		"one column of whole lines": {
			files: map[string]string{"a.csv": "a,b\n"}, text: with(func(d *dataset.Text) { d.Header, d.Delimiter = false, "\x01" }),
			columns: "_col0_ string", rows: "a,b",
		},
		"Latin-1": {
			files: map[string]string{"a.csv": "\xe4\n\xf6\n"}, text: with(func(d *dataset.Text) { d.Encoding = "ISO-8859-1" }),
			columns: "ä string", rows: "ö",
		},
		"a word that means null": {
			files: map[string]string{"a.csv": "a,b\n\\N,x\n"}, text: with(func(d *dataset.Text) { d.Null = `\N` }),
			columns: "a string, b string", rows: "NULL|x",
		},
		"a name in two casings": {
			files: map[string]string{"a.csv": "Id\n1\n", "b.csv": "ID\n2\n"}, text: headed,
			columns: "Id bigint", rows: "1; 2",
		},
		"numbers that no type of numbers holds": {
			files: map[string]string{"a.csv": "a\n9223372036854775808\n1\n"}, text: headed,
			columns: "a decimal(19,0)", rows: "9223372036854775808; 1",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := container(t, test.files).must(dataset.Source{Format: dataset.Delimited, Text: test.text, Infer: !test.strings, Drift: true})
			if got := columns(s); got != test.columns {
				t.Errorf("columns %s, want %s", got, test.columns)
			}
			if got := rows(t, s); got != test.rows {
				t.Errorf("rows %s, want %s", got, test.rows)
			}
		})
	}
}

func TestProjectionWithoutHeader(t *testing.T) {
	f := container(t, map[string]string{"a.csv": "1,2,3\n"})
	source := dataset.Source{Format: dataset.Delimited, Infer: true}
	tests := map[string][]string{
		"Prop_0 string, Prop_1 string, _col2_ bigint": {"Prop_0", "Prop_1"},
		"_col0_ bigint, _col1_ string, _col2_ string": {"_col2_", "_col1_"},
	}
	for want, names := range tests {
		source.Projection = nil
		for _, name := range names {
			source.Projection = append(source.Projection, schema.Field{Name: name, Type: schema.Integer})
		}
		s := f.must(source)
		if got := columns(s); got != want {
			t.Errorf("%v: columns %s, want %s", names, got, want)
		}
		if got := rows(t, s); got != "1|2|3" {
			t.Errorf("%v: rows %s", names, got)
		}
	}
}

func TestDriftOfHeaders(t *testing.T) {
	f := container(t, map[string]string{"a.csv": "id,b\n1,2\n", "b.csv": "ID,c\n1,2\n", "c.csv": "b,id,c\n1,2,3\n"})
	s := f.must(dataset.Source{Format: dataset.Delimited, Text: dataset.Text{Delimiter: ",", Header: true}, Infer: true})
	want := map[string]string{
		"a.csv": "[]",
		"b.csv": "[id is spelt ID + c bigint - b]",
		"c.csv": "[+ c bigint]",
	}
	for _, file := range s.Files {
		if got := fmt.Sprint(file.Drift); got != want[file.Path] {
			t.Errorf("%s: %s, want %s", file.Path, got, want[file.Path])
		}
	}
	projected := dataset.Source{
		Format: dataset.Delimited, Text: dataset.Text{Delimiter: ",", Header: true}, Infer: true,
		Projection: []schema.Field{{Name: "id", Type: schema.Integer}, {Name: "b", Type: schema.Date}, {Name: "c", Type: schema.Double}},
	}
	if got := f.must(projected).Files[0].Drift; len(got) != 1 || got[0] != (supply.Drift{Kind: supply.Missing, Column: "c", From: "double"}) {
		t.Errorf("against a projection: %v", got)
	}
}

func TestDocuments(t *testing.T) {
	tests := map[string]struct {
		text          string
		lenient       dataset.Lenient
		columns, rows string
	}{
		"a document a line":      {text: "{\"a\":1}\n\n{\"a\":2,\"b\":{\"c\":[1,2.5]}}\n", columns: "a bigint, b struct<c:array<double>>", rows: "1|NULL; 2|{\"c\":[1,2.5]}"},
		"an array of documents":  {text: `[{"a":1},{"a":null}]`, columns: "a bigint", rows: "1; NULL"},
		"one document":           {text: "{\n \"a\": true\n}\n", columns: "a boolean", rows: "true"},
		"values of all sorts":    {text: "{\"a\":1}\n{\"a\":\"x\"}\n{\"a\":{\"b\":[1,2]}}\n", columns: "a string", rows: `1; x; {"b":[1,2]}`},
		"all digits of a number": {text: `{"a":12345678901234567890123456789012345678901}`, columns: "a string", rows: "12345678901234567890123456789012345678901"},
		"beyond the standard": {
			text:    "{'a':1, b:2 /* c */}\n",
			lenient: dataset.Lenient{UnquotedNames: true, Comments: true, SingleQuotes: true},
			columns: "a bigint, b bigint", rows: "1|2",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := container(t, map[string]string{"a.json": test.text}).must(dataset.Source{Format: dataset.JSON, Lenient: test.lenient, Infer: true})
			if got := columns(s); got != test.columns {
				t.Errorf("columns %s, want %s", got, test.columns)
			}
			if got := rows(t, s); got != test.rows {
				t.Errorf("rows %s, want %s", got, test.rows)
			}
		})
	}
}

func TestBadText(t *testing.T) {
	headed := dataset.Text{Delimiter: ",", Quote: `"`, Header: true}
	tests := map[string]struct {
		file, text string
		source     dataset.Source
		code       diag.Code
		word       string
	}{
		"a document that ends early": {file: "a.json", text: "{\"a\":1}\n{\"a\":\n", source: dataset.Source{Format: dataset.JSON}, code: diag.FileUnreadable, word: "a.json:2"},
		"an archive":                 {file: "a.csv", text: "PK\x03\x04rest", source: dataset.Source{Format: dataset.Delimited, Text: headed}, code: diag.FileUnreadable, word: "ZIP"},
		"a name with a zero byte":    {file: "a.csv", text: "x\x00,b\n", source: dataset.Source{Format: dataset.Delimited, Text: headed}, code: diag.FileUnreadable, word: "zero byte"},
		"a compression by its name":  {file: "a.csv", text: "a\n", source: dataset.Source{Format: dataset.Delimited, Text: headed, Compression: "lz4"}, code: diag.FlowRefused, word: `"lz4"`},
		"a compression by the file's": {
			file: "a.csv.deflate", text: "a\n", source: dataset.Source{Format: dataset.Delimited, Text: headed}, code: diag.FlowRefused, word: ".deflate",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := container(t, map[string]string{test.file: test.text}).open(test.source)
			fails(t, err, test.code, test.word)
		})
	}
}

// TestOrderOfText: rows come in the order in which files were written, whatever data
// files they are in.
func TestOrderOfText(t *testing.T) {
	f := container(t, nil)
	var want []string
	for i := range 40 {
		f.write(fmt.Sprintf("%02d.csv", i), fmt.Sprintf("c%d\n%d\n%d\n", i%3, i, i))
		cells := []string{"NULL", "NULL", "NULL"}
		cells[i%3] = fmt.Sprint(i)
		want = append(want, strings.Join(cells, "|"), strings.Join(cells, "|"))
	}
	s := f.must(headed(dataset.Source{}))
	if got := rows(t, s); got != strings.Join(want, "; ") {
		t.Errorf("rows %s, want %s", got, strings.Join(want, "; "))
	}
}

func TestCompressedText(t *testing.T) {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := w.Write([]byte("a\n1\n")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f := container(t, map[string]string{"a.csv.gz": buf.String()})
	s := f.must(dataset.Source{Format: dataset.Delimited, Text: dataset.Text{Delimiter: ",", Header: true}, Compression: "gzip", Infer: true})
	if got := rows(t, s); got != "1" {
		t.Errorf("rows %s", got)
	}
}
