package verbatim_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/parquetfile/verbatim"
	"landfall/internal/parquetfile/verbatim/verbatimtest"
	"landfall/internal/schema"
)

// made is a column of a file to come.
type made = verbatimtest.Column

func copied(c *verbatim.Column) made { return verbatimtest.Copied(c) }

// fileOf puts columns together to a file.
func fileOf(t testing.TB, s *verbatim.Source, columns []made) []byte {
	t.Helper()
	data, err := verbatimtest.File(s, columns)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// tryRows reads a file whole.
func tryRows(data []byte) ([]schema.Field, [][]any, error) {
	f, err := parquetfile.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, nil, err
	}
	out := make([][]any, len(f.Fields()))
	for b, err := range f.Batches(context.Background()) {
		if err != nil {
			return nil, nil, err
		}
		for i := range b.Columns {
			out[i] = append(out[i], parquetfiletest.Rows(b.Columns[i], true, b.Rows)...)
		}
	}
	return f.Fields(), out, nil
}

func rowsOf(t rapid.TB, data []byte) ([]schema.Field, [][]any) {
	t.Helper()
	fields, rows, err := tryRows(data)
	if err != nil {
		t.Fatal(err)
	}
	return fields, rows
}

// same compares the values of two columns, of which structs may have their fields
// in another order.
func same(a, b []any, order func(any) any) error {
	if len(a) != len(b) {
		return fmt.Errorf("%d rows, want %d", len(b), len(a))
	}
	for i := range a {
		if x, y := fmt.Sprintf("%#v", order(a[i])), fmt.Sprintf("%#v", b[i]); x != y {
			return fmt.Errorf("row %d is %s, want %s", i, y, x)
		}
	}
	return nil
}

func asIs(v any) any { return v }

// written is a file of our own of some columns.
func written(t rapid.TB, s schema.Struct, columns []column.Column, rows int, o parquetfile.Options) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := parquetfile.NewWriter(&out, s, o)
	if err == nil {
		err = w.Write(column.Batch{Columns: columns, Rows: rows})
	}
	if err == nil {
		_, err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func open(t rapid.TB, data []byte) *verbatim.Source {
	t.Helper()
	s, err := verbatim.Open(bytes.NewReader(data), int64(len(data)), parquetfile.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
