// Package verbatimtest puts copied columns together to files, for tests.
package verbatimtest

import (
	"bytes"
	"fmt"
	"io"

	"landfall/internal/parquetfile/assembly"
	"landfall/internal/parquetfile/rowgroup"
	"landfall/internal/parquetfile/thrift"
	"landfall/internal/parquetfile/verbatim"
)

// Column is a column of a file to come: its nodes, and its chunks in a row group.
type Column struct {
	elements []thrift.Struct
	chunks   func(group int) ([]rowgroup.Chunk, error)
}

// Copied is a column of the source.
func Copied(c *verbatim.Column) Column { return Column{c.Elements(), c.Chunks} }

// File puts columns together to a file.
func File(s *verbatim.Source, columns []Column) ([]byte, error) {
	var out bytes.Buffer
	_, err := Write(&out, s, columns)
	return out.Bytes(), err
}

// Write writes columns as a file, and returns its size.
func Write(w io.Writer, s *verbatim.Source, columns []Column) (int64, error) {
	var nodes [][]thrift.Struct
	for _, c := range columns {
		nodes = append(nodes, c.elements)
	}
	file, err := assembly.NewOf(w, nodes, assembly.Options{Metadata: s.Keys(), CreatedBy: s.CreatedBy()})
	if err != nil {
		return 0, err
	}
	for g, rows := range s.Groups() {
		group := rowgroup.Group{Rows: rows}
		for _, c := range columns {
			chunks, err := c.chunks(g)
			if err != nil {
				return 0, fmt.Errorf("row group %d: %w", g, err)
			}
			group.Chunks = append(group.Chunks, chunks...)
		}
		if err := file.Append(group); err != nil {
			return 0, err
		}
	}
	footer, err := file.Close()
	return footer.Size, err
}
