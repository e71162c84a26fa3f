package local

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
	"syscall"

	"landfall/internal/store"
)

// List implements [store.Store]. It reads one folder at a time, and only
// folders that can hold a wanted key. Links are followed; a folder inside
// itself is not. Names that are not UTF-8 become keys as they are.
func (s *Store) List(ctx context.Context, prefix, after string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		w := walk{s: s, prefix: prefix, after: after, yield: yield, cancelled: ctx.Err}
		w.folder("", nil)
	}
}

// walk is one listing.
type walk struct {
	s             *Store
	prefix, after string
	yield         func(store.Info, error) bool
	cancelled     func() error
}

// entry is a name in a folder; that of a folder ends in a slash, so that names
// sort as the keys do.
type entry struct {
	name string
	info fs.FileInfo // nil unless it is already known
}

// folder lists the folder whose keys begin with base; above are the folders it
// lies in. It returns false to end the listing.
func (w *walk) folder(base string, above []fs.FileInfo) bool {
	path := w.s.LocalPath(strings.TrimSuffix(base, "/"))
	self, err := os.Stat(path)
	switch {
	case err != nil:
		return w.fail(base, err)
	case !self.IsDir():
		return true
	case slices.ContainsFunc(above, func(a fs.FileInfo) bool { return os.SameFile(a, self) }):
		return true
	}
	above = append(above[:len(above):len(above)], self)
	// While the prefix names the next folder in full, nothing else is looked at.
	if rest, ok := strings.CutPrefix(w.prefix, base); ok {
		if name, _, more := strings.Cut(rest, "/"); more {
			if store.CheckKey(name) != nil || w.passed(base+name+"/") {
				return true
			}
			return w.folder(base+name+"/", above)
		}
	}
	entries, err := w.read(base, path)
	if err != nil {
		return w.fail(base, err)
	}
	for _, e := range entries {
		if !w.entry(base, e, above) {
			return false
		}
	}
	return true
}

// read returns the entries of a folder that can matter, in order.
func (w *walk) read(base, path string) ([]entry, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	found, err := f.ReadDir(-1)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	entries := make([]entry, 0, len(found))
	for _, d := range found {
		e := entry{name: d.Name()}
		folder := d.IsDir()
		if d.Type()&fs.ModeSymlink != 0 {
			e.info, err = os.Stat(path + "/" + e.name)
			if isDangling(err) {
				continue
			}
			if err != nil {
				return nil, err
			}
			folder = e.info.IsDir()
		} else if !folder && !d.Type().IsRegular() {
			continue
		}
		if folder {
			e.name += "/"
		}
		if w.wanted(base+e.name, folder) && (folder || !isTemp(e.name)) {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return entries, nil
}

// wanted reports whether a file is to be listed, or whether a folder may hold
// such a file.
func (w *walk) wanted(key string, folder bool) bool {
	if folder {
		return (strings.HasPrefix(key, w.prefix) || strings.HasPrefix(w.prefix, key)) && !w.passed(key)
	}
	return strings.HasPrefix(key, w.prefix) && key > w.after
}

// passed reports whether all keys of a folder sort before the wanted ones.
func (w *walk) passed(folder string) bool {
	return w.after > folder && !strings.HasPrefix(w.after, folder)
}

func (w *walk) entry(base string, e entry, above []fs.FileInfo) bool {
	if err := w.cancelled(); err != nil {
		return w.fail(base, err)
	}
	key := base + e.name
	if strings.HasSuffix(key, "/") {
		return w.folder(key, above)
	}
	fi := e.info
	if fi == nil {
		var err error
		if fi, err = os.Stat(w.s.LocalPath(key)); err != nil {
			return w.fail(key, err)
		}
	}
	info, err := infoOf(key, fi)
	if err != nil {
		return w.fail(key, err)
	}
	return w.yield(info, nil)
}

// fail yields an error and ends the listing. What has vanished since its name
// was read, or was never there, is no error.
func (w *walk) fail(key string, err error) bool {
	if isDangling(err) {
		return true
	}
	w.yield(store.Info{}, w.s.fault("list", key, err))
	return false
}

func isDangling(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}
