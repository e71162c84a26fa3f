package datafile

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/store/fault"
	"landfall/internal/store/memory"
	"landfall/internal/value"
)

// frame is a table in memory: of every column its values, one a row.
type frame struct {
	schema schema.Struct
	values [][]any
}

func nullable(name string, t schema.Type) schema.Field {
	return schema.Field{Name: name, Type: t, Nullable: true}
}

func typeOf(t rapid.TB, ddl string) schema.Type {
	t.Helper()
	typ, err := schema.ParseDDL(ddl)
	must(t, err)
	return typ
}

// column is a column of the frame, null where it has none.
func (f *frame) column(i, from, to int) column.Column {
	return parquetfiletest.Column(f.schema.Fields[i].Type, true, f.values[i][from:to])
}

// write lands the frame as one file, in batches of so many rows.
func (f *frame) write(t rapid.TB, s store.Store, name string, o Options, step int) File {
	t.Helper()
	ctx := context.Background()
	o.Name = func() string { return name }
	w := NewWriter(s, f.schema, o)
	w.Begin(0, 0)
	rows := len(f.values[0])
	for from := 0; from < rows; from += step {
		to := min(from+step, rows)
		b := column.Batch{Rows: to - from}
		for i := range f.schema.Fields {
			b.Columns = append(b.Columns, f.column(i, from, to))
		}
		must(t, w.Write(ctx, b))
	}
	must(t, w.End(ctx))
	files := packed(t, NewPacker(s, f.schema, o), w)
	return files[0]
}

// spell writes every row of a column: its type, levels and values.
func spell(c column.Column, rows int) []string {
	r := wind(c)
	var out []string
	for row := range rows {
		var text strings.Builder
		fmt.Fprint(&text, c.Type)
		for i := range r.leaves {
			l := &r.leaves[i]
			fmt.Fprintf(&text, " %d/%d:", r.defs(nil, i), r.reps(i))
			for n := r.at[i].value; n < r.end[i].value; n++ {
				switch {
				case l.Text != nil:
					fmt.Fprintf(&text, "%q,", l.Text.Value(n))
				case l.Wide != nil:
					fmt.Fprint(&text, l.Wide[n], ",")
				case l.Floats != nil:
					fmt.Fprintf(&text, "%x,", math.Float64bits(l.Floats[n]))
				case l.Bools != nil:
					fmt.Fprint(&text, l.Bools[n], ",")
				default:
					fmt.Fprint(&text, l.Ints[n], ",")
				}
			}
		}
		out = append(out, text.String())
		if row < rows-1 {
			r.next()
		}
	}
	return out
}

// content spells a file, column by column.
func content(t rapid.TB, s store.Store, path string) (names []string, rows map[string][]string) {
	t.Helper()
	obj, err := s.Open(context.Background(), path)
	must(t, err)
	defer obj.Close() //nolint:errcheck // nothing was written
	f, err := parquetfile.Open(obj, obj.Info().Size)
	must(t, err)
	rows = map[string][]string{}
	for b, err := range f.Batches(context.Background()) {
		must(t, err)
		for i, field := range f.Fields() {
			rows[field.Name] = append(rows[field.Name], spell(b.Columns[i], b.Rows)...)
		}
	}
	for _, field := range f.Fields() {
		names = append(names, field.Name)
	}
	return names, rows
}

// wants spells what a file of the frame holds.
func (f *frame) wants() map[string][]string {
	out := map[string][]string{}
	for i, field := range f.schema.Fields {
		out[field.Name] = spell(f.column(i, 0, len(f.values[i])), len(f.values[i]))
	}
	return out
}

// growing is a column before and after, and how to draw a value of both.
type growing struct {
	name     string
	from, to string // "" is a column that there is not
	draw     func(*rapid.T) (from, to any)
}

func growings() []growing {
	list := func(v ...any) parquetfiletest.List { return v }
	small := rapid.Int64Range(-1<<31, 1<<31-1)
	return []growing{
		{"longer", "int", "bigint", func(t *rapid.T) (any, any) { v := small.Draw(t, "v"); return v, v }},
		{"decimal", "bigint", "decimal(21,1)", func(t *rapid.T) (any, any) {
			v := rapid.Int64Range(0, 1e9).Draw(t, "v")
			return v, value.Int128{Low: uint64(v * 10)}
		}},
		{"Same", "string", "string", func(t *rapid.T) (any, any) { v := rapid.String().Draw(t, "v"); return v, v }},
		{"list", "array<struct<a:int,b:string>>", "array<struct<a:double,b:string,c:date>>", func(t *rapid.T) (any, any) {
			v := small.Draw(t, "v")
			return list(nil, parquetfiletest.Struct{v, "b"}, parquetfiletest.Struct{nil, nil}),
				list(nil, parquetfiletest.Struct{float64(v), "b", nil}, parquetfiletest.Struct{nil, nil, nil})
		}},
		{"new", "", "struct<x:string>", func(*rapid.T) (any, any) { return nil, nil }},
		{"foreign", "map<string,float>", "", func(t *rapid.T) (any, any) {
			v := parquetfiletest.Map{{Key: "k", Value: float64(rapid.Float32().Draw(t, "v"))}}
			return v, v
		}},
	}
}

