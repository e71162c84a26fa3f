package land

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

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
	action, _ := a.l.src.Policy.Action(event.FileRewritten)
	for i, o := range a.outcomes {
		reread := o.Again && o.Bytes == o.Hash
		if o.Fate == state.Landed && o.Landed > 0 && (action != "append" || reread) {
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
		if !landedAll(rec, n, a, old) {
			return nil, nil
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

// landedAll tells whether an attempt landed every object that is said to have
// landed with it; a reset that kept the table's rows did not.
func landedAll(rec state.Attempt, batch int64, a *attempt, old map[string]int) bool {
	landed := map[string]bool{}
	for _, o := range rec.Outcomes {
		landed[o.Path] = o.Fate == state.Landed
	}
	for path, i := range old {
		if a.outcomes[i].Landed == batch && !landed[path] {
			return false
		}
	}
	return true
}

// search finds the rows by `_source_file` in every live file. It serves tables
// that others have rewritten (OPTIMIZE, DELETE) since the rows landed.
func (a *attempt) search(ctx context.Context, old map[string]int) error {
	urls := a.urls(old)
	rows := map[int]int64{}
	var hold []*holding
	blind := ""
	for _, k := range slices.SortedFunc(maps.Keys(a.l.snap.Files), byKey) {
		f := a.l.snap.Files[k]
		sources, err := a.sources(ctx, f)
		if err != nil {
			return err
		}
		if sources == nil {
			blind = f.Path
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
	for _, path := range slices.Sorted(maps.Keys(old)) {
		if err := a.tellApart(ctx, old[path], rows[old[path]], blind); err != nil {
			return err
		}
	}
	for _, h := range hold {
		if err := a.takeOut(ctx, h, old); err != nil {
			return err
		}
	}
	return nil
}

// sources counts the live rows of a file by source file; nil if it does not say
// where its rows came from.
func (a *attempt) sources(ctx context.Context, f table.File) (map[string]int64, error) {
	deleted, err := a.l.src.Table.Deleted(ctx, f)
	if err != nil {
		return nil, err
	}
	sources, err := datafile.CountSources(ctx, a.l.src.Data, f.Path, deleted)
	if errors.Is(err, &diag.Diagnostic{Code: diag.ReplaceRefused}) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for old rows in %s: %w", f.Path, err)
	}
	return sources, nil
}

// tellApart refuses to replace an object whose old rows cannot be told from
// others: too many were found, or too few while a file (blind) does not say
// where its rows came from.
func (a *attempt) tellApart(ctx context.Context, i int, found int64, blind string) error {
	o := a.outcomes[i]
	landed, did, err := a.rowsOf(ctx, o.Path, o.Landed)
	if err != nil {
		return err
	}
	switch {
	case found > 0 && !did:
		return &refusal{i, fmt.Sprintf("found %d rows of this file that no batch on record landed", found)}
	case found > landed:
		return &refusal{i, fmt.Sprintf("found %d rows of this file in the table, want at most the %d that landed: several versions of it are there", found, landed)}
	case blind != "" && (found < landed || !did):
		return &refusal{i, fmt.Sprintf("found %d of the %d rows of this file, and %s does not say where its rows came from", found, landed, blind)}
	}
	return nil
}

// rowsOf returns how many rows of a path a batch landed, if it did.
func (a *attempt) rowsOf(ctx context.Context, path string, batch int64) (rows int64, did bool, err error) {
	m, ok, err := a.l.src.State.Mark(ctx, batch)
	if err != nil || !ok {
		return 0, false, err
	}
	for _, o := range m.Objects {
		if o.Path == path {
			return o.Rows, o.Fate == state.Landed, nil
		}
	}
	return 0, false, nil
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
