package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/report"
	"landfall/internal/table/delta"
	"landfall/internal/vacuum"
)

func (a *app) vacuumCommand() *cobra.Command {
	var s selector
	var dry bool
	keep := vacuum.Keep
	c := &cobra.Command{
		Use:   "vacuum [SOURCE…]",
		Short: "Remove files of attempts that did not become part of a table",
		Long: `Remove data files and records of attempts that lost: runs that died or met
another writer. Files that a commit of the table ever named are not touched
(Delta's own VACUUM is for those), nor are files of batches that are still
open, nor anything younger than --older-than by the store's clock.` + exitCodes,
		Example: `  landfall vacuum --dry-run
  landfall vacuum --table lake/orders`,
		RunE: func(c *cobra.Command, names []string) error {
			if keep < time.Hour {
				return diag.New(diag.Usage, "found --older-than %s, want at least 1h", keep).
					Hinted("a run that is still writing needs its files")
			}
			ts, err := a.targets(c.Context(), s, names)
			if err != nil {
				return err
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
