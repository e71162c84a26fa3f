package land

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"landfall/internal/datafile"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/state"
	"landfall/internal/table"
)

// replace finds the rows that this batch's rewritten objects, or its
// reprocessing, take out of the table. Files that hold nothing else are
// removed; others are rewritten without those rows.
func (a *attempt) replace(ctx context.Context) error {
	if a.in.Kind == state.KindReprocess {
		return a.removeAll(ctx)
	}
	old := a.replaced()
	if len(old) == 0 {
		return nil
	}
	exact, err := a.lineage(ctx, old)
	if err != nil {
		return err
	}
	if exact == nil {
		return a.search(ctx, old)
	}
	for _, f := range slices.SortedFunc(maps.Values(exact), byPath) {
		if err := a.takeOut(ctx, f, old); err != nil {
			return err
		}
	}
	return nil
}

func byPath(x, y *holding) int {
	if x.file.Path < y.file.Path {
		return -1
	}
	return 1
}

// replaced returns the indices of the objects whose old rows go, by path.
func (a *attempt) replaced() map[string]int {
	old := map[string]int{}
	if action, _ := a.l.src.Policy.Action(event.FileRewritten); action == "append" {
		return old
	}
	for i, o := range a.outcomes {
		if o.Fate == state.Landed && o.Landed > 0 {
			old[o.Path] = i
		}
	}
	return old
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
func (a *attempt) lineage(ctx context.Context, old map[string]int) (map[string]*holding, error) {
	found := map[string]*holding{}
	batches := map[int64]bool{}
	for _, i := range old {
		batches[a.outcomes[i].Landed] = true
	}
	for _, n := range slices.Sorted(maps.Keys(batches)) {
		m, ok, err := a.l.src.State.Mark(ctx, n)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, nil
		}
		rec, err := a.l.src.State.Attempt(ctx, n, m.Attempt)
		if err != nil {
			return nil, err
		}
		for _, f := range rec.Files {
			mine, others := 0, 0
			for _, p := range f.Parts {
				o := rec.Outcomes[p.Object]
				if i, goes := old[o.Path]; goes && a.outcomes[i].Landed == n {
					mine++
				} else {
					others++
				}
			}
			if mine == 0 {
				continue
			}
			live, ok := a.l.snap.Files[table.Key{Path: f.Path}]
			if !ok {
				return nil, nil
			}
			found[f.Path] = &holding{live, others == 0}
		}
	}
	return found, nil
}

// search finds the rows by `_source_file` in every live file. It serves tables
// that others have rewritten (OPTIMIZE, DELETE) since the rows landed.
func (a *attempt) search(ctx context.Context, old map[string]int) error {
	urls := a.urls(old)
	rows := map[int]int64{}
	var hold []*holding
	for _, k := range slices.SortedFunc(maps.Keys(a.l.snap.Files), byKey) {
		f := a.l.snap.Files[k]
		deleted, err := a.l.src.Table.Deleted(ctx, f)
		if err != nil {
			return err
		}
		sources, err := datafile.CountSources(ctx, a.l.src.Data, f.Path, deleted)
		if err != nil {
			return fmt.Errorf("look for old rows in %s: %w", f.Path, err)
		}
		mine := 0
		for url, n := range sources {
			if i, ok := urls[url]; ok {
				rows[i] += n
				mine++
			}
		}
		if mine > 0 {
			hold = append(hold, &holding{f, mine == len(sources)})
		}
	}
	for path, i := range old {
		landed, err := a.rowsOf(ctx, path, a.outcomes[i].Landed)
		if err != nil {
			return err
		}
		if rows[i] > landed {
			return &refusal{i, fmt.Sprintf("found %d rows of this file in the table, want at most the %d that landed: several versions of it are there", rows[i], landed)}
		}
	}
	for _, h := range hold {
		if err := a.takeOut(ctx, h, old); err != nil {
			return err
		}
	}
	return nil
}

func byKey(x, y table.Key) int {
	if x.Path+x.DV < y.Path+y.DV {
		return -1
	}
	return 1
}

