package land

import (
	"cmp"
	"context"
	"fmt"
	"maps"

	"landfall/internal/contract"
	"landfall/internal/datafile"
	"landfall/internal/diag"
	"landfall/internal/evolution"
	"landfall/internal/schema"
)

// defaultRewrite is how many bytes of data files a batch writes again, at most,
// for types that widen.
const defaultRewrite = 4 << 30

// evolved asks the contract what the batch makes of it. A type that may widen asks
// for what all standing rows were, and for leave to write them again.
func (a *attempt) evolved(ctx context.Context, from contract.Version) (evolution.Result, error) {
	ev := a.Evidence()
	res, err := evolution.Evolve(from, ev, a.l.src.Policy, a.current())
	if !res.AsksLife {
		return res, err
	}
	ev.Lived, ev.Held = true, a.l.stuck
	if why := a.l.fixed(); why != "" {
		ev.Held = map[string]string{"": why}
	} else if ev.Life, err = a.l.src.State.Life(ctx, a.replacing()); err != nil {
		return res, err
	}
	return evolution.Evolve(from, ev, a.l.src.Policy, a.current())
}

// fixed tells why the standing rows of the table cannot be written again, "" if
// they can.
func (l *landing) fixed() string {
	if l.Snap == nil {
		return ""
	}
	if _, why, keeps := l.keepsRows(); keeps {
		return why
	}
	if mode := l.Snap.Config["delta.columnMapping.mode"]; mode != "" && mode != "none" {
		return "the table maps the names of its columns (delta.columnMapping.mode)"
	}
	var size int64
	for _, f := range l.Snap.Files {
		size += f.Size
	}
	most := cmp.Or(l.src.Limits.Rewrite, defaultRewrite)
	if size > most {
		return fmt.Sprintf("%d bytes in %d files would be written again, and at most %d are; to do it set the option maxRewriteBytes=%d", size, len(l.Snap.Files), most, size)
	}
	return ""
}

// replacing are the paths whose standing rows the batch takes out.
func (a *attempt) replacing() map[string]bool {
	paths := map[string]bool{}
	for path := range a.replaced() {
		paths[path] = true
	}
	return paths
}

// hold remembers that a column cannot be written again; news tells that it was not
// known.
func (l *landing) hold(why *diag.Diagnostic) (news bool) {
	column := why.Path
	if p, err := schema.ParsePath(column); err == nil {
		column = p[0]
	}
	if column = schema.Fold(column); l.stuck[column] != "" {
		return false
	}
	if l.stuck == nil {
		l.stuck = map[string]string{}
	}
	l.stuck[column] = why.Error()
	return true
}

// reshape writes the standing rows that stay again, where the batch changes the
// type of a column that they have, or puts two together. The error may be a
// [*standing.Misfit].
func (a *attempt) reshape(ctx context.Context) error {
	if len(a.shape.retyped) == 0 && len(a.in.Merges) == 0 {
		return nil
	}
	touched := maps.Clone(a.shape.retyped)
	to := datafile.Shape{Schema: a.shape.table, Merged: map[string][]string{}, Forms: a.l.src.Forms}
	for _, m := range a.in.Merges {
		to.Merged[m.To] = append(to.Merged[m.To], m.From)
		touched[schema.Fold(m.From)] = true
	}
	return a.change.Reshape(ctx, to, touched)
}
