package reread_test

import (
	"fmt"
	"slices"
	"testing"

	"landfall/internal/column"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/reread"
	"landfall/internal/schema"
)

// cells writes the rows of columns as cells of a table.
func cells(t *testing.T, table, from []schema.Field, also func(schema.Field) []string, columns ...[]any) []string {
	t.Helper()
	c, err := reread.NewCells(table, from, nil, also)
	if err != nil {
		t.Fatal(err)
	}
	b := column.Batch{Rows: len(columns[0])}
	for i, values := range columns {
		b.Columns = append(b.Columns, parquetfiletest.Column(from[i].Type, from[i].Nullable, values))
	}
	var out []string
	err = c.Rows(b, func(row int, cells [][]byte) error {
		if row != len(out) {
			t.Errorf("row %d comes at %d", row, len(out))
		}
		out = append(out, fmt.Sprintf("%s", cells))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func field(name string, t schema.Type) schema.Field {
	return schema.Field{Name: name, Type: t, Nullable: true}
}

// TestOneText: equal values have one text whatever they are kept as, and values that
// differ have two.
func TestOneText(t *testing.T) {
	decimal := schema.Decimal{Precision: 10, Scale: 2}
	for _, c := range []struct {
		to   schema.Type
		from schema.Type
		in   []any
		want []string
	}{
		{decimal, schema.Long, []any{int64(1), nil, int64(1 << 50)}, []string{"[1.00]", "[null]", "[1125899906842624]"}},
		{decimal, decimal, []any{int64(100)}, []string{"[1.00]"}},
		{schema.Double, schema.Float, []any{0.5, 2.0}, []string{"[0.5]", "[2.0]"}},
		{schema.String, schema.Long, []any{int64(7)}, []string{`["7"]`}},
		{schema.String, schema.String, []any{"7", "a\"", ""}, []string{`["7"]`, `["a\""]`, `[""]`}},
		{schema.Long, schema.String, []any{"7", "x"}, []string{"[7]", `["x"]`}},
	} {
		got := cells(t, []schema.Field{field("a", c.to)}, []schema.Field{field("A", c.from)}, nil, c.in)
		if !slices.Equal(got, c.want) {
			t.Errorf("%v as %v: %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

// A column that is not there is null, and one that decisions made of two has the value
// of the other where it has none.
func TestMergedColumns(t *testing.T) {
	table := []schema.Field{field("b", schema.String), field("none", schema.Long)}
	from := []schema.Field{field("a", schema.Long), field("b", schema.String)}
	also := func(f schema.Field) []string { return map[string][]string{"b": {"a"}}[f.Name] }
	got := cells(t, table, from, also, []any{int64(1), nil, int64(3)}, []any{nil, nil, "x"})
	if want := []string{`["1" null]`, "[null null]", `["x" null]`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := cells(t, table, from, nil, []any{int64(1)}, []any{nil}); !slices.Equal(got, []string{"[null null]"}) {
		t.Errorf("got %q without the decision", got)
	}
}
