package verbatim_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/parquetfile/verbatim"
	"landfall/internal/schema"
	"landfall/internal/value"
)

var scalars = []schema.Type{
	schema.Boolean, schema.Byte, schema.Short, schema.Integer, schema.Long, schema.Float, schema.Double,
	schema.String, schema.Binary, schema.Date, schema.Timestamp,
	schema.Decimal{Precision: 9, Scale: 9},
	schema.Decimal{Precision: 18, Scale: 2},
	schema.Decimal{Precision: 38, Scale: 3},
}

func anyType(t *rapid.T, depth int) schema.Type {
	kind := 0
	if depth > 0 {
		kind = rapid.IntRange(0, 4).Draw(t, "kind")
	}
	switch kind {
	case 2:
		return schema.Array{Element: anyType(t, depth-1), ContainsNull: rapid.Bool().Draw(t, "nulls")}
	case 3:
		return schema.Map{Key: rapid.SampledFrom(scalars).Draw(t, "key"), Value: anyType(t, depth-1), ValueContainsNull: rapid.Bool().Draw(t, "nulls")}
	case 4:
		var s schema.Struct
		for i := range rapid.IntRange(1, 3).Draw(t, "fields") {
			s.Fields = append(s.Fields, schema.Field{Name: fmt.Sprint("f", i), Type: anyType(t, depth-1), Nullable: rapid.Bool().Draw(t, "nullable")})
		}
		return s
	}
	return rapid.SampledFrom(scalars).Draw(t, "scalar")
}

func anyValue(t *rapid.T, s schema.Type, nullable bool) any {
	if nullable && rapid.IntRange(0, 3).Draw(t, "null") == 0 {
		return nil
	}
	n := rapid.IntRange(0, 3)
	switch s := s.(type) {
	case schema.Struct:
		out := parquetfiletest.Struct{}
		for _, f := range s.Fields {
			out = append(out, anyValue(t, f.Type, f.Nullable))
		}
		return out
	case schema.Array:
		out := parquetfiletest.List{}
		for range n.Draw(t, "elements") {
			out = append(out, anyValue(t, s.Element, s.ContainsNull))
		}
		return out
	case schema.Map:
		out := parquetfiletest.Map{}
		for range n.Draw(t, "entries") {
			out = append(out, parquetfiletest.Entry{Key: anyValue(t, s.Key, false), Value: anyValue(t, s.Value, s.ValueContainsNull)})
		}
		return out
	case schema.Decimal:
		if s.Precision > 18 {
			return value.Int128{High: rapid.Int64Range(0, 1<<60).Draw(t, "high"), Low: rapid.Uint64().Draw(t, "low")}
		}
		return rapid.Int64Range(-999_999_999, 999_999_999).Draw(t, "decimal")
	}
	switch s {
	case schema.Boolean:
		return rapid.Bool().Draw(t, "bool")
	case schema.Float:
		return float64(rapid.Float32().Draw(t, "float"))
	case schema.Double:
		return rapid.Float64().Draw(t, "double")
	case schema.String, schema.Binary:
		return rapid.String().Draw(t, "text")
	case schema.Byte:
		return rapid.Int64Range(math.MinInt8, math.MaxInt8).Draw(t, "byte")
	case schema.Short:
		return rapid.Int64Range(math.MinInt16, math.MaxInt16).Draw(t, "short")
	case schema.Integer, schema.Date:
		return rapid.Int64Range(math.MinInt32, math.MaxInt32).Draw(t, "int")
	}
	return rapid.Int64().Draw(t, "long")
}

// reversed is the type with the fields of structs backwards, and the way there for
// values.
func reversed(t schema.Type) (schema.Type, func(any) any) {
	null := func(f func(any) any) func(any) any {
		return func(v any) any {
			if v == nil {
				return nil
			}
			return f(v)
		}
	}
	switch t := t.(type) {
	case schema.Struct:
		out := schema.Struct{Fields: slices.Clone(t.Fields)}
		ways := make([]func(any) any, len(t.Fields))
		for i := range out.Fields {
			out.Fields[i].Type, ways[i] = reversed(t.Fields[i].Type)
		}
		slices.Reverse(out.Fields)
		return out, null(func(v any) any {
			from := v.(parquetfiletest.Struct)
			to := make(parquetfiletest.Struct, len(from))
			for i := range from {
				to[len(from)-1-i] = ways[i](from[i])
			}
			return to
		})
	case schema.Array:
		of, way := reversed(t.Element)
		return schema.Array{Element: of, ContainsNull: t.ContainsNull}, null(func(v any) any {
			to := parquetfiletest.List{}
			for _, e := range v.(parquetfiletest.List) {
				to = append(to, way(e))
			}
			return to
		})
	case schema.Map:
		of, way := reversed(t.Value)
		return schema.Map{Key: t.Key, Value: of, ValueContainsNull: t.ValueContainsNull}, null(func(v any) any {
			to := parquetfiletest.Map{}
			for _, e := range v.(parquetfiletest.Map) {
				to = append(to, parquetfiletest.Entry{Key: e.Key, Value: way(e.Value)})
			}
			return to
		})
	}
	return t, asIs
}

