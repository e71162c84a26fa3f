package provenance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/lineage"
	"landfall/internal/part"
	"landfall/internal/reread"
	"landfall/internal/state"
	"landfall/internal/store"
)

// pending is a row that is being explained.
type pending struct {
	place Place
	row   *Row
	// mark, attempt and object say which object of which batch it came from.
	mark    state.Mark
	attempt state.Attempt
	object  state.Outcome
	// number is that of the row among those that landed of the object, from 0; −1
	// if it is not known.
	number int64
	// cells are those of the row, as the table has them.
	cells [][]byte
	// fields are those of the record, nil if it was not read.
	fields []field
}

// Explain explains rows. Those that are not known to be of the source are nil.
func (e *Explainer) Explain(ctx context.Context, places []Place) ([]*Row, error) {
	all, err := e.locate(ctx, places)
	if err != nil {
		return nil, err
	}
	rows := make([]*Row, len(places))
	byObject := map[string][]*pending{}
	for i, p := range all {
		if p == nil {
			continue
		}
		rows[i] = p.row
		key := fmt.Sprintf("%d\x00%s", p.mark.Batch, p.object.Path)
		byObject[key] = append(byObject[key], p)
	}
	for _, key := range slices.Sorted(maps.Keys(byObject)) {
		if err := e.object(ctx, byObject[key]); err != nil {
			return nil, err
		}
	}
	h, err := e.history(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if p == nil {
			continue
		}
		if err := e.cells(ctx, h, p); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// locate finds the batch and the object of each row: by what the batch recorded of
// its data file, or by the file that the row names.
func (e *Explainer) locate(ctx context.Context, places []Place) ([]*pending, error) {
	var paths []string
	for _, p := range places {
		if !slices.Contains(paths, p.File.Path) {
			paths = append(paths, p.File.Path)
		}
	}
	files, err := lineage.Find(ctx, e.State, paths)
	if err != nil {
		return nil, err
	}
	all := make([]*pending, len(places))
	urls := map[string][]int{}
	for i, p := range places {
		f, ok := files[p.File.Path]
		if ok && (p.File.Rows < 0 || p.File.Rows == f.Rows()) {
			if at, number, ok := f.At(p.Position); ok {
				all[i] = e.begin(p, f.Mark, f.Attempt, f.Attempt.Outcomes[at], number)
				continue
			}
		}
		var url string
		if json.Unmarshal(p.Values[contract.SourceFile], &url) == nil && url != "" {
			urls[url] = append(urls[url], i)
		}
	}
	if len(urls) == 0 {
		return all, nil
	}
	return all, e.byURL(ctx, places, urls, all)
}

// byURL finds rows by the files that they name.
func (e *Explainer) byURL(ctx context.Context, places []Place, urls map[string][]int, all []*pending) error {
	roots, err := e.roots(ctx)
	if err != nil {
		return err
	}
	for k, err := range e.State.Known(ctx) {
		if err != nil {
			return err
		}
		if k.Landed == 0 {
			continue
		}
		for url := range e.Objects.URLs(roots, slices.Values([]string{k.Path})) {
			if len(urls[url]) == 0 {
				continue
			}
			m, a, err := e.batch(ctx, k.Landed)
			if err != nil {
				return err
			}
			at := slices.IndexFunc(a.Outcomes, func(o state.Outcome) bool { return o.Path == k.Path })
			if at < 0 {
				continue
			}
			for _, i := range urls[url] {
				all[i] = e.begin(places[i], m, a, a.Outcomes[at], -1)
			}
		}
	}
	return nil
}

func (e *Explainer) batch(ctx context.Context, batch int64) (state.Mark, state.Attempt, error) {
	m, ok, err := e.State.Mark(ctx, batch)
	if err != nil || !ok {
		return m, state.Attempt{}, err
	}
	a, err := e.State.Attempt(ctx, batch, m.Attempt)
	return m, a, err
}

// roots are all roots that the source had.
func (e *Explainer) roots(ctx context.Context) ([]string, error) {
	ids, err := e.State.Identities(ctx)
	if err != nil {
		return nil, err
	}
	var roots []string
	for _, id := range ids {
		roots = append(roots, id.Root)
	}
	return roots, nil
}

// begin writes down what the batch says of a row.
func (e *Explainer) begin(p Place, m state.Mark, a state.Attempt, o state.Outcome, number int64) *pending {
	url := e.Objects.Files.URL(o.Path)
	var named string
	if json.Unmarshal(p.Values[contract.SourceFile], &named) == nil && named != "" {
		url = named
	}
	v := a.Contract
	row := &Row{
		Source: e.Name, DataFile: p.File.Path, Position: p.Position,
		File:     &File{Path: o.Path, URL: url, Size: o.Size, Modified: o.ModTime, Hash: o.Bytes, Now: Unread},
		Record:   Record{FoundBy: Unfound},
		Landed:   &Landed{Batch: m.Batch, Kind: m.Kind, Attempt: m.Attempt, At: m.At, TableVersion: m.TableVersion},
		Contract: &Version{Version: v.Number, At: v.At, Reason: v.Reason, Who: v.Who, Cause: slices.Concat([]event.Drift{}, v.Cause)},
		Columns:  []Cell{}, Rescued: []Kept{}, Ignored: []Kept{}, Notes: []string{},
	}
	return &pending{place: p, row: row, mark: m, attempt: a, object: o, number: number}
}

// object finds the records of rows that came from one object.
func (e *Explainer) object(ctx context.Context, rows []*pending) error {
	o := rows[0].object
	hash, _, err := e.Objects.Hash(ctx, o.Path)
	now := AsLanded
	switch {
	case errors.Is(err, store.ErrNotExist):
		now = Gone
	case err != nil:
		now = Unread
	case hash != o.Bytes:
		now = Changed
	}
	for _, p := range rows {
		p.row.File.Now = now
		if err := e.told(p); err != nil {
			return err
		}
	}
	if now != AsLanded {
		return e.count(ctx, rows)
	}
	return e.read(ctx, rows)
}

// told takes the record that the rescue column tells.
func (e *Explainer) told(p *pending) error {
	r, err := rescuedOf(p.place.Values[e.Objects.Policy.RescueColumn()])
	if err != nil {
		return err
	}
	if r.Record > 0 {
		p.row.Record = Record{Number: r.Record, FoundBy: ByRescue}
	}
	return nil
}

// count counts the records of files that cannot be read: those that landed, and
// those before them that did not.
func (e *Explainer) count(ctx context.Context, rows []*pending) error {
	o := rows[0].object
	var held []int64
	if o.Quarantined > 0 {
		for q, err := range e.State.KeptOut(ctx, rows[0].mark) {
			if err != nil {
				return err
			}
			if q.Path == o.Path && q.Record > 0 {
				held = append(held, q.Record)
			}
		}
		slices.Sort(held)
	}
	for _, p := range rows {
		if p.row.Record.Number > 0 {
			continue
		}
		if p.number < 0 {
			p.note("another tool wrote the data file anew, and the file of the source is not as it was: its record cannot be found")
			continue
		}
		n := p.number + 1
		for _, h := range held {
			if h <= n {
				n++
			}
		}
		p.row.Record = Record{Number: n, FoundBy: ByCount}
		if o.Dropped > 0 || malformedLand(p.attempt, o.Path) {
			p.note("records of the file were dropped, or landed out of order: the number may be too small")
		}
	}
	return nil
}

// malformedLand tells whether malformed records of an object landed.
func malformedLand(a state.Attempt, path string) bool {
	return slices.ContainsFunc(a.Drift, func(d event.Drift) bool {
		return d.Kind == event.RecordMalformed && d.File == path && d.Decision == "rescue"
	})
}

func (p *pending) note(text string) {
	if !slices.Contains(p.row.Notes, text) {
		p.row.Notes = append(p.row.Notes, text)
	}
}

// landing describes the object as it landed.
func (e *Explainer) landing(ctx context.Context, p *pending) (reread.Object, error) {
	in, _, err := e.State.Intent(ctx, p.mark.Batch)
	o := reread.Object{Path: p.object.Path, URL: p.row.File.URL, Version: p.attempt.Contract, At: in.At}
	if err != nil || !part.TellsApart(e.Objects.Policy) {
		return o, err
	}
	for seen, err := range e.State.Evidence(ctx, p.mark.Batch, p.mark.Attempt) {
		if err != nil {
			return o, err
		}
		if seen.Path == o.Path {
			o.Evidence = &seen
		}
	}
	return o, nil
}

// Foreign is what is known of a row that no source landed.
func Foreign(p Place) *Row {
	row := &Row{
		DataFile: p.File.Path, Position: p.Position, Record: Record{FoundBy: Unfound},
		Columns: []Cell{}, Rescued: []Kept{}, Ignored: []Kept{},
		Notes: []string{"another tool wrote this row, or the record of its batch is gone"},
	}
	for _, name := range slices.Sorted(maps.Keys(p.Values)) {
		row.Columns = append(row.Columns, Cell{Column: name, Value: p.Values[name], State: Typed})
	}
	return row
}
