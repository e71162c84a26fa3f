package main

import (
	"context"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/land"
)

func (a *app) resetCommand() *cobra.Command {
	var f landFlags
	var keep, reprocess, drop bool
	c := &cobra.Command{
		Use:   "reset SOURCE | reset FOLDER TABLE",
		Short: "Begin anew with a source: keep its rows, or land everything again",
		Long: `Give a source a new identity, when its state was lost, or its table restored or
recreated. One of:

  --keep       leave the table as it is and settle every file that is there now;
               only files that come later land
  --reprocess  take the source's rows out of the table in one commit and land
               all its files again` + exitCodes,
		Example: `  landfall reset orders --keep
  landfall reset landing/orders lake/orders --reprocess`,
		Args: args(1, 2, "a source, or FOLDER TABLE"),
		RunE: func(c *cobra.Command, args []string) error {
			if keep == reprocess {
				return diag.New(diag.Usage, "found neither or both of --keep and --reprocess, want one").
					Hinted("--keep leaves the rows and lands only new files, --reprocess lands everything again")
			}
			how := land.ResetKeep
			if reprocess {
				how = land.ResetReprocess
			}
			feeds, err := a.landing(f, args)
			if err != nil {
				return err
			}
			for i := range feeds {
				feeds[i].reset = true
			}
			return a.runAll(c.Context(), feeds, func(ctx context.Context, s land.Source, env land.Env) (land.Report, error) {
				s.DropMissing = drop
				return land.Begin(ctx, s, env, how)
			})
		},
	}
	f.flags(c)
	c.Flags().BoolVar(&keep, "keep", false, "keep the rows, settle the files that are there")
	c.Flags().BoolVar(&drop, "drop-missing", false, "with --reprocess: give up rows whose files are gone")
	c.Flags().BoolVar(&reprocess, "reprocess", false, "take the rows out and land everything again")
	return c
}
