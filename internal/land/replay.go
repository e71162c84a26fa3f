package land

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/intake"
	"landfall/internal/position"
	"landfall/internal/schema"
	"landfall/internal/state"
)

// Choice says which objects a replay lands again. The zero value means those with
// rescued values or with anything in quarantine.
type Choice struct {
	// Column keeps to objects that have values of a column, by its path.
	Column string
	// Since keeps to objects that landed at that time or later.
	Since time.Time
	// First and Last bound the batches that landed the objects; 0: no bound.
	First, Last int64
	// Quarantined keeps to what is in quarantine.
	Quarantined bool
	// All means every object, under a contract that begins anew.
	All bool
}

// Replayed is what a replay found and left, of the objects that it chose.
type Replayed struct {
	Files int `json:"files"`
	// RescuedBefore and HeldBefore are the values in the rescue column and the
	// records and files in quarantine, RescuedAfter and HeldAfter those that stayed.
	RescuedBefore int64 `json:"rescued_before"`
	RescuedAfter  int64 `json:"rescued_after"`
	HeldBefore    int64 `json:"held_before"`
	HeldAfter     int64 `json:"held_after"`
}

// Replay lands objects again under the contract of today, in one batch that puts
// their rows in the place of the old ones. Before it, whatever waits is completed.
// Objects that are not there any more keep their rows; of the values that these
// have rescued, those land that fit now. Records of theirs that are in quarantine
// stay there.
//
// If all are chosen, the contract evolves anew from all of them: the table is then
// what landing them at once would have given.
func Replay(ctx context.Context, src Source, env Env, c Choice) (Report, error) {
	l := newLanding(src, env)
	err := l.replay(ctx, c)
	return l.done(), err
}

func (l *landing) replay(ctx context.Context, c Choice) error {
	if err := l.begin(ctx); err != nil {
		return err
	}
	if err := l.obey(ctx); err != nil {
		return err
	}
	if err := l.mayReplace(); err != nil {
		return err
	}
	if c.All { // what waits is part of all
		if err := l.landAll(ctx); err != nil {
			return err
		}
	}
	for range position.Tries {
		in, waits, err := l.src.State.Intent(ctx, l.Batch()+1)
		if err != nil {
			return err
		}
		if !waits {
			done, err := l.intendReplay(ctx, c)
			if done || err != nil {
				return err
			}
			continue
		}
		if err := l.finish(ctx, in); err != nil {
			return err
		}
		if err := l.sync(ctx); err != nil {
			return err
		}
		if in.Kind == state.KindReplay && l.chose(in) {
			if l.gaveUp != nil {
				return l.gaveUp
			}
			l.passedOver(l.Last)
			if err := l.compare(ctx, in); err != nil {
				return err
			}
			return l.src.State.Compact(ctx, l.env.CompactEvery)
		}
	}
	return position.Busy()
}

// compare counts what the replay left of what it found.
func (l *landing) compare(ctx context.Context, in state.Intent) error {
	chosen := map[string]bool{}
	for _, o := range in.Objects {
		chosen[o.Path] = true
	}
	for e, err := range l.src.State.Known(ctx) {
		if err != nil {
			return err
		}
		if r := l.report.Replayed; chosen[e.Path] {
			r.RescuedAfter += e.Rescued
			r.HeldAfter += held(e)
		}
	}
	return nil
}

// passedOver tells how many files were not read since they are other ones by now.
func (l *landing) passedOver(m state.Mark) {
	files := 0
	for _, o := range m.Objects {
		if o.Fate == state.Superseded && o.Reason == intake.Newer {
			files++
		}
	}
	if files > 0 {
		l.report.Notes = append(l.report.Notes, fmt.Sprintf("passed over %d of the files: they have changed since, and land as new ones do: landfall land %s", files, l.src.Args))
	}
}

// held counts what is in quarantine of a path.
func held(e state.Entry) int64 {
	if e.Fate == state.Quarantined {
		return e.Held + 1
	}
	return e.Held
}

// chose tells whether an intent is this run's.
func (l *landing) chose(in state.Intent) bool {
	return in.Options == l.src.Digest && in.At.Equal(l.asked)
}

// intendReplay fixes the objects of the replay; done tells that there are none.
func (l *landing) intendReplay(ctx context.Context, c Choice) (done bool, err error) {
	objects, others, err := l.choose(ctx, c)
	if err != nil {
		return false, err
	}
	if others > 0 {
		l.report.Notes = append(l.report.Notes, fmt.Sprintf("%d of the files landed under other options than this replay has; if that is not meant, give those of their landing again", others))
	}
	if len(objects) == 0 {
		l.report.Notes = append(l.report.Notes, "no file that was read has what the replay asks for")
		return true, nil
	}
	l.asked = l.env.Now().UTC()
	_, err = l.src.State.Intend(ctx, state.Intent{
		Batch: l.Batch() + 1, Kind: state.KindReplay, At: l.asked, Options: l.src.Digest, Objects: objects, Anew: c.All,
	})
	return false, err
}

// replayed is the reason of a contract that a replay of all objects made.
const replayed = "replay --all"

// anew is the contract that begins anew, and what is new about it: columns that stood
// are not, but for their types.
func (a *attempt) anew(ctx context.Context) (contract.Version, []event.Drift, error) {
	was := a.l.Contract
	v, drift, err := a.grow(ctx, contract.Version{Number: was.Number, Decisions: was.Decisions})
	if err != nil {
		return v, drift, err
	}
	if v.Number == was.Number && len(was.Columns) > 0 { // no column is left
		v.Number, v.At, v.Options = v.Number+1, a.in.At, a.l.src.Digest
	}
	v.Reason = replayed
	stood := map[string]bool{}
	for _, c := range was.Columns {
		stood[schema.Fold(c.Title())] = true
	}
	drift = slices.DeleteFunc(drift, func(d event.Drift) bool {
		return d.Kind == event.ColumnAdded && stood[schema.Fold(d.Column)]
	})
	for _, c := range contract.Diff(was, v) {
		if c.Kind == "retyped" {
			drift = append(drift, event.Drift{
				Kind: event.TypeAltered, Column: intake.Title(c.Path), From: c.From, To: c.To, Decision: "replay", Policy: "decision",
			})
		}
	}
	return v, drift, nil
}

