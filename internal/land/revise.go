package land

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/evolution"
	"landfall/internal/position"
	"landfall/internal/schema"
	"landfall/internal/standing"
	"landfall/internal/state"
	"landfall/internal/table"
)

// Revision is a change of the contract that a person asks for.
type Revision struct {
	// Rollback is the number of the version to go back to. 0 approves: the
	// contract takes up the columns that the files would add which have not landed
	// yet, also those that a rollback retired.
	Rollback int
	// Decision, if set, is what a person decided about a column.
	Decision *contract.Decision
	// Who asks for it.
	Who string
	// Agreed, if set, is called before anything of a decision comes into force, once
	// it is known that the contract and the rows that stand allow it: where it is
	// written down, no run will stop at it. It may be called again, and its error
	// ends the revision. Rows that two columns become one in are written twice for it.
	Agreed func() error
}

// approves tells whether the revision approves what the files add.
func (r Revision) approves() bool { return r.Decision == nil && r.Rollback == 0 }

// Revise changes the contract and the schema of the table, by a batch without
// rows that is landed once like any other. It lands no file: those that wait do
// so when the source runs next.
func Revise(ctx context.Context, src Source, env Env, r Revision) (Report, error) {
	l := newLanding(src, env)
	err := l.revise(ctx, r)
	return l.done(), err
}

// Decide carries out what a person decided about a column, as [Revise] does: rows
// that landed are written again where that is what it takes.
func Decide(ctx context.Context, src Source, env Env, d contract.Decision) (Report, error) {
	return Revise(ctx, src, env, Revision{Decision: &d, Who: d.Who})
}

func (l *landing) revise(ctx context.Context, r Revision) error {
	if err := l.begin(ctx); err != nil {
		return err
	}
	return l.enforce(ctx, r)
}

// enforce puts a revision in force.
func (l *landing) enforce(ctx context.Context, r Revision) error {
	for range position.Tries {
		in, waits, err := l.src.State.Intent(ctx, l.Batch()+1)
		if err != nil {
			return err
		}
		if !waits || in.Kind == state.KindLand {
			done, err := l.propose(ctx, r, in, waits)
			if done || err != nil {
				return err
			}
		} else if err := l.finish(ctx, in); err != nil { // what another run began comes first
			return err
		}
		if err := l.sync(ctx); err != nil {
			return err
		}
	}
	return position.Busy()
}

