// Package transform runs data flows on files: it finds what the sources of a flow
// read, binds the script to the columns that are there, has an engine run the plan,
// and puts the outputs in their place.
//
// A flow is opened first, which reads no row, and then previewed, explained or run. A
// run that fails, or dies, leaves the outputs as they were.
package transform

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/flow"
	"landfall/internal/flow/dataset"
	"landfall/internal/flow/resource"
	"landfall/internal/flow/syntax"
	"landfall/internal/intake"
	"landfall/internal/plan"
	"landfall/internal/plan/function"
	"landfall/internal/project"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/table"
	"landfall/internal/transform/deliver"
	"landfall/internal/transform/supply"
)

// Job is a flow and all that it needs from outside.
type Job struct {
	Flow *resource.Flow
	// Parameters are values as people type them, by name: what is no text is an
	// expression of the script.
	Parameters map[string]string
	// Sources and Sinks are paths on this machine, by stream. A folder takes the place of
	// a source's container; a file or a pattern is what the source reads. The folder of a
	// sink is the one that it writes.
	Sources, Sinks map[string]string
	// Locate maps a linked service and a container to a folder on this machine.
	Locate func(service, container string) (string, bool)
	// Disk is the file system of this machine.
	Disk Disk
	// Decode and Table are those of supply.Options.
	Decode func(o project.Options, format string) (intake.Decoder, error)
	Table  func(store.Store) table.Table
	Runner engine.Runner
	// At keeps to what one transformation needs; "" is the whole flow.
	At string
	// Strict refuses what the service refuses and what runs here all the same.
	Strict bool
	// Functions is the table of those that run.
	Functions *function.Table
	Now       func() time.Time
	NewID     func() string
	// Workers is how many files are looked at at once; 0 means 2.
	Workers int
	// Progress, if set, hears how far the run is.
	Progress func(engine.Progress)
}

// Disk is the file system of this machine. Paths are absolute.
type Disk interface {
	// Temp makes an empty folder that nobody else uses.
	Temp() (folder string, err error)
	deliver.Disk
}

// Opened is a flow bound to its files.
type Opened struct {
	Plan    *plan.Plan
	Sources []*supply.Supply

	job    Job
	script *syntax.Script
	sinks  []dataset.Sink
	inputs []engine.Input
	began  time.Time
	// temps are folders that go when the flow is closed.
	temps []string
}

// Close takes away what the flow keeps on disk while it is open.
func (o *Opened) Close() error {
	var problems []error
	for _, t := range o.temps {
		problems = append(problems, os.RemoveAll(t))
	}
	o.temps = nil
	return errors.Join(problems...)
}

// stage makes a folder for a source.
func (o *Opened) stage(context.Context) (store.Store, error) {
	folder, err := o.job.Disk.Temp()
	if err != nil {
		return nil, err
	}
	o.temps = append(o.temps, folder)
	return o.job.Disk.Open(folder)
}

// Open finds the files of a flow's sources and binds its script to them. The error
// holds all problems that were found. Who opened a flow closes it.
func Open(ctx context.Context, j Job) (*Opened, error) {
	script, err := syntax.Parse(j.Flow.File)
	if err != nil {
		return nil, err
	}
	if j.At != "" {
		if script, err = upTo(j.Flow.File, script, j.At); err != nil {
			return nil, err
		}
	}
	o := &Opened{job: j, script: script, began: j.Now()}
	if err := o.open(ctx); err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return o, nil
}

func (o *Opened) open(ctx context.Context) error {
	j, script := o.job, o.script
	parameters, err := parameters(j.Flow.File, script, j.Parameters)
	if err != nil {
		return err
	}
	sources, sinks, err := dataset.Read(j.Flow, script, func(x syntax.Expr) (any, error) {
		return o.constant(ctx, parameters, x)
	})
	if err != nil {
		return err
	}
	if j.At == "" {
		if err := o.known(sources, sinks); err != nil {
			return err
		}
	}
	o.sinks = sinks
	options := flow.Options{
		Inputs: map[string][]schema.Field{}, Projections: map[string][]schema.Field{}, Untyped: map[string]bool{},
		Parameters: parameters, Functions: j.Functions,
	}
	if err := o.supply(ctx, sources, &options); err != nil {
		return err
	}
	if o.Plan, err = o.bind(ctx, options); err != nil {
		return err
	}
	if j.Strict {
		return o.refused()
	}
	return nil
}

// refused are the notes that say what the service would not do.
func (o *Opened) refused() error {
	var problems diag.List
	for _, d := range o.Notes() {
		if d.Code == diag.FlowService {
			problems.Add(&d)
		}
	}
	return problems.Err()
}

