package pipeline

import (
	"context"
	"slices"

	"landfall/internal/diag"
)

// retract finds the rows that are taken back: those that came from data files that the
// streams lost. They are positions in live data files of the dataset.
func (b *batch) retract(ctx context.Context) (map[string][]int64, error) {
	lost := map[Part]bool{}
	for _, i := range b.in.list {
		for _, f := range i.lost {
			lost[Part{Table: i.name, File: f.Path}] = true
		}
	}
	if len(lost) == 0 || b.base == nil || b.anew {
		return nil, nil
	}
	parts, read, moves, err := b.lineage(ctx)
	if err != nil {
		return nil, err
	}
	again := traced(lost, moves)
	for p := range lost {
		if !read[p] && !again[p] {
			return nil, b.problem(diag.PipelineState, "%s: rows of %s are gone from %s, and which rows were made of them is not known: the file was written again since it was read", b.dataset.Name, p.File, p.Table).
				Hinted("make the table anew from all that its sources have: landfall run --full-refresh %s", b.dataset.Name)
		}
	}
	gone := map[string][]int64{}
	for _, f := range b.base.Files() {
		runs, known := parts[f.Path]
		if !known {
			return nil, b.problem(diag.PipelineState, "%s: rows are to be taken back, and where those of %s come from is not known: somebody wrote the file again", b.dataset.Name, f.Path).
				Hinted("make the table anew from all that its sources have: landfall run --full-refresh %s", b.dataset.Name)
		}
		at := int64(0)
		for _, p := range runs {
			if lost[Part{Table: p.Table, File: p.File}] {
				for i := range p.Rows {
					gone[f.Path] = append(gone[f.Path], at+i)
				}
			}
			at += p.Rows
		}
	}
	return gone, nil
}

// rewriting is data files of a table that were written again.
type rewriting struct{ before, after []Part }

// traced adds to the files that are lost those that their rows were in before, latest
// rewriting first, and returns the files whose rows were elsewhere before.
func traced(lost map[Part]bool, moves []rewriting) map[Part]bool {
	again := map[Part]bool{}
	for _, m := range slices.Backward(moves) {
		if slices.ContainsFunc(m.after, func(p Part) bool { return !lost[p] }) {
			continue
		}
		for _, p := range m.after {
			again[p] = true
		}
		for _, p := range m.before {
			lost[p] = true
		}
	}
	return again
}

// lineage says of each data file that flows of the dataset wrote where its rows come from,
// which data files of its sources were read, and which were written again since.
func (b *batch) lineage(ctx context.Context) (parts map[string][]Part, read map[Part]bool, moves []rewriting, err error) {
	parts, read = map[string][]Part{}, map[Part]bool{}
	for _, f := range b.dataset.Flows {
		for n := int64(1); n <= b.base.Txns[app(f.Name)]; n++ {
			a, err := b.landed(ctx, f.Name, n, b.base)
			if err != nil {
				return nil, nil, nil, err
			}
			for _, d := range a.Files {
				parts[d.Path] = d.Parts
			}
			for _, o := range a.Sources {
				for _, f := range o.Files {
					read[Part{Table: o.Table, File: f}] = true
				}
				for _, m := range o.Moves {
					moves = append(moves, rewriting{o.parts(m.Before), o.parts(m.After)})
				}
			}
		}
	}
	return parts, read, moves, nil
}

// parts names data files of the table.
func (o Offset) parts(files []string) []Part {
	out := make([]Part, len(files))
	for i, f := range files {
		out[i] = Part{Table: o.Table, File: f}
	}
	return out
}
