package duckdb_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/store/local"
	"landfall/internal/store/memory"

	_ "github.com/duckdb/duckdb-go/v2" // writes the Parquet files of the tests
)

// folder is a local store that tests write Parquet files to.
type folder struct {
	t     *testing.T
	root  string
	store store.Store
	db    *sql.DB // writes the files
}

func newFolder(t *testing.T) *folder {
	t.Helper()
	root := t.TempDir()
	s, err := local.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return &folder{t, root, s, db}
}

// file writes the rows of a query as a Parquet file and describes it.
func (f *folder) file(name, query string) engine.File {
	f.t.Helper()
	plain := filepath.Join(f.t.TempDir(), "f.parquet")
	f.copy(query, plain, "")
	data, err := os.ReadFile(plain)
	if err != nil {
		f.t.Fatal(err)
	}
	if err := f.store.Create(f.t.Context(), name, data); err != nil {
		f.t.Fatal(err)
	}
	return engine.File{Path: name, Size: int64(len(data)), Rows: -1}
}

func (f *folder) copy(query, path, options string) {
	f.t.Helper()
	_, err := f.db.ExecContext(f.t.Context(), fmt.Sprintf("SET TimeZone = 'UTC'; COPY (%s) TO '%s' (FORMAT parquet %s)", query, path, options))
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *folder) view(name string, fields []schema.Field, files ...engine.File) engine.View {
	return engine.View{Name: name, Schema: schema.Struct{Fields: fields}, Files: files, Store: f.store}
}

