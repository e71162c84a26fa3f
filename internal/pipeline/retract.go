package pipeline

import (
	"context"
	"slices"
	"strings"

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
	past, err := b.lineage(ctx)
	if err != nil {
		return nil, err
	}
	again := traced(lost, past.moves)
	for p := range lost {
		if !past.read[p] && !again[p] {
			return nil, b.problem(diag.PipelineState, "%s: rows of %s are gone from %s, and which rows were made of them is not known: the file was written again since it was read", b.dataset.Name, p.File, p.Table).
				Hinted("make the table anew from all that its sources have: landfall run --full-refresh %s", b.dataset.Name)
		}
	}
	gone := map[string][]int64{}
	for _, f := range b.base.Files() {
		d, known := past.files[f.Path]
		if !known {
			return nil, b.problem(diag.PipelineState, "%s: rows are to be taken back, and where those of %s come from is not known: somebody wrote the file again", b.dataset.Name, f.Path).
				Hinted("make the table anew from all that its sources have: landfall run --full-refresh %s", b.dataset.Name)
		}
		if d.Flow == b.flow.Name {
			gone[f.Path] = d.from(lost)
		}
	}
	return gone, nil
}

// from are the positions of rows that come from some files.
func (d DataFile) from(lost map[Part]bool) []int64 {
	var out []int64
	at := int64(0)
	for _, p := range d.Parts {
		if lost[Part{Table: p.Table, File: p.File}] {
			for i := range p.Rows {
				out = append(out, at+i)
			}
		}
		at += p.Rows
	}
	return out
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

// lineage is where the rows of a dataset come from.
type lineage struct {
	// files are the data files that flows wrote, by path, each with its flow.
	files map[string]DataFile
	// read are the data files of sources that the flow read, moves those that were
	// written again since.
	read  map[Part]bool
	moves []rewriting
}

// lineage gathers the records since the table was made anew.
func (b *batch) lineage(ctx context.Context) (*lineage, error) {
	l := &lineage{files: map[string]DataFile{}, read: map[Part]bool{}}
	for a := range b.base.Txns { // also of flows that the pipeline has no more
		name, ours := strings.CutPrefix(a, appPrefix)
		if !ours {
			continue
		}
		attempts, err := b.attempts(ctx, name)
		if err != nil {
			return nil, err
		}
		for _, a := range attempts {
			l.add(a, name == b.flow.Name)
		}
	}
	return l, nil
}

// attempts are those of a flow that landed since the table was made anew, in order.
func (b *batch) attempts(ctx context.Context, flow string) ([]*Attempt, error) {
	var out []*Attempt
	for n := b.base.Txns[app(flow)]; n > 0; n-- {
		a, err := b.landed(ctx, flow, n, b.base)
		if err != nil {
			return nil, err
		}
		if a.Anew != b.base.Config[anewKey] {
			break
		}
		out = append(out, a)
		if a.Anew == a.ID {
			break
		}
	}
	slices.Reverse(out)
	return out, nil
}

// add adds what an attempt wrote and, if it is one of the flow's own, what it read.
func (l *lineage) add(a *Attempt, own bool) {
	for _, d := range a.Files {
		if d.Flow == "" {
			d.Flow = a.Flow
		}
		l.files[d.Path] = d
	}
	if !own {
		return
	}
	for _, o := range a.Sources {
		for _, f := range o.Files {
			l.read[Part{Table: o.Table, File: f}] = true
		}
		for _, m := range o.Moves {
			l.moves = append(l.moves, rewriting{o.parts(m.Before), o.parts(m.After)})
		}
	}
}

// parts names data files of the table.
func (o Offset) parts(files []string) []Part {
	out := make([]Part, len(files))
	for i, f := range files {
		out[i] = Part{Table: o.Table, File: f}
	}
	return out
}
