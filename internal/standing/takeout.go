package standing

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"landfall/internal/datafile"
	"landfall/internal/state"
	"landfall/internal/table"
)

// Refusal is the error of an object whose old rows cannot be told from others.
type Refusal struct{ Path, Reason string }

func (r *Refusal) Error() string { return r.Path + ": " + r.Reason }

// Objects takes out the rows of some objects: for each path those that a batch
// landed. The error may be a [*Refusal].
func (c *Change) Objects(ctx context.Context, old map[string]int64) error {
	if len(old) == 0 {
		return nil
	}
	exact, err := c.lineage(ctx, old)
	if err != nil {
		return err
	}
	if exact == nil {
		return c.search(ctx, old)
	}
	for _, f := range slices.SortedFunc(maps.Values(exact), byPath) {
		if err := c.takeOut(ctx, f, old); err != nil {
			return err
		}
	}
	return nil
}

// Holding returns the live files in which rows of some objects can stand: for each
// path those that a batch landed. urls maps what these rows may say that they come
// from to its path.
func (c *Change) Holding(ctx context.Context, old map[string]int64) (files []table.File, urls map[string]string, err error) {
	exact, err := c.lineage(ctx, old)
	if err != nil {
		return nil, nil, err
	}
	files = c.live()
	if exact != nil {
		holds := map[string]bool{}
		for _, h := range exact {
			holds[h.file.Path] = true
		}
		files = slices.DeleteFunc(files, func(f table.File) bool { return !holds[f.Path] })
	}
	return files, c.urls(maps.Keys(old)), nil
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
func (c *Change) lineage(ctx context.Context, old map[string]int64) (map[string]*holding, error) {
	found := map[string]*holding{}
	live := &successors{c: c}
	batches := map[int64]bool{}
	for _, batch := range old {
		batches[batch] = true
	}
	for _, n := range slices.Sorted(maps.Keys(batches)) {
		m, ok, err := c.State.Mark(ctx, n)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, nil
		}
		rec, err := c.State.Attempt(ctx, n, m.Attempt)
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
func (c *Change) takeOut(ctx context.Context, h *holding, old map[string]int64) error {
	c.Removed = append(c.Removed, h.file)
	if h.only {
		c.Rows += liveRows(h.file)
		return nil
	}
	urls := c.urls(maps.Keys(old))
	return c.rewrite(ctx, h.file, func(url string) bool { _, goes := urls[url]; return goes })
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
func (c *Change) rewrite(ctx context.Context, f table.File, drop func(url string) bool) error {
	deleted, err := c.Table.Deleted(ctx, f)
	if err != nil {
		return err
	}
	res, err := datafile.Rewrite(ctx, c.Data, f.Path, deleted, drop, c.options("carried", f))
	if err != nil {
		return fmt.Errorf("rewrite %s: %w", f.Path, err)
	}
	c.Rows += res.Dropped
	if res.File != nil {
		c.Added = append(c.Added, *c.added(res.File, f))
	}
	return nil
}

// urls maps every URL under which objects can stand in `_source_file` to their
// path: the source may have had several roots.
func (c *Change) urls(paths iter.Seq[string]) map[string]string {
	urls := map[string]string{}
	here := c.Files.URL("")
	for path := range paths {
		url := c.Files.URL(path)
		urls[url] = path
		for _, root := range c.Roots {
			urls[root+url[len(here):]] = path
		}
	}
	return urls
}
