package land

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"landfall/internal/contract"
	"landfall/internal/datafile"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/evolution"
	"landfall/internal/part"
	"landfall/internal/schema"
)

// defaultRewrite is how many bytes of data files a batch writes again, at most,
// for types that widen.
const defaultRewrite = 4 << 30

// evolved asks the contract what the batch makes of it. A type that may widen asks
// for what all standing rows were, and for leave to write them again.
// Objects whose columns were moved are looked at where bounds do not decide.
func (a *attempt) evolved(ctx context.Context, from contract.Version) (evolution.Result, error) {
	res, err := a.evolvedBy(ctx, from, a.Evidence(), a.l.src.Policy, a.replacing())
	unsure := part.Unsure(res.Version, a.l.src.Policy, a.Seen)
	if len(unsure) == 0 {
		return res, err
	}
	if err := a.Look(ctx, unsure); err != nil {
		return res, err
	}
	return a.evolvedBy(ctx, from, a.Evidence(), a.l.src.Policy, a.replacing())
}

// evolvedBy is evolved by some evidence and under some policy, where the rows of the
// paths replaced leave the table.
func (a *attempt) evolvedBy(ctx context.Context, from contract.Version, ev evolution.Evidence, p contract.Policy, replaced map[string]bool) (evolution.Result, error) {
	res, err := evolution.Evolve(from, ev, p, a.current())
	if !res.AsksLife {
		return res, err
	}
	ev.Lived, ev.Held, ev.Written = true, a.l.stuck, a.l.written()
	why := a.l.fixed()
	if why != "" {
		ev.Held = map[string]string{"": why}
	}
	if why == "" || p.Uses(event.TypeWider, contract.ByFeature) {
		if ev.Life, err = a.l.src.State.Life(ctx, replaced); err != nil {
			return res, err
		}
		for i := range ev.Life { // whoever writes the rows again looks at each value
			ev.Life[i].Evidence.AtBest()
		}
	}
	return evolution.Evolve(from, ev, p, a.current())
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
	for _, f := range l.Snap.Files() {
		size += f.Size
	}
	most := cmp.Or(l.src.Limits.Rewrite, defaultRewrite)
	if size > most {
		return fmt.Sprintf("%d bytes in %d files would be written again, and at most %d are; to do it set the option maxRewriteBytes=%d", size, len(l.Snap.Files()), most, size)
	}
	return ""
}

// written tells why standing rows are written again for every type that widens, "" if
// they need not: by the preview of Delta's type widening a table is told in other
// words what widened.
func (l *landing) written() string {
	const stable, preview = "typeWidening", "typeWidening-preview"
	if l.Snap == nil || slices.Contains(l.Snap.Protocol.WriterFeatures, stable) || !slices.Contains(l.Snap.Protocol.WriterFeatures, preview) {
		return ""
	}
	return "the table has the preview of Delta's type widening (" + preview + "): the rows that stand are written again"
}

// inPlace tells whether a column may become another type while the files that hold it
// stay: every part that does is one that the policy has widen so, and of a type that
// readers take for the new one.
func inPlace(p contract.Policy, before, after schema.Field) bool {
	original, _ := schema.Original(before)
	return schema.AllReadAs(before.Type, after.Type) && byFeature(p, schema.Path{original}, before.Type, after.Type)
}

// byFeature tells whether the policy has all parts that differ widen by the table's
// feature.
func byFeature(p contract.Policy, at schema.Path, before, after schema.Type) bool {
	switch b := before.(type) {
	case schema.Struct:
		s, _ := after.(schema.Struct)
		for _, f := range b.Fields {
			original, _ := schema.Original(f)
			if i := s.Lookup(f.Name); i >= 0 && !byFeature(p, at.Child(original), f.Type, s.Fields[i].Type) {
				return false
			}
		}
		return true
	case schema.Array:
		array, _ := after.(schema.Array)
		return byFeature(p, at.Child("element"), b.Element, array.Element)
	case schema.Map:
		m, _ := after.(schema.Map)
		return byFeature(p, at.Child("key"), b.Key, m.Key) && byFeature(p, at.Child("value"), b.Value, m.Value)
	}
	action, _ := p.ActionOf(event.TypeWider, at.String())
	return before == after || action == contract.ByFeature
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
	to := datafile.Shape{Schema: a.stored(a.shape.table), Merged: map[string][]string{}, Forms: a.l.src.Forms}
	for _, m := range a.in.Merges {
		to.Merged[m.To] = append(to.Merged[m.To], m.From)
		touched[schema.Fold(m.From)] = true
	}
	return a.change.Reshape(ctx, to, touched)
}

// moving leaves out the merges of a column with itself in another casing, which
// intents may have that wait since an older version: nothing of them moves.
func moving(merges []contract.Merge) []contract.Merge {
	return slices.DeleteFunc(slices.Clone(merges), func(m contract.Merge) bool {
		return schema.Fold(m.From) == schema.Fold(m.To)
	})
}
