package datafile

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/parquetfile"
	"landfall/internal/recode"
	"landfall/internal/schema"
	"landfall/internal/store"
)

// Division is the rows that have the same values in the columns by which a [Divider]
// divides: as text, nil for null.
type Division struct {
	Values []*string
	// Files have all columns but these. They do not say whose rows they hold.
	Files []File
}

// Divider writes the rows of data files once more, in files of their own for each value
// of some columns. Rows of one value keep their order. One goroutine uses it. After an
// error, Abort is all that is left to do.
type Divider struct {
	s     store.Store
	table schema.Struct
	// by are the positions of the columns, place names the folder of a division.
	by    []int
	place func(values []*string) (string, error)
	o     Options
	// name makes the last part of a file's name of its number.
	name  func(number int) string
	named int
	parts map[string]*division
	all   []*division
}

// division is one of a divider's.
type division struct {
	values []*string
	place  string
	out    *stream
	// rows are those of the batch at hand.
	rows []int
}

// The bounds of what waits in memory, in bytes of input, and of files that are open.
const (
	dividing = 256 << 20
	openMost = 200
)

// NewDivider divides rows that have the columns of table by some of these. place names
// the folder of a division, with a slash at its end, or refuses its values; name makes
// the last part of a file's name of a number.
func NewDivider(s store.Store, table schema.Struct, by []int, place func([]*string) (string, error), name func(int) string, o Options) *Divider {
	return &Divider{s: s, table: table, by: by, place: place, name: name, o: o, parts: map[string]*division{}}
}

// Add writes the rows of a data file.
func (d *Divider) Add(ctx context.Context, s store.Store, path string) error {
	obj, err := s.Open(ctx, path)
	if err != nil {
		return fmt.Errorf("open data file %s: %w", path, err)
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	f, err := parquetfile.Open(obj, obj.Info().Size)
	if err != nil {
		return at(path, err)
	}
	r := &reshaper{s: s, file: f, shape: Shape{Schema: d.table}}
	if err := r.plan(r.shape); err != nil {
		return at(path, err)
	}
	for b, err := range f.Batches(ctx) {
		if err != nil {
			return at(path, err)
		}
		all := column.Batch{Rows: b.Rows}
		for _, t := range r.targets[:len(d.table.Fields)] {
			c, row, why := t.column(b)
			if why != nil {
				return at(path, why.In(diag.Place{Record: int64(row) + 1}))
			}
			c.Leaves = recode.Expand(c, b.Rows)
			all.Columns = append(all.Columns, column.Column{Type: c.Type, Leaves: c.Leaves})
		}
		if err := d.divide(ctx, all); err != nil {
			return at(path, err)
		}
	}
	return nil
}

// divide writes the rows of a batch.
func (d *Divider) divide(ctx context.Context, b column.Batch) error {
	if b.Rows == 0 {
		return nil
	}
	met, err := d.sort(b)
	if err != nil {
		return err
	}
	for _, p := range met {
		if err := p.out.write(ctx, d.pick(b, p.rows)); err != nil {
			return err
		}
		p.rows = p.rows[:0]
	}
	return d.relieve(ctx)
}

// sort finds the divisions of the rows of a batch, in the order in which they are met.
func (d *Divider) sort(b column.Batch) (met []*division, err error) {
	reels := make([]*reel, len(d.by))
	for i, at := range d.by {
		reels[i] = wind(b.Columns[at])
	}
	var key []byte
	for row := range b.Rows {
		key = key[:0]
		values := make([]*string, len(d.by))
		for i, at := range d.by {
			if key = append(key, 0); !reels[i].null() {
				text, ok := recode.AppendText(nil, b.Columns[at].Type, &b.Columns[at].Leaves[0], reels[i].at[0].value)
				if !ok {
					return nil, diag.New(diag.ValueMisfit, "column %s: found a value that is no text, want one that a folder can have", d.table.Fields[at].Name)
				}
				value := string(text)
				values[i] = &value
				key = append(strconv.AppendInt(append(key, 1), int64(len(text)), 10), text...)
			}
			if row < b.Rows-1 {
				reels[i].next()
			}
		}
		p, err := d.division(string(key), values)
		if err != nil {
			return nil, err
		}
		if len(p.rows) == 0 {
			met = append(met, p)
		}
		p.rows = append(p.rows, row)
	}
	return met, nil
}

// division returns the division of some values.
func (d *Divider) division(key string, values []*string) (*division, error) {
	if p := d.parts[key]; p != nil {
		return p, nil
	}
	place, err := d.place(values)
	if err != nil {
		return nil, err
	}
	p := &division{values: values, place: place}
	o := d.o
	o.Name = func() string {
		d.named++
		return place + d.name(d.named)
	}
	if p.out, err = newStream(d.s, d.rest(), o.filled()); err != nil {
		return nil, err
	}
	d.parts[key], d.all = p, append(d.all, p)
	return p, nil
}

// rest are the columns that files have.
func (d *Divider) rest() (s schema.Struct) {
	for i, f := range d.table.Fields {
		if !d.divides(i) {
			s.Fields = append(s.Fields, f)
		}
	}
	return s
}

func (d *Divider) divides(at int) bool {
	for _, by := range d.by {
		if by == at {
			return true
		}
	}
	return false
}

// pick returns some rows of a batch, without the columns by which they are divided.
func (d *Divider) pick(b column.Batch, rows []int) column.Batch {
	out := column.Batch{Rows: len(rows)}
	for i, c := range b.Columns {
		if d.divides(i) {
			continue
		}
		if len(rows) < b.Rows {
			r, s, next := wind(c), splice{}, 0
			for row := range b.Rows {
				if next < len(rows) && rows[next] == row {
					s.add(r)
					next++
				}
				if row < b.Rows-1 {
					r.next()
				}
			}
			c = column.Column{Type: c.Type, Leaves: s.leaves}
		}
		out.Columns = append(out.Columns, c)
	}
	return out
}

// relieve writes what waits when that is too much, and closes files when too many are
// open.
func (d *Divider) relieve(ctx context.Context) error {
	var waits int64
	open := 0
	for _, p := range d.all {
		waits += p.out.encoder.Weight()
		if p.out.open != nil {
			open++
		}
	}
	for _, p := range d.all {
		if waits > dividing {
			if err := p.out.cut(ctx); err != nil {
				return err
			}
		}
		if open > openMost {
			if err := p.out.roll(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close finishes the last files and returns the divisions, in the order in which their
// first rows were met.
func (d *Divider) Close(ctx context.Context) ([]Division, error) {
	out := make([]Division, 0, len(d.all))
	for _, p := range d.all {
		files, err := p.out.finish(ctx)
		if err != nil {
			return nil, err
		}
		for i := range files {
			files[i].Parts = nil
		}
		out = append(out, Division{p.values, files})
	}
	return out, nil
}

// Abort drops what is not finished, so it may be deferred. It deletes no finished file.
func (d *Divider) Abort(ctx context.Context) error {
	var errs []error
	for _, p := range d.all {
		errs = append(errs, p.out.abort(ctx))
	}
	return errors.Join(errs...)
}
