//go:build shared

package verbatim_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/verbatim"
	"landfall/internal/schema"
	"landfall/internal/sharedtest"
)

// TestPublicFiles copies every column of the files of many writers: it reads equal,
// or there is a reason why it is not copied.
func TestPublicFiles(t *testing.T) {
	seen := census{columns: map[string]int{}}
	err := filepath.WalkDir(sharedtest.Folder(t, ""), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".parquet") {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil {
			seen.file(t, path, data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range slices.Sorted(maps.Keys(seen.columns)) {
		t.Logf("%5d %s", seen.columns[k], k)
	}
	t.Logf("%d files copied whole, %d in part, %d not at all, %d unreadable", seen.whole, seen.part, seen.none, seen.broken)
	if seen.whole < 300 {
		t.Errorf("only %d files copied whole", seen.whole)
	}
}

type census struct {
	columns                   map[string]int
	whole, part, none, broken int
}

func (n *census) file(t *testing.T, path string, data []byte) {
	name := filepath.Base(path)
	src, err := verbatim.Open(bytes.NewReader(data), int64(len(data)), parquetfile.Reading{})
	if err != nil {
		n.broken++
		if diag.CodeOf(err) != diag.FileUnreadable {
			t.Errorf("%s: %v", path, err)
		}
		_, err := parquetfile.Open(bytes.NewReader(data), int64(len(data)))
		if err == nil {
			t.Errorf("%s: opens for decoding", path)
		}
		return
	}
	if seen, err := decodedEvidence(data); err == nil {
		for i := range seen {
			if e, ok := src.Evidence(i); ok {
				if err := claims(&e, &seen[i].Evidence); err != nil {
					t.Errorf("%s: column %s: %v", path, seen[i].Name, err)
				}
			}
		}
	}
	var parts []made
	var from []int
	for i, f := range src.Fields() {
		c, err := src.Column(i, schema.Field{Name: fmt.Sprint("c", i), Type: f.Type, Nullable: true})
		if refusal := new(verbatim.Refusal); errors.As(err, &refusal) {
			n.columns["refused: "+string(refusal.Reason)]++
			if refusal.Reason != verbatim.Type && refusal.Reason != verbatim.Bounds {
				t.Logf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		n.columns["copied"]++
		parts, from = append(parts, copied(c)), append(from, i)
	}
	switch len(from) {
	case 0:
		n.none++
		return
	case len(src.Fields()):
		n.whole++
	default:
		n.part++
	}
	n.compare(t, path, data, fileOf(t, src, parts), from)
}

// compare reads both files by our decoder, and the copy by the arrow one.
func (n *census) compare(t *testing.T, path string, data, copy []byte, from []int) {
	_, want, err := tryRows(data)
	if err != nil {
		n.columns["copied, but not decodable"]++
		t.Logf("%s: copied, but %v", path, err)
		return
	}
	fields, got, err := tryRows(copy)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	for k, i := range from {
		if err := same(want[i], got[k], asIs); err != nil {
			t.Errorf("%s: column %d: %v", path, i, err)
		}
		if fields[k].Name != fmt.Sprint("c", i) {
			t.Errorf("%s: column %d is called %q", path, i, fields[k].Name)
		}
	}
	if _, err := arrowRows(data); err != nil {
		return
	}
	rows, err := arrowRows(copy)
	if err != nil || rows != len(want[from[0]]) {
		t.Errorf("%s: arrow finds %d rows, want %d: %v", path, rows, len(want[from[0]]), err)
	}
}

func arrowRows(data []byte) (rows int, err error) {
	for rec, err := range parquetfile.Read(context.Background(), bytes.NewReader(data), int64(len(data)), nil) {
		if err != nil {
			return rows, err
		}
		rows += int(rec.NumRows())
	}
	return rows, nil
}
