package parquetfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/parquetfile/form"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
)

// opened is a file with all its rows, one slice a column.
type opened struct {
	*File
	columns [][]any
	batches []int
}

// scanned reads a file whole.
func scanned(t rapid.TB, data []byte) (o opened, err error) {
	o.File, err = Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return o, err
	}
	fields := o.Fields()
	o.columns = make([][]any, len(fields))
	for b, err := range o.Batches(context.Background()) {
		if err != nil {
			return o, err
		}
		if len(b.Columns) != len(fields) {
			t.Fatalf("%d columns, want %d", len(b.Columns), len(fields))
		}
		for i, c := range b.Columns {
			if !reflect.DeepEqual(c.Type, fields[i].Type) {
				t.Fatalf("type %v, want %v", c.Type, fields[i].Type)
			}
			if err := form.CheckLeaves(c.Leaves, fields[i], form.Leaves(c.Type, true), b.Rows); err != nil {
				t.Fatalf("column %s: %v", fields[i].Name, err)
			}
			o.columns[i] = append(o.columns[i], parquetfiletest.Rows(c, true, b.Rows)...)
		}
		o.batches = append(o.batches, b.Rows)
	}
	return o, nil
}

// loose is a type as files yield it: all may be null, and wall clocks are instants.
func loose(t schema.Type) schema.Type {
	switch t := t.(type) {
	case schema.Struct:
		var out schema.Struct
		for _, f := range t.Fields {
			out.Fields = append(out.Fields, schema.Field{Name: f.Name, Type: loose(f.Type), Nullable: true})
		}
		return out
	case schema.Array:
		return schema.Array{Element: loose(t.Element), ContainsNull: true}
	case schema.Map:
		return schema.Map{Key: loose(t.Key), Value: loose(t.Value), ValueContainsNull: true}
	}
	if t == schema.TimestampNTZ {
		return schema.Timestamp
	}
	return t
}

// TestScanRoundTrip writes columns of any type and reads them back, whatever the
// row groups and batches.
func TestScanRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyFields(3, 4).Draw(t, "schema")
		rows := rapid.IntRange(0, 30).Draw(t, "rows")
		columns := make([][]any, len(s.Fields))
		for i, f := range s.Fields {
			for range rows {
				columns[i] = append(columns[i], anyValue(f.Type, f.Nullable).Draw(t, f.Name))
			}
		}
		data := rowsWritten(t, s, columns, Options{RowGroupBytes: rapid.SampledFrom([]int64{0, 1, 100}).Draw(t, "group")})
		got, err := scanned(t, data)
		if err != nil {
			t.Fatal(err)
		}
		if got.Rows() != int64(rows) || got.ChunkBytes() > int64(len(data)) {
			t.Fatalf("%d rows, chunks of %d bytes", got.Rows(), got.ChunkBytes())
		}
		for i, f := range got.Fields() {
			if want := loose(s.Fields[i].Type); !reflect.DeepEqual(f.Type, want) || f.Name != s.Fields[i].Name {
				t.Fatalf("column %s of type %v, want %v", f.Name, f.Type, want)
			}
			if !sameValues(got.columns[i], columns[i]) {
				t.Fatalf("column %s: found %.500v\nwant %.500v", f.Name, got.columns[i], columns[i])
			}
		}
	})
}

