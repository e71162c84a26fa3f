package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/drill"
	"landfall/internal/engine/duckdb"
	"landfall/internal/event"
	"landfall/internal/pipeline"
	"landfall/internal/project"
	"landfall/internal/sqlpipe"
	"landfall/internal/store"
)

// runFlags are those of landfall run.
type runFlags struct {
	params, refresh []string
	dry, noLand     bool
	memory          string
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run [PIPELINE…]",
		Short: "Run the pipelines of the project: land what they read, then bring their tables up to date",
		Long: `Run the pipelines of landfall.yaml. The sources that a pipeline reads land first; then
each dataset follows behind those that it reads: a streaming table takes the rows that
are new, a materialized view is computed again if something changed.

Rows are tried against the expectations of their dataset and counted: true, false and
null apart, by source file. A dataset that fails stops those that read it, and no other;
nothing of its batch is written.` + exitCodes,
		Example: `  landfall run
  landfall run trips --param month=2025-06
  landfall run --dry-run
  landfall run trips --full-refresh trips_silver`,
		RunE: func(c *cobra.Command, args []string) error { return a.runPipelines(c.Context(), args, f) },
	}
	c.Flags().StringArrayVar(&f.params, "param", nil, "name=value of a parameter; may be repeated")
	c.Flags().StringArrayVar(&f.refresh, "full-refresh", nil, "a dataset to make anew from all that its sources have; may be repeated")
	c.Flags().BoolVar(&f.dry, "dry-run", false, "show the datasets in order, what is new and the SQL that would run; nothing is written")
	c.Flags().BoolVar(&f.noLand, "no-land", false, "leave the sources as they are")
	c.Flags().StringVar(&f.memory, "memory", "", "most memory that the engine takes before it spills to disk, such as 4GB (default: 80 % of the machine's)")
	return c
}

// runPipelines runs the pipelines of the names, all without any. The first error is the
// command's.
func (a *app) runPipelines(ctx context.Context, names []string, f runFlags) error {
	p, err := a.loadProject()
	if err != nil {
		return err
	}
	if len(p.Pipelines) == 0 {
		return diag.New(diag.NoProject, "found no pipeline in the project").In(diag.Place{File: p.File}).
			Hinted("add one: pipelines: {silver: {files: [pipelines/*.sql], target: lake/silver}}")
	}
	wanted, err := chosen(p.Pipelines, func(x project.Pipeline) string { return x.Name }, names)
	if err != nil {
		return err
	}
	bell, err := a.openBell(p)
	if err != nil {
		return err
	}
	return oneByOne(ctx, a, wanted, func(ctx context.Context, x project.Pipeline) error {
		return a.runPipeline(ctx, p, x, f, bell)
	})
}

// runPipeline runs one pipeline.
func (a *app) runPipeline(ctx context.Context, p *project.Project, x project.Pipeline, f runFlags, b *bell) error {
	job, err := a.pipelineJob(ctx, p, x, f)
	if err != nil {
		b.outcome(ctx, x.Name, failures(err, x.Name, "", "landfall run "+x.Name)...)
		return err
	}
	for _, n := range job.Pipeline.Notes {
		a.remark("note: %s: %s", n.At, n.Text)
	}
	if f.dry {
		return a.dryRun(ctx, job)
	}
	// A source that fails does not keep what landed before from going on.
	var landing error
	if !f.noLand {
		if landing = a.landFor(ctx, p, job); ctx.Err() != nil {
			return landing
		}
	}
	b.beginPipeline(ctx, job)
	var first error
	err = pipeline.Run(ctx, job, func(o pipeline.Outcome) {
		a.printOutcome(o, x)
		if o.Err != nil && first == nil {
			first = o.Err
		} else if o.Err != nil {
			a.fail(o.Err)
		}
		b.dataset(ctx, job, o)
	})
	b.outcome(ctx, x.Name, failures(first, x.Name, "", "landfall run "+x.Name)...)
	if err = errors.Join(first, err); landing == nil || err == nil {
		return errors.Join(landing, err)
	}
	a.fail(err)
	return landing
}

