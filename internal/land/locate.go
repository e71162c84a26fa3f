package land

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"landfall/internal/diag"
	"landfall/internal/format"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/table"
)

// stateRoot is the folder beside a table that holds the state of its sources.
const stateRoot = "_landfall/"

// Located is the place of a source's state.
type Located struct {
	// Folder is its key in the table's folder, with a slash at the end; "" if
	// the state is elsewhere.
	Folder string
	// URL is where it is, Store what is there.
	URL   string
	Store store.Store
	// Identity is the newest record of who the source is.
	Identity state.Identity
}

// States returns the sources that keep their state in a table's folder, sorted
// by folder.
func States(ctx context.Context, data store.Store) ([]Located, error) {
	folders := map[string]bool{}
	for info, err := range data.List(ctx, stateRoot, "") {
		if err != nil {
			return nil, tableFault(data.URL(stateRoot), fmt.Errorf("list %s: %w", data.URL(stateRoot), err))
		}
		folder, name, _ := strings.Cut(strings.TrimPrefix(info.Key, stateRoot), "/")
		if strings.HasPrefix(name, "identities/") {
			folders[folder] = true
		}
	}
	var found []Located
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		key := stateRoot + folder + "/"
		kept := store.Below(data, key)
		ids, err := state.New(kept).Identities(ctx)
		if err != nil {
			return nil, err
		}
		found = append(found, Located{key, data.URL(key), kept, ids[len(ids)-1]})
	}
	return found, nil
}

// Folders tells how folders of sources relate on this machine. What it cannot
// tell is false.
type Folders interface {
	// Missing tells that there is no such folder.
	Missing(url string) bool
	// Same tells that two URLs lead to one folder.
	Same(a, b string) bool
}

// Locate finds the state of the source at root. A name decides; without one the
// root does, under whatever path it was landed. Identity is zero for a source
// that has no state yet.
//
// A source may have moved: one of the same base name, or one whose folder is
// gone, stops a new source; moved says that it is the same.
func Locate(ctx context.Context, data store.Store, root, name string, moved bool, folders Folders) (Located, error) {
	found, err := States(ctx, data)
	if err != nil {
		return Located{}, err
	}
	if name != "" {
		return named(found, root, name, folders), nil
	}
	base := clean(path.Base(strings.TrimSuffix(root, "/")))
	var maybe []Located
	for _, f := range found {
		was := f.Identity.Root
		if was == root || folders.Same(was, root) {
			return f, nil
		}
		hash, alike := strings.CutPrefix(f.Folder, stateRoot+base+"-")
		if alike && len(hash) == len("01234567/") || folders.Missing(was) {
			maybe = append(maybe, f)
		}
	}
	switch {
	case moved && len(maybe) == 1:
		return maybe[0], nil
	case moved && len(maybe) == 0:
		return Located{}, diag.New(diag.Usage, "no source of this table has moved").In(diag.Place{File: data.URL("")}).
			Hinted("leave --moved out, or name the source: --source NAME")
	case moved:
		return Located{}, diag.New(diag.SourceMoved, "several sources of this table may have moved to %s", root).In(diag.Place{File: data.URL("")}).
			Hinted("say which: --source %s --moved, with the name of the one", maybe[0].Identity.Name)
	case len(maybe) > 0:
		return Located{}, diag.New(diag.SourceMoved, "source %q of this table was landed from %s, now it is %s", maybe[0].Identity.Name, maybe[0].Identity.Root, root).
			In(diag.Place{File: data.URL(maybe[0].Folder)}).
			Hinted("if the same files moved there, run again with --moved; if it is another feed, give it a name: --source NAME")
	}
	sum := xxh3.HashString128(root).Bytes()
	return Located{Folder: stateRoot + base + "-" + hex.EncodeToString(sum[:4]) + "/"}, nil
}

// named finds the state of a source by its name. One that was landed before it
// had a name of its own, under that of its folder, is the same.
func named(found []Located, root, name string, folders Folders) Located {
	own := Located{Folder: stateRoot + clean(name) + "/"}
	for _, f := range found {
		if f.Folder == own.Folder {
			return f
		}
	}
	for _, f := range found {
		was := f.Identity.Root
		here := was == root || folders.Same(was, root) || folders.Missing(was)
		if f.Identity.Name == name && here {
			return f
		}
	}
	return own
}

