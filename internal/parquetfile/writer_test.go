package parquetfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/parquetfile/form"
	"landfall/internal/schema"
)

// table has two columns of text, an instant and a number.
func table() schema.Struct {
	return schema.Struct{Fields: []schema.Field{
		{Name: "a", Type: schema.String, Nullable: true},
		{Name: "b c", Type: schema.String, Nullable: true},
		{Name: "at", Type: schema.Timestamp, Nullable: true},
		{Name: "n", Type: schema.Long, Nullable: true},
	}}
}

// texts is a column of text; "\x00" stands for null.
func texts(values ...string) column.Column {
	var t column.Text
	for _, v := range values {
		if v == "\x00" {
			t.AppendNull()
			continue
		}
		t.AppendValue([]byte(v))
	}
	return column.Column{Type: schema.String, Text: &t}
}

// cells spells every cell of a batch as the reader of the file should find it.
func cells(b column.Batch) [][]string {
	out := make([][]string, len(b.Columns))
	for i, c := range b.Columns {
		for row := range b.Rows {
			cell := "null"
			switch {
			case c.Constant != nil:
				cell = fmt.Sprint(c.Constant)
			case c.Text != nil && !c.Text.Spans[row].Null():
				cell = "'" + string(c.Text.Value(row)) + "'"
			}
			if s, ok := c.Constant.(string); ok {
				cell = "'" + s + "'"
			}
			out[i] = append(out[i], cell)
		}
	}
	return out
}

// readCells reads a file back.
func readCells(t rapid.TB, mem memory.Allocator, data []byte) [][]string {
	var out [][]string
	for rec, err := range read(context.Background(), mem, bytes.NewReader(data), int64(len(data)), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if out == nil {
			out = make([][]string, rec.NumCols())
		}
		for i, c := range rec.Columns() {
			for row := range c.Len() {
				cell := "null"
				if !c.IsNull(row) {
					switch c := c.(type) {
					case *array.String:
						cell = "'" + c.Value(row) + "'"
					case *array.Int64:
						cell = fmt.Sprint(c.Value(row))
					case *array.Timestamp:
						cell = fmt.Sprint(int64(c.Value(row)))
					}
				}
				out[i] = append(out[i], cell)
			}
		}
	}
	return out
}

func anyText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{"\x00", "", `"`, `""`, "a,b\r\n", "same", "same", "ünïcödé", "\U0010FFFF", "null"}),
		rapid.Map(rapid.IntRange(0, 3000), func(n int) string { return strings.Repeat("x", n) }),
	)
}

func anyColumn(f schema.Field, rows int) *rapid.Generator[column.Column] {
	return rapid.Custom(func(t *rapid.T) column.Column {
		kinds := []string{"null", "constant"}
		if f.Type == schema.String {
			kinds = append(kinds, "text", "text", "text")
		}
		c := column.Column{Type: f.Type}
		switch rapid.SampledFrom(kinds).Draw(t, "kind") {
		case "constant":
			c.Constant = any(rapid.Int64().Draw(t, "number"))
			if f.Type == schema.String {
				c.Constant = rapid.String().Draw(t, "constant")
			}
		case "text":
			c = texts(rapid.SliceOfN(anyText(), rows, rows).Draw(t, "values")...)
		}
		return c
	})
}

func anyBatch(s schema.Struct) *rapid.Generator[column.Batch] {
	return rapid.Custom(func(t *rapid.T) column.Batch {
		b := column.Batch{Rows: rapid.IntRange(0, 20).Draw(t, "rows")}
		for _, f := range s.Fields {
			b.Columns = append(b.Columns, anyColumn(f, b.Rows).Draw(t, f.Name))
		}
		return b
	})
}