// TestReshape compares with a file of the same rows that is written at once.
func TestReshape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(1, 40).Draw(t, "rows")
		var from, to frame
		var foreign []growing
		deleted := rapid.SliceOf(rapid.Int64Range(0, int64(rows-1))).Draw(t, "deleted")
		kept := map[string]int64{}
		shape := Shape{}
		for _, g := range append(growings(), growing{sourceColumn, "string", "string", func(t *rapid.T) (any, any) {
			v := any(source(rapid.IntRange(0, 2).Draw(t, "object")))
			return v, v
		}}) {
			var a, b []any
			for row := range rows {
				x, y := g.draw(t)
				if rapid.IntRange(0, 4).Draw(t, "null") == 0 {
					x, y = nil, nil
				}
				a = append(a, x)
				if slices.Contains(deleted, int64(row)) {
					continue
				}
				if b = append(b, y); g.name == sourceColumn {
					text, _ := y.(string)
					kept[text]++
				}
			}
			if g.from != "" {
				from.schema.Fields = append(from.schema.Fields, nullable(g.name, typeOf(t, g.from)))
				from.values = append(from.values, a)
			}
			f := nullable(g.name, nil)
			if g.to == "" {
				foreign = append(foreign, g)
				f.Type = typeOf(t, g.from)
			} else {
				f.Type = typeOf(t, g.to)
				shape.Schema.Fields = append(shape.Schema.Fields, f)
			}
			to.schema.Fields, to.values = append(to.schema.Fields, f), append(to.values, b)
		}
		s := memory.New(nil)
		o := Options{Options: parquetfile.Options{RowGroupBytes: 500}}
		from.write(t, s, "old", o, 7)
		got, err := Reshape(context.Background(), s, "old", deleted, shape, Options{Name: func() string { return "new" }})
		must(t, err)
		if len(to.values[0]) == 0 {
			if got.File != nil || len(s.Keys()) != 1 {
				t.Fatalf("%+v of no rows", got.File)
			}
			return
		}
		names, found := content(t, s, "new")
		if want := to.wants(); !maps.EqualFunc(found, want, slices.Equal) {
			t.Fatalf("found %v\nwant  %v", found, want)
		}
		if last := names[len(names)-1]; last != foreign[0].name {
			t.Fatalf("columns %v, want %s last", names, foreign[0].name)
		}
		if !maps.Equal(got.Kept, kept) || got.Deleted != int64(rows-len(to.values[0])) || got.Dropped != 0 {
			t.Fatalf("%+v, want %v kept", got, kept)
		}
		i := slices.IndexFunc(to.schema.Fields, func(f schema.Field) bool { return f.Name == foreign[0].name })
		f, v := to.schema.Fields[i], to.values[i]
		to.schema.Fields = append(slices.Delete(to.schema.Fields, i, i+1), f)
		to.values = append(slices.Delete(to.values, i, i+1), v)
		want := to.write(t, s, "at once", Options{}, rows)
		if f := got.File; f.Stats != want.Stats || f.Rows != want.Rows || f.Parts != nil || f.Path != "new" {
			t.Fatalf("file %+v, want %+v", f, want)
		}
	})
}

// fixture is a file of two columns that become one, and what stands beside them.
func fixture() *frame {
	nested := schema.Struct{Fields: []schema.Field{nullable("a", schema.Integer), nullable("theirs", schema.TimestampNTZ)}}
	group := func(v ...any) parquetfiletest.Struct { return v }
	return &frame{
		schema: schema.Struct{Fields: []schema.Field{
			nullable("old name", schema.Integer), nullable("name", schema.Long), nullable("wall", schema.TimestampNTZ),
			nullable("s", nested), nullable("code", schema.String),
		}},
		values: [][]any{
			{int64(1), nil, int64(3), nil},
			{nil, int64(2), int64(3), nil},
			{int64(5), nil, int64(6), int64(7)},
			{group(int64(1), int64(9)), nil, group(nil, nil), group(int64(2), int64(8))},
			{"1", "2.0", nil, "007"},
		},
	}
}