// obey puts the decisions in force that are written down for the source and are not
// yet. On a new table they are with its first landing.
func (l *landing) obey(ctx context.Context) error {
	if len(l.Contract.Columns) == 0 {
		return nil
	}
	for _, d := range contract.Pending(l.Contract, l.src.Policy) {
		err := l.enforce(ctx, Revision{Decision: &d, Who: d.Who})
		var why *diag.Diagnostic
		if errors.As(err, &why) && why.Rule.IsZero() && why.At != d.Place {
			placed := *why
			placed.Rule = d.Place
			err = &placed
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// propose makes the new version and puts it in force; done is false if another
// batch came first. The objects of a landing that waits under the same number,
// perhaps because a policy stops it, are put back.
func (l *landing) propose(ctx context.Context, r Revision, in state.Intent, waits bool) (done bool, err error) {
	p, err := l.proposal(ctx, r)
	if err != nil {
		return true, err
	}
	if p == nil {
		return true, l.agree(ctx, r, nil)
	}
	now, v := l.env.Now().UTC(), &p.Version
	v.Number, v.At, v.Who, v.Options = l.Contract.Number+1, now, r.Who, l.src.Digest
	if err := l.agree(ctx, r, p); err != nil {
		return true, err
	}
	if !waits {
		in, err = l.src.State.Intend(ctx, state.Intent{
			Batch: l.Batch() + 1, Kind: state.KindRevise, At: now, Options: l.src.Digest,
			Objects: []state.Object{}, Contract: v, Drift: p.Drift, Merges: p.Merges,
		})
		if err != nil {
			return false, err
		}
	}
	if in.Kind != state.KindRevise && in.Kind != state.KindLand {
		return false, nil
	}
	if in.Kind == state.KindLand {
		in.Contract, in.Drift, in.Merges = v, p.Drift, p.Merges
	}
	if err := l.finish(ctx, in); err != nil {
		return false, err
	}
	if why := l.gaveUp; why != nil {
		if l.gaveUp = nil; r.approves() {
			return false, l.sync(ctx) // what stuck is held now
		}
		return false, why
	}
	if err := l.sync(ctx); err != nil {
		return false, err
	}
	ours := l.Contract.Reason == v.Reason && l.Contract.Who == v.Who && l.Contract.At.Equal(v.At)
	if !ours {
		return false, nil
	}
	return true, l.src.State.Compact(ctx, l.env.CompactEvery)
}

// agree has a decision written down; p is nil if it is in force.
func (l *landing) agree(ctx context.Context, r Revision, p *contract.Decided) error {
	if r.Agreed == nil {
		return nil
	}
	if p != nil && len(moving(p.Merges)) > 0 {
		if err := l.rehearse(ctx, p); err != nil {
			return err
		}
	}
	return r.Agreed()
}

// rehearse writes the rows that stand as a decision wants them, and leaves nothing
// behind. The error is a diagnostic where they refuse.
func (l *landing) rehearse(ctx context.Context, p *contract.Decided) (err error) {
	a := l.newAttempt(state.Intent{
		Batch: l.Batch() + 1, Kind: state.KindRevise, At: p.Version.At, Options: l.src.Digest,
		Objects: []state.Object{}, Contract: &p.Version, Drift: p.Drift, Merges: moving(p.Merges),
	}, nil)
	defer func() {
		for _, f := range a.change.Added {
			if failed := l.src.Data.Delete(ctx, f.Path); failed != nil {
				err = errors.Join(err, failed)
			}
		}
	}()
	if err := a.checkTable(); err != nil {
		return err
	}
	if err := a.settle(ctx); err != nil {
		return err
	}
	_, err = a.work(ctx)
	var misfit *standing.Misfit
	if errors.As(err, &misfit) {
		return undecided(misfit.Why)
	}
	if err != nil {
		return table.Fault(l.report.Table, err)
	}
	return nil
}

// proposal is the version that a revision asks for and what it is made of; nil if
// there is nothing to change.
func (l *landing) proposal(ctx context.Context, r Revision) (*contract.Decided, error) {
	switch {
	case r.Decision != nil:
		return l.decision(*r.Decision)
	case r.Rollback == 0:
		return l.approval(ctx)
	}
	return l.rollback(ctx, r)
}

// decision is the version that follows a person's decision.
func (l *landing) decision(d contract.Decision) (*contract.Decided, error) {
	var columns *schema.Struct
	if l.Snap != nil {
		columns = &l.Snap.Schema
	}
	p, err := contract.Decide(l.Contract, d, l.src.Policy, columns)
	if err != nil {
		return nil, err
	}
	if other := l.others(); len(p.Merges) > 0 && other != "" {
		return nil, diag.New(diag.BadDecision, "the table holds rows of another source too (%s), whose columns a decision about this one would move", other).
			In(d.Place).Hinted("keep both columns: --carry; or land the sources into tables of their own")
	}
	if p.Same {
		l.report.Notes = append(l.report.Notes, "it is decided already: "+d.String())
		return nil, nil //nolint:nilnil // there is nothing to change
	}
	return &p, nil
}

// others names a source that has landed in the table and is not this one, "" for none.
func (l *landing) others() string {
	if l.Snap == nil {
		return ""
	}
	for _, app := range slices.Sorted(maps.Keys(l.Snap.Txns)) {
		if uuid, ours := strings.CutPrefix(app, "landfall/"); ours && !l.UUIDs[uuid] {
			return uuid
		}
	}
	return ""
}

// undecided is the error of a decision that the rows of the table contradict.
func undecided(why *diag.Diagnostic) *diag.Diagnostic {
	d := diag.New(diag.BadDecision, "the rows that stand do not allow it: %s", why.Message).In(why.At).
		Hinted("correct those rows; or keep both columns: --carry")
	d.Path = why.Path
	return d
}

// rollback is the version with the columns of an earlier one.
func (l *landing) rollback(ctx context.Context, r Revision) (*contract.Decided, error) {
	var to *contract.Version
	last := 0
	for v, err := range l.src.State.Contracts(ctx) {
		if err != nil {
			return nil, err
		}
		if last = v.Contract.Number; last == r.Rollback {
			to = &v.Contract
		}
	}
	if to == nil {
		return nil, diag.New(diag.Usage, "the contract has no version %d: the last one is %d", r.Rollback, last).
			In(diag.Place{File: l.src.State.URL()}).Hinted("see them all: landfall schema history %s", l.src.Args)
	}
	next := contract.Rollback(l.Contract, *to)
	if len(contract.Diff(l.Contract, next)) == 0 {
		l.report.Notes = append(l.report.Notes, fmt.Sprintf("the contract has the columns of version %d already", r.Rollback))
		return nil, nil //nolint:nilnil // there is nothing to change
	}
	next.Reason = fmt.Sprintf("rollback to %d", r.Rollback)
	return &contract.Decided{Version: next}, nil
}

// approval is the version that takes up what the files that wait would add.
func (l *landing) approval(ctx context.Context) (*contract.Decided, error) {
	if err := l.discover(ctx); err != nil {
		return nil, err
	}
	a := l.newAttempt(state.Intent{Batch: l.Batch() + 1, Kind: state.KindLand, Objects: l.pending.objects}, nil)
	if err := a.checkTable(); err != nil {
		return nil, err
	}
	ev, err := a.Observe(ctx)
	if err != nil {
		return nil, err
	}
	restored, back := evolution.Restore(l.Contract, ev, l.src.Policy)
	// Until the files land, no row leaves the table.
	res, err := a.evolvedBy(ctx, restored, ev, approving(l.src.Policy), nil)
	if err != nil {
		return nil, err
	}
	v := res.Version
	switch grown := v.Number > l.Contract.Number; {
	case !grown && len(back) == 0:
		l.report.Notes = append(l.report.Notes, "the files that wait add nothing to the contract")
		return nil, nil //nolint:nilnil // there is nothing to change
	case !grown:
		v.Cause = nil
	}
	v.Cause = append(back, v.Cause...)
	v.Reason = "approve"
	return &contract.Decided{Version: v, Drift: v.Cause}, nil
}

// approving is a policy that adds the columns which p stops at or keeps out. What
// p says of single columns stays, but for stopping.
func approving(p contract.Policy) contract.Policy {
	kinds := map[contract.Kind]string{}
	maps.Copy(kinds, p.Kinds)
	kinds[event.ColumnAdded] = "add"
	p.Kinds = kinds
	columns := make(map[string]map[contract.Kind]string, len(p.Columns))
	for path, of := range p.Columns {
		of = maps.Clone(of)
		if of[event.ColumnAdded] == "fail" {
			of[event.ColumnAdded] = "add"
		}
		columns[path] = of
	}
	p.Columns = columns
	return p
}
