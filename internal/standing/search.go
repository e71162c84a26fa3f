package standing

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"landfall/internal/datafile"
	"landfall/internal/diag"
	"landfall/internal/state"
	"landfall/internal/table"
)

// search finds the rows by `_source_file` in every live file. It serves tables
// that others have rewritten (OPTIMIZE, DELETE) since the rows landed.
func (c *Change) search(ctx context.Context, old map[string]int64) error {
	urls := c.urls(maps.Keys(old))
	rows := map[string]int64{}
	var hold []*holding
	blind := ""
	for _, f := range c.live() {
		sources, err := c.sources(ctx, f)
		if err != nil {
			return err
		}
		if sources == nil {
			blind = f.Path
		}
		mine := 0
		for url, n := range sources {
			if path, ok := urls[url]; ok {
				rows[path] += n
				mine++
			}
		}
		if mine > 0 {
			hold = append(hold, &holding{f, mine == len(sources)})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(old)) {
		if err := c.tellApart(ctx, path, old[path], rows[path], blind); err != nil {
			return err
		}
	}
	for _, h := range hold {
		if err := c.takeOut(ctx, h, old); err != nil {
			return err
		}
	}
	return nil
}

// sources counts the live rows of a file by source file; nil if it does not say
// where its rows came from.
func (c *Change) sources(ctx context.Context, f table.File) (map[string]int64, error) {
	deleted, err := c.Table.Deleted(ctx, f)
	if err != nil {
		return nil, err
	}
	sources, err := datafile.CountSources(ctx, c.Data, f.Path, deleted)
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
func (c *Change) tellApart(ctx context.Context, path string, batch, found int64, blind string) error {
	landed, did, err := c.rowsOf(ctx, path, batch)
	if err != nil {
		return err
	}
	switch {
	case found > 0 && !did:
		return &Refusal{path, fmt.Sprintf("found %d rows of this file that no batch on record landed", found)}
	case found > landed:
		return &Refusal{path, fmt.Sprintf("found %d rows of this file in the table, want at most the %d that landed: several versions of it are there", found, landed)}
	case blind != "" && (found < landed || !did):
		return &Refusal{path, fmt.Sprintf("found %d of the %d rows of this file, and %s does not say where its rows came from", found, landed, blind)}
	}
	return nil
}

// rowsOf returns how many rows of a path a batch landed, if it did.
func (c *Change) rowsOf(ctx context.Context, path string, batch int64) (rows int64, did bool, err error) {
	m, ok, err := c.State.Mark(ctx, batch)
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
