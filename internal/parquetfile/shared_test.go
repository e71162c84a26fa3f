//go:build shared

package parquetfile

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"landfall/internal/diag"
	"landfall/internal/sharedtest"
)

// TestPublicFiles reads every Parquet file of many writers, and copies it.
// What cannot be read must say why.
func TestPublicFiles(t *testing.T) {
	read, refused := 0, 0
	err := filepath.WalkDir(sharedtest.Folder(t, ""), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".parquet") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if last := lastError(t, data); last != nil {
			if refused++; diag.CodeOf(last) != diag.FileUnreadable {
				t.Errorf("%s: %v", path, last)
			}
			t.Logf("refused: %s: %v", filepath.Base(path), last)
			return nil
		}
		read++
		checkCopy(t, path, data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files read and copied, %d refused", read, refused)
	if read < 400 {
		t.Errorf("only %d files read", read)
	}
}

func lastError(t *testing.T, data []byte) (last error) {
	for _, last = range Read(t.Context(), bytes.NewReader(data), int64(len(data)), nil) {
	}
	return last
}

// checkCopy compares the copy of two rows of three with the original.
func checkCopy(t *testing.T, path string, data []byte) {
	all := rowsOf(t, memory.DefaultAllocator, data)
	var want []string
	for i, r := range all {
		if i%3 > 0 {
			want = append(want, r)
		}
	}
	var dst bytes.Buffer
	_, err := CopyRows(t.Context(), bytes.NewReader(data), int64(len(data)), &dst, func(i int64) bool { return i%3 > 0 }, Options{})
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	if got := rowsOf(t, memory.DefaultAllocator, dst.Bytes()); !slices.Equal(got, want) {
		t.Errorf("%s: the copy differs: %.500q\nwant %.500q", path, got, want)
	}
	if a, b := footerOf(t, data), footerOf(t, dst.Bytes()); a.schema != b.schema {
		t.Errorf("%s: schema %s, want %s", path, b.schema, a.schema)
	}
}