// Twins knows what tells whether a source is the only one that lands its folder
// in its table. Under a second state its rows would stand there twice.
type Twins struct {
	Data  store.Store
	Table table.Table
	// Root is the source's folder, Own where its state is.
	Root, Own string
	// Siblings names sources that may share the folder, since they divide its
	// files among them.
	Siblings []string
	Open     func(url string) (store.Store, error)
	Folders  Folders
}

// Check stops if the folder is landed under another state: one that there is,
// or, if landed is set, only one that the table has batches of.
func (t Twins) Check(ctx context.Context, landed bool) error {
	all, err := Sources(ctx, t.Data, t.Table, t.Open)
	if err != nil {
		return err
	}
	var snap *table.Snapshot
	if landed {
		if snap, err = t.Table.Snapshot(ctx); errors.Is(err, table.ErrNoTable) {
			return nil
		} else if err != nil {
			return err
		}
	}
	for _, f := range all {
		was := f.Identity
		same := was.Root == t.Root || t.Folders.Same(was.Root, t.Root)
		if !same || f.URL == t.Own || slices.Contains(t.Siblings, was.Name) {
			continue
		}
		if landed && snap.Txns[was.App()] == 0 {
			continue
		}
		return diag.New(diag.StateForeign, "the table holds this folder's files already, landed as source %q", was.Name).
			In(diag.Place{File: f.URL}).
			Hinted("keep its name (--source %s, or in landfall.yaml) and the place of its state; or land into another table", was.Name)
	}
	return nil
}

// Astray stops when a source of the table keeps its state in another place than
// beside it, and nothing is there any more: it may be the one that is landed.
func Astray(ctx context.Context, t table.Table, open func(url string) (store.Store, error)) error {
	snap, err := t.Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(snap.Config)) {
		at, uuid := snap.Config[key], strings.TrimPrefix(key, configPrefix)
		if uuid == key || !strings.Contains(at, "://") || snap.Txns["landfall/"+uuid] == 0 {
			continue
		}
		kept, err := open(at)
		if err != nil {
			continue // a place that this machine does not know
		}
		ids, err := state.New(kept).Identities(ctx)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return diag.New(diag.StateLost, "the table holds batches up to %d of a source whose state is gone (%s)", snap.Txns["landfall/"+uuid], uuid).
				In(diag.Place{File: at}).
				Hinted("restore the folder from a backup, or land with the option that says where it is now; or begin anew: landfall reset, --keep or --reprocess")
		}
	}
	return nil
}

// Sources returns all sources of a table: those that keep their state beside
// it, and those that keep it where the table's properties say, if that can be
// opened here.
func Sources(ctx context.Context, data store.Store, t table.Table, open func(url string) (store.Store, error)) ([]Located, error) {
	found, err := States(ctx, data)
	if err != nil {
		return nil, err
	}
	snap, err := t.Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(snap.Config)) {
		at := snap.Config[key]
		if !strings.HasPrefix(key, configPrefix) || !strings.Contains(at, "://") {
			continue
		}
		kept, err := open(at)
		if err != nil {
			continue // another machine's: nothing to compare
		}
		ids, err := state.New(kept).Identities(ctx)
		if err != nil {
			return nil, err
		}
		if len(ids) > 0 {
			found = append(found, Located{URL: at, Store: kept, Identity: ids[len(ids)-1]})
		}
	}
	return found, nil
}

// clean makes a name fit for a folder.
func clean(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("-_.", r), r > 127:
			return r
		}
		return '_'
	}, name)
}

// ChooseFormat returns the most frequent data format among a source's files by
// their names; the alphabet decides a tie. "" means that no file tells one.
func ChooseFormat(ctx context.Context, files store.Store, sel Selection) (string, error) {
	l := &landing{src: Source{Files: files, Select: sel}}
	if err := l.checkFolder(ctx); err != nil {
		return "", err
	}
	counts := map[string]int{}
	for info, err := range files.List(ctx, "", "") {
		if err != nil {
			return "", listFault(files.URL(""), err)
		}
		if name := format.ByName(info.Key); name != "" && l.selects(info) {
			counts[name]++
		}
	}
	best := ""
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > counts[best] {
			best = name
		}
	}
	return best, nil
}
