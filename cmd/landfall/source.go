package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/discovery"
	"landfall/internal/land"
	"landfall/internal/parquetfile"
	"landfall/internal/project"
	"landfall/internal/source"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/table/delta"
)

const projectFile = "landfall.yaml"

// loadProject reads the project file, and its decisions.
func (a *app) loadProject() (*project.Project, error) {
	file, err := a.findProject()
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file) //nolint:gosec // the user names it
	if err != nil {
		return nil, projectFault(file, err)
	}
	p, err := project.Load(file, data)
	if err != nil {
		return nil, err
	}
	return p, loadDecisions(p)
}

// findProject finds the project file: that of --project, or the one in this folder or
// the nearest above.
func (a *app) findProject() (string, error) {
	if a.project != "" {
		return a.project, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		file := filepath.Join(dir, projectFile)
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
		if dir == filepath.Dir(dir) {
			return "", diag.New(diag.NoProject, "found no %s in this folder or above", projectFile).
				Hinted("land without a project: landfall land FOLDER TABLE; or name one: --project FILE")
		}
	}
}

// loadDecisions reads the file of decisions beside a project, if there is one.
func loadDecisions(p *project.Project) error {
	file := filepath.Join(filepath.Dir(p.File), project.DecisionsFile)
	data, err := os.ReadFile(file) //nolint:gosec // beside the project file that the user named
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return projectFault(file, err)
	}
	return p.Decide(file, data)
}

// projectFault says why a project file cannot be read.
func projectFault(file string, err error) error {
	at := diag.Place{File: file}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return diag.New(diag.NoProject, "there is no such project file").In(at).Because(err)
	case errors.Is(err, syscall.EISDIR):
		return diag.New(diag.NoProject, "it is a folder, want a file").In(at).
			Hinted("name the file: --project FILE").Because(err)
	case errors.Is(err, fs.ErrPermission):
		return diag.New(diag.NoPermission, "the project file may not be read").In(at).
			Hinted("give this user the right to read it").Because(err)
	}
	return fmt.Errorf("read the project file: %w", err)
}

// feed is a source as flags or a project describe it: checked, but nothing of
// it opened yet.
type feed struct {
	// name is "" where neither says one; then the folder's counts.
	name     string
	from, to string
	options  project.Options
	policy   contract.Policy
	digest   string
	selected discovery.Selection
	// folder is the part of from that is listed, pattern what paths below it
	// must match, "" for all; takes is the pattern, nil for none.
	folder, pattern string
	takes           *project.Glob
	moved           bool
	// args are what names the source on a command line; project tells that it
	// is one of the project's.
	args    string
	project bool
	// unnamed tells that the table is one for show, which nobody named.
	unnamed bool
	// reset tells that the source begins anew, whatever became of its state.
	reset bool
	// siblings are the other sources of the project.
	siblings []string
	// told are the people that the project's alerts name, nil for nobody.
	told *bell
}

// where names the source to commands that only read.
func (f feed) where(table string) string {
	if f.project {
		return f.name
	}
	return "--table " + quoted(shown(table))
}

// fromProject describes a source of the project. Its paths are relative to the
// project file.
func fromProject(p *project.Project, s project.Source) (feed, error) {
	if len(s.PartitionBy) > 0 {
		return feed{}, diag.New(diag.BadOption, "source %s: partitionBy is not supported yet", s.Name).In(s.At).
			Hinted("leave it out: folders such as dt=2026-10-01 become columns either way")
	}
	dir := filepath.Dir(p.File)
	if at := s.Options.State.Value.Text; at != "" {
		s.Options.State.Value.Text = under(dir, at)
	}
	return feed{
		name: s.Name, from: under(dir, s.Path), to: under(dir, s.Table),
		options: s.Options, policy: s.Policy, digest: s.Digest(), args: s.Name, project: true,
		siblings: slices.DeleteFunc(p.Names(), func(name string) bool { return name == s.Name }),
	}.checked()
}

// fromArgs describes a source that no project has.
func fromArgs(f landFlags, from, to string) (feed, error) {
	if from == "" || to == "" {
		return feed{}, diag.New(diag.Usage, "found an empty FOLDER or TABLE").Hinted("is a variable of your script not set?")
	}
	if f.source != "" && !nameable(f.source) {
		return feed{}, diag.New(diag.Usage, "found --source %s, want a name of at most 100 characters", diag.Quote(f.source)).
			Hinted("letters, digits, -, _ and . are safe everywhere")
	}
	values, err := keyValues("--option", f.options, "options and their values: docs/options.md")
	if err != nil {
		return feed{}, err
	}
	defaults := project.Ours
	if f.compat != "" {
		if defaults, err = project.ParseDefaults(project.Value{Text: f.compat, At: diag.Place{File: "--compat"}}); err != nil {
			return feed{}, err
		}
	}
	if f.format != "" {
		values["cloudFiles.format"] = project.Value{Text: f.format, At: diag.Place{File: "--format"}}
	}
	options, err := project.ParseOptions(values, defaults)
	if err != nil {
		return feed{}, err
	}
	choices, err := keyValues("--policy", f.policies, "such as file_foreign=land")
	if err != nil {
		return feed{}, err
	}
	policy, err := project.ParsePolicy(options.Policy, choices)
	if err != nil {
		return feed{}, err
	}
	return feed{
		name: f.source, from: from, to: to, options: options, policy: policy,
		digest: project.Source{Options: options, Policy: policy}.Digest(),
		moved:  f.moved, args: f.args(from, to),
	}.checked()
}

// nameable takes names of sources that can be a folder's, in the form that
// such a name gets there. They may be those of folders.
func nameable(name string) bool {
	return len([]rune(name)) <= 100 && strings.Trim(name, ".") != ""
}

