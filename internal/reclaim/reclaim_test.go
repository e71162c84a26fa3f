package reclaim_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/datafile"
	"landfall/internal/datafile/datafiletest"
	"landfall/internal/event"
	"landfall/internal/parquetfile"
	"landfall/internal/reclaim"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/store/memory"
)

// standing is a data file in which rows have what an id and the rescue column hold.
type standing struct {
	t *testing.T
	s *memory.Store
	// columns are those of the contract beside the id, as DDL by name.
	columns []schema.Field
	policy  contract.Policy
}

func (f *standing) version() contract.Version {
	v := contract.Version{Number: 2}
	for _, c := range append([]schema.Field{{Name: "id", Type: schema.String}}, f.columns...) {
		v.Columns = append(v.Columns, contract.Column{Name: c.Name, Original: c.Name, Type: c.Type.String()})
	}
	return v
}

func text(values []string) column.Column {
	t := &column.Text{}
	for _, v := range values {
		if v == "" {
			t.AppendNull()
		} else {
			t.AppendValue([]byte(v))
		}
	}
	return column.Column{Text: t}
}

// write makes the file; rows are an id, a source file, a value of the first column if
// it is a string, and what was rescued.
func (f *standing) write(rows ...[4]string) {
	f.t.Helper()
	table := schema.Struct{}
	for _, name := range []string{"id", contract.SourceFile, f.columns[0].Name, contract.RescuedData} {
		table.Fields = append(table.Fields, schema.Field{Name: name, Type: schema.String, Nullable: true})
	}
	table.Fields[2].Type = f.columns[0].Type
	b := column.Batch{Rows: len(rows)}
	for i := range table.Fields {
		var values []string
		for _, r := range rows {
			values = append(values, r[i])
		}
		c := text(values)
		if table.Fields[i].Type != schema.Type(schema.String) {
			c = column.Column{}
		}
		c.Type = table.Fields[i].Type
		b.Columns = append(b.Columns, c)
	}
	o := datafile.Options{Name: func() string { return "old" }}
	_, err := datafiletest.Write(f.t.Context(), f.s, table, o, b)
	if err != nil {
		f.t.Fatal(err)
	}
}

// reclaims takes what it can of objects, which are at file:///in/.
func (f *standing) reclaims(objects ...reclaim.Object) reclaim.Result {
	f.t.Helper()
	v := f.version()
	table, err := contract.TableSchema(v, f.policy)
	if err != nil {
		f.t.Fatal(err)
	}
	held := make([]int, len(table.Fields))
	for i := range held {
		held[i] = i
	}
	r, err := reclaim.New(reclaim.Rules{Version: v, Policy: f.policy, Table: table, File: table, Held: held})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, o := range objects {
		o.URLs = []string{"file:///in/" + o.Path}
		if err := r.Add(o); err != nil {
			f.t.Fatal(err)
		}
	}
	res, err := r.File(f.t.Context(), f.s, "old", nil, datafile.Options{Name: func() string { return "new" }})
	if err != nil {
		f.t.Fatal(err)
	}
	return res
}

// rows spells the rows of the new file: some of its columns, what is null left out.
func rows(t *testing.T, s store.Store, names ...string) []string {
	t.Helper()
	o, err := s.Open(context.Background(), "new")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for rec, err := range parquetfile.Read(context.Background(), o, o.Info().Size, nil) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range int(rec.NumRows()) {
			out = append(out, strings.Join(spell(rec, names, i), " "))
		}
	}
	return out
}

func spell(rec arrow.RecordBatch, names []string, row int) []string {
	var cells []string
	for _, name := range names {
		for _, at := range rec.Schema().FieldIndices(name) {
			if c := rec.Column(at); c.IsValid(row) {
				cells = append(cells, name+"="+c.ValueStr(row))
			}
		}
	}
	return cells
}

// left are names under which values stay rescued.
func left(names ...string) map[string]bool {
	out := map[string]bool{}
	for _, n := range names {
		out[n] = true
	}
	return out
}

// rescued is what the column holds of one row; why is by path.
func rescued(file string, record int, members, why string) string {
	return fmt.Sprintf(`{%s,"_file_path":"file:///in/%s","_record":%d,"_why":{%s}}`, members, file, record, why)
}

