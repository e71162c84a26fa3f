package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"landfall/internal/diag"
	"landfall/internal/store"
)

// Aside is a file that was put aside.
type Aside struct {
	// Path is that in the folder, To and Note are the URLs of the copy and of what is
	// noted beside it.
	Path string `json:"path"`
	To   string `json:"to"`
	Note string `json:"note"`
	// Stays says that the file is still in the folder.
	Stays bool `json:"stays,omitempty"`
}

// Quarantine puts files aside. A file is copied under a name that nobody has, read
// again and compared, noted, and only then taken out of its folder, so that it is in
// one of the two places at every moment, and what was put aside before stays.
// Putting aside again what a killed run left goes on from there.
type Quarantine struct {
	// From is the folder, To where files go; their paths stay.
	From, To store.Store
	// Keep tells files that are to stay in the folder, too; nil for none.
	Keep func(path string) bool
	// Gate names what the folder was held against, "" for nothing.
	Gate string
	// Now is the clock of the notes.
	Now func() time.Time
}

// noteEnd is what the names of notes end in.
const noteEnd = ".quarantine.json"

// note says why a file was put aside (docs/format/gate.md).
type note struct {
	Format int       `json:"format"`
	Path   string    `json:"path"`
	From   string    `json:"from"`
	When   time.Time `json:"when"`
	Gate   string    `json:"gate,omitempty"`
	Bytes  int64     `json:"bytes"`
	// Modified is when the file was, Sum the xxh3 of its bytes.
	Modified time.Time `json:"modified"`
	Sum      string    `json:"xxh3"`
	Group    int       `json:"group,omitempty"`
	Reasons  []reasons `json:"reasons"`
}

// reasons is an offence of one file.
type reasons struct {
	Code    diag.Code `json:"code"`
	Column  string    `json:"column,omitempty"`
	Found   string    `json:"found,omitempty"`
	Want    string    `json:"want,omitempty"`
	Message string    `json:"message"`
}

