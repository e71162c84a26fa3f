package recode

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
	"landfall/internal/value"
)

func recoded(t testing.TB, from, to schema.Type, o Options, c column.Column, rows int) (string, []Misfit, *Recoder) {
	t.Helper()
	r, err := New(from, to, o)
	must(t, err)
	out, misfits := r.Recode(c, rows)
	return flat(out, !o.NotNull), misfits, r
}

// TestEveryFormOfColumn gives the same values as leaves, as text, as a constant
// and not at all.
func TestEveryFormOfColumn(t *testing.T) {
	text := &column.Text{}
	text.AppendValue([]byte("12"))
	text.AppendNull()
	text.AppendValue([]byte("x"))
	decimal := schema.Decimal{Precision: 20, Scale: 1}
	deep := schema.Array{Element: schema.Long, ContainsNull: true}
	for _, c := range []struct {
		name     string
		from, to schema.Type
		in       column.Column
		want     []any
		misfits  int
	}{
		{"text", schema.String, schema.Long, column.Column{Text: text}, []any{int64(12), nil, nil}, 1},
		{"bytes", schema.String, schema.Binary, column.Column{Text: text}, []any{"12", nil, "x"}, 0},
		{"constant text", schema.String, schema.Long, column.Column{Constant: "7"}, []any{int64(7), int64(7), int64(7)}, 0},
		{"constant", schema.Long, schema.Byte, column.Column{Constant: int64(300)}, []any{nil, nil, nil}, 3},
		{"constant double", schema.Double, schema.Long, column.Column{Constant: 2.0}, []any{int64(2), int64(2), int64(2)}, 0},
		{"constant boolean", schema.Boolean, schema.String, column.Column{Constant: true}, []any{"true", "true", "true"}, 0},
		{"nothing", schema.Long, decimal, column.Column{}, []any{nil, nil, nil}, 0},
		{"no arrays", deep, schema.Array{Element: schema.String, ContainsNull: true}, column.Column{}, []any{nil, nil, nil}, 0},
		{"void", schema.Unknown, deep, column.Column{}, []any{nil, nil, nil}, 0},
	} {
		got, misfits, _ := recoded(t, c.from, c.to, Options{}, c.in, 3)
		if want := flat(parquetfiletest.Column(c.to, true, c.want), true); got != want || len(misfits) != c.misfits {
			t.Errorf("%s: misfits %v\nfound %s\nwant  %s", c.name, misfits, got, want)
		}
	}
}