// known refuses paths for streams that there are not.
func (o *Opened) known(sources []dataset.Source, sinks []dataset.Sink) error {
	var problems diag.List
	check := func(kind string, given map[string]string, names []string) {
		for name := range given {
			if slices.Contains(names, name) {
				continue
			}
			d := diag.New(diag.Usage, "found a path for %s %s, which the flow does not have", kind, diag.Quote(name))
			if near := diag.Nearest(name, names); near != "" {
				d = d.Hinted("did you mean %s?", near)
			}
			problems.Add(d)
		}
	}
	names := make([]string, len(sources))
	for i, s := range sources {
		names[i] = s.Name
	}
	check("source", o.job.Sources, names)
	names = names[:0]
	for _, s := range sinks {
		names = append(names, s.Name)
	}
	check("sink", o.job.Sinks, names)
	return problems.Err()
}

// supply opens the sources.
func (o *Opened) supply(ctx context.Context, sources []dataset.Source, options *flow.Options) error {
	var problems diag.List
	for _, s := range sources {
		found, err := o.source(ctx, s)
		if err != nil {
			problems.Merge(err)
			continue
		}
		o.Sources = append(o.Sources, found)
		o.inputs = append(o.inputs, found.Input)
		options.Inputs[s.Name] = found.Columns
		options.Untyped[s.Name] = s.Format == dataset.Delimited || s.Format == dataset.JSON
		if s.Projection != nil {
			options.Projections[s.Name] = s.Projection
		}
	}
	return problems.Err()
}

func (o *Opened) source(ctx context.Context, s dataset.Source) (*supply.Supply, error) {
	options := supply.Options{
		Now: o.began, Workers: o.job.Workers, Decode: o.job.Decode, Table: o.job.Table, Stage: o.stage, Clock: o.job.Now, NewID: o.job.NewID,
	}
	path, given := o.job.Sources[s.Name]
	switch {
	case given:
		return o.openPath(ctx, s, path, options)
	case o.job.Locate != nil:
		if root, ok := o.job.Locate(s.Service, s.Container); ok {
			return o.openFolder(ctx, s, root, options)
		}
	}
	return nil, diag.New(diag.FlowPlace, "source %s: found no folder for %s", s.Name, where(s.Location)).In(s.At).
		Hinted("name one: --source %s=FOLDER, or map it under locations: in landfall.yaml", s.Name)
}

// openPath opens a source at a path that somebody named for it: a folder in the place of
// the container, a file, or a pattern.
func (o *Opened) openPath(ctx context.Context, s dataset.Source, path string, options supply.Options) (*supply.Supply, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, diag.New(diag.FlowPlace, "source %s: the path %s leads nowhere", s.Name, diag.Quote(path)).Because(err)
	}
	info, err := os.Stat(abs)
	switch folder, pattern := project.SplitGlob(filepath.ToSlash(abs)); {
	case err == nil && info.IsDir():
		return o.openFolder(ctx, s, abs, options)
	case err == nil:
		options.Only = supply.Literal(filepath.Base(abs))
		return o.openFolder(ctx, s, filepath.Dir(abs), options)
	case pattern != "":
		options.Only = pattern
		return o.openFolder(ctx, s, filepath.FromSlash(folder), options)
	}
	return nil, diag.New(diag.FlowPlace, "source %s: found nothing at %s", s.Name, diag.Quote(path)).Because(err).
		Hinted("name a folder that is there: --source %s=FOLDER", s.Name)
}

// openFolder opens a source in the folder that stands for its container.
func (o *Opened) openFolder(ctx context.Context, s dataset.Source, folder string, options supply.Options) (*supply.Supply, error) {
	st, err := o.job.Disk.Open(folder)
	if err != nil {
		return nil, err
	}
	options.Store = st
	return supply.Open(ctx, s, options)
}

// where names a location for people.
func where(l dataset.Location) string {
	switch {
	case l.Service != "" && l.Container != "":
		return "container " + diag.Quote(l.Container) + " of linked service " + diag.Quote(l.Service)
	case l.Container != "":
		return "container " + diag.Quote(l.Container)
	case l.Service != "":
		return "linked service " + diag.Quote(l.Service)
	}
	return "its files"
}

// bind makes the plan. Where columns depend on values, the engine is asked for them.
func (o *Opened) bind(ctx context.Context, options flow.Options) (*plan.Plan, error) {
	options.Values = map[string][]string{}
	for {
		p, err := flow.Bind(o.job.Flow.File, o.script, options)
		var asks *flow.NeedsValues
		if !errors.As(err, &asks) {
			return p, err
		}
		values := []string{}
		job := engine.Job{Plan: asks.Plan, Step: asks.Step, Inputs: o.inputs, Now: o.began}
		err = o.job.Runner.Run(ctx, job, func(r engine.Result) error {
			for row, err := range r.Rows {
				if err != nil {
					return err
				}
				text, _ := row[0].(string) // null is ""
				values = append(values, text)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		options.Values[asks.Key] = values
	}
}
