package supply_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"landfall/internal/diag"
	"landfall/internal/flow/dataset"
	"landfall/internal/schema"
)

// TestUnion writes two files with a column x of two types.
func TestUnion(t *testing.T) {
	object := func(fields ...arrow.Field) arrow.DataType { return arrow.StructOf(fields...) }
	integer, long, double, text, bytes := arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.String, arrow.BinaryTypes.Binary
	dec := func(p, s int32) arrow.DataType { return &arrow.Decimal128Type{Precision: p, Scale: s} }
	tests := map[string]struct {
		a, b          arrow.DataType
		first, second string
		columns, rows string
	}{
		"integers":                    {integer, long, "1", "9007199254740993", "bigint", "1; 9007199254740993"},
		"an integer and a double":     {integer, double, "2147483647", "0.5", "double", "2147483647; 0.5"},
		"a long and a double":         {long, double, "9007199254740993", "0.5", "string", "9007199254740993; 0.5"},
		"a decimal and an integer":    {dec(10, 2), integer, `"1.25"`, "2147483647", "decimal(12,2)", "1.25; 2147483647.00"},
		"decimals":                    {dec(10, 2), dec(9, 4), `"12345678.91"`, `"1.2345"`, "decimal(12,4)", "12345678.9100; 1.2345"},
		"decimals that no other hold": {dec(38, 2), dec(30, 9), `"1.25"`, `"1.123456789"`, "string", "1.25; 1.123456789"},
		"a day and a time":            {arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Timestamp_us, `"2026-10-01"`, `"2026-10-02 03:04:05.000006Z"`, "timestamp", "2026-10-01T00:00:00Z; 2026-10-02T03:04:05.000006Z"},
		"a truth and a text":          {arrow.FixedWidthTypes.Boolean, text, "true", `"t"`, "string", "true; t"},
		"bytes and a text":            {bytes, text, `"/w=="`, `"t"`, "binary", "ff; 74"},
		"bytes and an integer":        {bytes, integer, `"/w=="`, "7", `string, _rescued_data string`, `NULL|{"x":{"$base64":"/w=="}}; 7|NULL`},
		"nulls and an integer":        {arrow.Null, integer, "null", "7", "int", "NULL; 7"},
		"structs": {
			object(field("a", integer), field("b", long)), object(field("c", text), field("A", long)),
			`{"a": 1, "b": 2}`, `{"c": "k", "A": 3}`, "struct<a:bigint,b:bigint,c:string>", `{"a":1,"b":2,"c":null}; {"a":3,"b":null,"c":"k"}`,
		},
		"structs with a field of two types": {
			object(field("a", integer)), object(field("a", text), field("b", integer)),
			`{"a": 1}`, `{"a": "q", "b": 2}`, "struct<a:string,b:int>", `{"a":"1","b":null}; {"a":"q","b":2}`,
		},
		"lists of structs": {
			arrow.ListOf(object(field("a", integer))), arrow.ListOf(object(field("a", double), field("b", text))),
			`[{"a": 1}, null]`, `[{"a": 0.5, "b": "k"}]`, "array<struct<a:double,b:string>>", `[{"a":1,"b":null},null]; [{"a":0.5,"b":"k"}]`,
		},
		"a struct and a text": {object(field("a", integer)), text, `{"a": 1}`, `"s"`, "string", `{"a":1}; s`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := container(t, nil)
			f.parquet("a.parquet", `[{"x": `+test.first+`}]`, field("x", test.a))
			f.parquet("b.parquet", `[{"x": `+test.second+`}]`, field("x", test.b))
			s := f.must(dataset.Source{Format: dataset.Parquet})
			if got := columns(s); got != "x "+test.columns {
				t.Errorf("columns %s, want x %s", got, test.columns)
			}
			if got := withoutPaths(rows(t, s)); got != test.rows {
				t.Errorf("rows %s, want %s", got, test.rows)
			}
		})
	}
}

func TestParquetByName(t *testing.T) {
	f := container(t, nil)
	integer, text := arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String
	f.parquet("t/a.parquet", `[{"id": 1, "b": "x"}]`, field("id", integer), field("b", text))
	f.parquet("t/b.parquet", `[{"c": "y", "ID": 2}]`, field("c", text), field("ID", integer))
	f.parquet("t/c.parquet", `[]`, field("id", arrow.PrimitiveTypes.Int64), field("b", text))
	s := f.must(dataset.Source{Format: dataset.Parquet, Wildcards: []string{"t/*.parquet"}})
	if got, want := columns(s), "id bigint, b string, c string"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	if got, want := rows(t, s), "1|x|NULL; 2|NULL|y"; got != want {
		t.Errorf("rows %s, want %s", got, want)
	}
	var drift []string
	for _, file := range s.Files {
		drift = append(drift, fmt.Sprint(file.Rows, file.Drift))
	}
	if got, want := fmt.Sprint(drift), "[1 [] 1 [+ c string id is spelt ID - b] 0 [id int → bigint]]"; got != want {
		t.Errorf("drift %s, want %s", got, want)
	}
	s = f.must(dataset.Source{Format: dataset.Parquet, Wildcards: []string{"t/a.parquet"}, Projection: []schema.Field{{Name: "id", Type: schema.String}}})
	if got, want := fmt.Sprint(s.Files[0].Drift), "[id string → int + b string]"; got != want {
		t.Errorf("drift from the projection %s, want %s", got, want)
	}
}

