package column_test

import (
	"slices"
	"testing"

	"landfall/internal/column"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
)

func TestNulls(t *testing.T) {
	text := &column.Text{}
	text.AppendNull()
	text.AppendValue(nil)
	list := schema.Array{Element: schema.Long, ContainsNull: true}
	values := func(t schema.Type, v ...any) column.Column { return parquetfiletest.Column(t, true, v) }
	for name, c := range map[string]struct {
		column column.Column
		want   []bool
	}{
		"nothing":   {column.Column{Type: schema.Long}, []bool{true, true}},
		"one value": {column.Column{Constant: "x"}, []bool{false, false}},
		"text":      {column.Column{Text: text}, []bool{true, false}},
		"values":    {values(schema.Long, int64(1), nil, int64(2)), []bool{false, true, false}},
		"no nulls":  {values(schema.Long, int64(1), int64(2)), []bool{false, false}},
		"lists": {
			values(list, nil, parquetfiletest.List{nil, int64(1)}, parquetfiletest.List{}, nil),
			[]bool{true, false, false, true},
		},
		"structs": {
			values(schema.Struct{Fields: []schema.Field{{Name: "l", Type: list, Nullable: true}}},
				parquetfiletest.Struct{parquetfiletest.List{int64(1), int64(2)}}, nil, parquetfiletest.Struct{nil}),
			[]bool{false, true, false},
		},
	} {
		if got := c.column.Nulls(len(c.want)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
