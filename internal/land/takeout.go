package land

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"landfall/internal/datafile"
	"landfall/internal/diag"
	"landfall/internal/state"
	"landfall/internal/table"
)

// takeOut removes a file, or rewrites it without the old rows.
func (a *attempt) takeOut(ctx context.Context, h *holding, old map[string]int) error {
	a.removed = append(a.removed, h.file)
	if h.only {
		a.counts.RowsRemoved += liveRows(h.file)
		return nil
	}
	urls := a.urls(old)
	return a.rewrite(ctx, h.file, func(url string) bool { _, goes := urls[url]; return goes })
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
	a.counts.RowsRemoved += res.Dropped
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
	if err := a.l.mayRemove(); err != nil {
		return err
	}
	isOurs, err := a.ownership(ctx)
	if err != nil {
		return err
	}
	var found int64
	blind := ""
	for _, k := range slices.SortedFunc(maps.Keys(a.l.snap.Files), byKey) {
		f := a.l.snap.Files[k]
		if a.l.uuids[f.Tags[tagSource]] {
			a.removed = append(a.removed, f)
			a.counts.RowsRemoved += liveRows(f)
			found += f.Rows
			continue
		}
		if f.Tags[tagSource] != "" {
			continue // another source's, and nobody else's
		}
		sources, err := a.sources(ctx, f)
		if err != nil {
			return err
		}
		if sources == nil {
			blind = f.Path
		}
		rows, mine := ours(sources, isOurs)
		found += rows
		if mine == 0 {
			continue
		}
		a.removed = append(a.removed, f)
		if mine == len(sources) {
			a.counts.RowsRemoved += rows
		} else if err := a.rewrite(ctx, f, isOurs); err != nil {
			return err
		}
	}
	return a.accountFor(ctx, found, blind)
}

// mayRemove refuses when the source's rows cannot be taken out of the table.
func (l *landing) mayRemove() error {
	code, why, keeps := l.keepsRows()
	if !keeps {
		return nil
	}
	return diag.New(code, "%s, so the rows of the source cannot be taken out", why).
		In(diag.Place{File: l.report.Table}).
		Hinted("unset that property, or keep the rows: landfall reset %s --keep", l.src.Args)
}

// ownership returns what tells whether a row's file is one of this source's: a
// path that it settled, under any root that it had. Other sources may have files
// below the same roots. A state that remembers no path leaves only the roots.
func (a *attempt) ownership(ctx context.Context) (func(url string) bool, error) {
	known := map[string]bool{}
	for e, err := range a.l.src.State.Known(ctx) {
		if errors.Is(err, &diag.Diagnostic{Code: diag.StateBroken}) {
			clear(known)
			break
		}
		if err != nil {
			return nil, err
		}
		for url := range a.urls(map[string]int{e.Path: 0}) {
			known[url] = true
		}
	}
	if len(known) > 0 {
		return func(url string) bool { return known[url] }, nil
	}
	return func(url string) bool {
		return slices.ContainsFunc(a.l.roots, func(root string) bool {
			return strings.HasPrefix(url, strings.TrimSuffix(root, "/")+"/")
		})
	}, nil
}

// ours sums up the rows of this source's files, and counts those files.
func ours(sources map[string]int64, isOurs func(string) bool) (rows int64, files int) {
	for url, n := range sources {
		if isOurs(url) {
			rows += n
			files++
		}
	}
	return rows, files
}

// accountFor refuses to land everything again when rows of the source may hide
// in a file (blind) that does not say where its rows came from.
func (a *attempt) accountFor(ctx context.Context, found int64, blind string) error {
	sameTable := slices.ContainsFunc(a.l.ids[:max(len(a.l.ids)-1, 0)], func(id state.Identity) bool { return id.TableID == a.l.snap.ID })
	if blind == "" || !sameTable {
		return nil // nothing hides, or nothing of ours ever came into this table
	}
	var landed int64
	for e, err := range a.l.src.State.Known(ctx) {
		if err != nil {
			return err
		}
		if e.Landed > 0 {
			landed += e.Rows
		}
	}
	if found >= landed {
		return nil
	}
	return diag.New(diag.ReplaceRefused, "found %d of the %d rows of the source; the others may be in a file that does not say where its rows came from", found, landed).
		In(diag.Place{File: a.l.src.Data.URL(blind)}).
		Hinted("land into a new table, or keep the rows: landfall reset %s --keep", a.l.src.Args)
}

// refusal sends an attempt back: the object is quarantined instead, since its
// old rows cannot be told from others.
type refusal struct {
	object int
	reason string
}

func (r *refusal) Error() string { return r.reason }
