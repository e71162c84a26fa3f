// Package encode turns batches into row groups.
//
// Values go from the spans of a batch straight into the bodies of pages, which are compressed as
// soon as they are full. What was added last can be taken back. The bytes of a group depend on its
// batches alone: no decision is carried from one group to the next.
package encode

import (
	"errors"
	"fmt"
	"hash/maphash"
	"math"

	"landfall/internal/column"
	"landfall/internal/parquetfile/form"
	"landfall/internal/parquetfile/rowgroup"
	"landfall/internal/schema"
)

var errPage = errors.New("a page of more than 2 GiB")

// Options of an encoder. The zero value is ready.
type Options struct {
	Compression Compression
	Encoding    Encoding
}

// Encoding chooses how integers, dates and timestamps are stored.
type Encoding uint8

const (
	// Delta stores differences, which Spark reads since 3.3.
	Delta Encoding = iota
	// Plain stores what every reader knows: numbers as they are, or codes of a
	// dictionary if values repeat.
	Plain
)

// Encoder gathers rows into one group after the other. One goroutine uses it.
//
// Beside the compressed pages of its group it holds, for each leaf, the open
// page (up to 1 MiB and what a batch brings in 512 rows), as much again from
// the open page at the mark, and a dictionary (up to 1 MiB, and as much for
// finding values in it), but never much more than four times what the rows of
// the group weigh.
type Encoder struct {
	fields []schema.Field
	schema schema.Struct
	// leaves of the column i are chunks[first[i]:first[i+1]].
	chunks []*chunk
	first  []int
	forms  []form.Leaf
	pages  pages

	sum, marked amount
}

// amount is how much a group holds.
type amount struct {
	rows   int
	weight int64
}

// rangeRows is the number of rows that are added before pages are looked at,
// unless they weigh more than rangeBytes.
const (
	rangeRows  = 512
	rangeBytes = 4 << 20
)

// New returns an encoder of the columns of s, of any type that Delta tables
// have. Refused are types of unknown, structs without fields and types so deep
// that their levels exceed 255.
func New(s schema.Struct, o Options) (*Encoder, error) {
	if err := form.Refused(s); err != nil {
		return nil, err
	}
	e := &Encoder{fields: s.Fields, schema: s, first: []int{0}, pages: pages{codec: newCodec(o.Compression), limits: limits{pageRows, pageBytes}}}
	seed := maphash.MakeSeed() // of no consequence for what is written
	for _, f := range s.Fields {
		for _, l := range form.Leaves(f.Type, f.Nullable) {
			path := append([]string{schema.PhysicalName(f)}, l.Path...)
			e.chunks = append(e.chunks, newChunk(l, path, o, seed))
			e.forms = append(e.forms, l)
		}
		e.first = append(e.first, len(e.chunks))
	}
	return e, nil
}

// Rows is the number of rows in the group so far.
func (e *Encoder) Rows() int { return e.sum.rows }

// Weight is the size of these rows as input: their text, with four bytes for
// each cell, or one if it comes from a constant or a null column.
func (e *Encoder) Weight() int64 { return e.sum.weight }

// Write adds the rows of b, whose columns are in the order of the schema. It
// keeps nothing of b. A batch of another form than the schema's is refused as a
// whole. After any other error only Undo makes the encoder usable again.
func (e *Encoder) Write(b column.Batch) error {
	if err := e.Begin(b); err != nil {
		return err
	}
	_, err := e.Fill(b, 0, math.MaxInt64)
	return err
}

// Begin tells whether b can be written, and prepares for Fill.
func (e *Encoder) Begin(b column.Batch) error {
	if len(b.Columns) != len(e.fields) {
		return fmt.Errorf("batch of %d columns, want %d", len(b.Columns), len(e.fields))
	}
	for i, c := range b.Columns {
		if err := form.Check(c, e.fields[i], e.forms[e.first[i]:e.first[i+1]], b.Rows); err != nil {
			return fmt.Errorf("column %q: %w", e.fields[i].Name, err)
		}
	}
	for _, c := range e.chunks {
		c.at = mark{}
	}
	return nil
}

// Fill adds the rows of a begun batch from one on, until the group weighs
// limit, and returns the first that is left. A group without rows takes one
// whatever it weighs. Calls for one batch follow one another.
func (e *Encoder) Fill(b column.Batch, from int, limit int64) (next int, err error) {
	for from < b.Rows {
		n := min(rangeRows, b.Rows-from)
		weight := e.weigh(b, from, from+n)
		for n > 1 && (weight > rangeBytes || weight > limit-e.sum.weight) {
			n /= 2
			weight = e.weigh(b, from, from+n)
		}
		if weight > limit-e.sum.weight && e.sum.rows > 0 {
			return from, nil
		}
		if err := e.add(b, from, from+n); err != nil {
			return from, err
		}
		e.sum.rows += n
		e.sum.weight += weight
		from += n
	}
	return from, nil
}

func (e *Encoder) weigh(b column.Batch, from, to int) (weight int64) {
	for i, col := range b.Columns {
		for n, c := range e.chunks[e.first[i]:e.first[i+1]] {
			weight += c.weigh(col, leafOf(col, n), from, to)
		}
	}
	return weight
}

func (e *Encoder) add(b column.Batch, from, to int) error {
	for i, col := range b.Columns {
		for n, c := range e.chunks[e.first[i]:e.first[i+1]] {
			err := c.add(col, leafOf(col, n), from, to)
			if err == nil && c.page.full(e.pages.limits) {
				err = e.pages.close(c)
			}
			if err != nil {
				return fmt.Errorf("column %q: %w", e.fields[i].Name, err)
			}
		}
	}
	return nil
}

// Mark makes this the place to which Undo goes back. A group begins with one.
func (e *Encoder) Mark() {
	e.marked = e.sum
	for _, c := range e.chunks {
		c.mark()
	}
}

// Undo takes back the rows since the mark, which stays where it is. Of their
// values nothing is left, neither in statistics nor in dictionaries; but a
// dictionary that they ended stays ended.
func (e *Encoder) Undo() {
	e.sum = e.marked
	for _, c := range e.chunks {
		c.undo()
	}
}

// Finish returns the group and the statistics of its columns, and begins the
// next one. The group is the caller's. It has no chunks if there are no rows.
func (e *Encoder) Finish() (rowgroup.Group, []rowgroup.ColumnStats, error) {
	g := rowgroup.Group{Rows: int64(e.sum.rows)}
	bounds := make([]rowgroup.Bounds, len(e.chunks))
	for i, c := range e.chunks {
		bounds[i] = c.bounds
	}
	stats := rowgroup.StatsOf(e.schema, bounds)
	for _, c := range e.chunks {
		if e.sum.rows > 0 {
			out, err := e.pages.finish(c)
			if err != nil {
				return rowgroup.Group{}, nil, fmt.Errorf("column %q: %w", c.path[0], err)
			}
			g.Chunks = append(g.Chunks, out)
		}
		c.reset()
	}
	e.sum, e.marked = amount{}, amount{}
	return g, stats, nil
}
