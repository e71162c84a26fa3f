package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"landfall/internal/diag"
)

// two makes two folders with a file each, which holds the folder's first name.
func two(t *testing.T) (a, b string) {
	t.Helper()
	root := t.TempDir()
	a, b = filepath.Join(root, "orders"), filepath.Join(root, "it's v2", "orders")
	for _, folder := range []string{a, b} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "who"), []byte(folder), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return a, b
}

// who is which of the two folders has a name.
func who(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(name, "who"))
	if err != nil {
		t.Error(err)
	}
	return string(data)
}

// TestExchange holds that the names change, and change back, while those who look
// at both never miss one.
func TestExchange(t *testing.T) {
	a, b := two(t)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for looked := 0; ; looked++ {
				select {
				case <-done:
					if looked == 0 {
						t.Error("a reader never looked")
					}
					return
				default:
				}
				for _, name := range []string{a, b} {
					if _, err := os.Stat(name); err != nil {
						t.Error(err)
					}
					if found := who(t, name); found != a && found != b {
						t.Errorf("%s holds %q", name, found)
					}
				}
			}
		})
	}
	for i := range 101 {
		if err := Exchange(t.Context(), a, b); err != nil {
			t.Fatal(err)
		}
		if found := who(t, a); (found == b) != (i%2 == 0) {
			t.Fatalf("after %d exchanges %s holds %s", i+1, a, found)
		}
	}
	close(done)
	readers.Wait()
	if who(t, a) != b || who(t, b) != a {
		t.Errorf("found %s and %s", who(t, a), who(t, b))
	}
}

func TestExchangeRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, a, b string) (string, string)
		code   diag.Code
		says   string
	}{
		"missing":      {func(_ *testing.T, a, b string) (string, string) { return a, b + "x" }, diag.FolderMissing, "does not exist"},
		"below a file": {func(_ *testing.T, a, b string) (string, string) { return a, filepath.Join(b, "who", "x") }, diag.FolderMissing, "does not exist"},
		"a file":       {func(_ *testing.T, a, b string) (string, string) { return filepath.Join(a, "who"), b }, diag.NoExchange, "no folder"},
		"one folder":   {func(_ *testing.T, a, _ string) (string, string) { return a, a + "/." }, diag.NoExchange, "one folder"},
		"within": {func(t *testing.T, a, _ string) (string, string) {
			inner := filepath.Join(a, "copy")
			if err := os.Mkdir(inner, 0o777); err != nil {
				t.Fatal(err)
			}
			return a, inner
		}, diag.NoExchange, "within"},
		"within by way of a link": {func(t *testing.T, a, b string) (string, string) {
			way := filepath.Join(b, "way")
			if err := errors.Join(os.Mkdir(filepath.Join(a, "copy"), 0o777), os.Symlink(a, way)); err != nil {
				t.Fatal(err)
			}
			return filepath.Join(way, "copy"), a
		}, diag.NoExchange, "within"},
		"a link": {func(t *testing.T, a, b string) (string, string) {
			link := a + "-link"
			if err := os.Symlink(a, link); err != nil {
				t.Fatal(err)
			}
			return link, b
		}, diag.NoExchange, "symbolic link"},
		"a dead link": {func(t *testing.T, a, b string) (string, string) {
			link := a + "-link"
			if err := os.Symlink("nowhere", link); err != nil {
				t.Fatal(err)
			}
			return link, b
		}, diag.NoExchange, "symbolic link"},
		"a mount point":       {func(_ *testing.T, a, _ string) (string, string) { return a, "/proc" }, diag.NoExchange, "mount point"},
		"the root":            {func(_ *testing.T, a, _ string) (string, string) { return a, "/" }, diag.NoExchange, "mount point"},
		"another file system": {func(_ *testing.T, a, _ string) (string, string) { return a, "/proc/self" + "/task" }, diag.NoExchange, "two file systems"},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := two(t)
			x, y := c.change(t, a, b)
			err := Exchange(t.Context(), x, y)
			if !errors.Is(err, &diag.Diagnostic{Code: c.code}) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("found %v, wanted %s that says %q", err, c.code, c.says)
			}
			if who(t, a) != a || who(t, b) != b {
				t.Error("the folders were exchanged all the same")
			}
		})
	}
}

// TestExchangeFaults gives what systems answer that cannot, or may not.
func TestExchangeFaults(t *testing.T) {
	a, b := two(t)
	for errno, code := range map[error]diag.Code{
		syscall.EXDEV:         diag.NoExchange,
		syscall.EBUSY:         diag.NoExchange,
		syscall.EINVAL:        diag.NoExchange,
		syscall.ENOSYS:        diag.NoExchange,
		errors.ErrUnsupported: diag.NoExchange,
		syscall.EACCES:        diag.NoPermission,
		syscall.EPERM:         diag.NoPermission,
		syscall.EROFS:         "",
		syscall.EIO:           "",
	} {
		err := exchangeBy(t.Context(), a, b, func(_, _ string) error { return errno })
		if diag.CodeOf(err) != code || !errors.Is(err, errno) {
			t.Errorf("%v: found %v, wanted %q", errno, err, code)
		}
		if code == diag.NoExchange {
			want := "mv '" + a + "' '" + a + "_before' && mv '" + strings.ReplaceAll(b, "'", `'\''`) + "' '" + a + "'"
			if text := diag.Render(err, false); !strings.Contains(text, want) {
				t.Errorf("%v: found no %s in %s", errno, want, text)
			}
		}
	}
}

func TestExchangeCancelled(t *testing.T) {
	a, b := two(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Exchange(ctx, a, b); !errors.Is(err, context.Canceled) || who(t, a) != a {
		t.Errorf("found %v", err)
	}
}
