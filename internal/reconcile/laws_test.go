package reconcile_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/reconcile"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/value"
)

var scalars = []schema.Type{
	schema.Boolean, schema.Byte, schema.Short, schema.Integer, schema.Long, schema.Float, schema.Double, schema.String, schema.String,
	schema.Binary, schema.Date, schema.Timestamp,
	schema.Decimal{Precision: 4, Scale: 2},
	schema.Decimal{Precision: 18, Scale: 9},
	schema.Decimal{Precision: 38, Scale: 2},
}

// drawType draws a type of so many levels at most.
func drawType(t *rapid.T, depth int) schema.Type {
	kind := 0
	if depth > 0 {
		kind = rapid.IntRange(0, 5).Draw(t, "kind")
	}
	switch kind {
	case 1:
		return schema.Array{Element: drawType(t, depth-1), ContainsNull: true}
	case 2:
		key := rapid.SampledFrom([]schema.Type{schema.String, schema.Integer, schema.Double, schema.Binary}).Draw(t, "key")
		return schema.Map{Key: key, Value: drawType(t, depth-1), ValueContainsNull: true}
	case 3, 4:
		s := schema.Struct{}
		for _, name := range []string{"p", "Q r", "s"}[:rapid.IntRange(1, 3).Draw(t, "fields")] {
			s.Fields = append(s.Fields, schema.Field{Name: name, Type: drawType(t, depth-1), Nullable: true})
		}
		return s
	}
	return rapid.SampledFrom(scalars).Draw(t, "scalar")
}

// like draws a type that has something in common with another.
func like(t *rapid.T, typ schema.Type) schema.Type {
	switch rapid.IntRange(0, 9).Draw(t, "like") {
	case 0:
		return drawType(t, 2)
	case 1, 2, 3, 4:
		return typ
	}
	switch typ := typ.(type) {
	case schema.Array:
		return schema.Array{Element: like(t, typ.Element), ContainsNull: true}
	case schema.Map:
		return schema.Map{Key: typ.Key, Value: like(t, typ.Value), ValueContainsNull: true}
	case schema.Struct:
		out := schema.Struct{}
		for i, f := range rapid.Permutation(typ.Fields).Draw(t, "order") {
			if i > 0 && rapid.IntRange(0, 4).Draw(t, "drop") == 0 {
				continue
			}
			if rapid.Bool().Draw(t, "casing") {
				f.Name = strings.ToUpper(f.Name)
			}
			out.Fields = append(out.Fields, schema.Field{Name: f.Name, Type: like(t, f.Type), Nullable: true})
		}
		return out
	}
	return rapid.SampledFrom(scalars).Draw(t, "scalar")
}

func drawValue(t *rapid.T, typ schema.Type, nullable bool) any {
	if nullable && rapid.IntRange(0, 4).Draw(t, "null") == 0 {
		return nil
	}
	count := rapid.IntRange(0, 3)
	switch typ := typ.(type) {
	case schema.Struct:
		out := parquetfiletest.Struct{}
		for _, f := range typ.Fields {
			out = append(out, drawValue(t, f.Type, f.Nullable))
		}
		return out
	case schema.Array:
		out := parquetfiletest.List{}
		for range count.Draw(t, "elements") {
			out = append(out, drawValue(t, typ.Element, true))
		}
		return out
	case schema.Map:
		out := parquetfiletest.Map{}
		for range count.Draw(t, "entries") {
			out = append(out, parquetfiletest.Entry{Key: drawValue(t, typ.Key, false), Value: drawValue(t, typ.Value, true)})
		}
		return out
	case schema.Decimal:
		if typ.Precision > 18 {
			return value.Int128{
				High: rapid.SampledFrom([]int64{0, 0, -1, 5, 1 << 60}).Draw(t, "high"),
				Low:  rapid.SampledFrom([]uint64{0, 1, 100, 1 << 63, math.MaxUint64}).Draw(t, "low"),
			}
		}
		return rapid.SampledFrom([]int64{0, -5, 100, 700, 1234, 9999}).Draw(t, "decimal")
	}
	return drawScalar(t, typ)
}

