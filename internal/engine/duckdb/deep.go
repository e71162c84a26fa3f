package duckdb

import (
	"context"
	"database/sql/driver"
	"fmt"
	"os"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	duck "github.com/duckdb/duckdb-go/v2"

	"landfall/internal/diag"
	"landfall/internal/parquetfile"
)

// deepLists bounds the lists within lists of a column that DuckDB reads itself.
// At the end of a row group its Parquet reader asks each list's elements twice
// for more, so every level doubles the time: 24 levels take ten seconds, 40 the
// rest of the day, and no interrupt is heeded meanwhile.
const deepLists = 8

// deepLambdas bounds the lambdas within lambdas of an expression: DuckDB hashes
// the inner ones twice for each level.
const deepLambdas = 12

// listDepth counts the lists and maps on the deepest way into a type.
func listDepth(info duck.TypeInfo) int {
	switch d := info.Details().(type) {
	case *duck.ListDetails:
		return 1 + listDepth(d.Child)
	case *duck.ArrayDetails:
		return 1 + listDepth(d.Child)
	case *duck.MapDetails:
		return 1 + max(listDepth(d.Key), listDepth(d.Value))
	case *duck.StructDetails:
		deepest := 0
		for _, e := range d.Entries {
			deepest = max(deepest, listDepth(e.Info()))
		}
		return deepest
	}
	return 0
}

// appendable tells whether the driver can append values of a type that a file
// holds. It refuses maps with keys that Go cannot compare; those, and types that
// only other writers' files have, are left to DuckDB's reader.
func appendable(info duck.TypeInfo) bool {
	switch d := info.Details().(type) {
	case *duck.ListDetails:
		return appendable(d.Child)
	case *duck.MapDetails:
		key := d.Key.InternalType()
		return d.Key.Details() == nil && key != duck.TYPE_BLOB && appendable(d.Key) && appendable(d.Value)
	case *duck.StructDetails:
		for _, e := range d.Entries {
			if !appendable(e.Info()) {
				return false
			}
		}
		return true
	case *duck.DecimalDetails:
		return true
	}
	switch t := info.InternalType(); t {
	case duck.TYPE_BOOLEAN, duck.TYPE_FLOAT, duck.TYPE_DOUBLE, duck.TYPE_VARCHAR, duck.TYPE_BLOB, duck.TYPE_DATE:
		return info.Alias() == ""
	default:
		return isInteger(t) || isTimestamp(t)
	}
}

