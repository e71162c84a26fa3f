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
	"time"

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
	// infos and text are those of the run at hand; text is where its keys and
	// versions come from.
	infos []store.Info
	text  []byte
	// cuts are where in text each key and each version of the run ends.
	cuts [runLength][2]int
	// dirents is what folders are read into, most the number and the length of the
	// names of the last one.
	dirents    []byte
	most, long int
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
	d, err := openFolder(path)
	if err != nil {
		return w.fail(base, err)
	}
	defer d.close()
	found, err := w.names(base, d)
	if err != nil {
		return w.fail(base, err)
	}
	return w.entries(base, d, found, above)
}

// names returns the names in a folder that can matter, in the order of their keys.
func (w *walk) names(base string, d *folder) (*names, error) {
	found := &names{all: make([]name, 0, w.most)}
	found.text.Grow(w.long)
	var odd error
	err := d.read(&w.dirents, func(name []byte, kind kind) {
		if kind == other || odd != nil {
			return
		}
		if kind == unknown {
			m, err := d.stat(string(name))
			if err != nil {
				if !isDangling(err) {
					odd = err
				}
				return
			}
			if kind = m.kind; kind == other {
				return
			}
		}
		if w.wanted(base, name, kind) && (kind == aFolder || !isTemp(string(name))) {
			found.add(name, kind)
		}
	})
	w.most, w.long = len(found.all), found.text.Len()
	found.sort()
	return found, errors.Join(err, odd)
}

// wanted reports whether a file is to be listed, or whether a folder may hold
// such a file.
func (w *walk) wanted(base string, name []byte, kind kind) bool {
	if w.prefix == "" && w.after == "" {
		return true
	}
	key := base + string(name)
	if kind == aFolder {
		key += "/"
		return (strings.HasPrefix(key, w.prefix) || strings.HasPrefix(w.prefix, key)) && !w.passed(key)
	}
	return strings.HasPrefix(key, w.prefix) && key > w.after
}

// passed reports whether all keys of a folder sort before the wanted ones.
func (w *walk) passed(folder string) bool {
	return w.after > folder && !strings.HasPrefix(w.after, folder)
}

// runLength is the number of files that are looked at before the first of them is
// yielded: their keys and versions share one string.
const runLength = 512

// entries lists what the names of a folder stand for.
func (w *walk) entries(base string, d *folder, found *names, above []fs.FileInfo) bool {
	for from := 0; from < len(found.all); {
		if found.all[from].kind == aFolder {
			if err := w.cancelled(); err != nil {
				return w.fail(base, err)
			}
			if !w.folder(base+found.key(from), above) {
				return false
			}
			from++
			continue
		}
		to := from + 1
		for to < len(found.all) && to-from < runLength && found.all[to].kind == aFile {
			to++
		}
		if !w.run(base, d, found, from, to) {
			return false
		}
		from = to
	}
	return true
}

// run lists the files from..to of a folder.
func (w *walk) run(base string, d *folder, found *names, from, to int) bool {
	w.infos, w.text = w.infos[:0], w.text[:0]
	// The strings are cut out of one when all of it is written.
	cuts := &w.cuts
	var failed error
	at := ""
	for i := from; i < to && failed == nil; i++ {
		name := found.key(i)
		m, err := d.stat(name)
		switch {
		case isDangling(err) || err == nil && m.kind != aFile:
			continue // it vanished since its name was read, or is another thing by now
		case err != nil:
			failed, at = err, name
			continue
		}
		w.text = append(append(w.text, base...), name...)
		cut := &cuts[len(w.infos)]
		cut[0] = len(w.text)
		w.text = m.appendVersion(w.text)
		cut[1] = len(w.text)
		w.infos = append(w.infos, store.Info{Size: m.size, ModTime: m.modTime()})
	}
	text, start := string(w.text), 0
	for i, info := range w.infos {
		info.Key, info.Version = text[start:cuts[i][0]], text[cuts[i][0]:cuts[i][1]]
		start = cuts[i][1]
		if err := w.cancelled(); err != nil {
			return w.fail(info.Key, err)
		}
		if !w.yield(info, nil) {
			return false
		}
	}
	return failed == nil || w.fail(base+at, failed)
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
	return err != nil && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP))
}

// kind is what a name stands for.
type kind uint8

const (
	other   kind = iota // no object
	unknown             // a link, or a file system that does not tell before it is asked
	aFile
	aFolder
)

// meta is what a listing asks of a file.
type meta struct {
	kind  kind
	size  int64
	sec   int64
	nsec  int64
	inode uint64
}

func (m meta) modTime() time.Time { return time.Unix(m.sec, m.nsec) }
