package datafile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/parquetfile"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/store/fault"
	"landfall/internal/store/memory"
)

func table() schema.Struct {
	return schema.Struct{Fields: []schema.Field{
		{Name: "v", Type: schema.String, Nullable: true},
		{Name: sourceColumn, Type: schema.String, Nullable: true},
		{Name: "_ingested_at", Type: schema.Timestamp, Nullable: true},
	}}
}

// batch holds values of one object; "\x00" stands for null.
func batch(object int, values ...string) column.Batch {
	var t column.Text
	for _, v := range values {
		if v == "\x00" {
			t.AppendNull()
			continue
		}
		t.AppendValue([]byte(v))
	}
	return column.Batch{Rows: len(values), Columns: []column.Column{
		{Type: schema.String, Text: &t},
		{Type: schema.String, Constant: source(object)},
		{Type: schema.Timestamp, Constant: int64(1717236000123456)},
	}}
}

func source(object int) string { return fmt.Sprintf("landing/%d.csv", object) }

// row is one row as read back, or as expected.
type row struct {
	object int
	value  string
}

// named returns options that give the files the names f1, f2, …
func named(o Options) Options {
	n := 0
	o.Name = func() string { n++; return fmt.Sprintf("f%d", n) }
	return o
}

// contents reads files back, row by row, with the objects of their lineage.
func contents(t rapid.TB, s store.Store, files []File) []row {
	var out []row
	for _, f := range files {
		rows := readFile(t, s, f.Path)
		if int64(len(rows)) != f.Rows {
			t.Fatalf("%s: %d rows, said to be %d", f.Path, len(rows), f.Rows)
		}
		at := 0
		for _, p := range f.Parts {
			for range p.Rows {
				if rows[at].object != p.Object {
					t.Fatalf("%s: row %d is of object %d, lineage %v", f.Path, at, rows[at].object, f.Parts)
				}
				at++
			}
		}
		if at != len(rows) {
			t.Fatalf("%s: lineage of %d rows, want %d", f.Path, at, len(rows))
		}
		out = append(out, rows...)
	}
	return out
}

func readFile(t rapid.TB, s store.Store, path string) (out []row) {
	ctx := context.Background()
	obj, err := s.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	for rec, err := range parquetfile.Read(ctx, obj, obj.Info().Size, nil) {
		if err != nil {
			t.Fatal(err)
		}
		values, sources := rec.Column(0).(*array.String), rec.Column(1).(*array.String)
		for i := range int(rec.NumRows()) {
			r := row{value: "\x00"}
			if values.IsValid(i) {
				r.value = strings.Clone(values.Value(i))
			}
			if _, err := fmt.Sscanf(sources.Value(i), "landing/%d.csv", &r.object); err != nil {
				t.Fatal(err)
			}
			out = append(out, r)
		}
	}
	return out
}

// must fails the test on an error.
func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func compareRows(t rapid.TB, got, want []row) {
	t.Helper()
	order := func(a, b row) int { return 2*cmpInt(a.object, b.object) + strings.Compare(a.value, b.value) }
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	if !slices.Equal(got, want) {
		t.Fatalf("%d rows, want %d: %.300v\nwant %.300v", len(got), len(want), fmt.Sprint(got), fmt.Sprint(want))
	}
}

func cmpInt(a, b int) int { return min(max(a-b, -1), 1) }

