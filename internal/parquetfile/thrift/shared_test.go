//go:build shared

package thrift_test

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landfall/internal/parquetfile/thrift"
	"landfall/internal/sharedtest"
)

// TestPublicFooters parses the footer of every Parquet file of many writers,
// which must come out as it is.
func TestPublicFooters(t *testing.T) {
	footers := 0
	err := filepath.WalkDir(sharedtest.Folder(t, ""), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".parquet") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		end := len(data) - 8
		if end < 0 || string(data[end+4:]) != "PAR1" {
			return nil
		}
		n := int(binary.LittleEndian.Uint32(data[end:]))
		if n > end {
			return nil
		}
		footer := data[end-n : end]
		s, took, err := thrift.Parse(footer)
		if err != nil || took != n {
			t.Errorf("%s: took %d of %d: %v", path, took, n, err)
			return nil
		}
		footers++
		if !bytes.Equal(s.Append(nil), footer) {
			t.Errorf("%s: the footer comes out changed", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d footers", footers)
	if footers < 400 {
		t.Errorf("only %d footers", footers)
	}
}