// TestEdges is where one value fits and the next does not.
func TestEdges(t *testing.T) {
	short, wide := schema.Decimal{Precision: 3, Scale: 1}, schema.Decimal{Precision: 38}
	for _, c := range []struct {
		from, to schema.Type
		in, want any
	}{
		{schema.String, schema.Timestamp, "2026-11-30T10:00:00.1234567Z", nil},
		{schema.String, schema.Timestamp, "1970-01-01T00:00:00.1234560Z", int64(123456)},
		{schema.String, schema.TimestampNTZ, "1970-01-01T00:00:00.1234567", nil},
		{schema.String, schema.TimestampNTZ, "1970-01-01T00:00:00Z", nil},
		{schema.String, schema.Long, "007", nil},
		{schema.Timestamp, schema.TimestampNTZ, int64(0), nil},
		{schema.Long, schema.Integer, int64(1 << 31), nil},
		{schema.Long, schema.Integer, int64(-1 << 31), int64(-1 << 31)},
		{schema.Long, schema.Double, int64(1<<53 + 1), nil},
		{schema.Long, schema.Double, int64(math.MaxInt64), nil},
		{schema.Long, schema.Double, int64(math.MinInt64), float64(math.MinInt64)},
		{schema.Long, short, int64(99), int64(990)},
		{schema.Long, short, int64(100), nil},
		{schema.Double, short, 0.5, int64(5)},
		{schema.Double, short, 0.1, int64(1)},
		{schema.Double, short, -99.9, int64(-999)},
		{schema.Double, short, 0.25, nil},
		{schema.Double, short, 100.1, nil},
		{schema.Double, short, 0.30000000000000004, nil},
		{schema.Float, short, float64(float32(0.1)), int64(1)},
		{schema.Double, short, float64(float32(0.1)), nil},
		{schema.Double, schema.Decimal{Precision: 38, Scale: 38}, 5e-38, value.Int128{Low: 5}},
		{schema.Double, schema.Decimal{Precision: 38, Scale: 38}, 5e-324, nil},
		{schema.Double, short, math.Copysign(0, -1), nil},
		{schema.Double, short, math.NaN(), nil},
		{schema.Double, short, math.Inf(1), nil},
		{schema.Double, schema.Long, 0.5, nil},
		{schema.Double, schema.Long, float64(1 << 63), nil},
		{schema.Double, schema.Long, math.Copysign(0, -1), nil},
		{schema.Double, wide, float64(1 << 100), value.Int128{High: 1 << 36}},
		{schema.Double, wide, 1e38, nil},
		{schema.Double, schema.Float, 0.1, nil},
		{short, schema.Double, int64(999), 99.9},
		{short, schema.Long, int64(990), int64(99)},
		{short, schema.Long, int64(999), nil},
		{schema.Boolean, schema.Long, true, nil},
		{schema.Binary, schema.String, "\xff", nil},
		{schema.Date, schema.Timestamp, int64(-1), int64(-microsPerDay)},
		{schema.Date, schema.Timestamp, int64(200_000_000), nil},
		{schema.Timestamp, schema.Date, int64(-1), nil},
	} {
		got, misfits, _ := recoded(t, c.from, c.to, Options{}, parquetfiletest.Column(c.from, true, []any{c.in}), 1)
		want := flat(parquetfiletest.Column(c.to, true, []any{c.want}), true)
		if got != want || (len(misfits) == 1) != (c.want == nil) {
			t.Errorf("%v %v: misfits %v\nfound %s\nwant  %s", c.from, c.in, misfits, got, want)
		}
	}
}

// TestClocks: an instant becomes what clocks of the zone show then, where asked for.
func TestClocks(t *testing.T) {
	oslo, err := time.LoadLocation("Europe/Oslo")
	must(t, err)
	const hour = 3_600_000_000
	summer, winter := int64(1_774_746_000_000_000), int64(1_792_890_000_000_000) // 2026-03-29 and 2026-10-25, 01:00 UTC
	structs := func(t schema.Type) schema.Type {
		return schema.Struct{Fields: []schema.Field{{Name: "l", Nullable: true, Type: schema.Array{Element: t, ContainsNull: true}}}}
	}
	maps := func(t schema.Type) schema.Type { return schema.Map{Key: t, Value: t} }
	clock, instant := schema.TimestampNTZ, schema.Timestamp
	for name, c := range map[string]struct {
		from, to schema.Type
		zone     *time.Location
		in, want any
	}{
		"UTC":              {instant, clock, nil, int64(-1), int64(-1)},
		"before summer":    {instant, clock, oslo, summer - 1, summer + hour - 1},
		"summer":           {instant, clock, oslo, summer, summer + 2*hour},
		"first of two":     {instant, clock, oslo, winter - 1, winter + 2*hour - 1},
		"second of two":    {instant, clock, oslo, winter, winter + hour},
		"no room":          {instant, clock, oslo, int64(math.MaxInt64), nil},
		"not the way back": {clock, instant, nil, int64(1), nil},
		"within":           {structs(instant), structs(clock), oslo, group{list{nil, int64(0)}}, group{list{nil, int64(hour)}}},
		"keys":             {maps(instant), maps(clock), nil, pairs{{Key: int64(0), Value: int64(0)}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Clocks: true, Forms: &value.Forms{Zone: c.zone}}
			got, misfits, _ := recoded(t, c.from, c.to, o, parquetfiletest.Column(c.from, true, []any{c.in}), 1)
			want := flat(parquetfiletest.Column(c.to, true, []any{c.want}), true)
			if got != want || (len(misfits) == 1) != (c.want == nil) {
				t.Errorf("misfits %v\nfound %s\nwant  %s", misfits, got, want)
			}
		})
	}
}

