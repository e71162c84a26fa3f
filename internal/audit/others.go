package audit

import (
	"context"
	"errors"
	"slices"

	"landfall/internal/state"
	"landfall/internal/table"
)

// others is what other tools did to the table.
type others struct {
	ops []foreign
	// successors maps data files of ours to those in their place.
	successors map[string]string
	// cleaned tells that the log does not reach back to the first batch.
	cleaned bool
}

// foreign is a version that others made and that removed files.
type foreign struct {
	Op
	removed map[string]bool
}

// touched returns what others did to the rows of object i; what only moves rows is
// nothing. cleaned tells that they are in other files than we wrote, and that the log
// does not say why.
func (a *Auditor) touched(ctx context.Context, i int) (ops []Op, cleaned bool, err error) {
	if a.others == nil {
		if a.others, err = a.readOthers(ctx); err != nil {
			return nil, false, err
		}
	}
	files := a.filesOf(i)
	live := map[string]bool{}
	for k := range a.Snapshot.Files() {
		live[k.Path] = k.DV == ""
	}
	whole := true
	for _, f := range files {
		whole = whole && live[f]
	}
	if whole && len(files) > 0 {
		return nil, false, nil
	}
	ours, first := false, -1
	for n, op := range a.others.ops {
		if first < 0 && slices.ContainsFunc(files, func(f string) bool { return op.removed[f] }) {
			first, ours = n, true
		}
	}
	if !ours {
		first = 0 // rows that we carried over: any of them may be it
	}
	for _, op := range a.others.ops[first:] {
		if !moves(op.Operation) {
			ops = append(ops, op.Op)
		}
	}
	return ops, a.others.cleaned, nil
}

// moves tells whether an operation leaves every row as it is.
func moves(operation string) bool {
	return slices.Contains([]string{"OPTIMIZE", "REORG", "COMPUTE STATS", "VACUUM START", "VACUUM END"}, operation)
}

// filesOf are the data files that the rows of object i were written to, as far as
// they are on record: those that stand in their place are among them.
func (a *Auditor) filesOf(i int) []string {
	var files []string
	for _, f := range a.batch.attempt.Files {
		if !slices.ContainsFunc(f.Parts, func(p state.Part) bool { return a.batch.attempt.Outcomes[p.Object].Path == a.entries[i].Path }) {
			continue
		}
		path := f.Path
		for next, ok := a.others.successors[path]; ok; next, ok = a.others.successors[path] {
			path = next
		}
		files = append(files, path)
	}
	return files
}

// readOthers reads the log for what others did since the first batch.
func (a *Auditor) readOthers(ctx context.Context) (*others, error) {
	o := &others{successors: map[string]string{}}
	from := int64(-1)
	for m, err := range a.State.Marks(ctx) {
		if err != nil {
			return nil, err
		}
		if m.Kind == state.KindVoid {
			continue
		}
		if from < 0 {
			from = m.TableVersion
		}
		rec, err := a.State.Attempt(ctx, m.Batch, m.Attempt)
		if err != nil {
			return nil, err
		}
		for _, f := range rec.Files {
			if f.Of != "" {
				o.successors[f.Of] = f.Path
			}
		}
	}
	for c, err := range a.Table.Commits(ctx, max(from, 0), a.Snapshot.Version) {
		if errors.Is(err, table.ErrCleaned) {
			o.cleaned = true
			return o, nil
		}
		if err != nil {
			return nil, err
		}
		if c.App != "" || len(c.Removed) == 0 {
			continue
		}
		op := foreign{Op{c.Version, c.Operation}, map[string]bool{}}
		for _, k := range c.Removed {
			op.removed[k.Path] = true
		}
		o.ops = append(o.ops, op)
	}
	return o, nil
}
