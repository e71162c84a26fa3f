package pipeline

import (
	"context"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/pipeline/record"
)

// retract finds the rows that are taken back: those that came from data files that the
// streams lost. They are positions in live data files of the dataset.
func (b *batch) retract(ctx context.Context) (map[string][]int64, error) {
	lost := map[record.Part]bool{}
	for _, i := range b.in.list {
		for _, f := range i.lost {
			lost[record.Part{Table: i.name, File: f.Path}] = true
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
			gone[f.Path] = positions(d, lost)
		}
	}
	return gone, nil
}

// positions are those of the rows of a data file that come from some files.
func positions(d record.DataFile, lost map[record.Part]bool) []int64 {
	var out []int64
	at := int64(0)
	for _, p := range d.Parts {
		if lost[record.Part{Table: p.Table, File: p.File}] {
			for i := range p.Rows {
				out = append(out, at+i)
			}
		}
		at += p.Rows
	}
	return out
}

// rewriting is data files of a table that were written again.
type rewriting struct{ before, after []record.Part }

// traced adds to the files that are lost those that their rows were in before, latest
// rewriting first, and returns the files whose rows were elsewhere before.
func traced(lost map[record.Part]bool, moves []rewriting) map[record.Part]bool {
	again := map[record.Part]bool{}
	for _, m := range slices.Backward(moves) {
		if slices.ContainsFunc(m.after, func(p record.Part) bool { return !lost[p] }) {
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
	files map[string]record.DataFile
	// read are the data files of sources that the flow read, moves those that were
	// written again since.
	read  map[record.Part]bool
	moves []rewriting
}

// lineage gathers the records since the table was made anew.
func (b *batch) lineage(ctx context.Context) (*lineage, error) {
	l := &lineage{files: map[string]record.DataFile{}, read: map[record.Part]bool{}}
	for a := range b.base.Txns { // also of flows that the pipeline has no more
		name, ours := strings.CutPrefix(a, record.AppPrefix)
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
func (b *batch) attempts(ctx context.Context, flow string) ([]*record.Attempt, error) {
	var out []*record.Attempt
	for n := b.base.Txns[record.App(flow)]; n > 0; n-- {
		a, err := b.landed(ctx, flow, n, b.base)
		if err != nil {
			return nil, err
		}
		if a.Anew != b.base.Config[record.AnewKey] {
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
func (l *lineage) add(a *record.Attempt, own bool) {
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
			l.read[record.Part{Table: o.Table, File: f}] = true
		}
		for _, m := range o.Moves {
			l.moves = append(l.moves, rewriting{parts(o.Table, m.Before), parts(o.Table, m.After)})
		}
	}
}

// parts names data files of a table.
func parts(table string, files []string) []record.Part {
	out := make([]record.Part, len(files))
	for i, f := range files {
		out[i] = record.Part{Table: table, File: f}
	}
	return out
}