// Put puts the files of offences aside, in the order of their paths, and tells the
// report. Files that changed since they were inspected stay where they are, and are
// told as changed. Files that may not be read or taken away, or whose names
// are too long, are diagnostics, behind which others go on; after any other error the report has what was put aside before.
func (q Quarantine) Put(ctx context.Context, r *Report, offences []Offence) error {
	versions, groups := r.known()
	why := map[string][]reasons{}
	for _, o := range offences {
		if o.moving {
			continue
		}
		for _, p := range o.Files {
			why[p] = append(why[p], reasons{o.Code, o.Column, o.Found, o.Want, o.Message})
		}
	}
	paths := make([]string, 0, len(why))
	for p := range why {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	var refused diag.List
	for _, p := range paths {
		n := note{Format: reportFormat, Path: p, From: q.From.URL(p), When: q.Now().UTC(), Gate: q.Gate, Group: groups[p], Reasons: why[p]}
		a, ok, err := q.put(ctx, n, versions[p])
		switch {
		case errors.Is(err, store.ErrPermission):
			refused.Add(diag.New(diag.NoPermission, "it cannot be put aside: %v", err).In(diag.Place{File: p}).
				Hinted("let the file be read and its folder be written to, or leave it there, too: --copy").Because(err))
		case errors.Is(err, syscall.ENAMETOOLONG):
			refused.Add(diag.New(diag.FileUnreadable, "it cannot be put aside: its name leaves no room for that of its note").In(diag.Place{File: p}).
				Hinted("give the file a name that is shorter by %d bytes", len(noteEnd)).Because(err))
		case err != nil:
			return errors.Join(fmt.Errorf("put %s aside: %w", p, err), refused.Err())
		case ok:
			r.Quarantined = append(r.Quarantined, a)
		default:
			r.Changed = append(r.Changed, p)
		}
	}
	return refused.Err()
}

// known are the versions in which files were inspected, and their groups.
func (r *Report) known() (versions map[string]string, groups map[string]int) {
	versions, groups = map[string]string{}, map[string]int{}
	for _, f := range r.Read {
		versions[f.Path], groups[f.Path] = f.version, f.Group
	}
	for _, u := range r.Unreadable {
		versions[u.Path] = u.version
	}
	return versions, groups
}

// put puts a file aside. It says false of one that is not what was inspected.
func (q Quarantine) put(ctx context.Context, n note, version string) (a Aside, ok bool, err error) {
	o, err := q.From.Open(ctx, n.Path)
	if errors.Is(err, store.ErrNotExist) {
		return a, false, nil
	}
	if err != nil {
		return a, false, err
	}
	defer o.Close() //nolint:errcheck // nothing was written
	info := o.Info()
	if info.Version != version {
		return a, false, nil
	}
	n.Bytes, n.Modified = info.Size, info.ModTime.UTC()
	if n.Sum, err = store.NewReading(o).Sum(); err != nil {
		return a, false, err
	}
	key, err := q.keep(ctx, o, n)
	if err != nil || key == "" {
		return a, false, err
	}
	a = Aside{n.Path, q.To.URL(key), q.To.URL(key + noteEnd), q.Keep != nil && q.Keep(n.Path)}
	if a.Stays {
		return a, true, nil
	}
	now, err := q.From.Stat(ctx, n.Path)
	if errors.Is(err, store.ErrNotExist) {
		return a, true, nil
	}
	if err != nil || now.Version != version {
		return a, false, err
	}
	return a, true, q.From.Delete(ctx, n.Path)
}

// keep copies a file and its note to a key that both have for themselves. There is no
// key for a file that changes while it is copied.
func (q Quarantine) keep(ctx context.Context, o store.Object, n note) (string, error) {
	for i := 1; ; i++ {
		key := numbered(n.Path, i)
		copied := q.copy(ctx, o, key)
		if copied != nil && !errors.Is(copied, store.ErrExist) {
			return "", copied
		}
		same, err := q.holds(ctx, key, n)
		if err != nil {
			return "", err
		}
		if !same && copied == nil {
			return "", q.To.Delete(ctx, key)
		}
		if !same {
			continue
		}
		noted, err := q.noted(ctx, key+noteEnd, n)
		if err != nil || noted {
			return key, err
		}
	}
}

// numbered is the i-th name for a file: a.parquet, a~2.parquet.
func numbered(key string, i int) string {
	if i == 1 {
		return key
	}
	ext := path.Ext(key)
	return fmt.Sprintf("%s~%d%s", strings.TrimSuffix(key, ext), i, ext)
}

// copy copies a file to a key that is free.
func (q Quarantine) copy(ctx context.Context, o store.Object, key string) error {
	if _, err := q.To.Stat(ctx, key); !errors.Is(err, store.ErrNotExist) {
		if err == nil {
			err = store.ErrExist
		}
		return err
	}
	u, err := q.To.Upload(ctx, key)
	if err != nil {
		return err
	}
	if _, err = io.Copy(u, io.NewSectionReader(o, 0, o.Info().Size)); err == nil {
		_, err = u.Commit(ctx)
	}
	return errors.Join(err, u.Abort(ctx))
}

// holds tells whether a key holds the bytes that are noted.
func (q Quarantine) holds(ctx context.Context, key string, n note) (bool, error) {
	o, err := q.To.Open(ctx, key)
	if err != nil {
		return false, err
	}
	defer o.Close() //nolint:errcheck // nothing was written
	if o.Info().Size != n.Bytes {
		return false, nil
	}
	sum, err := store.NewReading(o).Sum()
	return sum == n.Sum, err
}

// noted writes a note, and tells whether it is there: also as an earlier run wrote
// it, but not if the key holds something else.
func (q Quarantine) noted(ctx context.Context, key string, n note) (bool, error) {
	text, err := json.MarshalIndent(n, "", " ")
	if err != nil {
		return false, err
	}
	err = q.To.Create(ctx, key, append(text, '\n'))
	if !errors.Is(err, store.ErrExist) {
		return err == nil, err
	}
	was, err := store.Read(ctx, q.To, key)
	if err != nil {
		return false, err
	}
	var earlier note
	return json.Unmarshal(was, &earlier) == nil && earlier.From == n.From && earlier.Sum == n.Sum, nil
}
