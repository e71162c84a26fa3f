package intake

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/state"
	"landfall/internal/store"
)

// Settle decides which objects of the batch will be read, and closes the outcome of
// those that will not. Of objects that are new it opens none: whether one is still the
// version of the intent is seen when it is read.
func (a *Intake) Settle(ctx context.Context) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(a.workers())
	for i := range a.in.Objects {
		g.Go(func() error { return a.look(gctx, i) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i := range a.in.Objects {
		a.settled[i] = len(a.Drift[i])
	}
	return nil
}

// look decides whether object i will be read.
func (a *Intake) look(ctx context.Context, i int) error {
	o := a.in.Objects[i]
	if a.in.Kind == state.KindKeep {
		a.Close(i, state.Skipped, "", "it was there when the source began")
		return nil
	}
	if a.in.Contract != nil {
		a.Close(i, state.Deferred, "", PutBack)
		return nil
	}
	if why, barred := a.barred[i]; barred {
		a.Note(i, event.Drift{Kind: event.FileRewritten, To: why})
		a.Close(i, state.Quarantined, diag.ReplaceRefused, why)
		return nil
	}
	if o.Landed == 0 && o.Size > 0 {
		return nil
	}
	obj, err := a.find(ctx, i)
	if err != nil || obj == nil {
		return err
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	if o.Landed > 0 {
		if done, err := a.rewritten(i, obj); done || err != nil {
			return err
		}
	}
	if o.Size == 0 {
		a.Note(i, event.Drift{Kind: event.FileEmpty, Decision: "quarantine"})
		a.Close(i, state.Quarantined, diag.FileUnreadable, "the file is empty: 0 bytes")
	}
	return nil
}

// PutBack is why the objects of a batch do not land in it: a revision came first.
const PutBack = "the contract was revised first; it lands under the new one"

// Newer is why an object is not read that is another version by now.
const Newer = "a newer version of the file took its place before it was read"

// find opens object i if it is still what the intent says; nil if not.
func (a *Intake) find(ctx context.Context, i int) (store.Object, error) {
	o := a.in.Objects[i]
	obj, err := a.src.Files.Open(ctx, o.Path)
	if errors.Is(err, store.ErrNotExist) {
		a.Note(i, event.Drift{Kind: event.FileVanished, Decision: "skip"})
		a.Close(i, state.Superseded, "", "the file vanished before it was read")
		return nil, nil
	}
	if err != nil {
		return nil, FileFault(a.src.Files.URL(o.Path), err)
	}
	if obj.Info().Version != o.Version {
		if a.in.Kind == state.KindReplay {
			a.Note(i, event.Drift{
				Kind: event.FileReread, Count: 1, Decision: "pass over", To: "it has changed since, and lands as a new file does", Policy: "note",
			})
		}
		a.Close(i, state.Superseded, "", Newer)
		return nil, obj.Close()
	}
	return obj, nil
}

// rewritten decides on a known path with a new version; done means that the
// object needs no reading.
func (a *Intake) rewritten(i int, obj store.Object) (done bool, err error) {
	o := a.in.Objects[i]
	drift := event.Drift{Kind: event.FileRewritten, Count: 1}
	sum, err := store.NewReading(obj).Sum()
	if err != nil {
		return false, FileFault(a.src.Files.URL(o.Path), err)
	}
	if sum == o.Hash && !o.Again {
		a.Outcomes[i].Bytes = sum
		drift.Decision = "same bytes, nothing to do"
		a.Note(i, drift)
		a.Close(i, state.Unchanged, "", "the same bytes had landed in an earlier batch")
		return true, nil
	}
	if sum == o.Hash {
		return a.reread(i)
	}
	action, rule := a.src.Policy.Action(event.FileRewritten)
	drift.Decision, drift.Policy = action, rule
	switch action {
	case "fail":
		return true, diag.New(diag.PolicyFail, "the file was rewritten after it had landed").
			In(diag.Place{File: a.src.Files.URL(o.Path)}).
			Hinted("decide: set policy file_rewritten to replace, skip or append")
	case "skip":
		a.Close(i, state.Skipped, "", "the file was rewritten; the rows of its first version stay")
		done = true
	case "replace":
		if code, why, keeps := a.src.Keeps(); keeps {
			a.Close(i, state.Quarantined, code, why+", so the old rows of the file cannot be replaced")
			done = true
		}
	}
	a.Note(i, drift)
	return done, nil
}

// reread takes the rows of a file, whose bytes are as they were, once more under
// other options: some of its records had not landed.
func (a *Intake) reread(i int) (done bool, err error) {
	d := event.Drift{Kind: event.FileReread, Count: 1, Decision: "replace", To: "other options than when it was read first", Policy: "note"}
	if a.in.Kind == state.KindReplay {
		d.To, d.Policy = "replay", "decision"
	}
	if code, why, keeps := a.src.Keeps(); keeps {
		d.Decision = "leave"
		a.Close(i, state.Unchanged, code, why+", so it cannot be read again")
		done = true
	}
	a.Note(i, d)
	return done, nil
}

// unreadable quarantines object i if the file is to blame, else returns err.
func (a *Intake) unreadable(i int, err error) error {
	var d *diag.Diagnostic
	if !errors.As(err, &d) || d.Code == diag.NoPermission || d.Code == diag.StoreUnreachable {
		return err
	}
	kind := event.FileUnreadable
	if d.Code == diag.FileForeign {
		kind = event.FileForeign
	}
	if action, _ := a.src.Policy.Action(kind); action == "fail" {
		at := d.At
		at.File = a.src.Files.URL(a.in.Objects[i].Path)
		return diag.New(diag.PolicyFail, "%s (policy %s: fail)", reasonOf(d), kind).In(at).
			Hinted("take the file out of the source, or set policy %s to quarantine", kind)
	}
	a.Note(i, event.Drift{
		Kind: kind, Column: Title(d.Path), Decision: "quarantine", To: d.Message, Line: d.At.Line, Record: d.At.Record, Hint: d.Hint,
	})
	a.Close(i, state.Quarantined, d.Code, reasonOf(d))
	return nil
}

// reasonOf is why something is in quarantine: what was found, in which column.
func reasonOf(d *diag.Diagnostic) string {
	if d.Path == "" {
		return d.Message
	}
	return Title(d.Path) + ": " + d.Message
}