// loadDeep reads those members that DuckDB cannot read in time into a table of
// the session, with the types that the files have, and points the members
// there. It returns the name of the table, "" if there was nothing to load.
func (b *viewBuilder) loadDeep(ctx context.Context, members []member, g group) (string, error) {
	var names []string
	columns := []string{"file VARCHAR", "pos BIGINT"}
	for i, m := range members {
		if listDepth(m.info) > deepLists && appendable(m.info) {
			column := fmt.Sprintf("c%d", len(names))
			columns = append(columns, column+" "+infoSQL(m.info))
			names = append(names, m.name)
			members[i].ref = "n." + column
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	b.deep++
	table := fmt.Sprintf("deep_%s_%d", b.parts[strings.LastIndexByte(b.parts, '_')+1:], b.deep)
	if err := b.exec(ctx, fmt.Sprintf("CREATE TABLE %s.%s (%s)", own, table, strings.Join(columns, ", "))); err != nil {
		return "", err
	}
	err := b.raw(func(conn *duck.Conn) error {
		return fillTable(conn, table, func(to *duck.Appender) error {
			for _, n := range g.files {
				if err := appendDeep(ctx, to, b.paths[n], names); err != nil {
					return fmt.Errorf("read %s: %w", b.view.Files[n].Path, err)
				}
			}
			return nil
		})
	})
	return own + "." + table, err
}

// appendDeep appends the named columns of all rows of a file.
func appendDeep(ctx context.Context, to *duck.Appender, path string, names []string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	info, err := f.Stat()
	if err != nil {
		return err
	}
	pos := int64(0)
	for rec, err := range parquetfile.Read(ctx, f, info.Size(), names) {
		if err != nil {
			return err
		}
		if err := appendRecord(to, rec, names, path, pos); err != nil {
			return err
		}
		pos += rec.NumRows()
	}
	return nil
}

func appendRecord(to *duck.Appender, rec arrow.RecordBatch, names []string, path string, from int64) error {
	columns := make([]arrow.Array, len(names))
	for i, name := range names {
		at := rec.Schema().FieldIndices(name)
		if len(at) != 1 {
			return fmt.Errorf("found %d columns %s, want one", len(at), name)
		}
		columns[i] = rec.Column(at[0])
	}
	values := make([]driver.Value, 2+len(names))
	for row := range int(rec.NumRows()) {
		values[0], values[1] = path, from+int64(row)
		for i, c := range columns {
			v, err := item(c, row)
			if err != nil {
				return err
			}
			values[2+i] = v
		}
		if err := to.AppendRow(values...); err != nil {
			return err
		}
	}
	return nil
}

// item returns a value as the driver's appender takes it.
func item(a arrow.Array, i int) (any, error) {
	if a.IsNull(i) {
		return nil, nil //nolint:nilnil // null
	}
	switch a := a.(type) {
	case *array.List:
		from, to := a.ValueOffsets(i)
		return items(a.ListValues(), from, to)
	case *array.Map:
		return mapItem(a, i)
	case *array.Struct:
		return fieldItems(a, i)
	case *array.Decimal128:
		typ, ok := a.DataType().(*arrow.Decimal128Type)
		if ok {
			return duck.Decimal{Width: uint8(typ.Precision), Scale: uint8(typ.Scale), Value: a.Value(i).BigInt()}, nil //nolint:gosec // at most 38
		}
	case *array.Date32:
		return a.Value(i).ToTime(), nil
	case *array.Timestamp:
		if typ, ok := a.DataType().(*arrow.TimestampType); ok {
			return a.Value(i).ToTime(typ.Unit), nil
		}
	}
	return plainItem(a, i)
}

func plainItem(a arrow.Array, i int) (any, error) {
	switch a := a.(type) {
	case *array.Boolean:
		return a.Value(i), nil
	case *array.Int8:
		return a.Value(i), nil
	case *array.Int16:
		return a.Value(i), nil
	case *array.Int32:
		return a.Value(i), nil
	case *array.Int64:
		return a.Value(i), nil
	case *array.Uint8:
		return a.Value(i), nil
	case *array.Uint16:
		return a.Value(i), nil
	case *array.Uint32:
		return a.Value(i), nil
	case *array.Uint64:
		return a.Value(i), nil
	case *array.Float32:
		return a.Value(i), nil
	case *array.Float64:
		return a.Value(i), nil
	case *array.String:
		return a.Value(i), nil
	case *array.Binary:
		return a.Value(i), nil
	}
	return nil, diag.New(diag.UnknownFeature, "queries cannot read the type %s inside more than %d lists", a.DataType(), deepLists)
}

func items(a arrow.Array, from, to int64) ([]any, error) {
	out := make([]any, 0, to-from)
	for i := from; i < to; i++ {
		v, err := item(a, int(i))
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func fieldItems(a *array.Struct, i int) (map[string]any, error) {
	out := make(map[string]any, a.NumField())
	typ, ok := a.DataType().(*arrow.StructType)
	if !ok {
		return nil, fmt.Errorf("struct of type %s", a.DataType())
	}
	for n, f := range typ.Fields() {
		v, err := item(a.Field(n), i)
		if err != nil {
			return nil, err
		}
		out[f.Name] = v
	}
	return out, nil
}

func mapItem(a *array.Map, i int) (any, error) {
	var out duck.OrderedMap
	from, to := a.ValueOffsets(i)
	for n := int(from); n < int(to); n++ {
		key, err := item(a.Keys(), n)
		if err != nil {
			return nil, err
		}
		value, err := item(a.Items(), n)
		if err != nil {
			return nil, err
		}
		out.Set(key, value)
	}
	return out, nil
}