// keyValues reads the values of a flag that is repeated with key=value.
func keyValues(flag string, given []string, hint string) (map[string]project.Value, error) {
	values := map[string]project.Value{}
	for _, g := range given {
		key, text, ok := strings.Cut(g, "=")
		if !ok {
			return nil, diag.New(diag.Usage, "found %s %s, want key=value", flag, diag.Quote(g)).Hinted("%s", hint)
		}
		values[key] = project.Value{Text: text, At: diag.Place{File: flag}, Key: diag.Place{File: flag}}
	}
	return values, nil
}

// checked settles what needs no store, so that what a person wrote wrong stops
// the command before anything lands.
func (f feed) checked() (_ feed, err error) {
	if err = checkDecoder(f.options); err != nil {
		return f, err
	}
	f.folder, f.pattern = divide(f.from)
	f.selected = selection(f.options)
	if f.pattern == "" {
		return f, nil
	}
	g, err := project.ParseGlob(f.pattern)
	if err != nil {
		return f, diag.New(diag.Usage, "%v", err).In(diag.Place{File: f.from}).
			Hinted("write \\ before a character that stands for itself")
	}
	match := f.selected.Match
	f.takes, f.selected.Match = &g, func(file string) bool { return g.MatchUnder(file) && match(file) }
	return f, nil
}

// written is how the data files of a source are encoded.
func written(o project.Options) (p parquetfile.Options) {
	if o.Snappy {
		p.Compression = parquetfile.Snappy
	}
	if o.Plain {
		p.Encoding = parquetfile.Plain
	}
	return p
}

// build opens a source's stores and wires them.
func (a *app) build(ctx context.Context, f feed) (land.Source, error) {
	files, err := openStore(f.folder)
	if err != nil {
		return land.Source{}, err
	}
	data, err := a.openTable(f.to)
	if err != nil {
		return land.Source{}, err
	}
	s := land.Source{
		Name: f.name, Args: f.args, Files: files, Data: data, Policy: f.policy, Select: f.selected, Digest: f.digest,
		Limits: land.Limits{Files: f.options.MaxFiles, Bytes: f.options.MaxBytes, Rewrite: f.options.MaxRewrite},
		Table:  delta.Open(data, delta.Options{Now: a.now, Note: a.warn}),
		Target: f.options.TargetSize, Parquet: written(f.options), Decodes: f.options.Decode, Trusts: f.options.Trust,
		Moved: f.moved, Forms: f.options.Forms, Notes: f.options.Notes,
	}
	if s.Name == "" {
		s.Name = baseName(files.URL(""))
	}
	if err := f.apart(files.URL(""), data.URL("")); err != nil {
		return land.Source{}, err
	}
	var root string
	if s.State, s.StateKey, root, err = a.stateOf(ctx, data, files.URL(""), f); err != nil {
		return land.Source{}, err
	}
	if (folders{}).Same(root, files.URL("")) {
		// The path that it was landed under, so that its rows are found again.
		if s.Files, err = openStore(root); err != nil {
			return land.Source{}, err
		}
	}
	ids, err := s.State.Identities(ctx)
	if err == nil && len(ids) == 0 && !f.reset {
		err = source.Astray(ctx, s.Table, openStore)
	}
	twins := source.Twins{
		Data: data, Table: s.Table, Root: s.Files.URL(""), Own: s.State.URL(),
		Siblings: f.siblings, Open: openStore, Folders: folders{},
	}
	s.Alone = func(ctx context.Context) error { return twins.Check(ctx, true) }
	if err == nil && len(ids) == 0 {
		err = twins.Check(ctx, false)
	}
	if err != nil {
		return land.Source{}, err
	}
	return s, f.chooseFormat(ctx, &s)
}

// openTable opens the store of a table's folder, or of a state elsewhere.
func (a *app) openTable(at string) (store.Store, error) {
	data, err := openStore(at)
	if err == nil && a.wrap != nil {
		data, err = a.wrap(data)
	}
	return data, err
}

// stateOf finds a source's state. The key is its place beside the table, or its
// URL where an option puts it elsewhere; root is the one on record, "" if there
// is none or it does not matter.
func (a *app) stateOf(ctx context.Context, data store.Store, files string, f feed) (st *state.State, key, root string, err error) {
	if at := f.options.State.Value.Text; at != "" {
		kept, err := a.openTable(at)
		if err != nil {
			return nil, "", "", err
		}
		if err := f.stateApart(kept.URL(""), files, data.URL("")); err != nil {
			return nil, "", "", err
		}
		return state.New(kept), kept.URL(""), "", nil
	}
	at, err := source.Locate(ctx, data, files, f.name, f.moved, folders{})
	if err != nil {
		return nil, "", "", err
	}
	return state.New(store.Below(data, at.Folder)), at.Folder, at.Identity.Root, nil
}

// args writes the arguments of a command that means the same source.
func (f landFlags) args(from, to string) string {
	args := []string{from, to}
	if f.source != "" {
		args = append(args, "--source", f.source)
	}
	if f.compat != "" {
		args = append(args, "--compat", f.compat)
	}
	if f.format != "" {
		args = append(args, "--format", f.format)
	}
	for _, o := range f.options {
		args = append(args, "--option", o)
	}
	for _, p := range f.policies {
		args = append(args, "--policy", p)
	}
	for i, a := range args {
		args[i] = quoted(a)
	}
	return strings.Join(args, " ")
}

// quoted writes an argument such that a shell takes it for one.
func quoted(arg string) string {
	if strings.ContainsAny(arg, " \t'\"$&;()[]{}*?<>|\\") {
		return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	return arg
}

// under makes a local path of the project absolute.
func under(dir, p string) string {
	if strings.Contains(p, "://") || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(dir, p)
}
