package parquetfile

import (
	"fmt"
	"io"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"

	"landfall/internal/diag"
	"landfall/internal/parquetfile/logical"
	"landfall/internal/schema"
)

// File is a Parquet file whose rows are read as columns of a table. The memory
// that it takes does not depend on the size of its row groups, but on that of
// its pages.
type File struct {
	src     *source
	in      *file.Reader
	columns []logical.Column
	rows    int64
	chunks  int64
	remarks []Remark
	flaws   bool
}

// Remark is how some values of a column come out other than they were written.
type Remark struct {
	// Kind is value_truncated (nanoseconds that were cut), zone_assumed (wall
	// clocks read as those of Reading.Clocks) or calendar_rebased (from the Julian
	// calendar).
	Kind string
	// Path is the column, or a part of one.
	Path schema.Path
	// Count is the number of values, First the 1-based row of the first one.
	Count, First int64
}

// The kinds of remarks.
const (
	ValueTruncated  = "value_truncated"
	ZoneAssumed     = "zone_assumed"
	CalendarRebased = "calendar_rebased"
)

// Reading says what is not written in a file. The zero value is ready.
type Reading struct {
	// Clocks is the zone of timestamps without one; nil is UTC.
	Clocks *time.Location
	// JulianDates and JulianInt96 say that files which do not tell their calendar
	// count the days before 1582-10-15 by the Julian one: those of dates and
	// timestamps, and those of INT96. Files of Spark tell it.
	JulianDates, JulianInt96 bool
	// Flaws says that the caller keeps the values that a column of their type does
	// not hold: they are among the column.Leaf's Flaws. Otherwise they end the
	// reading, all but instants whose nanoseconds are cut.
	Flaws bool
}

// Open reads the footer of a file of any writer, under the zero [Reading]. The
// error is a *diag.Diagnostic if the file is at fault, which names the column
// where one is; anything else comes from r.
func Open(r io.ReaderAt, size int64) (*File, error) {
	return OpenAs(r, size, Reading{})
}

// OpenAs is Open under a reading.
func OpenAs(r io.ReaderAt, size int64, as Reading) (f *File, err error) {
	src := &source{r: r, size: size}
	defer src.guard(&err)
	in, err := src.open(memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	f = &File{src: src, in: in, flaws: as.Flaws}
	f.columns, err = logical.Columns(in.MetaData().Schema.Root(), logical.CalendarOf(src.lookup, logical.Calendar{
		JulianDates: as.JulianDates, JulianInt96: as.JulianInt96, Zone: as.Clocks, Clocks: as.Clocks,
	}))
	if err != nil {
		return nil, err
	}
	return f, f.measure()
}

// lookup finds a key of the key-value metadata.
func (s *source) lookup(key string) (string, bool) {
	for _, p := range s.kv {
		if p.GetKey() == key {
			return p.GetValue(), true
		}
	}
	return "", false
}

// measure checks what the footer says about row groups and chunks.
func (f *File) measure() error {
	for g := range f.in.NumRowGroups() {
		rg := f.in.RowGroup(g)
		if n := rg.NumRows(); n < 0 || f.rows+n < f.rows {
			return f.src.broken(fmt.Errorf("row group %d claims %d rows", g, n))
		}
		f.rows += rg.NumRows()
		if rg.NumColumns() != f.in.MetaData().Schema.NumColumns() {
			return f.src.broken(fmt.Errorf("row group %d has %d columns, the schema %d", g, rg.NumColumns(), f.in.MetaData().Schema.NumColumns()))
		}
		for i := range rg.NumColumns() {
			chunk, err := rg.MetaData().ColumnChunk(i)
			switch {
			case err != nil && !f.in.MetaData().IsSetEncryptionAlgorithm():
				return f.at(i, f.src.broken(err))
			case err != nil || chunk.CryptoMetadata() != nil:
				return f.at(i, diag.New(diag.FileUnreadable, "found an encrypted column, want a plain one").
					Hinted("ask the sender for a file without encryption"))
			}
			first, length := spanOf(chunk)
			if first < 0 || length < 0 || first > f.src.size || length > f.src.size-first {
				return f.at(i, f.src.broken(fmt.Errorf("its chunk of row group %d lies outside the file", g)))
			}
			f.chunks += length
		}
	}
	// A footer that says fewer was seen from real writers, which say zero.
	if f.rows < f.in.NumRows() {
		return f.src.broken(fmt.Errorf("row groups hold %d rows, the footer says %d", f.rows, f.in.NumRows()))
	}
	if f.chunks > f.src.size-minSize {
		return f.src.broken(fmt.Errorf("chunks of %d bytes in a file of %d", f.chunks, f.src.size))
	}
	return nil
}

// Fields returns the columns: names as the file spells them, types all nullable
// but for the keys of maps. Two may have one name.
func (f *File) Fields() []schema.Field {
	out := make([]schema.Field, len(f.columns))
	for i, c := range f.columns {
		out[i] = schema.Field{Name: c.Name, Type: c.Type, Nullable: true}
	}
	return out
}

// Walls says of every leaf of the columns, in order, whether it holds wall clocks,
// which are read as those of Reading.Clocks.
func (f *File) Walls() []bool {
	var out []bool
	for i := range f.columns {
		for n := range f.columns[i].Leaves {
			out = append(out, f.columns[i].Leaves[n].Wall)
		}
	}
	return out
}

// Rows is the number of rows that the row groups say they have.
func (f *File) Rows() int64 { return f.rows }

// ChunkBytes is the size of all column chunks in the file.
func (f *File) ChunkBytes() int64 { return f.chunks }

// Remarks returns what came out other than it was written, by the rows read so
// far, in the order of columns.
func (f *File) Remarks() []Remark { return f.remarks }

// at names the leaf i of the file in a diagnostic.
func (f *File) at(i int, err error) error {
	return named(err, f.leafOf(i).Path)
}

// leafOf returns the leaf i of the file, counted over all columns.
func (f *File) leafOf(i int) *logical.Leaf {
	for c := range f.columns {
		if n := len(f.columns[c].Leaves); i >= n {
			i -= n
			continue
		}
		return &f.columns[c].Leaves[i]
	}
	return &logical.Leaf{}
}
