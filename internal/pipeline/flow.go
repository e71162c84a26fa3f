package pipeline

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/pipeline/record"
	"landfall/internal/sqlpipe"
	"landfall/internal/table"
)

// tries is how often a batch is computed anew when others change the table.
const tries = 5

// flow runs one flow of the dataset. The event is nil if there was nothing to do.
func (r *runner) flow(ctx context.Context, f sqlpipe.Flow) (*event.Dataset, error) {
	for try := 1; ; try++ {
		e, err := r.once(ctx, f)
		var lost *table.Conflict
		if !errors.As(err, &lost) {
			return e, err
		}
		if try == tries {
			return nil, r.problem(diag.ConflictLost, "%s: others changed the table %d times meanwhile", r.dataset.Name, tries).Because(err).
				Hinted("run again when they are done")
		}
	}
}

// batch is a batch on its way.
type batch struct {
	*runner
	flow  sqlpipe.Flow
	base  *table.Snapshot
	last  *record.Attempt
	in    *inputs
	query *compiled
	// anew tells that the table's rows are replaced by all that the query gives, emptied
	// that the flow's are gone because another flow did so.
	anew, emptied bool
	// attempt is what is kept of it.
	attempt record.Attempt
	// change is the commit, and made the data files that exist for it alone.
	change table.Change
	made   []string
}

// once tries to run a flow on the table as it is now.
func (r *runner) once(ctx context.Context, f sqlpipe.Flow) (*event.Dataset, error) {
	b := &batch{runner: r, flow: f}
	if err := b.stand(ctx); err != nil {
		return nil, err
	}
	var err error
	if b.in, err = r.open(ctx, f); err != nil {
		return nil, err
	}
	if err := b.inherited(ctx); err != nil {
		return nil, err
	}
	if err := r.read(ctx, b.in, b.lastRead()); err != nil {
		return nil, err
	}
	if b.query, err = r.compile(f, b.in); err != nil {
		return nil, err
	}
	if !b.wanted() {
		return nil, nil
	}
	b.begin()
	began := r.Now()
	err = b.compute(ctx)
	b.attempt.Event.Seconds = r.Now().Sub(began).Seconds()
	if err != nil {
		return b.failed(ctx, err)
	}
	return b.commit(ctx)
}

// stand finds where the flow stands: its last batch, and what it read.
func (b *batch) stand(ctx context.Context) error {
	var err error
	if b.base, err = b.snapshot(ctx); err != nil {
		return err
	}
	b.anew = b.dataset.Kind == sqlpipe.MaterializedView || b.refreshing()
	if b.base == nil || b.base.Txns[record.App(b.flow.Name)] == 0 {
		return b.foreign()
	}
	b.last, err = b.landed(ctx, b.flow.Name, b.base.Txns[record.App(b.flow.Name)], b.base)
	if err != nil && b.Refresh[b.dataset.Name] && diag.CodeOf(err) == diag.PipelineState {
		b.last, err = &record.Attempt{Batch: b.base.Txns[record.App(b.flow.Name)]}, nil // made anew, whatever it was
	}
	b.emptied = err == nil && !b.anew && b.last.Anew != b.base.Config[record.AnewKey]
	return err
}

// refreshing reports whether the flow is to empty the table: the first of a dataset that is
// made anew does, for all.
func (r *runner) refreshing() bool { return r.Refresh[r.dataset.Name] && !r.refreshed }

// foreign refuses a table that no flow of the pipeline made.
func (b *batch) foreign() error {
	if b.base == nil || b.base.Config[record.ConfigKey] != "" {
		return nil
	}
	return b.problem(diag.PipelineState, "%s: found a table at %s that no pipeline made", b.dataset.Name, b.book.Data.URL("")).
		Hinted("give the dataset another name, or the pipeline another target folder")
}

