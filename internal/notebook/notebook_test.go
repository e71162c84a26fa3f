package notebook_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/notebook"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// written writes down what was found, one thing a line.
func written(n notebook.Notebook) string {
	var b strings.Builder
	line := func(what, text string) {
		if text != "" {
			fmt.Fprintf(&b, "  %s %s\n", what, text)
		}
	}
	options := func(what string, all ...notebook.Option) {
		for _, o := range all {
			fmt.Fprintf(&b, "  %s %s=%s (%s)\n", what, o.Name, strings.Join(strings.Fields(o.Value), " "), o.At)
		}
	}
	for _, s := range n.Streams {
		fmt.Fprintf(&b, "stream %s\n", s.At)
		line("path", s.Path)
		options("option", s.Options...)
		if s.HasSchema {
			line("schema", "("+s.Schema+")")
		}
		options("step", s.Steps...)
		options("sink", s.Sink...)
		if s.Trigger.Name != "" {
			options("trigger", s.Trigger)
		}
		line("by", strings.Join(s.PartitionBy, ","))
		line("table", s.Table)
		line("folder", s.Folder)
		if s.Managed {
			b.WriteString("  managed\n")
		}
	}
	for _, note := range n.Notes {
		fmt.Fprintf(&b, "note %s: %s\n", note.At, note.Text)
	}
	return b.String()
}

