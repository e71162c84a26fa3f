package standing

import (
	"context"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/source"
	"landfall/internal/state"
)

// All takes every row of the source out of the table.
func (c *Change) All(ctx context.Context) error {
	isOurs, err := c.ownership(ctx)
	if err != nil {
		return err
	}
	var found int64
	blind := ""
	for _, f := range c.live() {
		if c.UUIDs[f.Tags[source.Tag]] {
			c.Removed = append(c.Removed, f)
			c.Rows += liveRows(f)
			found += f.Rows
			continue
		}
		if f.Tags[source.Tag] != "" {
			continue // another source's, and nobody else's
		}
		sources, err := c.sources(ctx, f)
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
		c.Removed = append(c.Removed, f)
		if mine == len(sources) {
			c.Rows += rows
		} else if err := c.rewrite(ctx, f, isOurs); err != nil {
			return err
		}
	}
	return c.accountFor(ctx, found, blind)
}

// ownership returns what tells whether a row's file is one of this source's: a
// path that it settled, under any root that it had. Other sources may have files
// below the same roots. A state that remembers no path leaves only the roots.
func (c *Change) ownership(ctx context.Context) (func(url string) bool, error) {
	known := map[string]bool{}
	for e, err := range c.State.Known(ctx) {
		if state.IsBroken(err) {
			clear(known)
			break
		}
		if err != nil {
			return nil, err
		}
		for url := range c.urls(slices.Values([]string{e.Path})) {
			known[url] = true
		}
	}
	if len(known) > 0 {
		return func(url string) bool { return known[url] }, nil
	}
	return func(url string) bool {
		return slices.ContainsFunc(c.Roots, func(root string) bool {
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
func (c *Change) accountFor(ctx context.Context, found int64, blind string) error {
	sameTable := slices.ContainsFunc(c.IDs[:max(len(c.IDs)-1, 0)], func(id state.Identity) bool { return id.TableID == c.Snapshot.ID })
	if blind == "" || !sameTable {
		return nil // nothing hides, or nothing of ours ever came into this table
	}
	var landed int64
	for e, err := range c.State.Known(ctx) {
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
		In(diag.Place{File: c.Data.URL(blind)}).
		Hinted("land into a new table, or keep the rows: landfall reset %s --keep", c.Args)
}
