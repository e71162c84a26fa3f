package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/land"
	"landfall/internal/state"
	"landfall/internal/store"
)

// target is one source whose table and state a command reads.
type target struct {
	name  string
	table string
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
// those of the project that names give (all without names).
func (a *app) targets(ctx context.Context, s selector, names []string) ([]target, error) {
	if s.table != "" {
		return tableTargets(ctx, s)
	}
	p, err := a.loadProject()
	if err != nil {
		return nil, err
	}
	var all []target
	for _, src := range p.Sources {
		if !selected(src.Name, names, s.source) {
			continue
		}
		f, err := a.fromProject(ctx, p, src)
		if err != nil {
			return nil, err
		}
		all = append(all, target{src.Name, src.Table, f.Data, f.State})
	}
	if len(all) == 0 {
		return nil, diag.New(diag.Usage, "the project has no source of that name").
			Hinted("its sources stand in landfall.yaml under sources:")
	}
	return all, nil
}

func selected(name string, names []string, source string) bool {
	if source != "" && name != source {
		return false
	}
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return len(names) == 0
}

// tableTargets returns the sources that keep their state beside a table.
func tableTargets(ctx context.Context, s selector) ([]target, error) {
	data, err := openStore(s.table)
	if err != nil {
		return nil, err
	}
	found, err := land.States(ctx, data)
	if err != nil {
		return nil, err
	}
	var all []target
	for _, at := range found {
		if s.source != "" && at.Identity.Name != s.source {
			continue
		}
		all = append(all, target{at.Identity.Name, s.table, data, state.New(store.Below(data, at.Folder))})
	}
	if len(all) == 0 {
		return nil, diag.New(diag.TableMissing, "nothing was landed here by landfall").
			In(diag.Place{File: data.URL("")}).
			Hinted("land a folder into it: landfall land FOLDER %s", s.table)
	}
	return all, nil
}

// plural returns "1 file", "2 files".
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
