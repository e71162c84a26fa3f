//go:build interop

package interop

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// suite holds what all tests share: each peer is started when a test first
// wants it and lives as long as the suite, for a Spark session takes seconds.
type suite struct {
	folder string
	spark  func() (*peer, error)
	lake   func() (*peer, error)
	// folders read folders of Parquet files: Spark 4.1, Spark 3.5, and all others.
	folders []func() (*peer, error)
	// binary builds the program and returns its path.
	binary func() (string, error)
}

var shared suite

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	folder, err := os.MkdirTemp("", "interop-")
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	var started []*peer
	var mu sync.Mutex
	launch := func(env, script string, more ...string) func() (*peer, error) {
		return sync.OnceValues(func() (*peer, error) {
			p, err := start(folder, env, script, more...)
			if err == nil {
				mu.Lock()
				defer mu.Unlock()
				started = append(started, p)
			}
			return p, err
		})
	}
	jars, err := filepath.Abs(filepath.Join(cache(), "jars41"))
	if err != nil {
		return 1, err
	}
	generator, err := generator()
	if err != nil {
		return 1, err
	}
	shared = suite{
		folder: folder,
		spark:  launch("spark41", "spark.py", jars, folder),
		lake:   launch("lake", "lake.py"),
		folders: []func() (*peer, error){
			launch("spark41", "folders.py", generator, "spark"), launch("spark35", "folders.py", generator, "spark"),
			launch("lake", "folders.py", generator, "pyarrow", "pandas", "polars", "duckdb"),
		},
		binary: sync.OnceValues(func() (string, error) {
			name := filepath.Join(folder, "landfall")
			out, err := exec.Command("go", "build", "-o", name, "landfall/cmd/landfall").CombinedOutput()
			if err != nil {
				return "", fmt.Errorf("build the program: %w\n%s", err, out)
			}
			return name, nil
		}),
	}
	code = m.Run()
	for _, p := range started {
		err = errors.Join(err, p.stop())
	}
	return code, err
}

func spark(t *testing.T) *peer { return must(t, shared.spark) }
func lake(t *testing.T) *peer  { return must(t, shared.lake) }

func must[T any](t *testing.T, get func() (T, error)) T {
	t.Helper()
	v, err := get()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// readers are all that read a table of ours.
var readers = []string{"spark", "deltalake", "polars", "duckdb"}

// read reads a table with one of the readers.
func read(t *testing.T, by, table string) (rows, error) {
	t.Helper()
	var r rows
	if by == "spark" {
		return r, spark(t).try("read", args{"path": table}, &r)
	}
	return r, lake(t).try("read", args{"path": table, "by": by}, &r)
}

// everyone fails unless all readers find exactly the wanted rows.
func everyone(t *testing.T, table string, wanted rows) {
	t.Helper()
	for _, by := range readers {
		found, err := read(t, by, table)
		if err != nil {
			t.Errorf("%s: %v", by, err)
			continue
		}
		same(t, by, found, wanted)
	}
}

// newTable returns the folder of a new table.
func newTable(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "table")
}