// rowsWritten writes one batch for each row, so that row groups are small.
func rowsWritten(t rapid.TB, s schema.Struct, columns [][]any, o Options) []byte {
	var buf bytes.Buffer
	w, err := NewWriter(&buf, s, o)
	if err != nil {
		t.Fatal(err)
	}
	for row := range columns[0] {
		b := column.Batch{Rows: 1}
		for i, f := range s.Fields {
			b.Columns = append(b.Columns, parquetfiletest.Column(f.Type, f.Nullable, columns[i][row:row+1]))
		}
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// TestScanBounds reads columns whose texts come out of a small dictionary a
// hundred thousand times longer than they are in the file.
func TestScanBounds(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	const rows = 400
	values, ids := make([]any, rows), make([]any, rows)
	lists := make([]any, rows)
	for i := range values {
		values[i], ids[i], lists[i] = long, int64(i), parquetfiletest.List{long, nil}
	}
	f := schema.Struct{Fields: []schema.Field{
		{Name: "id", Type: schema.Long},
		{Name: "v", Type: schema.String, Nullable: true},
		{Name: "l", Type: schema.Array{Element: schema.String, ContainsNull: true}, Nullable: true},
	}}
	data := rowsWritten(t, f, [][]any{ids, values, lists}, Options{RowGroupBytes: 1 << 30})
	file, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if n := file.in.NumRowGroups(); n != 1 || len(data) > 8<<20 {
		t.Fatalf("%d row groups in %d bytes: no dictionary?", n, len(data))
	}
	next := int64(0)
	for b, err := range file.Batches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, c := range b.Columns[1:] {
			for i := range c.Leaves[0].Text.Spans {
				if v := c.Leaves[0].Text.Value(i); string(v) != long {
					t.Fatalf("row %d: another value", next)
				}
			}
			size += len(c.Leaves[0].Text.Data)
		}
		if size > scanBytes+2*4<<20 {
			t.Errorf("%d rows of %d bytes, want at most %d", b.Rows, size, scanBytes)
		}
		for _, id := range b.Columns[0].Leaves[0].Ints {
			if id != next {
				t.Fatalf("found row %d, want %d", id, next)
			}
			next++
		}
	}
	if next != rows {
		t.Errorf("%d rows", next)
	}
}

// TestScanNesting reads types as deep as tables have them, and refuses deeper
// ones by name.
func TestScanNesting(t *testing.T) {
	deep := func(n int) (schema.Type, any) {
		t, v := schema.Type(schema.Long), any(int64(1))
		for i := range n {
			if i%2 == 0 {
				t, v = schema.Array{Element: t, ContainsNull: true}, parquetfiletest.List{v, nil}
			} else {
				t, v = schema.Struct{Fields: []schema.Field{{Name: "f", Type: t, Nullable: true}}}, parquetfiletest.Struct{v}
			}
		}
		return t, v
	}
	for depth, refused := range map[int]bool{1: false, schema.MaxNesting: false, schema.MaxNesting + 1: true, 100: true} {
		typ, v := deep(depth)
		s := schema.Struct{Fields: []schema.Field{{Name: "a", Type: schema.Long}, {Name: "deep one", Type: typ, Nullable: true}}}
		data := rowsWritten(t, s, [][]any{{int64(1)}, {v}}, Options{})
		got, err := scanned(t, data)
		switch {
		case !refused && (err != nil || !sameValues(got.columns[1], []any{v})):
			t.Errorf("depth %d: %v, %v", depth, err, got.columns)
		case refused && (diag.CodeOf(err) != diag.FileUnreadable || !strings.HasPrefix(err.Error(), "deep one: found types nested more than 32 deep")):
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}

// TestScanEveryByte damages each byte of a file in turn: it is refused by a
// diagnostic or reads as a table of as many rows as it says.
func TestScanEveryByte(t *testing.T) {
	s := schema.Struct{Fields: []schema.Field{
		{Name: "id", Type: schema.Long},
		{Name: "s", Type: schema.String, Nullable: true},
		{Name: "m", Type: schema.Map{Key: schema.String, Value: pair, ValueContainsNull: true}, Nullable: true},
	}}
	entry := parquetfiletest.List{parquetfiletest.Struct{int64(1), "x"}, nil}
	columns := [][]any{{}, {}, {}}
	for i := range 12 {
		columns[0] = append(columns[0], int64(i))
		columns[1] = append(columns[1], []any{"same", nil, "other"}[i%3])
		columns[2] = append(columns[2], []any{parquetfiletest.Map{{Key: "k", Value: entry}}, parquetfiletest.Map{}, nil}[i%3])
	}
	data := rowsWritten(t, s, columns, Options{RowGroupBytes: 200, Compression: Snappy})
	refused := map[diag.Code]int{}
	for at := range data {
		for _, x := range []byte{1, 0x80, 0xff} {
			damaged := bytes.Clone(data)
			damaged[at] ^= x
			got, err := scanned(t, damaged)
			if err != nil {
				code := diag.CodeOf(err)
				if code == "" {
					t.Fatalf("byte %d: %v is no diagnostic", at, err)
				}
				refused[code]++
				continue
			}
			rows := 0
			for _, n := range got.batches {
				rows += n
			}
			if int64(rows) != got.Rows() {
				t.Errorf("byte %d: %d rows, the file says %d", at, rows, got.Rows())
			}
		}
	}
	t.Log(fmt.Sprint(len(data), refused))
	if refused[diag.FileUnreadable] < len(data) {
		t.Errorf("refused %v of %d", refused, 3*len(data))
	}
	for n := range data {
		if _, err := scanned(t, data[:n]); diag.CodeOf(err) == "" {
			t.Fatalf("the first %d bytes of %d: %v", n, len(data), err)
		}
	}
}

// TestScanStoreFault fails each read of the store in turn: the file is not to
// blame for it.
func TestScanStoreFault(t *testing.T) {
	s := schema.Struct{Fields: []schema.Field{{Name: "id", Type: schema.Long}, {Name: "s", Type: schema.String, Nullable: true}}}
	data := rowsWritten(t, s, [][]any{{int64(1), int64(2)}, {"a", nil}}, Options{RowGroupBytes: 1})
	for n := 0; ; n++ {
		r := &faulty{bytes.NewReader(data), n}
		f, err := Open(r, int64(len(data)))
		rows := 0
		if err == nil {
			for b, failed := range f.Batches(t.Context()) {
				err = failed
				rows += b.Rows
			}
		}
		if r.n >= 0 {
			if err != nil || rows != 2 {
				t.Errorf("%d rows without a fault: %v", rows, err)
			}
			return
		}
		if !errors.Is(err, errStore) || diag.CodeOf(err) != "" {
			t.Errorf("read %d: found %v, want %v", n, err, errStore)
		}
	}
}
