package datafile

import (
	"context"
	"errors"
	"fmt"
	"math"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/parquetfile"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/value"
)

// Shape is what Reshape makes of a data file.
type Shape struct {
	// Schema holds the columns of the new file, under the names that stand in
	// files. One that the old file lacks is null in every row. Columns of the
	// old file that are not in it follow, under their own names and types.
	Schema schema.Struct
	// Merged names, for a column of Schema, other columns of the old file whose
	// values it takes where it has none of its own, the first of them first. They
	// are gone from the new file.
	Merged map[string][]string
	// Forms say in which zone days begin that become instants; nil is UTC.
	Forms *value.Forms
	// Edit, if set, sees each batch of live rows as it is about to be written, in
	// the columns of Schema and then those that follow, and returns what changes.
	Edit func(b column.Batch) ([]Edit, error)
}

// Edit gives rows of a batch other values in one column.
type Edit struct {
	// At is the position of the column in the shape's schema.
	At int
	// Column holds the values, nulls included, in the type that the schema gives
	// the column.
	Column column.Column
	// Rows says for each row of Column which row of the batch it replaces, in
	// ascending order; −1 for none.
	Rows []int
}

// Reshape writes a data file again under another schema, without the deleted
// rows (positions of its deletion vector). Every value comes out as it was, in
// the type that the schema gives it; where that type does not hold it exactly,
// where two columns that become one both have a value and these differ, and where
// a null would come to stand in a column that takes none, the file is refused
// with a *diag.Diagnostic that names the row and the column, and nothing is left
// in the store. The rows keep their order.
//
// Names are compared in any casing, fields of structs included.
func Reshape(ctx context.Context, s store.Store, path string, deleted []int64, to Shape, o Options) (Rewritten, error) {
	obj, err := s.Open(ctx, path)
	if err != nil {
		return Rewritten{}, fmt.Errorf("open data file %s: %w", path, err)
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	f, err := parquetfile.Open(obj, obj.Info().Size)
	if err != nil {
		return Rewritten{}, at(path, err)
	}
	o.Target = math.MaxInt64 // one file comes of one
	r := &reshaper{s: s, o: o.filled(), file: f, shape: to, rows: rows{live: make([]bool, f.Rows())}}
	for i := range r.rows.live {
		r.rows.live[i] = true
	}
	if err = r.rows.mark(deleted); err == nil {
		err = r.plan(to)
	}
	if err != nil {
		return Rewritten{}, at(path, err)
	}
	if err := r.run(ctx); err != nil {
		if r.out != nil {
			err = errors.Join(err, r.out.abort(ctx))
		}
		return Rewritten{}, at(path, err)
	}
	return r.result, nil
}

// reshaper writes one file again.
type reshaper struct {
	s     store.Store
	o     Options
	file  *parquetfile.File
	shape Shape
	rows  rows
	// table is the schema of the new file, targets its columns.
	table   schema.Struct
	targets []*target
	// source is the position of the column of source files in the old file, −1
	// for none.
	source int
	out    *stream
	result Rewritten
	// done counts the rows read.
	done int64
}

func (r *reshaper) run(ctx context.Context) error {
	r.result.Deleted = r.rows.deleted
	if r.source >= 0 {
		r.result.Kept = map[string]int64{}
	}
	for b, err := range r.file.Batches(ctx) {
		if err != nil {
			return err
		}
		if err := r.batch(ctx, b); err != nil {
			return err
		}
	}
	if r.done != r.file.Rows() {
		return fmt.Errorf("read %d rows, want %d", r.done, r.file.Rows())
	}
	if err := r.truncated(); err != nil || r.out == nil {
		return err
	}
	files, err := r.out.finish(ctx)
	if err != nil || len(files) == 0 {
		return err
	}
	r.out, files[0].Parts = nil, nil
	r.result.File = &files[0]
	return nil
}

// truncated refuses times of which a timestamp holds only a part.
func (r *reshaper) truncated() error {
	for _, m := range r.file.Remarks() {
		if m.Kind != parquetfile.ValueTruncated {
			continue
		}
		d := diag.New(diag.ValueMisfit, "found times with nanoseconds (%d), want microseconds", m.Count).
			In(diag.Place{Record: m.First}).Hinted("leave the column as it is, or write its times with microseconds first")
		d.Path = m.Path.String()
		return d
	}
	return nil
}

// batch writes the live rows of a batch of the old file.
func (r *reshaper) batch(ctx context.Context, b column.Batch) error {
	first := r.done
	r.done += int64(b.Rows)
	live := r.rows.live[first:r.done]
	b, numbers := livePart(b, live, first)
	if b.Rows == 0 {
		return nil
	}
	out := column.Batch{Rows: b.Rows}
	for _, t := range r.targets {
		c, row, d := t.column(b)
		if d != nil {
			return d.In(diag.Place{Record: numbers[row]})
		}
		out.Columns = append(out.Columns, c)
	}
	if err := r.edit(&out); err != nil {
		return err
	}
	if r.source >= 0 {
		countSources(r.result.Kept, b.Columns[r.source], b.Rows)
	}
	if r.out == nil {
		file, err := newStream(r.s, r.table, r.o)
		if err != nil {
			return err
		}
		r.out = file
	}
	return r.out.write(ctx, out)
}

// livePart returns the rows of a batch that are live, and their 1-based numbers
// in the file, the first of which is row first+1.
func livePart(b column.Batch, live []bool, first int64) (column.Batch, []int64) {
	var numbers []int64
	for i, l := range live {
		if l {
			numbers = append(numbers, first+int64(i)+1)
		}
	}
	if len(numbers) == b.Rows {
		return b, numbers
	}
	out := column.Batch{Rows: len(numbers)}
	for _, c := range b.Columns {
		s, r := splice{}, wind(c)
		for i, l := range live {
			if l {
				s.add(r)
			}
			if i < len(live)-1 {
				r.next()
			}
		}
		out.Columns = append(out.Columns, column.Column{Type: c.Type, Leaves: s.leaves})
	}
	return out, numbers
}

// countSources counts rows by the text of a column.
func countSources(into map[string]int64, c column.Column, rows int) {
	l, value := &c.Leaves[0], 0
	for row := range rows {
		if l.Defs != nil && l.Defs[row] == 0 {
			into[""]++
			continue
		}
		into[string(l.Text.Value(value))]++
		value++
	}
}
