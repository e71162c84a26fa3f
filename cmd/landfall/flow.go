package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/flow/resource"
	"landfall/internal/flow/syntax"
	"landfall/internal/report"
)

func (a *app) flowCommand() *cobra.Command {
	c := &cobra.Command{
		Use:                        "flow",
		SuggestionsMinimumDistance: 2,
		Short:                      "Look at mapping data flows of Azure Data Factory and Synapse",
		Long: `A FLOW is a data flow script (.dfs), or JSON as a factory exports it: the file of a data
flow, in whose factory folder its datasets are looked for, or a template with all resources. Where a
file has several data flows, FILE#NAME is one of them, and FILE all. What runs a flow also takes the
name that landfall.yaml gives it under flows:.` + exitCodes,
		Example: `  landfall flow lint dataflow/orders.json
  landfall flow fmt --check flows/*.dfs
  landfall flow explain orders.dfs --stage ast`,
		Args: unknown,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.flowFmtCommand(), a.flowExplainCommand(), a.flowLintCommand(), a.flowRunCommand(), a.flowPreviewCommand(), a.flowInspectCommand(), a.flowMapDriftedCommand(), a.flowImportCommand())
	return c
}

// disk is the file system with names as the user writes them.
type disk struct{}

func (disk) Open(name string) (fs.File, error)          { return os.Open(name) }
func (disk) ReadFile(name string) ([]byte, error)       { return os.ReadFile(name) }
func (disk) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// flows reads the data flows that an argument names.
func flows(arg string) ([]*resource.Flow, error) {
	file, name, one := arg, "", false
	if _, err := os.Stat(arg); err != nil {
		if head, tail, ok := strings.Cut(arg, "#"); ok {
			file, name, one = head, tail, true
		}
	}
	all, err := resource.Load(disk{}, filepath.ToSlash(file))
	if err != nil || !one {
		return all, err
	}
	var known []string
	for _, f := range all {
		if f.Name == name {
			return []*resource.Flow{f}, nil
		}
		known = append(known, f.Name)
	}
	d := diag.New(diag.FlowResource, "found no data flow %s, want one of %s", diag.Quote(name), strings.Join(known, ", ")).In(diag.Place{File: file}).Hinted("name one of them: %s#%s", file, known[0])
	if near := diag.Nearest(name, known); near != "" {
		d = d.Hinted("did you mean %s#%s?", file, near)
	}
	return nil, d
}

// parsed reads the scripts of data flows; the error has the problems of all.
func parsed(all []*resource.Flow) ([]*syntax.Script, error) {
	var problems diag.List
	var out []*syntax.Script
	for _, f := range all {
		s, err := syntax.Parse(f.File)
		if err != nil {
			problems.Merge(err)
		}
		out = append(out, s)
	}
	return out, problems.Err()
}

func (a *app) flowFmtCommand() *cobra.Command {
	var write, check bool
	c := &cobra.Command{
		Use:   "fmt FILE…",
		Short: "Lay scripts out as the service's exports are",
		Long: `Print scripts in one layout: a setting a line, columns and mappings indented, long
expressions broken. Comments stay. In JSON only the script changes. With -w the
files are written, with --check those that would change are named, and there being any ends with 3.` + exitCodes,
		Example: `  landfall flow fmt orders.dfs
  landfall flow fmt -w dataflow/*.json
  landfall flow fmt --check flows/*.dfs`,
		Args: args(1, 10_000, "FILE…"),
		RunE: func(_ *cobra.Command, files []string) error {
			if write && check {
				return diag.New(diag.Usage, "found -w and --check, want one of them").Hinted("see: landfall flow fmt --help")
			}
			return a.flowFmt(files, write, check)
		},
	}
	c.Flags().BoolVarP(&write, "write", "w", false, "write the files")
	c.Flags().BoolVar(&check, "check", false, "name the files that would change, and end with 3 if there are any")
	return c
}

// formatted is a file as it is, and as it is laid out.
func formatted(file string) (is, want string, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		_, err := resource.Load(disk{}, filepath.ToSlash(file))
		return "", "", err
	}
	all, err := resource.Load(disk{}, filepath.ToSlash(file))
	if err != nil {
		return "", "", err
	}
	scripts, err := parsed(all)
	if err != nil {
		return "", "", err
	}
	texts := make([]string, len(scripts))
	same := true
	for i, s := range scripts {
		texts[i] = syntax.Format(s)
		same = same && strings.TrimSuffix(texts[i], "\n") == strings.TrimSuffix(all[i].File.Text, "\n")
	}
	if same && strings.HasSuffix(string(data), "\n") {
		return string(data), string(data), nil
	}
	want, err = resource.Rewrite(all, texts)
	return string(data), want, err
}

