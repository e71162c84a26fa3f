package delta

import (
	"context"
	"errors"
	"fmt"
	"time"

	"landfall/internal/store"
	"landfall/internal/table"
)

// SnapshotAt returns the table at a version; table.ErrNoVersion if there is none, or none
// any more, and table.ErrNoTable without a table. Its data files may be gone.
func (t *Table) SnapshotAt(ctx context.Context, version int64) (*table.Snapshot, error) {
	newest, err := t.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	if version < 0 || version > newest.Version {
		return nil, fmt.Errorf("version %d of 0 to %d: %w", version, newest.Version, table.ErrNoVersion)
	}
	if version == newest.Version {
		return newest, nil
	}
	st, err := t.loadAt(ctx, version)
	if errors.Is(err, errHole) || errors.Is(err, table.ErrNoTable) {
		return nil, fmt.Errorf("version %d: %w: %w", version, table.ErrNoVersion, table.ErrCleaned)
	}
	if err != nil {
		return nil, err
	}
	if st.version != version {
		return nil, fmt.Errorf("version %d: %w", version, table.ErrNoVersion)
	}
	return st.snapshot()
}

// VersionAt returns the newest version that was there at a time; table.ErrNoVersion if the
// time is before the first that the log tells of, or after the newest. The times are those
// that commits say of themselves, else those of their files.
func (t *Table) VersionAt(ctx context.Context, at time.Time) (int64, error) {
	newest, err := t.Snapshot(ctx)
	if err != nil {
		return 0, err
	}
	for v := newest.Version; v >= 0; v-- {
		c, err := t.commitAt(ctx, v)
		if errors.Is(err, store.ErrNotExist) {
			break
		}
		if err != nil {
			return 0, err
		}
		if v == newest.Version && at.After(c.Time) {
			return 0, fmt.Errorf("the newest version is of %s: %w", c.Time.Format(time.RFC3339Nano), table.ErrNoVersion)
		}
		if !c.Time.After(at) {
			return v, nil
		}
	}
	return 0, fmt.Errorf("the log begins after %s: %w", at.UTC().Format(time.RFC3339Nano), table.ErrNoVersion)
}