func open(t *testing.T) *duckdb.Engine {
	t.Helper()
	e, err := duckdb.Open(t.Context(), duckdb.Options{TempDir: t.TempDir(), MemoryLimit: "500MB", Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// ask returns the types of the result and its rows as NDJSON.
func ask(ctx context.Context, e *duckdb.Engine, query string, views ...engine.View) (types []string, rows string, err error) {
	var out bytes.Buffer
	err = e.Query(ctx, query, views, nil, func(r engine.Result) error {
		for _, c := range r.Columns {
			types = append(types, c.Type)
		}
		_, err := engine.WriteNDJSON(&out, r)
		return err
	})
	return types, strings.TrimSuffix(out.String(), "\n"), err
}

func want(t *testing.T, e *duckdb.Engine, rows, query string, views ...engine.View) {
	t.Helper()
	_, got, err := ask(t.Context(), e, query, views...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	if got != rows {
		t.Errorf("%s:\ngot  %s\nwant %s", query, got, rows)
	}
}

func col(name string, typ schema.Type) schema.Field {
	return schema.Field{Name: name, Type: typ, Nullable: true}
}

func mapped(name string, typ schema.Type, physical string, id int) schema.Field {
	f := col(name, typ)
	f.Metadata = map[string]json.RawMessage{
		"delta.columnMapping.physicalName": json.RawMessage(`"` + physical + `"`),
		"delta.columnMapping.id":           json.RawMessage(fmt.Sprint(id)),
	}
	return f
}

func text(s string) *string { return &s }

// Every type of a table comes out as itself, whether a file holds it, lacks it,
// or no file exists at all.
func TestTypes(t *testing.T) {
	f, e := newFolder(t), open(t)
	person := schema.Struct{Fields: []schema.Field{col("id", schema.Long), col("tags", schema.Array{Element: schema.String})}}
	cases := []struct{ typ, value, sql, json string }{
		{"BOOLEAN", "true", "BOOLEAN", "true"},
		{"TINYINT", "-128", "TINYINT", "-128"},
		{"SMALLINT", "-32768", "SMALLINT", "-32768"},
		{"INTEGER", "2147483647", "INTEGER", "2147483647"},
		{"BIGINT", "9223372036854775807", "BIGINT", "9223372036854775807"},
		{"FLOAT", "0.1", "FLOAT", "0.1"},
		{"DOUBLE", "'nan'", "DOUBLE", `"NaN"`},
		{"DECIMAL(38,2)", "'123456789012345678901234567890123456.70'", "DECIMAL(38,2)", "123456789012345678901234567890123456.70"},
		{"VARCHAR", `'a"\<ü' || chr(10)`, "VARCHAR", `"a\"\\<ü\n"`},
		{"BLOB", `'\x00\xFF'`, "BLOB", `"AP8="`},
		{"DATE", "'0001-01-01'", "DATE", `"0001-01-01"`},
		{"TIMESTAMPTZ", "'2026-10-02 10:00:00.000001+02'", "TIMESTAMP WITH TIME ZONE", `"2026-10-02T08:00:00.000001Z"`},
		{"TIMESTAMP", "'2026-10-02 10:00:00'", "TIMESTAMP", `"2026-10-02T10:00:00"`},
		{"STRUCT(id BIGINT, tags VARCHAR[])", "{id: 7, tags: ['x', NULL]}", `STRUCT("id" BIGINT, "tags" VARCHAR[])`, `{"id":7,"tags":["x",null]}`},
		{"MAP(VARCHAR, DECIMAL(4,1))", "MAP {'b': 1.5, 'a': NULL}", "MAP(VARCHAR, DECIMAL(4,1))", `{"b":1.5,"a":null}`},
	}
	types := []schema.Type{
		schema.Boolean, schema.Byte, schema.Short, schema.Integer, schema.Long, schema.Float, schema.Double,
		schema.Decimal{Precision: 38, Scale: 2},
		schema.String, schema.Binary, schema.Date, schema.Timestamp, schema.TimestampNTZ,
		person,
		schema.Map{Key: schema.String, Value: schema.Decimal{Precision: 4, Scale: 1}},
	}
	fields := []schema.Field{col("n", schema.Integer)}
	row, nulls, wantTypes, query := `{"n":1`, `{"n":2`, []string{"INTEGER"}, "SELECT 1::INTEGER AS n"
	for i, c := range cases {
		name := fmt.Sprintf("v%d", i)
		fields = append(fields, col(name, types[i]))
		wantTypes = append(wantTypes, c.sql)
		query += fmt.Sprintf(", CAST(%s AS %s) AS %s", c.value, c.typ, name)
		row += fmt.Sprintf(",%q:%s", name, c.json)
		nulls += fmt.Sprintf(",%q:null", name)
	}
	full, lacks := f.file("full.parquet", query), f.file("lacks.parquet", "SELECT 2::INTEGER AS n")
	for rows, files := range map[string][]engine.File{row + "}\n" + nulls + "}": {full, lacks}, nulls + "}": {lacks}, "": {}} {
		gotTypes, got, err := ask(t.Context(), e, "FROM t ORDER BY n", f.view("t", fields, files...))
		if err != nil || !slices.Equal(gotTypes, wantTypes) || got != rows {
			t.Errorf("got %v\n%s, %v; want %v\n%s", gotTypes, got, err, wantTypes, rows)
		}
	}
}

// A file of another type is read when no value can change, else it is refused
// by name; a value that does not fit is an error.
func TestWideningAndRefusal(t *testing.T) {
	f, e := newFolder(t), open(t)
	grown := schema.Struct{Fields: []schema.Field{
		col("a", schema.Decimal{Precision: 5, Scale: 2}), col("b", schema.Long), col("c", schema.Struct{Fields: []schema.Field{col("d", schema.Date)}}),
	}}
	cases := []struct {
		held string
		want schema.Type
		json string // "" for a refusal
	}{
		{"1::INTEGER", schema.Long, "1"},
		{"1::BIGINT", schema.Integer, "1"},
		{"3000000000::BIGINT", schema.Integer, ""},
		{"1.5::DOUBLE", schema.Long, ""},
		{"1.5::FLOAT", schema.Double, "1.5"},
		{"1::BIGINT", schema.Double, ""},
		{"1::INTEGER", schema.Double, "1"},
		{"1::DOUBLE", schema.Float, ""},
		{"7::INTEGER", schema.Decimal{Precision: 12, Scale: 2}, "7.00"},
		{"1.5::DECIMAL(4,1)", schema.Decimal{Precision: 18, Scale: 2}, "1.50"},
		{"1.55::DECIMAL(4,2)", schema.Decimal{Precision: 18, Scale: 1}, ""},
		{"'12'", schema.Long, ""},
		{"12", schema.String, ""},
		{`'\x41'::BLOB`, schema.String, `"A"`},
		{`'\xFF'::BLOB`, schema.String, ""},
		{`'\x41'`, schema.Binary, `"XHg0MQ=="`},
		{"DATE '2026-01-02'", schema.TimestampNTZ, `"2026-01-02T00:00:00"`},
		{"DATE '2026-01-02'", schema.String, ""},
		{"TIMESTAMP '2026-01-02 03:04:05'", schema.Timestamp, `"2026-01-02T03:04:05Z"`},
		{"[1::INTEGER]", schema.Array{Element: schema.Long}, "[1]"},
		{"[1.5::DOUBLE]", schema.Array{Element: schema.Long}, ""},
		{"{b: 1::INTEGER}", schema.Struct{Fields: []schema.Field{col("a", schema.String), col("b", schema.Long)}}, `{"a":null,"b":1}`},
		{"[{b: 1::INTEGER}, NULL]", schema.Array{Element: grown}, `[{"a":null,"b":1,"c":null},null]`},
		{"{l: [[{b: 1::BIGINT}], NULL]}", schema.Struct{Fields: []schema.Field{
			col("l", schema.Array{Element: schema.Array{Element: grown}}), col("m", schema.Map{Key: schema.String, Value: grown}),
		}}, `{"l":[[{"a":null,"b":1,"c":null}],null],"m":null}`},
		{"MAP {'k': {b: 1::BIGINT, c: {d: DATE '2026-01-02'}}}", schema.Map{Key: schema.String, Value: grown}, `{"k":{"a":null,"b":1,"c":{"d":"2026-01-02"}}}`},
		{"MAP {1::INTEGER: {b: 2}}", schema.Map{Key: schema.Long, Value: schema.Struct{Fields: []schema.Field{col("b", schema.Long)}}}, `{"1":{"b":2}}`},
		{"{a: 1}", schema.Array{Element: schema.Long}, ""},
	}
	for i, c := range cases {
		name := fmt.Sprintf("%d.parquet", i)
		file := f.file(name, fmt.Sprintf("SELECT %s AS v UNION ALL SELECT NULL", c.held))
		_, rows, err := ask(t.Context(), e, "SELECT v FROM t", f.view("t", []schema.Field{col("v", c.want)}, file))
		if c.json == "" {
			var d *diag.Diagnostic
			if !errors.As(err, &d) {
				t.Errorf("%s as %s: got %s, %v; want a diagnostic", c.held, c.want, rows, err)
			}
			continue
		}
		if wantRows := `{"v":` + c.json + "}\n" + `{"v":null}`; err != nil || rows != wantRows {
			t.Errorf("%s as %s: got %s, %v; want %s", c.held, c.want, rows, err, wantRows)
		}
	}
	_, _, err := ask(t.Context(), e, "SELECT v FROM t", f.view("t", []schema.Field{col("v", schema.Long)}, f.file("bad.parquet", "SELECT '12' AS v")))
	var d *diag.Diagnostic
	if !errors.As(err, &d) || d.Error() != "bad.parquet: v: found VARCHAR, want bigint as the table says [E0402]" {
		t.Errorf("refusal: got %v", err)
	}
}

func TestColumnMapping(t *testing.T) {
	f, e := newFolder(t), open(t)
	inner := schema.Struct{Fields: []schema.Field{mapped("x", schema.Long, "p-x", 4), mapped("y", schema.String, "p-y", 5)}}
	fields := []schema.Field{
		mapped("a", schema.Long, "b", 1), // the names of a and b were swapped
		mapped("b", schema.Long, "a", 2),
		mapped("s", schema.Array{Element: inner}, "p-s", 3),
	}
	byName := f.view("t", fields, f.file("1.parquet", `SELECT 10::BIGINT AS a, 20::BIGINT AS b, [{'p-y': 'yes', 'p-x': 1::BIGINT}] AS "p-s"`))
	want(t, e, `{"a":20,"b":10,"s":[{"x":1,"y":"yes"}]}`, "FROM t", byName)

	byID := f.view("t", fields[:2], f.file("2.parquet", "SELECT 10::BIGINT AS one, 20::BIGINT AS two"))
	byID.ByID = true
	want(t, e, `{"a":null,"b":null}`, "FROM t", byID) // no ids in the file, and no such names
	f.copy("SELECT 10::BIGINT AS a, 20::BIGINT AS two", filepath.Join(f.root, "3.parquet"), ", FIELD_IDS {a: 2, two: 1}")
	byID.Files = []engine.File{{Path: "3.parquet"}}
	want(t, e, `{"a":20,"b":10}`, "FROM t", byID)
}

func TestPartitions(t *testing.T) {
	f, e := newFolder(t), open(t)
	fields := []schema.Field{col("v", schema.Long), col("day", schema.Date), mapped("who", schema.String, "p-who", 3), col("at", schema.Timestamp)}
	view := f.view("t", fields)
	view.Partitions = []string{"day", "who", "at"}
	for i, p := range []map[string]*string{
		{"day": text("2026-10-02"), "p-who": text("O'Neil %20/="), "at": text("2026-10-02 08:00:00.5")},
		{"day": text("2026-10-03"), "p-who": nil, "at": text("2026-10-02T08:00:00.000000Z")},
		{"day": nil, "p-who": text(""), "at": nil},
	} {
		// The file's own column of the partition's name does not count.
		file := f.file(fmt.Sprintf("day=x/%d.parquet", i), fmt.Sprintf("SELECT %d::BIGINT AS v, 'no' AS day", i))
		file.Partition = p
		view.Files = append(view.Files, file)
	}
	rows := `{"v":0,"day":"2026-10-02","who":"O'Neil %20/=","at":"2026-10-02T08:00:00.5Z"}
{"v":1,"day":"2026-10-03","who":null,"at":"2026-10-02T08:00:00Z"}
{"v":2,"day":null,"who":null,"at":null}`
	want(t, e, rows, "FROM t ORDER BY v", view)
	want(t, e, `{"n":1}`, "SELECT count(*) AS n FROM t WHERE day = DATE '2026-10-03'", view)
	_, plan, err := ask(t.Context(), e, "EXPLAIN SELECT v FROM t WHERE day = DATE '2026-10-03'", view)
	if scans := strings.Count(plan, "Function:"); err != nil || scans != 1 {
		t.Errorf("%d scans for one partition, %v: %s", scans, err, plan)
	}
	for value, typ := range map[string]schema.Type{
		"yesterday": schema.Date, "1.5": schema.Integer, "300": schema.Byte, "1.555": schema.Decimal{Precision: 5, Scale: 2},
	} {
		file := view.Files[0]
		file.Partition = map[string]*string{"p": text(value)}
		bad := f.view("t", []schema.Field{col("v", schema.Long), col("p", typ)}, file)
		bad.Partitions = []string{"p"}
		_, rows, err := ask(t.Context(), e, "FROM t", bad)
		var d *diag.Diagnostic
		if !errors.As(err, &d) {
			t.Errorf("partition value %s as %s: got %s, %v", value, typ, rows, err)
		}
	}
}

// Thousands of files and of partition values are one scan, with the same rows.
func TestManyFiles(t *testing.T) {
	f, e := newFolder(t), open(t)
	data := f.file("seed.parquet", "SELECT i::BIGINT AS v FROM range(10) r(i)")
	seed := filepath.Join(f.root, data.Path)
	view := f.view("t", []schema.Field{col("v", schema.Long), col("p", schema.Integer)})
	view.Partitions = []string{"p"}
	const files = 2000
	for i := range files {
		name := fmt.Sprintf("%d.parquet", i)
		if err := os.Link(seed, filepath.Join(f.root, name)); err != nil {
			t.Fatal(err)
		}
		file := engine.File{Path: name, Partition: map[string]*string{"p": text(fmt.Sprint(i))}}
		if i%2 == 1 {
			file.Deleted = []int64{0, 9}
		}
		view.Files = append(view.Files, file)
	}
	want(t, e, `{"n":18000,"v":81000,"p":17990000}`, "SELECT count(*) n, sum(v) v, sum(p) p FROM t", view)
	want(t, e, `{"n":8,"v":36}`, "SELECT count(*) n, sum(v) v FROM t WHERE p = 1001", view)
}

func TestDeletedRows(t *testing.T) {
	f, e := newFolder(t), open(t)
	a := f.file("a.parquet", "SELECT i::BIGINT AS v FROM range(300000) r(i)")
	b := f.file("b.parquet", "SELECT i::BIGINT AS v FROM range(10) r(i)")
	a.Deleted = []int64{299999, 0, 150000}
	view := f.view("t", []schema.Field{col("v", schema.Long)}, a, b)
	want(t, e, `{"n":300007}`, "SELECT count(*) AS n FROM t", view)
	want(t, e, `{"v":149999}`+"\n"+`{"v":150001}`, "SELECT v FROM t WHERE v BETWEEN 149999 AND 150001 ORDER BY v", view)
	want(t, e, `{"v":0}`, "SELECT v FROM t WHERE v < 1", view)
}

// Names are names: nothing in them is a pattern, an escape or a partition.
func TestStrangeFileNames(t *testing.T) {
	f, e := newFolder(t), open(t)
	names := []string{
		"it's.parquet", "per%20cent.parquet", "sp ace.parquet", "ab.parquet", "a[b].parquet", "a*b.parquet", "a?b.parquet",
		`back\slash.parquet`, "d[1]*/x.parquet", "v=7/x.parquet", "{a,b}.parquet", "no extension", "ü.parquet", "new\nline.parquet",
	}
	view := f.view("t", []schema.Field{col("v", schema.Integer)})
	for i, n := range names {
		view.Files = append(view.Files, f.file(n, fmt.Sprintf("SELECT %d::INTEGER AS v", i)))
	}
	want(t, e, fmt.Sprintf(`{"n":%d,"v":%d}`, len(names), len(names)*(len(names)-1)/2), "SELECT count(*) n, sum(v) v FROM t", view)
	for i := range names {
		view := f.view("t", view.Schema.Fields, view.Files[i])
		view.Files[0].Deleted = []int64{5}
		want(t, e, fmt.Sprintf(`{"v":%d}`, i), "SELECT v FROM t", view)
	}
}

// A table may lie behind symbolic links.
func TestLinkedFolder(t *testing.T) {
	f, e := newFolder(t), open(t)
	plain, odd := f.file("a.parquet", "SELECT 1::INTEGER AS v"), f.file("b[1].parquet", "SELECT 2::INTEGER AS v")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(f.root, link); err != nil {
		t.Fatal(err)
	}
	var err error
	if f.store, err = local.Open(link); err != nil {
		t.Fatal(err)
	}
	want(t, e, `{"v":3}`, "SELECT sum(v) AS v FROM t", f.view("t", []schema.Field{col("v", schema.Integer)}, plain, odd))
}

// Files of a store without local paths are staged, and nothing stays behind.
func TestStaging(t *testing.T) {
	f := newFolder(t)
	file := f.file("x/a.parquet", "SELECT 42::BIGINT AS v")
	data, err := store.Read(t.Context(), f.store, file.Path)
	if err != nil {
		t.Fatal(err)
	}
	remote := memory.New(func() time.Time { return time.Unix(0, 0) })
	if err := remote.Create(t.Context(), file.Path, data); err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	e, err := duckdb.Open(t.Context(), duckdb.Options{TempDir: temp})
	if err != nil {
		t.Fatal(err)
	}
	view := f.view("t", []schema.Field{col("v", schema.Long)}, file)
	view.Store = remote
	want(t, e, `{"v":42}`, "FROM t", view)

	view.Files = append(view.Files, engine.File{Path: "gone.parquet"})
	if _, _, err := ask(t.Context(), e, "FROM t", view); diag.CodeOf(err) != diag.FileUnreadable || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is gone: got %v", err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
