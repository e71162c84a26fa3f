package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"landfall/internal/diag"
	"landfall/internal/store"
)

// Temporary files have names of this form. Hidden from other tools by the dot,
// and from our listings by isTemp.
const tempPrefix, tempSuffix = ".landfall-", ".tmp"

func isTemp(name string) bool {
	return strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempSuffix)
}

// Create implements [store.Store].
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	// A taken key is the common case when writers race: see it before writing.
	if _, err := s.stat(ctx, key); err == nil {
		return s.fault("create", key, store.ErrExist)
	}
	t, err := s.temp(ctx, key)
	if err != nil {
		return s.fault("create", key, err)
	}
	_, err = t.f.Write(data)
	if err != nil {
		return s.fault("create", key, errors.Join(err, t.drop()))
	}
	_, err = s.commit(t, false)
	return s.fault("create", key, err)
}

// Replace implements [store.Store].
func (s *Store) Replace(ctx context.Context, key string, data []byte) error {
	t, err := s.temp(ctx, key)
	if err != nil {
		return s.fault("replace", key, err)
	}
	if _, err = t.f.Write(data); err != nil {
		return s.fault("replace", key, errors.Join(err, t.drop()))
	}
	_, err = s.commit(t, true)
	return s.fault("replace", key, err)
}

// Upload implements [store.Store].
func (s *Store) Upload(ctx context.Context, key string) (store.Upload, error) {
	t, err := s.temp(ctx, key)
	if err != nil {
		return nil, s.fault("upload", key, err)
	}
	return &upload{s: s, t: t}, nil
}

type upload struct {
	s     *Store
	t     *temp
	ended bool
	short bool // a write failed, so the content is not what the writer means
}

var (
	errEnded = errors.New("upload has ended")
	errShort = errors.New("an earlier write failed")
)

func (u *upload) Write(p []byte) (int, error) {
	if u.ended {
		return 0, u.s.fault("write", u.t.key, errEnded)
	}
	n, err := u.t.f.Write(p)
	u.short = u.short || err != nil
	return n, u.s.fault("write", u.t.key, err)
}

// Commit ends the upload, whatever it answers.
func (u *upload) Commit(ctx context.Context) (store.Info, error) {
	if u.ended {
		return store.Info{}, u.s.fault("commit", u.t.key, errEnded)
	}
	u.ended = true
	err := ctx.Err()
	if u.short {
		err = errors.Join(err, errShort)
	}
	if err != nil {
		return store.Info{}, u.s.fault("commit", u.t.key, errors.Join(err, u.t.drop()))
	}
	info, err := u.s.commit(u.t, false)
	if err != nil {
		return store.Info{}, u.s.fault("commit", u.t.key, err)
	}
	return info, nil
}

func (u *upload) Abort(context.Context) error {
	if u.ended {
		return nil
	}
	u.ended = true
	return u.s.fault("abort", u.t.key, u.t.drop())
}

// temp is a file under a temporary name, in the folder where it will stay.
type temp struct {
	f    *os.File
	key  string
	path string // where it will stay
}

// temp makes a temporary file for a key, and the folder for it.
func (s *Store) temp(ctx context.Context, key string) (*temp, error) {
	if err := check(ctx, key); err != nil {
		return nil, err
	}
	path := s.LocalPath(key)
	if isTemp(filepath.Base(path)) {
		return nil, fmt.Errorf("found a name of the form %s*%s, wanted one that is not reserved", tempPrefix, tempSuffix)
	}
	folder := filepath.Dir(path)
	if err := s.makeFolder(folder); err != nil {
		return nil, err
	}
	f, err := newFile(folder)
	if errors.Is(err, fs.ErrNotExist) { // someone removed the folder that we knew
		s.durable.Clear()
		if err = s.makeFolder(folder); err == nil {
			f, err = newFile(folder)
		}
	}
	if err != nil {
		return nil, err
	}
	return &temp{f, key, path}, nil
}

