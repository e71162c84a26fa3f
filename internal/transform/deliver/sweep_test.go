package deliver_test

import (
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
	"time"

	"landfall/internal/engine"
	"landfall/internal/flow/dataset"
	"landfall/internal/plan"
	"landfall/internal/store"
	"landfall/internal/store/local"
	"landfall/internal/transform/deliver"
)

// machine is a disk whose calls ask first.
type machine struct {
	ask func(op, path string) error
}

func (m machine) Open(folder string) (store.Store, error) { return local.Open(folder) }

func (m machine) Publish(ctx context.Context, folder, to string) error {
	if err := m.ask("publish", to); err != nil {
		return err
	}
	s, err := local.Open(folder)
	if err != nil {
		return err
	}
	return s.Publish(ctx, to)
}

func (m machine) Exchange(ctx context.Context, a, b string) error {
	if err := m.ask("exchange", a); err != nil {
		return err
	}
	return local.Exchange(ctx, a, b)
}

func calm(string, string) error { return nil }

func options(root, run string, ask func(op, path string) error) deliver.Options {
	now := func() time.Time { return time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC) }
	return deliver.Options{Folder: filepath.Join(root, "out"), Run: run, Disk: machine{ask}, Now: now}.Before(ask)
}

// write writes an output aside: files by name in the engine's folder, with their content.
func write(t *testing.T, d *deliver.Delivery, files map[string]string) error {
	t.Helper()
	out, err := d.Output(t.Context(), &plan.Step{})
	if err != nil {
		return err
	}
	var written []engine.Written
	for i, name := range slices.Sorted(maps.Keys(files)) {
		at := filepath.Join(out.To.Folder, filepath.FromSlash(name))
		ok(t, os.MkdirAll(filepath.Dir(at), 0o755))
		ok(t, os.WriteFile(at, []byte(files[name]), 0o600))
		written = append(written, engine.Written{Path: name, Rows: 1, Size: int64(len(files[name])), Number: i})
	}
	return d.Take(written)
}

// run writes and publishes an output of one file.
func run(t *testing.T, s dataset.Sink, o deliver.Options, content string) (deliver.Output, error) {
	t.Helper()
	d, err := deliver.Prepare(t.Context(), s, o)
	if err != nil {
		return deliver.Output{}, err
	}
	if err := write(t, d, map[string]string{"part.parquet": content}); err != nil {
		return deliver.Output{}, errors.Join(err, d.Discard())
	}
	out, err := d.Publish(t.Context(), []byte("{}\n"))
	return out, errors.Join(err, d.Discard())
}

// held are the files of the folder with their contents.
func held(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	folder := filepath.Join(root, "out")
	ok(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		rel, err := filepath.Rel(folder, path)
		ok(t, err)
		data, err := os.ReadFile(path)
		out[rel] = string(data)
		return err
	}))
	return out
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sweepCase is a folder and a sink.
type sweepCase struct {
	name     string
	sink     dataset.Sink
	old      map[string]string
	after    map[string]string // what the first run makes of it
	late     bool              // somebody writes a file as the folder is exchanged
	again    map[string]string // what a second run makes of the old
	againNew map[string]string // and of what the first run made
}

func sweepCases() []sweepCase {
	first := map[string]string{"a.parquet": "old a", "k=1/b.parquet": "old b"}
	one, two := "part-00000-one.parquet", "part-00000-two.parquet"
	return []sweepCase{
		{
			name: "empty", sink: dataset.Sink{Name: "s"}, old: nil, after: map[string]string{one: "new"},
			again: map[string]string{two: "newer"}, againNew: map[string]string{one: "new", two: "newer"},
		},
		{
			name: "append", sink: dataset.Sink{Name: "s"}, old: first, late: true, after: with(first, one, "new"),
			again: with(first, two, "newer"), againNew: with(with(first, one, "new"), two, "newer"),
		},
		{
			name: "truncate", sink: dataset.Sink{Name: "s", Truncate: true}, old: first, late: true, after: map[string]string{one: "new"},
			again: map[string]string{two: "newer"}, againNew: map[string]string{two: "newer"},
		},
		{
			name: "replace one", sink: dataset.Sink{Name: "s", Naming: dataset.Naming{Files: []string{"a.parquet"}}}, old: first, late: true,
			after: with(first, "a.parquet", "new"), again: with(first, "a.parquet", "newer"), againNew: with(first, "a.parquet", "newer"),
		},
	}
}

