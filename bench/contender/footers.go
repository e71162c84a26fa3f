package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"landfall/internal/parquetfile/footer"
)

// footers counts the files of each schema.
func footers(in, out string) error {
	var scan footer.Scanner
	files := map[*footer.Schema]int{}
	err := filepath.WalkDir(in, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := os.Open(path) //nolint:gosec // a file of the folder that was named
		if err != nil {
			return err
		}
		defer f.Close() //nolint:errcheck // nothing was written
		info, err := f.Stat()
		if err != nil {
			return err
		}
		found, err := scan.Scan(f, info.Size())
		if err == nil {
			files[found.Schema]++
		}
		return err
	})
	if err != nil {
		return err
	}
	counts := make([]int, 0, len(files))
	for _, n := range files {
		counts = append(counts, n)
	}
	slices.Sort(counts)
	text, err := json.Marshal(map[string]any{"variants": counts})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "result.json"), text, 0o600)
}
