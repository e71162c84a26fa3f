package dataset_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"landfall/internal/diag"
	"landfall/internal/flow/dataset"
	"landfall/internal/flow/resource"
	"landfall/internal/flow/syntax"
	"landfall/internal/schema"
)

// work works out a parameter by its name, and refuses anything else.
func work(f *syntax.File) func(syntax.Expr) (any, error) {
	return func(x syntax.Expr) (any, error) {
		for p, ok := x.(*syntax.Paren); ok; p, ok = x.(*syntax.Paren) {
			x = p.X
		}
		if p, ok := x.(*syntax.Param); ok {
			v, ok := map[string]any{
				"text": "in/orders", "yes": true, "seven": int64(7), "half": 0.5, "none": nil,
				"then": time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC), "names": []any{"a.csv", "b.csv"}, "odd": []any{"a", int64(1)},
			}[p.Name]
			if ok {
				return v, nil
			}
		}
		return nil, f.Problem(diag.FlowName, x.Pos(), "found %s, want a parameter", syntax.FormatExpr(x)).Hinted("name one")
	}
}

// load is the first flow of a file with its script.
func load(t testing.TB, files map[string]string, name string) (*resource.Flow, *syntax.Script) {
	t.Helper()
	folder := fstest.MapFS{}
	for file, text := range files {
		folder[file] = &fstest.MapFile{Data: []byte(text)}
	}
	flows, err := resource.Load(folder, name)
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	s, err := syntax.Parse(flows[0].File)
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	return flows[0], s
}

func read(t testing.TB, script string) ([]dataset.Source, []dataset.Sink, error) {
	t.Helper()
	f, s := load(t, map[string]string{"f.dfs": script}, "f.dfs")
	return dataset.Read(f, s, work(f.File))
}

// problems are those that an error holds.
func problems(t testing.TB, err error) diag.List {
	t.Helper()
	var list diag.List
	var one *diag.Diagnostic
	switch {
	case err == nil:
	case errors.As(err, &list):
	case errors.As(err, &one):
		list = diag.List{one}
	default:
		t.Fatalf("found %T %v, want diagnostics", err, err)
	}
	for _, d := range list {
		if d.Code == "" || d.Hint == "" || d.At.Line < 1 || d.At.Column < 1 || d.Excerpt == "" {
			t.Errorf("found %#v, want a code, a place, a line and a hint", d)
		}
	}
	return list
}

// same compares what was read without a note.
func same(got, want any) bool { return reflect.DeepEqual(got, want) }