// hasWide tells whether decimals are in the type of which our own files have no
// bounds.
func hasWide(t schema.Type) bool {
	for _, l := range column.Leaves(t, true) {
		if d, ok := l.Type.(schema.Decimal); ok && d.Precision > 18 {
			return true
		}
	}
	return false
}

// Columns of any type come out of a copy value for value, under other names and in
// another order.
func TestCopy(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rows := rapid.IntRange(0, 20).Draw(r, "rows")
		var s schema.Struct
		var columns []column.Column
		for i := range rapid.IntRange(1, 4).Draw(r, "columns") {
			f := schema.Field{Name: fmt.Sprint("c", i), Type: anyType(r, 3), Nullable: rapid.Bool().Draw(r, "nullable")}
			values := make([]any, rows)
			for k := range values {
				values[k] = anyValue(r, f.Type, f.Nullable)
			}
			s.Fields = append(s.Fields, f)
			columns = append(columns, parquetfiletest.Column(f.Type, f.Nullable, values))
		}
		data := written(r, s, columns, rows, parquetfile.Options{RowGroupBytes: rapid.SampledFrom([]int64{1, 200, 0}).Draw(r, "group")})
		_, want := rowsOf(r, data)
		src := open(r, data)
		var parts []made
		var from []int
		var ways []func(any) any
		for i := len(s.Fields) - 1; i >= 0; i-- {
			to, way := reversed(s.Fields[i].Type)
			c, err := src.Column(i, schema.Field{Name: "new " + s.Fields[i].Name, Type: to, Nullable: s.Fields[i].Nullable})
			if refusal := new(verbatim.Refusal); errors.As(err, &refusal) && refusal.Reason == verbatim.Bounds && hasWide(to) {
				continue
			}
			if err != nil {
				r.Fatalf("column %d of type %v: %v", i, to, err)
			}
			parts, from, ways = append(parts, copied(c)), append(from, i), append(ways, way)
			row := 0
			for g, n := range src.Groups() {
				checkStats(r, c, g, parquetfiletest.Column(s.Fields[i].Type, true, want[i][row:row+int(n)]), to)
				row += int(n)
			}
		}
		if len(parts) == 0 {
			return
		}
		fields, got := rowsOf(r, fileOf(t, src, parts))
		for n, i := range from {
			if err := same(want[i], got[n], ways[n]); err != nil {
				r.Errorf("column %d of type %v: %v", i, s.Fields[i].Type, err)
			}
			if fields[n].Name != "new "+s.Fields[i].Name {
				r.Errorf("column %d is called %q", i, fields[n].Name)
			}
		}
	})
}

// checkStats compares the statistics of a flat column with its values in a row group.
func checkStats(t *rapid.T, c *verbatim.Column, g int, values column.Column, to schema.Type) {
	if _, nested := to.(schema.Struct); nested || len(values.Leaves) != 1 || len(c.Stats(g)) != 1 {
		return
	}
	st := c.Stats(g)[0]
	l := values.Leaves[0]
	if l.Reps != nil {
		return
	}
	nulls := int64(0)
	for _, d := range l.Defs {
		if d == 0 {
			nulls++
		}
	}
	if st.Nulls != nulls && st.Nulls != -1 {
		t.Errorf("%v: %d nulls in row group %d, want %d", to, st.Nulls, g+1, nulls)
	}
	for _, v := range l.Ints {
		low, ok := st.Min.(int64)
		high, _ := st.Max.(int64)
		if ok && (v < low || v > high) {
			t.Errorf("%v: %d is not in %d..%d", to, v, low, high)
		}
	}
	if len(l.Ints) > 0 && st.Min == nil {
		t.Errorf("%v: no bounds", to)
	}
}