// inherited refuses a new flow that reads what another has read that the pipeline has no
// more, and whose rows stand: a flow under another name would write them twice.
func (b *batch) inherited(ctx context.Context) error {
	if b.base == nil || b.last != nil || b.anew || b.flow.Once {
		return nil
	}
	for _, a := range slices.Sorted(maps.Keys(b.base.Txns)) {
		name, ours := strings.CutPrefix(a, record.AppPrefix)
		if !ours || slices.ContainsFunc(b.dataset.Flows, func(f sqlpipe.Flow) bool { return f.Name == name }) {
			continue
		}
		was, err := b.landed(ctx, name, b.base.Txns[a], b.base)
		if err != nil {
			return err
		}
		if was.Anew != b.base.Config[record.AnewKey] {
			continue // its rows are gone
		}
		for _, i := range b.in.list {
			if i.stream && slices.ContainsFunc(was.Sources, func(o record.Offset) bool { return o.Stream && o.TableID == i.snap.ID }) {
				return b.flow.File.Problem(diag.PipelineState, b.flow.At.At, "%s: flow %s reads %s, and the rows that flow %s, which the pipeline has no more, read there are in the table", b.dataset.Name, b.flow.Name, i.name, name).
					Hinted("call it %s; or make the table anew: landfall run --full-refresh %s", name, b.dataset.Name)
			}
		}
	}
	return nil
}

// lastRead is the attempt whose offsets count; nil reads everything.
func (b *batch) lastRead() *record.Attempt {
	if b.anew || b.emptied {
		return nil
	}
	return b.last
}

// wanted reports whether there is anything to do.
func (b *batch) wanted() bool {
	switch {
	case b.refreshing(), b.emptied, b.last == nil:
		return true
	case b.flow.Once:
		return false
	case b.anew:
		return b.in.moved(b.last) || b.last.Query != b.query.text || b.query.Varies != ""
	default:
		return b.in.news()
	}
}

func (b *batch) begin() {
	number := int64(1)
	if b.last != nil {
		number = b.last.Batch + 1
	}
	b.attempt = record.Attempt{
		Format: record.Format, Flow: b.flow.Name, Batch: number, ID: b.NewID(), Time: b.Now().UTC(), Query: b.query.text, Sources: b.in.offsets(b.lastRead()), Files: []record.DataFile{},
		Event: event.Dataset{
			Pipeline: b.Name, Dataset: b.dataset.Name, Kind: kindName(b.dataset.Kind), Flow: b.flow.Name, Batch: number, Run: b.id,
			Status: "COMPLETED", How: b.how(), Inputs: b.in.events(), Expectations: []event.Expectation{},
			Changed: b.last != nil && b.last.Query != "" && b.last.Query != b.query.text,
		},
	}
	switch {
	case b.refreshing():
		b.attempt.Anew = b.attempt.ID
	case b.base != nil:
		b.attempt.Anew = b.base.Config[record.AnewKey]
	}
	for _, c := range b.query.Columns {
		l := event.Lineage{Column: c.Name}
		for _, o := range c.Origins {
			l.From = append(l.From, o.Table+"."+o.Column)
		}
		b.attempt.Event.Columns = append(b.attempt.Event.Columns, l)
	}
}

func kindName(k sqlpipe.Kind) string {
	if k == sqlpipe.MaterializedView {
		return "materialized_view"
	}
	return "streaming_table"
}

// how says how the rows are computed, for people.
func (b *batch) how() string {
	switch {
	case b.refreshing(), b.emptied:
		return "full refresh"
	case b.anew:
		return "recomputed"
	default:
		return "new rows"
	}
}

// failed keeps what was counted of a batch of which nothing was written.
func (b *batch) failed(ctx context.Context, err error) (*event.Dataset, error) {
	if diag.CodeOf(err) != diag.ExpectationFailed {
		return nil, err
	}
	e := &b.attempt.Event
	e.Status, e.Reason = "FAILED", reason(err)
	e.RowsWritten, e.RowsDropped, e.RowsRemoved = 0, 0, 0
	return e, errors.Join(err, b.book.Fail(ctx, &b.attempt))
}

func reason(err error) string {
	var d *diag.Diagnostic
	if errors.As(err, &d) {
		return d.Message
	}
	return err.Error()
}
