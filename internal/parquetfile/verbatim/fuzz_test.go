package verbatim_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/parquetfile/verbatim"
	"landfall/internal/schema"
)

// FuzzColumn plans copies of any bytes: there is a copy whose bodies can be
// written, a refusal, or a diagnostic.
func FuzzColumn(f *testing.F) {
	nested := schema.Array{Element: schema.Struct{Fields: []schema.Field{{Name: "s", Type: schema.String, Nullable: true}}}, ContainsNull: true}
	s := schema.Struct{Fields: []schema.Field{
		{Name: "a", Type: schema.Short, Nullable: true},
		{Name: "b", Type: nested, Nullable: true},
		{Name: "c", Type: schema.Double},
	}}
	row := parquetfiletest.List{parquetfiletest.Struct{"x"}, nil}
	f.Add(written(f, s, []column.Column{
		parquetfiletest.Column(schema.Short, true, []any{int64(1), nil}),
		parquetfiletest.Column(nested, true, []any{row, nil}),
		parquetfiletest.Column(schema.Double, false, []any{0.5, 1.5}),
	}, 2, parquetfile.Options{RowGroupBytes: 1}))
	f.Fuzz(func(t *testing.T, data []byte) {
		src, err := verbatim.Open(bytes.NewReader(data), int64(len(data)), parquetfile.Reading{})
		if err != nil {
			if d := new(diag.Diagnostic); !errors.As(err, &d) {
				t.Fatal(err)
			}
			return
		}
		for i, field := range src.Fields() {
			c, err := src.Column(i, schema.Field{Name: "x", Type: field.Type, Nullable: true})
			if refusal := new(verbatim.Refusal); errors.As(err, &refusal) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			for g := range src.Groups() {
				c.Stats(g)
				chunks, err := c.Chunks(g)
				if err != nil {
					t.Fatal(err)
				}
				for _, chunk := range chunks {
					if n, err := chunk.Body.WriteTo(io.Discard); err != nil || n != chunk.Body.Size() {
						t.Fatalf("wrote %d of %d: %v", n, chunk.Body.Size(), err)
					}
				}
			}
		}
	})
}
