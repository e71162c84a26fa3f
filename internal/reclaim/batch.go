package reclaim

import (
	"fmt"
	"slices"

	"landfall/internal/column"
	"landfall/internal/datafile"
	"landfall/internal/rescue"
	"landfall/internal/schema"
)

// batch is some rows of a data file, and what becomes of them.
type batch struct {
	*Reclaimer
	// in holds their columns; nil while only what was rescued is looked at.
	in *column.Batch
	// nulls says of columns which of their rows are null.
	nulls  map[int][]bool
	rows   []*row
	counts map[string]Counts
	edits  []datafile.Edit
}

// row is a row that has rescued values.
type row struct {
	at   int
	path string
	fit  *fit
	was  rescue.Row
	// places are where its members may go, in order.
	places []place
}

func (c *Reclaimer) batch(in *column.Batch) *batch {
	return &batch{Reclaimer: c, in: in, nulls: map[int][]bool{}, counts: map[string]Counts{}}
}

// add adds a row, if it is of an object that is asked for and has rescued values.
// One whose text is not ours stays as it is, and counts as one value.
func (b *batch) add(at int, source, text string) {
	f := b.fits[source]
	if f == nil || text == "" {
		return
	}
	path := b.objects[source]
	was, err := rescue.ParseRow([]byte(text))
	if err != nil {
		b.count(path, Counts{Before: 1, Left: 1, Names: map[string]bool{"": true}})
		return
	}
	r := &row{at: at, path: path, fit: f, was: was}
	some := false
	for i := range was.Members {
		p := f.place(&was.Members[i])
		if p.column >= 0 && !b.free(p.column, at) {
			p = nowhere()
		}
		some = some || p.from != stays
		r.places = append(r.places, p)
	}
	if !some {
		b.stays(r)
		return
	}
	b.rows = append(b.rows, r)
}

// stays counts a row that stays as it is.
func (b *batch) stays(r *row) {
	n := values(r.was)
	b.count(r.path, Counts{Before: n, Left: n, Names: namesOf(r.was)})
}

// namesOf are the names of the values that a row has rescued.
func namesOf(r rescue.Row) map[string]bool {
	names := make(map[string]bool, len(r.Members))
	for i := range r.Members {
		names[r.Members[i].Name] = true
	}
	return names
}

// values counts the values that a row has rescued.
func values(r rescue.Row) int64 {
	n := int64(0)
	for i := range r.Members {
		n += cells(r.Members[i].Value)
	}
	return n
}

// free tells whether a row has nothing in a column. That is not known yet while only
// what was rescued is looked at.
func (b *batch) free(of, at int) bool {
	if b.in == nil {
		return true
	}
	nulls := b.nulls[of]
	if nulls == nil {
		nulls = b.in.Columns[of].Nulls(b.in.Rows)
		b.nulls[of] = nulls
	}
	return nulls[at]
}

func (b *batch) count(path string, more Counts) {
	n := b.counts[path]
	n.Add(more)
	b.counts[path] = n
}

// fit fits what the rows have.
func (b *batch) fit() error {
	alike := map[*fit][]*row{}
	var order []*fit
	for _, r := range b.rows {
		if alike[r.fit] == nil {
			order = append(order, r.fit)
		}
		alike[r.fit] = append(alike[r.fit], r)
	}
	for _, f := range order {
		if err := b.take(f, alike[f]); err != nil {
			return err
		}
	}
	return nil
}

// take fits rows of objects that are alike.
func (b *batch) take(f *fit, rows []*row) error {
	fitted, err := f.Fit(f.slab(rows))
	if err != nil {
		return err
	}
	out := map[int64]bool{}
	for i := range fitted.Out {
		out[fitted.Out[i].Record] = true
	}
	if fitted.Batch.Rows+len(out) != len(rows) {
		return fmt.Errorf("fitted %d rows of %d", fitted.Batch.Rows, len(rows))
	}
	t := &taking{batch: b, fitted: fitted.Batch, fills: map[int][]int{}, nulls: map[int][]bool{}}
	if t.left = fitted.Batch.Columns[b.rescueAt].Text; t.left == nil {
		t.left = &column.Text{Spans: slices.Repeat([]column.Span{column.NullSpan}, fitted.Batch.Rows)}
	}
	for i, r := range rows {
		if out[int64(i+1)] { // a part of it may not be null
			b.stays(r)
			continue
		}
		if err := t.row(r); err != nil {
			return err
		}
	}
	t.edit()
	return nil
}

// taking goes through rows that were fitted.
type taking struct {
	*batch
	fitted column.Batch
	// left is what no column took of each.
	left  *column.Text
	nulls map[int][]bool
	done  int
	// fills are the rows of the batch that take the fitted rows of a column, −1 for
	// none. rescued are the rows whose rescue column changes, and to what.
	fills   map[int][]int
	rescued column.Text
	changed []int
}

// row takes what fits of the next row.
func (t *taking) row(r *row) error {
	now, err := t.rest(r)
	if err != nil {
		return err
	}
	before, after := r.was.Append(nil), now.Append(nil)
	changed := int64(0)
	if string(before) != string(after) {
		changed = 1
		t.changed = append(t.changed, r.at)
		if len(after) == 0 {
			t.rescued.AppendNull()
		} else {
			t.rescued.AppendValue(after)
		}
	}
	t.count(r.path, Counts{changed, values(r.was), values(now), namesOf(now)})
	t.done++
	return nil
}

// rest is what stays rescued of the next row.
func (t *taking) rest(r *row) (rescue.Row, error) {
	residue := map[string]rescue.Member{}
	if text := t.left.Value(t.done); text != nil {
		parsed, err := rescue.ParseRow(text)
		if err != nil {
			return rescue.Row{}, err
		}
		for _, m := range parsed.Members {
			residue[m.Name] = m
		}
	}
	now := r.was.Without()
	for k, m := range r.was.Members {
		p := r.places[k]
		if p.from != stays {
			rest, some := residue[m.Name]
			there := p.column >= 0 && t.there(p.column)
			if there {
				t.fill(p.column, r.at)
			}
			if there && !some {
				continue
			}
			if some {
				m = rest
			}
		}
		now.Members = append(now.Members, m)
	}
	return now, nil
}

// there tells whether the row that was fitted has a value in a column.
func (t *taking) there(of int) bool {
	nulls := t.nulls[of]
	if nulls == nil {
		nulls = t.fitted.Columns[t.rules.Held[of]].Nulls(t.fitted.Rows)
		t.nulls[of] = nulls
	}
	return !nulls[t.done]
}

// fill gives a row of the batch the value of the row that was fitted.
func (t *taking) fill(of, at int) {
	rows := t.fills[of]
	for len(rows) < t.done {
		rows = append(rows, -1)
	}
	if len(rows) == t.done {
		rows = append(rows, at)
	}
	t.fills[of] = rows
}

// edit says what changes in the batch.
func (t *taking) edit() {
	if t.in == nil || len(t.changed) == 0 {
		return
	}
	for of, rows := range t.fills {
		for len(rows) < t.fitted.Rows {
			rows = append(rows, -1)
		}
		t.edits = append(t.edits, datafile.Edit{At: of, Column: t.fitted.Columns[t.rules.Held[of]], Rows: rows})
	}
	t.edits = append(t.edits, datafile.Edit{
		At: t.at[schema.Fold(t.rescue)], Column: column.Column{Text: &t.rescued}, Rows: t.changed,
	})
}
