package deliver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"landfall/internal/diag"
)

// stagePrefix is what names of stages begin with. Readers leave such folders out.
const stagePrefix = ".landfall-"

// stage is the hidden folder in which a run works. It lies beside the folder that it
// writes, and is locked while its process lives:
//
//	folder    the name of the folder that it is for
//	written/  what the engine writes
//	new/      what the folder is to hold; after the exchange, what it held
//	old       the number of new, and the files that the folder held, written before the exchange
type stage struct {
	system
	folder string
	dir    string
	lock   *os.File
	done   bool // what was new is in its place
}

func (s *stage) path(name string) string { return filepath.Join(s.dir, name) }

// open makes a stage, once what dead runs left is put right.
func open(ctx context.Context, o Options) (*stage, error) {
	y := system{o.before}
	parent := filepath.Dir(o.Folder)
	if err := y.mkdir(parent); err != nil {
		return nil, err
	}
	s := &stage{system: y, folder: o.Folder, dir: filepath.Join(parent, stagePrefix+o.Run)}
	err := alone(ctx, parent, func() error {
		if err := recoverAll(ctx, y, parent); err != nil {
			return err
		}
		if err := nested(ctx, y, o.Folder); err != nil {
			return err
		}
		return s.make(ctx, o.Disk)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// make makes the folders of a stage and locks it.
func (s *stage) make(ctx context.Context, disk Disk) error {
	base := s.dir
	for n := 1; ; n++ { // a flow may have several sinks beside each other
		if _, err := os.Lstat(s.dir); errors.Is(err, fs.ErrNotExist) {
			break
		}
		s.dir = fmt.Sprintf("%s-%d", base, n)
	}
	if err := s.mkdir(s.dir); err != nil {
		return err
	}
	var err error
	if s.lock, err = os.Open(s.dir); err != nil {
		return err
	}
	if err := s.fill(ctx, disk); err != nil {
		return errors.Join(err, s.close(ctx))
	}
	return nil
}

func (s *stage) fill(ctx context.Context, disk Disk) error {
	if got, err := locked(s.lock); err != nil || !got {
		return errors.Join(err, errors.New("another run has the stage"))
	}
	if err := s.write(s.path("folder"), []byte(filepath.Base(s.folder)), 0o600); err != nil {
		return err
	}
	if err := s.mkdir(s.path("new")); err != nil {
		return err
	}
	return s.probe(ctx, disk)
}

// probe asks the file system for what publishing will need, before a run works for
// nothing: two folders of the stage change their names. A folder that holds nothing yet
// needs none of it.
func (s *stage) probe(ctx context.Context, disk Disk) error {
	if held, err := os.ReadDir(s.folder); err != nil || len(held) == 0 {
		return nil //nolint:nilerr // publishing tells what is wrong with the folder
	}
	other := s.path("probe")
	if err := s.mkdir(other); err != nil {
		return err
	}
	if err := disk.Exchange(ctx, s.path("new"), other); err != nil {
		return err
	}
	return s.remove(other)
}

// close settles what was exchanged and takes the stage away. One that cannot be settled
// stays, for the next run to try: files of others may be in it.
func (s *stage) close(ctx context.Context) error {
	if s.lock == nil {
		return nil
	}
	there, err := s.published()
	if err == nil && there {
		err = s.tellRuns()
	}
	if err == nil {
		err = s.settle(ctx)
	}
	if err == nil {
		err = s.takeAway()
	}
	err = errors.Join(err, s.lock.Close())
	s.lock = nil
	return err
}

// takeAway removes the stage. What tells that it is one goes last, so that others can go
// on with it.
func (s *stage) takeAway() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch {
		case e.IsDir():
			err = s.removeTree(s.path(e.Name()))
		case e.Name() != "folder":
			err = s.remove(s.path(e.Name()))
		}
		if err != nil {
			return err
		}
	}
	return s.removeTree(s.dir)
}

// recoverAll puts right what dead runs left in a folder.
func recoverAll(ctx context.Context, y system, parent string) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), stagePrefix) {
			continue
		}
		if err := recoverOne(ctx, y, filepath.Join(parent, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// recoverOne puts right what one dead run left; it leaves those of live ones alone.
func recoverOne(ctx context.Context, y system, dir string) error {
	lock, err := os.Open(dir) //nolint:gosec // a stage of ours
	if errors.Is(err, fs.ErrNotExist) {
		return nil // its run took it away just now
	}
	if err != nil {
		return err
	}
	s := &stage{system: y, dir: dir, lock: lock}
	if got, err := locked(lock); err != nil || !got {
		return errors.Join(err, lock.Close()) // somebody works there
	}
	base, err := os.ReadFile(s.path("folder"))
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(base) == 0:
		return errors.Join(s.abandoned(), lock.Close())
	case err != nil:
		return errors.Join(err, lock.Close())
	}
	s.folder = filepath.Join(filepath.Dir(dir), filepath.Base(string(base)))
	return s.close(ctx)
}

// abandoned takes a stage away that was begun and holds nothing. Any other folder without
// the name of one that it is for was made by somebody else.
func (s *stage) abandoned() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil //nolint:nilerr // it is gone
	}
	for _, e := range entries {
		if e.Name() != "folder" {
			return nil
		}
	}
	return s.removeTree(s.dir)
}

