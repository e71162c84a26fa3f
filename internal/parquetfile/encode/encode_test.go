package encode_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"

	"landfall/internal/column"
	"landfall/internal/parquetfile/encode"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
)

// one encodes the values of a single nullable column and returns the file.
func one(t testing.TB, typ schema.Type, o encode.Options, values []any) []byte {
	t.Helper()
	s := schema.Struct{Fields: []schema.Field{{Name: "v", Type: typ, Nullable: true}}}
	e := build(t, s, o)
	const some = 7000
	for from := 0; from < len(values); from += some {
		v := values[from:min(from+some, len(values))]
		write(t, e, column.Batch{Rows: len(v), Columns: []column.Column{parquetfiletest.Column(typ, true, v)}})
	}
	g, _, err := e.Finish()
	if err != nil {
		t.Fatal(err)
	}
	data := pack(t, s, g)
	compare(t, data, s, [][]any{values})
	return data
}

// stats returns statistics as text: the bounds and the number of nulls.
func stats(t testing.TB, data []byte) string {
	t.Helper()
	in, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	chunk, err := in.RowGroup(0).MetaData().ColumnChunk(0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := chunk.Statistics()
	if err != nil || s == nil {
		t.Fatalf("no statistics: %v", err)
	}
	if !s.HasMinMax() {
		return fmt.Sprint("none, nulls ", s.NullCount())
	}
	low, high := s.EncodeMin(), s.EncodeMax()
	if len(low) == 8 {
		return fmt.Sprint(math.Float64frombits(binary.LittleEndian.Uint64(low)), " ", math.Float64frombits(binary.LittleEndian.Uint64(high)), ", nulls ", s.NullCount())
	}
	return fmt.Sprintf("%q %q, nulls %d", low, high, s.NullCount())
}

func TestStatistics(t *testing.T) {
	nan, inf, minus := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	long := strings.Repeat("a", 100)
	for _, c := range []struct {
		t      schema.Type
		values []any
		want   string
	}{
		{schema.Double, []any{0.0, nil}, "-0 0, nulls 1"},
		{schema.Double, []any{minus}, "-0 0, nulls 0"},
		{schema.Double, []any{1.5, nan}, "none, nulls 0"},
		{schema.Double, []any{-inf, inf}, "-Inf +Inf, nulls 0"},
		{schema.Double, []any{nil, nil}, "none, nulls 2"},
		{schema.String, []any{"", "b"}, `"" "b", nulls 0`},
		{schema.String, []any{long}, fmt.Sprintf("%q %q, nulls 0", long[:64], long[:63]+"b")},
		{schema.String, []any{strings.Repeat("é", 60)}, fmt.Sprintf("%q %q, nulls 0", strings.Repeat("é", 32), strings.Repeat("é", 31)+"ê")},
		{schema.String, []any{"a" + strings.Repeat("\U0010FFFF", 30)}, fmt.Sprintf("%q %q, nulls 0", "a"+strings.Repeat("\U0010FFFF", 15), "b")},
		{schema.String, []any{strings.Repeat("\uD7FF", 30)}, fmt.Sprintf("%q %q, nulls 0", strings.Repeat("\uD7FF", 21), strings.Repeat("\uD7FF", 20)+"\uE000")},
		{schema.String, []any{strings.Repeat("\U0010FFFF", 30)}, "none, nulls 0"},
		{schema.Binary, []any{"\xff", nil}, "none, nulls 1"},
		{schema.Boolean, []any{true, false, nil}, `"\x00" "\x01", nulls 1`},
	} {
		if got := stats(t, one(t, c.t, encode.Options{}, c.values)); got != c.want {
			t.Errorf("%v %.40q: found %s, want %s", c.t, c.values, got, c.want)
		}
	}
}

// TestColumns writes columns of many rows, of which each takes another way
// through the encoder.
func TestColumns(t *testing.T) {
	many := func(n int, of func(i int) any) []any {
		out := make([]any, n)
		for i := range out {
			out[i] = of(i)
		}
		return out
	}
	for name, c := range map[string]struct {
		t      schema.Type
		values []any
	}{
		"no rows":       {schema.Long, nil},
		"one row":       {schema.Long, []any{int64(math.MinInt64)}},
		"all null":      {schema.String, many(50_000, func(int) any { return nil })},
		"extremes":      {schema.Long, many(1000, func(i int) any { return []int64{math.MinInt64, math.MaxInt64, 0, -1}[i*i%4] })},
		"narrow":        {schema.Integer, many(1000, func(i int) any { return []int64{math.MinInt32, math.MaxInt32, 0, -1}[i*i%4] })},
		"steps":         {schema.Timestamp, many(50_000, func(i int) any { return int64(i) * 1_000_000 })},
		"nulls later":   {schema.Long, many(30_000, func(i int) any { return []any{int64(i), nil}[max(0, i-25_000)%2] })},
		"repeated":      {schema.String, many(50_000, func(i int) any { return fmt.Sprint("sentence ", i*i%4096) })},
		"given up":      {schema.String, many(50_000, func(i int) any { return fmt.Sprint("v", max(i%3, i-20_500)) })},
		"given up late": {schema.String, many(150_000, func(i int) any { return fmt.Sprint(i / 2) })},
		"long texts":    {schema.String, many(300, func(i int) any { return strings.Repeat(string(rune('a'+i%26)), i*100) })},
		"huge text":     {schema.Binary, []any{strings.Repeat("\xff\x00", 3<<20), "", "x"}},
		"codes":         {schema.Integer, many(50_000, func(i int) any { return int64(i * i % 7) })},
		"doubles":       {schema.Double, many(30_000, func(i int) any { return float64(i%1000) / 100 })},
		"booleans":      {schema.Boolean, many(30_001, func(i int) any { return i%3 == 0 })},
		"lists": {schema.Array{Element: schema.Integer, ContainsNull: true}, many(30_000, func(i int) any {
			return []any{nil, parquetfiletest.List{}, parquetfiletest.List{nil, int64(i)}}[i%3]
		})},
	} {
		for _, o := range []encode.Options{{}, {Compression: encode.Snappy, Encoding: encode.Plain}} {
			t.Run(fmt.Sprintf("%s %+v", name, o), func(t *testing.T) {
				arrow(t, one(t, c.t, o, c.values), len(c.values))
			})
		}
	}
}

// arrow reads a file with the library's own pages, which ours do not pass.
func arrow(t *testing.T, data []byte, rows int) {
	in, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil || in.NumRows() != int64(rows) {
		t.Fatalf("%d rows, want %d: %v", in.NumRows(), rows, err)
	}
	for g := range in.NumRowGroups() {
		pages, err := in.RowGroup(g).GetColumnPageReader(0)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for pages.Next() {
			if _, dictionary := pages.Page().(*file.DictionaryPage); !dictionary {
				n += int(pages.Page().NumValues())
			}
		}
		chunk, _ := in.RowGroup(g).MetaData().ColumnChunk(0)
		if pages.Err() != nil || int64(n) != chunk.NumValues() {
			t.Fatalf("pages of %d values, want %d: %v", n, chunk.NumValues(), pages.Err())
		}
	}
}

// TestDictionaries tells which columns keep one: that of floats would lose −0.0
// in Spark, and one that does not repeat is of no use.
func TestDictionaries(t *testing.T) {
	for name, c := range map[string]struct {
		t    schema.Type
		o    encode.Options
		of   func(i int) any
		want bool
	}{
		"texts":          {schema.String, encode.Options{}, func(i int) any { return fmt.Sprint(i % 100) }, true},
		"new texts":      {schema.String, encode.Options{}, func(i int) any { return fmt.Sprint(i) }, false},
		"integers":       {schema.Long, encode.Options{}, func(i int) any { return int64(i % 100) }, false},
		"plain integers": {schema.Long, encode.Options{Encoding: encode.Plain}, func(i int) any { return int64(i % 100) }, true},
		"doubles":        {schema.Double, encode.Options{Encoding: encode.Plain}, func(i int) any { return float64(i % 100) }, false},
		"floats":         {schema.Float, encode.Options{}, func(i int) any { return float64(i % 100) }, false},
		"wide decimals":  {schema.Decimal{Precision: 18}, encode.Options{}, func(i int) any { return int64(i % 100) }, false},
	} {
		values := make([]any, 3000)
		for i := range values {
			values[i] = c.of(i)
		}
		in, err := file.NewParquetReader(bytes.NewReader(one(t, c.t, c.o, values)))
		if err != nil {
			t.Fatal(err)
		}
		chunk, err := in.RowGroup(0).MetaData().ColumnChunk(0)
		if err != nil || chunk.HasDictionaryPage() != c.want {
			t.Errorf("%s: dictionary %v, want %v: %v", name, chunk.HasDictionaryPage(), c.want, err)
		}
		if len(chunk.EncodingStats()) > 0 {
			t.Errorf("%s: statistics of encodings are written", name)
		}
	}
}

// TestSteady encodes the same rows again, which must take no more memory than
// what is handed out.
func TestSteady(t *testing.T) {
	s := schema.Struct{Fields: []schema.Field{
		{Name: "a", Type: schema.String, Nullable: true}, {Name: "b", Type: schema.Long, Nullable: true}, {Name: "c", Type: schema.Double, Nullable: true},
	}}
	m := &maker{kinds: 1 << 40}
	b, _ := m.batch(s, 1000)
	e := build(t, s, encode.Options{})
	round := func() {
		write(t, e, b)
		e.Undo()
	}
	for range 3 {
		round()
	}
	if n := testing.AllocsPerRun(20, round); n > 0 {
		t.Errorf("%v allocations per batch, want none", n)
	}
}

// TestGroupsAlike encodes the same batches behind different ones: the bytes of a
// group must not depend on what came before.
func TestGroupsAlike(t *testing.T) {
	s := table()
	encoded := func(before ...uint64) string {
		e := build(t, s, encode.Options{})
		for _, kinds := range append(before, 50) {
			b, _ := (&maker{seed: 7, kinds: kinds}).batch(s, 1500)
			write(t, e, b)
			if kinds != 50 {
				e.Mark()
				write(t, e, b)
				e.Undo()
				if _, _, err := e.Finish(); err != nil {
					t.Fatal(err)
				}
			}
		}
		g, _, err := e.Finish()
		if err != nil {
			t.Fatal(err)
		}
		return string(pack(t, s, g))
	}
	want := encoded()
	for _, before := range [][]uint64{{1}, {1 << 40}, {3, 1 << 40, 9}} {
		if encoded(before...) != want {
			t.Errorf("behind %v the group has other bytes", before)
		}
	}
}

func BenchmarkEncoder(b *testing.B) {
	s := schema.Struct{Fields: []schema.Field{
		{Name: "id", Type: schema.Long, Nullable: true},
		{Name: "name", Type: schema.String, Nullable: true},
		{Name: "price", Type: schema.Double, Nullable: true},
		{Name: "tags", Type: schema.Array{Element: schema.String, ContainsNull: true}, Nullable: true},
	}}
	m := &maker{kinds: 300}
	batch, _ := m.batch(s, 2000)
	e := build(b, s, encode.Options{})
	b.ReportAllocs()
	for b.Loop() {
		for range 10 {
			write(b, e, batch)
		}
		if _, _, err := e.Finish(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(20_000*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
