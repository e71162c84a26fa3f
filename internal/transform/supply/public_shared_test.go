//go:build shared

package supply_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/flow/dataset"
	"landfall/internal/sharedtest"
	"landfall/internal/transform/supply"
)

// TestPublicParquet reads each file twice, by the engine and as a landing decodes it: all
// values are the same, whatever their order. What cannot be read says why.
func TestPublicParquet(t *testing.T) {
	const most = 128 << 10 // bytes
	root := sharedtest.Folder(t, "parquet-testing")
	// The engine compares no checksums, reads levels that are none, and takes pages of any size.
	damaged := map[string]bool{
		"ARROW-GH-45185.parquet": true, "datapage_v1-corrupt-checksum.parquet": true,
		"rle-dict-uncompressed-corrupt-checksum.parquet": true, "large_string_map.brotli.parquet": true,
	}
	agreed, refused := 0, 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".parquet") {
			return err
		}
		if info, err := d.Info(); err != nil || info.Size() > most {
			return err
		}
		shown, _ := filepath.Rel(root, path)
		f := folder{t, filepath.Dir(path)}
		source := dataset.Source{Format: dataset.Parquet, Location: dataset.Location{File: filepath.Base(path)}}
		direct, err := readBy(f, source, supply.Open)
		if err != nil {
			var why *diag.Diagnostic
			if refused++; !errors.As(err, &why) {
				t.Errorf("%s: %v", shown, err)
			}
			t.Logf("refused: %s: %v", shown, err)
			return nil
		}
		slices.Sort(direct)
		decoded, err := readBy(f, source, supply.OpenDecoded)
		if err != nil {
			if !damaged[filepath.Base(path)] {
				t.Errorf("%s: the engine reads it, and a landing does not: %v", shown, err)
			}
			return nil
		}
		slices.Sort(decoded)
		agreed++
		if len(direct) != len(decoded) {
			t.Errorf("%s: %d rows, decoded %d", shown, len(direct), len(decoded))
			return nil
		}
		for i := range direct {
			if direct[i] != decoded[i] {
				t.Errorf("%s: row %d\n%s\ndecoded\n%s", shown, i, head(direct[i]), head(decoded[i]))
				break
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files agree, %d refused", agreed, refused)
	if agreed < 40 {
		t.Errorf("only %d files read", agreed)
	}
}

func readBy(f folder, s dataset.Source, open opener) ([]string, error) {
	in, err := f.openBy(s, open)
	if err != nil {
		return nil, err
	}
	return read(f.t, in)
}

func head(row string) string { return row[:min(len(row), 500)] }
