package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/pipeline/record"
	"landfall/internal/report"
	"landfall/internal/store"
	"landfall/internal/table"
	"landfall/internal/table/delta"
	"landfall/internal/vacuum"
)

func (a *app) vacuumCommand() *cobra.Command {
	var s selector
	var dry bool
	keep := vacuum.Keep
	c := &cobra.Command{
		Use:   "vacuum [SOURCE|PIPELINE…]",
		Short: "Remove files of attempts that did not become part of a table",
		Long: `Remove data files and records of attempts that lost: runs that died or met
another writer, of sources and of pipelines. Files that a commit of the table ever named are not touched
(Delta's own VACUUM is for those), nor are files of batches that are still
open, nor anything younger than --older-than by the store's clock.` + exitCodes,
		Example: `  landfall vacuum --dry-run
  landfall vacuum --table lake/orders`,
		RunE: func(c *cobra.Command, names []string) error {
			if keep < time.Hour {
				return diag.New(diag.Usage, "found --older-than %s, want at least 1h", keep).
					Hinted("a run that is still writing needs its files")
			}
			ts, made, err := a.vacuumed(c.Context(), s, names)
			if err != nil {
				return err
			}
			for _, m := range made {
				done, err := record.Sweep(c.Context(), m.name, m.data, a.flowTable(m.data), keep, dry)
				if err != nil {
					return err
				}
				if err := a.printVacuumed(done); err != nil {
					return err
				}
			}
			for _, t := range ts {
				src := vacuum.Source{Name: t.name, Data: t.data, State: t.state, Table: delta.Open(t.data, delta.Options{})}
				done, err := vacuum.Run(c.Context(), src, keep, dry)
				if err != nil {
					return err
				}
				if err := a.printVacuumed(done); err != nil {
					return err
				}
			}
			return nil
		},
	}
	s.flags(c)
	c.Flags().BoolVar(&dry, "dry-run", false, "only say what would be removed")
	c.Flags().DurationVar(&keep, "older-than", vacuum.Keep, "spare files younger than this")
	return c
}

// vacuumed are the sources and the tables of pipelines that are meant.
func (a *app) vacuumed(ctx context.Context, s selector, names []string) ([]target, []namedTable, error) {
	if s.table != "" {
		data, err := openStore(s.table)
		if err != nil {
			return nil, nil, err
		}
		if maker, err := makerOf(ctx, data); err != nil {
			return nil, nil, err
		} else if maker != "" {
			return nil, []namedTable{{maker + "." + path.Base(data.URL("")), data}}, nil
		}
		ts, err := a.targets(ctx, s, names)
		return ts, nil, err
	}
	p, wanted, rest, err := a.pipelinesOf(names, nil)
	if err != nil {
		return nil, nil, err
	}
	var made []namedTable
	for _, x := range wanted {
		all, err := a.datasetsOf(ctx, p, x)
		if err != nil {
			return nil, nil, err
		}
		for _, m := range all {
			if maker, err := makerOf(ctx, m.data); err != nil {
				return nil, nil, err
			} else if maker == x.Name {
				made = append(made, m.namedTable)
			}
		}
	}
	if len(rest) == 0 && s.source == "" && len(names) > 0 {
		return nil, made, nil
	}
	ts, err := a.targets(ctx, s, rest)
	return ts, made, err
}

// makerOf is the pipeline that makes the table of a store, "" for none.
func makerOf(ctx context.Context, data store.Store) (string, error) {
	snap, err := delta.Open(data, delta.Options{}).Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		return "", nil
	}
	if err != nil {
		return "", table.Fault(data.URL(""), err)
	}
	return record.Maker(snap), nil
}

func (a *app) printVacuumed(v vacuum.Report) error {
	if a.json {
		return a.print(v)
	}
	verb := "removed"
	if v.DryRun {
		verb = "would remove"
	}
	_, err := fmt.Fprintf(a.stdout, "%s  %s %s of lost attempts, %s\n", v.Source, verb, report.Plural(int64(len(v.Files)), "file"), report.Bytes(v.Bytes))
	return err
}