func drawScalar(t *rapid.T, typ schema.Type) any {
	switch typ {
	case schema.Type(schema.Boolean):
		return rapid.Bool().Draw(t, "boolean")
	case schema.Type(schema.Float):
		return float64(rapid.SampledFrom([]float32{0, 0.5, 0.1, 2, -1.5, 1 << 25, float32(math.Inf(1))}).Draw(t, "float"))
	case schema.Type(schema.Double):
		return rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{
			0, math.Copysign(0, -1), 0.1, 7, 12.34, -2.5e-9, 1e300, 1e37, 9007199254740993, math.NaN(), math.Inf(-1),
		})).Draw(t, "double")
	case schema.Type(schema.String):
		return rapid.SampledFrom([]string{
			"", "x", "7", "007", "-2.50", "true", "2026-11-30", "2026-11-30T10:00:00Z", "2026-11-30T10:00:00.1234567Z", "a\"\n\x00é", "{}", "NaN", "1e3",
		}).Draw(t, "string")
	case schema.Type(schema.Binary):
		return rapid.SampledFrom([]string{"", "x", "\xff\xfe", "7"}).Draw(t, "bytes")
	case schema.Type(schema.Date):
		return rapid.SampledFrom([]int64{0, -1, 20000, 3_000_000, -800_000}).Draw(t, "date")
	case schema.Type(schema.Timestamp):
		return rapid.SampledFrom([]int64{0, -1, 86_400_000_000, 1_796_032_800_123_456, 300_000_000_000_000_000}).Draw(t, "instant")
	case schema.Type(schema.Byte):
		return int64(rapid.Int8().Draw(t, "byte"))
	case schema.Type(schema.Short):
		return int64(rapid.Int16().Draw(t, "short"))
	case schema.Type(schema.Integer):
		return rapid.SampledFrom([]int64{0, 1, -7, 300, math.MaxInt32}).Draw(t, "int")
	}
	return rapid.SampledFrom([]int64{0, 1, -7, 300, math.MaxInt32, 1 << 40, 9007199254740993, math.MinInt64}).Draw(t, "long")
}

// world is a folder and its copy.
type world struct {
	source, copied store.Store
	proof          *reconcile.Proof
	// copies are the data files of the copy, one of each object; the columns of the
	// proof come first.
	copies []table
}

// drawFile draws the columns of a file for those of a copy, and its rows.
func drawFile(t *rapid.T, known []schema.Field) table {
	var x table
	rows := rapid.IntRange(1, 5).Draw(t, "rows")
	add := func(name string, typ schema.Type) {
		if slices.ContainsFunc(x.fields, func(f schema.Field) bool { return f.Name == name }) {
			return
		}
		x.fields = append(x.fields, schema.Field{Name: name, Type: typ, Nullable: true})
		values := make([]any, rows)
		for i := range values {
			values[i] = drawValue(t, typ, true)
		}
		x.values = append(x.values, values)
	}
	for _, f := range known {
		if rapid.IntRange(0, 5).Draw(t, "absent") == 0 {
			continue
		}
		name := f.Name
		if rapid.IntRange(0, 3).Draw(t, "casing") == 0 {
			name = strings.ToUpper(name)
		}
		add(name, like(t, f.Type))
	}
	for range rapid.IntRange(0, 2).Draw(t, "more") {
		add(rapid.SampledFrom([]string{"A", "B", "z", "_why", "a.c", "É"}).Draw(t, "name"), drawType(t, 2))
	}
	if len(x.fields) == 0 {
		add("z", schema.Long)
	}
	return x
}