// TestWriterKeepsWhatEnded lands random objects, of which some are discarded.
func TestWriterKeepsWhatEnded(t *testing.T) {
	const small = 2000
	long := strings.Repeat("long ", small/20)
	values := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\x00", "", `"`, "a\nb"}))
	rapid.Check(t, func(t *rapid.T) {
		ctx, s := t.Context(), memory.New(nil)
		o := named(Options{Target: rapid.SampledFrom([]int64{1, 1000, 1 << 20, 0}).Draw(t, "target")})
		w := NewWriter(s, table(), o)
		w.small = small
		p := NewPacker(s, table(), o)
		var want []row
		for object := range rapid.IntRange(0, 8).Draw(t, "objects") {
			var rows []row
			w.Begin(object, rapid.SampledFrom([]int64{0, small, small + 1}).Draw(t, "size"))
			large := rapid.IntRange(0, 2).Draw(t, "large") == 0
			for range rapid.IntRange(0, 4).Draw(t, "batches") {
				vs := rapid.SliceOfN(values, 0, 5).Draw(t, "values")
				if large {
					vs = append(vs, long, long, long, long, long)
				}
				b := batch(object, vs...)
				must(t, w.Write(ctx, b))
				clear(b.Columns[0].Text.Data) // the slab is used again
				for _, v := range vs {
					rows = append(rows, row{object, v})
				}
			}
			if rapid.IntRange(0, 3).Draw(t, "fate") == 0 {
				must(t, w.Discard(ctx))
				continue
			}
			must(t, w.End(ctx))
			want = append(want, rows...)
			if rapid.IntRange(0, 3).Draw(t, "load") == 0 {
				l, err := w.Load()
				must(t, err)
				must(t, p.Add(ctx, l))
			}
		}
		files := packed(t, p, w)
		must(t, w.Abort(ctx))
		must(t, p.Abort(ctx))
		compareRows(t, contents(t, s, files), want)
		if s.Pending() != 0 {
			t.Fatalf("%d uploads left open", s.Pending())
		}
	})
}

func TestManySmallObjectsMakeFewFiles(t *testing.T) {
	ctx, s := t.Context(), memory.New(nil)
	o := named(Options{Target: 16 << 10})
	w := NewWriter(s, table(), o)
	const objects = 10_000
	for object := range objects {
		w.Begin(object, 0)
		must(t, w.Write(ctx, batch(object, fmt.Sprint("value ", object), "same")))
		must(t, w.End(ctx))
	}
	files := packed(t, NewPacker(s, table(), o), w)
	seen := map[int]int{}
	for _, f := range files {
		for _, p := range f.Parts {
			seen[p.Object]++
		}
		if info, err := s.Stat(ctx, f.Path); err != nil || info.Size != f.Size {
			t.Errorf("%s: size %d, stored %d: %v", f.Path, f.Size, info.Size, err)
		}
	}
	if len(files) < 2 || len(files) > 8 || len(seen) != objects {
		t.Errorf("%d files, %d objects", len(files), len(seen))
	}
	for object, n := range seen {
		if n != 1 {
			t.Fatalf("object %d lies in %d places", object, n)
		}
	}
	if got := contents(t, s, files); len(got) != 2*objects {
		t.Errorf("%d rows, want %d", len(got), 2*objects)
	}
}

func TestLargeObjectHasFilesOfItsOwn(t *testing.T) {
	ctx, s := t.Context(), memory.New(nil)
	o := named(Options{Target: 2000})
	w := NewWriter(s, table(), o)
	write := func(object, times int, size int64) {
		w.Begin(object, size)
		for i := range times {
			must(t, w.Write(ctx, batch(object, fmt.Sprint(i), strings.Repeat("x", smallObject/10))))
		}
	}
	write(1, 1, 0)
	must(t, w.End(ctx))
	write(2, 25, smallObject+1)
	must(t, w.End(ctx))
	write(3, 25, 0)
	must(t, w.Discard(ctx))
	write(4, 1, 0)
	must(t, w.End(ctx))
	files := packed(t, NewPacker(s, table(), o), w)
	own, rows := 0, int64(0)
	for _, f := range files {
		rows += f.Rows
		for _, p := range f.Parts {
			if p.Object == 3 {
				t.Error("discarded object has rows")
			}
			if p.Object == 2 {
				own++
				if len(f.Parts) > 1 {
					t.Errorf("large object shares %s: %v", f.Path, f.Parts)
				}
			}
		}
	}
	if own < 2 || rows != 54 || s.Pending() != 0 {
		t.Errorf("%d files of the large object, %d rows, %d uploads open", own, rows, s.Pending())
	}
}

func TestWriterMisuse(t *testing.T) {
	ctx := t.Context()
	fresh := func() *Writer { return NewWriter(memory.New(nil), table(), named(Options{})) }
	for name, c := range map[string]struct {
		use  func(*Writer) error
		want error
	}{
		"write outside":   {func(w *Writer) error { return w.Write(ctx, batch(1, "a")) }, errNoObject},
		"end outside":     {func(w *Writer) error { return w.End(ctx) }, errNoObject},
		"discard outside": {func(w *Writer) error { return w.Discard(ctx) }, errNoObject},
		"begin twice":     {func(w *Writer) error { w.Begin(1, 0); w.Begin(2, 0); return w.Write(ctx, batch(2, "a")) }, errOpenObject},
		"load inside":     {func(w *Writer) error { w.Begin(1, 0); _, err := w.Load(); return err }, errOpenObject},
		"after abort": {func(w *Writer) error {
			must(t, w.Abort(ctx))
			w.Begin(1, 0)
			return w.Write(ctx, batch(1, "a"))
		}, errClosed},
	} {
		if err := c.use(fresh()); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	p := NewPacker(memory.New(nil), table(), named(Options{}))
	packed(t, p, fresh())
	if _, err := p.Close(ctx); !errors.Is(err, errClosed) {
		t.Errorf("closed twice: %v, want %v", err, errClosed)
	}
}

// packed ends a packer with the load of a writer.
func packed(t rapid.TB, p *Packer, w *Writer) []File {
	t.Helper()
	files, err := pack(context.Background(), p, w)
	must(t, err)
	return files
}

func pack(ctx context.Context, p *Packer, w *Writer) ([]File, error) {
	l, err := w.Load()
	if err != nil {
		return nil, err
	}
	if err := p.Add(ctx, l); err != nil {
		return nil, err
	}
	return p.Close(ctx)
}

// landTwo writes a small and a large object.
func landTwo(ctx context.Context, s store.Store) (files []File, err error) {
	o := named(Options{Target: 1})
	w, p := NewWriter(s, table(), o), NewPacker(s, table(), o)
	defer func() { err = errors.Join(err, w.Abort(ctx), p.Abort(ctx)) }()
	for object, value := range []string{"small", strings.Repeat("large ", smallObject/6+1)} {
		w.Begin(object, int64(len(value)))
		if err := w.Write(ctx, batch(object, value)); err != nil {
			return nil, err
		}
		if err := w.End(ctx); err != nil {
			return nil, err
		}
	}
	return pack(ctx, p, w)
}

// TestEveryFaultIsReported fails every call of the store in turn: an error
// comes out, and no upload stays open.
func TestEveryFaultIsReported(t *testing.T) {
	for i := 0; ; i++ {
		mem := memory.New(nil)
		s := fault.New(mem, fault.Plan{At: i, Kind: fault.Fail, Err: store.ErrFull, Fine: true})
		files, err := landTwo(t.Context(), s)
		if !s.Struck() {
			if must(t, err); i < 6 || len(files) != 2 {
				t.Errorf("%d files in %d calls", len(files), i)
			}
			return
		}
		if !errors.Is(err, store.ErrFull) || files != nil {
			t.Errorf("call %d: %d files, %v", i, len(files), err)
		}
		if mem.Pending() != 0 {
			t.Errorf("call %d: %d uploads left open", i, mem.Pending())
		}
	}
}
