//go:build shared

package footer

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"

	"landfall/internal/sharedtest"
)

// TestPublicSchemas compares the schemas of all public files with those that the
// decoder reads.
func TestPublicSchemas(t *testing.T) {
	read, scanner := 0, new(Scanner)
	err := filepath.WalkDir(sharedtest.Folder(t, ""), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".parquet") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		want, wantErr := decoded(data)
		got, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			if wantErr == nil {
				t.Errorf("%s: %v", path, err)
			}
			t.Logf("refused: %s: %v", filepath.Base(path), err)
			return nil
		}
		root, err := got.Root()
		if (err == nil) != (wantErr == nil) {
			t.Errorf("%s: %v, the decoder says %v", path, err, wantErr)
		}
		if err != nil || wantErr != nil {
			return nil
		}
		read++
		if !root.Equals(want.MetaData().Schema.Root()) {
			t.Errorf("%s: another schema than the decoder's", path)
		}
		sum, err := scanner.Scan(bytes.NewReader(data), int64(len(data)))
		if err != nil || sum.Rows != want.NumRows() || len(sum.Schema.Elements) != len(got.Elements) {
			t.Errorf("%s: scan says %d rows: %v", path, sum.Rows, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d schemas, %d different", read, len(scanner.known))
	if read < 400 {
		t.Errorf("only %d read", read)
	}
}

func decoded(data []byte) (r *file.Reader, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = os.ErrInvalid
		}
	}()
	return file.NewParquetReader(bytes.NewReader(data))
}
