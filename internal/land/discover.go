package land

import (
	"context"
	"slices"

	"landfall/internal/diag"
	"landfall/internal/discovery"
	"landfall/internal/intake"
	"landfall/internal/state"
)

// pending are the new objects of a run, in landing order.
type pending struct {
	objects []state.Object
}

// cut returns the objects of the next batch.
func (p *pending) cut(lim Limits) []state.Object {
	most := lim.Files
	if most <= 0 {
		most = 1000
	}
	var size int64
	n := 0
	for _, o := range p.objects {
		if n == most || (n > 0 && lim.Bytes > 0 && size >= lim.Bytes) {
			break
		}
		size += o.Size
		n++
	}
	return p.objects[:n:n]
}

// settle takes objects off that a mark speaks of, whoever landed them. Of an
// object in another version than the mark's, it learns what the table holds of
// its path now. reset tells that the mark is the first after one (keptRows).
func (p *pending) settle(m state.Mark, reset bool) {
	marked := make(map[string]state.Outcome, len(m.Objects))
	for _, o := range m.Objects {
		marked[o.Path] = o
	}
	kept := p.objects[:0]
	for _, o := range p.objects {
		was, ok := marked[o.Path]
		if ok && was.Version == o.Version && was.Reason != intake.PutBack {
			continue
		}
		if ok && was.Fate == state.Landed {
			o.Landed, o.Hash = m.Batch, was.Bytes
		}
		if ok && reset && was.Fate == state.Skipped && o.Landed == 0 {
			o.Landed = m.Batch
		}
		kept = append(kept, o)
	}
	p.objects = kept
}

// absorb brings the pending objects up to the last mark: other runs may have
// landed some of them since they were listed.
func (l *landing) absorb(ctx context.Context) error {
	if l.pending == nil {
		return nil
	}
	for l.absorbed < l.Batch() {
		m, ok, err := l.src.State.Mark(ctx, l.absorbed+1)
		if err != nil {
			return err
		}
		if !ok || m.Kind == state.KindReprocess {
			return l.discover(ctx) // what was known is known no more
		}
		l.pending.settle(m, l.resets(m.Batch))
		l.absorbed++
	}
	return nil
}

// discover lists the source and takes off what is known.
func (l *landing) discover(ctx context.Context) error {
	defer l.lap(&l.report.Seconds.Discover)()
	l.absorbed = l.Batch()
	known, err := l.src.State.Ledger(ctx)
	if err != nil {
		return err
	}
	defer known.Close()
	found, err := discovery.Finder{
		Files: l.src.Files, Select: l.src.Select, Known: known, Again: l.again, Unread: l.keptRows,
	}.Find(ctx)
	if err != nil {
		return err
	}
	l.pending, l.missing = &pending{found.Objects}, found.Missing
	l.report.Known, l.report.Skipped = found.Known, found.Skipped
	if found.Listed == 0 {
		l.report.Notes = append(l.report.Notes, "no files to land in "+l.src.Files.URL(""))
	}
	return nil
}

// again tells whether a file is read anew although its bytes were read before:
// not all of them landed, and the options are others now, or the table is.
func (l *landing) again(e state.Entry) bool {
	refused := e.Code == string(diag.AppendOnly) || e.Code == string(diag.UnknownFeature)
	if _, _, keeps := l.keepsRows(); refused && e.Fate == state.Quarantined && e.Landed > 0 && !keeps {
		return true // the table lets its old rows go now
	}
	return (e.Fate == state.Quarantined || e.Held > 0) && e.Options != l.src.Digest
}

// keptRows tells whether a file was settled unread by a reset that kept the
// rows of the table. Rows of it may stand there that no batch accounts for.
func (l *landing) keptRows(e state.Entry) bool {
	return e.Fate == state.Skipped && e.Landed == 0 && l.resets(e.Batch)
}

// resets tells whether a batch is the first after a reset.
func (l *landing) resets(batch int64) bool {
	return slices.ContainsFunc(l.IDs, func(id state.Identity) bool {
		return id.Cause == "reset" && id.After+1 == batch
	})
}
