package footer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"landfall/internal/diag"
)

// FuzzOpen reads footers of any bytes: they make a footer or a diagnostic.
func FuzzOpen(f *testing.F) {
	for _, ddl := range []string{"a: int", "a: struct<b: array<decimal(20,2)>, m: map<string, timestamp>>"} {
		data := made(f, ddl)
		n := int(binary.LittleEndian.Uint32(data[len(data)-8:]))
		f.Add(data[len(data)-8-n : len(data)-8])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		data := slices.Concat([]byte(magic), b, binary.LittleEndian.AppendUint32(nil, uint32(len(b))), []byte(magic))
		var d *diag.Diagnostic
		sum, scanErr := new(Scanner).Scan(bytes.NewReader(data), int64(len(data)))
		if scanErr != nil && !errors.As(scanErr, &d) {
			t.Fatal(scanErr)
		}
		got, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			if !errors.As(err, &d) {
				t.Fatal(err)
			}
			return
		}
		if scanErr != nil || !slices.Equal(sum.Schema.Elements, got.Elements) {
			t.Fatalf("scan %v says %v, want %v", scanErr, sum.Schema, got.Elements)
		}
		if _, err := got.Root(); err != nil && !errors.As(err, &d) {
			t.Fatal(err)
		}
	})
}