// plainText is what text is without settings.
func plainText() dataset.Text { return dataset.Text{Delimiter: ",", Quote: `"`, Escape: `\`} }

// Every setting of a source alone says what it says, and nothing else.
func TestSource(t *testing.T) {
	day := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	three := int64(3)
	zero := int64(0)
	for settings, want := range map[string]func(s *dataset.Source){
		"format: 'parquet'": func(*dataset.Source) {},
		"format: 'parquet', folderPath: '/in/./orders/', fileName: 'a.parquet'":          func(s *dataset.Source) { s.Folder, s.File = "in/orders", "a.parquet" },
		"format: 'parquet', folderPath: ($text)":                                         func(s *dataset.Source) { s.Folder = "in/orders" },
		"format: 'parquet', folderPath: $text":                                           func(s *dataset.Source) { s.Folder = "in/orders" },
		"format: 'parquet', folderPath: \"in\"":                                          func(s *dataset.Source) { s.Folder = "in" },
		"format: 'parquet', fileSystem: 'lake'":                                          func(s *dataset.Source) { s.Container = "lake" },
		"format: 'parquet', container: 'blobs'":                                          func(s *dataset.Source) { s.Container = "blobs" },
		"format: 'parquet', wildcardPaths: ['a/*.parquet', ($text), 'b/**']":             func(s *dataset.Source) { s.Wildcards = []string{"a/*.parquet", "in/orders", "b/**"} },
		"format: 'parquet', wildcardPaths: 'a/*'":                                        func(s *dataset.Source) { s.Wildcards = []string{"a/*"} },
		"format: 'parquet', wildcardPaths: [($names)]":                                   func(s *dataset.Source) { s.Wildcards = []string{"a.csv", "b.csv"} },
		"format: 'parquet', fileList: true, fileName: 'list.txt'":                        func(s *dataset.Source) { s.FileList, s.File = true, "list.txt" },
		"format: 'parquet', partitionRootPath: 'in/'":                                    func(s *dataset.Source) { s.PartitionRoot = "in" },
		"format: 'parquet', rowUrlColumn: 'path'":                                        func(s *dataset.Source) { s.PathColumn = "path" },
		"format: 'parquet', modifiedAfter: ($then)":                                      func(s *dataset.Source) { s.After = day },
		"format: 'parquet', modifiedAfter: '2026-10-01 00:00:00'":                        func(s *dataset.Source) { s.After = day },
		"format: 'parquet', modifiedBefore: '2026-10-01T02:00:00+02:00'":                 func(s *dataset.Source) { s.Before = day },
		"format: 'parquet', ignoreNoFilesFound: true":                                    func(s *dataset.Source) { s.NoneOK = true },
		"format: 'parquet', ignoreNoFilesFound: true()":                                  func(s *dataset.Source) { s.NoneOK = true },
		"format: 'parquet', ignoreNoFilesFound: ($yes)":                                  func(s *dataset.Source) { s.NoneOK = true },
		"format: 'parquet', moveFiles: ['in', 'done']":                                   func(s *dataset.Source) { s.MoveFrom, s.MoveTo = "in", "done" },
		"format: 'parquet', purgeFiles: true":                                            func(s *dataset.Source) { s.Purge = true },
		"format: 'parquet', allowSchemaDrift: true":                                      func(s *dataset.Source) { s.Drift = true },
		"format: 'parquet', inferDriftedColumnTypes: true":                               func(s *dataset.Source) { s.Infer = true },
		"format: 'parquet', validateSchema: true":                                        func(s *dataset.Source) { s.Validate = true },
		"format: 'parquet', useSchema: true":                                             func(s *dataset.Source) { s.Stored = true },
		"format: 'parquet', preferredIntegralType: 'long'":                               func(s *dataset.Source) { s.Integral = schema.Long },
		"format: 'parquet', preferredFractionalType: 'double'":                           func(s *dataset.Source) { s.Fractional = schema.Double },
		"format: 'parquet', compressionType: 'SNAPPY'":                                   func(s *dataset.Source) { s.Compression = "snappy" },
		"format: 'parquet', enableCdc: false, staged: false, query: '', preCommands: []": func(*dataset.Source) {},
		"format: 'parquet', output(a as integer, b as string)": func(s *dataset.Source) {
			s.Projection = []schema.Field{{Name: "a", Type: schema.Integer, Nullable: true}, {Name: "b", Type: schema.String, Nullable: true}}
		},
		"format: 'delimited'":                                         func(s *dataset.Source) { s.Text = plainText() },
		"format: 'delimited', columnDelimiter: '\\t'":                 func(s *dataset.Source) { s.Text = plainText(); s.Text.Delimiter = "\t" },
		"format: 'delimited', columnDelimiter: ''":                    func(s *dataset.Source) { s.Text = plainText(); s.Text.Delimiter = "" },
		"format: 'delimited', rowDelimiter: '\\r\\n'":                 func(s *dataset.Source) { s.Text = plainText(); s.Text.RowDelimiter = "\r\n" },
		"format: 'delimited', quoteChar: '\\''":                       func(s *dataset.Source) { s.Text = plainText(); s.Text.Quote = "'" },
		"format: 'delimited', escapeChar: '\"'":                       func(s *dataset.Source) { s.Text = plainText(); s.Text.Escape = `"` },
		"format: 'delimited', columnNamesAsHeader: true":              func(s *dataset.Source) { s.Text = plainText(); s.Text.Header = true },
		"format: 'delimited', multiLineRow: true":                     func(s *dataset.Source) { s.Text = plainText(); s.Text.MultiLine = true },
		"format: 'delimited', nullValue: 'NULL'":                      func(s *dataset.Source) { s.Text = plainText(); s.Text.Null = "NULL" },
		"format: 'delimited', encoding: 'UTF-16'":                     func(s *dataset.Source) { s.Text = plainText(); s.Text.Encoding = "UTF-16" },
		"format: 'delimited', maxColumns: 9":                          func(s *dataset.Source) { s.Text = plainText(); s.Text.MaxColumns = 9 },
		"format: 'delimited', skipLines: 0x10":                        func(s *dataset.Source) { s.Text = plainText(); s.Skip = 16 },
		"format: 'delimited', skipLines: ($seven)":                    func(s *dataset.Source) { s.Text = plainText(); s.Skip = 7 },
		"format: 'delimited', dateFormats: ['dd.MM.yyyy']":            func(s *dataset.Source) { s.Text = plainText(); s.DateFormats = []string{"dd.MM.yyyy"} },
		"format: 'delimited', timestampFormats: ['dd.MM.yyyy HH:mm']": func(s *dataset.Source) { s.Text = plainText(); s.TimestampFormats = []string{"dd.MM.yyyy HH:mm"} },
		"format: 'json', documentForm: 'arrayOfDocuments'":            func(s *dataset.Source) { s.Documents = dataset.Array },
		"format: 'json', documentForm: 'documentPerLine'":             func(*dataset.Source) {},
		"format: 'json', documentForm: 'singleDocument'":              func(s *dataset.Source) { s.Documents = dataset.Single },
		"format: 'json', singleDocument: true":                        func(s *dataset.Source) { s.Documents = dataset.Single },
		"format: 'json', unquotedColumnNames: true":                   func(s *dataset.Source) { s.Lenient.UnquotedNames = true },
		"format: 'json', asComments: true":                            func(s *dataset.Source) { s.Lenient.Comments = true },
		"format: 'json', singleQuoted: true":                          func(s *dataset.Source) { s.Lenient.SingleQuotes = true },
		"format: 'json', backslashEscape: true":                       func(s *dataset.Source) { s.Lenient.BackslashEscapes = true },
		"format: 'json', encoding: 'UTF-16'":                          func(s *dataset.Source) { s.Text.Encoding = "UTF-16" },
		"format: 'delta', folderPath: 'orders', versionAsOf: 3":       func(s *dataset.Source) { s.Folder, s.Version = "orders", &three },
		"format: 'delta', versionAsOf: 0":                             func(s *dataset.Source) { s.Version = &zero },
		"format: 'delta', timestampAsOf: '2026-10-01'":                func(s *dataset.Source) { s.AsOf = day },
	} {
		sources, _, err := read(t, "source("+settings+") ~> In")
		if err != nil || len(sources) != 1 {
			t.Errorf("%s\n%v", settings, err)
			continue
		}
		got := sources[0]
		expect := dataset.Source{Name: "In", At: got.At}
		for _, f := range []dataset.Format{dataset.Parquet, dataset.Delimited, dataset.JSON, dataset.Delta} {
			if strings.Contains(settings, "'"+f.String()+"'") {
				expect.Format = f
			}
		}
		if want(&expect); !same(got, expect) {
			t.Errorf("%s\nfound %+v\nwant  %+v", settings, got, expect)
		}
	}
}

