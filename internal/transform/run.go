package transform

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/flow/dataset"
	"landfall/internal/transform/deliver"
)

// Run runs the flow: all outputs are written aside first and then put in their place,
// in the order of the sinks. What fails before that leaves all of them as they were.
// Files that the sources move or delete go last.
func (o *Opened) Run(ctx context.Context) (*Report, error) {
	r := o.report()
	var ready []*delivery
	defer func() {
		for _, d := range ready {
			r.tell(d.Discard())
		}
	}()
	for _, name := range o.Plan.Sinks() {
		s := o.sinks[slices.IndexFunc(o.sinks, func(s dataset.Sink) bool { return s.Name == name })]
		if s.Cache {
			continue
		}
		d, err := o.deliver(ctx, s, r.ID)
		if err != nil {
			return nil, err
		}
		ready = append(ready, d)
	}
	if len(ready) == 0 {
		return nil, diag.New(diag.FlowInput, "the flow has no sink that writes").In(diag.Place{File: o.job.Flow.File.Name}).Hinted("look at its rows: landfall flow preview %s", o.job.Flow.File.Name)
	}
	if err := o.write(ctx, r, ready); err != nil {
		return nil, err
	}
	for _, s := range o.Sources {
		if err := s.Same(ctx); err != nil {
			return nil, err
		}
	}
	for _, d := range ready {
		record, err := o.record(r, d)
		if err != nil {
			return nil, err
		}
		out, err := d.Publish(ctx, record)
		if err != nil {
			return nil, err
		}
		r.Sinks = append(r.Sinks, d.report(out))
	}
	for _, s := range o.Sources {
		if err := s.Finish(ctx); err != nil {
			return nil, fmt.Errorf("outputs are in place, but files of source %s are not: %w", s.Input.Source, err)
		}
	}
	r.Seconds = o.job.Now().Sub(o.began).Seconds()
	return r, nil
}

// write has the engine write all outputs aside, of the same rows.
func (o *Opened) write(ctx context.Context, r *Report, ready []*delivery) error {
	var outputs []engine.Output
	for _, d := range ready {
		out, err := d.Output(ctx, o.Plan.Step(d.sink.Name))
		if err != nil {
			return err
		}
		outputs = append(outputs, out)
	}
	account, err := o.job.Runner.WriteAll(ctx, o.jobFor("", 0), outputs)
	if err != nil {
		return err
	}
	for i, d := range ready {
		if err := d.Take(account.Files[i]); err != nil {
			return err
		}
	}
	for _, s := range account.Streams {
		r.Streams = append(r.Streams, Stream(s))
	}
	for _, s := range account.Stages {
		r.Stages = append(r.Stages, Stage{s.Step, s.Took.Seconds()})
	}
	return nil
}

// delivery is a sink on its way.
type delivery struct {
	*deliver.Delivery
	sink   dataset.Sink
	folder string
}

func (o *Opened) deliver(ctx context.Context, s dataset.Sink, run string) (*delivery, error) {
	folder, err := o.folder(s)
	if err != nil {
		return nil, err
	}
	d, err := deliver.Prepare(ctx, s, deliver.Options{
		Folder: folder, Run: run, Disk: o.job.Disk, Table: o.job.Table, Now: o.job.Now, NewID: o.job.NewID,
	})
	if err != nil {
		return nil, err
	}
	return &delivery{Delivery: d, sink: s, folder: folder}, nil
}

// folder is the one that a sink writes.
func (o *Opened) folder(s dataset.Sink) (string, error) {
	if path, ok := o.job.Sinks[s.Name]; ok {
		abs, err := filepath.Abs(path)
		if err != nil {
			return "", diag.New(diag.FlowPlace, "sink %s: the path %s leads nowhere", s.Name, diag.Quote(path)).Because(err)
		}
		return abs, nil
	}
	if o.job.Locate != nil {
		if root, ok := o.job.Locate(s.Service, s.Container); ok {
			return filepath.Join(root, filepath.FromSlash(s.Folder)), nil
		}
	}
	return "", diag.New(diag.FlowPlace, "sink %s: found no folder for %s", s.Name, where(s.Location)).In(s.At).
		Hinted("name one: --sink %s=FOLDER, or map it under locations: in landfall.yaml", s.Name)
}

// jobFor is what the engine does for a step; limit 0 is all rows.
func (o *Opened) jobFor(step string, limit int64) engine.Job {
	return engine.Job{Plan: o.Plan, Step: step, Inputs: o.inputs, Limit: limit, Now: o.began, Progress: o.job.Progress, Counts: true, Clock: o.job.Now}
}

// Preview lends the first rows of a stream, and the columns that they have.
func (o *Opened) Preview(ctx context.Context, stream string, rows int64, use func(engine.Result) error) error {
	if err := o.Stream(stream); err != nil {
		return err
	}
	return o.job.Runner.Run(ctx, o.jobFor(stream, rows), use)
}

// Name is that of the flow.
func (o *Opened) Name() string { return o.job.Flow.Name }

// Program is the text that the engine executes for a stream.
func (o *Opened) Program(stream string) (string, error) {
	if err := o.Stream(stream); err != nil {
		return "", err
	}
	return o.job.Runner.Program(o.jobFor(stream, 0))
}

// Stream refuses a name that no stream has.
func (o *Opened) Stream(name string) error {
	if o.Plan.Step(name) != nil {
		return nil
	}
	var names []string
	for _, s := range o.Plan.Steps {
		names = append(names, s.Name)
	}
	return noStream(o.job.Flow.File.Name, name, names)
}