// newFile makes a file under a name that is new in the folder. Unlike that of
// [os.CreateTemp] its mode is what the user's umask leaves, as it will stay.
func newFile(folder string) (*os.File, error) {
	for {
		nonce := rand.Uint64() //nolint:forbidigo // differs between machines that share the folder; nothing else depends on it
		name := fmt.Sprintf("%s%d-%016x%s", tempPrefix, os.Getpid(), nonce, tempSuffix)
		f, err := os.OpenFile(filepath.Join(folder, name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// drop removes the file.
func (t *temp) drop() error {
	return errors.Join(t.f.Close(), os.Remove(t.f.Name()))
}

// commit syncs the file, gives it its name by one step, a link or a rename, and
// syncs the folder. The temporary name is gone afterwards. An error after that
// step leaves the object visible, but perhaps not durable.
func (s *Store) commit(t *temp, replace bool) (store.Info, error) {
	give := s.link
	if replace {
		give = os.Rename
	}
	info, err := t.give(give)
	if err != nil {
		return store.Info{}, errors.Join(err, t.drop())
	}
	if !replace {
		// The temporary name is now a second name of the file. If it cannot be
		// removed, the object is there all the same; a sweep tries again.
		_ = os.Remove(t.f.Name())
	}
	if err := errors.Join(syncFolder(filepath.Dir(t.path)), t.f.Close()); err != nil {
		return store.Info{}, err
	}
	return info, nil
}

func (t *temp) give(give func(from, to string) error) (store.Info, error) {
	if err := t.f.Sync(); err != nil {
		return store.Info{}, err
	}
	info, err := statOpen(t.key, t.f)
	if err != nil {
		return store.Info{}, err
	}
	switch err = give(t.f.Name(), t.path); {
	case err == nil || t.linked(err):
		return info, nil
	case isUnsupported(err):
		return store.Info{}, diag.New(diag.NoCreateIfAbsent, "%s: the file system has no hard links, so a file cannot be created only if absent", filepath.Dir(t.path)).
			Hinted("put the table on a local disk or another file system with hard links").Because(err)
	}
	return store.Info{}, err
}

// linked reports whether a link that answered "exists" is ours all the same:
// over NFS a request may be sent again after its first answer was lost.
func (t *temp) linked(err error) bool {
	if !errors.Is(err, fs.ErrExist) {
		return false
	}
	ours, err := t.f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(t.path)
	return err == nil && os.SameFile(ours, there)
}

// isUnsupported tells the answers of file systems without hard links. EPERM is
// Linux's; the file is our own, so it means nothing else.
func isUnsupported(err error) bool {
	var link *os.LinkError
	if !errors.As(err, &link) || link.Op != "link" {
		return false
	}
	for _, e := range []syscall.Errno{syscall.EPERM, syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.EXDEV} {
		if errors.Is(link.Err, e) {
			return true
		}
	}
	return false
}

// makeFolder makes a folder and its parents, durably. Another process may have
// made one a moment ago and not synced it yet, so each is made sure of once.
func (s *Store) makeFolder(folder string) error {
	if _, known := s.durable.Load(folder); known {
		return nil
	}
	parent := filepath.Dir(folder)
	if folder != s.top && parent != folder {
		if err := s.makeFolder(parent); err != nil {
			return err
		}
	}
	made, err := mkdir(folder)
	if err != nil {
		return err
	}
	// A root that was there may lie in a folder that is closed to us.
	if err := syncFolder(parent); err != nil && (made || !errors.Is(err, fs.ErrPermission)) {
		return err
	}
	s.durable.Store(folder, true)
	return nil
}

// mkdir makes a folder unless it is there. Only the root can lack parents; those
// are made first.
func mkdir(folder string) (made bool, err error) {
	err = os.Mkdir(folder, 0o777)
	if parent := filepath.Dir(folder); errors.Is(err, fs.ErrNotExist) && parent != folder {
		if _, err = mkdir(parent); err == nil {
			err = syncFolder(filepath.Dir(parent))
		}
		if err != nil {
			return false, err
		}
		err = os.Mkdir(folder, 0o777)
	}
	if errors.Is(err, fs.ErrExist) {
		return false, nil // if it is a file, the next step says so
	}
	return err == nil, err
}

// syncFolder makes the names in a folder durable.
func syncFolder(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil // the file system knows no such call and orders names itself
	}
	return errors.Join(err, f.Close())
}