// Every setting of a sink alone says what it says, and nothing else.
func TestSink(t *testing.T) {
	for settings, want := range map[string]func(s *dataset.Sink){
		"format: 'parquet', folderPath: 'out', fileSystem: 'lake'": func(s *dataset.Sink) { s.Folder, s.Container = "out", "lake" },
		"format: 'parquet', truncate: true":                        func(s *dataset.Sink) { s.Truncate = true },
		"format: 'parquet', filePattern: 'x/out[n].parquet'":       func(s *dataset.Sink) { s.Naming.Pattern = "x/out[n].parquet" },
		"format: 'parquet', partitionFileNames: ['a.parquet']":     func(s *dataset.Sink) { s.Naming.Files = []string{"a.parquet"} },
		"format: 'parquet', partitionFileNames: ($names), partitionBy('hash', 2)": func(s *dataset.Sink) {
			s.Naming.Files, s.Partition = []string{"a.csv", "b.csv"}, dataset.Partition{Kind: dataset.Hash, Count: 2}
		},
		"format: 'parquet', rowUrlColumn: 'p'":                        func(s *dataset.Sink) { s.Naming.FileColumn = "p" },
		"format: 'parquet', rowFolderUrlColumn: 'p', filePattern: ''": func(s *dataset.Sink) { s.Naming.FolderColumn = "p" },
		"format: 'parquet', compressionType: 'gzip'":                  func(s *dataset.Sink) { s.Compression = "gzip" },
		"format: 'parquet', partitionBy('roundRobin', ($seven))":      func(s *dataset.Sink) { s.Partition = dataset.Partition{Kind: dataset.RoundRobin, Count: 7} },
		"format: 'parquet', partitionBy('key', 0, {a b}, byName('c'))": func(s *dataset.Sink) {
			s.Partition = dataset.Partition{Kind: dataset.ByKey, Columns: []string{"a b", "c"}}
		},
		"format: 'parquet', insertable: true, updateable: false, upsertable: false": func(*dataset.Sink) {},
		"format: 'parquet', preCommands: [], postCommands: [], saveOrder: 2":        func(*dataset.Sink) {},
		"format: 'delimited'":                              func(s *dataset.Sink) { s.Text = plainText() },
		"format: 'delimited', quoteAll: true":              func(s *dataset.Sink) { s.Text, s.QuoteAll = plainText(), true },
		"format: 'delimited', header: ['a', 'b']":          func(s *dataset.Sink) { s.Text, s.HeaderLines = plainText(), []string{"a", "b"} },
		"format: 'delimited', emptyLinesAsHeader: 2":       func(s *dataset.Sink) { s.Text, s.EmptyLines = plainText(), 2 },
		"format: 'delimited', columnNamesAsHeader: true":   func(s *dataset.Sink) { s.Text = plainText(); s.Text.Header = true },
		"format: 'json', documentForm: 'arrayOfDocuments'": func(s *dataset.Sink) { s.Documents = dataset.Array },
		"format: 'delta', overwrite: true":                 func(s *dataset.Sink) { s.Change = dataset.Overwrite },
		"format: 'delta', deltaTruncate: true":             func(s *dataset.Sink) { s.Change = dataset.Truncate },
		"format: 'delta', mergeSchema: true, vacuum: 0":    func(s *dataset.Sink) { s.MergeSchema = true },
		"format: 'delta', autoCompact: false":              func(*dataset.Sink) {},
		"store: 'cache', format: 'inline', keys: ['a']":    func(s *dataset.Sink) { s.Cache = true },
		"format: 'delta', partitionBy('hash', 1, a)": func(s *dataset.Sink) {
			s.Partition = dataset.Partition{Kind: dataset.Hash, Count: 1, Columns: []string{"a"}}
		},
	} {
		_, sinks, err := read(t, "source(format: 'parquet') ~> In\nIn sink("+settings+") ~> Out")
		if err != nil || len(sinks) != 1 {
			t.Errorf("%s\n%v", settings, err)
			continue
		}
		got := sinks[0]
		expect := dataset.Sink{Name: "Out", At: got.At}
		for _, f := range []dataset.Format{dataset.Parquet, dataset.Delimited, dataset.JSON, dataset.Delta} {
			if strings.Contains(settings, "'"+f.String()+"'") {
				expect.Format = f
			}
		}
		if want(&expect); !same(got, expect) {
			t.Errorf("%s\nfound %+v\nwant  %+v", settings, got, expect)
		}
	}
}

