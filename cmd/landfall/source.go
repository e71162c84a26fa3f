package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/format"
	"landfall/internal/format/csv"
	"landfall/internal/land"
	"landfall/internal/project"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/table/delta"
)

const projectFile = "landfall.yaml"

// loadProject reads the project file: that of --project, or the one in this
// folder or the nearest above.
func (a *app) loadProject() (*project.Project, error) {
	file := a.project
	if file == "" {
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		for ; file == ""; dir = filepath.Dir(dir) {
			if _, err := os.Stat(filepath.Join(dir, projectFile)); err == nil {
				file = filepath.Join(dir, projectFile)
			} else if dir == filepath.Dir(dir) {
				return nil, diag.New(diag.NoProject, "found no %s in this folder or above", projectFile).
					Hinted("land without a project: landfall land FOLDER TABLE; or name one: --project FILE")
			}
		}
	}
	data, err := os.ReadFile(file) //nolint:gosec // the user names it
	if errors.Is(err, fs.ErrNotExist) {
		return nil, diag.New(diag.NoProject, "there is no such project file").In(diag.Place{File: file}).Because(err)
	}
	if err != nil {
		return nil, err
	}
	return project.Load(file, data)
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
	decode   land.Decoder
	selected land.Selection
	moved    bool
	// args are what names the source on a command line; project tells that it
	// is one of the project's.
	args    string
	project bool
	// siblings are the other sources of the project.
	siblings []string
}

// where names the source to commands that only read.
func (f feed) where(table string) string {
	if f.project {
		return f.name
	}
	return "--table " + shown(table)
}

// fromProject describes a source of the project. Its paths are relative to the
// project file.
func fromProject(p *project.Project, s project.Source) (feed, error) {
	if len(s.PartitionBy) > 0 {
		return feed{}, diag.New(diag.BadOption, "source %s: partitionBy is not supported yet", s.Name).In(s.At).
			Hinted("leave it out: folders such as dt=2026-10-01 become columns either way")
	}
	dir := filepath.Dir(p.File)
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
	values := map[string]project.Value{}
	for _, o := range f.options {
		key, text, ok := strings.Cut(o, "=")
		if !ok {
			return feed{}, diag.New(diag.Usage, "found --option %s, want key=value", diag.Quote(o)).
				Hinted("options and their values: docs/options.md")
		}
		values[key] = project.Value{Text: text, At: diag.Place{File: "--option"}, Key: diag.Place{File: "--option"}}
	}
	if f.format != "" {
		values["cloudFiles.format"] = project.Value{Text: f.format, At: diag.Place{File: "--format"}}
	}
	options, err := project.ParseOptions(values)
	if err != nil {
		return feed{}, err
	}
	return feed{
		name: f.source, from: from, to: to, options: options, policy: options.Policy,
		digest: options.Digest(), moved: f.moved, args: quoted(from) + " " + quoted(to),
	}.checked()
}

// checked settles what needs no store, so that what a person wrote wrong stops
// the command before anything lands.
func (f feed) checked() (_ feed, err error) {
	if f.decode, err = decoder(f.options); err != nil {
		return f, err
	}
	_, pattern := project.SplitGlob(f.from)
	f.selected, err = selection(f.options, pattern)
	return f, err
}

// build opens a source's stores and wires them.
func (a *app) build(ctx context.Context, f feed) (land.Source, error) {
	folder, _ := project.SplitGlob(f.from)
	files, err := openStore(folder)
	if err != nil {
		return land.Source{}, err
	}
	data, err := a.openTable(f.to)
	if err != nil {
		return land.Source{}, err
	}
	s := land.Source{
		Name: f.name, Args: f.args, Files: files, Data: data, Policy: f.policy, Select: f.selected, Digest: f.digest,
		Limits: land.Limits{Files: f.options.MaxFiles, Bytes: f.options.MaxBytes},
		Table:  delta.Open(data, delta.Options{Now: a.now, Note: a.warn}),
		Moved:  f.moved, Decode: f.decode, Notes: f.options.Notes,
	}
	if s.Name == "" {
		s.Name = path.Base(strings.TrimSuffix(files.URL(""), "/"))
	}
	if err := apart(files.URL(""), data.URL("")); err != nil {
		return land.Source{}, err
	}
	var root string
	if s.State, s.StateKey, root, err = stateOf(ctx, data, files.URL(""), f); err != nil {
		return land.Source{}, err
	}
	if (folders{}).Same(root, files.URL("")) {
		// The path that it was landed under, so that its rows are found again.
		if s.Files, err = openStore(root); err != nil {
			return land.Source{}, err
		}
	}
	ids, err := s.State.Identities(ctx)
	if err == nil && len(ids) == 0 {
		err = land.Twin(ctx, data, s.Table, s.Files.URL(""), f.siblings, openStore, folders{})
	}
	if err != nil {
		return land.Source{}, err
	}
	return s, a.chooseFormat(ctx, &s, f.options.Format)
}