func TestWriterRoundTrip(t *testing.T) {
	mem := unchecked()
	rapid.Check(t, func(t *rapid.T) {
		o := Options{
			Compression:   rapid.SampledFrom([]Compression{"", Zstd, Snappy}).Draw(t, "codec"),
			RowGroupBytes: rapid.SampledFrom([]int64{0, 1, 100, 5000}).Draw(t, "row group"),
		}
		var buf bytes.Buffer
		w, err := NewWriter(&buf, table(), o)
		if err != nil {
			t.Fatal(err)
		}
		want := make([][]string, len(table().Fields))
		for range rapid.IntRange(0, 6).Draw(t, "batches") {
			b := anyBatch(table()).Draw(t, "batch")
			for i, c := range cells(b) {
				want[i] = append(want[i], c...)
			}
			if err := w.Write(b); err != nil {
				t.Fatal(err)
			}
		}
		footer, err := w.Close()
		if err != nil || footer.Rows != int64(len(want[0])) || w.Written() != int64(buf.Len()) {
			t.Fatalf("footer %+v, %d of %d bytes: %v", footer, w.Written(), buf.Len(), err)
		}
		got := readCells(t, mem, buf.Bytes())
		for i := range got {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("column %d: %.300q\nwant %.300q", i, got[i], want[i])
			}
		}
		if len(got) == 0 && footer.Rows > 0 {
			t.Fatal("nothing read")
		}
		for i, c := range footer.Columns {
			checkBounds(t, c, want[i])
		}
	})
}

// checkBounds compares with what sorting the cells gives.
func checkBounds(t rapid.TB, got ColumnStats, cells []string) {
	var present []string
	for _, c := range cells {
		if c != "null" {
			present = append(present, c)
		}
	}
	if got.Nulls != int64(len(cells)-len(present)) {
		t.Fatalf("%d nulls, want %d", got.Nulls, len(cells)-len(present))
	}
	if len(present) == 0 {
		if got.Min != nil || got.Max != nil {
			t.Fatalf("bounds %v, %v of nothing", got.Min, got.Max)
		}
		return
	}
	if low, ok := got.Min.(int64); ok {
		for _, c := range present {
			var n int64
			if _, err := fmt.Sscan(c, &n); err != nil || n < low || n > got.Max.(int64) {
				t.Fatalf("%q outside %v..%v: %v", c, got.Min, got.Max, err)
			}
		}
		return
	}
	for i, c := range present {
		present[i] = strings.TrimSuffix(strings.TrimPrefix(c, "'"), "'")
	}
	slices.Sort(present)
	checkBound(t, got.Min.(string), got.MinCut, present[0])
	checkBound(t, got.Max.(string), got.MaxCut, present[len(present)-1])
}

func checkBound(t rapid.TB, got string, cut bool, want string) {
	if cut != (len(want) > BoundBytes) || cut && !strings.HasPrefix(want, got) || !cut && got != want {
		t.Fatalf("bound %.50q (cut: %v), want %.50q", got, cut, want)
	}
}