// Settings without effect are noted, each where it stands; none is passed over.
func TestNotes(t *testing.T) {
	for settings, want := range map[string]string{
		"format: 'parquet', somethingOfItsOwn: 1":                 "somethingOfItsOwn",
		"format: 'parquet', skipLines: 2":                         "skipLines",
		"format: 'json', columnDelimiter: ';'":                    "columnDelimiter",
		"format: 'delimited', documentForm: 'x'":                  "documentForm",
		"format: 'parquet', versionAsOf: 1":                       "versionAsOf",
		"format: 'delimited', tableName: 't'":                     "tableName",
		"format: 'parquet', allowSchemaDrift: true, mode: 'read'": "mode",
	} {
		sources, _, err := read(t, "source("+settings+") ~> In")
		if err != nil || len(sources[0].Notes) != 1 || !strings.Contains(sources[0].Notes[0].Message, "source In: found "+want+", which has no effect here") {
			t.Errorf("%s\nfound %v, %v", settings, sources, err)
			continue
		}
		if d := sources[0].Notes[0]; d.At.Line != 1 || d.Hint == "" || !strings.HasPrefix(("source(" + settings)[d.At.Column-1:], settings[strings.LastIndex(settings, ": ")+2:]) {
			t.Errorf("%s: found place %s", settings, d.At)
		}
	}
	for settings, want := range map[string]int{
		"format: 'delta', umask: 0022, vacuum: 30, autoCompact: true, optimizedWrite: true, compressionType: 'gzip', pruneCondition: ['a' -> ([1])]": 6,
		"format: 'parquet', umask: '0022', mergeSchema: true, store: 'local'":                                                                        3,
		"store: 'cache', format: 'inline', output: true, truncate: true":                                                                             2,
	} {
		_, sinks, err := read(t, "source(format: 'parquet') ~> In\nIn sink("+settings+") ~> Out")
		if err != nil || len(sinks[0].Notes) != want {
			t.Errorf("%s\nfound %v, %v, want %d notes", settings, sinks[0].Notes, err, want)
		}
	}
}

