package pipeline

import (
	"context"
	"errors"
	"time"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/event"
	"landfall/internal/pipeline/record"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
	"landfall/internal/sqlpipe"
	"landfall/internal/store"
	"landfall/internal/table"
)

// Job is a pipeline to run.
type Job struct {
	Name     string
	Pipeline *sqlpipe.Pipeline
	// Params are the values of :name.
	Params map[string]string
	// Engine runs the SQL.
	Engine engine.Sessions
	// Target is the store of a dataset's table, which need not be there yet.
	Target func(dataset string) (store.Store, error)
	// Outside is the store of a table beside the pipeline; nil if there is none.
	Outside func(name []string) (store.Store, error)
	// Land lands the files that read_files(…) names in a table of their own, and gives its
	// store.
	Land func(ctx context.Context, f Files) (store.Store, error)
	// Open opens the table of a store.
	Open func(store.Store) table.Table
	// MaxDropRate is the greatest part of the rows of a batch that rules may drop; at
	// more, nothing is written. 1 sets no limit.
	MaxDropRate float64
	// Redact keeps the values of rows that break rules out of what is told and recorded.
	Redact bool
	// Shown is a source file, given by its URL, as people know it; nil leaves it.
	Shown func(file string) string
	// Refresh names datasets that are made anew from all that their sources have.
	Refresh map[string]bool
	// Runs keeps a record of each run in which something happened; nil keeps none.
	Runs store.Store
	// Temp is a folder on this machine for rows on their way, "" for the system's, and
	// Folder opens the store of one.
	Temp   string
	Folder func(string) (store.Store, error)
	Now    func() time.Time
	NewID  func() string
}

// Files are those that read_files(…) or cloud_files(…) of a query names.
type Files struct {
	// Dataset reads them, in the Nth such call of its queries, from 1.
	Dataset string
	N       int
	// Path is a folder or a pattern, Options those of Auto Loader by name.
	Path    string
	Options map[string]string
}

// Status is how a dataset fared.
type Status string

// The statuses.
const (
	// Updated: a batch was committed.
	Updated Status = "updated"
	// Unchanged: nothing that it reads has changed.
	Unchanged Status = "unchanged"
	// Failed: nothing was written.
	Failed Status = "failed"
	// Skipped: a dataset that it reads failed.
	Skipped Status = "skipped"
)

// Outcome is what became of a dataset in a run.
type Outcome struct {
	Dataset *sqlpipe.Dataset
	Status  Status
	// Batches are the events of its flows, those of the last one last.
	Batches []event.Dataset
	// Looks tell of the rules about the newest value of the table, EXPECT FRESH, one event
	// for each: true or false once, whether there was a batch or not. What was written
	// stays, also where the rule fails the update.
	Looks []event.Dataset
	// Err is why it failed.
	Err error
}

// Run brings all datasets up to date, each behind those that it reads. One that fails
// stops those that read it, and no other. The error is that of a canceled context alone;
// what went wrong with a dataset is in its outcome.
func Run(ctx context.Context, job Job, done func(Outcome)) error {
	u := newUpdate(job)
	err := runAll(ctx, job, u.ID, func(o Outcome) {
		u.add(o, job.Redact)
		done(o)
	})
	return errors.Join(err, u.keep(ctx, job))
}

// runAll runs the datasets under the id of a run.
func runAll(ctx context.Context, job Job, run string, done func(Outcome)) error {
	failed := map[*sqlpipe.Dataset]bool{}
	for _, d := range job.Pipeline.Datasets {
		if d.Kind == sqlpipe.View {
			failed[d] = anyOf(d.Reads, failed)
			continue
		}
		o := Outcome{Dataset: d, Status: Skipped}
		if anyOf(d.Reads, failed) {
			failed[d] = true
			done(o)
			continue
		}
		r := &runner{Job: job, dataset: d, id: run}
		if o.Batches, o.Err = r.run(ctx); o.Err == nil {
			o.Looks, o.Err = r.looks(ctx)
		}
		if ctx.Err() != nil {
			return errors.Join(o.Err, ctx.Err())
		}
		o.Status = status(o)
		failed[d] = o.Err != nil
		done(o)
	}
	return nil
}

func status(o Outcome) Status {
	switch {
	case o.Err != nil:
		return Failed
	case len(o.Batches) == 0:
		return Unchanged
	default:
		return Updated
	}
}

func anyOf(list []*sqlpipe.Dataset, in map[*sqlpipe.Dataset]bool) bool {
	for _, d := range list {
		if in[d] {
			return true
		}
	}
	return false
}

// runner brings one dataset up to date.
type runner struct {
	Job
	dataset *sqlpipe.Dataset
	// id names the run in its events.
	id string
	// refreshed tells that the dataset was emptied in this run, to be made anew.
	refreshed bool
	book      record.Book
}

func (r *runner) run(ctx context.Context) ([]event.Dataset, error) {
	var err error
	if r.book.Data, err = r.Target(r.dataset.Name); err != nil {
		return nil, err
	}
	r.book.Table = r.Open(r.book.Data)
	if err := r.expectable(); err != nil {
		return nil, err
	}
	var out []event.Dataset
	for _, f := range r.dataset.Flows {
		e, err := r.flow(ctx, f)
		if e != nil {
			out = append(out, *e)
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// expectable refuses what is read and not done: rules of views that are read.
func (r *runner) expectable() error {
	var problems diag.List
	for _, d := range r.dataset.Reads {
		if d.Kind == sqlpipe.View && len(d.Rules) > 0 {
			problems.Add(d.File.Problem(diag.SQLRefused, d.Rules[0].At.At, "expectation %s: stands on the view %s", d.Rules[0].Name, d.Name).
				Hinted("move it to the table that reads the view: a view is evaluated wherever it is read, and would be counted there each time"))
		}
	}
	return problems.Err()
}

// snapshot is the dataset's table as it is; nil for none. A folder that holds files and no
// table is refused, unless they are those of a first batch that died.
func (r *runner) snapshot(ctx context.Context) (*table.Snapshot, error) {
	snap, err := r.book.Table.Snapshot(ctx)
	if !errors.Is(err, table.ErrNoTable) {
		return snap, err
	}
	if begun, err := r.book.Begun(ctx); begun || err != nil {
		return nil, err
	}
	return nil, r.book.Table.CheckEmpty(ctx)
}

// problem is a diagnostic at the dataset's statement.
func (r *runner) problem(code diag.Code, format string, args ...any) *diag.Diagnostic {
	return r.dataset.File.Problem(code, r.dataset.At.At, format, args...)
}

// fields are columns as fields of a table.
func fields(columns []outColumn) []schema.Field {
	out := make([]schema.Field, len(columns))
	for i, c := range columns {
		out[i] = schema.Field{Name: c.name, Type: c.typ, Nullable: true}
	}
	return out
}

// outColumn is a column of the dataset: its name, its type, and the text that gives it.
type outColumn struct {
	name string
	typ  schema.Type
	sql  string
	at   sparksql.Range
}
