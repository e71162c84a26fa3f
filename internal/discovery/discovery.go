// Package discovery finds the new objects of a source.
//
// A listing is a set: what the source's marks know is taken off it by one merge of
// two sorted sequences, never by asking for each file.
package discovery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"landfall/internal/diag"
	"landfall/internal/format"
	"landfall/internal/state"
	"landfall/internal/store"
)

// Finder says where to look, and what is known already.
type Finder struct {
	// Files holds the source's objects.
	Files  store.Store
	Select Selection
	// Known is what the marks say of each path, from its beginning.
	Known *state.Ledger
	// Again tells whether a file whose version is known is read anew: it is asked of
	// those that did not land whole ([state.Entry.Short]). Unread tells whether the
	// table may hold rows of a path that no batch accounts for.
	Again, Unread func(state.Entry) bool
}

// Found is what a listing came to.
type Found struct {
	// Objects are the new ones in landing order: (mtime, path).
	Objects []state.Object
	// Known is the number of files that are settled, Listed that of all files of
	// the feed.
	Known, Listed int
	// Skipped are files that are no part of the feed, though a person may think so.
	Skipped []Skip
	// Missing are settled files that are not there any more.
	Missing Missing
}

// Skip is a file that is not part of the feed.
type Skip struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Missing sums up files whose rows stand in the table, or whose records stand in
// quarantine, and that are not listed.
type Missing struct {
	Files, Rows, Held int64
	// First is the path of the first of them.
	First string
}

// Find lists the source. A folder that is not there is an error; an empty one is
// not.
func (f Finder) Find(ctx context.Context) (*Found, error) {
	if err := CheckFolder(ctx, f.Files); err != nil {
		return nil, err
	}
	found := &Found{Skipped: []Skip{}}
	known := &cursor{known: f.Known, missed: found.Missing.add}
	if err := known.next(ctx); err != nil {
		return nil, err
	}
	for info, err := range f.Select.list(ctx, f.Files, found.skip) {
		if err != nil {
			return nil, err
		}
		found.Listed++
		if err := f.look(ctx, found, known, info); err != nil {
			return nil, err
		}
	}
	if err := known.drain(ctx); err != nil {
		return nil, err
	}
	slices.SortFunc(found.Objects, func(a, b state.Object) int {
		return cmp.Or(a.ModTime.Compare(b.ModTime), cmp.Compare(a.Path, b.Path))
	})
	return found, nil
}

// look tells a file that is new from one that is settled.
func (f Finder) look(ctx context.Context, found *Found, known *cursor, info store.Info) error {
	settled, err := known.find(ctx, info.Key)
	if err != nil {
		return err
	}
	same := settled && string(f.Known.Version()) == info.Version
	if same && !f.Known.Short() {
		found.Known++
		return known.next(ctx)
	}
	o := state.Object{Path: info.Key, Size: info.Size, ModTime: info.ModTime.UTC(), Version: info.Version}
	if settled {
		entry, err := f.Known.Entry()
		if err != nil {
			return err
		}
		if err := known.next(ctx); err != nil {
			return err
		}
		again := entry.Short() && f.Again(entry)
		if same && !again {
			found.Known++
			return nil
		}
		o.Landed, o.Hash, o.Again = entry.Landed, entry.Hash, again
		if f.Unread(entry) {
			o.Landed = entry.Batch
		}
	}
	found.Objects = append(found.Objects, o)
	return nil
}

func (f *Found) skip(path, reason string) { f.Skipped = append(f.Skipped, Skip{path, reason}) }

func (m *Missing) add(e state.Entry) {
	if e.Landed == 0 || e.Rows+e.Held == 0 {
		return
	}
	if m.Files == 0 {
		m.First = e.Path
	}
	m.Files++
	m.Rows += e.Rows
	m.Held += e.Held
}

// CheckFolder tells a missing folder, which is an error, from an empty one.
func CheckFolder(ctx context.Context, files store.Store) error {
	f, ok := files.(store.Folder)
	if !ok {
		return nil
	}
	if err := f.CheckRoot(ctx); err != nil {
		return listFault(files.URL(""), err)
	}
	return nil
}

func listFault(url string, err error) error {
	at := diag.Place{File: url}
	switch {
	case errors.Is(err, store.ErrNotExist):
		return diag.New(diag.FolderMissing, "source folder does not exist").In(at).
			Hinted("check the path; an empty folder would be fine").Because(err)
	case errors.Is(err, store.ErrPermission):
		return diag.New(diag.NoPermission, "source folder may not be listed").In(at).
			Hinted("give this user the right to read it").Because(err)
	case errors.Is(err, store.ErrTransient):
		return diag.New(diag.StoreUnreachable, "the store did not answer while the source was listed").In(at).
			Hinted("nothing was lost; run again").Because(err)
	}
	return fmt.Errorf("list %s: %w", url, err)
}

// ChooseFormat returns the most frequent data format among a source's files by
// their names; the alphabet decides a tie. "" means that no file tells one.
func ChooseFormat(ctx context.Context, files store.Store, sel Selection) (string, error) {
	if err := CheckFolder(ctx, files); err != nil {
		return "", err
	}
	counts := map[string]int{}
	var tables []string
	sel.met = func(folder string) { tables = append(tables, folder) }
	for info, err := range sel.list(ctx, files, func(string, string) {}) {
		if err != nil {
			return "", err
		}
		if name := format.ByName(info.Key); name != "" {
			counts[name]++
		}
	}
	best := ""
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > counts[best] {
			best = name
		}
	}
	if best == "parquet" && len(tables) > 0 {
		return "", tableFault(files, tables[0])
	}
	return best, nil
}
