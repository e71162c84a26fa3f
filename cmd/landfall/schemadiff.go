package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/report"
)

func (a *app) schemaDiffCommand() *cobra.Command {
	var s selector
	c := &cobra.Command{
		Use:   "diff [SOURCE] A [B]",
		Short: "Compare two versions of the contract",
		Long:  "Print what changed from version A to version B, or to the newest." + exitCodes,
		Example: `  landfall schema diff orders 1
  landfall schema diff --table lake/orders 2 4 --json`,
		Args: args(1, 3, "a source and one or two versions"),
		RunE: func(c *cobra.Command, args []string) error {
			from, to, names, err := versionsOf(args)
			if err != nil {
				return err
			}
			t, err := a.target(c.Context(), s, names)
			if err != nil {
				return err
			}
			return a.schemaDiff(c.Context(), t, from, to)
		},
	}
	s.flags(c)
	return c
}

// versionsOf divides arguments into the versions at their end and names.
func versionsOf(args []string) (from, to int, names []string, err error) {
	var numbers []int
	for len(args) > 0 && len(numbers) < 2 {
		n, err := strconv.Atoi(strings.TrimPrefix(args[len(args)-1], "v"))
		if err != nil || n < 1 {
			break
		}
		numbers = append([]int{n}, numbers...)
		args = args[:len(args)-1]
	}
	switch len(numbers) {
	case 0:
		return 0, 0, nil, diag.New(diag.Usage, "found no version, want the number of one").Hinted("see them all: landfall schema history")
	case 1:
		return numbers[0], 0, args, nil
	}
	return numbers[0], numbers[1], args, nil
}

// target returns the one source that a command is about.
func (a *app) target(ctx context.Context, s selector, names []string) (target, error) {
	ts, err := a.targets(ctx, s, names)
	if err != nil {
		return target{}, err
	}
	if len(ts) != 1 {
		known := make([]string, len(ts))
		for i, t := range ts {
			known[i] = t.name
		}
		return target{}, diag.New(diag.Usage, "found %d sources, want one", len(ts)).Hinted("name one of %s", strings.Join(known, ", "))
	}
	return ts[0], nil
}

func (a *app) schemaDiff(ctx context.Context, t target, from, to int) error {
	before, err := t.version(ctx, from)
	if err != nil {
		return err
	}
	after, err := t.version(ctx, to)
	if err != nil {
		return err
	}
	changes := contract.Diff(before.contract, after.contract)
	if a.json {
		if changes == nil {
			changes = []contract.Change{}
		}
		return a.print(struct {
			Source  string            `json:"source"`
			From    int               `json:"from"`
			To      int               `json:"to"`
			Changes []contract.Change `json:"changes"`
		}{t.name, before.Version, after.Version, changes})
	}
	rows := make([][]string, len(changes))
	for i, c := range changes {
		rows[i] = []string{c.Kind, brief(c.Path), report.Cut(c.From, longest), report.Cut(c.To, longest)}
	}
	return a.table([]string{"", "column", fmt.Sprintf("v%d", before.Version), fmt.Sprintf("v%d", after.Version)}, rows,
		fmt.Sprintf("nothing changed from v%d to v%d", before.Version, after.Version))
}
