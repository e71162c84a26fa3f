package readnow

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/diag"
	"landfall/internal/inspect"
	"landfall/internal/parquetfile/footer"
)

// flat are the nodes of columns without parts: name, type, how it is stored.
func flat(of ...[3]string) []inspect.Node {
	var out []inspect.Node
	for _, c := range of {
		out = append(out, inspect.Node{Path: c[0], Type: c[1], Stored: c[2], Element: footer.Element{Name: c[0]}})
	}
	return out
}

// orders is a folder of three schemas: amounts that were doubles, two orders of the same
// columns, and one with a column more.
func orders(url string) *inspect.Report {
	id := [3]string{"id", "bigint", "int64"}
	amount := [3]string{"amount", "decimal(18,2)", "fixed(8)"}
	r := &inspect.Report{
		Folder: url, Files: 5, Rows: 36, Layout: inspect.Layout{Kind: "hive"},
		Groups: []inspect.Group{
			{ID: 1, Files: 1, Rows: 10, Schema: flat(id, [3]string{"amount", "double", "double"}), Example: "dt=1/a.parquet"},
			{ID: 2, Files: 1, Rows: 8, Schema: flat(id, amount), Example: "dt=2/a.parquet"},
			{ID: 3, Files: 2, Rows: 8, Schema: flat(amount, id), Example: "dt=2/b.parquet"},
			{ID: 4, Files: 1, Rows: 10, Schema: flat(id, amount, [3]string{"channel", "string", "binary"}), Example: "dt=4/a.parquet"},
		},
		Unreadable: []inspect.Unreadable{{Path: "dt=3/z.parquet", Message: "empty: 0 bytes"}},
	}
	for i, f := range []string{"dt=1/a.parquet 1", "dt=2/a.parquet 2", "dt=2/b.parquet 3", "dt=3/a.parquet 3", "dt=4/a.parquet 4"} {
		var file inspect.File
		fmt.Sscan(f, &file.Path, &file.Group) //nolint:errcheck // the texts above
		file.Modified = time.Unix(int64(i), 0)
		r.Read = append(r.Read, file)
	}
	return r
}

// Groups that differ in nothing that readers mind are read together; of the folders of
// partitions those stand for their files that hold nothing else.
func TestWrite(t *testing.T) {
	p, err := Write(orders("file:///in/my%20orders"), Options{Reader: "spark"})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"dt=2", "dt=3/a.parquet"}; !slices.Equal(p.Paths, want) {
		t.Errorf("found paths %q, wanted %q", p.Paths, want)
	}
	for _, want := range []string{
		"# 3 files of 6, 16 rows of 36.\n", "# Read are groups 2 and 3, with most rows; --group takes another.\n",
		"#   group 1, 1 file, 10 rows, such as dt=1/a.parquet: amount is double, read is decimal(18,2)\n",
		"#   group 4, 1 file, 10 rows, such as dt=4/a.parquet: has channel\n", "#   dt=3/z.parquet: empty: 0 bytes\n",
		`root = "file:///in/my orders"`, "    \"`id` bigint\",\n    \"`dt` string\",\n",
	} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("found no %q in\n%s", want, p.Text)
		}
	}
}

// The newest of the groups with as many rows is read; a group that is asked for takes
// those like it along.
func TestGroup(t *testing.T) {
	r := orders("file:///in")
	r.Groups[1].Rows, r.Groups[2].Rows = 1, 1
	for asked, want := range map[int]string{0: "dt=4/a.parquet", 1: "dt=1/a.parquet", 2: "dt=2/a.parquet dt=2/b.parquet dt=3/a.parquet", 4: "dt=4/a.parquet"} {
		p, err := Write(r, Options{Reader: "polars", Group: asked})
		if got := strings.Join(p.Paths, " "); err != nil || got != want {
			t.Errorf("--group %d reads %s, %v; want %s", asked, got, err, want)
		}
	}
}

// Folders of object stores are read by their URLs, through what the reader has for them.
func TestURL(t *testing.T) {
	const url = "abfss://landing@acct.dfs.core.windows.net/sales/orders"
	for reader, want := range map[string]string{
		"spark": `root = "` + url + `"`, "pyarrow": `pafs.FileSystem.from_uri("` + url + `")`, "polars": `root = "` + url + `"`,
		"duckdb": "install azure;\nload azure;\nset variable paths = [\n    '" + url + "/dt=2/a.parquet',",
	} {
		p, err := Write(orders(url), Options{Reader: reader})
		if err != nil || !strings.Contains(p.Text, want) {
			t.Errorf("%s: found no %q, %v, in\n%s", reader, want, err, p.Text)
		}
	}
}

func TestRefused(t *testing.T) {
	table, text, long, none := orders("file:///in"), orders("file:///in"), orders("file:///in"), orders("file:///in")
	table.Layout = inspect.Layout{Kind: "delta", Message: "this is a Delta table"}
	text.Groups[0].Schema[0].Stored = "text"
	none.Groups = nil
	for i := range MostPaths {
		long.Read = append(long.Read, inspect.File{Path: fmt.Sprintf("dt=2/%d.parquet", i), Group: 2})
	}
	for _, c := range []struct {
		r    *inspect.Report
		o    Options
		want string
	}{
		{table, Options{Reader: "spark"}, "this is a Delta table"},
		{text, Options{Reader: "spark"}, "CSV or JSON"},
		{none, Options{Reader: "spark"}, "no file of the folder"},
		{long, Options{Reader: "pyarrow"}, "203 paths, want 200 at most"},
		{orders("file:///in"), Options{Reader: "duckdb", Group: 5}, "--group 5, want 1 to 4"},
		{orders("file:///in"), Options{Reader: "excel"}, `--read-now "excel", want one of spark, pyarrow, duckdb, polars`},
	} {
		_, err := Write(c.r, c.o)
		var d *diag.Diagnostic
		if !errors.As(err, &d) || !strings.Contains(d.Message, c.want) {
			t.Errorf("found %v, wanted %q", err, c.want)
		}
	}
	if p, err := Write(long, Options{Reader: "pyarrow", List: "l.json"}); err != nil || len(p.Paths) != 203 {
		t.Errorf("found %d paths, %v, wanted 203 in a file", len(p.Paths), err)
	}
}