func TestManyFiles(t *testing.T) {
	const files = 300
	f := container(t, nil)
	f.parquet("a.parquet", `[{"id": 1}]`, field("id", arrow.PrimitiveTypes.Int32))
	f.parquet("b.parquet", `[{"id": 2, "x": "y"}]`, field("id", arrow.PrimitiveTypes.Int32), field("x", arrow.BinaryTypes.String))
	for i := range files {
		for _, name := range []string{"a", "b"} {
			f.check(os.Link(f.path(name+".parquet"), f.path(fmt.Sprintf("%03d%s.parquet", i, name))))
		}
	}
	s := f.must(dataset.Source{Format: dataset.Parquet, Wildcards: []string{"0*"}})
	if got := len(s.Input.Groups); got != 2 {
		t.Errorf("%d groups of two kinds of files", got)
	}
	if got, want := rows(t, s), strings.Repeat("1|NULL; ", 100)+strings.TrimSuffix(strings.Repeat("2|y; ", 100), "; "); got != want {
		t.Errorf("rows %s", got)
	}
}

func TestManyShapes(t *testing.T) {
	const files = 150
	f := container(t, nil)
	for i := range files {
		f.parquet(fmt.Sprintf("%03d.parquet", i), fmt.Sprintf(`[{"c%d": %d}]`, i, i), field(fmt.Sprintf("c%d", i), arrow.PrimitiveTypes.Int32))
	}
	s := f.must(dataset.Source{Format: dataset.Parquet})
	if got := rows(t, s); len(s.Columns) != files || strings.Count(got, ";") != files-1 || !strings.HasSuffix(got, "NULL|149") {
		t.Errorf("%d columns, rows %s", len(s.Columns), got)
	}
}

func TestPartitions(t *testing.T) {
	f := container(t, nil)
	for key, n := range map[string]int{
		"root/t/day=2026-10-01/n=1/k=a%2Fb/x.parquet":                                1,
		"root/t/day=2026-10-02/n=30000000000/k=__HIVE_DEFAULT_PARTITION__/x.parquet": 2,
	} {
		f.parquet(key, fmt.Sprintf(`[{"id": %d}]`, n), field("id", arrow.PrimitiveTypes.Int32))
	}
	s := f.must(dataset.Source{Format: dataset.Parquet, Wildcards: []string{"root/t/**"}, PartitionRoot: "root/t"})
	if got, want := columns(s), "id int, day date, n bigint, k string"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	if got, want := rows(t, s), "1|2026-10-01|1|a/b; 2|2026-10-02|30000000000|NULL"; got != want {
		t.Errorf("rows %s, want %s", got, want)
	}
	if got := columns(f.must(dataset.Source{Format: dataset.Parquet, Wildcards: []string{"root/t/**"}})); got != "id int" {
		t.Errorf("without a root: columns %s", got)
	}
	_, err := f.open(dataset.Source{Format: dataset.Parquet, Wildcards: []string{"root/**"}, PartitionRoot: "root/other"})
	fails(t, err, diag.FlowInput, "DF-Executor-PartitionDirectoryError")

	f = container(t, map[string]string{"p=0/t/day=1/a.csv": "id\n1\n", "p=0/t/day=2/a.csv": "id\n2\n"})
	s = f.must(headed(dataset.Source{Wildcards: []string{"p=0/t/**"}, PartitionRoot: "p=0/t"}))
	if got := rows(t, s); got != "1|1; 2|2" || len(s.Columns) != 2 || s.Columns[1].Name != "day" {
		t.Errorf("text in partitions: columns %s, rows %s", columns(s), got)
	}
}

func TestBadParquet(t *testing.T) {
	whole := container(t, nil)
	whole.parquet("a.parquet", `[{"id": 1}]`, field("id", arrow.PrimitiveTypes.Int32))
	for name, text := range map[string]string{"text": "id\n1\n", "empty": "", "cut": "PAR1\x15\x04"} {
		t.Run(name, func(t *testing.T) {
			whole.write("b.parquet", text)
			_, err := whole.open(dataset.Source{Format: dataset.Parquet})
			fails(t, err, diag.FileUnreadable, "b.parquet")
		})
	}
}
