package source

import (
	"context"
	"encoding/hex"
	"path"
	"strings"

	"github.com/zeebo/xxh3"

	"landfall/internal/diag"
	"landfall/internal/store"
)

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
		hash, alike := strings.CutPrefix(f.Folder, StateRoot+base+"-")
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
	return Located{Folder: StateRoot + base + "-" + hex.EncodeToString(sum[:4]) + "/"}, nil
}

// named finds the state of a source by its name. One that was landed before it
// had a name of its own, under that of its folder, is the same.
func named(found []Located, root, name string, folders Folders) Located {
	own := Located{Folder: StateRoot + clean(name) + "/"}
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
