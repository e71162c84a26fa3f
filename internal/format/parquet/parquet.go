// Package parquet decodes Parquet files.
//
// A [Reader] yields the rows of a file as typed columns: the file's own types
// where tables have them, else the nearest that holds every value. What comes out
// other than it was written is counted and told; what cannot be read is refused
// by its column.
package parquet

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/format"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/verbatim"
	"landfall/internal/schema"
)

// Options say what to accept of a file, and what is not written in one. The zero
// value is ready.
type Options struct {
	// MaxColumns is how many columns a file may have; 0 means DefaultMaxColumns.
	MaxColumns int
	// Zone is where timestamps without a zone stand; nil is UTC.
	Zone *time.Location
	// LegacyDates and LegacyInt96 say that files which do not tell their calendar
	// count days before 1582-10-15 by the Julian one: those of dates and
	// timestamps, and those of INT96.
	LegacyDates, LegacyInt96 bool
}

// Set sets an option by the name that Spark's reader has for it. known is false
// for names that are none; the error is a *diag.Diagnostic.
func (o *Options) Set(key, value string) (known bool, err error) {
	if strings.EqualFold(key, "maxColumns") {
		o.MaxColumns, err = format.ParseNumber(key, value, 1<<20)
		return true, err
	}
	legacy := map[string]*bool{"datetimerebasemode": &o.LegacyDates, "int96rebasemode": &o.LegacyInt96}[strings.ToLower(key)]
	if legacy == nil {
		return false, nil
	}
	switch strings.ToUpper(value) {
	case "LEGACY":
		*legacy = true
	case "CORRECTED":
		*legacy = false
	default:
		return true, format.BadOption(key, value, "CORRECTED or LEGACY")
	}
	return true, nil
}

// DefaultMaxColumns is how many columns a file may have unless Options says
// another number.
const DefaultMaxColumns = 20480

// Reader yields the rows of one file. It implements format.Reader.
type Reader struct {
	path    string
	size    int64
	file    *parquetfile.File
	header  []string
	types   []schema.Type
	zone    string
	records int64
	// left are the columns that are not read, told what reading them would have come
	// to.
	left []bool
	told []parquetfile.Remark
	in   io.ReaderAt
	as   parquetfile.Reading
}

// Open reads the footer of a file of size bytes. path is the object's key, for
// messages. The error is a *diag.Diagnostic if the file is at fault, which names
// the column where one is; anything else comes from r.
func Open(path string, r io.ReaderAt, size int64, o Options) (*Reader, error) {
	as := parquetfile.Reading{Clocks: o.Zone, JulianDates: o.LegacyDates, JulianInt96: o.LegacyInt96, Flaws: true}
	f, err := parquetfile.OpenAs(r, size, as)
	if err != nil {
		return nil, in(path, err)
	}
	most := o.MaxColumns
	if most <= 0 {
		most = DefaultMaxColumns
	}
	fields := f.Fields()
	if len(fields) > most {
		return nil, in(path, diag.New(diag.TooManyColumns, "found %d columns, want at most %d", len(fields), most).
			Hinted("if that is right, raise maxColumns"))
	}
	p := &Reader{path: path, size: size, file: f, zone: "UTC", in: r, as: as}
	if o.Zone != nil {
		p.zone = o.Zone.String()
	}
	for _, c := range fields {
		p.header = append(p.header, c.Name)
		p.types = append(p.types, c.Type)
	}
	return p, nil
}

// in adds the file to a diagnostic.
func in(path string, err error) error {
	var d *diag.Diagnostic
	if errors.As(err, &d) && d.At.File == "" {
		d.At.File = path
	}
	return err
}

// Header returns the names of the columns as the file spells them, in its order.
// Names may be equal.
func (r *Reader) Header() []string { return r.header }

// Types returns the types of the columns, one for each name of the header: all
// nullable but for the keys of maps. It is schema.Unknown for a column that the
// file says has no type.
func (r *Reader) Types() []schema.Type { return r.types }

// Dialect is the same for all files: how one is written is no news to anybody.
func (r *Reader) Dialect() string { return "Parquet" }

// Slabs yields the rows as Columns of slabs, as format.Reader says. A slab holds
// whole rows even where the file breaks right behind them.
func (r *Reader) Slabs(ctx context.Context) iter.Seq2[*column.Slab, error] {
	return func(yield func(*column.Slab, error) bool) {
		r.records = 0
		var slab column.Slab
		for b, err := range r.file.Without(ctx, r.left) {
			if err != nil {
				yield(nil, in(r.path, err))
				return
			}
			slab.Columns = b.Columns
			slab.Records = slab.Records[:0]
			for range b.Rows {
				r.records++
				slab.Records = append(slab.Records, r.records)
			}
			if !yield(&slab, nil) {
				return
			}
		}
	}
}

// Source is the file, for moving its columns as they are.
func (r *Reader) Source() (*verbatim.Source, error) {
	s, err := verbatim.Open(r.in, r.size, r.as)
	return s, in(r.path, err)
}

// Leave says which of the columns Slabs does not read from now on: they are empty in
// its slabs. What reading them would have come to is told by Notes all the same.
func (r *Reader) Leave(columns []bool, told []parquetfile.Remark) { r.left, r.told = columns, told }

// Records is the number of rows yielded so far.
func (r *Reader) Records() int64 { return r.records }

// Account accounts for the bytes of the whole file: the chunks of its columns
// are records, the rest is framing.
func (r *Reader) Account() format.Account {
	records := r.file.ChunkBytes()
	return format.Account{In: r.size, Records: records, Framing: r.size - records}
}

// Notes returns what came out other than it was written, in the rows yielded so
// far.
func (r *Reader) Notes() []format.Note {
	var notes []format.Note
	for _, m := range append(slices.Clip(r.told), r.file.Remarks()...) {
		n := format.Note{Kind: m.Kind, Column: m.Path.String(), Record: m.First, Count: m.Count}
		switch m.Kind {
		case parquetfile.ValueTruncated:
			n.Message = "found timestamps in nanoseconds, which a table holds to the microsecond"
			n.Hint = "keep the files if the last three digits matter"
		case parquetfile.ZoneAssumed:
			n.Message = "found timestamps without a zone, read as " + r.zone
			n.Hint = "write them as adjusted to UTC if they are instants, or name their zone: timeZone"
		case parquetfile.CalendarRebased:
			n.Message = "found days of the Julian calendar, moved to the same dates of the Gregorian"
		}
		notes = append(notes, n)
	}
	return notes
}
