package local_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestExchangeKilled kills a process that exchanges two folders, wherever it is:
// both names stand, and one leads to each folder.
func TestExchangeKilled(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a", "b"} {
		must(t, os.Mkdir(filepath.Join(root, name), 0o777))
		must(t, os.WriteFile(filepath.Join(root, name, name), nil, 0o600))
	}
	r, _ := pipe(t)
	straight := 0
	for kill := range 30 {
		p := start(t, "exchange", root, 0, r)
		for range kill + 1 {
			if p.line() == "" {
				t.Fatal("the child stopped")
			}
		}
		p.kill(t)
		found := [2]bool{}
		for i, name := range []string{"a", "b"} {
			_, err := os.Stat(filepath.Join(root, name, "a"))
			found[i] = err == nil
			if entries, err := os.ReadDir(filepath.Join(root, name)); err != nil || len(entries) != 1 {
				t.Fatalf("%s: found %v, %v", name, entries, err)
			}
		}
		if found[0] == found[1] {
			t.Fatalf("after kill %d: found %v", kill, found)
		}
		if found[0] {
			straight++
		}
	}
	if straight == 0 || straight == 30 {
		t.Errorf("found one state alone in 30 kills")
	}
}
