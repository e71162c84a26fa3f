package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/drill"
	"landfall/internal/project"
)

// drillFlags are those of landfall drill.
type drillFlags struct {
	files int
	keep  bool
	every int
	// sweep lets the process die at every call, and does nothing else.
	sweep bool
}

func (a *app) drillCommand() *cobra.Command {
	var f drillFlags
	c := &cobra.Command{
		Use:   "drill [SOURCE]",
		Short: "Break copies of a source's newest files on purpose, and see what the set-up does",
		Long: `Run the project in a sandbox, with copies of a source's newest files, and break them as
vendors do: a column more, a text among numbers, names in another casing, a column less, a
file cut short, a file delivered twice, a process that dies. Each step says what was found
and what was wanted, and what of the set-up is incomplete: whether anybody would have been
told.

Options, policies, pipelines and rules of alerts are the project's own. Nothing of the
project is written: tables, state and alerts are the sandbox's.` + exitCodes,
		Example: `  landfall drill
  landfall drill trips --files 3
  landfall drill trips --json
  landfall drill trips --break
  landfall drill trips --keep`,
		Args: args(0, 1, "at most one SOURCE"),
		RunE: func(c *cobra.Command, args []string) error {
			if f.sweep && c.Flags().Changed("every") {
				return diag.New(diag.Usage, "found --break and --every").Hinted("--break takes each call; --every goes with the whole drill")
			}
			return a.drill(c.Context(), args, f)
		},
	}
	c.Flags().IntVar(&f.files, "files", 1, "how many of the newest files are copied")
	c.Flags().BoolVar(&f.keep, "keep", false, "leave the sandbox, and say where it is")
	c.Flags().BoolVar(&f.sweep, "break", false, "the crash sweep alone: let the process die at each call to the stores of the table, and compare the rows with those of a landing that nothing disturbed")
	c.Flags().IntVar(&f.every, "every", 9, "let the process die at each Nth call to a store; 1 is each")
	return c
}

// drillStep is a step of a drill and how it went.
type drillStep struct {
	Step string `json:"step"`
	// Outcome is passed, failed, or skipped where there is nothing to break.
	Outcome string `json:"outcome"`
	Found   string `json:"found"`
	Wanted  string `json:"wanted,omitempty"`
	Hint    string `json:"hint,omitempty"`
}

// drill runs the steps for one source.
func (a *app) drill(ctx context.Context, args []string, f drillFlags) (err error) {
	p, err := a.loadProject()
	if err != nil {
		return err
	}
	if f.files < 1 || f.every < 1 {
		return diag.New(diag.Usage, "found --files %d and --every %d, want at least 1", f.files, f.every)
	}
	if len(args) == 0 && len(p.Sources) != 1 {
		return diag.New(diag.Usage, "found %d sources, want the name of one", len(p.Sources)).Hinted("landfall drill %s", strings.Join(p.Names(), " | "))
	}
	if f.sweep {
		f.every = 1
	}
	wanted, err := chosen(p.Sources, nameOf, args)
	if err != nil {
		return err
	}
	s, err := a.newSandbox(ctx, p, wanted[0], f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(f.keep)) }()
	run := s.steps
	if f.sweep {
		run = s.sweep
	}
	steps, err := run(ctx)
	if err != nil {
		return err
	}
	return a.printDrill(s, steps, f)
}

// printDrill prints the steps; one that failed is the command's error.
func (a *app) printDrill(s *sandbox, steps []drillStep, f drillFlags) error {
	failed, skipped := 0, 0
	for _, st := range steps {
		switch st.Outcome {
		case "failed":
			failed++
		case "skipped":
			skipped++
		}
	}
	if a.json {
		doc := struct {
			Source  string      `json:"source"`
			File    string      `json:"file"`
			Sandbox string      `json:"sandbox,omitempty"`
			Steps   []drillStep `json:"steps"`
			Failed  int         `json:"failed"`
		}{s.source.Name, s.newest, "", steps, failed}
		if f.keep {
			doc.Sandbox = s.dir
		}
		data, err := json.Marshal(doc)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(a.stdout, "%s\n", data); err != nil {
			return err
		}
	} else if err := a.drillText(s, steps, len(steps)-failed-skipped, f); err != nil {
		return err
	}
	if failed > 0 {
		return diag.New(diag.DrillFailed, "%d of %d steps of the drill failed", failed, len(steps)).In(s.source.At).
			Hinted("the lines with ✗ say what the set-up lacks")
	}
	return nil
}