func (a *app) flowFmt(files []string, write, check bool) error {
	var problems diag.List
	var changed []string
	for _, file := range files {
		is, want, err := formatted(file)
		switch {
		case err != nil:
			problems.Merge(err)
			continue
		case !write && !check:
			_, err = io.WriteString(a.stdout, want)
		case is != want:
			changed = append(changed, file)
			if write {
				err = overwrite(file, want)
			}
		}
		if err != nil {
			return err
		}
	}
	if err := a.tellChanged(changed, check); err != nil {
		return err
	}
	if err := problems.Err(); err != nil {
		return err
	}
	if check && len(changed) > 0 {
		return diag.New(diag.FlowLayout, "%s not laid out", are(len(changed))).In(diag.Place{File: changed[0]}).Hinted("landfall flow fmt -w %s", strings.Join(changed, " "))
	}
	return nil
}

// are says how many files something is said of.
func are(n int) string {
	if n == 1 {
		return "1 file is"
	}
	return report.Plural(int64(n), "file") + " are"
}

// tellChanged names files that were or would be written.
func (a *app) tellChanged(changed []string, check bool) error {
	for _, file := range changed {
		if a.json {
			if err := a.print(map[string]any{"file": file, "written": !check}); err != nil {
				return err
			}
		} else if _, err := fmt.Fprintln(a.stdout, file); err != nil {
			return err
		}
	}
	return nil
}

// overwrite puts another text in the place of a file, whole or not at all.
func overwrite(file, text string) error {
	refused := func(err error) error {
		return diag.New(diag.NoPermission, "the file cannot be written").In(diag.Place{File: file}).Because(err).Hinted("let its folder be written to, or print to standard output without -w")
	}
	info, err := os.Stat(file)
	if err != nil {
		return refused(err)
	}
	temp, err := os.CreateTemp(filepath.Dir(file), ".flow-fmt-*")
	if err != nil {
		return refused(err)
	}
	_, err = io.WriteString(temp, text)
	err = errors.Join(err, temp.Chmod(info.Mode().Perm()), temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), file)
	}
	if err != nil {
		return refused(errors.Join(err, os.Remove(temp.Name())))
	}
	return nil
}

func (a *app) flowExplainCommand() *cobra.Command {
	var stage, at string
	var f flowFlags
	c := &cobra.Command{
		Use:   "explain FLOW",
		Short: "Show what a script means, at each stage of its way to the engine",
		Long: `Print what becomes of a flow:
  --stage ast   the tree that is read of the script: transformations, settings and expressions, each with its place
  --stage plan  the steps that it is bound to, with the columns of its files, their types and where they are from
  --stage sql   the program that the engine executes for a transformation` + exitCodes,
		Example: `  landfall flow explain orders.dfs --stage ast
  landfall flow explain template.json#orders --stage ast --json
  landfall flow explain orders.dfs --stage plan --source RawOrders=raw
  landfall flow explain orders.dfs --stage sql --source RawOrders=raw --at TypedOrders`,
		Args: args(1, 1, "FLOW"),
		RunE: func(c *cobra.Command, args []string) error {
			switch stage {
			case "ast":
				return a.flowTree(args[0])
			case "plan", "sql":
				return a.flowProgram(c.Context(), args[0], f, stage, at)
			}
			return diag.New(diag.Usage, "found --stage %s, want ast, plan or sql", diag.Quote(stage)).Hinted("see: landfall flow explain --help")
		},
	}
	c.Flags().StringVar(&stage, "stage", "plan", "which stage to show: ast, plan, sql")
	f.add(c)
	c.Flags().StringVar(&at, "at", "", "the transformation whose program is shown (default: the only sink)")
	return c
}

// flowProgram prints the plan of a flow, or the program of one of its transformations.
func (a *app) flowProgram(ctx context.Context, arg string, f flowFlags, stage, at string) (err error) {
	f.at = at
	o, err := a.openFlow(ctx, arg, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	text := o.Plan.String()
	if stage == "sql" {
		stream, err := streamOf(o, at)
		if err != nil {
			return err
		}
		if text, err = o.Program(stream); err != nil {
			return err
		}
	}
	text = strings.TrimSuffix(text, "\n") + "\n"
	if a.json {
		return a.print(map[string]any{"flow": o.Name(), "stage": stage, "text": text})
	}
	_, err = io.WriteString(a.stdout, text)
	return err
}

// flowTree prints the trees of data flows.
func (a *app) flowTree(arg string) error {
	all, err := flows(arg)
	if err != nil {
		return err
	}
	scripts, err := parsed(all)
	if err != nil {
		return err
	}
	for i, f := range all {
		tree := syntax.Tree(f.File, scripts[i])
		switch {
		case a.json:
			err = a.print(map[string]any{"flow": f.Name, "file": f.File.Name, "stage": "ast", "tree": strings.Split(strings.TrimSuffix(tree, "\n"), "\n")})
		case len(all) > 1:
			_, err = fmt.Fprintf(a.stdout, "data flow %s\n%s", f.Name, tree)
		default:
			_, err = io.WriteString(a.stdout, tree)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
