package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree is all that a folder holds: names, bytes, modification times.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var data []byte
		if !d.IsDir() {
			if data, err = os.ReadFile(at); err != nil {
				return err
			}
		}
		fmt.Fprintf(&b, "%s %s %s %x\n", at, info.Mode(), info.ModTime(), data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPreviewWritesNothing: whatever a preview meets, what is on the disk before
// is there after it, to the byte, and nothing else.
func TestPreviewWritesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("TMPDIR", t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	try := func(want int, args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := run(args, &stdout, &stderr); code != want {
			t.Fatalf("%v: status %d\n%s%s", args, code, stdout.String(), stderr.String())
		}
		return stdout.String()
	}
	write("in/a.csv", "id,v\n1,a\n2,b\n")
	try(0, "land", "in", "lake")
	try(0, "land", "in", "lake2", "--option", "checkpointLocation=state")
	write("in/a.csv", "id,v\n1,a\n2,c\n") // rewritten: its rows are replaced
	write("in/b.csv", "id,w\n3,\"x\n")
	write("in/c.csv", "id,w\nx,y\n")
	before := tree(t, dir)
	for _, p := range []struct {
		status int
		args   []string
	}{
		{0, []string{"in"}},
		{0, []string{"in", "new"}},
		{0, []string{"in", "lake"}},
		{0, []string{"in", "lake", "--json"}},
		{0, []string{"in", "lake2", "--option", "checkpointLocation=state"}},
		{3, []string{"in", "lake", "--policy", "column_added=fail"}},
		{2, []string{"in", "lake", "--option", "banana=1"}},
		{1, []string{"nowhere", "lake"}},
	} {
		out := try(p.status, append([]string{"preview"}, p.args...)...)
		if after := tree(t, dir); after != before {
			t.Errorf("%v changed what is on the disk:\n%s\nwas\n%s", p.args, after, before)
		}
		if p.status == 0 && !strings.Contains(out, "nothing was written") && !strings.HasPrefix(out, "{") {
			t.Errorf("%v: %s", p.args, out)
		}
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	// What it said is what lands.
	said := try(0, "preview", "in", "lake", "--json")
	landed := try(0, "land", "in", "lake", "--json")
	head, _, ok := strings.Cut(said, `,"schema":`)
	body, _, timed := strings.Cut(landed, `,"seconds":`) // how long it took comes last
	if !ok || !timed || head != body {
		t.Errorf("said\n%s\nlanded\n%s", said, landed)
	}
}
