package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/engine/duckdb"
	"landfall/internal/flow/resource"
	"landfall/internal/plan/function"
	"landfall/internal/report"
	"landfall/internal/store"
	"landfall/internal/store/local"
	"landfall/internal/table"
	"landfall/internal/table/delta"
	"landfall/internal/transform"
)

// flowFlags say what a flow needs beyond its script.
type flowFlags struct {
	params, sources, sinks []string
	strict                 string
	memory                 string
	// at keeps to what a transformation needs.
	at string
}

func (f *flowFlags) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.params, "param", nil, "name=value of a parameter of the flow; may be repeated")
	c.Flags().StringArrayVar(&f.sources, "source", nil, "NAME=PATH: a folder in the place of the container that source NAME reads, or a file; may be repeated")
	c.Flags().StringVar(&f.memory, "memory", "", "most memory that the engine takes before it spills to disk, such as 4GB (default: 80 % of the machine's)")
	c.Flags().StringVar(&f.strict, "strict", "", "adf: refuse what the service refuses, such as INT96 timestamps")
}

func (a *app) flowRunCommand() *cobra.Command {
	var f flowFlags
	c := &cobra.Command{
		Use:   "run FLOW",
		Short: "Run a data flow on the files of this machine",
		Long: `Run a flow: read its sources, write its sinks. Columns that come, go or change their
type are met as the script says: drift, patterns, byName. Outputs appear when all is
written; a run that fails, or is killed, leaves what was there.

--source NAME=PATH names the folder that stands for the container of a source: its
wildcards and folders are looked for in it. --sink NAME=PATH is the folder that a
sink writes. Without them, landfall.yaml says where linked services are.` + exitCodes,
		Example: `  landfall flow run orders.dfs --source RawOrders=raw --sink CuratedOrders=curated/orders
  landfall flow run dataflow/orders.json --param day=2026-10-02
  landfall flow run template.json#orders --source RawOrders=raw --sink CuratedOrders=out --json`,
		Args: args(1, 1, "FLOW"),
		RunE: func(c *cobra.Command, args []string) error { return a.flowRun(c.Context(), args[0], f) },
	}
	f.add(c)
	c.Flags().StringArrayVar(&f.sinks, "sink", nil, "NAME=PATH: the folder that sink NAME writes; may be repeated")
	return c
}

// openFlow finds the files of a flow and binds it to them. The flow is one of the project,
// by its name, or a file.
func (a *app) openFlow(ctx context.Context, arg string, f flowFlags) (*transform.Opened, error) {
	job, err := a.flowJob(ctx, arg, f)
	if err != nil {
		return nil, err
	}
	return transform.Open(ctx, job)
}

// flowJob is a flow with all that it needs.
func (a *app) flowJob(ctx context.Context, arg string, f flowFlags) (transform.Job, error) {
	if f.strict != "" && f.strict != "adf" {
		return transform.Job{}, diag.New(diag.Usage, "found --strict %s, want adf", diag.Quote(f.strict)).Hinted("leave it out, or write --strict adf")
	}
	if f.memory != "" && !regexp.MustCompile(`(?i)^[0-9]+(\.[0-9]+)? ?[KMGT]i?B$`).MatchString(f.memory) {
		return transform.Job{}, diag.New(diag.Usage, "found --memory %s, want a size", diag.Quote(f.memory)).Hinted("as in --memory 4GB")
	}
	table, err := function.Load()
	if err != nil {
		return transform.Job{}, err
	}
	job := transform.Job{Functions: table, Disk: machine{}, Decode: decoder, Table: a.flowTable, Strict: f.strict == "adf", Now: a.now, NewID: a.newID}
	if err := a.flowFlagsInto(&job, f); err != nil {
		return transform.Job{}, err
	}
	script, err := a.flowOfProject(&job, arg)
	if err != nil {
		return transform.Job{}, err
	}
	if job.Flow, err = oneFlow(script); err != nil {
		return transform.Job{}, err
	}
	if job.Runner, err = duckdb.Open(ctx, duckdb.Options{MemoryLimit: f.memory}); err != nil {
		return transform.Job{}, err
	}
	job.At = f.at
	return job, nil
}

