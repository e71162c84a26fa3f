// Package removal takes rows of a source out of its table.
//
// Which files hold them is on record, for as long as these files are live as they
// were written; after other tools rewrote them, the rows themselves are asked by
// `_source_file`. Nothing is committed here: a removal says which files a commit
// takes out, and which it adds that carry over the other rows of those.
package removal

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"landfall/internal/datafile"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/table"
)

// Removal is what is to be known of a source and its table, and what comes of it.
type Removal struct {
	Table    table.Table
	Snapshot *table.Snapshot
	Data     store.Store
	State    *state.State
	// Files holds the source's objects. Roots are all roots that it had, UUIDs all
	// its names in the table's log, IDs all records of who it is.
	Files store.Store
	Roots []string
	UUIDs map[string]bool
	IDs   []state.Identity
	// Args is what names the source on a command line.
	Args string
	// Name returns the key of the n-th file that carries rows over, NoStats names
	// columns without statistics, At is when the files are written.
	Name    func(n int) string
	NoStats []string
	At      time.Time

	// Removed are the files that go, Carried those that carry over their other
	// rows, Rows the number of rows that are gone.
	Removed, Carried []table.File
	Rows             int64
}

// Refusal is the error of an object whose old rows cannot be told from others.
type Refusal struct{ Path, Reason string }

func (r *Refusal) Error() string { return r.Path + ": " + r.Reason }

// Objects takes out the rows of some objects: for each path those that a batch
// landed. The error may be a [*Refusal].
func (r *Removal) Objects(ctx context.Context, old map[string]int64) error {
	if len(old) == 0 {
		return nil
	}
	exact, err := r.lineage(ctx, old)
	if err != nil {
		return err
	}
	if exact == nil {
		return r.search(ctx, old)
	}
	for _, f := range slices.SortedFunc(maps.Values(exact), byPath) {
		if err := r.takeOut(ctx, f, old); err != nil {
			return err
		}
	}
	return nil
}

// Holding returns the live files in which rows of some objects can stand: for each
// path those that a batch landed. urls maps what these rows may say that they come
// from to its path.
func (r *Removal) Holding(ctx context.Context, old map[string]int64) (files []table.File, urls map[string]string, err error) {
	exact, err := r.lineage(ctx, old)
	if err != nil {
		return nil, nil, err
	}
	for _, k := range slices.SortedFunc(maps.Keys(r.Snapshot.Files), byKey) {
		files = append(files, r.Snapshot.Files[k])
	}
	if exact != nil {
		holds := map[string]bool{}
		for _, h := range exact {
			holds[h.file.Path] = true
		}
		files = slices.DeleteFunc(files, func(f table.File) bool { return !holds[f.Path] })
	}
	return files, r.urls(maps.Keys(old)), nil
}

func byPath(x, y *holding) int {
	if x.file.Path < y.file.Path {
		return -1
	}
	return 1
}

// holding is a live data file that holds rows to be taken out.
type holding struct {
	file table.File
	// only tells that it holds nothing else.
	only bool
}

// lineage finds the files by what the attempts that landed the old versions
// recorded. It returns nil when one of these files is no longer live as it was
// written: then only the rows themselves can tell.
func (r *Removal) lineage(ctx context.Context, old map[string]int64) (map[string]*holding, error) {
	found := map[string]*holding{}
	live := &successors{r: r}
	batches := map[int64]bool{}
	for _, batch := range old {
		batches[batch] = true
	}
	for _, n := range slices.Sorted(maps.Keys(batches)) {
		m, ok, err := r.State.Mark(ctx, n)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, nil
		}
		rec, err := r.State.Attempt(ctx, n, m.Attempt)
		if err != nil {
			return nil, err
		}
		if !landedAll(rec, n, old) {
			return nil, nil
		}
		for _, f := range rec.Files {
			mine, others := 0, 0
			for _, p := range f.Parts {
				o := rec.Outcomes[p.Object]
				if old[o.Path] == n {
					mine++
				} else {
					others++
				}
			}
			if mine == 0 {
				continue
			}
			now, ok, err := live.find(ctx, f.Path)
			if !ok || err != nil {
				return nil, err
			}
			found[f.Path] = &holding{now, others == 0}
		}
	}
	return found, nil
}

// landedAll tells whether an attempt landed every object that is said to have
// landed with it; a reset that kept the table's rows did not.
func landedAll(rec state.Attempt, batch int64, old map[string]int64) bool {
	landed := map[string]bool{}
	for _, o := range rec.Outcomes {
		landed[o.Path] = o.Fate == state.Landed
	}
	for path, by := range old {
		if by == batch && !landed[path] {
			return false
		}
	}
	return true
}

// takeOut removes a file, or rewrites it without the old rows.
func (r *Removal) takeOut(ctx context.Context, h *holding, old map[string]int64) error {
	r.Removed = append(r.Removed, h.file)
	if h.only {
		r.Rows += liveRows(h.file)
		return nil
	}
	urls := r.urls(maps.Keys(old))
	return r.rewrite(ctx, h.file, func(url string) bool { _, goes := urls[url]; return goes })
}

// liveRows is the number of rows of a file that are not marked as deleted, 0 if
// the log does not say.
func liveRows(f table.File) int64 {
	rows := max(f.Rows, 0)
	if f.DV != nil {
		rows = max(rows-f.DV.Cardinality, 0)
	}
	return rows
}

// rewrite writes the rows of a file that stay into a new one.
func (r *Removal) rewrite(ctx context.Context, f table.File, drop func(url string) bool) error {
	deleted, err := r.Table.Deleted(ctx, f)
	if err != nil {
		return err
	}
	n := len(r.Carried)
	res, err := datafile.Rewrite(ctx, r.Data, f.Path, deleted, drop, datafile.Options{
		Name: func() string { return r.Name(n) }, NoStats: r.NoStats,
	})
	if err != nil {
		return fmt.Errorf("rewrite %s: %w", f.Path, err)
	}
	r.Rows += res.Dropped
	if res.File == nil {
		return nil
	}
	r.Carried = append(r.Carried, table.File{
		Path: res.File.Path, Size: res.File.Size, Rows: res.File.Rows, Stats: res.File.Stats,
		ModTime: r.At, Partition: f.Partition, Tags: f.Tags,
	})
	return nil
}

// urls maps every URL under which objects can stand in `_source_file` to their
// path: the source may have had several roots.
func (r *Removal) urls(paths iter.Seq[string]) map[string]string {
	urls := map[string]string{}
	here := r.Files.URL("")
	for path := range paths {
		url := r.Files.URL(path)
		urls[url] = path
		for _, root := range r.Roots {
			urls[root+url[len(here):]] = path
		}
	}
	return urls
}
