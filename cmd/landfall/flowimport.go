package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/engine/duckdb"
	"landfall/internal/flow/resource"
	"landfall/internal/flow/revise"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan/function"
	"landfall/internal/report"
	"landfall/internal/schema"
	"landfall/internal/transform"
)

func (a *app) flowMapDriftedCommand() *cobra.Command {
	var f flowFlags
	var at string
	var write bool
	c := &cobra.Command{
		Use:   "map-drifted FLOW --at SOURCE",
		Short: "Print the derive that makes drifted columns of a source ones that can be named",
		Long: `Look at the files of a source and print what the button Map Drifted of the service would add:
a derive with each drifted column looked up by its name and converted to its type. With --write
it is put behind the source, and who took the source's rows takes those of the derive; all else in the
file stays as it is. It knows of the columns of today's files.` + exitCodes,
		Example: `  landfall flow map-drifted orders.dfs --at RawOrders --source RawOrders=raw
  landfall flow map-drifted dataflow/orders.json --at RawOrders --write`,
		Args: args(1, 1, "FLOW"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.reviseFlow(c.Context(), args[0], f, at, write, func(s *syntax.Script, file *syntax.File, _, drifted []schema.Field) (string, string, error) {
				if len(drifted) == 0 {
					return "", "", diag.New(diag.FlowInput, "source %s: found no drifted column", at).In(diag.Place{File: file.Name}).Hinted("nothing is to be done: its projection has all columns of its files")
				}
				return revise.MapDrifted(file, s, at, drifted)
			})
		},
	}
	f.add(c)
	c.Flags().StringVar(&at, "at", "", "the source")
	c.Flags().BoolVar(&write, "write", false, "change the file")
	_ = c.MarkFlagRequired("at")
	return c
}

func (a *app) flowImportCommand() *cobra.Command {
	var f flowFlags
	var projection string
	c := &cobra.Command{
		Use:   "import FACTORY | import FLOW --projection SOURCE",
		Short: "Make a project of an exported factory, or a projection of the files of a source",
		Long: `Read the data flows of a factory (its folder with dataflow/, dataset/ and linkedService/, or a template)
and write landfall.yaml with each of them, and with a folder to fill in for each linked
service. What of a flow does not run here is named with its place.

With --projection, the projection of a source is imported again from its files, and written into the
flow's file: what the service advises where a projection has columns that are gone
(DF-Executor-InvalidInputColumns).` + exitCodes,
		Example: `  landfall flow import factory
  landfall flow import template.json --project project/landfall.yaml
  landfall flow import orders.dfs --projection RawOrders --source RawOrders=raw`,
		Args: args(1, 1, "FACTORY or FLOW"),
		RunE: func(c *cobra.Command, args []string) error {
			if projection == "" {
				return a.flowImport(c.Context(), args[0])
			}
			return a.reviseFlow(c.Context(), args[0], f, projection, true, func(s *syntax.Script, file *syntax.File, columns, _ []schema.Field) (string, string, error) {
				text, err := revise.Project(file, s, projection, columns)
				var shown []string
				for _, c := range columns {
					shown = append(shown, c.Name+" "+c.Type.String())
				}
				return strings.Join(shown, "\n"), text, err
			})
		},
	}
	f.add(c)
	c.Flags().StringVar(&projection, "projection", "", "import the projection of this source from its files")
	return c
}

// reviseFlow changes the script of a flow by the columns of a source's files, and prints what
// it comes to.
func (a *app) reviseFlow(ctx context.Context, arg string, f flowFlags, source string, write bool,
	change func(s *syntax.Script, file *syntax.File, columns, drifted []schema.Field) (shown, text string, err error),
) error {
	job, err := a.flowJob(ctx, arg, f)
	if err != nil {
		return err
	}
	columns, drifted, err := transform.Look(ctx, job, source)
	if err != nil {
		return err
	}
	script, err := syntax.Parse(job.Flow.File)
	if err != nil {
		return err
	}
	shown, text, err := change(script, job.Flow.File, columns, drifted)
	if err != nil {
		return err
	}
	file := job.Flow.File.Name
	if write {
		if err := rewriteFlow(job.Flow, text); err != nil {
			return err
		}
	}
	if a.json {
		return a.print(map[string]any{"flow": job.Flow.Name, "file": file, "source": source, "text": shown, "written": write})
	}
	if a.quiet {
		return nil
	}
	_, err = fmt.Fprintln(a.stdout, shown)
	return err
}

// rewriteFlow puts another script into the file of a flow.
func rewriteFlow(flow *resource.Flow, text string) error {
	file := flow.File.Name
	all, err := resource.Load(disk{}, filepath.ToSlash(file))
	if err != nil {
		return err
	}
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = one.File.Text
		if one.Name == flow.Name {
			texts[i] = text
		}
	}
	whole, err := resource.Rewrite(all, texts)
	if err != nil {
		return err
	}
	return overwrite(file, whole)
}

