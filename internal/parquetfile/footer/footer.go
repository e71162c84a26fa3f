// Package footer reads the footers of Parquet files and keeps all that they say.
//
// [Scanner] looks at schemas alone, and at each that it knows already hardly at
// all. [Open] reads a footer whole, as a tree that comes out as it went in. What
// a file is to blame for is a *diag.Diagnostic; other errors are the reader's.
package footer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"landfall/internal/diag"
	"landfall/internal/parquetfile/thrift"
)

const (
	magic     = "PAR1"
	encrypted = "PARE"
	// trailer is the length of the footer and the magic bytes behind it, minSize
	// the least that a file can have.
	trailer = 8
	minSize = trailer + len(magic)
	// tailBytes is how much of the end of a file is read at first: most footers
	// are shorter.
	tailBytes = 64 << 10
)

// The numbers of the fields of a FileMetaData.
const (
	VersionField      = 1
	SchemaField       = 2
	RowsField         = 3
	GroupsField       = 4
	KeysField         = 5
	CreatedByField    = 6
	OrdersField       = 7
	encryptionField   = 8
	footerBytesAtMost = 1 << 30
)

// Footer is the footer of a file.
type Footer struct {
	// Meta is its FileMetaData.
	Meta thrift.Struct
	// Size is that of the file, Start where the footer begins: where the data ends.
	Size, Start int64
	// Elements are the nodes of the schema, the root first.
	Elements []Element
	// Groups are the row groups, in their order.
	Groups []Group
	// Rows is the number of rows that the footer states.
	Rows int64
}

// Group is a row group.
type Group struct {
	Rows int64
	// Chunks are the chunks of the leaves, in the order of the schema.
	Chunks []Chunk
}

// Open reads the footer of a file of so many bytes.
func Open(r io.ReaderAt, size int64) (*Footer, error) {
	var head [len(magic)]byte
	buf := make([]byte, min(size, tailBytes))
	b, start, err := tail(r, size, &buf)
	if err != nil {
		return nil, err
	}
	if err := readFull(r, head[:], 0); err != nil {
		return nil, err
	}
	if string(head[:]) != magic {
		return nil, diag.New(diag.FileUnreadable, "not a Parquet file: begins with %q, want %q", head, magic).
			Hinted("ask the sender for Parquet, or name the format that the files have")
	}
	meta, _, err := thrift.Parse(b)
	if err != nil {
		return nil, broken(err)
	}
	f := &Footer{Meta: meta, Size: size, Start: start}
	if err := f.fill(); err != nil {
		return nil, broken(err)
	}
	return f, nil
}

// fill looks at all that is needed, once.
func (f *Footer) fill() error {
	nodes, _ := f.Meta.List(SchemaField)
	var err error
	if f.Elements, err = elements(nodes); err != nil {
		return err
	}
	leaves := 0
	for i := range f.Elements {
		if f.Elements[i].Children == 0 {
			leaves++
		}
	}
	var ok bool
	if f.Rows, ok = f.Meta.Int(RowsField); !ok || f.Rows < 0 {
		return errors.New("the footer does not say how many rows there are")
	}
	groups, _ := f.Meta.List(GroupsField)
	var rows int64
	for s := range groups.Structs() {
		g, err := groupOf(s, leaves)
		if err != nil {
			return fmt.Errorf("row group %d: %w", len(f.Groups), err)
		}
		if rows += g.Rows; rows < 0 {
			return errors.New("row groups claim too many rows")
		}
		f.Groups = append(f.Groups, g)
	}
	// A footer that says fewer was seen from real writers, which say zero.
	if rows < f.Rows {
		return fmt.Errorf("row groups hold %d rows, the footer says %d", rows, f.Rows)
	}
	return nil
}

