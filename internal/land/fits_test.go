package land_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/parquet/file"

	"landfall/internal/parquetfile"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/table"
	"landfall/internal/table/delta"
)

// fits fails unless every live data file can be read under the table's schema.
func (l *landed) fits() {
	l.t.Helper()
	if err := fits(l.t.Context(), l.data); err != nil {
		l.t.Fatal(err)
	}
}

// fits checks that each live data file keeps its columns in the types of the
// table: readers take no INT32 for a bigint, and no other type for another.
func fits(ctx context.Context, data store.Store) error {
	snap, err := delta.Open(data, delta.Options{}).Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		return nil
	}
	if err != nil {
		return err
	}
	want, err := stored(snap.Schema)
	if err != nil {
		return err
	}
	for _, f := range snap.Files {
		o, err := data.Open(ctx, f.Path)
		if err != nil {
			return err
		}
		found, err := leavesOf(o, f.Size)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		for path, typ := range found {
			if want[path] != typ {
				return fmt.Errorf("%s: %s is kept as %q, want %q as the table's %s has it", f.Path, path, typ, want[path], snap.Schema)
			}
		}
	}
	return nil
}

// stored is how the columns of a table are kept in files of our own.
func stored(s schema.Struct) (map[string]string, error) {
	var b bytes.Buffer
	w, err := parquetfile.NewWriter(&b, s, parquetfile.Options{})
	if err != nil {
		return nil, err
	}
	if _, err := w.Close(); err != nil {
		return nil, err
	}
	return leavesOf(bytes.NewReader(b.Bytes()), int64(b.Len()))
}

// leavesOf are the types of the leaves of a Parquet file, by path.
func leavesOf(r io.ReaderAt, size int64) (map[string]string, error) {
	f, err := file.NewParquetReader(io.NewSectionReader(r, 0, size))
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	s := f.MetaData().Schema
	for i := range s.NumColumns() {
		c := s.Column(i)
		all[c.Path()] = fmt.Sprintf("%s %s %d", c.PhysicalType(), c.LogicalType(), c.TypeLength())
	}
	return all, f.Close()
}

// sorted are rows in some order.
func sorted(rows []string) string {
	slices.Sort(rows)
	return strings.Join(rows, "\n")
}
