package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/land"
)

func (a *app) landCommand() *cobra.Command {
	var f landFlags
	var profile string
	c := &cobra.Command{
		Use:   "land [SOURCE…] | land FOLDER TABLE",
		Short: "Land what is new in a folder in a Delta table, exactly once",
		Long: `Land every file that has not landed yet. With FOLDER and TABLE no project is
needed: state stands beside the table, and the next run goes on from it. In a
project, land all its sources, or those named.

Kill it, run it twice, run two at once: every row lands once.

How the files are written, and which of them land, are options, named as Auto
Loader names them: docs/options.md. What becomes of a new column, a rewritten
file and all other drift are policies: docs/project.md.` + exitCodes,
		Example: `  landfall land landing/orders lake/orders
  landfall land landing/orders lake/orders --option pathGlobFilter='*.csv'
  landfall land landing/orders lake/orders --policy file_foreign=land
  landfall land orders --json`,
		RunE: func(c *cobra.Command, args []string) error {
			feeds, err := a.landing(f, args)
			if err != nil {
				return err
			}
			return profiled(profile, func() error { return a.landAll(c.Context(), feeds) })
		},
	}
	f.flags(c)
	c.Flags().StringVar(&profile, "profile", "", "write a CPU profile of the run to this file, for go tool pprof")
	return c
}

// profiled does something under Go's CPU profiler if file is not empty.
func profiled(file string, do func() error) (err error) {
	if file == "" {
		return do()
	}
	out, err := os.Create(file)
	if err != nil {
		return diag.New(diag.Usage, "--profile: the file cannot be written").Because(err)
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if err := pprof.StartCPUProfile(out); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return do()
}

// landFlags are the flags of commands that read a source's files.
type landFlags struct {
	format  string
	compat  string
	options []string
	// policies are kind=action.
	policies []string
	source   string
	moved    bool
}

func (f *landFlags) flags(c *cobra.Command) {
	c.Flags().StringVar(&f.format, "format", "", "format of the files (default: the most frequent one in the folder)")
	c.Flags().StringVar(&f.compat, "compat", "", "whose defaults the options have: autoloader (default: landfall's own)")
	c.Flags().StringArrayVar(&f.options, "option", nil, "an option of the source, key=value; may be repeated")
	c.Flags().StringArrayVar(&f.policies, "policy", nil, "what to do on a kind of drift, kind=action; may be repeated")
	c.Flags().StringVar(&f.source, "source", "", "name of the source, where a table has several, or its folder took another name")
	c.Flags().BoolVar(&f.moved, "moved", false, "accept that the source's folder moved")
}

// feeds describes the sources that the arguments name: a folder and a table, or
// names of the project's sources.
func (a *app) feeds(f landFlags, args []string) ([]feed, error) {
	if len(args) == 2 {
		named, err := a.inProject(args)
		if err != nil {
			return nil, err
		}
		if !named {
			one, err := fromArgs(f, args[0], args[1])
			return []feed{one}, err
		}
	}
	if f.format != "" || f.compat != "" || len(f.options) > 0 || len(f.policies) > 0 || f.source != "" {
		return nil, diag.New(diag.Usage, "--format, --compat, --option, --policy and --source go with FOLDER TABLE").
			Hinted("in a project, options and policies stand in landfall.yaml")
	}
	p, err := a.loadProject()
	if diag.CodeOf(err) == diag.NoProject && len(args) > 0 {
		return nil, diag.New(diag.Usage, "found %d arguments and no project, want FOLDER TABLE", len(args)).
			Hinted("quote a pattern, or the shell takes it for many arguments")
	}
	if err != nil {
		return nil, err
	}
	wanted, err := chosen(p.Sources, nameOf, args)
	if err != nil {
		return nil, err
	}
	all := make([]feed, len(wanted))
	for i, src := range wanted {
		if all[i], err = fromProject(p, src); err != nil {
			return nil, err
		}
		all[i].moved = f.moved
	}
	return all, nil
}

// landing are the feeds of a command that lands: they tell the people that the
// project's alerts name.
func (a *app) landing(f landFlags, args []string) ([]feed, error) {
	all, err := a.feeds(f, args)
	if err != nil || !slices.ContainsFunc(all, func(f feed) bool { return f.project }) {
		return all, err
	}
	told, err := a.bellAtHand()
	for i := range all {
		all[i].told = told
	}
	return all, err
}

// inProject tells whether all arguments name sources of the project at hand. A
// project that cannot be read leaves open what they mean, and is an error.
func (a *app) inProject(args []string) (bool, error) {
	p, err := a.loadProject()
	if a.project == "" && diag.CodeOf(err) == diag.NoProject {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, name := range args {
		if _, ok := p.Source(name); !ok {
			return false, nil
		}
	}
	return true, nil
}

// runner lands one source.
type runner func(context.Context, land.Source, land.Env) (land.Report, error)

// landAll lands the sources one after the other. A source that fails does not
// keep the others from landing; the first error is the command's.
func (a *app) landAll(ctx context.Context, feeds []feed) error {
	return a.runAll(ctx, feeds, land.Run)
}

func (a *app) runAll(ctx context.Context, feeds []feed, run runner) error {
	return a.each(ctx, feeds, func(ctx context.Context, f feed) error { return a.runOne(ctx, f, run) })
}

// each does something with one source after the other.
func (a *app) each(ctx context.Context, feeds []feed, do func(context.Context, feed) error) error {
	return oneByOne(ctx, a, feeds, func(ctx context.Context, f feed) error {
		err := do(ctx, f)
		if err != nil && len(feeds) > 1 {
			err = fmt.Errorf("source %s: %w", f.name, err)
		}
		return err
	})
}

// oneByOne does something with one thing after the other. One that fails does not keep the
// others from their turn; the first error is the command's, and others are printed.
func oneByOne[T any](ctx context.Context, a *app, list []T, do func(context.Context, T) error) error {
	var first error
	for _, one := range list {
		err := do(ctx, one)
		switch {
		case err == nil:
		case first == nil:
			first = err
		default:
			a.fail(err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return first
}

func (a *app) runOne(ctx context.Context, f feed, run runner) (err error) {
	start := a.now()
	var r land.Report
	s, err := a.build(ctx, f)
	defer func() { f.told.ended(ctx, s, f, r.Batches, err) }()
	if err != nil {
		return err
	}
	f.told.begin(ctx, f.name, s.State)
	bar := a.progress(s.Name)
	r, err = run(ctx, s, land.Env{Now: a.now, NewID: a.newID, Progress: bar.update, Elapsed: func() time.Duration { return a.now().Sub(start) }})
	bar.done()
	if f.takes != nil && err == nil && len(r.Batches)+len(r.Skipped)+r.Known == 0 {
		r.Notes = append(r.Notes, f.unmatched())
	}
	if perr := a.printLanded(summary{Report: r, took: a.now().Sub(start), where: f.where(r.Table)}, err); perr != nil {
		return errors.Join(err, perr)
	}
	return err
}