// drawWorld draws a copy, and files that land in it.
func drawWorld(t *rapid.T) *world {
	w := &world{source: memoryStore(), copied: memoryStore()}
	v := contract.Version{Number: 1}
	var known []schema.Field
	for _, name := range []string{"a", "Order ID", "c", "é"}[:rapid.IntRange(1, 4).Draw(t, "columns")] {
		f := schema.Field{Name: name, Type: drawType(t, 2), Nullable: true}
		known = append(known, f)
		c := contract.Column{Name: schema.CleanName(name), Original: name}
		c.SetType(f.Type)
		v.Columns = append(v.Columns, c)
	}
	folders := rapid.SampledFrom([]string{"", "", "a=7/", "c=x/z=é/", "a=007/", "a=1/a=2/", "é=2026-11-30/"}).Draw(t, "folders")
	w.proof = &reconcile.Proof{Source: w.source, Copy: w.copied, Rescue: contract.RescuedData, Workers: rapid.IntRange(1, 3).Draw(t, "workers")}
	s, err := contract.TableSchema(v, contract.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range v.Columns {
		w.proof.Columns = append(w.proof.Columns, reconcile.Column{Name: c.Name, Original: c.Original, Type: s.Fields[i].Type})
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "files") {
		path := fmt.Sprintf("%s%d.parquet", folders, i)
		write(t, w.source, path, drawFile(t, known))
		w.add(t, path, s, v)
	}
	return w
}

// add has a file land, in a data file of its own.
func (w *world) add(t *rapid.T, path string, s schema.Struct, v contract.Version) {
	keys, folders := contract.Folders(path)
	_ = keys
	o := reconcile.Object{Path: path}
	for _, f := range folders {
		text := f.Value
		o.Folders = append(o.Folders, reconcile.Folder{Name: f.Key, Value: &text})
	}
	obj, err := w.source.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	o.Version = obj.Info().Version
	f, err := parquetfile.OpenAs(obj, obj.Info().Size, parquetfile.Reading{Flaws: true})
	if err != nil {
		t.Fatal(err)
	}
	from := conform.Object{Path: path, URL: path, Partitions: folders, IngestedAt: time.Unix(0, 0)}
	for _, g := range f.Fields() {
		from.Header, from.Types = append(from.Header, g.Name), append(from.Types, g.Type)
	}
	fitter, err := conform.New(v, contract.Policy{}, s, from)
	if err != nil {
		t.Fatal(err)
	}
	x := table{fields: s.Fields, values: make([][]any, len(s.Fields))}
	rows := int64(0)
	for b, err := range f.Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		slab := &column.Slab{Columns: b.Columns}
		for range b.Rows {
			rows++
			slab.Records = append(slab.Records, rows)
		}
		fitted, err := fitter.Fit(slab)
		if err != nil || len(fitted.Out) > 0 {
			t.Fatal(err, fitted.Out)
		}
		for i, values := range rowsOf(t, s, fitted.Batch) {
			x.values[i] = append(x.values[i], values...)
		}
	}
	w.copies = append(w.copies, x)
	w.proof.Objects = append(w.proof.Objects, o)
	w.proof.Files = append(w.proof.Files, reconcile.DataFile{
		Path: fmt.Sprintf("%d.parquet", len(w.proof.Files)),
		Runs: []reconcile.Run{{Object: len(w.proof.Objects) - 1, Rows: rows}},
	})
	w.write(t, len(w.copies)-1)
}

// rowsOf are the values of a batch, through a file.
func rowsOf(t *rapid.T, s schema.Struct, b column.Batch) (out [][]any) {
	var data bytes.Buffer
	w, err := parquetfile.NewWriter(&data, s, parquetfile.Options{})
	if err == nil {
		err = w.Write(b)
	}
	if err == nil {
		_, err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := parquetfile.Open(bytes.NewReader(data.Bytes()), int64(data.Len()))
	if err != nil {
		t.Fatal(err)
	}
	out = make([][]any, len(s.Fields))
	for b, err := range f.Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range b.Columns {
			c.Type = f.Fields()[i].Type
			out[i] = append(out[i], parquetfiletest.Rows(c, true, b.Rows)...)
		}
	}
	return out
}

// write writes a data file of the copy as it is now.
func (w *world) write(t *rapid.T, i int) { write(t, w.copied, w.proof.Files[i].Path, w.copies[i]) }

// String shows files and copies.
func (w *world) String() string {
	return fmt.Sprintf("%+v\n%+v", w.proof.Columns, w.copies)
}

// What our own landing makes of files holds all of their values.
func TestWhatLandsReconciles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		r := run(t, w.proof)
		if !r.Reconciled {
			t.Fatalf("%s\n%+v", w, r.Differences)
		}
		for _, c := range r.Columns {
			if !c.Equal || c.Before != c.After {
				t.Errorf("%s: before %+v, after %+v", c.Column, c.Before, c.After)
			}
		}
	})
}
