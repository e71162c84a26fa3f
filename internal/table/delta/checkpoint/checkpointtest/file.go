// Package checkpointtest writes checkpoints as other programs do.
package checkpointtest

import (
	"bytes"
	"iter"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"landfall/internal/parquetfile"
)

// File is a Parquet file with the columns of a checkpoint; rows are
// the actions in the JSON of Arrow, in which a map is a list of entries.
func File(t testing.TB, rows ...string) []byte {
	t.Helper()
	return FileOf(t, columns(), rows...)
}

// FileOf is File with other columns.
func FileOf(t testing.TB, fields []arrow.Field, rows ...string) []byte {
	t.Helper()
	sc := arrow.NewSchema(fields, nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, sc, strings.NewReader("["+strings.Join(rows, ",")+"]"))
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	var records iter.Seq2[arrow.RecordBatch, error] = func(yield func(arrow.RecordBatch, error) bool) { yield(rec, nil) }
	var buf bytes.Buffer
	if _, err := parquetfile.WriteArrow(&buf, sc, records, parquetfile.Options{}); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// columns are the columns that a checkpoint of ours would have not:
// those of another writer, with statistics as structs only.
func columns() []arrow.Field {
	text, long := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64
	texts := arrow.MapOf(text, text)
	null := func(name string, typ arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: typ, Nullable: true}
	}
	group := func(name string, fields ...arrow.Field) arrow.Field { return null(name, arrow.StructOf(fields...)) }
	return []arrow.Field{
		group("txn", null("appId", text), null("version", long)),
		group("add", null("path", text), null("partitionValues", texts), null("size", long),
			null("modificationTime", long), null("dataChange", arrow.FixedWidthTypes.Boolean),
			null("baseRowId", long),
			group("deletionVector", null("storageType", text), null("pathOrInlineDv", text),
				null("offset", arrow.PrimitiveTypes.Int32), null("sizeInBytes", arrow.PrimitiveTypes.Int32), null("cardinality", long)),
			group("partitionValues_parsed", null("p", arrow.FixedWidthTypes.Date32)),
			group("stats_parsed", null("numRecords", long),
				group("minValues", null("a", long), null("s", text), null("d", arrow.FixedWidthTypes.Date32),
					null("n", &arrow.Decimal128Type{Precision: 10, Scale: 2}), null("t", arrow.FixedWidthTypes.Timestamp_us)),
				group("nullCount", null("a", long)))),
		group("remove", null("path", text), null("deletionTimestamp", long), null("dataChange", arrow.FixedWidthTypes.Boolean)),
		group("metaData", null("id", text), group("format", null("provider", text), null("options", texts)),
			null("schemaString", text), null("partitionColumns", arrow.ListOf(text)), null("configuration", texts),
			null("createdTime", long)),
		group("protocol", null("minReaderVersion", arrow.PrimitiveTypes.Int32), null("minWriterVersion", arrow.PrimitiveTypes.Int32),
			null("readerFeatures", arrow.ListOf(text)), null("writerFeatures", arrow.ListOf(text))),
		group("domainMetadata", null("domain", text), null("configuration", text), null("removed", arrow.FixedWidthTypes.Boolean)),
		group("sidecar", null("path", text), null("sizeInBytes", long), null("modificationTime", long)),
	}
}