func reshape(t *testing.T, f *frame, s *memory.Store, to Shape) (Rewritten, error) {
	t.Helper()
	f.write(t, s, "old", Options{Options: parquetfile.Options{RowGroupBytes: 50}}, 3)
	return Reshape(t.Context(), s, "old", []int64{1}, to, Options{Name: func() string { return "new" }})
}

// TestReshapeMerges: one column takes the values of another; what the schema does
// not know stays, wall clocks among it, and parts of structs.
func TestReshapeMerges(t *testing.T) {
	s := memory.New(nil)
	got, err := reshape(t, fixture(), s, Shape{
		Schema: schema.Struct{Fields: []schema.Field{
			nullable("Name", schema.Double), nullable("s", typeOf(t, "struct<A:bigint>")),
		}},
		Merged: map[string][]string{"Name": {"OLD name", "never there"}},
	})
	must(t, err)
	if got.Kept != nil || got.Deleted != 1 || got.File.Rows != 3 {
		t.Errorf("%+v", got)
	}
	obj, err := s.Open(t.Context(), "new")
	must(t, err)
	f, err := parquetfile.Open(obj, obj.Info().Size)
	must(t, err)
	if got := fmt.Sprint(f.Walls()); got != "[false false true true false]" {
		t.Errorf("wall clocks %s", got)
	}
	_, found := content(t, s, "new")
	group := func(v ...any) parquetfiletest.Struct { return v }
	want := (&frame{
		schema: schema.Struct{Fields: []schema.Field{
			nullable("Name", schema.Double), nullable("s", typeOf(t, "struct<A:bigint,theirs:timestamp>")),
			nullable("wall", schema.Timestamp), nullable("code", schema.String),
		}},
		values: [][]any{
			{1.0, 3.0, nil},
			{group(int64(1), int64(9)), group(nil, nil), group(int64(2), int64(8))},
			{int64(5), int64(6), int64(7)},
			{"1", nil, "007"},
		},
	}).wants()
	if !maps.EqualFunc(found, want, slices.Equal) {
		t.Errorf("found %v\nwant  %v", found, want)
	}
}

// TestReshapeRefuses names the file, the row in it and the column, and leaves
// nothing behind.
func TestReshapeRefuses(t *testing.T) {
	differ := fixture()
	differ.values[1][2] = int64(4)
	deep := fixture()
	deep.values[3][2] = parquetfiletest.Struct{int64(1000), nil}
	for _, c := range []struct {
		name  string
		frame *frame
		to    Shape
		code  diag.Code
		want  string
	}{
		{"misfit", fixture(), Shape{Schema: schema.Struct{Fields: []schema.Field{nullable("Code", schema.Long)}}}, diag.ValueMisfit, `old:record 4: code: found "007", want bigint`},
		{"nested", deep, Shape{Schema: schema.Struct{Fields: []schema.Field{nullable("s", typeOf(t, "struct<a:tinyint>"))}}}, diag.ValueMisfit, `old:record 3: s.a: found a value that it does not hold, want tinyint`},
		{"two values", differ, Shape{
			Schema: schema.Struct{Fields: []schema.Field{nullable("name", schema.Long)}},
			Merged: map[string][]string{"name": {"old name"}},
		}, diag.ValueMisfit, `old:record 3: name: found another value in "old name", want one value for both columns`},
		{"null", fixture(), Shape{Schema: schema.Struct{Fields: []schema.Field{{Name: "code", Type: schema.String}}}}, diag.Constraint, `old:record 3: code: found null, but the column is NOT NULL`},
		{"new and not null", fixture(), Shape{Schema: schema.Struct{Fields: []schema.Field{{Name: "b", Type: schema.String}}}}, diag.Constraint, `old:record 1: b: found null, but the column is NOT NULL`},
	} {
		s := memory.New(nil)
		_, err := reshape(t, c.frame, s, c.to)
		if diag.CodeOf(err) != c.code || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
		if keys := s.Keys(); len(keys) != 1 {
			t.Errorf("%s: left %v", c.name, keys)
		}
	}
	if _, err := reshape(t, fixture(), memory.New(nil), Shape{
		Schema: schema.Struct{Fields: []schema.Field{nullable("name", schema.Long), nullable("code", schema.String)}},
		Merged: map[string][]string{"name": {"code"}},
	}); err == nil || diag.CodeOf(err) != "" {
		t.Errorf("a column that becomes two: %v", err)
	}
}

