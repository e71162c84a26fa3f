package parquetfile

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	pq "github.com/apache/arrow-go/v18/parquet/schema"

	"landfall/internal/diag"
	"landfall/internal/parquetfile/form"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
)

// FuzzScan feeds broken files: each is refused by a diagnostic, or yields whole
// rows, as many as it says.
func FuzzScan(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			if diag.CodeOf(err) == "" {
				t.Fatalf("%v is no diagnostic", err)
			}
			return
		}
		rows := int64(0)
		fields := in.Fields()
		for b, err := range in.Batches(t.Context()) {
			if err != nil {
				if diag.CodeOf(err) == "" {
					t.Fatalf("%v is no diagnostic", err)
				}
				return
			}
			for i, c := range b.Columns {
				if err := form.CheckLeaves(c.Leaves, fields[i], form.Leaves(c.Type, true), b.Rows); err != nil {
					t.Fatalf("column %d: %v", i, err)
				}
			}
			if rows += int64(b.Rows); rows > 1<<20 {
				return
			}
		}
		if rows != in.Rows() {
			t.Fatalf("%d rows, want %d", rows, in.Rows())
		}
	})
}

// seeds are files of all physical types, encodings and codecs.
func seeds(f *testing.F) [][]byte {
	var out [][]byte
	s := schema.Struct{Fields: []schema.Field{
		{Name: "id", Type: schema.Decimal{Precision: 20}, Nullable: true},
		{Name: "m", Type: schema.Map{Key: schema.String, Value: pair, ValueContainsNull: true}, Nullable: true},
	}}
	entry := parquetfiletest.List{parquetfiletest.Struct{int64(1), "x"}, nil}
	columns := [][]any{{nil, nil, nil}, {parquetfiletest.Map{{Key: "k", Value: entry}}, parquetfiletest.Map{}, nil}}
	for _, c := range []Compression{Zstd, Snappy} {
		out = append(out, rowsWritten(f, s, columns, Options{Compression: c}))
	}
	r := parquet.Repetitions.Required
	e := parquet.Encodings
	for _, c := range []struct {
		node     *pq.PrimitiveNode
		encoding parquet.Encoding
		values   any
	}{
		{pq.NewInt32Node("v", r, -1), e.DeltaBinaryPacked, []int32{1, 2, 30, 4}},
		{pq.NewInt64Node("v", r, -1), e.DeltaBinaryPacked, []int64{1, 2, 30, 4}},
		{pq.NewInt64Node("v", r, -1), e.ByteStreamSplit, []int64{1, 2, 30, 4}},
		{pq.NewByteArrayNode("v", r, -1), e.DeltaLengthByteArray, parquetfiletest.Texts("a", "bc", "")},
		{pq.NewByteArrayNode("v", r, -1), e.DeltaByteArray, parquetfiletest.Texts("aa", "aab", "aac")},
		{pq.NewByteArrayNode("v", r, -1), e.Plain, parquetfiletest.Texts("aa", "aab", "aac")},
		{pq.NewFixedLenByteArrayNode("v", r, 3, -1), e.ByteStreamSplit, fixedOf("aab", "aac")},
		{pq.NewInt96Node("v", r, -1), e.Plain, []parquet.Int96{parquetfiletest.Int96(2440588, 1)}},
		{pq.NewBooleanNode("v", r, -1), e.RLE, []bool{true, true, false}},
	} {
		for i, codec := range []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Gzip, compress.Codecs.Brotli, compress.Codecs.Lz4Raw} {
			version := []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2}[i%2]
			out = append(out, foreigns(f, nil, []pq.Node{c.node}, func(_ int, cw file.ColumnChunkWriter) error {
				return put(cw, c.values, nil, nil)
			}, parquet.WithEncoding(c.encoding), parquet.WithDictionaryDefault(false), parquet.WithCompression(codec), parquet.WithDataPageVersion(version)))
		}
	}
	return out
}
