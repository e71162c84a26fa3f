package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/land"
)

func (a *app) replayCommand() *cobra.Command {
	var f reviseFlags
	var r replayFlags
	c := &cobra.Command{
		Use:   "replay SOURCE | replay FOLDER TABLE",
		Short: "Land rescued and quarantined data again, under the contract of today",
		Long: `Land the files again that have rescued values, or records in quarantine: what
fits the contract by now lands typed. Their rows take the place of the old ones, in
one commit; rows of other files are not touched. A replay that was killed goes on
with the next run of the source.

Of a file that is gone the rows stay, and what was rescued of them goes into their
columns as far as it fits by now; its records in quarantine wait for the file.

A file is read whole again, so rows of it that other tools deleted from the table
come back. Read it with the options that it landed with: a source without a project
has them from the flags of this command.

Flags that choose files add up: a file has to meet them all.

  --all  every file, under a contract that begins anew from all of them: the table
         is then what landing all of them at once gives. Hints and decisions stay` + exitCodes,
		Example: `  landfall replay orders
  landfall replay orders --column amount --since 2026-10-01
  landfall replay --table lake/orders --quarantine
  landfall replay landing/orders lake/orders --all`,
		Args: args(0, 2, "a source, or FOLDER TABLE"),
		RunE: func(c *cobra.Command, args []string) error {
			choice, err := r.choice()
			if err != nil {
				return err
			}
			one, err := a.revised(c.Context(), f, args)
			if err != nil {
				return err
			}
			return a.runOne(c.Context(), one, func(ctx context.Context, s land.Source, env land.Env) (land.Report, error) {
				return land.Replay(ctx, s, env, choice)
			})
		},
	}
	f.landFlags.flags(c)
	c.Flags().StringVar(&f.table, "table", "", "the table's folder, for sources without a project")
	r.flags(c)
	return c
}

// replayFlags choose the files of a replay.
type replayFlags struct {
	land.Choice
	since, batches string
}

func (r *replayFlags) flags(c *cobra.Command) {
	c.Flags().StringVar(&r.Column, "column", "", "files that have values of this column: amount, `address.city`")
	c.Flags().StringVar(&r.since, "since", "", "files that landed since then: 2026-10-01, 2026-10-01T08:00:00Z")
	c.Flags().StringVar(&r.batches, "batches", "", "files of these batches: 7, 7-12, 7-")
	c.Flags().BoolVar(&r.Quarantined, "quarantine", false, "only files with something in quarantine")
	c.Flags().BoolVar(&r.All, "all", false, "every file, and a contract that begins anew")
}

// choice checks what the flags say.
func (r *replayFlags) choice() (land.Choice, error) {
	if r.All && (r.Column != "" || r.since != "" || r.batches != "" || r.Quarantined) {
		return r.Choice, diag.New(diag.Usage, "found --all beside flags that choose files, want one or the other").
			Hinted("a contract begins anew from all files, or stays as it is")
	}
	if r.since != "" {
		at, err := time.Parse(time.RFC3339, r.since)
		if err != nil {
			at, err = time.Parse(time.DateOnly, r.since)
		}
		if err != nil {
			return r.Choice, diag.New(diag.Usage, "--since: found %s, want a day or an instant", diag.Quote(r.since)).
				Hinted("write it as 2026-10-01, or 2026-10-01T08:00:00Z")
		}
		r.Since = at
	}
	if r.batches != "" {
		first, last, isRange := strings.Cut(r.batches, "-")
		if !isRange {
			last = first
		}
		var err1, err2 error
		if r.First, err1 = strconv.ParseInt(first, 10, 64); last != "" {
			r.Last, err2 = strconv.ParseInt(last, 10, 64)
		}
		if err1 != nil || err2 != nil || r.First < 1 || last != "" && r.Last < r.First {
			return r.Choice, diag.New(diag.Usage, "--batches: found %s, want a batch or a range of them", diag.Quote(r.batches)).
				Hinted("write it as 7, 7-12, or 7- for all from 7 on; landfall events shows them")
		}
	}
	return r.Choice, nil
}