// The types that are preferred for numbers are noted where types are inferred.
func TestPreferred(t *testing.T) {
	sources, _, err := read(t, "source(format: 'parquet', allowSchemaDrift: true, inferDriftedColumnTypes: true, preferredIntegralType: 'long', preferredFractionalType: 'decimal') ~> In")
	if err != nil || len(sources[0].Notes) != 2 {
		t.Fatalf("found %v, %v, want two notes", sources, err)
	}
	for i, want := range []string{"$$ = toLong($$)", "$$ = toDecimal($$)"} {
		if d := sources[0].Notes[i]; !strings.Contains(d.Hint, want) || d.At.Line != 1 {
			t.Errorf("found %+v, want %s", d, want)
		}
	}
}

// Patterns match whole paths, and names within them.
func TestGlob(t *testing.T) {
	for pattern, want := range map[string][2]string{
		"a/*.csv": {"a/x.csv", "a/b/x.csv"}, "a/**": {"a/b/c", "b/a/c"}, "**/x": {"x", "xx"}, "a/**/x": {"a/x", "a/bx"}, "?": {"é", "ab"},
		"[ab]": {"b", "c"}, "[!ab]": {"c", "/"}, "{a,b/c}.csv": {"b/c.csv", "c.csv"}, `\*`: {"*", "a"}, "a,b}": {"a,b}", "a"}, ".": {".", "a"},
	} {
		match, err := dataset.Glob(pattern)
		if err != nil || !match.MatchString(want[0]) || match.MatchString(want[1]) {
			t.Errorf("%s: found %v, %v, want a match of %q and none of %q", pattern, match, err, want[0], want[1])
		}
	}
}