func (a *app) drillText(s *sandbox, steps []drillStep, passed int, f drillFlags) error {
	var out strings.Builder
	fmt.Fprintf(&out, "sandbox of %s with %s (nothing real is touched)\n", s.source.Name, s.newest)
	for _, st := range steps {
		mark := map[string]string{"passed": "✓", "failed": "✗", "skipped": "·"}[st.Outcome]
		fmt.Fprintf(&out, "  %s %-28s  %s\n", mark, st.Step, st.Found)
		if st.Outcome == "failed" {
			fmt.Fprintf(&out, "      wanted: %s\n      hint: %s\n", st.Wanted, st.Hint)
		}
	}
	fmt.Fprintf(&out, "  %d of %d passed\n", passed, len(steps))
	if f.keep {
		fmt.Fprintf(&out, "  the sandbox is in %s\n", s.dir)
	}
	_, err := fmt.Fprint(a.stdout, out.String())
	return err
}

// sandbox is a project of its own with copies of files.
type sandbox struct {
	*app
	source project.Source
	// dir is the sandbox's folder, copies of the copies of the source's files.
	dir, copies string
	// newest is the file that is broken, format its format.
	newest, format string
	every          int
	// number counts the broken copies, told the alerts that were read.
	number, told int
	// usual are the alerts that the files bring as they are.
	usual map[string]bool
	// pipelines tells that the project has some, alerts that people are told.
	pipelines, alerts bool
}

// newSandbox copies what a drill needs.
func (a *app) newSandbox(ctx context.Context, p *project.Project, src project.Source, f drillFlags) (*sandbox, error) {
	dir, err := os.MkdirTemp("", "landfall-drill-")
	if err != nil {
		return nil, fmt.Errorf("make a sandbox: %w", err)
	}
	s := &sandbox{source: src, dir: dir, pipelines: len(p.Pipelines) > 0, alerts: p.HasAlerts(), every: f.every}
	s.app = &app{stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}, now: a.now, newID: a.newID, json: true, project: filepath.Join(dir, "landfall.yaml")}
	if err := s.fill(ctx, p, f.files); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

func (s *sandbox) close(keep bool) error {
	if keep {
		return nil
	}
	return os.RemoveAll(s.dir)
}

// fill writes the sandbox's project file and copies the newest files of each source.
func (s *sandbox) fill(ctx context.Context, p *project.Project, files int) error {
	data, err := os.ReadFile(p.File)
	if err != nil {
		return err
	}
	real := absolute(filepath.Dir(p.File))
	s.real = real
	text, err := drill.Project(data, drill.Places{
		Source: func(name, path string) (string, string) {
			_, pattern := divide(path)
			return filepath.Join("landing", name, filepath.FromSlash(pattern)), filepath.Join("lake", name)
		},
		Target: func(name string) string { return filepath.Join("lake", "pipelines", name) },
		SQL:    func(pattern string) string { return under(real, pattern) },
		Alerts: "alerts.ndjson",
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.project, text, 0o600); err != nil {
		return err
	}
	for _, src := range p.Sources {
		found, format, err := newestFiles(ctx, p, src, files)
		if src.Name != s.source.Name && diag.CodeOf(err) == diag.FolderMissing {
			continue // another source has no files yet
		}
		if err != nil {
			return err
		}
		to := filepath.Join(s.dir, "landing", src.Name)
		for _, f := range found {
			if err := copyFile(f.path, filepath.Join(to, filepath.FromSlash(f.key))); err != nil {
				return err
			}
		}
		if src.Name == s.source.Name {
			if len(found) == 0 {
				return diag.New(diag.FolderMissing, "source %s has no file to copy", src.Name).In(src.At).Hinted("put a file into its folder")
			}
			s.copies, s.newest, s.format = to, found[len(found)-1].key, format
		}
	}
	return s.decisions(real)
}

// decisions copies what people decided.
func (s *sandbox) decisions(real string) error {
	data, err := os.ReadFile(filepath.Join(real, project.DecisionsFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, project.DecisionsFile), data, 0o600)
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}
