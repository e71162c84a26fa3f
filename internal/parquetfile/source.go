package parquetfile

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"landfall/internal/diag"
	"landfall/internal/parquetfile/page"
)

const (
	magic = "PAR1"
	// minSize is the least a Parquet file can have: magic, footer length, magic.
	minSize = 12
	// minPage and maxPage bound what a page may claim to hold; between them the
	// footer's word on its column decides. maxPage is two of the longest values
	// that a column can hold.
	minPage = 16 << 20
	maxPage = 1 << 30
)

// source is what the decoder reads from. It remembers a fault of the store,
// which must not be taken for a broken file.
type source struct {
	r     io.ReaderAt
	size  int64
	pos   int64
	fault error
	props *parquet.ReaderProperties
	// kv is the key-value metadata, which the decoder does not see.
	kv metadata.KeyValueMetadata
}

// ReadAt reads from the file.
func (s *source) ReadAt(p []byte, off int64) (int, error) {
	n, err := s.r.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) && s.fault == nil {
		s.fault = err
	}
	return n, err
}

// Read reads at the position that Seek set.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.ReadAt(p, s.pos)
	s.pos += int64(n)
	return n, err
}

// Seek sets the position of Read.
func (s *source) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += s.pos
	case io.SeekEnd:
		offset += s.size
	}
	if offset < 0 {
		return 0, fmt.Errorf("seek to %d", offset)
	}
	s.pos = offset
	return offset, nil
}

// broken says that the file is at fault, unless the store was.
func (s *source) broken(err error) error {
	var d *diag.Diagnostic
	switch {
	case s.fault != nil:
		return fmt.Errorf("read Parquet file: %w", s.fault)
	case errors.As(err, &d):
		return err
	case errors.Is(err, page.ErrChecksum):
		return diag.New(diag.FileCorrupt, "%v", err).Hinted("ask the sender for the file again").Because(err)
	}
	return diag.New(diag.FileUnreadable, "cannot read Parquet file: %v", err).
		Hinted("try another reader; if that fails too, ask the sender for the file again").Because(err)
}

// guard turns a panic of the decoder into an error: it panics on bytes that
// it did not expect.
func (s *source) guard(err *error) {
	if p := recover(); p != nil {
		*err = s.broken(fmt.Errorf("decoder gave up: %v", p))
	}
}

// open reads the footer.
func (s *source) open(mem memory.Allocator) (*file.Reader, error) {
	if err := s.recognise(); err != nil {
		return nil, err
	}
	props := parquet.NewReaderProperties(mem)
	props.BufferedStreamEnabled = true
	props.BufferSize = 64 << 10
	props.MaxUncompressedPageSize = minPage
	s.props = props
	f, err := file.NewParquetReader(s, file.WithReadProps(props))
	if err != nil {
		return nil, s.broken(err)
	}
	if f.MetaData().Schema.NumColumns() == 0 || f.NumRows() < 0 {
		return nil, s.broken(errors.New("the footer has no columns"))
	}
	// An Arrow schema left by the writer would change the types we promise, and
	// is more bytes to distrust.
	s.kv = f.MetaData().KeyValueMetadata()
	f.MetaData().FileMetaData.KeyValueMetadata = nil
	return f, nil
}

// recognise says in plain words why a file is none of ours to decode.
func (s *source) recognise() error {
	if s.size < minSize {
		return diag.New(diag.FileUnreadable, "file of %d bytes, want a Parquet file (%d at least)", s.size, minSize).
			Hinted("ask the sender for the file again")
	}
	var head, tail [len(magic)]byte
	for _, part := range []struct {
		buf []byte
		off int64
	}{{head[:], 0}, {tail[:], s.size - int64(len(magic))}} {
		if n, err := s.ReadAt(part.buf, part.off); n < len(part.buf) {
			return s.broken(fmt.Errorf("shorter than %d bytes: %w", s.size, err))
		}
	}
	switch {
	case string(tail[:]) == "PARE":
		return diag.New(diag.FileUnreadable, "encrypted Parquet file, want a plain one").
			Hinted("ask the sender for a file without encryption")
	case string(head[:]) != magic:
		return diag.New(diag.FileUnreadable, "not a Parquet file: begins with %q, want %q", head, magic).
			Hinted("ask the sender for Parquet, or name the format that the files have")
	case string(tail[:]) != magic:
		return diag.New(diag.FileUnreadable, "truncated Parquet file: ends with %q, want %q", tail, magic).
			Hinted("ask the sender for the file again")
	}
	return nil
}

// allow lets pages be as large as a column of so many bytes needs: without a
// bound a broken page header could ask for any amount of memory.
func (s *source) allow(column int64) {
	most := min(max(s.props.MaxUncompressedPageSize, minPage, column), maxPage)
	s.props.MaxCompressedPageSize, s.props.MaxUncompressedPageSize = most, most
}

// probe checks that the chunks of the leaves lie within the file and opens
// each once, because the decoder opens nested ones in goroutines, whose panics
// nobody could catch. It returns the size of their values and the number of
// rows.
func (s *source) probe(f *file.Reader, leaves []int) (bytes, rows int64, err error) {
	for i := range f.NumRowGroups() {
		rg := f.RowGroup(i)
		if n := rg.NumRows(); n < 0 || rows+n < rows {
			return 0, 0, s.broken(fmt.Errorf("row group %d claims %d rows", i, n))
		}
		rows += rg.NumRows()
		for _, leaf := range leaves {
			chunk, err := rg.MetaData().ColumnChunk(leaf)
			if err != nil {
				return 0, 0, s.broken(err)
			}
			first, length := chunk.DataPageOffset(), chunk.TotalCompressedSize()
			if d := chunk.DictionaryPageOffset(); chunk.HasDictionaryPage() && d > 0 && d < first {
				first = d
			}
			if first < 0 || length < 0 || first > s.size || length > s.size-first {
				return 0, 0, s.broken(fmt.Errorf("column %d of row group %d lies outside the file", leaf, i))
			}
			s.allow(chunk.TotalUncompressedSize())
			pages, err := rg.GetColumnPageReader(leaf)
			if err == nil {
				err = pages.Close()
			}
			if err != nil {
				return 0, 0, s.broken(err)
			}
			bytes += max(chunk.TotalUncompressedSize(), 0)
		}
	}
	// A footer that says fewer was seen from real writers, which say zero.
	if rows < f.NumRows() {
		return 0, 0, s.broken(fmt.Errorf("row groups hold %d rows, the footer says %d", rows, f.NumRows()))
	}
	return max(bytes, 0), rows, nil
}
