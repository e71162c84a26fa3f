package conform

import (
	"strconv"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/leaf"
	"landfall/internal/rescue"
	"landfall/internal/schema"
	"landfall/internal/verdict"
)

// field is a field of the header.
type field struct {
	key rescue.Key
	// target is the column that takes its values, nil for none; node is set if
	// these are typed, else they are text and stay where they are.
	target *target
	node   *node
	// folder is set where a folder has the field's name: values that say the
	// same count as landed.
	folder *folderValue
	// rule is for values that are not taken.
	rule *verdict.Rule
	// rows are those of the slab whose value is rescued.
	rows []int
	typedField
}

// planFields finds the column of each field of the header.
func (f *Fitter) planFields(v contract.Version, bound []contract.Field) {
	f.fields = make([]field, len(bound))
	for i, b := range bound {
		fl := &f.fields[i]
		fl.key = verdict.NewKey(b.Name, true)
		path := schema.Path{b.Name}
		if b.Column < 0 || v.Columns[b.Column].Retired {
			fl.rule = f.unplaced(b, path)
			continue
		}
		s := f.slots[b.Column]
		switch {
		case s.folder != nil:
			fl.folder, fl.rule = s.folder, s.folder.rule
		case s.target == nil:
			fl.rule = s.rule
		default:
			fl.target, fl.node, fl.rule = s.target, s.node, s.node.misfit
			if s.node.scalar.Kind == leaf.Text && len(s.node.leaves) == 1 {
				fl.node = nil
			}
			s.target.field, s.target.at = fl, i
		}
	}
}

// unplaced is the rule for a field that has no column.
func (f *Fitter) unplaced(b contract.Field, path schema.Path) *verdict.Rule {
	if b.Why == contract.WhyUnknown && !b.Reserved && !f.retired[schema.Fold(b.Base)] {
		return f.book.UnknownRule(path)
	}
	if b.Why == contract.WhyIgnored {
		return f.book.DropRule(path, b.Why)
	}
	why := b.Why
	if why == "" {
		why = contract.WhyUnknown
	}
	return f.book.SpillRule(path, why)
}

// fitFields fits the fields of a slab, each at once.
func (f *Fitter) fitFields(s *column.Slab) error {
	f.book.Counts.Cells = int64(s.Rows()) * int64(len(f.fields))
	for i := range f.fields {
		fl, text := &f.fields[i], &s.Fields[i]
		fl.rows = fl.rows[:0]
		switch {
		case fl.target == nil:
			f.fitNone(fl, text)
		case fl.node == nil:
			f.fitText(fl, text)
		default:
			f.fitTyped(fl, text)
		}
		if f.book.Err != nil {
			return f.book.Err
		}
	}
	f.fitRagged(s)
	if f.book.Err != nil {
		return f.book.Err
	}
	for _, c := range f.required {
		for row := 0; c.field == nil && row < s.Rows(); row++ {
			f.book.Row = row
			f.book.Missing(c.path)
		}
	}
	return nil
}

// fitText counts text that stays where it is.
func (f *Fitter) fitText(fl *field, text *column.Text) {
	nulls := 0
	for _, span := range text.Spans {
		if span.Null() {
			nulls++
		}
	}
	f.book.Counts.Null += int64(nulls)
	f.book.Counts.Typed += int64(len(text.Spans) - nulls)
	if nulls == 0 || fl.target.Nullable {
		return
	}
	for row, span := range text.Spans {
		if span.Null() {
			f.book.Row = row
			f.book.Missing(fl.target.path)
		}
	}
}

func (f *Fitter) fitTyped(fl *field, text *column.Text) {
	n := fl.node
	scalar := n.kind < asStruct
	for row := 0; row < len(text.Spans); row++ {
		if row < len(text.Numbers) {
			taken := n.scalar.Plains(n.leaves[0], text.Numbers[row:])
			f.book.Counts.Typed += int64(taken)
			if row += taken; row == len(text.Spans) {
				break
			}
		}
		span := text.Spans[row]
		f.book.Row = row
		if span.Null() {
			f.book.Counts.Null++
			f.null(n, 0)
			continue
		}
		// The text behind a value stays in reach, for those who read it word by word.
		value := text.Data[:span.Offset()+span.Len()][span.Offset():]
		if scalar && f.text(n, value, span) {
			f.book.Counts.Typed++
			n.leaves[0].There(0)
			continue
		}
		f.spill(fl, value)
		if !n.nullable {
			f.book.Refuse(n.path, n.misfit, diag.Quote(string(value)))
		}
		f.null(n, 0)
	}
	fl.target.rows = len(text.Spans)
}

// fitNone deals with values that no column takes, or that a folder's value has
// taken the column of.
func (f *Fitter) fitNone(fl *field, text *column.Text) {
	for row, span := range text.Spans {
		f.book.Row = row
		switch {
		case span.Null():
			f.book.Counts.Null++
		case fl.folder != nil && f.sameText(fl.folder, text.Value(row)):
			f.book.Counts.Typed++
		default:
			f.spill(fl, text.Value(row))
		}
	}
}

// spill deals with a value of the row at hand that is not taken.
func (f *Fitter) spill(fl *field, value []byte) {
	if f.book.Apply(fl.rule, 1, func() string { return diag.Quote(string(value)) }) {
		fl.rows = append(fl.rows, f.book.Row)
	}
}

// fitRagged accounts for the records of another width than the header's.
func (f *Fitter) fitRagged(s *column.Slab) {
	for i := range s.Ragged {
		r := &s.Ragged[i]
		f.book.Row = r.Row
		found := func() string { return strconv.Itoa(r.Have) + " fields" }
		if a := f.past.Action; a == verdict.Fails || a == verdict.KeepsOut {
			f.book.Apply(f.past, 0, found)
			continue
		}
		if r.Have < len(f.fields) {
			f.book.Counts.RaggedShort++
			continue
		}
		f.book.Counts.RaggedLong++
		f.book.Counts.Cells += int64(len(r.Extra))
		for _, value := range r.Extra {
			if value == nil {
				f.book.Counts.Null++
			} else {
				f.book.Apply(f.past, 1, found)
			}
		}
	}
}

// putFields writes the rescue column of a slab.
func (f *Fitter) putFields(s *column.Slab) error {
	f.some, f.next = f.some[:0], f.next[:0]
	for i := range f.fields {
		if len(f.fields[i].rows) > 0 {
			f.some, f.next = append(f.some, i), append(f.next, 0)
		}
	}
	ragged := s.Ragged
	for row, record := range s.Records {
		f.writer.Begin()
		for k, i := range f.some {
			fl := &f.fields[i]
			if at := f.next[k]; at < len(fl.rows) && fl.rows[at] == row {
				f.next[k]++
				f.writer.Put(&fl.key, fl.rule.Reason, s.Fields[i].Value(row))
			}
		}
		f.putFolders()
		if len(ragged) > 0 && ragged[0].Row == row {
			f.putExtra(ragged[0].Extra)
			ragged = ragged[1:]
		}
		if err := f.writer.End(record, -1); err != nil {
			return err
		}
	}
	return nil
}

// putExtra adds the values past the header, named by position.
func (f *Fitter) putExtra(values [][]byte) {
	for i, value := range values {
		if i == len(f.extra) {
			f.extra = append(f.extra, verdict.NewKey(f.taken.Free("_c"+strconv.Itoa(len(f.fields)+i)), true))
		}
		if value != nil && f.past.Action == verdict.Rescues {
			f.writer.Put(&f.extra[i], f.past.Reason, value)
		}
	}
}
