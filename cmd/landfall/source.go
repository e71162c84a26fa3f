package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
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

// fromProject builds a source of the project. Its paths are relative to the
// project file.
func (a *app) fromProject(ctx context.Context, p *project.Project, s project.Source) (land.Source, error) {
	if len(s.PartitionBy) > 0 {
		return land.Source{}, diag.New(diag.BadOption, "source %s: partitionBy is not supported yet", s.Name).In(s.At).
			Hinted("leave it out: folders such as dt=2026-10-01 become columns either way")
	}
	dir := filepath.Dir(p.File)
	return a.build(ctx, feed{
		name: s.Name, stateName: s.Name, from: under(dir, s.Path), to: under(dir, s.Table),
		options: s.Options, policy: s.Policy, digest: s.Digest(),
	})
}

// fromArgs builds a source that no project describes.
func (a *app) fromArgs(ctx context.Context, f landFlags, from, to string) (land.Source, error) {
	values := map[string]project.Value{}
	for _, o := range f.options {
		key, text, ok := strings.Cut(o, "=")
		if !ok {
			return land.Source{}, diag.New(diag.Usage, "found --option %s, want key=value", diag.Quote(o))
		}
		values[key] = project.Value{Text: text, At: diag.Place{File: "--option"}, Key: diag.Place{File: "--option"}}
	}
	if f.format != "" {
		values["cloudFiles.format"] = project.Value{Text: f.format, At: diag.Place{File: "--format"}}
	}
	options, err := project.ParseOptions(values)
	if err != nil {
		return land.Source{}, err
	}
	return a.build(ctx, feed{
		name: f.source, stateName: f.source, from: from, to: to, options: options,
		policy: options.Policy, digest: options.Digest(), moved: f.moved,
	})
}

// feed is what is known of a source before its stores are opened.
type feed struct {
	name, stateName string
	from, to        string
	options         project.Options
	policy          contract.Policy
	digest          string
	moved           bool
}

// build opens a source's stores and wires them.
func (a *app) build(ctx context.Context, f feed) (land.Source, error) {
	folder, pattern := project.SplitGlob(f.from)
	files, err := openStore(folder)
	if err != nil {
		return land.Source{}, err
	}
	data, err := openStore(f.to)
	if err != nil {
		return land.Source{}, err
	}
	if a.wrap != nil {
		data = a.wrap(data)
	}
	sel, err := selection(f.options, pattern)
	if err != nil {
		return land.Source{}, err
	}
	s := land.Source{
		Name: f.name, Files: files, Data: data, Policy: f.policy, Select: sel, Digest: f.digest,
		Limits: land.Limits{Files: f.options.MaxFiles, Bytes: f.options.MaxBytes},
		Table:  delta.Open(data, delta.Options{Now: a.now, Note: a.warn}),
		Moved:  f.moved, Decode: decoder(f.options), Notes: f.options.Notes,
	}
	if s.Name == "" {
		s.Name = path.Base(strings.TrimSuffix(files.URL(""), "/"))
	}
	if err := a.place(ctx, &s, f); err != nil {
		return land.Source{}, err
	}
	return s, a.chooseFormat(ctx, &s, f.options.Format)
}

// place finds the source's state: beside the table, or where an option puts it.
func (a *app) place(ctx context.Context, s *land.Source, f feed) error {
	if at := f.options.State; at != "" {
		kept, err := openStore(at)
		if err != nil {
			return err
		}
		s.State, s.StateKey = state.New(kept), kept.URL("")
		return nil
	}
	key, err := land.Locate(ctx, s.Data, s.Files.URL(""), f.stateName, f.moved)
	if err != nil {
		return err
	}
	s.State, s.StateKey = state.New(store.Below(s.Data, key)), key
	return nil
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
			return false, "its name tells no data format; name one: --format " + want
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

// decoder returns the decoder of CSV files with the source's settings.
func decoder(o project.Options) land.Decoder {
	return func(ctx context.Context, name string, in land.Input) (format.Reader, error) {
		var opts csv.Options
		for _, s := range o.Decoder {
			if _, err := opts.Set(s.Name, s.Value.Text); err != nil {
				return nil, s.Value.Locate(err)
			}
		}
		return csv.Open(ctx, name, in, opts)
	}
}

// under makes a local path of the project absolute.
func under(dir, p string) string {
	if strings.Contains(p, "://") || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(dir, p)
}
