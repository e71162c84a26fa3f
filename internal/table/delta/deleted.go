package delta

import (
	"context"
	"net/url"
	"strings"

	"landfall/internal/table"
	"landfall/internal/table/delta/action"
	"landfall/internal/table/delta/vector"
)

// Deleted returns the positions of the rows of f that its deletion vector marks
// as deleted, ascending from 0; none if f has no vector.
func (t *Table) Deleted(ctx context.Context, f table.File) ([]int64, error) {
	return vector.Deleted(ctx, t.s, f, t.below)
}

// below returns the key of an absolute path if it lies in the table's folder.
func (t *Table) below(p string) (string, bool) {
	root := strings.TrimSuffix(action.DecodePath(t.s.URL("")), "/") + "/"
	rest, ok := strings.CutPrefix(action.DecodePath(p), root)
	if !ok {
		return "", false
	}
	key, err := url.PathUnescape(rest)
	return key, err == nil
}
