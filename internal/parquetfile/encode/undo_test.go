package encode_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/assembly"
	"landfall/internal/parquetfile/encode"
	"landfall/internal/parquetfile/form"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/parquetfile/rowgroup"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// table has a column of every type and of every form of nesting.
func table() schema.Struct {
	var s schema.Struct
	for i, t := range []schema.Type{
		schema.Boolean, schema.Byte, schema.Short, schema.Integer, schema.Long, schema.Float, schema.Double,
		schema.String, schema.Binary, schema.Date, schema.Timestamp, schema.TimestampNTZ,
		schema.Decimal{Precision: 5, Scale: 2},
		schema.Decimal{Precision: 18},
		schema.Decimal{Precision: 38, Scale: 9},
		schema.Array{Element: schema.String, ContainsNull: true},
		schema.Array{ContainsNull: true, Element: schema.Struct{Fields: []schema.Field{
			{Name: "x", Type: schema.Array{Element: schema.Long, ContainsNull: true}, Nullable: true},
			{Name: "y", Type: schema.String, Nullable: true},
		}}},
		schema.Map{Key: schema.String, Value: schema.Double, ValueContainsNull: true},
		schema.Struct{Fields: []schema.Field{{Name: "z", Type: schema.String, Nullable: true}, {Name: "w", Type: schema.Long}}},
	} {
		s.Fields = append(s.Fields,
			schema.Field{Name: fmt.Sprint("n", i), Type: t, Nullable: true},
			schema.Field{Name: fmt.Sprint("r", i), Type: t})
	}
	return s
}

// maker makes values of a type of a few numbers, so that rows of many columns
// cost no more of rapid than one draw.
type maker struct {
	seed uint64
	// kinds is how many texts there are.
	kinds uint64
}

func (m *maker) next() uint64 {
	m.seed = m.seed*6364136223846793005 + 1442695040888963407
	return m.seed >> 33
}

func (m *maker) value(t schema.Type, nullable bool) any {
	if nullable && m.next()%4 == 0 {
		return nil
	}
	switch t := t.(type) {
	case schema.Struct:
		var out parquetfiletest.Struct
		for _, f := range t.Fields {
			out = append(out, m.value(f.Type, f.Nullable))
		}
		return out
	case schema.Array:
		out := parquetfiletest.List{}
		for range m.next() % 4 {
			out = append(out, m.value(t.Element, t.ContainsNull))
		}
		return out
	case schema.Map:
		out := parquetfiletest.Map{}
		for range m.next() % 3 {
			out = append(out, parquetfiletest.Entry{Key: m.value(t.Key, false), Value: m.value(t.Value, t.ValueContainsNull)})
		}
		return out
	}
	return m.scalar(t)
}

func (m *maker) scalar(t schema.Type) any {
	n := m.next()
	switch form.KindOf(t) {
	case form.Bools:
		return n%2 == 0
	case form.Text:
		return m.text(n % m.kinds)
	case form.Floats:
		if special := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1.5}; n%50 < uint64(len(special)) {
			return special[n%50]
		}
		return float64(float32(n) / 4)
	case form.Wide:
		v := value.Int128{High: int64(n >> 3), Low: n * n * n}
		if n%2 == 0 {
			v.High = -v.High
		}
		return v
	}
	lo, hi := form.Range(t)
	switch n % 20 {
	case 0:
		return lo
	case 1:
		return hi
	}
	return lo/2 + int64(n%100)%(hi/2+1)
}

// text spells a number; some texts are empty, long, or of the last characters of all.
func (m *maker) text(n uint64) string {
	switch n % 101 {
	case 7:
		return ""
	case 8:
		return strings.Repeat("\U0010FFFF", int(n%90))
	case 9:
		return strings.Repeat("\uD7FF", int(n%90))
	case 10:
		return strings.Repeat("long ", int(n%1500))
	}
	return fmt.Sprint("text ", n*2654435761)
}

func (m *maker) batch(s schema.Struct, rows int) (column.Batch, [][]any) {
	b := column.Batch{Rows: rows}
	var all [][]any
	for _, f := range s.Fields {
		values := make([]any, rows)
		c := column.Column{Type: f.Type}
		if !f.Nullable || m.next()%5 > 0 {
			for i := range values {
				values[i] = m.value(f.Type, f.Nullable)
			}
			c = parquetfiletest.Column(f.Type, f.Nullable, values)
		}
		b.Columns, all = append(b.Columns, c), append(all, values)
	}
	return b, all
}

