package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"landfall/internal/diag"
)

// everything is the files of a folder, by path, with their bytes and times.
func everything(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		out[path] = fmt.Sprintf("%x %v", sha256.Sum256(data), info.ModTime())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A drill leaves a project with tables, state and alerts as it is, byte for byte, and no
// sandbox behind.
func TestDrillTouchesNothing(t *testing.T) {
	p := newTold(t, "{on: [expectation_failed], to: {file: alerts.ndjson}}\npipelines:\n  p: {files: [p.sql], target: silver}")
	p.write(t, "p.sql", "CREATE STREAMING TABLE clean AS SELECT * FROM STREAM(orders);")
	p.write(t, "in/a.csv", "id,n\n1,10\n2,x\n")
	if _, err := p.run(t, "run"); err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	before := everything(t, p.dir)
	a := &app{stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}, now: func() time.Time { return p.now }, newID: func() string {
		p.ids++
		return fmt.Sprintf("%08d-0000-4000-8000-000000000000", p.ids)
	}}
	root := a.root()
	root.SetArgs([]string{"drill", "--every", "40", "--project", filepath.Join(p.dir, "landfall.yaml")})
	if err := root.ExecuteContext(t.Context()); err != nil && !errors.Is(err, &diag.Diagnostic{Code: diag.DrillFailed}) {
		t.Fatal(err)
	}
	if after := everything(t, p.dir); !maps.Equal(before, after) {
		t.Errorf("found\n%v\nwant\n%v", after, before)
	}
	if left := everything(t, temp); len(left) > 0 {
		t.Errorf("found %v left behind", left)
	}
}