// oneFlow reads the only flow of a file, or the one that is named.
func oneFlow(arg string) (*resource.Flow, error) {
	all, err := flows(arg)
	if err != nil || len(all) == 1 {
		return first(all), err
	}
	var names []string
	for _, one := range all {
		names = append(names, one.Name)
	}
	return nil, diag.New(diag.Usage, "found %d data flows in the file, want one: %s", len(all), strings.Join(names, ", ")).In(diag.Place{File: arg}).Hinted("name one: %s#%s", arg, names[0])
}

func first(all []*resource.Flow) *resource.Flow {
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// flowFlagsInto reads the flags that come as pairs.
func (a *app) flowFlagsInto(job *transform.Job, f flowFlags) (err error) {
	var problems diag.List
	for _, set := range []struct {
		flag  string
		given []string
		to    *map[string]string
	}{{"--param", f.params, &job.Parameters}, {"--source", f.sources, &job.Sources}, {"--sink", f.sinks, &job.Sinks}} {
		*set.to, err = pairs(set.flag, set.given)
		problems.Merge(err)
	}
	return problems.Err()
}

// flowOfProject adds what the project says of a flow, and of where linked services are, if
// there is a project. It returns the file of the script.
func (a *app) flowOfProject(job *transform.Job, arg string) (string, error) {
	p, err := a.loadProject()
	if diag.CodeOf(err) == diag.NoProject && a.project == "" {
		return arg, nil
	}
	if err != nil {
		return "", err
	}
	under := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(filepath.Dir(p.File), filepath.FromSlash(path))
	}
	job.Locate = func(service, container string) (string, bool) {
		folder, ok := p.Locate(service, container)
		return under(folder), ok
	}
	flow, ok := p.Flow(arg)
	if !ok {
		return arg, nil
	}
	fill(job.Parameters, flow.Parameters, func(text string) string { return text })
	fill(job.Sources, flow.Sources, under)
	fill(job.Sinks, flow.Sinks, under)
	return under(flow.Script), nil
}

// fill adds what is not there yet.
func fill(to, from map[string]string, as func(string) string) {
	for name, value := range from {
		if _, ok := to[name]; !ok {
			to[name] = as(value)
		}
	}
}

// flowTable opens the table of a source or a sink.
func (a *app) flowTable(s store.Store) table.Table {
	return delta.Open(s, delta.Options{Now: a.now, Note: a.warn})
}

// machine is the file system of this one.
type machine struct{}

func (machine) Open(folder string) (store.Store, error) { return openStore(folder) }

func (machine) Publish(ctx context.Context, folder, to string) error {
	s, err := local.Open(folder)
	if err != nil {
		return err
	}
	return s.Publish(ctx, to)
}

func (machine) Exchange(ctx context.Context, a, b string) error { return local.Exchange(ctx, a, b) }

func (machine) Temp() (string, error) { return os.MkdirTemp("", "landfall-flow-") }

// pairs reads the values of a flag: name=value.
func pairs(flag string, given []string) (map[string]string, error) {
	out := map[string]string{}
	var problems diag.List
	for _, text := range given {
		name, value, ok := strings.Cut(text, "=")
		switch _, twice := out[name]; {
		case !ok || name == "":
			problems.Add(diag.New(diag.Usage, "found %s %s, want NAME=VALUE", flag, diag.Quote(text)).Hinted("as in %s orders=value", flag))
		case twice:
			problems.Add(diag.New(diag.Usage, "found %s %s twice, want one value", flag, diag.Quote(name)).Hinted("leave one of them out"))
		}
		out[name] = value
	}
	return out, problems.Err()
}

func (a *app) flowRun(ctx context.Context, arg string, f flowFlags) (err error) {
	told, err := a.bellAtHand()
	if err != nil {
		return err
	}
	defer func() { told.outcome(ctx, arg, failures(err, arg, "", "landfall flow run "+quoted(arg))...) }()
	job, err := a.flowJob(ctx, arg, f)
	if err != nil {
		return err
	}
	bar := a.progress("flow")
	job.Progress = bar.engine
	o, err := transform.Open(ctx, job)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	r, err := o.Run(ctx)
	bar.done()
	if err != nil {
		return err
	}
	if a.json {
		return a.print(r)
	}
	if a.quiet && len(r.Notes) == 0 {
		return nil
	}
	_, err = fmt.Fprint(a.stdout, flowText(r))
	return err
}