// givenUp sends a replay back that cannot be carried out: its batch lands nothing.
type givenUp struct {
	why *diag.Diagnostic
	// file is the path of the object that it is for.
	file string
}

func (g *givenUp) Error() string { return g.why.Error() }

// told is the event of it.
func (g *givenUp) told() []event.Drift {
	return []event.Drift{{
		Kind: event.FileReread, File: g.file, Count: 1, Decision: "give the replay up", To: g.why.Message, Hint: g.why.Hint, Policy: "note",
	}}
}

// missed gives a replay of all objects up that lacks one whose rows it would take
// out. Objects that are still to be read are not asked.
func (a *attempt) missed() error {
	for _, o := range a.Outcomes {
		if o.Landed > 0 && o.Fate != state.Landed && o.Fate != "" {
			return &givenUp{file: o.Path, why: diag.New(diag.ReplaceRefused, "rows of this file are in the table, and it cannot be landed again: %s", o.Reason).
				In(diag.Place{File: a.l.src.Files.URL(o.Path)}).
				Hinted("bring the file back as it was; or replay only what is rescued or quarantined: landfall replay %s", a.l.src.Args)}
		}
	}
	return nil
}

// mayReplace refuses when rows cannot be taken out of the table.
func (l *landing) mayReplace() error {
	code, why, keeps := l.keepsRows()
	if !keeps {
		return nil
	}
	return diag.New(code, "%s, so rows that landed cannot be replaced", why).
		In(diag.Place{File: l.report.Table}).Hinted("unset that property of the table")
}

// choose returns the objects of a replay in landing order, and how many of them landed
// under other options.
func (l *landing) choose(ctx context.Context, c Choice) (objects []state.Object, others int, err error) {
	had, err := l.having(ctx, c.Column)
	if err != nil {
		return nil, 0, err
	}
	old, err := l.before(ctx, c.Since)
	if err != nil {
		return nil, 0, err
	}
	l.report.Replayed = &Replayed{}
	for e, err := range l.src.State.Known(ctx) {
		if err != nil {
			return nil, 0, err
		}
		if !c.takes(e) || c.Column != "" && !had[e.Path] || old[settledBy(e)] {
			continue
		}
		l.report.Replayed.Files++
		l.report.Replayed.RescuedBefore += e.Rescued
		l.report.Replayed.HeldBefore += held(e)
		o := e.Object
		o.Again = true
		objects = append(objects, o)
		if e.Options != l.src.Digest {
			others++
		}
	}
	slices.SortFunc(objects, func(a, b state.Object) int {
		return cmp.Or(a.ModTime.Compare(b.ModTime), cmp.Compare(a.Path, b.Path))
	})
	return objects, others, nil
}

// takes tells whether a replay may concern an entry.
func (c Choice) takes(e state.Entry) bool {
	batch := settledBy(e)
	switch {
	case e.Fate == state.Skipped, e.Landed == 0 && e.Fate != state.Quarantined:
		return false // none of it was ever read
	case c.First > 0 && batch < c.First, c.Last > 0 && batch > c.Last:
		return false
	case c.All:
		return true
	}
	return held(e) > 0 || e.Rescued > 0 && !c.Quarantined
}

// having returns the paths of objects that had values of a column, or of a part of
// one, whether or not the contract knew it; nil if no column is named.
func (l *landing) having(ctx context.Context, column string) (map[string]bool, error) {
	if column == "" {
		return nil, nil //nolint:nilnil // all are meant
	}
	path, err := schema.ParsePath(column)
	if err != nil {
		return nil, diag.New(diag.Usage, "--column: %v", err).Hinted("name a column, or a part of one as in `a.b`")
	}
	had := map[string]bool{}
	for m, err := range l.src.State.Marks(ctx) {
		if err != nil {
			return nil, err
		}
		for o, err := range l.src.State.Evidence(ctx, m.Batch, m.Attempt) {
			if err != nil {
				return nil, err
			}
			if evident(&o.Evidence, path) {
				had[o.Path] = true
			}
		}
	}
	return had, nil
}

// evident tells whether there is evidence at a path, in any casing of its names.
func evident(e *column.Evidence, path schema.Path) bool {
	if len(path) == 0 {
		return true
	}
	if path[0] == "element" && e.Element != nil && evident(e.Element, path[1:]) {
		return true
	}
	return slices.ContainsFunc(e.Fields, func(f column.FieldEvidence) bool {
		return schema.Fold(schema.TrimName(f.Name)) == schema.Fold(path[0]) && evident(&f.Evidence, path[1:])
	})
}

// before returns the batches that landed before a time.
func (l *landing) before(ctx context.Context, at time.Time) (map[int64]bool, error) {
	old := map[int64]bool{}
	if at.IsZero() {
		return old, nil
	}
	for m, err := range l.src.State.Marks(ctx) {
		if err != nil {
			return nil, err
		}
		old[m.Batch] = m.At.Before(at)
	}
	return old, nil
}

// settledBy is the batch that landed a path, or put it in quarantine.
func settledBy(e state.Entry) int64 {
	if e.Landed > 0 {
		return e.Landed
	}
	return e.Batch
}
