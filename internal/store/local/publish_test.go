package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"landfall/internal/store"
	"landfall/internal/store/local"
)

// A folder takes a free name, or that of an empty folder, with all that it has and
// nothing that killed writers left; what is there already stays.
func TestPublish(t *testing.T) {
	for name, c := range map[string]struct {
		there func(to string) error
		taken bool
	}{
		"free":    {func(string) error { return nil }, false},
		"empty":   {func(to string) error { return os.Mkdir(to, 0o755) }, false},
		"a file":  {func(to string) error { return os.WriteFile(to, []byte("x"), 0o600) }, true},
		"a link":  {func(to string) error { return os.Symlink(filepath.Dir(to), to) }, true},
		"no room": {func(to string) error { return os.MkdirAll(filepath.Join(to, "sub"), 0o755) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			to := filepath.Join(root, "to")
			s, err := local.Open(filepath.Join(root, "from"))
			if err == nil {
				err = s.Create(t.Context(), "k/v", []byte("data"))
			}
			if err == nil {
				err = os.MkdirAll(filepath.Join(root, "from", "log", "parts"), 0o755)
			}
			if err == nil {
				err = c.there(to)
			}
			if err != nil {
				t.Fatal(err)
			}
			err = s.Publish(t.Context(), to)
			if c.taken {
				if !errors.Is(err, store.ErrExist) {
					t.Errorf("found %v, want %v", err, store.ErrExist)
				}
				if data, err := os.ReadFile(filepath.Join(root, "from", "k", "v")); string(data) != "data" {
					t.Errorf("found %q, %v", data, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if data, err := os.ReadFile(filepath.Join(to, "k", "v")); string(data) != "data" {
				t.Errorf("found %q, %v", data, err)
			}
			for _, gone := range []string{filepath.Join(root, "from"), filepath.Join(to, "log")} {
				if _, err := os.Lstat(gone); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%s: found %v, want it gone", gone, err)
				}
			}
		})
	}
}