// flowText is a run for people.
func flowText(r *transform.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ran         %s in %s\n", r.Flow, report.Duration(time.Duration(r.Seconds*float64(time.Second))))
	sourcesText(&b, r)
	betweenText(&b, r)
	for _, s := range r.Sinks {
		fmt.Fprintf(&b, "  wrote     %s: %s in %s → %s\n", s.Name, report.Plural(s.Rows, "row"), report.Plural(int64(len(s.Files)), "file"), report.Clean(s.Folder))
		if s.Version >= 0 {
			fmt.Fprintf(&b, "            version %d of the table\n", s.Version)
		}
		for _, file := range s.Files[:min(len(s.Files), most)] {
			fmt.Fprintf(&b, "            %s  %s, %s\n", report.Clean(file.Path), report.Plural(file.Rows, "row"), report.Bytes(file.Size))
		}
		more(&b, len(s.Files), "file")
	}
	if len(r.Stages) > 0 {
		b.WriteString("  time      ")
		for i, s := range r.Stages {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%s %s", stageName(s), report.Duration(time.Duration(s.Seconds*float64(time.Second))))
		}
		b.WriteString("\n")
	}
	noteText(&b, r)
	return b.String()
}

// most is how many files of a run are named as text.
const most = 20

func more(b *strings.Builder, all int, noun string) {
	if all > most {
		fmt.Fprintf(b, "            … and %s more (--json names all)\n", report.Plural(int64(all-most), noun))
	}
}

func stageName(s transform.Stage) string {
	if s.Step == "" {
		return "counting"
	}
	return s.Step
}

// sourcesText says what the sources read, and how their files drifted.
func sourcesText(b *strings.Builder, r *transform.Report) {
	for _, s := range r.Sources {
		fmt.Fprintf(b, "  read      %s: %s%s\n", s.Name, report.Plural(int64(len(s.Files)), "file"), rowsOf(r, s.Name))
		if len(s.Drifted) > 0 {
			fmt.Fprintf(b, "            drifted: %s\n", report.Clean(strings.Join(s.Drifted, ", ")))
		}
		lines := 0
		for _, file := range s.Files {
			for _, d := range file.Drift {
				if lines++; lines <= most {
					fmt.Fprintf(b, "            %s: %s\n", report.Clean(file.Path), report.Clean(d.String()))
				}
			}
		}
		more(b, lines, "change")
	}
}

// betweenText says how many rows left the transformations between sources and sinks.
func betweenText(b *strings.Builder, r *transform.Report) {
	var parts []string
	for _, s := range r.Streams {
		source := slices.ContainsFunc(r.Sources, func(o transform.Source) bool { return o.Name == s.Name })
		sink := slices.ContainsFunc(r.Sinks, func(o transform.Sink) bool { return o.Name == s.Name })
		if !source && !sink {
			parts = append(parts, s.Name+" "+report.Count(s.Rows))
		}
	}
	if len(parts) > 0 {
		fmt.Fprintf(b, "  rows      %s\n", strings.Join(parts, ", "))
	}
}

func noteText(b *strings.Builder, r *transform.Report) {
	for _, n := range r.Notes {
		fmt.Fprintf(b, "  note      %s\n", report.Clean(n.Message))
		if n.Hint != "" {
			fmt.Fprintf(b, "            → %s\n", report.Clean(n.Hint))
		}
	}
}

// rowsOf says how many rows a stream had, if that is known.
func rowsOf(r *transform.Report, stream string) string {
	i := slices.IndexFunc(r.Streams, func(s transform.Stream) bool { return s.Name == stream })
	if i < 0 {
		return ""
	}
	return ", " + report.Plural(r.Streams[i].Rows, "row")
}
