package datafile

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
	"landfall/internal/store/memory"
)

// TestEdit compares with a file that was written with the other values at once.
func TestEdit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx, s := context.Background(), memory.New(nil)
		var f frame
		rows := rapid.IntRange(1, 30).Draw(t, "rows")
		for _, g := range growings() {
			if g.from == "" {
				continue
			}
			f.schema.Fields = append(f.schema.Fields, nullable(g.name, typeOf(t, g.from)))
			f.values = append(f.values, drawn(t, g, rows))
		}
		f.write(t, s, "old", Options{Options: parquetfile.Options{RowGroupBytes: 500}}, 7)
		after := frame{schema: f.schema}
		news := make([][]any, len(f.values))
		changes := make([][]bool, len(f.values))
		for i, g := range slices.DeleteFunc(growings(), func(g growing) bool { return g.from == "" }) {
			news[i] = drawn(t, g, rows)
			changes[i] = rapid.SliceOfN(rapid.Bool(), rows, rows).Draw(t, "changes")
			after.values = append(after.values, slices.Clone(f.values[i]))
			for row := range rows {
				if changes[i][row] {
					after.values[i][row] = news[i][row]
				}
			}
		}
		done := 0
		shape := Shape{Schema: f.schema, Edit: func(b column.Batch) ([]Edit, error) {
			var edits []Edit
			for i := range f.values {
				e := Edit{At: i, Column: parquetfiletest.Column(f.schema.Fields[i].Type, true, news[i][done:done+b.Rows])}
				for row := range b.Rows {
					if changes[i][done+row] {
						e.Rows = append(e.Rows, row)
					} else {
						e.Rows = append(e.Rows, -1)
					}
				}
				edits = append(edits, e)
			}
			done += b.Rows
			return edits, nil
		}}
		_, err := Reshape(ctx, s, "old", nil, shape, Options{Name: func() string { return "new" }})
		must(t, err)
		if _, found := content(t, s, "new"); !maps.EqualFunc(found, after.wants(), slices.Equal) {
			t.Fatalf("found %v\nwant  %v", found, after.wants())
		}
	})
}

// drawn draws a column of values, nulls among them.
func drawn(t *rapid.T, g growing, rows int) []any {
	var values []any
	for range rows {
		v, _ := g.draw(t)
		if rapid.IntRange(0, 3).Draw(t, "null") == 0 {
			v = nil
		}
		values = append(values, v)
	}
	return values
}

// Values come in every form that columns have, fewer than there are rows, and for
// columns that the file lacks. Fields that the schema does not know are null then.
func TestEditForms(t *testing.T) {
	text := &column.Text{}
	text.AppendValue([]byte("x"))
	text.AppendNull()
	known := schema.Struct{Fields: []schema.Field{nullable("a", schema.Integer)}}
	for name, c := range map[string]struct {
		typ  schema.Type
		edit Edit
		want []any
	}{
		"text":      {schema.String, Edit{Column: column.Column{Text: text}, Rows: []int{1, 2}}, []any{nil, "x", nil}},
		"one value": {schema.String, Edit{Column: column.Column{Constant: "k"}, Rows: []int{0, -1, 2}}, []any{"k", nil, "k"}},
		"number":    {schema.Long, Edit{Column: column.Column{Constant: int64(7)}, Rows: []int{2}}, []any{nil, nil, int64(7)}},
		"nothing":   {schema.Array{Element: schema.Long, ContainsNull: true}, Edit{Rows: []int{0}}, []any{nil, nil, nil}},
		"none":      {schema.String, Edit{}, []any{nil, nil, nil}},
		"part": {known, Edit{
			Column: parquetfiletest.Column(known, true, []any{parquetfiletest.Struct{int64(1)}}), Rows: []int{1},
		}, []any{nil, parquetfiletest.Struct{int64(1)}, nil}},
	} {
		t.Run(name, func(t *testing.T) {
			s := memory.New(nil)
			old := frame{schema: schema.Struct{Fields: []schema.Field{nullable("id", schema.Long)}}, values: [][]any{{int64(1), int64(2), int64(3)}}}
			old.write(t, s, "old", Options{}, 3)
			c.edit.At = 0
			to := frame{schema: schema.Struct{Fields: []schema.Field{nullable("c", c.typ), nullable("id", schema.Long)}}, values: [][]any{c.want, old.values[0]}}
			shape := Shape{Schema: to.schema, Edit: func(column.Batch) ([]Edit, error) { return []Edit{c.edit}, nil }}
			_, err := Reshape(t.Context(), s, "old", nil, shape, Options{Name: func() string { return "new" }})
			must(t, err)
			if _, found := content(t, s, "new"); !maps.EqualFunc(found, to.wants(), slices.Equal) {
				t.Errorf("found %v\nwant  %v", found, to.wants())
			}
		})
	}
}

// An error of the caller leaves nothing in the store.
func TestEditFails(t *testing.T) {
	s, broken := memory.New(nil), errors.New("broken")
	fixture().write(t, s, "old", Options{}, 2)
	shape := Shape{Schema: fixture().schema, Edit: func(column.Batch) ([]Edit, error) { return nil, broken }}
	_, err := Reshape(t.Context(), s, "old", nil, shape, Options{Name: func() string { return "new" }})
	if !errors.Is(err, broken) || len(s.Keys()) != 1 {
		t.Errorf("found %v and %v", err, s.Keys())
	}
}

func TestTexts(t *testing.T) {
	s := memory.New(nil)
	f := frame{
		schema: schema.Struct{Fields: []schema.Field{nullable("n", schema.Long), nullable("b", schema.String), nullable("a", schema.String)}},
		values: [][]any{{int64(1), nil, int64(3)}, {"x", nil, "z"}, {nil, "q", "r"}},
	}
	f.write(t, s, "old", Options{}, 2)
	var got [][]string
	for values, err := range Texts(t.Context(), s, "old", []int64{0}, []string{"a", "b", "n", "none"}) {
		must(t, err)
		got = append(got, slices.Clone(values))
	}
	if want := [][]string{{"q", "", "", ""}, {"r", "z", "", ""}}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("found %q, want %q", got, want)
	}
	for _, err := range Texts(t.Context(), s, "gone", nil, []string{"a"}) {
		if err == nil {
			t.Error("a file that is not there has rows")
		}
	}
}
