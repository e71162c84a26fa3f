package verbatim_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
)

// decodedEvidence is what looking at every value finds.
func decodedEvidence(data []byte) ([]column.FieldEvidence, error) {
	f, err := parquetfile.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	var types []schema.Type
	var header []string
	for _, field := range f.Fields() {
		types, header = append(types, field.Type), append(header, field.Name)
	}
	o := column.NewTypedObserver(types)
	row := int64(0)
	for b, err := range f.Batches(context.Background()) {
		if err != nil {
			return nil, err
		}
		slab := column.Slab{Columns: b.Columns}
		for range b.Rows {
			row++
			slab.Records = append(slab.Records, row)
		}
		o.Add(&slab)
	}
	e := o.Evidence(header)
	return e.Fields, nil
}

// claims tells whether a footer claims more than decoding found, which it must not.
func claims(footer, decoded *column.Evidence) error {
	if len(footer.Types) != len(decoded.Types) || len(footer.Fields) != len(decoded.Fields) ||
		(footer.Element == nil) != (decoded.Element == nil) || (footer.Key == nil) != (decoded.Key == nil) {
		return fmt.Errorf("shape %+v, want %+v", footer, decoded)
	}
	for i := range footer.Types {
		f, d := footer.Types[i], decoded.Types[i]
		if f.Type != d.Type || f.Count < d.Count || f.Whole < d.Whole || f.Scale < d.Scale || f.Inexact < d.Inexact || f.First > d.First && d.Count > 0 {
			return fmt.Errorf("%+v, decoding finds %+v", f, d)
		}
		if f.Unread == 0 {
			f.First = d.First
			if f != d {
				return fmt.Errorf("%+v is sure, decoding finds %+v", f, d)
			}
		}
	}
	if footer.Objects.Count < decoded.Objects.Count || footer.Arrays.Count < decoded.Arrays.Count || footer.Maps.Count < decoded.Maps.Count {
		return fmt.Errorf("%d structs, %d arrays, %d maps, decoding finds %d, %d, %d", footer.Objects.Count, footer.Arrays.Count,
			footer.Maps.Count, decoded.Objects.Count, decoded.Arrays.Count, decoded.Maps.Count)
	}
	for i := range footer.Fields {
		if err := claims(&footer.Fields[i].Evidence, &decoded.Fields[i].Evidence); err != nil {
			return err
		}
	}
	for _, p := range [][2]*column.Evidence{{footer.Element, decoded.Element}, {footer.Key, decoded.Key}} {
		if p[0] == nil {
			continue
		}
		if err := claims(p[0], p[1]); err != nil {
			return err
		}
	}
	return nil
}

// anyNumbers are values near the edges of what is exact.
func anyNumbers(t *rapid.T, s schema.Type) any {
	n := rapid.OneOf(rapid.SampledFrom([]int64{0, 1 << 53, 1<<53 + 1, -1 << 53, -1<<53 - 1, math.MinInt64, math.MaxInt64, 999_999_999_999_999, 1_000_000_000_000_000}), rapid.Int64())
	switch s := s.(type) {
	case schema.Decimal:
		if s.Precision <= 9 {
			return rapid.Int64Range(-999_999_999, 999_999_999).Draw(t, "decimal")
		}
		v := n.Draw(t, "decimal") % 1_000_000_000_000_000_000
		return v
	default:
		if s == schema.Long {
			return n.Draw(t, "long")
		}
	}
	return anyValue(t, s, false)
}

func TestEvidence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(0, 8).Draw(t, "rows")
		var s schema.Struct
		var columns []column.Column
		for i := range rapid.IntRange(1, 4).Draw(t, "columns") {
			of := rapid.SampledFrom(scalars).Draw(t, "type")
			if rapid.IntRange(0, 3).Draw(t, "nested") == 0 {
				of = anyType(t, 2)
			}
			f := schema.Field{Name: fmt.Sprint("c", i), Type: of, Nullable: rapid.Bool().Draw(t, "nullable")}
			values := make([]any, rows)
			for k := range values {
				if f.Nullable && rapid.Bool().Draw(t, "null") {
					continue
				}
				if d, ok := of.(schema.Decimal); ok && d.Precision > 18 {
					values[k] = anyValue(t, of, false)
				} else {
					values[k] = anyNumbers(t, of)
				}
			}
			s.Fields = append(s.Fields, f)
			columns = append(columns, parquetfiletest.Column(f.Type, f.Nullable, values))
		}
		data := written(t, s, columns, rows, parquetfile.Options{RowGroupBytes: rapid.SampledFrom([]int64{1, 0}).Draw(t, "group")})
		decoded, err := decodedEvidence(data)
		if err != nil {
			t.Fatal(err)
		}
		src := open(t, data)
		for i, f := range s.Fields {
			e, ok := src.Evidence(i)
			if !ok {
				t.Fatal("no evidence")
			}
			if err := claims(&e, &decoded[i].Evidence); err != nil {
				t.Errorf("%v: %v", f.Type, err)
			}
			d := decoded[i].Types
			if len(d) == 1 && (f.Type == schema.Long || f.Type == schema.String) && e.Types[0].Unread > 0 && d[0].Inexact == 0 && d[0].Whole < 16 {
				t.Errorf("%v: %+v is not sure, decoding finds %+v", f.Type, e.Types[0], d[0])
			}
			if len(d) == 1 && e.Types[0].Unread == 0 && e.Nulls != decoded[i].Nulls {
				t.Errorf("%v: %d nulls, want %d", f.Type, e.Nulls, decoded[i].Nulls)
			}
		}
	})
}

// What is proven of numbers, by example.
func TestProven(t *testing.T) {
	cases := []struct {
		t      schema.Type
		values []any
		want   column.Declared
	}{
		{schema.Long, []any{int64(-12_345), int64(7)}, column.Declared{Count: 2, Whole: 5}},
		{schema.Long, []any{int64(1<<53 + 1), int64(7)}, column.Declared{Count: 2, Whole: 16, Inexact: 2, Unread: 2}},
		{schema.Decimal{Precision: 10, Scale: 2}, []any{int64(12_345)}, column.Declared{Count: 1, Whole: 3, Scale: 2, Unread: 1}},
		{schema.Decimal{Precision: 9}, []any{int64(12_345)}, column.Declared{Count: 1, Whole: 5}},
		{schema.Double, []any{1.0}, column.Declared{Count: 1, Inexact: 1, Unread: 1}},
		{schema.String, []any{"x", "y"}, column.Declared{Count: 2}},
		{schema.Binary, []any{"x"}, column.Declared{Count: 1, Inexact: 1, Unread: 1}},
	}
	for _, c := range cases {
		s := schema.Struct{Fields: []schema.Field{{Name: "a", Type: c.t, Nullable: true}}}
		data := written(t, s, []column.Column{parquetfiletest.Column(c.t, true, c.values)}, len(c.values), parquetfile.Options{})
		e, _ := open(t, data).Evidence(0)
		c.want.Type, c.want.First = c.t.String(), 1
		if e.Types[0] != c.want {
			t.Errorf("%v: %+v, want %+v", c.t, e.Types[0], c.want)
		}
	}
}
