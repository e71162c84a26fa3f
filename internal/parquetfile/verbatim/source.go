// Package verbatim makes row groups of the bytes of another file.
//
// A column whose values stand in a file exactly as a table wants them is not
// decoded: its chunks are moved as they are, under another name and at another
// place, with what the footer says of them. [Source.Column] decides column by
// column, and refuses with a reason whatever it cannot prove from the footer and
// the headers of the pages; such a column is then to be decoded.
//
// Whoever asks for it ([Source.Prove]) has all pages unpacked as well, to see that each
// value can be read and is within the bounds that the footer states. What page indexes
// and Bloom filters say is believed in any case.
package verbatim

import (
	"cmp"
	"io"
	"slices"
	"time"

	pq "github.com/apache/arrow-go/v18/parquet/schema"

	"landfall/internal/diag"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/footer"
	"landfall/internal/parquetfile/logical"
	"landfall/internal/parquetfile/page"
	"landfall/internal/parquetfile/proof"
	"landfall/internal/schema"
)

// Source is a file whose columns can be moved. It is for one goroutine, and so
// are the bodies of its chunks, which read from it when they are written.
type Source struct {
	r       io.ReaderAt
	foot    *footer.Footer
	columns []logical.Column
	// nodes are the leaves of the schema, first the position of the first leaf of
	// each column among them.
	nodes []footer.Element
	first []int
	// groups are the row groups that have rows.
	groups  []footer.Group
	ordered []bool
	refusal *Refusal
	// clocks says that wall clocks are those of another zone than UTC.
	clocks bool
	// sound says that bounds of floating-point numbers hide no NaN.
	sound bool
	// legacy says that the file claims a calendar which none of its columns needs.
	legacy bool
	// buf is room for data, head for the headers of pages.
	buf, head []byte
	// schema is the file's. proves says that pages are unpacked, in room, and levels is
	// room for the levels of two leaves.
	schema *pq.Schema
	proves bool
	room   page.Room
	levels [2]proof.Levels
}

// Open reads the footer of a file, under a reading as that of
// parquetfile.OpenAs, with which it agrees about columns and types. The error is
// a *diag.Diagnostic if the file is at fault; anything else comes from r, which is
// read until the last row group is written.
func Open(r io.ReaderAt, size int64, as parquetfile.Reading) (*Source, error) {
	foot, err := footer.Open(r, size)
	if err != nil {
		return nil, err
	}
	root, err := foot.Root()
	if err != nil {
		return nil, err
	}
	calendar := logical.CalendarOf(foot.Lookup, logical.Calendar{
		JulianDates: as.JulianDates, JulianInt96: as.JulianInt96, Zone: as.Clocks, Clocks: as.Clocks,
	})
	s := &Source{r: r, foot: foot, schema: pq.NewSchema(root), ordered: foot.TypeOrdered(), clocks: as.Clocks != nil && as.Clocks != time.UTC && as.Clocks.String() != "UTC"}
	s.sound = soundFloats(foot.CreatedBy())
	if s.columns, err = logical.Columns(root, calendar); err != nil {
		return nil, err
	}
	for _, e := range foot.Elements {
		if e.Children == 0 {
			s.nodes = append(s.nodes, e)
		}
	}
	leaves := 0
	for i := range s.columns {
		s.first = append(s.first, leaves)
		leaves += len(s.columns[i].Leaves)
	}
	if leaves != len(s.nodes) {
		return nil, diag.New(diag.FileUnreadable, "cannot read Parquet file: columns of %d leaves, the schema has %d", leaves, len(s.nodes)).
			Hinted("ask the sender for the file again")
	}
	for _, g := range foot.Groups {
		if g.Rows > 0 {
			s.groups = append(s.groups, g)
		}
	}
	s.refusal = s.judge(calendar)
	return s, nil
}

// judge looks for what speaks against copying any column.
func (s *Source) judge(c logical.Calendar) *Refusal {
	switch {
	case s.foot.Encrypted():
		return refuse(Encrypted, "encrypted columns")
	case c.JulianDates && s.hasDays():
		return refuse(LegacyCalendar, "days of the Julian calendar")
	}
	s.legacy = c.JulianDates
	type span struct{ from, to int64 }
	var spans []span
	for g := range s.groups {
		for i := range s.groups[g].Chunks {
			c := &s.groups[g].Chunks[i]
			switch {
			case c.Foreign:
				return refuse(Elsewhere, "row group %d has a chunk in another file, or an encrypted one", g)
			case c.From < 4 || c.Bytes < 0 || c.Bytes > s.foot.Start || c.From > s.foot.Start-c.Bytes:
				return refuse(Place, "a chunk of row group %d at %d, %d bytes, lies outside the data", g, c.From, c.Bytes)
			}
			spans = append(spans, span{c.From, c.From + c.Bytes})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(spans); i++ {
		if spans[i].from < spans[i-1].to {
			return refuse(Place, "two chunks share the bytes at %d", spans[i].from)
		}
	}
	return nil
}

// hasDays tells whether the meaning of a column depends on the calendar.
func (s *Source) hasDays() bool {
	for _, c := range s.columns {
		for i := range c.Leaves {
			if t := c.Leaves[i].Type; t == schema.Type(schema.Date) || t == schema.Type(schema.Timestamp) {
				return true
			}
		}
	}
	return false
}

// Refused says why no column of the file can be copied, nil if some may.
func (s *Source) Refused() *Refusal { return s.refusal }

// Fields returns the columns as parquetfile.File.Fields does.
func (s *Source) Fields() []schema.Field {
	out := make([]schema.Field, len(s.columns))
	for i, c := range s.columns {
		out[i] = schema.Field{Name: c.Name, Type: c.Type, Nullable: true}
	}
	return out
}

// Groups returns the number of rows of each row group; those without rows are
// left out.
func (s *Source) Groups() []int64 {
	out := make([]int64, len(s.groups))
	for i := range s.groups {
		out[i] = s.groups[i].Rows
	}
	return out
}

// Rows is the number of rows of all groups.
func (s *Source) Rows() int64 {
	var n int64
	for i := range s.groups {
		n += s.groups[i].Rows
	}
	return n
}

// CreatedBy names the writer of the file. A file that holds chunks of it must
// name it too, since readers tell from it which statistics to believe: chunks of
// two writers do not go into one file.
func (s *Source) CreatedBy() string { return s.foot.CreatedBy() }

// Keys returns the key-value metadata that a file with copied chunks must keep. What describes the columns under their old names is left out, and
// so is the legacy calendar of a file without a column that needs it, lest it be
// taken for that of columns which are added. Files with such columns are refused.
func (s *Source) Keys() map[string]string {
	out := make(map[string]string)
	for k, v := range s.foot.Keys() {
		switch k {
		case "ARROW:schema", "pandas", "org.apache.spark.sql.parquet.row.metadata", "parquet.avro.schema", "avro.schema", "iceberg.schema":
		case "org.apache.spark.version", "org.apache.spark.legacyDateTime":
			if !s.legacy {
				out[k] = v
			}
		default:
			out[k] = v
		}
	}
	return out
}
