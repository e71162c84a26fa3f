package standing

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"landfall/internal/datafile"
	"landfall/internal/diag"
	"landfall/internal/parquetfile"
	"landfall/internal/schema"
	"landfall/internal/table"
)

// Misfit is the error of a value that another schema does not hold as it is. Its path
// names the column.
type Misfit struct{ Why *diag.Diagnostic }

func (m *Misfit) Error() string { return m.Why.Error() }

// Reshape writes the files again that have one of the touched columns, by folded name,
// as to wants them. Their rows stay as they are. The error may be a [*Misfit].
func (c *Change) Reshape(ctx context.Context, to datafile.Shape, touched map[string]bool) error {
	return c.again(ctx, c.live(), true, func(ctx context.Context, f table.File) (*table.File, error) {
		has, err := c.has(ctx, f.Path, touched)
		if err != nil || !has {
			return nil, err
		}
		deleted, err := c.Table.Deleted(ctx, f)
		if err != nil {
			return nil, err
		}
		res, err := datafile.Reshape(ctx, c.Data, f.Path, deleted, to, c.options("reshaped", f))
		var why *diag.Diagnostic
		switch {
		case errors.As(err, &why) && why.Path != "":
			return nil, &Misfit{why}
		case err != nil:
			return nil, fmt.Errorf("write %s again: %w", f.Path, err)
		case res.File == nil:
			return &table.File{}, nil
		}
		return c.added(res.File, f), nil
	})
}

// has tells whether a file has one of the columns.
func (c *Change) has(ctx context.Context, path string, columns map[string]bool) (bool, error) {
	obj, err := c.Data.Open(ctx, path)
	if err != nil {
		return false, fmt.Errorf("open data file %s: %w", path, err)
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	f, err := parquetfile.Open(obj, obj.Info().Size)
	if err != nil {
		return false, fmt.Errorf("data file %s: %w", path, err)
	}
	return slices.ContainsFunc(f.Fields(), func(f schema.Field) bool { return columns[schema.Fold(f.Name)] }), nil
}
