package main

import (
	"context"
	"fmt"
	"os/user"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/land"
)

// reviseFlags are those of commands that change a contract.
type reviseFlags struct {
	landFlags
	table, who string
}

func (f *reviseFlags) flags(c *cobra.Command) {
	f.landFlags.flags(c)
	c.Flags().StringVar(&f.table, "table", "", "the table's folder, for sources without a project")
	c.Flags().StringVar(&f.who, "who", "", "who asks for it (default: the user)")
}

func (a *app) schemaApproveCommand() *cobra.Command {
	var f reviseFlags
	c := &cobra.Command{
		Use:   "approve SOURCE | approve FOLDER TABLE",
		Short: "Take up the columns that wait, whatever the policy says of new ones",
		Long: `Make a new version of the contract with all columns of the files that have not
landed yet: those that stopped the run, or would be kept out, also those that a
rollback retired. The files land with the next "landfall land".` + exitCodes,
		Example: `  landfall schema approve orders
  landfall schema approve --table lake/orders`,
		Args: args(0, 2, "a source, or FOLDER TABLE"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.revise(c.Context(), f, args, land.Revision{})
		},
	}
	f.flags(c)
	return c
}

func (a *app) schemaRollbackCommand() *cobra.Command {
	var f reviseFlags
	c := &cobra.Command{
		Use:   "rollback SOURCE VERSION | rollback FOLDER TABLE VERSION",
		Short: "Go back to the columns of an older version",
		Long: `Make a new version of the contract with the columns of an older one. Columns that
came since are retired: they stay in the table, and their values are rescued. Fields
that structs gained since, and types, stay as they are.` + exitCodes,
		Example: `  landfall schema rollback orders 3
  landfall schema rollback --table lake/orders 3`,
		Args: args(1, 3, "a source, or FOLDER TABLE, and a version"),
		RunE: func(c *cobra.Command, args []string) error {
			version, more, names, err := versionsOf(args)
			if err != nil {
				return err
			}
			if more != 0 {
				return diag.New(diag.Usage, "found two versions, want one")
			}
			return a.revise(c.Context(), f, names, land.Revision{Rollback: version})
		},
	}
	f.flags(c)
	return c
}

// revise makes a new version of one source's contract.
func (a *app) revise(ctx context.Context, f reviseFlags, args []string, r land.Revision) error {
	one, err := a.revised(ctx, f, args)
	if err != nil {
		return err
	}
	if r.Who = f.who; r.Who == "" {
		if u, err := user.Current(); err == nil {
			r.Who = u.Username
		}
	}
	s, err := a.build(ctx, one)
	if err != nil {
		return err
	}
	report, err := land.Revise(ctx, s, land.Env{Now: a.now, NewID: a.newID}, r)
	if err != nil {
		return err
	}
	if a.json {
		return a.print(report)
	}
	if a.quiet {
		return nil
	}
	pad := fmt.Sprintf("%-12s", s.Name)
	for _, n := range report.Notes {
		if _, err := fmt.Fprintf(a.stdout, "%s%s\n", pad, a.paste(n)); err != nil {
			return err
		}
	}
	if len(report.Batches) == 0 {
		return nil
	}
	_, err = fmt.Fprintf(a.stdout, "%scontract v%d: %s %s %d\n", pad, report.ContractVersion, a.paste("landfall schema diff"), one.where(report.Table), report.ContractVersion-1)
	return err
}

// revised describes the source that the arguments name. Of one that only its
// table names, the folder is the one on record.
func (a *app) revised(ctx context.Context, f reviseFlags, args []string) (feed, error) {
	if f.table != "" {
		t, err := a.target(ctx, selector{table: f.table, source: f.source}, args)
		if err != nil {
			return feed{}, err
		}
		ids, err := t.state.Identities(ctx)
		if err != nil {
			return feed{}, err
		}
		id := ids[len(ids)-1]
		root, ok := localPath(id.Root)
		if !ok {
			root = id.Root
		}
		f.source = id.Name
		return fromArgs(f.landFlags, root, f.table)
	}
	if len(args) == 0 {
		return feed{}, diag.New(diag.Usage, "found no source, want the name of one, FOLDER TABLE, or --table")
	}
	feeds, err := a.landing(f.landFlags, args)
	if err != nil {
		return feed{}, err
	}
	if len(feeds) != 1 {
		return feed{}, diag.New(diag.Usage, "found %d sources, want one", len(feeds))
	}
	return feeds[0], nil
}