// TestOrderOfFields: fields of the same types in another order are not the same.
func TestOrderOfFields(t *testing.T) {
	from, to := mustParse(t, "struct<a:bigint,b:bigint>"), mustParse(t, "struct<b:bigint,a:bigint>")
	got, _, _ := recoded(t, from, to, Options{}, parquetfiletest.Column(from, true, []any{group{int64(1), int64(2)}}), 1)
	if want := flat(parquetfiletest.Column(to, true, []any{group{int64(2), int64(1)}}), true); got != want {
		t.Errorf("found %s, want %s", got, want)
	}
}

// TestSameFormIsHandedThrough: nothing is copied where nothing changes.
func TestSameFormIsHandedThrough(t *testing.T) {
	typ := func(of schema.Type, name string) schema.Type {
		return schema.Array{ContainsNull: true, Element: schema.Struct{Fields: []schema.Field{
			{Name: name, Type: of, Nullable: true}, {Name: "t", Type: schema.String, Nullable: true},
		}}}
	}
	in := parquetfiletest.Column(typ(schema.Integer, "n"), true, []any{list{group{int64(1), "x"}, nil}, nil})
	r, err := New(in.Type, typ(schema.Long, "N"), Options{})
	must(t, err)
	out, misfits := r.Recode(in, 2)
	if &out.Leaves[0] != &in.Leaves[0] || len(misfits) > 0 || out.Type.String() != "array<struct<N:bigint,t:string>>" {
		t.Errorf("found %v, misfits %v", out, misfits)
	}
	constant := column.Column{Type: schema.Long, Constant: int64(1)}
	r, err = New(schema.Long, schema.Long, Options{})
	must(t, err)
	if out, _ := r.Recode(constant, 9); out.Constant != int64(1) || out.Leaves != nil {
		t.Errorf("the constant became %v", out)
	}
}

// TestNotNull: what the target must have is there, and the row is named.
func TestNotNull(t *testing.T) {
	from := schema.Struct{Fields: []schema.Field{{Name: "a", Type: schema.Long, Nullable: true}}}
	to := schema.Struct{Fields: []schema.Field{
		{Name: "a", Type: schema.Integer},
		{Name: "l", Nullable: true, Type: schema.Array{Element: schema.Long}},
	}}
	in := parquetfiletest.Column(from, true, []any{group{int64(1)}, nil, group{nil}, group{int64(1 << 40)}})
	got, misfits, _ := recoded(t, from, to, Options{NotNull: true}, in, 4)
	blank := group{int64(0), nil}
	want := flat(parquetfiletest.Column(to, false, []any{group{int64(1), nil}, blank, blank, blank}), false)
	if got != want || fmt.Sprint(rowsOf(misfits)) != "[1 2 3]" {
		t.Errorf("misfits %v\nfound %s\nwant  %s", misfits, got, want)
	}
	rapid.Check(t, func(rt *rapid.T) {
		from, to := drawType(rt, 2), drawType(rt, 2)
		rows := []any{drawValue(rt, from, true), drawValue(rt, from, true)}
		r, err := New(from, to, Options{NotNull: true})
		must(t, err)
		out, misfits := r.Recode(parquetfiletest.Column(from, true, rows), 2)
		if to == schema.Type(schema.Unknown) {
			return // has no values at all
		}
		for row, v := range rows {
			w, paths := convert(from, to, v, nil)
			if (w == nil || len(paths) > 0) != (len(pathsOf(misfits, row)) > 0) {
				rt.Fatalf("row %v to %v: misfits %v, want those of %v", v, to, misfits, w)
			}
			rows[row] = w
		}
		if rows[0] == nil || rows[1] == nil {
			return
		}
		if got, want := flat(out, false), flat(parquetfiletest.Column(to, false, rows), false); got != want {
			rt.Fatalf("found %s\nwant  %s", got, want)
		}
	})
}

