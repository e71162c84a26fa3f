package duckdb

import (
	"context"
	"fmt"
	"slices"
	"time"

	"landfall/internal/engine"
	"landfall/internal/engine/duckdb/dialect"
	"landfall/internal/engine/duckdb/program"
	"landfall/internal/engine/duckdb/textfile"
	"landfall/internal/plan"
)

// Write implements engine.Runner.
func (e *Engine) Write(ctx context.Context, job engine.Job, to engine.Target) ([]engine.Written, error) {
	job.Counts = false
	account, err := e.WriteAll(ctx, job, []engine.Output{{Step: job.Step, To: to}})
	if err != nil {
		return nil, err
	}
	return account.Files[0], nil
}

// WriteAll implements engine.Runner.
func (e *Engine) WriteAll(ctx context.Context, job engine.Job, outputs []engine.Output) (*engine.Account, error) {
	outputs = slices.Clone(outputs)
	for i, out := range outputs {
		if job.Plan.Step(out.Step) == nil {
			return nil, fmt.Errorf("write: no step %q", out.Step)
		}
		folder, err := outputFolder(out.To.Folder)
		if err != nil {
			return nil, err
		}
		outputs[i].To.Folder = folder
	}
	w := &writer{job: job, rows: program.Rows{}}
	err := e.lend(ctx, func(s *session) (err error) {
		w.session = s
		if w.at, err = s.open(ctx, job); err != nil {
			return err
		}
		for _, out := range outputs {
			s.folders = append(s.folders, out.To.Folder)
		}
		s.allowed = append(s.allowed, s.folders...)
		if err := s.lock(ctx); err != nil {
			return err
		}
		return asserted(job.Plan, w.write(ctx, outputs))
	})
	if err != nil {
		return nil, err
	}
	return &w.account, nil
}

// writer writes the outputs of a job.
type writer struct {
	*session
	job     engine.Job
	at      program.Places
	rows    program.Rows
	account engine.Account
}

func (w *writer) write(ctx context.Context, outputs []engine.Output) error {
	names := make([]string, len(outputs))
	for i, out := range outputs {
		names[i] = out.Step
	}
	var steps []*plan.Step
	var counted []string
	if w.job.Counts {
		steps = program.Needed(w.job.Plan, names)
		counted = program.Uncounted(steps, names)
	}
	for i, step := range program.Shared(w.job.Plan, names, counted) {
		if err := w.keep(ctx, step, fmt.Sprintf("%s.%s", own, dialect.Name(fmt.Sprintf("kept_%d", i+1)))); err != nil {
			return err
		}
	}
	for _, out := range outputs {
		if err := w.copy(ctx, out); err != nil {
			return err
		}
	}
	if !w.job.Counts {
		return nil
	}
	return w.count(ctx, steps)
}

// stage runs a statement up to a step and measures it.
func (w *writer) stage(step string, run func() error) error {
	var began time.Time
	if w.job.Clock != nil {
		began = w.job.Clock()
	}
	if err := w.watched(w.job, step, run); err != nil {
		return err
	}
	stage := engine.Stage{Step: step}
	if w.job.Clock != nil {
		stage.Took = w.job.Clock().Sub(began)
	}
	w.account.Stages = append(w.account.Stages, stage)
	return nil
}

// keep makes a table of the rows of a step.
func (w *writer) keep(ctx context.Context, step, table string) error {
	statement, err := program.Keep(w.job, w.at, step, table)
	if err != nil {
		return err
	}
	return w.stage(step, func() error {
		result, err := w.conn.ExecContext(ctx, statement)
		if err != nil {
			return w.fault(ctx, err)
		}
		if w.rows[step], err = result.RowsAffected(); err != nil {
			return fmt.Errorf("count the rows of %s: %w", step, err)
		}
		w.at.Kept[step] = table
		return nil
	})
}

// copy writes the files of an output.
func (w *writer) copy(ctx context.Context, out engine.Output) error {
	job := w.job
	job.Step = out.Step
	query, err := program.Lower(job, w.at)
	if err != nil {
		return err
	}
	statement, err := program.Copy(job.Plan.Step(out.Step), query, out.To)
	if err != nil {
		return err
	}
	return w.stage(out.Step, func() error {
		files, total, err := w.copied(ctx, statement, out.To)
		if err == nil && len(files) == 0 {
			files, err = w.empty(ctx, query, job.Step, out.To)
		}
		if err != nil {
			return err
		}
		if err := textfile.Finish(ctx, files, total, out.To); err != nil {
			return fmt.Errorf("%s: %w", out.Step, err)
		}
		w.account.Files = append(w.account.Files, files)
		if job.Limit == 0 {
			w.rows[out.Step] = total
		}
		return nil
	})
}

// empty writes the one file of an output without rows, where there would be one of
// each value.
func (w *writer) empty(ctx context.Context, query, step string, to engine.Target) ([]engine.Written, error) {
	statement, err := program.Copy(w.job.Plan.Step(step), program.Nothing(query, program.Gone(to)), program.Single(to))
	if err != nil {
		return nil, err
	}
	files, _, err := w.copied(ctx, statement, to)
	return files, err
}

// count works out the rows of the steps that are left.
func (w *writer) count(ctx context.Context, steps []*plan.Step) error {
	w.rows.Follow(steps)
	left := slices.DeleteFunc(slices.Clone(steps), func(s *plan.Step) bool { _, ok := w.rows[s.Name]; return ok })
	if len(left) > 0 {
		err := w.stage("", func() error {
			for _, step := range left {
				if err := w.countOne(ctx, step.Name); err != nil {
					return err
				}
				w.rows.Follow(steps)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, step := range steps {
		w.account.Streams = append(w.account.Streams, engine.Stream{Name: step.Name, Rows: w.rows[step.Name]})
	}
	return nil
}

// countOne counts the rows of a step, unless they followed from others by now.
func (w *writer) countOne(ctx context.Context, step string) error {
	if _, ok := w.rows[step]; ok {
		return nil
	}
	query, err := program.Count(w.job, w.at, step)
	if err != nil {
		return err
	}
	var n int64
	if err := w.conn.QueryRowContext(ctx, query).Scan(&n); err != nil {
		return w.fault(ctx, err)
	}
	w.rows[step] = n
	return nil
}