// pack puts groups into a file.
func pack(t rapid.TB, s schema.Struct, groups ...rowgroup.Group) []byte {
	var buf bytes.Buffer
	f, err := assembly.New(&buf, s, assembly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		if err := f.Append(g); err != nil {
			t.Fatal(err)
		}
	}
	if footer, err := f.Close(); err != nil || footer.Size != int64(buf.Len()) || f.Written() != footer.Size {
		t.Fatalf("footer %+v of %d bytes: %v", footer, buf.Len(), err)
	}
	return buf.Bytes()
}

// compare reads a file with our reader and compares value for value, bit by bit.
func compare(t rapid.TB, data []byte, s schema.Struct, want [][]any) {
	f, err := parquetfile.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for b, err := range f.Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range b.Columns {
			got := parquetfiletest.Rows(c, true, b.Rows)
			for r, v := range got {
				if !same(v, want[i][at+r]) {
					t.Fatalf("column %s, row %d: found %#v, want %#v", s.Fields[i].Name, at+r, v, want[i][at+r])
				}
			}
		}
		at += b.Rows
	}
	if at != len(want[0]) {
		t.Fatalf("read %d rows, want %d", at, len(want[0]))
	}
}

// same compares spellings, since no NaN is equal to another and −0 is to 0.
func same(a, b any) bool { return fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b) }

// TestUndo encodes batches of which some are taken back, and looks for the rest.
func TestUndo(t *testing.T) {
	s := table()
	rapid.Check(t, func(t *rapid.T) {
		o := encode.Options{
			Compression: rapid.SampledFrom([]encode.Compression{encode.Zstd, encode.Snappy}).Draw(t, "codec"),
			Encoding:    rapid.SampledFrom([]encode.Encoding{encode.Delta, encode.Plain}).Draw(t, "encoding"),
		}
		m := &maker{seed: rapid.Uint64().Draw(t, "seed"), kinds: rapid.SampledFrom([]uint64{1, 50, 1 << 40}).Draw(t, "kinds")}
		undone := build(t, s, o)
		plain := build(t, s, o)
		if rapid.Bool().Draw(t, "small pages") {
			undone.LimitPages(500, 2000)
		}
		var groups []rowgroup.Group
		var want [][]any
		for range rapid.IntRange(1, 2).Draw(t, "groups") {
			kept := make([][]any, len(s.Fields))
			marked := slices.Clone(kept)
			var wait []column.Batch
			for range rapid.IntRange(0, 8).Draw(t, "steps") {
				switch rapid.IntRange(0, 4).Draw(t, "step") {
				case 0:
					undone.Mark()
					for _, b := range wait {
						write(t, plain, b)
					}
					wait, marked = nil, slices.Clone(kept)
				case 1:
					undone.Undo()
					wait, kept = nil, slices.Clone(marked)
				default:
					b, values := m.batch(s, rapid.SampledFrom([]int{0, 1, 7, 300, 1500}).Draw(t, "rows"))
					write(t, undone, b)
					wait = append(wait, b)
					for i := range values {
						kept[i] = append(kept[i][:len(kept[i]):len(kept[i])], values[i]...)
					}
				}
			}
			for _, b := range wait {
				write(t, plain, b)
			}
			groups = append(groups, finish(t, undone, plain))
			want = join(want, kept)
		}
		compare(t, pack(t, s, groups...), s, want)
	})
}

func build(t rapid.TB, s schema.Struct, o encode.Options) *encode.Encoder {
	e, err := encode.New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func write(t rapid.TB, e *encode.Encoder, b column.Batch) {
	if err := e.Write(b); err != nil {
		t.Fatal(err)
	}
}

// finish ends the groups of two encoders that hold the same rows, whose
// statistics must be the same.
func finish(t rapid.TB, undone, plain *encode.Encoder) rowgroup.Group {
	if undone.Rows() != plain.Rows() || undone.Weight() != plain.Weight() {
		t.Fatalf("%d rows of %d bytes, want %d of %d", undone.Rows(), undone.Weight(), plain.Rows(), plain.Weight())
	}
	g, stats, err := undone.Finish()
	if err != nil {
		t.Fatal(err)
	}
	other, want, err := plain.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(stats, want) {
		t.Fatalf("statistics %+v\nwant %+v", stats, want)
	}
	for i := range g.Chunks {
		got, _ := g.Chunks[i].Meta.Struct(12)
		want, _ := other.Chunks[i].Meta.Struct(12)
		if !bytes.Equal(got.Append(nil), want.Append(nil)) {
			t.Fatalf("statistics of chunk %d differ", i)
		}
	}
	return g
}

func join(a, b [][]any) [][]any {
	if a == nil {
		return b
	}
	for i := range a {
		a[i] = append(a[i], b[i]...)
	}
	return a
}
