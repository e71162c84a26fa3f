package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/format"
	"landfall/internal/land"
	"landfall/internal/reread"
)

// rereadFlags are those of commands that lay a table beside its files.
type rereadFlags struct {
	landFlags
	table string
}

func (f *rereadFlags) flags(c *cobra.Command) {
	f.landFlags.flags(c)
	c.Flags().StringVar(&f.table, "table", "", "the table's folder, for sources without a project")
}

// rereadable is a source whose files can be read as when they landed.
type rereadable struct {
	source land.Source
	// name is what a project calls it, "" without one; where names it to other
	// commands.
	name, where string
}

// objects says how the files of the source are read.
func (r rereadable) objects() reread.Source {
	s := r.source
	return reread.Source{
		Files: s.Files, Tree: s.Tree, Forms: s.Forms, Policy: s.Policy,
		Decode: func(ctx context.Context, path string, in reread.Input) (format.Reader, error) {
			if s.Decode == nil {
				return nil, diag.New(diag.NoFormat, "nothing tells the format of the files").In(diag.Place{File: s.Files.URL("")})
			}
			return s.Decode(ctx, path, in)
		},
	}
}

// rereadable returns the sources that the arguments name: one of the project, that
// of FOLDER TABLE, or those of --table. All land in one table.
func (a *app) rereadable(ctx context.Context, f rereadFlags, args []string) ([]rereadable, error) {
	feeds, err := a.rereadFeeds(ctx, f, args)
	if err != nil {
		return nil, err
	}
	var all []rereadable
	for _, one := range feeds {
		s, err := a.build(ctx, one)
		if err != nil {
			return nil, err
		}
		r := rereadable{source: s, where: one.where(s.Data.URL(""))}
		if one.project {
			r.name = s.Name
		}
		ids, err := s.State.Identities(ctx)
		if err != nil {
			return nil, err
		}
		if len(ids) == 0 {
			return nil, diag.New(diag.TableMissing, "source %s has landed nothing yet", s.Name).
				In(diag.Place{File: s.Data.URL("")}).Hinted("land it: landfall land %s", s.Args)
		}
		all = append(all, r)
	}
	return all, nil
}

func (a *app) rereadFeeds(ctx context.Context, f rereadFlags, args []string) ([]feed, error) {
	if f.table == "" {
		if len(args) == 0 {
			return nil, diag.New(diag.Usage, "found no source, want the name of one, FOLDER TABLE, or --table")
		}
		feeds, err := a.feeds(f.landFlags, args)
		if err == nil && len(feeds) != 1 {
			err = diag.New(diag.Usage, "found %d sources, want one", len(feeds)).Hinted("name one of %s", strings.Join(args, ", "))
		}
		return feeds, err
	}
	if f.source != "" {
		args = append(args, f.source)
	}
	ts, err := tableTargets(ctx, f.table, args)
	if err != nil {
		return nil, err
	}
	var feeds []feed
	for _, t := range ts {
		one, err := a.revised(ctx, reviseFlags{landFlags: f.landFlags, table: f.table}, []string{t.name})
		if err != nil {
			return nil, err
		}
		feeds = append(feeds, one)
	}
	return feeds, nil
}
