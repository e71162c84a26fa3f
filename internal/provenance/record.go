package provenance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/parquetfile"
	"landfall/internal/reread"
	"landfall/internal/rescue"
	"landfall/internal/schema"
)

// mostAlike bounds the records that are listed as alike, mostText the bytes of a
// record that are shown.
const (
	mostAlike = 10
	mostText  = 2000
)

// field is a field of a record as its file has it.
type field struct {
	name string
	// raw is its text; nil for none.
	raw *string
}

// read reads an object again and finds the records of its rows there.
func (e *Explainer) read(ctx context.Context, rows []*pending) error {
	o, err := e.landing(ctx, rows[0])
	if err != nil {
		return err
	}
	now, err := e.contractNow(ctx)
	if err != nil {
		return err
	}
	from, err := e.Objects.Schema(o.Version)
	if err != nil {
		return err
	}
	fields := e.Objects.Compared(e.Snapshot.Schema, now)
	cells, err := reread.NewCells(fields, from.Fields, e.Objects.Forms, reread.Merged(o.Version, now))
	if err != nil {
		return err
	}
	for _, p := range rows {
		if p.cells, err = e.cellsOf(ctx, p.place, fields); err != nil {
			return err
		}
	}
	var number int64
	_, err = e.Objects.Read(ctx, o, func(piece reread.Piece) error {
		return cells.Rows(piece.Batch, func(row int, have [][]byte) error {
			for _, p := range rows {
				p.meet(number, row, have, piece)
			}
			number++
			return nil
		})
	})
	var why *diag.Diagnostic
	if errors.As(err, &why) {
		for _, p := range rows {
			p.note("the file cannot be read as it was when it landed: " + why.Message)
		}
		return nil
	}
	for _, p := range rows {
		p.settle()
	}
	return err
}

// meet compares a record with a row.
func (p *pending) meet(number int64, row int, have [][]byte, piece reread.Piece) {
	record := piece.Records[row]
	alike := slices.EqualFunc(have, p.cells, bytes.Equal)
	switch {
	case p.row.Record.FoundBy == ByRescue:
		if record == p.row.Record.Number {
			p.take(record, ByRescue, piece, alike)
		}
	case p.number >= 0:
		if number == p.number {
			p.take(record, ByLineage, piece, alike)
		}
	case alike:
		if p.row.Record.FoundBy == Unfound {
			p.take(record, ByValues, piece, true)
		}
		if len(p.row.Record.Alike) < mostAlike {
			p.row.Record.Alike = append(p.row.Record.Alike, record)
		}
	}
}

// take notes that a record is that of the row.
func (p *pending) take(record int64, by string, piece reread.Piece, alike bool) {
	r := &p.row.Record
	r.Number, r.FoundBy = record, by
	if !alike {
		p.note("the row has other values than its record has by the contract it landed under: landfall audit tells which")
	}
	at := slices.Index(piece.Slab.Records, record)
	if at < 0 {
		return // a malformed record
	}
	if at < len(piece.Slab.Where) {
		w := piece.Slab.Where[at]
		r.Line = w.Line
		r.Text = string(piece.Slab.Data[w.From:min(w.To, w.From+mostText)])
	}
	p.fields = fieldsOf(piece, at)
}

// settle says what came of the search.
func (p *pending) settle() {
	r := &p.row.Record
	switch {
	case len(r.Alike) == 1:
		r.Alike = nil
		p.note("another tool wrote the data file anew; one record of the file has these values")
	case len(r.Alike) > 1:
		r.Number, r.Line, r.Text, r.FoundBy = 0, 0, "", ByValues
		p.note("another tool wrote the data file anew; several records have these values, and any of them may be it")
	case r.FoundBy == Unfound:
		p.note("another tool wrote the data file anew, and no record of the file has these values")
	}
}

// fieldsOf returns the fields of a record.
func fieldsOf(piece reread.Piece, at int) []field {
	s := piece.Slab
	var fields []field
	switch {
	case s.Tape != nil:
		return members(s.Tape, s.Tape.Roots[at])
	case len(s.Columns) > 0:
		for i, c := range s.Columns {
			fields = append(fields, field{piece.Header[i], typedText(c, at)})
		}
	default:
		for i := range s.Fields {
			f := field{name: piece.Header[i]}
			if v := s.Fields[i].Value(at); v != nil {
				text := string(v)
				f.raw = &text
			}
			fields = append(fields, f)
		}
	}
	return fields
}

// members returns those of an object.
func members(t *column.Tape, root uint32) []field {
	if t.Nodes[root].Kind != column.Object {
		return nil
	}
	var fields []field
	for i := t.First(root); i < t.Next(root); i = t.Next(i) {
		raw := string(t.Raw(t.Value(i)))
		fields = append(fields, field{string(t.Text(i)), &raw})
	}
	return fields
}

// typedText is a value of a typed column as JSON, nil for null.
func typedText(c column.Column, row int) *string {
	part := rescue.NewPart(c.Type)
	cursor := rescue.NewCursor(part)
	cursor.Reset(c)
	for range row {
		cursor.Skip(part)
	}
	if cursor.Null(part) {
		return nil
	}
	text := cursor.Text(part)
	if !utf8.ValidString(text) {
		text = string(cursor.Append(nil, part))
	}
	return &text
}

// cellsOf reads the cells of a row from its data file.
func (e *Explainer) cellsOf(ctx context.Context, p Place, fields []schema.Field) ([][]byte, error) {
	obj, err := e.Data.Open(ctx, p.File.Path)
	if err != nil {
		return nil, fmt.Errorf("open data file %s: %w", p.File.Path, err)
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	f, err := parquetfile.Open(obj, obj.Info().Size)
	if err != nil {
		return nil, fmt.Errorf("data file %s: %w", p.File.Path, err)
	}
	cells, err := reread.NewCells(fields, f.Fields(), e.Objects.Forms, nil)
	if err != nil {
		return nil, err
	}
	var first int64
	for b, err := range f.Batches(ctx) {
		if err != nil {
			return nil, fmt.Errorf("data file %s: %w", p.File.Path, err)
		}
		if p.Position >= first+int64(b.Rows) {
			first += int64(b.Rows)
			continue
		}
		var out [][]byte
		err := cells.Rows(b, func(row int, have [][]byte) error {
			if first+int64(row) == p.Position {
				for _, c := range have {
					out = append(out, bytes.Clone(c))
				}
			}
			return nil
		})
		return out, err
	}
	return nil, fmt.Errorf("data file %s has no row %d", p.File.Path, p.Position)
}

// contractNow is the contract in force.
func (e *Explainer) contractNow(ctx context.Context) (contract.Version, error) {
	m, _, err := e.State.LastMark(ctx)
	if err != nil {
		return contract.Version{}, err
	}
	return e.State.Contract(ctx, m)
}
