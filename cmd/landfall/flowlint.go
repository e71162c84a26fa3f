package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/flow/lint"
	"landfall/internal/report"
)

func (a *app) flowLintCommand() *cobra.Command {
	var failOn []string
	var text strings.Builder
	for _, r := range lint.Rules() {
		fmt.Fprintf(&text, "\n  %-17s %-5s  %s", r.Name, r.Effect, r.Title)
	}
	c := &cobra.Command{
		Use:   "lint FLOW",
		Short: "Find where a data flow fails or loses columns when its files change",
		Long: `Look at a script, and at the datasets beside it, and name each place where a change of
the files' columns ends a run (fails) or drops something without a word (loses), and things to know
(note), each with the change that mends it:
` + text.String() + `

Findings end with 0, unless --fail-on names their effect or rule: then with 3.` + exitCodes,
		Example: `  landfall flow lint dataflow/orders.json
  landfall flow lint orders.dfs --fail-on fails,loses
  landfall flow lint orders.dfs --json`,
		Args: args(1, 1, "FLOW"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := lintNames(failOn); err != nil {
				return err
			}
			return a.flowLint(args[0], failOn)
		},
	}
	c.Flags().StringSliceVar(&failOn, "fail-on", nil, "effects (fails, loses, note) or rules of which a finding ends with 3")
	return c
}

// lintNames refuses what is neither an effect nor a rule.
func lintNames(names []string) error {
	known := []string{string(lint.Fails), string(lint.Loses), string(lint.Note)}
	for _, r := range lint.Rules() {
		known = append(known, r.Name)
	}
	for _, name := range names {
		if slices.Contains(known, name) {
			continue
		}
		d := diag.New(diag.Usage, "found --fail-on %s, want an effect or a rule", diag.Quote(name)).Hinted("known are %s", strings.Join(known, ", "))
		if near := diag.Nearest(name, known); near != "" {
			d = d.Hinted("did you mean %s?", near)
		}
		return d
	}
	return nil
}

// linted is the document of `landfall flow lint --json` for a data flow.
type linted struct {
	Flow     string         `json:"flow"`
	File     string         `json:"file"`
	Findings []lint.Finding `json:"findings"`
}

// flowLint prints the findings of data flows.
func (a *app) flowLint(arg string, failOn []string) error {
	all, err := flows(arg)
	if err != nil {
		return err
	}
	scripts, err := parsed(all)
	if err != nil {
		return err
	}
	var failed *lint.Finding
	for i, f := range all {
		doc := linted{f.Name, f.File.Name, append([]lint.Finding{}, lint.Run(f, scripts[i])...)}
		for _, one := range doc.Findings {
			if failed == nil && (slices.Contains(failOn, one.Name) || slices.Contains(failOn, string(one.Effect))) {
				failed = &one
			}
		}
		switch {
		case a.json:
			err = a.print(doc)
		case !a.quiet || len(doc.Findings) > 0:
			_, err = io.WriteString(a.stdout, doc.text())
		}
		if err != nil {
			return err
		}
	}
	if failed == nil {
		return nil
	}
	return diag.New(diag.FlowLint, "%s: found %s, which --fail-on names", failed.Stream, failed.Name).In(failed.At).Hinted("%s", failed.Fix)
}

// text is the findings as people read them.
func (l linted) text() string {
	var b strings.Builder
	count := map[lint.Effect]int{}
	for _, f := range l.Findings {
		count[f.Effect]++
		d := diag.New("", "%s: %s [%s: %s]", f.Stream, f.Message, f.Effect, f.Name).In(f.At).Hinted("%s", f.Fix)
		d.Excerpt = f.Excerpt
		b.WriteString(diag.Render(d, false))
	}
	if len(l.Findings) == 0 {
		return "data flow " + l.Flow + ": nothing found\n"
	}
	fmt.Fprintf(&b, "data flow %s: %s", l.Flow, report.Plural(int64(len(l.Findings)), "finding"))
	gap := ": "
	for _, e := range []lint.Effect{lint.Fails, lint.Loses, lint.Note} {
		if n := count[e]; n > 0 {
			fmt.Fprintf(&b, "%s%d %s", gap, n, e)
			gap = ", "
		}
	}
	b.WriteString("\n")
	return b.String()
}
