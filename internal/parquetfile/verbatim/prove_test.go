package verbatim_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	pq "github.com/apache/arrow-go/v18/parquet/schema"
	"pgregory.net/rapid"

	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/parquetfile/verbatim"
)

// drawnLeaf draws a column without parts and values for it.
func drawnLeaf(rt *rapid.T, repetition parquet.Repetition, n int) (pq.Node, any) {
	logical := func(t pq.LogicalType, of parquet.Type, size int) pq.Node {
		node, err := pq.NewPrimitiveNodeLogical("v", repetition, t, of, size, -1)
		if err != nil {
			rt.Fatal(err)
		}
		return node
	}
	switch rapid.SampledFrom([]string{"bigint", "string", "boolean", "double", "date", "decimal", "wide"}).Draw(rt, "type") {
	case "bigint":
		return pq.NewInt64Node("v", repetition, -1), rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(-1<<40, 1<<40), rapid.Int64Range(0, 100)), n, n).Draw(rt, "longs")
	case "string":
		texts := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "æ", "a longer text"}), n, n).Draw(rt, "texts")
		return logical(pq.StringLogicalType{}, parquet.Types.ByteArray, -1), parquetfiletest.Texts(texts...)
	case "boolean":
		return pq.NewBooleanNode("v", repetition, -1), rapid.SliceOfN(rapid.Bool(), n, n).Draw(rt, "booleans")
	case "double":
		return pq.NewFloat64Node("v", repetition, -1), rapid.SliceOfN(rapid.Float64(), n, n).Draw(rt, "doubles")
	case "decimal":
		return logical(pq.NewDecimalLogicalType(4, 2), parquet.Types.Int32, -1), rapid.SliceOfN(rapid.Int32Range(-9999, 9999), n, n).Draw(rt, "cents")
	case "wide":
		values := make([]parquet.FixedLenByteArray, n)
		for i := range values {
			values[i] = binary.BigEndian.AppendUint64(make([]byte, 1, 9), rapid.Uint64().Draw(rt, "wide"))
		}
		return logical(pq.NewDecimalLogicalType(20, 0), parquet.Types.FixedLenByteArray, 9), values
	}
	return logical(pq.DateLogicalType{}, parquet.Types.Int32, -1), rapid.SliceOfN(rapid.Int32(), n, n).Draw(rt, "days")
}

// drawnColumn draws a column, also one with parts, and what its leaves are.
func drawnColumn(rt *rapid.T) (pq.Node, []parquetfiletest.Raw) {
	n := rapid.IntRange(1, 60).Draw(rt, "values")
	var defs, reps []int16
	entry := func(def, rep int16) { defs, reps = append(defs, def), append(reps, rep) }
	shape := rapid.SampledFrom([]string{"required", "optional", "struct", "array"}).Draw(rt, "shape")
	deepest := map[string]int16{"optional": 1, "struct": 2, "array": 3}[shape]
	for range n {
		rep := int16(0)
		if shape == "array" && len(defs) > 0 && defs[len(defs)-1] >= 2 {
			rep = int16(rapid.IntRange(0, 1).Draw(rt, "repeats"))
		}
		entry(deepest, rep)
		for deepest > 0 && rapid.IntRange(0, 3).Draw(rt, "null") == 0 {
			entry(int16(rapid.IntRange(0, int(deepest)-1).Draw(rt, "level")), 0)
		}
	}
	if shape == "required" {
		node, values := drawnLeaf(rt, parquet.Repetitions.Required, n)
		return node, []parquetfiletest.Raw{{Values: values}}
	}
	node, values := drawnLeaf(rt, parquet.Repetitions.Optional, n)
	raw := parquetfiletest.Raw{Values: values, Defs: defs}
	switch shape {
	case "struct":
		other, err := pq.NewPrimitiveNodeLogical("w", parquet.Repetitions.Optional, pq.StringLogicalType{}, parquet.Types.ByteArray, -1, -1)
		if err != nil {
			rt.Fatal(err)
		}
		group, err := pq.NewGroupNode("s", parquet.Repetitions.Optional, pq.FieldList{node, other}, -1)
		if err != nil {
			rt.Fatal(err)
		}
		texts := make([]string, n)
		return group, []parquetfiletest.Raw{raw, {Values: parquetfiletest.Texts(texts...), Defs: defs}}
	case "array":
		raw.Reps = reps
		list, err := pq.ListOfWithName("v", node, parquet.Repetitions.Optional, -1)
		if err != nil {
			rt.Fatal(err)
		}
		return list, []parquetfiletest.Raw{raw}
	}
	return node, []parquetfiletest.Raw{raw}
}

// drawnFile draws how the column is written.
func drawnFile(rt *rapid.T) []byte {
	node, raw := drawnColumn(rt)
	options := []parquet.WriterProperty{
		parquet.WithCompression(rapid.SampledFrom([]compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Zstd, compress.Codecs.Gzip}).Draw(rt, "codec")),
		parquet.WithDictionaryDefault(rapid.Bool().Draw(rt, "dictionary")), parquet.WithDataPageSize(64), parquet.WithBatchSize(8),
		parquet.WithDataPageVersion(rapid.SampledFrom([]parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2}).Draw(rt, "version")),
	}
	switch raw[0].Values.(type) {
	case []int32, []int64:
		if len(raw) == 1 && rapid.Bool().Draw(rt, "deltas") {
			options = append(options, parquet.WithDictionaryDefault(false), parquet.WithEncoding(parquet.Encodings.DeltaBinaryPacked))
		}
	}
	data, err := parquetfiletest.File([]pq.Node{node}, raw, options...)
	if err != nil {
		rt.Fatal(err)
	}
	return data
}

// decoded is what is wrong with a file whose values are read one by one.
func decoded(data []byte) error {
	f, err := parquetfile.OpenAs(bytes.NewReader(data), int64(len(data)), parquetfile.Reading{Flaws: true})
	if err != nil {
		return err
	}
	rows := 0
	for b, err := range f.Batches(context.Background()) {
		if err != nil {
			return err
		}
		rows += b.Rows
		for _, l := range b.Columns[0].Leaves {
			if len(l.Flaws) > 0 {
				return fmt.Errorf("%d flaws", len(l.Flaws))
			}
		}
	}
	if int64(rows) != f.Rows() {
		return fmt.Errorf("%d rows of %d", rows, f.Rows())
	}
	return nil
}

// TestProve: a column that is proven is read value by value without a fault, whichever
// byte of it is another than its writer wrote; and what writers write is proven.
func TestProve(t *testing.T) {
	proven := 0
	rapid.Check(t, func(rt *rapid.T) {
		data := drawnFile(rt)
		flips := rapid.IntRange(0, 2).Draw(rt, "flips")
		end := len(data) - 8 - int(binary.LittleEndian.Uint32(data[len(data)-8:]))
		for range flips {
			data[rapid.IntRange(4, end-1).Draw(rt, "at")] ^= byte(rapid.IntRange(1, 255).Draw(rt, "bits"))
		}
		s, err := verbatim.Open(bytes.NewReader(data), int64(len(data)), parquetfile.Reading{})
		if err != nil {
			rt.Fatal(err)
		}
		s.Prove()
		_, err = s.Column(0, s.Fields()[0])
		var refused *verbatim.Refusal
		switch {
		case err == nil:
			proven++
			if err := decoded(data); err != nil {
				rt.Fatalf("proven, and read value by value: %v", err)
			}
		case !errors.As(err, &refused):
			rt.Fatal(err)
		case flips == 0:
			rt.Fatalf("refused: %v", err)
		}
	})
	if proven == 0 {
		t.Error("nothing was proven")
	}
}