// Columns that a reader would take for one another are refused for that reader.
func TestTwice(t *testing.T) {
	for _, c := range []struct{ second, refused string }{{"ID", "spark duckdb"}, {"id", "spark pyarrow duckdb polars"}, {"idd", ""}} {
		for _, reader := range Readers() {
			r := orders("file:///in")
			r.Groups[0].Schema = flat([3]string{"id", "bigint", "int64"}, [3]string{c.second, "bigint", "int64"})
			_, err := Write(r, Options{Reader: reader, Group: 1})
			if want := strings.Contains(c.refused, reader); (err != nil) != want {
				t.Errorf("%s, id beside %s: found %v, wanted refused %v", reader, c.second, err, want)
			}
		}
	}
}

// A partition folder with folders in it stands for nothing, for Spark would list their
// files twice.
func TestFolders(t *testing.T) {
	r := orders("file:///in")
	r.Read = append(r.Read, inspect.File{Path: "dt=2/sub/c.parquet", Group: 2}, inspect.File{Path: "dt=5/a.parquet", Group: 2, Legacy: true})
	p, err := Write(r, Options{Reader: "spark"})
	if want := []string{"dt=2/a.parquet", "dt=2/b.parquet", "dt=2/sub/c.parquet", "dt=3/a.parquet", "dt=5"}; err != nil || !slices.Equal(p.Paths, want) {
		t.Errorf("found %q, %v, wanted %q", p.Paths, err, want)
	}
	for _, reader := range Readers() {
		p, err := Write(r, Options{Reader: reader})
		if told := strings.Contains(p.Text, "old calendar"); err != nil || told == (reader == "spark") {
			t.Errorf("%s: told of the calendar %v, %v", reader, told, err)
		}
	}
}

// A comment ends with its line, whatever a name holds.
func TestCommentsHold(t *testing.T) {
	r := orders("file:///in")
	r.Unreadable[0].Path = "dt=3/z\nimport os\r.parquet"
	for _, reader := range Readers() {
		p, err := Write(r, Options{Reader: reader})
		if err != nil || strings.Contains(p.Text, "\nimport os") || strings.Contains(p.Text, "\r") {
			t.Errorf("%s: a name ends a comment, %v:\n%s", reader, err, p.Text)
		}
	}
}

func TestQuoted(t *testing.T) {
	for from, want := range map[string]string{
		`a"b\c`: `"a\"b\\c"`, "é\n\x00\x7f": `"é\x0a\x00\x7f"`, "\xff\u2028\U000e0001": `"\udcff\u2028\U000e0001"`,
	} {
		if got := quoted(from); got != want {
			t.Errorf("%q is %s, want %s", from, got, want)
		}
	}
}

// nested are the nodes of arrays, maps and structs in one another.
func nested() []inspect.Node {
	node := func(path, name, typ, stored string, children int) inspect.Node {
		return inspect.Node{Path: path, Type: typ, Stored: stored, Element: footer.Element{Name: name, Children: children}}
	}
	return []inspect.Node{
		node("s", "s", "struct", "", 2),
		node("s.a.b", "a.b", "array", "", 1),
		node("s.a.b.element", "item", "map", "", 1),
		node("s.a.b.element.key", "key", "string", "binary", 0),
		node("s.a.b.element.value", "value", "timestamp", "int64 nanos", 0),
		node("s.n`", "n`", "uint64", "int64", 0),
		node("u", "u", "uuid", "fixed(16)", 0),
		node("t", "t", "time", "int32 millis", 0),
	}
}

func TestTypes(t *testing.T) {
	c := columnsOf(nested())
	if len(c) != 3 {
		t.Fatalf("found %d columns, wanted 3", len(c))
	}
	for _, want := range []struct {
		s     speller
		types [3]string
	}{
		{sparkTypes(), [3]string{"struct<`a.b`: array<map<string, bigint>>, `n```: decimal(20,0)>", "binary", "int"}},
		{arrowTypes(), [3]string{"pa.struct([(\"a.b\", pa.list_(pa.map_(pa.string(), pa.timestamp(\"ns\", tz=\"UTC\")))), (\"n`\", pa.uint64())])", "pa.binary(16)", `pa.time32("ms")`}},
		{polarsTypes(), [3]string{"pl.Struct({\"a.b\": pl.List(pl.List(pl.Struct({\"key\": pl.String, \"value\": pl.Datetime(\"ns\", \"UTC\")}))), \"n`\": pl.UInt64})", "pl.Binary", "pl.Time"}},
	} {
		for i := range c {
			if got := want.s.of(c[i]); got != want.types[i] {
				t.Errorf("%s is %s, want %s", c[i].name, got, want.types[i])
			}
		}
	}
	if note := rawNote(c[0]); note != "nanoseconds since 1970" {
		t.Errorf("found the note %q", note)
	}
}