func TestTinyBatchesMakeFewRowGroups(t *testing.T) {
	mem := unchecked()
	var buf bytes.Buffer
	w, err := NewWriter(&buf, table(), Options{RowGroupBytes: 100 << 10})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5000 {
		b := column.Batch{Rows: 1, Columns: []column.Column{
			texts(fmt.Sprintf("value %d", i)),
			{Type: schema.String, Constant: fmt.Sprintf("file-%d.csv", i/10)},
			{Constant: int64(i)},
			{},
		}}
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	footer, err := w.Close()
	if err != nil || footer.RowGroups != 2 || footer.Rows != 5000 {
		t.Errorf("%d row groups, %d rows: %v", footer.RowGroups, footer.Rows, err)
	}
	if got := readCells(t, mem, buf.Bytes()); got[0][4999] != "'value 4999'" || got[1][4999] != "'file-499.csv'" {
		t.Errorf("last row %q %q", got[0][4999], got[1][4999])
	}
}

func TestLongValues(t *testing.T) {
	mem := checked(t)
	var buf bytes.Buffer
	w, err := NewWriter(&buf, schema.Struct{Fields: table().Fields[:1]}, Options{RowGroupBytes: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range 40 {
		want = append(want, strings.Repeat(string(rune('a'+i%26)), i*20<<10), "short")
	}
	if err := w.Write(column.Batch{Rows: len(want), Columns: []column.Column{texts(want...)}}); err != nil {
		t.Fatal(err)
	}
	footer, err := w.Close()
	if err != nil || footer.RowGroups < 2 {
		t.Fatalf("%d row groups: %v", footer.RowGroups, err)
	}
	got := readCells(t, mem, buf.Bytes())[0]
	for i := range want {
		if got[i] != "'"+want[i]+"'" {
			t.Fatalf("value %d: %.20q of %d bytes, want %d", i, got[i], len(got[i]), len(want[i]))
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	null := "\x00"
	strict := schema.Field{Name: "id", Type: schema.String}
	open := schema.Field{Name: "id", Type: schema.String, Nullable: true}
	long := schema.Field{Name: "n", Type: schema.Long, Nullable: true}
	for name, c := range map[string]struct {
		field schema.Field
		col   column.Column
		want  error
	}{
		"null in NOT NULL":     {strict, texts("a", null), &diag.Diagnostic{Code: diag.Constraint}},
		"all null in NOT NULL": {strict, column.Column{}, &diag.Diagnostic{Code: diag.Constraint}},
		"Latin-1":              {open, texts("a", "caf\xe9"), form.ErrNotText},
		"Latin-1 constant":     {open, column.Column{Constant: "caf\xe9"}, form.ErrNotText},
		"half a character":     {open, texts("\xe2\x82", "\xac"), form.ErrNotText},
		"text as number":       {long, texts("1", "2"), nil},
		"wrong constant":       {long, column.Column{Constant: "1"}, nil},
		"odd constant":         {long, column.Column{Constant: 1.5}, nil},
		"other type":           {open, column.Column{Type: schema.Long}, nil},
		"too few values":       {open, texts("1"), nil},
	} {
		w, err := NewWriter(&bytes.Buffer{}, schema.Struct{Fields: []schema.Field{c.field}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = w.Write(column.Batch{Rows: 2, Columns: []column.Column{c.col}})
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	for _, s := range []schema.Struct{{}, {Fields: []schema.Field{{Name: "d", Type: schema.Decimal{}}}}} {
		if _, err := NewWriter(&bytes.Buffer{}, s, Options{}); err == nil {
			t.Errorf("schema %v accepted", s)
		}
	}
	if err := mustWriter(t).Write(column.Batch{Rows: 1}); err == nil {
		t.Error("batch without columns accepted")
	}
}

func mustWriter(t *testing.T) *Writer {
	w, err := NewWriter(&bytes.Buffer{}, table(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// full fails after n bytes.
type full struct{ n int }

var errFull = errors.New("no space left")

func (f *full) Write(p []byte) (int, error) {
	if f.n -= len(p); f.n < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriterFaultIsReturned(t *testing.T) {
	for n := 0; ; n += 5 {
		w, err := NewWriter(&full{n}, table(), Options{RowGroupBytes: 30})
		if err != nil {
			t.Fatal(err)
		}
		b := column.Batch{Rows: 4, Columns: []column.Column{texts("some text", "more", "ab", ""), {Constant: "k"}, {}, {}}}
		err = w.Write(b)
		if err == nil {
			err = w.Write(b)
		}
		if err == nil {
			_, err = w.Close()
		}
		if err == nil {
			if n < 200 {
				t.Errorf("fits in %d bytes", n)
			}
			return
		}
		if !errors.Is(err, errFull) {
			t.Fatalf("after %d bytes: %v", n, err)
		}
	}
}

func TestTypesInFile(t *testing.T) {
	var buf bytes.Buffer
	w, err := NewWriter(&buf, table(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Schema(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	if err != nil {
		t.Fatal(err)
	}
	want := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "b c", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "at", Type: arrow.FixedWidthTypes.Timestamp_us, Nullable: true},
		{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	}, nil)
	if plain(s) != plain(want) {
		t.Errorf("schema %v\nwant %v", plain(s), plain(want))
	}
}
