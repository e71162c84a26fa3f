package discovery

import (
	"context"
	"iter"
	"strings"
	"time"
	"unicode/utf8"

	"landfall/internal/store"
)

// Selection says which files of the folder belong to the feed.
type Selection struct {
	// Match tells whether the glob filters take a path; nil takes all.
	Match func(path string) bool
	// Takes tells whether a file is of the feed's format; reason says why not.
	// Nil takes all.
	Takes func(path string) (ok bool, reason string)
	// Flat leaves sub-folders out.
	Flat bool
	// After and Before bound the modification time, exclusively; zero: no bound.
	After, Before time.Time
	// NewOnly settles the files that are there at the first run unread.
	NewOnly bool
}

// list yields the files of the feed in ascending byte order of their paths, and
// tells skip of those that are left out for a reason a person may not expect. The
// errors name the folder.
func (sel Selection) list(ctx context.Context, files store.Store, skip func(path, reason string)) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		for info, err := range files.List(ctx, "", "") {
			if err != nil {
				yield(info, listFault(files.URL(""), err))
				return
			}
			if sel.selects(info, skip) && !yield(info, nil) {
				return
			}
		}
	}
}

func (sel Selection) selects(info store.Info, skip func(path, reason string)) bool {
	switch {
	case Hidden(info.Key):
		return false
	case sel.Flat && strings.Contains(info.Key, "/"):
		return false
	case !sel.After.IsZero() && !info.ModTime.After(sel.After),
		!sel.Before.IsZero() && !info.ModTime.Before(sel.Before):
		return false
	case sel.Match != nil && !sel.Match(info.Key):
		return false
	case !utf8.ValidString(info.Key):
		skip(strings.ToValidUTF8(info.Key, "\uFFFD"), "its name is not UTF-8; rename it")
		return false
	}
	if sel.Takes != nil {
		if ok, reason := sel.Takes(info.Key); !ok {
			skip(info.Key, reason)
			return false
		}
	}
	return true
}

// Hidden tells whether a part of the key begins with "_" or ".", as Spark and
// Auto Loader leave such files out. Partition folders such as _k=v are data.
func Hidden(key string) bool {
	for part := range strings.SplitSeq(key, "/") {
		if part == "" || part[0] == '.' || (part[0] == '_' && !strings.Contains(part, "=")) {
			return true
		}
	}
	return false
}