// TestMerge compares values of every form: the same ones are one, others are told.
func TestMerge(t *testing.T) {
	list := func(v ...any) parquetfiletest.List { return v }
	wide := func(low uint64) value.Int128 { return value.Int128{Low: low} }
	for _, c := range []struct {
		ddl  string
		a, b any
	}{
		{"string", "a", "b"},
		{"bigint", int64(1), int64(2)},
		{"double", 0.0, math.Copysign(0, -1)},
		{"boolean", true, false},
		{"decimal(30,0)", wide(1), wide(2)},
		{"array<bigint>", list(int64(1)), list(int64(1), int64(2))},
		{"array<array<bigint>>", list(list(int64(1), int64(2))), list(list(int64(1)), list(int64(2)))},
		{"array<bigint>", list(nil), list()},
		{"struct<a:double,b:string>", parquetfiletest.Struct{math.NaN(), nil}, parquetfiletest.Struct{nil, nil}},
	} {
		typ := typeOf(t, c.ddl)
		of := func(v ...any) column.Column { return parquetfiletest.Column(typ, true, v) }
		got, row := merge(of(nil, c.a, c.a, nil), of(c.b, nil, c.a, nil), 4)
		if want := spell(of(c.b, c.a, c.a, nil), 4); row >= 0 || !slices.Equal(spell(got, 4), want) {
			t.Errorf("%s: row %d, found %v, want %v", c.ddl, row, spell(got, 4), want)
		}
		if _, row := merge(of(nil, c.a, c.a), of(nil, c.a, c.b), 3); row != 2 {
			t.Errorf("%s: row %d, want 2", c.ddl, row)
		}
	}
}

// TestReshapeOthersFiles: what other tools write is kept, or refused.
func TestReshapeOthersFiles(t *testing.T) {
	wall := arrow.Field{Name: "at", Type: &arrow.TimestampType{Unit: arrow.Microsecond}, Nullable: true}
	nanos := arrow.Field{Name: "at", Type: &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}, Nullable: true}
	instants := Shape{Schema: schema.Struct{Fields: []schema.Field{nullable("at", schema.Timestamp)}}}
	for name, c := range map[string]struct {
		fields []arrow.Field
		rows   string
		code   diag.Code
		want   string
	}{
		"wall clocks of a column of instants": {[]arrow.Field{wall}, `[{"at": "2026-11-30 10:00:00"}]`, "", ""},
		"whole microseconds":                  {[]arrow.Field{nanos}, `[{"at": 1000}]`, "", ""},
		"nanoseconds":                         {[]arrow.Field{nanos}, `[{"at": null}, {"at": 1001}]`, diag.ValueMisfit, "old:record 2: at: found times with nanoseconds (1)"},
		"one name twice":                      {[]arrow.Field{wall, {Name: "AT", Type: arrow.BinaryTypes.String, Nullable: true}}, `[{"at": null, "AT": "x"}]`, diag.FileUnreadable, `found two columns named "AT"`},
	} {
		s := memory.New(nil)
		foreign(t, s, c.fields, c.rows)
		got, err := Reshape(t.Context(), s, "old", nil, instants, Options{Name: func() string { return "new" }})
		if diag.CodeOf(err) != c.code || c.want != "" && !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && (got.File.Rows != 1 || got.Kept != nil) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestReshapeNotNull keeps a column that takes no null as such.
func TestReshapeNotNull(t *testing.T) {
	s := memory.New(nil)
	got, err := reshape(t, fixture(), s, Shape{Schema: schema.Struct{Fields: []schema.Field{{Name: "wall", Type: schema.TimestampNTZ}}}})
	must(t, err)
	obj, err := s.Open(t.Context(), got.File.Path)
	must(t, err)
	sc, err := parquetfile.Schema(obj, obj.Info().Size)
	must(t, err)
	if sc.Field(0).Nullable || sc.Field(0).Name != "wall" || !sc.Field(1).Nullable {
		t.Errorf("schema %v", sc)
	}
}

// TestReshapeSurvivesFaults fails every call to the store in turn.
func TestReshapeSurvivesFaults(t *testing.T) {
	to := Shape{Schema: schema.Struct{Fields: []schema.Field{nullable("old name", schema.Long)}}}
	for i := 0; ; i++ {
		m := memory.New(nil)
		fixture().write(t, m, "old", Options{}, 3)
		s := fault.New(m, fault.Plan{At: i, Kind: fault.Fail, Err: store.ErrFull, Fine: true})
		got, err := Reshape(t.Context(), s, "old", nil, to, Options{Name: func() string { return "new" }})
		if !s.Struck() {
			if must(t, err); got.File == nil || i < 6 {
				t.Errorf("%+v after %d calls", got, i)
			}
			return
		}
		if !errors.Is(err, store.ErrFull) || diag.CodeOf(err) != "" || m.Pending() != 0 || len(m.Keys()) != 1 {
			t.Errorf("call %d: %v, %d uploads left open, %v", i, err, m.Pending(), m.Keys())
		}
	}
}
