package local

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/store"
)

func TestClassify(t *testing.T) {
	s := &Store{root: "/root"}
	for errno, want := range map[syscall.Errno]error{
		syscall.ENOENT:    store.ErrNotExist,
		syscall.ENOTDIR:   store.ErrNotExist,
		syscall.EEXIST:    store.ErrExist,
		syscall.EACCES:    store.ErrPermission,
		syscall.EPERM:     store.ErrPermission,
		syscall.ENOSPC:    store.ErrFull,
		syscall.EDQUOT:    store.ErrFull,
		syscall.EINTR:     store.ErrTransient,
		syscall.EAGAIN:    store.ErrTransient,
		syscall.ETIMEDOUT: store.ErrTransient,
		syscall.ESTALE:    store.ErrTransient,
		syscall.EIO:       syscall.EIO,
	} {
		err := s.fault("stat", "k", &os.PathError{Op: "stat", Path: "/root/k", Err: errno})
		for _, class := range []error{store.ErrNotExist, store.ErrExist, store.ErrPermission, store.ErrFull, store.ErrTransient} {
			if errors.Is(err, class) != errors.Is(want, class) {
				t.Errorf("%v (%d): is %v: %v", errno, errno, class, errors.Is(err, class))
			}
		}
		if !errors.Is(err, errno) || !strings.HasPrefix(err.Error(), "stat /root/k: ") {
			t.Errorf("found %v", err)
		}
	}
	if err := s.fault("stat", "k", nil); err != nil {
		t.Errorf("found %v, wanted nil", err)
	}
}

// writers are the two ways to create, each given the link call of a test.
func writers(t *testing.T, link func(from, to string) error) (s *Store, ways map[string]func() error) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s.link = link
	return s, map[string]func() error{
		"create": func() error { return s.Create(t.Context(), "k", []byte("data")) },
		"upload": func() error {
			u, err := s.Nest("in").Upload(t.Context(), "k")
			if err != nil {
				return err
			}
			_, err = u.Write([]byte("data"))
			_, commit := u.Commit(t.Context())
			return errors.Join(err, commit)
		},
	}
}

// TestLinkFails: without the power to create if absent nothing is created, and
// nothing stays behind; the kernel's answer decides what the user is told.
func TestLinkFails(t *testing.T) {
	for errno, want := range map[syscall.Errno]error{
		syscall.EPERM:   &diag.Diagnostic{Code: diag.NoCreateIfAbsent},
		syscall.ENOTSUP: &diag.Diagnostic{Code: diag.NoCreateIfAbsent},
		syscall.ENOSYS:  &diag.Diagnostic{Code: diag.NoCreateIfAbsent},
		syscall.EEXIST:  store.ErrExist,
		syscall.ENOSPC:  store.ErrFull,
		syscall.ESTALE:  store.ErrTransient,
	} {
		s, ways := writers(t, func(from, to string) error { return &os.LinkError{Op: "link", Old: from, New: to, Err: errno} })
		for name, way := range ways {
			if err := way(); !errors.Is(err, want) {
				t.Errorf("%s, %v: found %v, wanted %v", name, errno, err, want)
			}
		}
		for _, folder := range []string{"", "in"} {
			if left, err := os.ReadDir(s.LocalPath(folder)); err != nil || len(left) > 1-len(folder)/2 {
				t.Errorf("%v: found %v, %v in %q", errno, left, err, folder)
			}
		}
	}
}

// TestLinkAnswerLost: over a network a link is sent again when its answer was
// lost, and finds itself.
func TestLinkAnswerLost(t *testing.T) {
	s, ways := writers(t, func(from, to string) error {
		if err := os.Link(from, to); err != nil {
			return err
		}
		return os.Link(from, to)
	})
	for name, way := range ways {
		if err := way(); err != nil {
			t.Errorf("%s: found %v", name, err)
		}
		if err := way(); !errors.Is(err, store.ErrExist) {
			t.Errorf("%s again: found %v, wanted %v", name, err, store.ErrExist)
		}
	}
	for _, key := range []string{"k", "in/k"} {
		if data, err := store.Read(t.Context(), s, key); string(data) != "data" {
			t.Errorf("%s: found %q, %v", key, data, err)
		}
	}
}

// TestShortUpload: an upload of which a write has failed is not committed.
func TestShortUpload(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	up, err := s.Upload(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	u := up.(*upload)
	whole := u.t.f
	if u.t.f, err = os.Open(whole.Name()); err != nil { // not open for writing
		t.Fatal(err)
	}
	if _, err := u.Write([]byte("x")); err == nil {
		t.Fatal("the write did not fail")
	}
	if _, err := u.Commit(t.Context()); !errors.Is(err, errShort) {
		t.Errorf("found %v, wanted %v", err, errShort)
	}
	if left, err := os.ReadDir(s.root); err != nil || len(left) != 0 {
		t.Errorf("found %v, %v", left, err)
	}
	if err := whole.Close(); err != nil {
		t.Error(err)
	}
}
