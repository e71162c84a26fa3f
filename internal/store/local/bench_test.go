package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"landfall/internal/store/local"
)

// BenchmarkList lists 20,000 files in 20 folders.
func BenchmarkList(b *testing.B) {
	root := b.TempDir()
	const folders, files = 20, 1000
	for d := range folders {
		folder := filepath.Join(root, fmt.Sprintf("d%04d", d))
		if err := os.Mkdir(folder, 0o777); err != nil {
			b.Fatal(err)
		}
		for f := range files {
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("part-%07d-5d1b2f3a.ndjson", f)), []byte("{}\n"), 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	s, err := local.Open(root)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range s.List(b.Context(), "", "") {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != folders*files {
			b.Fatalf("found %d files", n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*folders*files), "ns/file")
}