func groupOf(s thrift.Struct, leaves int) (Group, error) {
	const chunksField, rowsField = 1, 3
	var g Group
	var ok bool
	if g.Rows, ok = s.Int(rowsField); !ok || g.Rows < 0 {
		return g, fmt.Errorf("it claims %d rows", g.Rows)
	}
	l, _ := s.List(chunksField)
	if l.Len() != leaves {
		return g, fmt.Errorf("it has %d columns, the schema %d", l.Len(), leaves)
	}
	g.Chunks = make([]Chunk, 0, leaves)
	for c := range l.Structs() {
		g.Chunks = append(g.Chunks, chunkOf(c))
	}
	if len(g.Chunks) != leaves {
		return g, errors.New("its columns are no structures")
	}
	return g, nil
}

// Encrypted reports whether some columns may be encrypted.
func (f *Footer) Encrypted() bool { return f.Meta.Has(encryptionField) }

// CreatedBy names the writer, "" if the file does not.
func (f *Footer) CreatedBy() string {
	v, _ := f.Meta.Bytes(CreatedByField)
	return string(v)
}

// Lookup finds a key of the key-value metadata; a key without a value has the
// value "".
func (f *Footer) Lookup(key string) (string, bool) {
	for k, v := range f.Keys() {
		if k == key {
			return v, true
		}
	}
	return "", false
}

// Keys yields the key-value metadata.
func (f *Footer) Keys() func(func(key, value string) bool) {
	return func(yield func(string, string) bool) {
		l, _ := f.Meta.List(KeysField)
		for s := range l.Structs() {
			k, _ := s.Bytes(1)
			v, _ := s.Bytes(2)
			if !yield(string(k), string(v)) {
				return
			}
		}
	}
}

// TypeOrdered says of each leaf whether the footer states that its bounds are in
// the order of its type.
func (f *Footer) TypeOrdered() []bool {
	l, _ := f.Meta.List(OrdersField)
	var out []bool
	for s := range l.Structs() {
		out = append(out, s.Has(1))
	}
	return out
}

// tail reads the footer, into buf where that is long enough, and returns it with
// its place in the file.
func tail(r io.ReaderAt, size int64, buf *[]byte) (footer []byte, start int64, err error) {
	if size < int64(minSize) {
		return nil, 0, diag.New(diag.FileUnreadable, "file of %d bytes, want a Parquet file (%d at least)", size, minSize).
			Hinted("ask the sender for the file again")
	}
	n := min(size, tailBytes, int64(len(*buf)))
	b := (*buf)[:n]
	if err := readFull(r, b, size-n); err != nil {
		return nil, 0, err
	}
	b, end := b[:n-trailer], b[n-trailer:]
	switch string(end[trailer-len(magic):]) {
	case magic:
	case encrypted:
		return nil, 0, diag.New(diag.FileUnreadable, "encrypted Parquet file, want a plain one").
			Hinted("ask the sender for a file without encryption")
	default:
		return nil, 0, diag.New(diag.FileUnreadable, "no Parquet file, or a truncated one: ends with %q, want %q", end[trailer-len(magic):], magic).
			Hinted("ask the sender for the file again")
	}
	length := int64(binary.LittleEndian.Uint32(end))
	start = size - trailer - length
	switch {
	case start < int64(len(magic)) || length > footerBytesAtMost:
		return nil, 0, broken(fmt.Errorf("a footer of %d bytes in a file of %d", length, size))
	case length <= int64(len(b)):
		return b[int64(len(b))-length:], start, nil
	}
	*buf = make([]byte, length)
	return *buf, start, readFull(r, *buf, start)
}

// readFull reads all of b. A file that ends before is at fault.
func readFull(r io.ReaderAt, b []byte, at int64) error {
	n, err := r.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return broken(fmt.Errorf("ends %d bytes too early", len(b)-n))
	}
	return fmt.Errorf("read Parquet file: %w", err)
}

// broken says that the file is at fault.
func broken(err error) error {
	return diag.New(diag.FileUnreadable, "cannot read Parquet file: %v", err).
		Hinted("try another reader; if that fails too, ask the sender for the file again").Because(err)
}
