package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/project"
	"landfall/internal/source"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/table/delta"
)

// target is one source whose table and state a command reads.
type target struct {
	name  string
	data  store.Store
	state *state.State
}

// selector holds the flags that say which sources a command is about.
type selector struct {
	table, source string
}

func (s *selector) flags(c *cobra.Command) {
	c.Flags().StringVar(&s.table, "table", "", "the table's folder, for sources without a project")
	c.Flags().StringVar(&s.source, "source", "", "one source of a table that has several")
}

// targets returns the sources that a command is about: those of --table, or
// those of the project that names give (all without names). Their files need
// not be there.
func (a *app) targets(ctx context.Context, s selector, names []string) ([]target, error) {
	if s.source != "" {
		names = append(slices.Clone(names), s.source) // behind them may stand another argument
	}
	if s.table != "" {
		return tableTargets(ctx, s.table, names)
	}
	if len(names) == 2 && s.source == "" {
		named, err := a.inProject(names)
		if err != nil {
			return nil, err
		}
		if !named && isFolder(names[1]+"/_delta_log") {
			return folderTargets(ctx, names[0], names[1])
		}
	}
	p, err := a.loadProject()
	if err != nil {
		return nil, a.tabled(err)
	}
	wanted, err := chosen(p.Sources, nameOf, names)
	if err != nil {
		return nil, err
	}
	var all []target
	for _, src := range wanted {
		f, err := fromProject(p, src)
		if err != nil {
			return nil, err
		}
		t, err := a.projectTarget(ctx, f)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// projectTarget returns a source of the project with the state that landing finds:
// it may be older than the project and have the name of the folder. Where landing
// stops, since the folder has landed under another name or with its state in another
// place, that state is read: an empty one would say that nothing has happened.
func (a *app) projectTarget(ctx context.Context, f feed) (target, error) {
	files, err := openStore(f.folder)
	if err != nil {
		return target{}, err
	}
	data, err := openStore(f.to)
	if err != nil {
		return target{}, err
	}
	t := target{name: f.name, data: data}
	if t.state, _, _, err = a.stateOf(ctx, data, files.URL(""), f); err != nil {
		return target{}, err
	}
	if ids, err := t.state.Identities(ctx); err != nil || len(ids) > 0 {
		return t, err
	}
	other, err := source.Twins{
		Data: data, Table: delta.Open(data, delta.Options{}), Root: files.URL(""), Own: t.state.URL(),
		Siblings: f.siblings, Open: openStore, Folders: folders{},
	}.Other(ctx)
	if err == nil && other.Store != nil {
		t.state = state.New(other.Store)
	}
	return t, err
}

// tabled names the way without a project of commands that take --table.
func (a *app) tabled(err error) error {
	var d *diag.Diagnostic
	if a.project == "" && diag.CodeOf(err) == diag.NoProject && errors.As(err, &d) {
		return d.Hinted("without a project, name the table: --table PATH; or name the project: --project FILE")
	}
	return err
}

func nameOf(s project.Source) string { return s.Name }

// chosen returns those of all that names give, or all without names. A name
// that none of them has is refused.
func chosen[T any](all []T, name func(T) string, names []string) ([]T, error) {
	if len(names) == 0 {
		return all, nil
	}
	known := make([]string, len(all))
	var out []T
	for i, x := range all {
		if known[i] = name(x); slices.Contains(names, known[i]) {
			out = append(out, x)
		}
	}
	for _, n := range names {
		if !slices.Contains(known, n) {
			return nil, diag.New(diag.Usage, "found %s, want the name of a source", diag.Quote(n)).
				Hinted("the sources here: %s", strings.Join(known, ", "))
		}
	}
	return out, nil
}

// isFolder tells whether a local folder is there.
func isFolder(at string) bool {
	if p, ok := localPath(at); ok {
		at = p
	}
	info, err := os.Stat(at)
	return err == nil && info.IsDir()
}

// folderTargets returns the sources that have landed a folder in a table.
func folderTargets(ctx context.Context, from, table string) ([]target, error) {
	listed, _ := divide(from)
	files, err := openStore(listed)
	if err != nil {
		return nil, err
	}
	all, err := tableTargets(ctx, table, nil)
	if err != nil {
		return nil, err
	}
	var out []target
	for _, t := range all {
		ids, err := t.state.Identities(ctx)
		if err != nil {
			return nil, err
		}
		if root := ids[len(ids)-1].Root; root == files.URL("") || (folders{}).Same(root, files.URL("")) {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		return nil, diag.New(diag.Usage, "the folder %s has not landed in this table", diag.Quote(from)).In(diag.Place{File: table}).
			Hinted("see what has: landfall files --table %s", table)
	}
	return out, nil
}

// tableTargets returns the sources of a table: those that names give, or all
// without names.
func tableTargets(ctx context.Context, table string, names []string) ([]target, error) {
	data, err := openStore(table)
	if err != nil {
		return nil, err
	}
	found, err := source.All(ctx, data, delta.Open(data, delta.Options{}), openStore)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		if maker, err := makerOf(ctx, data); err == nil && maker != "" {
			return nil, diag.New(diag.TableMissing, "pipeline %s makes this table, and no files are landed here", maker).
				In(diag.Place{File: data.URL("")}).Hinted("see what its batches did: landfall events --table %s", table)
		}
		return nil, diag.New(diag.TableMissing, "nothing was landed here by landfall").
			In(diag.Place{File: data.URL("")}).
			Hinted("land a folder into it: landfall land FOLDER %s", table)
	}
	all := make([]target, len(found))
	for i, at := range found {
		all[i] = target{at.Identity.Name, data, state.New(at.Store)}
	}
	return chosen(all, func(t target) string { return t.name }, names)
}
