package duckdb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	duck "github.com/duckdb/duckdb-go/v2"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb/dialect"
	"landfall/internal/engine/duckdb/program"
	"landfall/internal/plan"
)

var _ engine.Runner = (*Engine)(nil)

// Program implements engine.Runner. Files are named as in their store.
func (e *Engine) Program(job engine.Job) (string, error) {
	at := places()
	for _, in := range job.Inputs {
		at.Files[in.Source], at.Tables[in.Source] = map[string]string{}, dialect.Name(in.Source)
		for _, g := range in.Groups {
			for _, f := range g.Files {
				at.Files[in.Source][f.Key] = f.Key
			}
		}
	}
	return program.Lower(job, at)
}

// Run implements engine.Runner.
func (e *Engine) Run(ctx context.Context, job engine.Job, use func(engine.Result) error) error {
	return e.lend(ctx, func(s *session) error {
		at, err := s.open(ctx, job)
		if err != nil {
			return err
		}
		sql, err := program.Lower(job, at)
		if err != nil {
			return err
		}
		if err := s.lock(ctx); err != nil {
			return err
		}
		return asserted(job.Plan, s.watched(job, job.Step, func() error {
			return s.query(ctx, sql, func(r engine.Result) error {
				for i, c := range job.Plan.Step(job.Step).Visible() {
					r.Columns[i].Name = c.Name
				}
				return use(r)
			})
		}))
	})
}

func places() program.Places {
	return program.Places{Files: map[string]map[string]string{}, Tables: map[string]string{}, Kept: map[string]string{}}
}

// open makes the inputs of a job known to the session, and says where they are.
func (s *session) open(ctx context.Context, job engine.Job) (program.Places, error) {
	at := places()
	if err := errors.Join(s.addFunctions(ctx, job), s.watch(ctx, job)); err != nil {
		return at, err
	}
	for i, in := range job.Inputs {
		var err error
		if in.Table == nil {
			at.Files[in.Source], err = s.locateInput(ctx, in)
		} else {
			at.Tables[in.Source], err = s.addTable(ctx, i, *in.Table)
		}
		if err != nil {
			return at, err
		}
	}
	return at, nil
}

// locateInput finds or fetches the files of an input.
func (s *session) locateInput(ctx context.Context, in engine.Input) (map[string]string, error) {
	view := engine.View{Store: in.Store}
	for _, g := range in.Groups {
		for _, f := range g.Files {
			view.Files = append(view.Files, engine.File{Path: f.Key})
		}
	}
	located, err := s.locate(ctx, view)
	paths := make(map[string]string, len(located))
	for i, path := range located {
		paths[view.Files[i].Path] = path
	}
	return paths, err
}

// addTable makes a view of a table and returns its name.
func (s *session) addTable(ctx context.Context, n int, view engine.View) (string, error) {
	view.Name = fmt.Sprintf("_landfall.table_%d", n)
	if err := s.exec(ctx, "CREATE TABLE IF NOT EXISTS "+own+".deleted (file VARCHAR, pos BIGINT)"); err != nil {
		return "", err
	}
	b := &viewBuilder{session: s, view: view, parts: fmt.Sprintf("%s.parts_%d", own, n)}
	if err := b.create(ctx, false); err != nil {
		return "", fmt.Errorf("open %s: %w", view.Name, err)
	}
	return fmt.Sprintf("%s.table_%d", own, n), nil
}

// asserted turns an error that an assert of the plan made into a diagnostic.
func asserted(p *plan.Plan, err error) error {
	var from *duck.Error
	if !errors.As(err, &from) {
		return err
	}
	_, said, ok := strings.Cut(headline(from.Msg), program.AssertMark)
	if !ok {
		return err
	}
	id, message, _ := strings.Cut(said, program.AssertMessage)
	d := diag.New(diag.AssertFailed, "assert %s: found a row that breaks it", diag.Quote(id)).
		Hinted("look at the rows with a preview of the stream before the assert, or let it mark them: abort: false")
	if message != "" {
		d.Message += ": " + message
	}
	for _, step := range p.Steps {
		op, _ := step.Op.(plan.Assert)
		if slices.ContainsFunc(op.Rules, func(r plan.Rule) bool { return r.ID == id }) {
			d.At = step.At
		}
	}
	return d
}