// pipelineJob reads the files of a pipeline, and gathers what it needs.
func (a *app) pipelineJob(ctx context.Context, p *project.Project, x project.Pipeline, f runFlags) (pipeline.Job, error) {
	params := map[string]string{}
	for k, v := range x.Parameters {
		params[k] = v
	}
	given, err := pairs("--param", f.params)
	if err != nil {
		return pipeline.Job{}, err
	}
	for k, v := range given {
		params[k] = v
	}
	texts, err := pipelineTexts(p, x)
	if err != nil {
		return pipeline.Job{}, err
	}
	dir := filepath.Dir(p.File)
	outside := a.outside(p)
	read, err := sqlpipe.Parse(texts, sqlpipe.Options{
		Params: params, Names: append(p.Names(), otherDatasets(p, x)...),
		Outside: func(name []string) bool { s, err := outside(name); return s != nil || err != nil },
	})
	if err != nil {
		return pipeline.Job{}, err
	}
	refresh := map[string]bool{}
	for _, name := range f.refresh {
		d := read.Find(name)
		if d == nil {
			return pipeline.Job{}, diag.New(diag.Usage, "--full-refresh %s: pipeline %s has no such dataset", name, x.Name).Hinted("landfall run %s --dry-run lists its datasets", x.Name)
		}
		if strings.EqualFold(d.Properties["pipelines.reset.allowed"], "false") {
			return pipeline.Job{}, d.File.Problem(diag.Usage, d.At.At, "--full-refresh %s: its property pipelines.reset.allowed is false", d.Name).
				Hinted("take the property out first, if its rows may go")
		}
		refresh[d.Name] = true
	}
	engine, err := duckdb.Open(ctx, duckdb.Options{MemoryLimit: f.memory})
	if err != nil {
		return pipeline.Job{}, err
	}
	runs, err := a.openTable(under(dir, x.Target))
	if err != nil {
		return pipeline.Job{}, err
	}
	return pipeline.Job{
		Name: x.Name, Folder: openStore, Pipeline: read, Params: params, Engine: engine, Outside: outside, Open: a.flowTable,
		Target: func(dataset string) (store.Store, error) {
			return a.openTable(filepath.Join(under(dir, x.Target), dataset))
		},
		MaxDropRate: x.MaxDropRate, Redact: x.RedactSamples, Refresh: refresh, Runs: runs, Now: a.now, NewID: a.newID,
		Land: func(ctx context.Context, s pipeline.Files) (store.Store, error) {
			return a.landFiles(ctx, dir, under(dir, x.Target), s, f)
		},
		Shown: func(file string) string { return shownPath(absolute(dir), strings.TrimPrefix(file, "file://")) },
	}, nil
}

// otherDatasets are the names of the project's tables that other pipelines make.
func otherDatasets(p *project.Project, x project.Pipeline) []string {
	var out []string
	for _, other := range p.Pipelines {
		if other.Name != x.Name {
			out = append(out, other.Name+".DATASET")
		}
	}
	return out
}

// outside finds the tables of the project's sources, by the last part of a name, and those
// of other pipelines, as PIPELINE.DATASET.
func (a *app) outside(p *project.Project) func(name []string) (store.Store, error) {
	dir := filepath.Dir(p.File)
	return func(name []string) (store.Store, error) {
		last := name[len(name)-1]
		if s, ok := p.Source(strings.Join(name, ".")); ok {
			return a.openTable(under(dir, s.Table))
		}
		if len(name) > 1 {
			if x, ok := p.Pipeline(name[len(name)-2]); ok {
				return a.openTable(filepath.Join(under(dir, x.Target), last))
			}
		}
		if s, ok := p.Source(last); ok {
			return a.openTable(under(dir, s.Table))
		}
		return nil, nil
	}
}

// pipelineTexts reads the files of a pipeline, in order of their paths.
func pipelineTexts(p *project.Project, x project.Pipeline) ([]sqlpipe.Text, error) {
	dir := filepath.Dir(p.File)
	var out []sqlpipe.Text
	for _, pattern := range x.Files {
		found, err := filepath.Glob(under(dir, pattern))
		if err != nil {
			return nil, diag.New(diag.ProjectKey, "pipeline %s: found the pattern %s: %v", x.Name, diag.Quote(pattern), err).In(x.At).Hinted("as in pipelines/*.sql")
		}
		if len(found) == 0 {
			return nil, diag.New(diag.FolderMissing, "pipeline %s: found no file %s", x.Name, pattern).In(x.At).Hinted("write the file, or correct files: in the project")
		}
		for _, file := range found {
			data, err := os.ReadFile(file)
			if err != nil {
				return nil, diag.New(diag.NoPermission, "file %s cannot be read: %v", file, err).In(x.At).Hinted("give this user the right to read it")
			}
			if !slices.ContainsFunc(out, func(t sqlpipe.Text) bool { return t.Name == shownPath(dir, file) }) {
				out = append(out, sqlpipe.Text{Name: shownPath(dir, file), Text: string(data)})
			}
		}
	}
	return out, nil
}