// nested refuses a folder within one that another sink writes, or around one: its files
// would be carried off with the other.
func nested(ctx context.Context, y system, folder string) error {
	for inner := filepath.Dir(folder); inner != filepath.Dir(inner); inner = filepath.Dir(inner) {
		if dir := workAt(filepath.Dir(inner), filepath.Base(inner)); dir != "" {
			return within(folder, inner)
		}
	}
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || path == folder || !strings.HasPrefix(d.Name(), stagePrefix) {
			return nil //nolint:nilerr // publishing lists the folder again, and says what is wrong
		}
		if err := recoverOne(ctx, y, path); err != nil {
			return err
		}
		if base, live := working(path); live {
			return within(filepath.Join(filepath.Dir(path), base), folder)
		}
		return filepath.SkipDir
	})
}

func within(inner, outer string) error {
	return diag.New(diag.FlowInput, "found a run that writes to a folder within another: %s is in %s", diag.Quote(inner), diag.Quote(outer)).
		In(diag.Place{File: inner}).Hinted("let sinks write to folders beside each other, and runs one after the other")
}

// workAt returns the stage of a live run for a folder of parent, "" for none.
func workAt(parent, base string) string {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), stagePrefix) {
			continue
		}
		if of, live := working(filepath.Join(parent, e.Name())); live && of == base {
			return filepath.Join(parent, e.Name())
		}
	}
	return ""
}

// working tells whether a live run has a stage, and for which folder if it says so.
func working(dir string) (folder string, live bool) {
	d, err := os.Open(dir) //nolint:gosec // a stage of ours
	if err != nil {
		return "", false
	}
	defer d.Close() //nolint:errcheck // nothing was written
	if got, err := locked(d); err != nil || got {
		return "", false
	}
	base, err := os.ReadFile(filepath.Join(dir, "folder")) //nolint:gosec // see above
	if err != nil {
		return "", true // it was begun just now, or is one of a table
	}
	return string(base), true
}

// note writes the record of the run down in the stage; it goes to its place when the output
// is in its own.
func (s *stage) note(name string, record []byte) error {
	return s.write(s.path(noted+name), record, 0o644)
}

// noted begins the name of a record in a stage.
const noted = "record "

// tellRuns moves the record of a run that is published to where runs are noted down. It may be
// repeated.
func (s *stage) tellRuns() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name, ok := strings.CutPrefix(e.Name(), noted)
		if !ok {
			continue
		}
		to := Beside(s.folder)
		if err := s.mkdir(to); err != nil {
			return err
		}
		if err := s.rename(s.path(e.Name()), filepath.Join(to, name)); err != nil {
			return err
		}
		if err := s.sync(to); err != nil {
			return err
		}
	}
	return nil
}

// published tells whether the output is in its place: a run that died may have come so far.
func (s *stage) published() (bool, error) {
	if s.done {
		return true, nil
	}
	id, err := identity(s.path("new"))
	if errors.Is(err, fs.ErrNotExist) {
		_, err := os.Stat(s.path("written"))
		return err == nil, nil // it was written, and given the folder's name
	}
	if err != nil {
		return false, err
	}
	data, err := os.ReadFile(s.path("old"))
	if err != nil {
		return false, nil //nolint:nilerr // nothing was to be exchanged yet
	}
	var h held
	if err := json.Unmarshal(data, &h); err != nil {
		return false, nil //nolint:nilerr // as in settle
	}
	return id != h.New, nil
}