// What is wrong or does not run is refused by name.
func TestProblems(t *testing.T) {
	for settings, want := range map[string]string{
		"":                                    "E0911 found no format",
		"format: 'parqet'":                    "E0902 found format \"parqet\"",
		"format: 1":                           "E0909 format: found \"1\", want a text",
		"format: 'avro'":                      "E0907 found format \"avro\"",
		"format: 'orc'":                       "E0907 found format \"orc\"",
		"format: 'table', store: 'sqlserver'": "E0907 found format \"table\" of store \"sqlserver\"",
		"format: 'parquet', ignoreNoFilesFound: 'yes'":                                 "E0909 ignoreNoFilesFound: found \"'yes'\", want true or false",
		"format: 'parquet', folderPath: 7":                                             "E0909 folderPath",
		"format: 'parquet', folderPath: ($seven)":                                      "E0909 folderPath",
		"format: 'parquet', folderPath: ($half)":                                       "E0909 folderPath",
		"format: 'parquet', folderPath: ($none)":                                       "E0909 found \"($none)\", which is null",
		"format: 'parquet', folderPath: ($text + 1)":                                   "E0902 found $text + 1",
		"format: 'parquet', wildcardPaths: ($odd)":                                     "E0909 wildcardPaths",
		"format: 'parquet', wildcardPaths: [1]":                                        "E0909 wildcardPaths",
		"format: 'parquet', folderPath: 'a/../../b'":                                   "E0910 folderPath: found \"a/../../b\", which leaves its container",
		"format: 'parquet', folderPath: `a\\..\\b`":                                    "E0910 folderPath",
		"format: 'parquet', folderPath: 'C:/in'":                                       "E0910 folderPath: found \"C:/in\", which is a path of a machine",
		"format: 'parquet', wildcardPaths: ['abfss://x@y/*.csv']":                      "E0910 wildcardPaths: found \"abfss://x@y/*.csv\", which is an address",
		"format: 'parquet', fileName: 'a\\nb'":                                         "E0910 fileName",
		"format: 'parquet', fileSystem: '..'":                                          "E0910 fileSystem: found",
		"format: 'parquet', container: 'a/b'":                                          "E0910 container: found",
		"format: 'parquet', partitionRootPath: '../x'":                                 "E0910 partitionRootPath",
		"format: 'parquet', wildcardPaths: ['a/{b,c']":                                 "E0910 wildcardPaths: found the pattern \"a/{b,c\": { is never closed",
		"format: 'parquet', wildcardPaths: ['a/[z-a]']":                                "E0910 wildcardPaths: found the pattern \"a/[z-a]\": a set",
		"format: 'parquet', wildcardPaths: ['a/[']":                                    "E0910 wildcardPaths: found the pattern \"a/[\": [",
		"format: 'parquet', fileList: true":                                            "E0911 found fileList: true and no file",
		"format: 'parquet', modifiedAfter: 'soon'":                                     "E0909 modifiedAfter",
		"format: 'parquet', modifiedAfter: '2026-02-01', modifiedBefore: '2026-01-01'": "E0910 found modifiedBefore",
		"format: 'parquet', moveFiles: ['in']":                                         "E0909 found 1 folders in moveFiles",
		"format: 'parquet', moveFiles: ['a', 'b'], purgeFiles: true":                   "E0910 found moveFiles and purgeFiles",
		"format: 'parquet', moveFiles: ['a', '..']":                                    "E0910 moveFiles",
		"format: 'parquet', enableCdc: true":                                           "E0907 found enableCdc",
		"format: 'parquet', staged: true":                                              "E0907 found staged",
		"format: 'parquet', query: 'select 1'":                                         "E0907 found query",
		"format: 'parquet', preferredIntegralType: 'double'":                           "E0909 preferredIntegralType: found \"'double'\", want one of integer, long, short",
		"format: 'delimited', booleanFormats: ['yes']":                                 "E0907 found booleanFormats",
		"format: 'delimited', skipLines: -1":                                           "E0909 skipLines",
		"format: 'delimited', skipLines: 1.5":                                          "E0909 skipLines",
		"format: 'delimited', maxColumns: 99999999999":                                 "E0909 maxColumns",
		"format: 'delimited', quoteChar: '<<'":                                         "E0909 quoteChar",
		"format: 'json', documentForm: 'documentsPerLine'":                             "E0902 found documentForm",
		"format: 'delta', versionAsOf: 1, timestampAsOf: '2026-01-01'":                 "E0910 found versionAsOf and timestampAsOf, want one (DF-DELTA-InvalidConfiguration)",
		"format: 'delta', versionAsOf: 'x'":                                            "E0909 versionAsOf",
		"format: 'delta', wildcardPaths: ['a']":                                        "E0907 found wildcardPaths",
		"format: 'delta', fileName: 'a.parquet'":                                       "E0907 found fileName \"a.parquet\", and a table is a folder",
		"format: 'delta', purgeFiles: true":                                            "E0907 found purgeFiles",
	} {
		_, _, err := read(t, "source("+settings+") ~> In")
		found(t, settings, err, "source In", want)
	}
	for settings, want := range map[string]string{
		"format: 'parquet', truncate: 'yes'":                                         "E0909 truncate: found \"'yes'\", want true or false",
		"format: 'parquet', filePattern: 'out.parquet'":                              "E0910 found filePattern \"out.parquet\" without [n]",
		"format: 'parquet', filePattern: '../out[n].parquet'":                        "E0910 filePattern",
		"format: 'parquet', filePattern: 'a[n]', rowUrlColumn: 'p'":                  "E0910 found filePattern and rowUrlColumn, want one way",
		"format: 'parquet', partitionFileNames: ['']":                                "E0910 found an empty name in partitionFileNames (DF-Executor-InvalidPartitionFileNames)",
		"format: 'parquet', partitionFileNames: ['a', 'b']":                          "E0910 found 2 names in partitionFileNames and no number",
		"format: 'parquet', partitionFileNames: ['a'], partitionBy('hash', 3)":       "E0910 found 1 names in partitionFileNames and 3 partitions",
		"format: 'parquet', partitionFileNames: ['a', '/a'], partitionBy('hash', 2)": "E0910 found \"a\" a second time",
		"format: 'parquet', upsertable: true":                                        "E0910 found upsertable: true without keys (DF-DELTA-KeyColumnMissed)",
		"format: 'delta', deletable: true, keys: ['id']":                             "E0907 found deletable: true",
		"format: 'delta', insertable: false":                                         "E0907 found insertable: false",
		"format: 'delta', overwrite: true, deltaTruncate: true":                      "E0910 found overwrite and deltaTruncate, want one (DF-DELTA-InvalidTableOperationSettings)",
		"format: 'delta', truncate: true":                                            "E0907 found truncate",
		"format: 'delta', filePattern: 'a[n]'":                                       "E0907 found filePattern",
		"format: 'parquet', preCommands: ['rm x']":                                   "E0907 found preCommands",
		"format: 'parquet', recreate: true":                                          "E0907 found recreate",
		"format: 'parquet', saveMode: 'overwrite'":                                   "E0907 found saveMode",
		"format: 'delimited', columnDelimiter: ''":                                   "E0910 found no columnDelimiter, and a sink has to have one (DF-Delimited-ColumnDelimiterMissed)",
		"format: 'delimited', quoteChar: '', escapeChar: ''":                         "E0910 found neither quoteChar nor escapeChar",
		"format: 'delimited', emptyLinesAsHeader: 10001":                             "E0909 found 10001 empty lines",
		"format: 'parquet', partitionBy('range', 4, a)":                              "E0907 found partitionBy",
		"format: 'parquet', partitionBy('hash', 99999)":                              "E0909 found \"99999\" partitions",
		"format: 'parquet', partitionBy('key', 0)":                                   "E0901 found partitionBy('key') without columns",
		"format: 'parquet', partitionBy('hash', 2, a + 1)":                           "E0907 found \"a + 1\" in partitionBy",
		"format: 'xml'": "E0907 found format \"xml\"",
	} {
		_, _, err := read(t, "source(format: 'parquet') ~> In\nIn sink("+settings+") ~> Out")
		found(t, settings, err, "sink Out", want)
	}
}