// absolute is a folder's whole path, as addresses of files begin.
func absolute(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

// shownPath is a path as people know it: relative to the project, if it lies there.
func shownPath(dir, file string) string {
	if rel, err := filepath.Rel(dir, file); err == nil && !strings.HasPrefix(rel, "..") {
		return filepath.ToSlash(rel)
	}
	return file
}

// landFor lands the sources that a pipeline reads.
func (a *app) landFor(ctx context.Context, p *project.Project, job pipeline.Job) error {
	var names []string
	for _, d := range job.Pipeline.Datasets {
		for _, f := range d.Flows {
			tables, _ := sqlpipe.Sources(f.Query)
			for _, s := range tables {
				name := strings.Join(s.Name, ".")
				if _, ok := p.Source(name); !ok {
					name = s.Last()
				}
				if _, ok := p.Source(name); ok && job.Pipeline.Find(name) == nil && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	for _, name := range names {
		s, _ := p.Source(name)
		if action, _ := s.Policy.Action(event.ColumnAdded); action == "rescue" {
			a.remark("note: %s: source %s keeps new columns in _rescued_data, where nobody can use them: a landing layer wants schemaEvolutionMode addNewColumns", s.At, name)
		}
	}
	feeds, err := a.landing(landFlags{}, names)
	if err != nil {
		return err
	}
	return a.landAll(ctx, feeds)
}

// landFiles lands what read_files(…) names in a table below the pipeline's target.
func (a *app) landFiles(ctx context.Context, dir, target string, s pipeline.Files, f runFlags) (store.Store, error) {
	to := filepath.Join(target, "_files", s.Dataset)
	if s.N > 1 {
		to += fmt.Sprintf("-%d", s.N)
	}
	if f.noLand || f.dry {
		return a.openTable(to)
	}
	if a.real != "" {
		dir = a.real
	}
	var flags landFlags
	known := map[string]bool{}
	for _, o := range project.OptionTable() {
		known[o.Name] = true
	}
	for _, k := range slices.Sorted(maps.Keys(s.Options)) {
		name := k
		if !known[name] && known["cloudFiles."+name] {
			name = "cloudFiles." + name
		}
		if a.real != "" && drill.PlacesState(name) {
			continue // the state of a drill is the sandbox's
		}
		flags.options = append(flags.options, name+"="+s.Options[k])
	}
	one, err := fromArgs(flags, under(dir, strings.TrimPrefix(s.Path, "file://")), to)
	if err != nil {
		return nil, err
	}
	if err := a.landAll(ctx, []feed{one}); err != nil {
		return nil, err
	}
	return a.openTable(to)
}

// printOutcome prints what became of a dataset.
func (a *app) printOutcome(o pipeline.Outcome, x project.Pipeline) {
	if a.json {
		line := struct {
			Pipeline string          `json:"pipeline"`
			Dataset  string          `json:"dataset"`
			Kind     string          `json:"kind"`
			Status   pipeline.Status `json:"status"`
			Batches  []event.Dataset `json:"batches"`
			Looks    []event.Dataset `json:"looks,omitempty"`
		}{x.Name, o.Dataset.Name, strings.ReplaceAll(o.Dataset.Kind.String(), " ", "_"), o.Status, o.Batches, o.Looks}
		if line.Batches == nil {
			line.Batches = []event.Dataset{}
		}
		data, err := json.Marshal(line)
		if err == nil {
			_, err = fmt.Fprintf(a.stdout, "%s\n", data)
		}
		if err != nil {
			a.warn(err)
		}
		return
	}
	if a.quiet {
		return
	}
	for _, line := range outcomeLines(o) {
		_, _ = fmt.Fprintln(a.stdout, line)
	}
}