func typeOf(t *testing.T, ddl string) schema.Type {
	t.Helper()
	typ, err := schema.ParseDDL(ddl)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

func open(t *testing.T, columns ...string) *standing {
	f := &standing{t: t, s: memory.New(nil)}
	for _, c := range columns {
		name, ddl, _ := strings.Cut(c, " ")
		f.columns = append(f.columns, schema.Field{Name: name, Type: typeOf(t, ddl)})
	}
	return f
}

func (f *standing) wants(res reclaim.Result, counts map[string]reclaim.Counts, names string, want ...string) {
	f.t.Helper()
	if fmt.Sprint(res.Counts) != fmt.Sprint(counts) || res.Refused != nil {
		f.t.Errorf("found %v, refused %v, want %v", res.Counts, res.Refused, counts)
	}
	if (res.File == nil) != (want == nil) {
		f.t.Fatalf("found file %+v, want rows %q", res.File, want)
	}
	if want != nil {
		if got := rows(f.t, f.s, strings.Fields(names)...); !slices.Equal(got, want) {
			f.t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// Fields of CSV convert as text does, under the names of their own header.
func TestTable(t *testing.T) {
	f := open(t, "city string", "n bigint", "c#2 date")
	f.write(
		[4]string{"1", "file:///in/a.csv", "", rescued("a.csv", 1, `"City":"Oslo","n":"7","c#2":"2026-01-31","_c4":"extra"`, `"City":"unknown","n":"unknown","c#2":"unknown","_c4":"ragged"`)},
		[4]string{"2", "file:///in/a.csv", "Rome", rescued("a.csv", 2, `"City":"Oslo","n":"x"`, `"City":"unknown","n":"unknown"`)},
		[4]string{"3", "file:///in/a.csv", "", rescued("a.csv", 3, `"City":{"$base64":"/w=="}`, `"City":"unknown"`)},
		[4]string{"4", "file:///in/b.csv", "", rescued("b.csv", 1, `"City":"Oslo"`, `"City":"unknown"`)},
		[4]string{"5", "file:///in/a.csv", "", ""},
		[4]string{"6", "file:///in/a.csv", "", "by others"},
	)
	v := f.reclaims(reclaim.Object{Path: "a.csv", Header: []string{"id", "City", "n", "c#2"}})
	f.wants(v, map[string]reclaim.Counts{"a.csv": {Changed: 2, Before: 8, Left: 5, Names: left("", "City", "_c4", "n")}}, "id city n c#2 _rescued_data",
		`id=1 city=Oslo n=7 c#2=2026-01-31 _rescued_data=`+rescued("a.csv", 1, `"_c4":"extra"`, `"_c4":"ragged"`),
		`id=2 city=Rome _rescued_data=`+rescued("a.csv", 2, `"City":"Oslo","n":"x"`, `"City":"unknown","n":"type:bigint"`),
		`id=3 _rescued_data=`+rescued("a.csv", 3, `"City":{"$base64":"/w=="}`, `"City":"unknown"`),
		`id=4 _rescued_data=`+rescued("b.csv", 1, `"City":"Oslo"`, `"City":"unknown"`),
		"id=5",
		"id=6 _rescued_data=by others")
}

// Of trees a value goes that is there whole; parts of one, and what a record had
// twice, stay. What fits in part leaves the rest.
func TestTree(t *testing.T) {
	f := open(t, "s string", "o struct<a:bigint>", "l array<bigint>")
	f.write(
		[4]string{"1", "file:///in/a.json", "", rescued("a.json", 1, `"o":{"a":1},"l":[1,2]`, `"o":"unknown","l":"unknown"`)},
		[4]string{"2", "file:///in/a.json", "", rescued("a.json", 2, `"o":{"a":"x","b":2},"l":[1,"y"]`, `"o":"unknown","l":"unknown"`)},
		[4]string{"3", "file:///in/a.json", "", rescued("a.json", 3, `"o":{"a":1},"l":[3,4]`, `"o.a":"type:int","l":"duplicate"`)},
	)
	res := f.reclaims(reclaim.Object{Path: "a.json", Tree: true})
	f.wants(res, map[string]reclaim.Counts{"a.json": {Changed: 2, Before: 10, Left: 7, Names: left("l", "o")}}, "id o l _rescued_data",
		`id=1 o={"a":1} l=[1,2]`,
		`id=2 o={"a":null} _rescued_data=`+rescued("a.json", 2, `"o":{"a":"x","b":2},"l":[1,"y"]`, `"o.a":"type:bigint","o.b":"unknown","l":"type:array<bigint>"`),
		`id=3 _rescued_data=`+rescued("a.json", 3, `"o":{"a":1},"l":[3,4]`, `"o.a":"type:int","l":"duplicate"`))
}

// Values of files that declare types come from the JSON of their values; bytes stay.
func TestTyped(t *testing.T) {
	f := open(t, "raw string", "n decimal(10,2)", "at timestamp", "text string")
	f.write([4]string{"1", "file:///in/a.parquet", "", rescued("a.parquet", 1,
		`"n":1.25,"at":"2026-01-31T10:00:00Z","text":5,"raw":{"$base64":"/w=="}`, `"n":"unknown","at":"unknown","text":"unknown","raw":"unknown"`)})
	res := f.reclaims(reclaim.Object{Path: "a.parquet", Typed: true, Header: []string{"n", "at", "text", "raw"}})
	f.wants(res, map[string]reclaim.Counts{"a.parquet": {Changed: 1, Before: 4, Left: 1, Names: left("raw")}}, "n at text _rescued_data",
		`n=1.25 at=2026-01-31T10:00:00Z text=5 _rescued_data=`+rescued("a.parquet", 1, `"raw":{"$base64":"/w=="}`, `"raw":"unknown"`))
}

// The value of a folder is the column's of all rows that had it rescued.
func TestFolder(t *testing.T) {
	for _, tree := range []bool{false, true} {
		f := open(t, "x string", "k bigint")
		f.write([4]string{"1", "file:///in/k=7/a", "", rescued("k=7/a", 1, `"x":"v","k":"7"`, `"x":"unknown","k":"unknown"`)})
		res := f.reclaims(reclaim.Object{Path: "k=7/a", Header: []string{"x"}, Tree: tree})
		f.wants(res, map[string]reclaim.Counts{"k=7/a": {Changed: 1, Before: 2}}, "x k _rescued_data", "x=v k=7")
	}
}

// Policies that would drop a value, keep its row out or stop a run do nothing to rows
// that stand; where nothing changes nothing is written.
func TestPolicies(t *testing.T) {
	for _, action := range []string{"null", "quarantine", "fail"} {
		f := open(t, "x string", "n bigint")
		f.policy.Kinds = map[contract.Kind]string{event.ValueMisfit: action, event.ColumnAdded: "fail"}
		f.policy.Columns = map[string]map[contract.Kind]string{"n": {event.ValueMisfit: action}}
		row := rescued("a.csv", 1, `"n":"y","m":"z"`, `"n":"type:bigint","m":"unknown"`)
		f.write([4]string{"1", "file:///in/a.csv", "", row})
		res := f.reclaims(reclaim.Object{Path: "a.csv", Header: []string{"x", "n", "m"}})
		f.wants(res, map[string]reclaim.Counts{"a.csv": {Before: 2, Left: 2, Names: left("n", "m")}}, "")
		if keys := f.s.Keys(); len(keys) != 1 {
			t.Errorf("%s: found %v", action, keys)
		}
	}
}

// A standing value that no column of the table holds refuses the file.
func TestRefused(t *testing.T) {
	f := open(t, "x string", "n bigint")
	f.write([4]string{"1", "file:///in/a.csv", "text", rescued("a.csv", 1, `"n":"1"`, `"n":"unknown"`)})
	f.columns[0].Type = schema.Long // as if somebody else had changed it
	res := f.reclaims(reclaim.Object{Path: "a.csv", Header: []string{"x", "n"}})
	if n := res.Counts["a.csv"]; res.Refused == nil || res.File != nil || n.Changed != 0 || n.Before != 1 || n.Left != 1 || !n.Names[""] {
		t.Errorf("found %+v", res)
	}
}
