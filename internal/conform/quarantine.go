package conform

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/rescue"
	"landfall/internal/verdict"
)

// keptOut returns the rows that are kept out, and notes why.
func (f *Fitter) keptOut(s *column.Slab) []column.Bad {
	out := make([]column.Bad, 0, len(f.book.Out))
	for row, record := range s.Records {
		why, is := f.book.Out[row]
		if !is {
			continue
		}
		why.Note(record)
		b := column.Bad{Record: record, Reason: why.Reason, Code: string(why.Code)}
		if f.object.Types != nil {
			b.Bytes = f.keptBytes(s, row)
			b.Length = int64(len(b.Bytes))
		} else if row < len(s.Where) {
			w := s.Where[row]
			b.Line, b.Offset, b.Length = w.Line, w.Offset, int64(w.To-w.From)
			b.Bytes = s.Data[w.From:w.To:w.To]
		}
		out = append(out, b)
	}
	return out
}

// planMalformed decides on records that could not be parsed. A column that asks
// for them by its name is Auto Loader's way to have them as rows.
func (f *Fitter) planMalformed() {
	if f.object.Types != nil {
		f.malformed = verdict.KeepsOut // no row of such a file is without its types
		return
	}
	name, by := f.policy.Action(event.RecordMalformed)
	if f.corrupt != nil && name == "quarantine" && by != "policy" {
		name = "rescue"
	}
	f.malformed = verdict.OnRecords(name)
}

// sort says which of the malformed records land as rows, and which go to
// quarantine. Those without their bytes always do.
func (f *Fitter) sort(bad []column.Bad) (rows, out []column.Bad, dropped int64, err error) {
	for i := range bad {
		b := &bad[i]
		switch {
		case f.malformed == verdict.Drops:
			dropped++
		case f.malformed == verdict.Fails:
			d := diag.New(diag.PolicyFail, "%s (%s)", b.Reason, f.policy.Setting(event.RecordMalformed)).
				In(diag.Place{File: f.object.Path, Record: b.Record, Line: b.Line, Offset: b.Offset})
			return nil, nil, 0, d.Hinted("set record_malformed to quarantine to land the other records")
		case f.malformed == verdict.Rescues && b.Bytes != nil && len(f.required) == 0 && !f.folders.Some(verdict.KeepsOut) && (f.rescue >= 0 || f.corrupt != nil && utf8.Valid(b.Bytes)):
			rows = append(rows, *b)
		default:
			out = append(out, *b)
		}
	}
	return rows, out, dropped, nil
}

// putMalformed adds rows for malformed records to the rescue column, or to the
// column that was made for them.
func (f *Fitter) putMalformed(rows []column.Bad) error {
	k := rescue.NewKey(rescue.CorruptRecord, false)
	for i := range rows {
		b, offset := &rows[i], int64(-1)
		f.book.Counts.Cells++
		f.writer.Begin()
		if f.corrupt != nil && utf8.Valid(b.Bytes) {
			f.book.Counts.Typed++
		} else {
			f.book.Counts.Rescued++
			f.writer.Put(&k, []byte(`"malformed"`), b.Bytes)
			offset = b.Offset
		}
		f.putFolders()
		if err := f.writer.End(b.Record, offset); err != nil {
			return err
		}
	}
	return nil
}

// corruptText is the column that was made for malformed records: what the other
// rows have there, and then these.
func (f *Fitter) corruptText(s *column.Slab, rows []column.Bad) *column.Text {
	t := f.corrupt
	t.text = column.Text{Data: t.text.Data[:0], Spans: t.text.Spans[:0]}
	value := func(int) []byte { return nil }
	switch l := t.node.leaves[0]; {
	case t.field != nil:
		value = s.Fields[t.at].Value
	case t.rows > 0:
		t.catchUp(s.Rows())
		next := 0
		value = func(row int) []byte {
			if l.IsNull(row) {
				return nil
			}
			next++
			return l.Text(next - 1)
		}
	}
	for row := range s.Rows() {
		if v := value(row); v != nil {
			t.text.AppendValue(v)
		} else {
			t.text.AppendNull()
		}
	}
	for i := range rows {
		if utf8.Valid(rows[i].Bytes) {
			t.text.AppendValue(rows[i].Bytes)
		} else {
			t.text.AppendNull()
		}
	}
	return &t.text
}

// inOrder puts what goes to quarantine in the order of the object.
func inOrder(out []column.Bad) {
	slices.SortStableFunc(out, func(a, b column.Bad) int { return int(a.Record - b.Record) })
}

// checkRecords refuses a slab of which a record is lost.
func checkRecords(s *column.Slab, f *Fitted) error {
	in, out := int64(len(s.Records)+len(s.Bad)), f.Counts.Rows+int64(len(f.Out))+f.Counts.Dropped
	if in != out {
		return fmt.Errorf("%d records, but landed %d + quarantined %d + dropped %d", in, f.Counts.Rows, len(f.Out), f.Counts.Dropped)
	}
	return nil
}
