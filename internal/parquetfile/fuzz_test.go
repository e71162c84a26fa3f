package parquetfile

import (
	"bytes"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"landfall/internal/column"
	"landfall/internal/diag"
)

// FuzzRead feeds broken files: each is read or refused by a diagnostic.
func FuzzRead(f *testing.F) {
	for _, o := range []Options{{}, {Compression: Snappy, RowGroupBytes: 1}} {
		f.Add(written(f, memory.DefaultAllocator, 2, o))
		var buf bytes.Buffer
		w, err := NewWriter(&buf, table(), o)
		if err != nil {
			f.Fatal(err)
		}
		b := column.Batch{Rows: 4, Columns: []column.Column{texts("a", "a", "", "\x00"), texts("some", "more", "text", "here"), {Constant: int64(1)}, {}}}
		if err := w.Write(b); err != nil {
			f.Fatal(err)
		}
		if _, err := w.Close(); err != nil {
			f.Fatal(err)
		}
		f.Add(buf.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, size := bytes.NewReader(data), int64(len(data))
		_, schemaErr := Schema(r, size)
		rows, last := 0, error(nil)
		for rec, err := range Read(t.Context(), r, size, nil) {
			if last = err; err == nil {
				rows += int(rec.NumRows())
			}
			if rows > 1<<20 {
				break
			}
		}
		for _, err := range []error{schemaErr, last} {
			if err != nil && diag.CodeOf(err) != diag.FileUnreadable {
				t.Fatalf("%v is no file_unreadable", err)
			}
		}
		if last != nil || rows > 1<<20 {
			return
		}
		// What Arrow could read can be copied, and reads the same.
		var dst bytes.Buffer
		if _, err := CopyRows(t.Context(), r, size, &dst, func(int64) bool { return true }, Options{}); err != nil {
			t.Fatalf("read but not copied: %v", err)
		}
		mem := memory.DefaultAllocator
		if got, want := rowsOf(t, mem, dst.Bytes()), rowsOf(t, mem, data); !slices.Equal(got, want) {
			t.Fatalf("copied %.300q\nwant %.300q", got, want)
		}
	})
}
