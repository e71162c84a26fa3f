//go:build shared

package delta

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/sharedtest"
	"landfall/internal/store/memory"
	"landfall/internal/table"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestGoldenTables opens every folder of the public Delta tables that other
// programs test with. testdata/golden-tables.txt says what each must give: its
// version, files, deleted rows and schema, or the diagnostic that refuses it.
func TestGoldenTables(t *testing.T) {
	root := sharedtest.Folder(t, "delta-golden-tables")
	const golden = "testdata/golden-tables.txt"
	var got strings.Builder
	for _, folder := range tableFolders(t, root) {
		fmt.Fprintf(&got, "%s\t%s\n", folder, describe(t, Open(readFolder(t, filepath.Join(root, folder)), Options{})))
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	wants := slices.Collect(strings.Lines(string(want)))
	gots := slices.Collect(strings.Lines(got.String()))
	if len(gots) != len(wants) || len(gots) < 100 {
		t.Errorf("found %d tables, want %d", len(gots), len(wants))
	}
	for i := range min(len(gots), len(wants)) {
		if gots[i] != wants[i] {
			t.Errorf("found %swant  %s", gots[i], wants[i])
		}
	}
}

// describe says in one line what opening a table gave.
func describe(t *testing.T, tbl *Table) string {
	t.Helper()
	s, err := tbl.Snapshot(t.Context())
	var d *diag.Diagnostic
	switch {
	case errors.Is(err, table.ErrNoTable):
		return "no table"
	case errors.As(err, &d):
		return fmt.Sprintf("%s %s", d.Code, d.Message)
	case err != nil:
		t.Errorf("neither a table nor a diagnostic: %v", err)
		return "error"
	}
	rows, deleted, unknown := int64(0), 0, 0
	for _, f := range s.Files() {
		gone, err := tbl.Deleted(t.Context(), f)
		if err != nil {
			t.Errorf("%s: %v", f.Path, err)
		}
		deleted += len(gone)
		if f.Rows < 0 {
			unknown++
		} else {
			rows += f.Rows - int64(len(gone))
		}
	}
	return fmt.Sprintf("version %d, %d files (%d without a count), %d rows (%d more deleted): %s",
		s.Version, len(s.Files()), unknown, rows, deleted, s.Schema)
}

// tableFolders lists the folders right below root, and the tables below them.
func tableFolders(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() || p == root {
			return err
		}
		if filepath.Base(p) == "_delta_log" {
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		if _, statErr := os.Stat(filepath.Join(p, "_delta_log")); statErr == nil || filepath.Dir(p) == root {
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// readFolder copies a folder into memory.
func readFolder(t *testing.T, folder string) *memory.Store {
	t.Helper()
	s := memory.New(nil)
	err := filepath.WalkDir(folder, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(folder, p)
		if err != nil {
			return err
		}
		return s.Create(t.Context(), filepath.ToSlash(rel), data)
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The four ways to write a local file's absolute path name one file, which
// these logs add and remove. They lack a schema, so no snapshot shows it.
func TestGoldenCanonicalPaths(t *testing.T) {
	root := sharedtest.Folder(t, "delta-golden-tables")
	for _, name := range []string{"normal-a", "normal-b", "special-a", "special-b"} {
		st, err := Open(readFolder(t, filepath.Join(root, "canonicalized-paths-"+name)), Options{}).load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if st.files.size != 0 || st.tombstones.size != 1 {
			t.Errorf("%s: found %d files and %d tombstones, want 0 and 1", name, st.files.size, st.tombstones.size)
		}
	}
}

// A checkpoint must give what its commits give: the golden tables that still
// have both are read either way and compared, statistics and all.
func TestGoldenCheckpointsSayWhatCommitsSay(t *testing.T) {
	root := sharedtest.Folder(t, "delta-golden-tables")
	compared := 0
	for _, folder := range tableFolders(t, root) {
		s := readFolder(t, filepath.Join(root, folder))
		with, err := Open(s, Options{}).load(t.Context())
		if err != nil {
			continue
		}
		checkpoints := 0
		for _, key := range s.Keys() {
			if k := parseName(key).kind; strings.HasPrefix(key, logFolder) && (k == checkpointSingle || k == checkpointPart) {
				checkpoints++
				if err := s.Delete(t.Context(), key); err != nil {
					t.Fatal(err)
				}
			}
		}
		if checkpoints == 0 {
			continue
		}
		without, err := Open(s, Options{}).load(t.Context())
		if err != nil {
			continue // its commits are gone
		}
		compared++
		for _, diff := range different(t, with, without) {
			t.Errorf("%s: %s", folder, diff)
		}
	}
	if compared < 8 {
		t.Errorf("compared %d tables only", compared)
	}
}

// different lists where two states differ, as far as readers see them.
func different(t *testing.T, with, without *state) []string {
	t.Helper()
	var out []string
	say := func(what string, a, b any) {
		if !reflect.DeepEqual(a, b) {
			out = append(out, fmt.Sprintf("%s: with the checkpoint %+v, without %+v", what, a, b))
		}
	}
	say("protocol", with.protocol, without.protocol)
	say("metaData", with.meta, without.meta)
	say("txns", with.txns, without.txns)
	say("number of files", with.files.size, without.files.size)
	for k, a := range with.files.each() {
		if b := without.files.get(k); b != nil {
			fa, fb := a.File(), b.File()
			say("file", fa, fb)
		}
	}
	return out
}
