package local

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"landfall/internal/store"
)

// desk is what one worker works with, step after step.
type desk struct {
	// dirents is what folders are read into, most and long the number and the length
	// of the names of the last one.
	dirents    []byte
	most, long int
	// text is where the keys and versions of a run come from, and cuts where in it
	// each of them ends.
	text []byte
	cuts [runLength][2]int
}

// reading is a folder that is read, or was.
type reading struct {
	base  string
	above []fs.FileInfo
	d     *folder
	found *names
	// whole tells that all names were read.
	whole bool
	// users is the number of steps that it is open for, held that of the names that
	// the listing knows of.
	users, held int
}

// read reads the folder of a step, or reads on in it. It becomes the reading of the
// step; a folder that is gone, or inside itself, has none.
func (l *listing) read(s *step, desk *desk) {
	if s.in == nil {
		d, err := l.enter(s)
		if d == nil {
			l.fail(s, s.base, err)
			return
		}
		found := &names{all: make([]name, 0, desk.most)}
		found.text.Grow(desk.long)
		s.in = &reading{base: s.base, above: s.above, d: d, found: found, users: 1}
	}
	found := s.in.found
	var err error
	if s.in.whole, err = l.names(s, desk); err != nil {
		s.err, s.at = err, s.base
		return
	}
	if !s.in.whole {
		return
	}
	found.sort()
	// What was read of a large folder is no measure of the next one.
	desk.most, desk.long = min(len(found.all), runLength*window), min(found.text.Len(), 32*runLength*window)
}

// fail ends a step with an error. What has vanished since its name was read, or was
// never there, is none.
func (l *listing) fail(s *step, at string, err error) {
	if !isDangling(err) {
		s.err, s.at = err, at
	}
}

// enter opens the folder of a step, or the one below it that the prefix names. It
// returns nil if there is nothing to be read.
func (l *listing) enter(s *step) (*folder, error) {
	for {
		path := l.s.LocalPath(strings.TrimSuffix(s.base, "/"))
		rest, ok := strings.CutPrefix(l.prefix, s.base)
		name, _, more := strings.Cut(rest, "/")
		if !ok || !more {
			d, err := l.s.open(path)
			if err != nil {
				return nil, err
			}
			self, err := d.f.Stat()
			if err == nil && s.descend(self) {
				return d, nil
			}
			d.close()
			return nil, err
		}
		// While the prefix names the next folder in full, nothing else is looked at.
		self, err := os.Stat(path)
		if err != nil || !s.descend(self) || store.CheckKey(name) != nil || l.passed(s.base+name+"/") {
			return nil, err
		}
		s.base += name + "/"
	}
}

// descend takes note of a folder that the step goes through; it tells whether that is
// one, and not inside itself.
func (s *step) descend(self fs.FileInfo) bool {
	if !self.IsDir() || slices.ContainsFunc(s.above, func(a fs.FileInfo) bool { return os.SameFile(a, self) }) {
		return false
	}
	s.above = append(s.above[:len(s.above):len(s.above)], self)
	return true
}

// names reads the names in a folder that can matter; whole is false if the listing
// may not hold them all yet. A folder that vanishes meanwhile has no more.
func (l *listing) names(s *step, desk *desk) (whole bool, err error) {
	found, d := s.in.found, s.in.d
	var odd error
	whole, err = d.read(&desk.dirents, func(name []byte, kind kind) {
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
		if l.wanted(s.base, name, kind) && (kind == aFolder || !isTemp(string(name))) {
			found.add(name, kind)
		}
	}, func() bool { return l.mayHold(s, len(found.all)) })
	if isDangling(err) {
		return whole || err != nil, odd
	}
	return false, errors.Join(err, odd)
}

// wanted reports whether a file is to be listed, or whether a folder may hold
// such a file.
func (l *listing) wanted(base string, name []byte, kind kind) bool {
	if l.prefix == "" && l.after == "" {
		return true
	}
	key := base + string(name)
	if kind == aFolder {
		key += "/"
		return (strings.HasPrefix(key, l.prefix) || strings.HasPrefix(l.prefix, key)) && !l.passed(key)
	}
	return strings.HasPrefix(key, l.prefix) && key > l.after
}

// passed reports whether all keys of a folder sort before the wanted ones.
func (l *listing) passed(folder string) bool {
	return l.after > folder && !strings.HasPrefix(l.after, folder)
}

// look looks at the files of a run.
func (l *listing) look(s *step, desk *desk) {
	of, cuts := s.of, &desk.cuts
	desk.text = desk.text[:0]
	// The strings are cut out of one when all of it is written.
	for i := s.from; i < s.to && s.err == nil && !l.over.Load(); i++ {
		name := of.found.key(i)
		m, err := of.d.stat(name)
		if err != nil || m.kind != aFile {
			l.fail(s, of.base+name, err) // another thing by now is no error
			continue
		}
		desk.text = append(append(desk.text, of.base...), name...)
		cut := &cuts[len(s.infos)]
		cut[0] = len(desk.text)
		desk.text = m.appendVersion(desk.text)
		cut[1] = len(desk.text)
		s.infos = append(s.infos, store.Info{Size: m.size, ModTime: m.modTime()})
	}
	text, start := string(desk.text), 0
	for i := range s.infos {
		s.infos[i].Key, s.infos[i].Version = text[start:cuts[i][0]], text[cuts[i][0]:cuts[i][1]]
		start = cuts[i][1]
	}
}

func isDangling(err error) bool {
	return err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
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