func rowsOf(misfits []Misfit) (out []int) {
	for _, m := range misfits {
		out = append(out, m.Row)
	}
	return out
}

// TestFieldsMatch: by original names, or as the caller says; what is left over is
// named wherever it is.
func TestFieldsMatch(t *testing.T) {
	field := func(name string, t schema.Type) schema.Field {
		return schema.Field{Name: name, Type: t, Nullable: true}
	}
	from := schema.Array{ContainsNull: true, Element: schema.Struct{Fields: []schema.Field{
		field("Ship Region", schema.Integer), field("x", schema.String), field("in", schema.Struct{Fields: []schema.Field{
			field("y", schema.Long), field("z", schema.Array{Element: schema.Long, ContainsNull: true}),
		}}),
	}}}
	to := schema.Array{ContainsNull: true, Element: schema.Struct{Fields: []schema.Field{
		field("in", schema.Struct{Fields: []schema.Field{field("Y", schema.String)}}),
		field("ship_region", schema.Long).WithOriginal("ship region", 0),
	}}}
	rows := []any{list{group{int64(4), "x", group{int64(5), list{int64(6), int64(7)}}}, nil}, nil, list{}}
	in := parquetfiletest.Column(from, true, rows)
	got, misfits, r := recoded(t, from, to, Options{}, in, 3)
	want := flat(parquetfiletest.Column(to, true, []any{list{group{group{"5"}, int64(4)}, nil}, nil, list{}}), true)
	if got != want || len(misfits) > 0 {
		t.Errorf("misfits %v\nfound %s\nwant  %s", misfits, got, want)
	}
	if got := fmt.Sprint(r.Unmatched()); got != "[element.in.z element.x]" {
		t.Errorf("unmatched %s", got)
	}
	second := func(from schema.Struct, f schema.Field) int { return len(from.Fields) - 1 }
	_, _, r = recoded(t, from, to, Options{Match: second}, in, 3)
	if got := fmt.Sprint(r.Unmatched()); got != "[element.in.y element.`Ship Region` element.x]" {
		t.Errorf("unmatched %s", got)
	}
}

func TestMisfitSaysWhere(t *testing.T) {
	from, to := mustParse(t, "struct<A:struct<n:bigint,l:array<map<string,double>>>>"),
		mustParse(t, "struct<a:struct<n:tinyint,l:array<map<string,int>>>>")
	rows := []any{
		group{group{int64(1), list{pairs{{Key: "k", Value: 1.0}}}}},
		group{group{int64(999), list{pairs{{Key: "k", Value: 1.0}, {Key: "j", Value: 0.5}}, nil}}},
	}
	_, misfits, _ := recoded(t, from, to, Options{}, parquetfiletest.Column(from, true, rows), 2)
	var text []string
	for _, m := range misfits {
		text = append(text, fmt.Sprintf("%d %v %v", m.Row, m.Path, m.Type))
	}
	if got, want := strings.Join(text, "; "), "1 A.n tinyint; 1 A.l array<map<string,int>>"; got != want {
		t.Errorf("misfits %s, want %s", got, want)
	}
}

func mustParse(t *testing.T, ddl string) schema.Type {
	t.Helper()
	typ, err := schema.ParseDDL(ddl)
	must(t, err)
	return typ
}

func TestNoLeafNoColumn(t *testing.T) {
	if _, err := New(schema.Long, schema.Struct{}, Options{}); err == nil {
		t.Error("a struct without fields is no column")
	}
	typ := mustParse(t, "struct<a:bigint>")
	in := column.Column{Leaves: []column.Leaf{}}
	got, misfits, _ := recoded(t, schema.Struct{}, typ, Options{}, in, 2)
	if want := flat(parquetfiletest.Column(typ, true, []any{nil, nil}), true); got != want || len(misfits) > 0 {
		t.Errorf("found %s, misfits %v", got, misfits)
	}
}
