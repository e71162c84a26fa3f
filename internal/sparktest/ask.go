// Package sparktest asks Spark what it makes of expressions and queries, for tests that
// hold ours against it.
package sparktest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"landfall/internal/sharedtest"
)

// Ask runs a script of Spark 4.1: SCRIPT IN OUT FOLDER, files of JSON and a folder of its
// own. The questions go in, the answers come out. Spark is that of the folder LANDFALL_CACHE,
// or of .cache of the repository; where it is missing the test fails.
func Ask(t testing.TB, script string, questions, answers any) {
	t.Helper()
	data, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.json"), filepath.Join(folder, "out.json")
	if err := os.WriteFile(in, data, 0o600); err != nil {
		t.Fatal(err)
	}
	cache := os.Getenv("LANDFALL_CACHE")
	if cache == "" {
		cache = filepath.Join(sharedtest.Repository(t), ".cache")
	}
	c := exec.CommandContext(t.Context(), filepath.Join(cache, "spark41", "bin", "python"), "-B", script, in, out, folder) //nolint:gosec // a script of the tests
	c.Env = append(os.Environ(), "TZ=UTC")
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("ask Spark: %v\n%s", err, text)
	}
	if data, err = os.ReadFile(out); err != nil { //nolint:gosec // in a folder of the test
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, answers); err != nil {
		t.Fatal(err)
	}
}
