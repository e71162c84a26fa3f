package land_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
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
// table: readers take no INT32 for a bigint, and no other type for another. Where the
// table has type widening, it may keep what a type that it has told of was before.
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
	before, err := narrower(snap)
	if err != nil {
		return err
	}
	for _, f := range snap.Files() {
		o, err := data.Open(ctx, f.Path)
		if err != nil {
			return err
		}
		if err := honest(ctx, o, f); err != nil {
			return err
		}
		found, err := leavesOf(o, f.Size)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		for path, typ := range found {
			if !alike(want[path], typ) && !slices.ContainsFunc(before[path], func(b string) bool { return alike(b, typ) }) {
				return fmt.Errorf("%s: %s is kept as %q, want %q as the table's %s has it", f.Path, path, typ, want[path], snap.Schema)
			}
		}
	}
	return nil
}

// honest checks that the statistics of a file count the nulls of its own columns, and
// bound its values: readers skip what they exclude.
func honest(ctx context.Context, o store.Object, f table.File) error {
	if f.Stats == "" {
		return nil
	}
	var stats struct {
		NullCount, MinValues, MaxValues map[string]any
	}
	if err := json.Unmarshal([]byte(f.Stats), &stats); err != nil {
		return err
	}
	nulls := map[string]int{}
	for rec, err := range parquetfile.Read(ctx, o, f.Size, nil) {
		if err != nil {
			return err
		}
		for c, field := range rec.Schema().Fields() {
			nulls[field.Name] += rec.Column(c).NullN()
			low, high := stats.MinValues[field.Name], stats.MaxValues[field.Name]
			for i := range int(rec.NumRows()) {
				if v := rec.Column(c); v.IsValid(i) && !between(low, v, i, high) {
					return fmt.Errorf("%s: %s is %s, not from %v to %v", f.Path, field.Name, v.ValueStr(i), low, high)
				}
			}
		}
	}
	for name, found := range nulls {
		if n, counted := stats.NullCount[name].(float64); counted && n != float64(found) {
			return fmt.Errorf("%s: %s has %d nulls, its statistics say %v", f.Path, name, found, n)
		}
	}
	return nil
}

// between compares a number or a text with its bounds; what else there is, is.
func between(low any, c arrow.Array, row int, high any) bool {
	least, ok := low.(float64)
	most, is := high.(float64)
	if n, err := strconv.ParseFloat(c.ValueStr(row), 64); err == nil && ok && is {
		return least <= n && n <= most
	}
	if c, text := c.(*array.String); text {
		low, ok := low.(string)
		high, is := high.(string)
		return !ok || !is || low <= c.Value(row) && c.Value(row) <= high
	}
	return true
}

// alike tells whether a leaf is kept as readers expect another: decimals of a column
// that was moved may be bytes of a fixed length, which all of them read.
func alike(want, found string) bool {
	if want == found {
		return true
	}
	_, decimal, _ := strings.Cut(want, " Decimal")
	decimal, _, is := strings.Cut(decimal, ")")
	return is && strings.HasPrefix(found, "FIXED_LEN_BYTE_ARRAY Decimal"+decimal+")")
}

// narrower is how the columns of a table may be kept in files that are older than
// their types, by path.
func narrower(snap *table.Snapshot) (map[string][]string, error) {
	before := map[string][]string{}
	if !slices.Contains(snap.Protocol.ReaderFeatures, "typeWidening") {
		return before, nil
	}
	return before, eachChange(snap.Schema, func(older schema.Struct) error {
		kept, err := stored(older)
		for path, typ := range kept {
			before[path] = append(before[path], typ)
		}
		return err
	})
}

// eachChange hands over the schema with each of its types in turn as it was before a
// change that is told of.
func eachChange(s schema.Struct, use func(schema.Struct) error) error {
	for i, f := range s.Fields {
		with := func(t schema.Type) error {
			older := schema.Struct{Fields: slices.Clone(s.Fields)}
			older.Fields[i].Type = t
			return use(older)
		}
		if err := eachChangeIn(f, f.Type, nil, with); err != nil {
			return err
		}
	}
	return nil
}

func eachChangeIn(of schema.Field, t schema.Type, at schema.Path, use func(schema.Type) error) error {
	switch t := t.(type) {
	case schema.Struct:
		return eachChange(t, func(s schema.Struct) error { return use(s) })
	case schema.Array:
		return eachChangeIn(of, t.Element, at.Child("element"), func(e schema.Type) error {
			t.Element = e
			return use(t)
		})
	case schema.Map:
		err := eachChangeIn(of, t.Key, at.Child("key"), func(k schema.Type) error { return use(schema.Map{Key: k, Value: t.Value}) })
		if err != nil {
			return err
		}
		return eachChangeIn(of, t.Value, at.Child("value"), func(v schema.Type) error { return use(schema.Map{Key: t.Key, Value: v}) })
	}
	changes, err := of.TypeChanges()
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.Path.String() == at.String() {
			if err := use(c.From); err != nil {
				return err
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