func TestNotebooks(t *testing.T) {
	for _, name := range []string{"guide.py", "taxi.py", "jobs.ipynb", "pipeline.sql"} {
		file := filepath.Join("testdata", name)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n, err := notebook.Parse(file, data)
		if err != nil {
			t.Fatal(err)
		}
		golden := file + ".golden"
		if *update {
			if err := os.WriteFile(golden, []byte(written(n)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got := written(n); got != string(want) {
			t.Errorf("%s:\n%s", file, got)
		}
	}
}

// stream is a source with one stream, whose path is an expression.
func stream(before, path string) string {
	return before + "\ndf = spark.readStream.format('cloudFiles').load(" + path + ")\n"
}

// What a path is made of, as far as the text tells.
func TestTexts(t *testing.T) {
	for _, c := range []struct{ before, path, want string }{
		{"", `"a" 'b' """c"""`, "abc"},
		{"", `r"a\n" "\x41\u00e9\t"`, "a\\nAé\t"},
		{"", `"a\
b"`, "ab"},
		{"root = '/mnt'", `root + "/a"`, "/mnt/a"},
		{"root = '/mnt'; day: str = 'd'", `f"{root}/{day}/{{x}}"`, "/mnt/d/{x}"},
		{"d = {'k': 'v'}", `f"{d["k"]}/{d['k']!r}"`, "v/v"},
		{"root = '/mnt'", `"{}/{x}/{0}".format(root, x="y")`, "/mnt/y//mnt"},
		{"root = '/mnt'", `"%s/%s" % (root, 'b')`, "/mnt/b"},
		{"root = Path('/mnt')", `root / "a"`, "${/mnt}/a"},
		{"", `dbutils.widgets.get("env")`, "${env}"},
		{"", `f"/mnt/{spark.conf.get('landing.root')}/{n + 1:02d}"`, "/mnt/${landing.root}/${n}1"},
		{"", `os.environ["LANDING"] + "/a"`, "${LANDING}/a"},
		{"", `str(root)`, "${root}"},
		{"a = b = 'x'", "b", "x"},
		{"a = 'x'\na += 'y'", "a", "xy"},
		{"def f(a='x'):\n  return a\na = 'outside'", "a", "outside"},
		{"a = 'x' if prod else 'y'", "a", "${a}"},
		{"", `path="named"`, "named"},
		{"xs = [x for x in range(3)]\na = 'z'", "a", "z"},
		{"# 'comment\na = 'z' # 'more", "a", "z"},
		{"a = 'never closed\nb = 'z'", "b", "z"},
	} {
		n, err := notebook.Parse("n.py", []byte(stream(c.before, c.path)))
		if c.want == "${/mnt}/a" { // a path's name has no characters of its own
			c.want = "${mnt}/a"
		}
		if err != nil || len(n.Streams) != 1 || n.Streams[0].Path != c.want {
			t.Errorf("%s: %s: got %+v, %v; want %q", c.before, c.path, n.Streams, err, c.want)
		}
	}
}

// How a stream is put together.
func TestChains(t *testing.T) {
	const head = `spark.readStream.format("cloudFiles")`
	for _, c := range []struct{ source, want string }{
		{head + `.options(**{"cloudFiles.format": "csv", "header": True}).options(sep=";").load("p")`, `stream line 1
  path p
  option cloudFiles.format=csv (line 1)
  option header=true (line 1)
  option sep=; (line 1)
`},
		{"opts = {'header': 'true'}\nopts = opts | dict(sep=';')\n" + head + `.options(**opts).options(**more).load("p")`, `stream line 3
  path p
  option header=true (line 1)
  option sep=; (line 2)
note line 3: options(**more) is not known: add what it holds
`},
		{head + `.schema("a INT").load("p")`, "stream line 1\n  path p\n  schema (a INT)\n"},
		{head + `.schema(schema).load("p")`, "stream line 1\n  path p\n  schema ()\n"},
		{head + `.option("path", "p").load()`, "stream line 1\n  path p\n"},
		{"r = " + head + "\nr = r.option('a', 1)\nr.load('p')", "stream line 1\n  path p\n  option a=1 (line 2)\n"},
		{"df = " + head + ".load('p')\nw = df.writeStream\nw.partitionBy('a', 'b').trigger(processingTime='1 minute').start('out')", `stream line 1
  path p
  trigger processingTime=1 minute (line 3)
  by a,b
  folder out
`},
		{"df = " + head + ".load('p')\nout = clean(df, 1).select('a')\nout.writeStream.toTable(tableName=f'{catalog}.b.c')", `stream line 1
  path p
  step clean=1 (line 2)
  step select=a (line 2)
  table ${catalog}.b.c
`},
		{"@dlt.table(name='orders', comment='x')\n@dlt.expect('a', 'b')\ndef f():\n  return " + head + ".load('p')\n\nx = " + head + ".load('q')", `stream line 4
  path p
  table orders
  managed
stream line 6
  path q
`},
		{"@dp.table\ndef orders():\n  return (\n    " + head + "\n    .load('p'))", "stream line 4\n  path p\n  table orders\n  managed\n"},
		{"def ingest(path, table):\n  (" + head + ".load(path).writeStream.foreachBatch(f).option('checkpointLocation', f'cp/{table}').toTable(table))", `stream line 2
  path ${path}
  sink checkpointLocation=cp/${table} (line 2)
  table ${table}
note line 2: foreachBatch is code: what it does with the rows is not taken over
`},
		{`spark.readStream.format("kafka").load()`, "note line 1: a stream of kafka, which is not Auto Loader's: not taken over\n"},
		{`spark.read.format("csv").load("p")`, ""},
		{`spark.sql("CREATE TABLE IF NOT EXISTS a.b AS SELECT * FROM read_files('p', header => false)")`, `stream line 1
  path p
  option header=false (line 1)
  table a.b
  managed
`},
		{"q = f'''\n  select * from cloud_files(\"{root}/x\", \"json\", map(\"multiLine\", \"true\", 'n', -1))'''", `stream line 2
  path ${root}/x
  option cloudFiles.format=json (line 2)
  option multiLine=true (line 2)
  option n=-1 (line 2)
  managed
`},
	} {
		n, err := notebook.Parse("n.py", []byte(c.source))
		if got := written(n); err != nil || got != c.want {
			t.Errorf("%s\ngot\n%s%v\nwant\n%s", c.source, got, err, c.want)
		}
	}
}

// A notebook in JSON has places in cells, and magics are no Python.
func TestJSON(t *testing.T) {
	const doc = `{"cells": [
  {"cell_type": "markdown", "source": ["# spark.readStream"]},
  {"cell_type": "code", "source": ["%pip install x\n", "p = 'in'\n"]},
  {"cell_type": "code", "source": "\n(spark.readStream.format('cloudFiles')\n .option('header', 'true').load(p))"},
  {"cell_type": "code", "source": ["%sql\n", "CREATE STREAMING TABLE t AS SELECT * FROM STREAM read_files('q')"]}
]}`
	n, err := notebook.Parse("n.ipynb", []byte(doc))
	const want = `stream cell 3, line 2
  path in
  option header=true (cell 3, line 3)
stream cell 4, line 2
  path q
  table t
  managed
`
	if got := written(n); err != nil || got != want {
		t.Errorf("got\n%s%v", got, err)
	}
	if _, err := notebook.Parse("n.ipynb", []byte("spark")); diag.CodeOf(err) != diag.BadOption {
		t.Errorf("got %v", err)
	}
}

func TestLastOption(t *testing.T) {
	s := notebook.Stream{Options: []notebook.Option{{Name: "cloudFiles.format", Value: "csv"}, {Name: "CLOUDFILES.FORMAT", Value: "json"}}}
	if o, ok := s.Option("format"); !ok || o.Value != "json" {
		t.Errorf("got %v", o)
	}
	if _, ok := s.SinkOption("format"); ok {
		t.Error("found in the sink")
	}
}

// TestBroken: a stream that is not understood is told with its place, and costs no
// other.
func TestBroken(t *testing.T) {
	const good = "spark.readStream.format('cloudFiles').load('b').writeStream.start('lake/b')\n"
	const found = "path b\n"
	for name, c := range map[string]struct {
		text, stream string
		notes        []string
	}{
		"right": {good, found, nil},
		"bracket": {
			"x = 1\n# COMMAND ----------\ndf = (spark.readStream\n .format('cloudFiles'\n .load('a')\n# COMMAND ----------\n" + good, found,
			[]string{
				"line 3: no Python: ( is never closed; a stream near it may be read wrong or missed",
				"line 4: no Python: ( is never closed; a stream near it may be read wrong or missed",
				"line 4: a stream of Auto Loader begins here that could not be read: it is not taken over; add its source by hand",
			},
		},
		"other bracket": {
			"spark.readStream.format('cloudFiles').option('a', 'b'].load('a')\n" + good, found,
			[]string{
				"line 1: no Python: ] does not close the ( of line 1; a stream near it may be read wrong or missed",
				"line 1: a stream of Auto Loader begins here that could not be read: it is not taken over; add its source by hand",
			},
		},
		"quote": {
			"spark.readStream.format('cloudFiles').load('a).start('lake/a')\n" + good, found,
			[]string{"line 1: no Python: the text after ' is never closed; a stream near it may be read wrong or missed"},
		},
		"no operator": {
			"spark.readStream format('cloudFiles').load('a')\n" + good, found,
			[]string{"line 1: a stream of Auto Loader begins here that could not be read: it is not taken over; add its source by hand"},
		},
		"a bracket elsewhere": {"print(1))\n" + good, found, []string{"line 1: no Python: ) closes nothing; a stream near it may be read wrong or missed"}},
		"no stream":           {"print((1)\n", "", nil},
	} {
		n, err := notebook.Parse("n.py", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		got := written(n)
		if !strings.Contains(got, c.stream) {
			t.Errorf("%s: no stream %s in\n%s", name, c.stream, got)
		}
		var notes []string
		for _, n := range n.Notes {
			notes = append(notes, n.At.String()+": "+n.Text)
		}
		slices.Sort(notes)
		slices.Sort(c.notes)
		if !slices.Equal(notes, c.notes) {
			t.Errorf("%s: got notes\n%s\nwant\n%s", name, strings.Join(notes, "\n"), strings.Join(c.notes, "\n"))
		}
	}
}
