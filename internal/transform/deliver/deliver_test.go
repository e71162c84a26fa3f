package deliver_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/flow/dataset"
	"landfall/internal/transform/deliver"
)

// TestTwoAtOnce lets two runs write to one folder: both stages live at the same time.
func TestTwoAtOnce(t *testing.T) {
	root := t.TempDir()
	var wait sync.WaitGroup
	for _, name := range []string{"one", "two", "three"} {
		wait.Go(func() {
			if _, err := run(t, dataset.Sink{Name: "s"}, options(root, name, calm), name); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	want := map[string]string{"part-00000-one.parquet": "one", "part-00000-two.parquet": "two", "part-00000-three.parquet": "three"}
	if now := held(t, root); !maps.Equal(now, want) {
		t.Errorf("found %v, want %v", now, want)
	}
}

// TestLiveStage keeps the next run from taking away what another works on.
func TestLiveStage(t *testing.T) {
	root := t.TempDir()
	live, err := deliver.Prepare(t.Context(), dataset.Sink{Name: "s"}, options(root, "one", calm))
	ok(t, err)
	ok(t, write(t, live, map[string]string{"part.parquet": "one"}))
	_, err = run(t, dataset.Sink{Name: "s"}, options(root, "two", calm), "two")
	ok(t, err)
	_, err = live.Publish(t.Context(), nil)
	ok(t, err)
	ok(t, live.Discard())
	want := map[string]string{"part-00000-one.parquet": "one", "part-00000-two.parquet": "two"}
	if now := held(t, root); !maps.Equal(now, want) {
		t.Errorf("found %v, want %v", now, want)
	}
}

// TestPublishTwice publishes an output that is in its place again, and a run of the same
// id again: neither doubles nor loses a file.
func TestPublishTwice(t *testing.T) {
	for _, truncate := range []bool{false, true} {
		root := t.TempDir()
		s := dataset.Sink{Name: "s", Truncate: truncate}
		d, err := deliver.Prepare(t.Context(), s, options(root, "one", calm))
		ok(t, err)
		ok(t, write(t, d, map[string]string{"part.parquet": "rows"}))
		for range 2 {
			_, err = d.Publish(t.Context(), nil)
			ok(t, err)
		}
		ok(t, d.Discard())
		_, err = run(t, s, options(root, "one", calm), "rows")
		ok(t, err)
		want := map[string]string{"part-00000-one.parquet": "rows"}
		if now := held(t, root); !maps.Equal(now, want) {
			t.Errorf("truncate %v: found %v, want %v", truncate, now, want)
		}
	}
}

// TestOthersFolders leaves folders alone that look like stages, and refuses tables.
func TestOthersFolders(t *testing.T) {
	root := t.TempDir()
	mine := filepath.Join(root, ".landfall-notes", "list.txt")
	ok(t, os.MkdirAll(filepath.Dir(mine), 0o755))
	ok(t, os.WriteFile(mine, []byte("mine"), 0o600))
	_, err := run(t, dataset.Sink{Name: "s"}, options(root, "one", calm), "rows")
	ok(t, err)
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
	log := filepath.Join(root, "out", "t", "_delta_log", "0.json")
	ok(t, os.MkdirAll(filepath.Dir(log), 0o755))
	ok(t, os.WriteFile(log, nil, 0o600))
	_, err = run(t, dataset.Sink{Name: "s", Truncate: true}, options(root, "two", calm), "rows")
	refused(t, err, diag.FlowInput, "found a Delta table")
	if _, err := os.Stat(log); err != nil {
		t.Error(err)
	}
}

// TestNested refuses sinks of which one writes within the folder of the other.
func TestNested(t *testing.T) {
	for _, inner := range []bool{true, false} {
		root := t.TempDir()
		first, second := options(root, "one", calm), options(root, "two", calm)
		if inner {
			second.Folder = filepath.Join(second.Folder, "k", "sub")
		} else {
			first.Folder = filepath.Join(first.Folder, "k", "sub")
		}
		d, err := deliver.Prepare(t.Context(), dataset.Sink{Name: "a"}, first)
		ok(t, err)
		_, err = deliver.Prepare(t.Context(), dataset.Sink{Name: "b"}, second)
		refused(t, err, diag.FlowInput, "a folder within another")
		ok(t, d.Discard())
	}
}

// TestModeStays lets those into the folder who were let in before.
func TestModeStays(t *testing.T) {
	root := t.TempDir()
	out := filepath.Join(root, "out")
	ok(t, os.MkdirAll(out, 0o755))
	ok(t, os.WriteFile(filepath.Join(out, "a"), nil, 0o600))
	ok(t, os.Chmod(out, 0o770))
	_, err := run(t, dataset.Sink{Name: "s", Truncate: true}, options(root, "one", calm), "rows")
	ok(t, err)
	info, err := os.Stat(out)
	ok(t, err)
	if info.Mode().Perm() != 0o770 {
		t.Errorf("found mode %v, want rwxrwx---", info.Mode())
	}
}

// TestThroughLink writes to the folder that a link leads to.
func TestThroughLink(t *testing.T) {
	root := t.TempDir()
	ok(t, os.MkdirAll(filepath.Join(root, "far", "out"), 0o755))
	ok(t, os.WriteFile(filepath.Join(root, "far", "out", "a"), []byte("a"), 0o600))
	ok(t, os.Symlink(filepath.Join("far", "out"), filepath.Join(root, "out")))
	_, err := run(t, dataset.Sink{Name: "s"}, options(root, "one", calm), "rows")
	ok(t, err)
	want := map[string]string{"a": "a", "part-00000-one.parquet": "rows"}
	root = filepath.Join(root, "far")
	if now := held(t, root); !maps.Equal(now, want) {
		t.Errorf("found %v, want %v", now, want)
	}
}

// refused wants a diagnostic that a person can act on.
func refused(t *testing.T, err error, code diag.Code, text string) {
	t.Helper()
	var d *diag.Diagnostic
	if !errors.As(err, &d) || d.Code != code || !strings.Contains(d.Error(), text) || d.Hint == "" {
		t.Errorf("found %v, want %s with a hint: …%s…", err, code, text)
	}
}
