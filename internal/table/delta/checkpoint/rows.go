package checkpoint

import (
	"iter"
	"maps"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"landfall/internal/table"
	"landfall/internal/table/delta/action"
)

// batch is the number of actions in one record: it bounds memory.
const batch = 4096

// layout has a nullable struct for each kind of action, of the names
// and types that the protocol's appendix gives.
func layout() *arrow.Schema {
	text, long, flag := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64, arrow.FixedWidthTypes.Boolean
	small := arrow.PrimitiveTypes.Int32
	properties, list := arrow.MapOf(text, text), arrow.ListOf(text)
	vector := fields("storageType", text, "pathOrInlineDv", text, "offset", small, "sizeInBytes", small, "cardinality", long)
	return arrow.NewSchema(fields(
		"protocol", fields("minReaderVersion", small, "minWriterVersion", small, "readerFeatures", list, "writerFeatures", list),
		"metaData", fields("id", text, "name", text, "description", text,
			"format", fields("provider", text, "options", properties),
			"schemaString", text, "partitionColumns", list, "createdTime", long, "configuration", properties),
		"txn", fields("appId", text, "version", long, "lastUpdated", long),
		"domainMetadata", fields("domain", text, "configuration", text, "removed", flag),
		"add", fields("path", text, "partitionValues", properties, "size", long, "modificationTime", long, "dataChange", flag,
			"stats", text, "tags", properties, "deletionVector", vector,
			"baseRowId", long, "defaultRowCommitVersion", long, "clusteringProvider", text),
		"remove", fields("path", text, "deletionTimestamp", long, "dataChange", flag, "extendedFileMetadata", flag,
			"partitionValues", properties, "size", long, "deletionVector", vector,
			"baseRowId", long, "defaultRowCommitVersion", long),
	).Fields(), nil)
}

// fields makes a struct of nullable fields from names and types in turn.
func fields(pairs ...any) *arrow.StructType {
	list := make([]arrow.Field, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, arrow.Field{Name: pairs[i].(string), Type: pairs[i+1].(arrow.DataType), Nullable: true})
	}
	return arrow.StructOf(list...)
}

// records yields the actions as records of the layout, one row each. A record is released when the next one is asked for.
func records(acts []*action.Action) iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		b := array.NewRecordBuilder(memory.DefaultAllocator, layout())
		defer b.Release()
		for some := range slices.Chunk(acts, batch) {
			for _, a := range some {
				appendRow(b, a)
			}
			rec := b.NewRecordBatch()
			more := yield(rec, nil)
			rec.Release()
			if !more {
				return
			}
		}
	}
}

// appendRow adds one action; its order is that of the layout.
func appendRow(b *array.RecordBuilder, a *action.Action) {
	appendValue(b.Field(0), structOf(a.Protocol, func(p *action.Protocol) []any {
		return []any{int32(p.MinReaderVersion), int32(p.MinWriterVersion), p.ReaderFeatures, p.WriterFeatures} //nolint:gosec // small numbers
	}))
	appendValue(b.Field(1), structOf(a.MetaData, func(m *action.MetaData) []any {
		format := []any{m.Format.Provider, pointers(m.Format.Options)}
		columns := slices.Concat([]string{}, m.PartitionColumns)
		return []any{m.ID, m.Name, m.Description, format, m.SchemaString, &columns, m.CreatedTime, pointers(m.Configuration)}
	}))
	appendValue(b.Field(2), structOf(a.Txn, func(t *action.Txn) []any {
		return []any{t.AppID, t.Version, t.LastUpdated}
	}))
	appendValue(b.Field(3), structOf(a.DomainMetadata, func(d *action.DomainMetadata) []any {
		return []any{d.Domain, d.Configuration, d.Removed}
	}))
	appendValue(b.Field(4), structOf(a.Add, func(f *action.Add) []any {
		return []any{
			f.Path, notNil(f.PartitionValues), f.Size, f.ModificationTime, false,
			optional(f.Stats), f.Tags, vectorRow(f.DeletionVector), f.BaseRowID, f.DefaultRowCommitVersion, f.ClusteringProvider,
		}
	}))
	appendValue(b.Field(5), structOf(a.Remove, func(r *action.Remove) []any {
		return []any{
			r.Path, r.DeletionTimestamp, false, r.ExtendedFileMetadata,
			r.PartitionValues, r.Size, vectorRow(r.DeletionVector), r.BaseRowID, r.DefaultRowCommitVersion,
		}
	}))
}

// structOf lists the fields of v in schema order, nil if v is nil.
func structOf[T any](v *T, list func(*T) []any) []any {
	if v == nil {
		return nil
	}
	return list(v)
}

func vectorRow(d *table.DeletionVector) []any {
	return structOf(d, func(d *table.DeletionVector) []any {
		return []any{d.StorageType, d.PathOrInlineDV, d.Offset, d.SizeInBytes, d.Cardinality}
	})
}

// notNil turns an absent map into an empty one: the protocol wants it there.
func notNil(m map[string]*string) map[string]*string {
	if m == nil {
		return map[string]*string{}
	}
	return m
}

func pointers(m map[string]string) map[string]*string {
	out := make(map[string]*string, len(m))
	for k, v := range m {
		out[k] = &v
	}
	return out
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// appendValue adds one value to a builder of its type; nil pointers, maps and
// lists are nulls.
func appendValue(b array.Builder, v any) {
	switch b := b.(type) {
	case *array.StructBuilder:
		row, _ := v.([]any)
		if row == nil {
			b.AppendNull() // its fields too
			return
		}
		b.Append(true)
		for i, value := range row {
			appendValue(b.FieldBuilder(i), value)
		}
	case *array.MapBuilder:
		m, _ := v.(map[string]*string)
		appendMap(b, m)
	case *array.ListBuilder:
		list, _ := v.(*[]string)
		if list == nil {
			b.AppendNull()
			return
		}
		b.Append(true)
		for _, s := range *list {
			appendValue(b.ValueBuilder(), s)
		}
	case *array.StringBuilder:
		appendScalar(b.Append, b.AppendNull, v)
	case *array.Int64Builder:
		appendScalar(b.Append, b.AppendNull, v)
	case *array.Int32Builder:
		appendScalar(b.Append, b.AppendNull, v)
	case *array.BooleanBuilder:
		appendScalar(b.Append, b.AppendNull, v)
	}
}

func appendMap(b *array.MapBuilder, m map[string]*string) {
	if m == nil {
		b.AppendNull()
		return
	}
	b.Append(true)
	for _, k := range slices.Sorted(maps.Keys(m)) {
		appendValue(b.KeyBuilder(), k)
		appendValue(b.ItemBuilder(), m[k])
	}
}

// appendScalar adds a T, what a *T points at, or a null.
func appendScalar[T any](add func(T), null func(), v any) {
	switch v := v.(type) {
	case T:
		add(v)
	case *T:
		if v == nil {
			null()
			return
		}
		add(*v)
	default:
		null()
	}
}
