package main

import (
	"context"
	"fmt"
	"os/user"
	"strings"

	"github.com/spf13/cobra"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/land"
	"landfall/internal/schema"
	"landfall/internal/state"
)

// decideFlags are those of a decision.
type decideFlags struct {
	reviseFlags
	to, why       string
	carry, ignore bool
}

func (a *app) driftDecideCommand() *cobra.Command {
	var f decideFlags
	c := &cobra.Command{
		Use:   "decide [SOURCE | FOLDER TABLE] COLUMN|ID --map-to Y | --carry | --ignore --why REASON",
		Short: "Say what drift means: the same column, all well, or not wanted",
		Long: `Decide about a column, or about one line of "landfall drift list" by its id.

  --map-to Y  the column is Y under another name: one column named Y holds both,
              also in the rows that stand in the table. Y may be a column or a new
              name
  --carry     all stays as it is, and the drift is settled
  --ignore    the column's values are dropped from now on, and counted

The decision is a version of the contract, and comes into force at once. In a
project it is also written to decisions.yaml, for review; what stands there comes
into force wherever the project lands. The same decision again changes nothing.` + exitCodes,
		Example: `  landfall drift decide orders order_total --map-to total_amount --why "renamed by the shop"
  landfall drift decide orders 4be1a9 --carry --why "the sensor was broken in May"
  landfall drift decide --table lake/orders debug_info --ignore --why "nobody reads it"`,
		Args: args(1, 3, "a source, and a column or an id"),
		RunE: func(c *cobra.Command, args []string) error {
			last := len(args) - 1
			d, err := f.decision(args[last])
			if err != nil {
				return err
			}
			return a.decide(c.Context(), f, args[:last], d)
		},
	}
	f.flags(c)
	c.Flags().StringVar(&f.to, "map-to", "", "the column whose values these are, or a new name")
	c.Flags().BoolVar(&f.carry, "carry", false, "leave all as it is")
	c.Flags().BoolVar(&f.ignore, "ignore", false, "drop the values from now on")
	c.Flags().StringVar(&f.why, "why", "", "the reason, for those who come later")
	return c
}

// decision is what the flags say of a column.
func (f *decideFlags) decision(column string) (contract.Decision, error) {
	d := contract.Decision{Column: column, To: f.to, Why: strings.TrimSpace(f.why), Who: f.who}
	n := 0
	for action, chosen := range map[contract.Action]bool{contract.Map: f.to != "", contract.Carry: f.carry, contract.Ignore: f.ignore} {
		if chosen {
			d.Action = action
			n++
		}
	}
	switch {
	case n != 1:
		return d, diag.New(diag.Usage, "found %d decisions, want one of --map-to, --carry and --ignore", n).
			Hinted("see what each would do: landfall drift show")
	case d.Why == "":
		return d, diag.New(diag.Usage, "found no --why, want the reason").Hinted("those who come later will ask: --why \"renamed by the shop\"")
	}
	if d.Who == "" {
		if u, err := user.Current(); err == nil {
			d.Who = u.Username
		}
	}
	return d, nil
}

// decide carries a decision out. In a project it is written down before, but after
// the rows that stand were asked: whatever ends the process then, the next run of the
// source finds it and puts it in force.
func (a *app) decide(ctx context.Context, f decideFlags, names []string, d contract.Decision) error {
	one, err := a.decided(ctx, f.reviseFlags, names)
	if err != nil {
		return err
	}
	s, err := a.build(ctx, one)
	if err != nil {
		return err
	}
	d.At = a.now().UTC()
	t := target{s.Name, s.Data, s.State}
	if d, err = a.meant(ctx, t, d); err != nil {
		return err
	}
	var down entry
	r := land.Revision{Decision: &d, Who: d.Who}
	if one.project {
		if err := a.writable(ctx, t, s.Policy, d); err != nil {
			return err
		}
		r.Agreed = func() error {
			e, err := a.writeDown(ctx, s.Name, d)
			if e.after != nil { // else it stands there, perhaps since it was agreed on before
				down = e
			}
			return err
		}
	}
	report, err := land.Revise(ctx, s, land.Env{Now: a.now, NewID: a.newID}, r)
	if err != nil {
		return down.refused(ctx, err)
	}
	return a.printDecided(s.Name, one.where(report.Table), report)
}

// decided describes the one source that a decision is about. In a project of one
// source nobody has to name it.
func (a *app) decided(ctx context.Context, f reviseFlags, names []string) (feed, error) {
	if f.table != "" || len(names) > 0 {
		return a.revised(ctx, f, names)
	}
	p, err := a.loadProject()
	if err != nil {
		return feed{}, a.tabled(err)
	}
	return a.revised(ctx, f, p.Names())
}

// meant is a decision with the original name of the column that a person named by
// an id or by its stored name. What nobody has ever met is refused.
func (a *app) meant(ctx context.Context, t target, d contract.Decision) (contract.Decision, error) {
	v, err := t.version(ctx, 0)
	if err != nil {
		return d, err
	}
	all, err := t.state.Drift(ctx, t.name)
	if err != nil {
		return d, err
	}
	met := named(all, d.Column)
	if len(met) == 1 && schema.Fold(met[0].Column) != schema.Fold(d.Column) {
		d.Column = met[0].Column
		if d.Action == contract.Carry {
			d.Drift = met[0].ID
		}
	}
	if len(met) == 0 && !knows(v.contract, d.Column) {
		out := diag.New(diag.BadDecision, "found %s, which is no column and has not drifted", diag.Quote(d.Column)).In(diag.Place{File: t.state.URL()})
		if near := diag.Nearest(d.Column, knownNames(v.contract, all)); near != "" {
			return d, out.Hinted("did you mean %s?", near)
		}
		return d, out.Hinted("see what has: landfall drift list")
	}
	if path, err := schema.ParsePath(d.Column); err == nil && len(path) > 1 && d.Action != contract.Carry && !knows(v.contract, d.Column) && knows(v.contract, path[0]) {
		return d, diag.New(diag.BadDecision, "%s is part of a column, want a whole one", diag.Quote(d.Column)).In(diag.Place{File: t.state.URL()}).
			Hinted("--carry settles it; or decide about %s", path[0])
	}
	return d, nil
}

// knows tells whether a name is that of a column, stored or original, or decided.
func knows(v contract.Version, name string) bool {
	folded := schema.Fold(schema.TrimName(name))
	for _, known := range knownNames(v, nil) {
		if schema.Fold(known) == folded || schema.Fold(schema.CleanName(known)) == folded {
			return true
		}
	}
	for _, c := range v.Columns {
		if schema.Fold(c.Name) == folded {
			return true
		}
	}
	return false
}

// knownNames are the names that a decision may be about.
func knownNames(v contract.Version, met []state.Met) []string {
	var names []string
	for _, c := range v.Columns {
		names = append(names, c.Original)
	}
	for _, d := range v.Decisions {
		names = append(names, d.Column)
	}
	for _, x := range met {
		names = append(names, x.Column)
	}
	return names
}

func (a *app) printDecided(name, where string, r land.Report) error {
	if a.json {
		return a.print(r)
	}
	if a.quiet {
		return nil
	}
	pad := fmt.Sprintf("%-12s", name)
	for _, n := range r.Notes {
		if _, err := fmt.Fprintf(a.stdout, "%s%s\n", pad, a.paste(n)); err != nil {
			return err
		}
	}
	if len(r.Batches) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(a.stdout, "%scontract v%d: %s %s %d\n", pad, r.ContractVersion, a.paste("landfall schema diff"), where, r.ContractVersion-1)
	return err
}
