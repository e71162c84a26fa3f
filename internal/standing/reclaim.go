package standing

import (
	"context"

	"landfall/internal/reclaim"
	"landfall/internal/table"
)

// Reclaimed is what became of rescued values.
type Reclaimed struct {
	// Counts are those of each object, by path.
	Counts map[string]reclaim.Counts
	// Refused says of files why their rescued values stay where they are.
	Refused []error
}

// Reclaim lets rescued values into the columns that have a place for them, in those
// of the files that hold rows of the reclaimer's objects.
func (c *Change) Reclaim(ctx context.Context, from *reclaim.Reclaimer, files []table.File) (Reclaimed, error) {
	out := Reclaimed{Counts: map[string]reclaim.Counts{}}
	err := c.again(ctx, files, false, func(ctx context.Context, f table.File) (*table.File, error) {
		deleted, err := c.Table.Deleted(ctx, f)
		if err != nil {
			return nil, err
		}
		res, err := from.File(ctx, c.Data, f.Path, deleted, c.options("reclaimed", f))
		if err != nil {
			return nil, err
		}
		if res.Refused != nil {
			out.Refused = append(out.Refused, res.Refused)
		}
		for path, n := range res.Counts {
			sum := out.Counts[path]
			sum.Add(n)
			out.Counts[path] = sum
		}
		if res.File == nil {
			return nil, nil //nolint:nilnil // it stays as it is
		}
		return c.added(res.File, f), nil
	})
	return out, err
}
