package land

import (
	"cmp"
	"context"
	"slices"
	"time"

	"landfall/internal/column"
	"landfall/internal/diag"
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

// Replay lands objects again under the contract of today, in one batch that puts
// their rows in the place of the old ones. Before it, whatever waits is completed.
// Objects that are not there any more keep their rows.
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
	if err := l.mayReplace(); err != nil {
		return err
	}
	for range identityTries {
		in, waits, err := l.src.State.Intent(ctx, l.batch()+1)
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
			return l.src.State.Compact(ctx, l.env.CompactEvery)
		}
	}
	return busy()
}

// chose tells whether an intent is this run's.
func (l *landing) chose(in state.Intent) bool {
	return in.Options == l.src.Digest && in.At.Equal(l.asked)
}

// intendReplay fixes the objects of the replay; done tells that there are none.
func (l *landing) intendReplay(ctx context.Context, c Choice) (done bool, err error) {
	objects, err := l.choose(ctx, c)
	if err != nil {
		return false, err
	}
	if len(objects) == 0 {
		l.report.Notes = append(l.report.Notes, "nothing to replay: no object that landed has what was asked for")
		return true, nil
	}
	l.asked = l.env.Now().UTC()
	_, err = l.src.State.Intend(ctx, state.Intent{
		Batch: l.batch() + 1, Kind: state.KindReplay, At: l.asked, Options: l.src.Digest, Objects: objects, Anew: c.All,
	})
	return false, err
}

// replayed is the reason of a contract that a replay of all objects made.
const replayed = "replay --all"

// missed is the error of a replay of all objects that lacks one whose rows it would
// take out.
func (a *attempt) missed() error {
	for _, o := range a.outcomes {
		if o.Landed > 0 && o.Fate != state.Landed {
			return diag.New(diag.ReplaceRefused, "rows of this file are in the table, and it cannot be landed again: %s", o.Reason).
				In(diag.Place{File: a.l.src.Files.URL(o.Path)}).
				Hinted("bring the file back as it was; or replay only what is rescued or quarantined: landfall replay %s", a.l.src.Args)
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

// choose returns the objects of a replay in landing order.
func (l *landing) choose(ctx context.Context, c Choice) ([]state.Object, error) {
	had, err := l.having(ctx, c.Column)
	if err != nil {
		return nil, err
	}
	old, err := l.before(ctx, c.Since)
	if err != nil {
		return nil, err
	}
	var objects []state.Object
	for e, err := range l.src.State.Known(ctx) {
		if err != nil {
			return nil, err
		}
		if !c.takes(e) || c.Column != "" && !had[e.Path] || old[settledBy(e)] {
			continue
		}
		o := e.Object
		o.Again = true
		objects = append(objects, o)
	}
	slices.SortFunc(objects, func(a, b state.Object) int {
		return cmp.Or(a.ModTime.Compare(b.ModTime), cmp.Compare(a.Path, b.Path))
	})
	return objects, nil
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
	held := e.Held > 0 || e.Fate == state.Quarantined
	return held || e.Rescued > 0 && !c.Quarantined
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
