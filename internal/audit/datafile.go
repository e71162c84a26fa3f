package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/parquetfile"
	"landfall/internal/reread"
	"landfall/internal/schema"
	"landfall/internal/source"
	"landfall/internal/store"
	"landfall/internal/table"
)

// survey sums up the rows of the table by the objects that they name.
func (a *Auditor) survey(ctx context.Context) error {
	a.broken = map[string]string{}
	for _, k := range slices.SortedFunc(maps.Keys(a.Snapshot.Files()), byPath) {
		f := a.Snapshot.Files()[k]
		if tag := f.Tags[source.Tag]; tag != "" && !a.uuids[tag] {
			continue // another source's
		}
		seen := &extents{}
		err := a.rows(ctx, f, seen, func(url string, _ int64, cells [][]byte) error {
			a.tally(k, url, cells)
			return nil
		})
		var why *diag.Diagnostic
		switch {
		case errors.As(err, &why):
			a.broken[f.Path] = why.Message
		case errors.Is(err, store.ErrNotExist):
			a.broken[f.Path] = "it is not there"
		case err != nil:
			return fmt.Errorf("data file %s: %w", f.Path, err)
		case a.uuids[f.Tags[source.Tag]]: // what other tools say of theirs is not ours to prove
			a.checkStatistics(f, seen)
		}
		if reason, ok := a.broken[f.Path]; ok {
			a.report.Notes = append(a.report.Notes, fmt.Sprintf("data file %s cannot be read: %s", f.Path, reason))
		}
	}
	return nil
}

// tally adds a row to those of the object that it names.
func (a *Auditor) tally(k table.Key, url string, cells [][]byte) {
	i, ok := a.urls[url]
	if !ok {
		a.report.Elsewhere++
		return
	}
	t := &a.tallies[i]
	if t.url == "" {
		t.url = strings.Clone(url)
	}
	if n := len(t.files); n == 0 || t.files[n-1] != k {
		t.files = append(t.files, k)
	}
	t.add(cells)
}

func byPath(x, y table.Key) int { return strings.Compare(x.Path, y.Path) }

// rows yields the rows of a data file that are not deleted, with the files that they
// name and their positions. All that are in the file are added to seen, if it is not
// nil.
func (a *Auditor) rows(ctx context.Context, f table.File, seen *extents, use func(url string, position int64, cells [][]byte) error) error {
	deleted, err := a.Table.Deleted(ctx, f)
	if err != nil {
		return err
	}
	obj, err := a.Data.Open(ctx, f.Path)
	if err != nil {
		return err
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	p, err := parquetfile.Open(obj, obj.Info().Size)
	if err != nil {
		return err
	}
	cells, err := reread.NewCells(a.fields, p.Fields(), a.Objects.Forms, nil)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(p.Fields(), func(g schema.Field) bool {
		return g.Name == contract.SourceFile && g.Type == schema.Type(schema.String)
	})
	var position int64
	for b, err := range p.Batches(ctx) {
		if err != nil {
			return err
		}
		if seen != nil {
			seen.add(p.Fields(), b)
		}
		urls := urlsOf(b, at)
		err := cells.Rows(b, func(row int, cells [][]byte) error {
			here := position
			position++
			if _, gone := slices.BinarySearch(deleted, here); gone {
				return nil
			}
			return use(urls(row), here, cells)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// urlsOf returns the files that rows name, which are asked in order; at is the
// column, −1 for none.
func urlsOf(b column.Batch, at int) func(row int) string {
	if at < 0 {
		return func(int) string { return "" }
	}
	leaf := &b.Columns[at].Leaves[0]
	values := make([]int, b.Rows)
	n := 0
	for row := range values {
		values[row] = -1
		if leaf.Defs == nil || leaf.Defs[row] > 0 {
			values[row] = n
			n++
		}
	}
	return func(row int) string {
		if values[row] < 0 {
			return ""
		}
		return string(leaf.Text.Value(values[row]))
	}
}
