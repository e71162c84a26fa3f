package discovery

import (
	"context"
	"iter"
	"strings"
	"time"
	"unicode/utf8"

	"landfall/internal/diag"
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

	// met is told of the folders of Delta tables; nil makes one an error.
	met func(folder string)
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
			if table, ok := strings.CutSuffix(logged(info.Key), deltaLog); ok && sel.mayTake(table) {
				if sel.met == nil {
					yield(info, tableFault(files, table))
					return
				}
				sel.met(table)
			}
			if sel.selects(info, skip) && !yield(info, nil) {
				return
			}
		}
	}
}

// deltaLog is the folder that makes the one around it a Delta table.
const deltaLog = "_delta_log"

// logged is the folder of a key that is in the log of a Delta table, "" for others.
func logged(key string) string {
	at := strings.LastIndexByte(key, '/')
	if at < 0 || !strings.HasSuffix("/"+key[:at], "/"+deltaLog) || !strings.HasSuffix(key, ".json") && !strings.HasSuffix(key, ".parquet") {
		return ""
	}
	return key[:at]
}

// mayTake tells whether the feed takes data files of a table in a folder for its
// own.
func (sel Selection) mayTake(folder string) bool {
	name := folder + "part-00000.parquet"
	if Hidden(name) || sel.Flat && folder != "" || sel.Match != nil && !sel.Match(name) {
		return false
	}
	if sel.Takes == nil {
		return true
	}
	ok, _ := sel.Takes(name)
	return ok
}

// tableFault says that a table is no feed: which of its files hold its rows is
// written in its log.
func tableFault(files store.Store, below string) error {
	d := diag.New(diag.Usage, "the source is a Delta table").In(diag.Place{File: files.URL(strings.TrimSuffix(below, "/"))})
	if below != "" {
		d.Message = "the source holds a Delta table"
		return d.Hinted("files of a table may be old versions of its rows: land the other folders, by a pattern in the path; a table is read with: landfall query --table")
	}
	return d.Hinted("the order is FOLDER TABLE; a table is read with: landfall query --table")
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
