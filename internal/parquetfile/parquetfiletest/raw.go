package parquetfiletest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	pq "github.com/apache/arrow-go/v18/parquet/schema"
)

// Raw is what a leaf of a file holds, as Parquet writes it: a slice of bool, int32,
// int64, float32, float64, parquet.Int96, parquet.ByteArray or
// parquet.FixedLenByteArray, and the levels of the file.
type Raw struct {
	Values     any
	Defs, Reps []int16
}

// File returns a file of those nodes and one row group, which holds the leaves in
// order. Nothing checks that values are of the types that nodes say.
func File(nodes []pq.Node, leaves []Raw, o ...parquet.WriterProperty) ([]byte, error) {
	root, err := pq.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	w := file.NewParquetWriter(&buf, root, file.WithWriterProps(parquet.NewWriterProperties(o...)))
	group, err := w.AppendRowGroupChecked()
	if err != nil {
		return nil, err
	}
	for _, l := range leaves {
		c, err := group.NextColumn()
		if err != nil {
			return nil, err
		}
		if err := errors.Join(l.Put(c), c.Close()); err != nil {
			return nil, err
		}
	}
	err = errors.Join(group.Close(), w.Close())
	return buf.Bytes(), err
}

// Put writes the leaf to a chunk.
func (r Raw) Put(c file.ColumnChunkWriter) error {
	switch v := r.Values.(type) {
	case []bool:
		return put(c, v, r)
	case []int32:
		return put(c, v, r)
	case []int64:
		return put(c, v, r)
	case []float32:
		return put(c, v, r)
	case []float64:
		return put(c, v, r)
	case []parquet.Int96:
		return put(c, v, r)
	case []parquet.ByteArray:
		return put(c, v, r)
	case []parquet.FixedLenByteArray:
		return put(c, v, r)
	}
	return fmt.Errorf("no chunk holds %T", r.Values)
}

func put[T any](c file.ColumnChunkWriter, values []T, r Raw) error {
	w, ok := c.(interface {
		WriteBatch(values []T, defs, reps []int16) (int64, error)
	})
	if !ok {
		return fmt.Errorf("%T does not write %T", c, values)
	}
	_, err := w.WriteBatch(values, r.Defs, r.Reps)
	return err
}

// Int96 is a timestamp of old writers: the number of a Julian day, of which
// 2440588 is 1970-01-01, and the nanoseconds of the day.
func Int96(day uint32, nanos uint64) (v parquet.Int96) {
	binary.LittleEndian.PutUint64(v[:], nanos)
	binary.LittleEndian.PutUint32(v[8:], day)
	return v
}

// Texts are the values of a leaf of texts.
func Texts(values ...string) []parquet.ByteArray {
	out := make([]parquet.ByteArray, len(values))
	for i, v := range values {
		out[i] = parquet.ByteArray(v)
	}
	return out
}