// found checks that an error is one problem: its code, and how its message begins.
func found(t *testing.T, settings string, err error, where, want string) {
	t.Helper()
	code, message, _ := strings.Cut(want, " ")
	list := problems(t, err)
	if len(list) != 1 || string(list[0].Code) != code {
		t.Errorf("%s\nfound %v, want one %s", settings, list, want)
		return
	}
	if !strings.HasPrefix(strings.TrimPrefix(list[0].Message, where+": "), message) {
		t.Errorf("%s\nfound %s\nwant  %s", settings, list[0].Message, message)
	}
}

// All problems of a flow are told at once, in the order of the script.
func TestAllProblems(t *testing.T) {
	_, _, err := read(t, "source(format: 'parquet', ignoreNoFilesFound: 1, folderPath: '..') ~> In\nsource(format: 'avro') ~> B\nIn sink(format: 'delta', truncate: true, keys: 1, upsertable: true) ~> Out\nB sink() ~> C")
	var lines []int64
	for _, d := range problems(t, err) {
		lines = append(lines, d.At.Line)
	}
	if !reflect.DeepEqual(lines, []int64{1, 1, 2, 3, 3, 3, 4}) {
		t.Errorf("found lines %v\n%v", lines, err)
	}
}

// Every stream of the scripts that the syntax is tested with is read, or refused by name.
func TestScripts(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("..", "syntax", "testdata", "*.dfs"))
	if err != nil || len(names) < 2 {
		t.Fatalf("found %v, %v, want scripts", names, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		everyStream(t, string(text))
	}
}

func everyStream(t *testing.T, text string) (streams, refused int) {
	t.Helper()
	f, s := load(t, map[string]string{"f.dfs": text}, "f.dfs")
	sources, sinks, err := dataset.Read(f, s, func(syntax.Expr) (any, error) { return "value", nil })
	for _, st := range s.Statements {
		if st.Verb.Text == "source" || st.Verb.Text == "sink" {
			streams++
		}
	}
	if len(sources)+len(sinks) != streams {
		t.Errorf("found %d sources and %d sinks of %d", len(sources), len(sinks), streams)
	}
	told := map[string]bool{}
	for _, d := range problems(t, err) {
		where, _, _ := strings.Cut(d.Message, ":")
		told[where] = true
	}
	return streams, len(told)
}
