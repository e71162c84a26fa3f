// Package assembly puts row groups into a file, whatever made them.
//
// Groups follow one another as they are given; behind the last one come Bloom filters, page
// indexes and the footer, with every offset moved to where its pages went.
package assembly

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"landfall/internal/parquetfile/element"
	"landfall/internal/parquetfile/form"
	"landfall/internal/parquetfile/rowgroup"
	"landfall/internal/parquetfile/thrift"
	"landfall/internal/schema"
)

const magic = "PAR1"

// createdBy names the writer in the footer, in the form that Java readers parse.
const createdBy = "landfall version 0"

var (
	errSize   = errors.New("a body has another size than it says")
	errFooter = errors.New("a footer of more than 2 GiB")
)

// File is a file that is being written. After an error it is of no further use
// and must be thrown away.
type File struct {
	w      io.Writer
	at     int64
	schema []thrift.Struct
	leaves int
	o      Options
	groups []group
	footer Footer
}

// Options of a file. The zero value is ready.
type Options struct {
	// Metadata is written as key-value metadata.
	Metadata map[string]string
	// CreatedBy names the writer of the chunks, by which readers judge their
	// statistics; "" is us. A file that holds chunks of another names that one.
	CreatedBy string
}

// Footer sums up a finished file.
type Footer struct {
	Rows int64
	// Size is the number of bytes, which the store must have too.
	Size int64
	// RowGroups and Columns, in the order of the schema with the fields of a
	// struct in its place, are not given for files of Arrow records; an assembly
	// alone does not know Columns either.
	RowGroups int
	Columns   []rowgroup.ColumnStats
}

// group is a row group whose chunks are written, but for what comes behind the
// last one.
type group struct {
	rows   int64
	at     int64
	chunks []rowgroup.Chunk // without bodies
	bases  []int64
}

// New begins a file of the columns of s, which are refused as encode.New does.
func New(w io.Writer, s schema.Struct, o Options) (*File, error) {
	if err := form.Refused(s); err != nil {
		return nil, err
	}
	columns := make([][]thrift.Struct, len(s.Fields))
	for i, f := range s.Fields {
		columns[i] = Elements(f)
	}
	return NewOf(w, columns, o)
}

// NewOf begins a file of columns that are given by their nodes, each with those
// below it: chunks of other files need not be laid out as ours are.
func NewOf(w io.Writer, columns [][]thrift.Struct, o Options) (*File, error) {
	if len(columns) == 0 {
		return nil, form.ErrNoColumns
	}
	f := &File{w: w, schema: []thrift.Struct{element.Root(len(columns))}, o: o}
	for _, c := range columns {
		f.schema = append(f.schema, c...)
		for _, e := range c {
			if element.IsLeaf(e) {
				f.leaves++
			}
		}
	}
	return f, nil
}

// Elements returns the nodes of a column as New lays it out.
func Elements(f schema.Field) []thrift.Struct {
	return appendNodes(nil, schema.PhysicalName(f), f.Type, f.Nullable)
}

// Written is the number of bytes that went to the underlying writer so far.
func (f *File) Written() int64 { return f.at }

func (f *File) write(b []byte) error {
	n, err := f.w.Write(b)
	f.at += int64(n)
	return err
}

// begin writes what a file begins with.
func (f *File) begin() error {
	if f.at > 0 {
		return nil
	}
	if err := f.write([]byte(magic)); err != nil {
		return fmt.Errorf("begin Parquet file: %w", err)
	}
	return nil
}

// Append writes a group, which must have a chunk for each leaf of the schema;
// one without rows leaves nothing.
func (f *File) Append(g rowgroup.Group) error {
	if g.Rows == 0 {
		return nil
	}
	if len(g.Chunks) != f.leaves {
		return fmt.Errorf("row group of %d chunks, want %d", len(g.Chunks), f.leaves)
	}
	if err := f.begin(); err != nil {
		return err
	}
	out := group{rows: g.Rows, at: f.at, chunks: slices.Clone(g.Chunks)}
	for len(out.bases) < len(g.Chunks) {
		body, first := g.Chunks[len(out.bases)].Body, len(out.bases)
		out.bases = append(out.bases, f.at)
		for _, c := range g.Chunks[first+1:] {
			joined, ok := join(body, c.Body)
			if !ok {
				break
			}
			out.bases = append(out.bases, f.at+body.Size())
			body = joined
		}
		n, err := body.WriteTo(f.w)
		f.at += n
		if err == nil && n != body.Size() {
			err = fmt.Errorf("found %d bytes, want %d: %w", n, body.Size(), errSize)
		}
		if err != nil {
			return fmt.Errorf("write column chunk %d: %w", first+1, err)
		}
	}
	for i := range out.chunks {
		out.chunks[i].Body = nil
	}
	f.groups = append(f.groups, out)
	f.footer.Rows += g.Rows
	f.footer.RowGroups++
	return nil
}

// join makes one body of two that can be.
func join(body, next rowgroup.Body) (rowgroup.Body, bool) {
	j, ok := body.(rowgroup.Joiner)
	if !ok {
		return nil, false
	}
	return j.Join(next)
}

// Close writes the rest of the file. The underlying writer stays open.
func (f *File) Close() (Footer, error) {
	if err := f.begin(); err != nil {
		return Footer{}, err
	}
	groups := make([]thrift.Struct, len(f.groups))
	for i := range f.groups {
		g, err := f.finish(i)
		if err != nil {
			return Footer{}, fmt.Errorf("end row group %d: %w", i+1, err)
		}
		groups[i] = g
	}
	tail := f.tail(groups).Append(nil)
	if len(tail) > math.MaxInt32 {
		return Footer{}, errFooter
	}
	tail = binary.LittleEndian.AppendUint32(tail, uint32(len(tail)))
	if err := f.write(append(tail, magic...)); err != nil {
		return Footer{}, fmt.Errorf("write footer: %w", err)
	}
	f.footer.Size = f.at
	return f.footer, nil
}

// tail makes the FileMetaData.
func (f *File) tail(groups []thrift.Struct) thrift.Struct {
	const version = 2
	var out, order, typeDefined thrift.Struct
	out.SetInt32(1, version)
	out.SetList(2, thrift.StructList(f.schema))
	out.SetInt64(3, f.footer.Rows)
	out.SetList(4, thrift.StructList(groups))
	if len(f.o.Metadata) > 0 {
		var pairs []thrift.Struct
		for _, k := range slices.Sorted(maps.Keys(f.o.Metadata)) {
			var p thrift.Struct
			p.SetString(1, k)
			p.SetString(2, f.o.Metadata[k])
			pairs = append(pairs, p)
		}
		out.SetList(5, thrift.StructList(pairs))
	}
	out.SetString(6, cmp.Or(f.o.CreatedBy, createdBy))
	// Without orders, readers do not trust the bounds of texts.
	order.SetStruct(1, typeDefined)
	out.SetList(7, thrift.StructList(slices.Repeat([]thrift.Struct{order}, f.leaves)))
	return out
}