func with(m map[string]string, name, content string) map[string]string {
	out := maps.Clone(m)
	out[name] = content
	return out
}

var errDied = errors.New("died")

// faults fails the n-th call, and all after it if the process dies there.
type faults struct {
	at, calls int
	dies      bool
	late      func()
}

func (f *faults) ask(op, path string) error {
	f.calls++
	if f.calls == f.at || f.dies && f.calls > f.at {
		return fmt.Errorf("%s %s: %w", op, path, errDied)
	}
	if op == "exchange" && !strings.Contains(path, ".landfall-") && f.late != nil {
		f.late()
		f.late = nil
	}
	return nil
}

// TestSweep lets each call of the file system fail, or a process die there. The folder
// holds what it did or what the run makes of it, and the next run ends well.
func TestSweep(t *testing.T) {
	for _, c := range sweepCases() {
		for _, dies := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s dies=%v", c.name, dies), func(t *testing.T) {
				n := 1
				for ; sweepOne(t, c, &faults{at: n, dies: dies}); n++ {
				}
				if n < 10 {
					t.Errorf("found %d calls, want more: are they counted?", n)
				}
			})
		}
	}
}

// sweepOne reports whether the call to fail was reached.
func sweepOne(t *testing.T, c sweepCase, f *faults) bool {
	t.Helper()
	root := t.TempDir()
	for name, content := range c.old {
		at := filepath.Join(root, "out", name)
		ok(t, os.MkdirAll(filepath.Dir(at), 0o755))
		ok(t, os.WriteFile(at, []byte(content), 0o600))
	}
	wrote := false
	if c.late {
		f.late = func() {
			wrote = true
			ok(t, os.WriteFile(filepath.Join(root, "out", "late.parquet"), []byte("late"), 0o600))
		}
	}
	_, err := run(t, c.sink, options(root, "one", f.ask), "new")
	if err != nil && !errors.Is(err, errDied) {
		t.Fatalf("call %d: %v", f.at, err)
	}
	now := held(t, root)
	delete(now, "late.parquet") // dead runs have it aside, until the next brings it
	isNew := maps.Equal(now, c.after)
	if !isNew && !maps.Equal(now, c.old) {
		t.Fatalf("call %d: found %v, want all of %v or all of %v", f.at, now, c.old, c.after)
	}
	if err == nil && !isNew {
		t.Fatalf("call %d: found %v after a run without an error", f.at, now)
	}
	if f.calls < f.at {
		return false
	}
	next(t, c, f, root, isNew, wrote)
	return true
}

// next runs once more, and nothing fails.
func next(t *testing.T, c sweepCase, f *faults, root string, isNew, wrote bool) {
	t.Helper()
	if _, err := run(t, c.sink, options(root, "two", calm), "newer"); err != nil {
		t.Fatalf("call %d: the next run: %v", f.at, err)
	}
	want := c.again
	if isNew {
		want = c.againNew
	}
	if wrote && !c.sink.Truncate {
		want = with(want, "late.parquet", "late")
	}
	if now := held(t, root); !maps.Equal(now, want) {
		t.Fatalf("call %d: found %v after the next run, want %v", f.at, now, want)
	}
	entries, err := os.ReadDir(root)
	ok(t, err)
	if len(entries) != 2 {
		t.Fatalf("call %d: found %v beside the folder, want its runs alone", f.at, entries)
	}
	runs := 1
	if isNew {
		runs++
	}
	if noted, err := os.ReadDir(filepath.Join(root, "_out.runs")); err != nil || len(noted) != runs {
		t.Fatalf("call %d: found %v, %v noted down, want %d runs", f.at, noted, err, runs)
	}
}
