package footer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wide is a file with a footer of 27 columns.
func wide(t testing.TB) string {
	ddl := make([]string, 27)
	for i := range ddl {
		ddl[i] = fmt.Sprintf("c%02d: bigint", i)
	}
	path := filepath.Join(t.TempDir(), "a.parquet")
	if err := os.WriteFile(path, made(t, strings.Join(ddl, ", ")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func BenchmarkScan(b *testing.B) {
	f, err := os.Open(wide(b))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	var s Scanner
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Scan(f, info.Size()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRead is what a scan cannot be faster than.
func BenchmarkRead(b *testing.B) {
	f, err := os.Open(wide(b))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, tailBytes)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.ReadAt(buf[:info.Size()], 0); err != nil {
			b.Fatal(err)
		}
	}
}
