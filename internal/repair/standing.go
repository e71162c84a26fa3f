package repair

import (
	"context"
	"maps"
	"slices"

	"landfall/internal/store"
)

// Standing tells what is not as it was when the copy was proven, by names, sizes and
// versions alone: files of the source that came or changed since, and files of the copy
// that are gone, changed or none of its own.
func (c *Copy) Standing(ctx context.Context) (since, strange []string, err error) {
	if since, err = c.since(ctx, c.Source); err != nil {
		return nil, nil, err
	}
	if c.Form == Folder {
		if strange, err = c.strange(ctx, c.Home); err != nil {
			return nil, nil, err
		}
	}
	gone, err := c.gone(ctx, c.Home)
	return since, append(strange, gone...), err
}

// gone are the files of the copy that are not there.
func (m *manifest) gone(ctx context.Context, home store.Store) ([]string, error) {
	missing := map[string]bool{}
	for _, f := range m.Files {
		missing[f.Path] = true
	}
	for info, err := range home.List(ctx, "", "") {
		if err != nil {
			return nil, err
		}
		delete(missing, info.Key)
	}
	return slices.Sorted(maps.Keys(missing)), nil
}
