package parquetfile

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/parquet"
	pq "github.com/apache/arrow-go/v18/parquet/schema"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/parquetfile/form"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
)

// flawedFile has a list of texts, of which each seventh is none, and timestamps in
// ns, of which each fifth is one of whole microseconds.
func flawedFile(t *testing.T, rows int) []byte {
	t.Helper()
	logical := func(name string, r parquet.Repetition, l pq.LogicalType, physical parquet.Type) pq.Node {
		n, err := pq.NewPrimitiveNodeLogical(name, r, l, physical, 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	var texts, times parquetfiletest.Raw
	var values []string
	var nanos []int64
	for row := range rows {
		for i := range row % 3 {
			rep := int16(min(i, 1))
			texts.Reps, texts.Defs = append(texts.Reps, rep), append(texts.Defs, 1)
			value := fmt.Sprintf("%0*d", row%200, i)
			if len(values)%7 == 0 {
				value += "\xff"
			}
			values = append(values, value)
		}
		if row%3 == 0 {
			texts.Reps, texts.Defs = append(texts.Reps, 0), append(texts.Defs, 0)
		}
		nanos = append(nanos, int64(row)*1000+int64(row%5))
	}
	texts.Values, times.Values = parquetfiletest.Texts(values...), nanos
	data, err := parquetfiletest.File([]pq.Node{
		logical("l", parquet.Repetitions.Repeated, pq.StringLogicalType{}, parquet.Types.ByteArray),
		logical("t", parquet.Repetitions.Required, pq.NewTimestampLogicalType(true, pq.TimeUnitNanos), parquet.Types.Int64),
	}, []parquetfiletest.Raw{texts, times}, parquet.WithDataPageSize(3000), parquet.WithDictionaryDefault(false))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestFlaws: flaws stay with their values, however rows are cut into batches.
func TestFlaws(t *testing.T) {
	const rows = 100_000
	data := flawedFile(t, rows)
	f, err := OpenAs(bytes.NewReader(data), int64(len(data)), Reading{Flaws: true})
	if err != nil {
		t.Fatal(err)
	}
	row, batches, bad := 0, 0, 0
	for b, err := range f.Batches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		batches++
		texts, times := &b.Columns[0].Leaves[0], &b.Columns[1].Leaves[0]
		for i := range texts.Text.Spans {
			flaw := texts.Flaw(i)
			if (flaw == nil) != utf8.Valid(texts.Text.Value(i)) || flaw != nil && flaw.Kind != column.NotText {
				t.Fatalf("text %d of batch %d is %q, its flaw %v", i, batches, texts.Text.Value(i), flaw)
			}
		}
		bad += len(texts.Flaws)
		for i := range times.Ints {
			nanos := 0
			if flaw := times.Flaw(i); flaw != nil {
				nanos = flaw.Nanos
			}
			if times.Ints[i] != int64(row) || nanos != row%5 {
				t.Fatalf("row %d has %d µs %d ns", row, times.Ints[i], nanos)
			}
			row++
		}
		if n := len(times.Flaws) + len(texts.Flaws); n == 0 || texts.Flaw(-1) != nil || texts.Flaw(len(texts.Text.Spans)) != nil {
			t.Errorf("batch %d: %d flaws", batches, n)
		}
	}
	if row != rows || batches < 2 || bad != (rows/3*3+6)/7 {
		t.Errorf("%d rows in %d batches, %d texts are none", row, batches, bad)
	}
}

// Where nobody keeps flaws, the first that is more than lost digits ends the
// reading, and none gets into a file.
func TestFlawsRefused(t *testing.T) {
	data := flawedFile(t, 3)
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for b, err := range f.Batches(t.Context()) {
		if diag.CodeOf(err) != diag.Encoding {
			t.Errorf("found %v, %v", b, err)
		}
	}
	s := schema.Struct{Fields: []schema.Field{{Name: "t", Type: schema.Timestamp}}}
	w, err := NewWriter(new(bytes.Buffer), s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := column.Column{Type: schema.Timestamp, Leaves: []column.Leaf{{Ints: []int64{1}, Flaws: []column.Flaw{{Kind: column.Cut, Nanos: 1}}}}}
	if err := w.Write(column.Batch{Rows: 1, Columns: []column.Column{c}}); !errors.Is(err, form.ErrFlaw) {
		t.Errorf("found %v, want %v", err, form.ErrFlaw)
	}
}