// imported is a flow of a factory.
type imported struct {
	Name   string `json:"name"`
	Script string `json:"script"`
	// Refused is what of it does not run here.
	Refused []noted `json:"refused"`
}

type noted struct {
	At   diag.Place `json:"at"`
	Text string     `json:"text"`
}

// flowImport writes a project of a factory.
func (a *app) flowImport(ctx context.Context, from string) error {
	files, err := flowFiles(from)
	if err != nil {
		return err
	}
	table, err := function.Load()
	if err != nil {
		return err
	}
	job := transform.Job{Functions: table, Now: a.now, NewID: a.newID}
	if job.Runner, err = duckdb.Open(ctx, duckdb.Options{}); err != nil {
		return err
	}
	var flows []imported
	var places []string
	file := a.project
	if file == "" {
		file = projectFile
	}
	for _, name := range files {
		all, err := resource.Load(disk{}, filepath.ToSlash(name))
		if err != nil {
			return err
		}
		for _, one := range all {
			job.Flow = one
			f := imported{Name: one.Name, Script: scriptPath(file, name), Refused: []noted{}}
			if len(all) > 1 {
				f.Script += "#" + one.Name
			}
			for _, d := range transform.Refused(ctx, job) {
				f.Refused = append(f.Refused, noted{d.At, d.Message})
			}
			flows = append(flows, f)
			places = append(places, transform.Places(ctx, job)...)
		}
	}
	slices.Sort(places)
	if err := createProject(file, flowProject(flows, slices.Compact(places))); err != nil {
		return err
	}
	return a.toldImport(file, flows, slices.Compact(places))
}

// flowFiles are the files of a factory's flows: those of its folder dataflow, or itself.
func flowFiles(from string) ([]string, error) {
	info, err := os.Stat(from)
	if err != nil || !info.IsDir() {
		return []string{from}, nil // what is wrong with it is told when it is loaded
	}
	for _, pattern := range []string{"dataflow/*.json", "*/dataflow/*.json", "*.dfs"} {
		if found, err := filepath.Glob(filepath.Join(from, filepath.FromSlash(pattern))); err == nil && len(found) > 0 {
			return found, nil
		}
	}
	return nil, diag.New(diag.FlowResource, "found no data flows in the folder").In(diag.Place{File: from}).
		Hinted("name the folder of a factory, in which dataflow/ is, or the file of a template")
}

// scriptPath is the path of a flow's file as the project file has it.
func scriptPath(project, name string) string {
	from, err := filepath.Abs(filepath.Dir(project))
	if err == nil {
		if to, err := filepath.Abs(name); err == nil {
			if rel, err := filepath.Rel(from, to); err == nil {
				return filepath.ToSlash(rel)
			}
		}
	}
	return filepath.ToSlash(name)
}

// flowProject is the text of a project with flows.
func flowProject(flows []imported, places []string) string {
	var b strings.Builder
	b.WriteString("version: 1\n")
	if len(places) > 0 {
		b.WriteString("# The folder on this machine of each container.\nlocations:\n")
		for _, p := range places {
			fmt.Fprintf(&b, "  %q: %q\n", p, "lake/"+p)
		}
	}
	b.WriteString("flows:\n")
	for _, f := range flows {
		if len(f.Refused) > 0 {
			fmt.Fprintf(&b, "  # %s does not run here yet: %s\n", f.Name, report.Clean(f.Refused[0].Text))
		}
		fmt.Fprintf(&b, "  %s: {script: %q}\n", flowKey(f.Name), f.Script)
	}
	return b.String()
}

// flowKey is the name of a flow as a project takes it.
func flowKey(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

// createProject writes a project file where there is none.
func createProject(file, text string) error {
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // a project is for all to read
	if errors.Is(err, fs.ErrExist) {
		return diag.New(diag.Usage, "the project file is there already").In(diag.Place{File: file}).
			Hinted("it is not overwritten: move it away, or write another one: --project FILE")
	}
	if err != nil {
		return fmt.Errorf("write the project file: %w", err)
	}
	_, err = out.WriteString(text)
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("write the project file: %w", err)
	}
	return nil
}

// toldImport prints what was imported.
func (a *app) toldImport(file string, flows []imported, places []string) error {
	if a.json {
		return a.print(map[string]any{"file": file, "flows": flows, "locations": append([]string{}, places...)})
	}
	if a.quiet {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "wrote %s: %s\n", file, report.Plural(int64(len(flows)), "flow"))
	for _, f := range flows {
		says := "runs here"
		if len(f.Refused) > 0 {
			says = "does not run here"
		}
		fmt.Fprintf(&b, "  %s  %s\n", f.Name, says)
		for _, n := range f.Refused {
			fmt.Fprintf(&b, "    %s: %s\n", n.At, report.Clean(n.Text))
		}
	}
	for _, p := range places {
		fmt.Fprintf(&b, "  say where %s is: locations: in %s\n", p, file)
	}
	_, err := io.WriteString(a.stdout, b.String())
	return err
}
