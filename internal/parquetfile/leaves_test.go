package parquetfile

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/parquetfile/form"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// pair is array<struct<a: bigint, b: string>>.
var pair = schema.Array{ContainsNull: true, Element: schema.Struct{Fields: []schema.Field{
	{Name: "a", Type: schema.Long, Nullable: true}, {Name: "b", Type: schema.String, Nullable: true},
}}}

func textOf(values ...string) *column.Text {
	var t column.Text
	for _, v := range values {
		t.AppendValue([]byte(v))
	}
	return &t
}

// TestLeavesRefused hands over leaves that are no two rows of their type.
func TestLeavesRefused(t *testing.T) {
	nulls := textOf("x")
	nulls.AppendNull()
	long := []column.Leaf{{Ints: []int64{1, 2}}}
	// Two rows: [{1, "x"}, {null, null}] and [].
	a := column.Leaf{Ints: []int64{1}, Defs: []uint8{4, 3, 1}, Reps: []uint8{0, 1, 0}}
	b := column.Leaf{Text: textOf("x"), Defs: []uint8{4, 3, 1}, Reps: []uint8{0, 1, 0}}
	for name, c := range map[string]struct {
		t      schema.Type
		strict bool
		leaves []column.Leaf
		want   string // "" for none
	}{
		"right":                   {pair, false, []column.Leaf{a, b}, ""},
		"too few leaves":          {pair, false, []column.Leaf{a}, "1 leaves, want 2"},
		"another kind":            {schema.Double, false, long, form.ErrForm.Error()},
		"two kinds":               {schema.Long, false, []column.Leaf{{Ints: []int64{1, 2}, Bools: []bool{true}}}, form.ErrForm.Error()},
		"too few rows":            {schema.Long, false, []column.Leaf{{Ints: []int64{1}}}, "1 values for 2 rows"},
		"too many rows":           {schema.Long, false, []column.Leaf{{Ints: []int64{1, 2, 3}}}, "3 values for 2 rows"},
		"null in NOT NULL":        {schema.Long, true, []column.Leaf{{Ints: []int64{1}}}, "NOT NULL"},
		"fewer values":            {schema.Long, false, []column.Leaf{{Ints: []int64{1}, Defs: []uint8{1, 1}}}, "1 values, the levels say 2"},
		"more values":             {schema.Long, false, []column.Leaf{{Ints: []int64{1, 2}, Defs: []uint8{1, 0}}}, "2 values, the levels say 1"},
		"definition level":        {schema.Long, false, []column.Leaf{{Ints: []int64{1}, Defs: []uint8{1, 2}}}, "definition level 2, want up to 1"},
		"repetition of a scalar":  {schema.Long, false, []column.Leaf{{Ints: []int64{1, 2}, Reps: []uint8{0, 0}}}, form.ErrLevels.Error()},
		"no repetition":           {pair, false, []column.Leaf{{Ints: []int64{1}, Defs: []uint8{4, 3}}, b}, form.ErrLevels.Error()},
		"begins within a row":     {pair, false, []column.Leaf{with(a, nil, []uint8{1, 1, 0}), b}, form.ErrLevels.Error()},
		"repetition level":        {pair, false, []column.Leaf{with(a, nil, []uint8{0, 2, 0}), b}, form.ErrLevels.Error()},
		"three rows":              {pair, false, []column.Leaf{with(a, nil, []uint8{0, 0, 0}), b}, "levels of 3 rows, want 2"},
		"nothing goes on":         {pair, false, []column.Leaf{with(a, nil, []uint8{0, 0, 1}), b}, form.ErrLevels.Error()},
		"siblings of other rows":  {pair, false, []column.Leaf{a, with(b, []uint8{4, 1, 3}, []uint8{0, 0, 0})}, "want 2"},
		"siblings of other depth": {pair, false, []column.Leaf{a, with(b, []uint8{4, 2, 1}, nil)}, form.ErrSiblings.Error()},
		"siblings of other count": {pair, false, []column.Leaf{a, with(b, []uint8{4, 1}, []uint8{0, 0})}, form.ErrSiblings.Error()},
		"null text":               {schema.String, false, []column.Leaf{{Text: nulls}}, form.ErrNullValue.Error()},
		"Latin-1":                 {schema.String, false, []column.Leaf{{Text: textOf("a", "caf\xe9")}}, form.ErrNotText.Error()},
		"bytes":                   {schema.Binary, false, []column.Leaf{{Text: textOf("a", "caf\xe9")}}, ""},
		"byte":                    {schema.Byte, false, []column.Leaf{{Ints: []int64{0, 128}}}, "not all of type tinyint"},
		"short":                   {schema.Short, false, []column.Leaf{{Ints: []int64{0, -32769}}}, "not all of type smallint"},
		"date":                    {schema.Date, false, []column.Leaf{{Ints: []int64{0, math.MaxInt64}}}, "not all of type date"},
		"decimal":                 {schema.Decimal{Precision: 2}, false, []column.Leaf{{Ints: []int64{99, 100}}}, "not all of type decimal(2,0)"},
		"wide":                    {schema.Decimal{Precision: 19}, false, []column.Leaf{{Wide: []value.Int128{{}, {Low: 1e19}}}}, "more digits"},
		"float":                   {schema.Float, false, []column.Leaf{{Floats: []float64{1, 0.1}}}, "value 0.1 is not of type float"},
	} {
		t.Run(name, func(t *testing.T) {
			w, err := NewWriter(&bytes.Buffer{}, schema.Struct{Fields: []schema.Field{{Name: "v", Type: c.t, Nullable: !c.strict}}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			err = w.Write(column.Batch{Rows: 2, Columns: []column.Column{{Type: c.t, Leaves: c.leaves}}})
			if err == nil && c.want != "" || err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("found %v, want %q", err, c.want)
			}
			if c.want == "NOT NULL" && diag.CodeOf(err) != diag.Constraint {
				t.Errorf("found %v, want the code %s", err, diag.Constraint)
			}
		})
	}
}

// with replaces levels.
func with(l column.Leaf, defs, reps []uint8) column.Leaf {
	if defs != nil {
		l.Defs = defs
	}
	if reps != nil {
		l.Reps = reps
	}
	return l
}

// TestTypesRefused asks for files of types that cannot be stored.
func TestTypesRefused(t *testing.T) {
	deep := func(n int) schema.Type {
		t := schema.Type(schema.Long)
		for range n {
			t = schema.Array{Element: t, ContainsNull: true}
		}
		return t
	}
	for _, c := range []struct {
		t    schema.Type
		want error
	}{
		{schema.Array{Element: schema.Struct{}}, form.ErrNoFields},
		{deep(128), form.ErrTooDeep},
		{schema.Map{Key: schema.String, Value: deep(127)}, form.ErrTooDeep},
		{schema.Unknown, nil},
		{schema.Decimal{Precision: 39}, nil},
		{schema.Decimal{Precision: 3, Scale: 4}, nil},
		{nil, nil},
	} {
		_, err := NewWriter(&bytes.Buffer{}, schema.Struct{Fields: []schema.Field{{Name: "v", Type: c.t, Nullable: true}}}, Options{})
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("type %.80v: %v, want %v", c.t, err, c.want)
		}
	}
	rows := []any{nil, parquetfiletest.List{}}
	v := any(int64(5))
	for range 127 {
		v = parquetfiletest.List{v, nil}
	}
	rows = append(rows, v)
	f := schema.Field{Name: "v", Type: deep(127), Nullable: true}
	var buf bytes.Buffer
	w, err := NewWriter(&buf, schema.Struct{Fields: []schema.Field{f}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := column.Batch{Rows: len(rows), Columns: []column.Column{parquetfiletest.Column(f.Type, true, rows)}}
	if err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if footer, err := w.Close(); err != nil || footer.Rows != 3 {
		t.Errorf("%d rows: %v", footer.Rows, err)
	}
}

// TestConstants writes constants of every type that has some.
func TestConstants(t *testing.T) {
	b := column.Batch{Rows: 3}
	var s schema.Struct
	for _, c := range []struct {
		t     schema.Type
		v     any
		wrong any
	}{
		{schema.Boolean, true, int64(1)},
		{schema.Byte, int64(-128), int64(128)},
		{schema.Short, int64(7), int64(40000)},
		{schema.Integer, int64(8), int64(1 << 31)},
		{schema.Float, 0.5, 0.1},
		{schema.Double, 0.1, int64(1)},
		{schema.Decimal{Precision: 3, Scale: 1}, int64(-999), int64(1000)},
		{schema.Date, int64(19000), "2022-01-08"},
		{schema.TimestampNTZ, int64(1), 1.5},
		{schema.Array{Element: schema.Long}, nil, int64(1)},
		{schema.Decimal{Precision: 20}, nil, int64(1)},
	} {
		f := schema.Field{Name: c.t.String(), Type: c.t, Nullable: true}
		s.Fields = append(s.Fields, f)
		b.Columns = append(b.Columns, column.Column{Type: c.t, Constant: c.v})
		w, err := NewWriter(&bytes.Buffer{}, schema.Struct{Fields: []schema.Field{f}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(column.Batch{Rows: 1, Columns: []column.Column{{Type: c.t, Constant: c.wrong}}}); err == nil {
			t.Errorf("%v is a constant of type %v", c.wrong, c.t)
		}
	}
	var buf bytes.Buffer
	w, err := NewWriter(&buf, s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	footer, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	for rec, err := range Read(t.Context(), bytes.NewReader(buf.Bytes()), footer.Size, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if rec.NumRows() != 3 {
			t.Fatalf("%d rows: %v", rec.NumRows(), err)
		}
		for i, f := range s.Fields {
			for row := range 3 {
				if got := spelled(rec.Column(i), row, f.Type); !sameValues(got, b.Columns[i].Constant) {
					t.Errorf("%v: found %v, want %v", f.Type, got, b.Columns[i].Constant)
				}
			}
		}
	}
}