// urls maps every URL under which the objects can stand in `_source_file` to
// their index: the source may have had several roots.
func (a *attempt) urls(old map[string]int) map[string]int {
	urls := map[string]int{}
	here := a.l.src.Files.URL("")
	for path, i := range old {
		url := a.l.src.Files.URL(path)
		urls[url] = i
		for _, root := range a.l.roots {
			urls[root+url[len(here):]] = i
		}
	}
	return urls
}

// rowsOf returns how many rows of a path a batch landed.
func (a *attempt) rowsOf(ctx context.Context, path string, batch int64) (int64, error) {
	m, ok, err := a.l.src.State.Mark(ctx, batch)
	if err != nil || !ok {
		return 0, err
	}
	for _, o := range m.Objects {
		if o.Path == path {
			return o.Rows, nil
		}
	}
	return 0, nil
}

// takeOut removes a file, or rewrites it without the old rows.
func (a *attempt) takeOut(ctx context.Context, h *holding, old map[string]int) error {
	a.removed = append(a.removed, h.file)
	if h.only {
		return nil
	}
	urls := a.urls(old)
	return a.rewrite(ctx, h.file, func(url string) bool { _, goes := urls[url]; return goes })
}

// rewrite writes the rows of a file that stay into a new one.
func (a *attempt) rewrite(ctx context.Context, f table.File, drop func(url string) bool) error {
	deleted, err := a.l.src.Table.Deleted(ctx, f)
	if err != nil {
		return err
	}
	n := len(a.carried)
	res, err := datafile.Rewrite(ctx, a.l.src.Data, f.Path, deleted, drop, datafile.Options{
		Name: func() string {
			return a.fileName(fmt.Sprintf("carried-%d", n))
		},
		NoStats: a.noStats(),
	})
	if err != nil {
		return fmt.Errorf("rewrite %s: %w", f.Path, err)
	}
	if res.File == nil {
		return nil
	}
	a.carried = append(a.carried, table.File{
		Path: res.File.Path, Size: res.File.Size, Rows: res.File.Rows, Stats: res.File.Stats,
		ModTime: a.l.env.Now().UTC(), Partition: f.Partition, Tags: f.Tags,
	})
	return nil
}

// removeAll takes every row of the source out of the table.
func (a *attempt) removeAll(ctx context.Context) error {
	if a.l.snap == nil {
		return nil
	}
	if a.l.appendOnly() {
		return diag.New(diag.AppendOnly, "the table allows appends only (delta.appendOnly), so the rows of the source cannot be taken out").
			In(diag.Place{File: a.l.report.Table}).
			Hinted("unset delta.appendOnly, or land into another table")
	}
	ours := func(url string) bool {
		return slices.ContainsFunc(a.l.roots, func(root string) bool { return strings.HasPrefix(url, strings.TrimSuffix(root, "/")+"/") })
	}
	for _, k := range slices.SortedFunc(maps.Keys(a.l.snap.Files), byKey) {
		f := a.l.snap.Files[k]
		if a.l.uuids[f.Tags[tagSource]] {
			a.removed = append(a.removed, f)
			continue
		}
		deleted, err := a.l.src.Table.Deleted(ctx, f)
		if err != nil {
			return err
		}
		sources, err := datafile.CountSources(ctx, a.l.src.Data, f.Path, deleted)
		if err != nil {
			return fmt.Errorf("look for the source's rows in %s: %w", f.Path, err)
		}
		mine := 0
		for url := range sources {
			if ours(url) {
				mine++
			}
		}
		if mine == 0 {
			continue
		}
		a.removed = append(a.removed, f)
		if mine < len(sources) {
			if err := a.rewrite(ctx, f, ours); err != nil {
				return err
			}
		}
	}
	return nil
}

// refusal sends an attempt back: the object is quarantined instead, since its
// old rows cannot be told from others.
type refusal struct {
	object int
	reason string
}

func (r *refusal) Error() string { return r.reason }
