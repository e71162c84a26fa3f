package land

import (
	"context"
	"errors"
	"strings"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/evolution"
	"landfall/internal/intake"
	"landfall/internal/state"
)

// write takes the open objects in, under the contract that their evidence makes.
func (a *attempt) write(ctx context.Context) (drift []event.Drift, err error) {
	guess, err := a.guess(ctx)
	if err != nil {
		return nil, err
	}
	a.files, err = a.Write(ctx, &guess.Shape, func(ctx context.Context) (*intake.Shape, error) {
		if drift, err = a.evolve(ctx); err != nil {
			return nil, err
		}
		return &a.shape.Shape, nil
	})
	return drift, err
}

// guess returns the shape under which the objects are read first: what the
// beginnings of some of them make of the contract. Whether it is right matters for
// speed alone.
func (a *attempt) guess(ctx context.Context) (*shape, error) {
	defer a.l.lap(&a.l.report.Seconds.Guess)()
	v := a.l.Contract
	if len(a.Open()) > 0 {
		ev, err := a.Sample(ctx)
		if err != nil {
			return nil, err
		}
		// What a policy has against it is found by the evidence of all objects.
		if res, err := evolution.Evolve(v, ev, a.l.src.Policy, a.current()); err == nil {
			v = res.Version
		}
	}
	if a.l.env.guess != nil {
		v = a.l.env.guess(v)
	}
	return a.shapeOf(v)
}

// evolve decides which contract the batch lands under, and what drift led there.
func (a *attempt) evolve(ctx context.Context) (drift []event.Drift, err error) {
	defer a.l.lap(&a.l.report.Seconds.Evolve)()
	v := a.l.Contract
	switch {
	case a.in.Contract != nil:
		v = *a.in.Contract
	case a.in.Kind == state.KindReprocess:
		// What lands again may look otherwise: the contract begins anew.
		v = contract.Version{Number: v.Number + 1, At: a.in.At, Options: a.l.src.Digest, Reason: reprocessed, Decisions: v.Decisions}
	case a.in.Anew:
		if v, drift, err = a.anew(ctx); err != nil {
			return nil, err
		}
	case a.in.Kind == state.KindLand:
		if v, drift, err = a.grow(ctx, v); err != nil {
			return nil, err
		}
	}
	a.shape, err = a.shapeOf(v)
	return drift, err
}

// grow takes a contract on by the evidence of the batch, and puts out what is of
// another feed.
func (a *attempt) grow(ctx context.Context, from contract.Version) (contract.Version, []event.Drift, error) {
	res, err := a.evolved(ctx, from)
	if err != nil {
		return res.Version, nil, a.l.addressed(err)
	}
	if v := &res.Version; v.Number != from.Number {
		v.At, v.Options = a.in.At, a.l.src.Digest
	}
	for i, o := range a.in.Objects {
		if why, foreign := res.Foreign[o.Path]; foreign {
			a.Bar(i, diag.FileForeign, why)
		}
	}
	all := "landfall replay " + a.l.src.Args + " --all"
	for k := range res.Drift {
		if d := &res.Drift[k]; d.Kind == event.HintHeld {
			d.Hint = all
		} else {
			d.Hint = strings.ReplaceAll(d.Hint, evolution.ReplayAll, all)
		}
	}
	beside, err := a.l.besideOthers(ctx, res.Drift)
	return res.Version, append(res.Drift, beside...), err
}

// addressed completes the commands in the hints of an error that knows no source.
func (l *landing) addressed(err error) error {
	const command = "landfall schema approve"
	var one *diag.Diagnostic
	var all diag.List
	if !errors.As(err, &all) && errors.As(err, &one) {
		all.Add(one)
	}
	for _, d := range all {
		d.Hint = strings.ReplaceAll(d.Hint, command, command+" "+l.src.Args)
	}
	return err
}
