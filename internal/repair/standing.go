package repair

import (
	"context"
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
	whole, err := c.in(ctx, c.Home)
	if err == nil && !whole && len(strange) == 0 {
		strange = []string{"(some of its files are gone)"}
	}
	return since, strange, err
}