// openTable opens the store of a table's folder.
func (a *app) openTable(at string) (store.Store, error) {
	data, err := openStore(at)
	if err == nil && a.wrap != nil {
		data = a.wrap(data)
	}
	return data, err
}

// apart refuses a table within the source's folder: its data files would be
// taken for the feed's.
func apart(files, data string) error {
	if !strings.HasPrefix(data+"/", strings.TrimSuffix(files, "/")+"/") {
		return nil
	}
	return diag.New(diag.Usage, "the table lies in the source's folder").In(diag.Place{File: data}).
		Hinted("give the table a folder of its own, beside that of the files")
}

// stateOf finds a source's state. The key is its place beside the table, or its
// URL where an option puts it elsewhere; root is the one on record, "" if there
// is none or it does not matter.
func stateOf(ctx context.Context, data store.Store, files string, f feed) (st *state.State, key, root string, err error) {
	if at := f.options.State; at != "" {
		kept, err := openStore(at)
		if err != nil {
			return nil, "", "", err
		}
		return state.New(kept), kept.URL(""), "", nil
	}
	at, err := land.Locate(ctx, data, files, f.name, f.moved, folders{})
	if err != nil {
		return nil, "", "", err
	}
	return state.New(store.Below(data, at.Folder)), at.Folder, at.Identity.Root, nil
}

// chooseFormat settles the format of the files: as given, as on record, or as
// most names in the folder say.
func (a *app) chooseFormat(ctx context.Context, s *land.Source, given string) error {
	s.Format = given
	if given == "" {
		ids, err := s.State.Identities(ctx)
		if err != nil {
			return err
		}
		if len(ids) > 0 {
			s.Format = ids[len(ids)-1].FileFormat
		} else if s.Format, err = land.ChooseFormat(ctx, s.Files, s.Select); err != nil {
			return err
		}
		s.Select.Takes = takes(s.Format)
	}
	if _, err := s.Files.Stat(ctx, "_delta_log/00000000000000000000.json"); err == nil {
		return diag.New(diag.Usage, "the source is a Delta table").In(diag.Place{File: s.Files.URL("")}).
			Hinted("the order is FOLDER TABLE; a table is read with: landfall query --table")
	}
	if s.Format != "" && s.Format != "csv" {
		return diag.New(diag.NoFormat, "the files are %s, and only csv can be landed yet", s.Format).
			In(diag.Place{File: s.Files.URL("")}).
			Hinted("if they are delimited text, say so: --format csv")
	}
	return nil
}

// takes selects files by what their names tell of their format.
func takes(want string) func(string) (bool, string) {
	return func(name string) (bool, string) {
		switch found := format.ByName(name); found {
		case want:
			return true, ""
		case "":
			return false, format.Unnamed(name)
		default:
			return false, "it is " + found + ", this source lands " + want
		}
	}
}

func selection(o project.Options, pattern string) (land.Selection, error) {
	sel := land.Selection{Match: o.Match, Flat: o.Flat, After: o.After, Before: o.Before, NewOnly: o.NewOnly}
	if pattern == "" {
		return sel, nil
	}
	g, err := project.ParseGlob(pattern)
	sel.Match = func(file string) bool { return g.MatchUnder(file) && o.Match(file) }
	return sel, err
}

// decoder returns the decoder of CSV files with the source's settings, which it
// tries on an empty file.
func decoder(o project.Options) (land.Decoder, error) {
	var opts csv.Options
	for _, s := range o.Decoder {
		if _, err := opts.Set(s.Name, s.Value.Text); err != nil {
			return nil, s.Value.Locate(err)
		}
	}
	_, err := csv.Open(context.Background(), "", strings.NewReader(""), opts)
	if diag.CodeOf(err) == diag.BadOption {
		return nil, err
	}
	return func(ctx context.Context, name string, in land.Input) (format.Reader, error) {
		return csv.Open(ctx, name, in, opts)
	}, nil
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
