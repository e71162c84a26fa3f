package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/land"
	"landfall/internal/report"
)

func (a *app) landCommand() *cobra.Command {
	var f landFlags
	c := &cobra.Command{
		Use:   "land [SOURCE…] | land FOLDER TABLE",
		Short: "Land what is new in a folder in a Delta table, exactly once",
		Long: `Land every file that has not landed yet. With FOLDER and TABLE no project is
needed: state stands beside the table, and the next run goes on from it. In a
project, land all its sources, or those named.

Kill it, run it twice, run two at once: every row lands once.` + exitCodes,
		Example: `  landfall land landing/orders lake/orders
  landfall land landing/orders lake/orders --option pathGlobFilter='*.csv'
  landfall land orders --json`,
		RunE: func(c *cobra.Command, args []string) error {
			feeds, err := a.feeds(f, args)
			if err != nil {
				return err
			}
			return a.landAll(c.Context(), feeds)
		},
	}
	f.flags(c)
	return c
}

// landFlags are the flags of commands that read a source's files.
type landFlags struct {
	format  string
	options []string
	source  string
	moved   bool
}

func (f *landFlags) flags(c *cobra.Command) {
	c.Flags().StringVar(&f.format, "format", "", "format of the files (default: the most frequent one in the folder)")
	c.Flags().StringArrayVar(&f.options, "option", nil, "an option of the source, key=value; may be repeated")
	c.Flags().StringVar(&f.source, "source", "", "name of the source, where a table has several")
	c.Flags().BoolVar(&f.moved, "moved", false, "accept that the source's folder moved")
}

// feeds describes the sources that the arguments name: a folder and a table, or
// names of the project's sources.
func (a *app) feeds(f landFlags, args []string) ([]feed, error) {
	if len(args) == 2 {
		named, err := a.inProject(args)
		if err != nil {
			return nil, err
		}
		if !named {
			one, err := fromArgs(f, args[0], args[1])
			return []feed{one}, err
		}
	}
	if f.format != "" || len(f.options) > 0 || f.source != "" {
		return nil, diag.New(diag.Usage, "--format, --option and --source go with FOLDER TABLE").
			Hinted("in a project, options stand in landfall.yaml")
	}
	p, err := a.loadProject()
	if diag.CodeOf(err) == diag.NoProject && len(args) > 0 {
		return nil, diag.New(diag.Usage, "found %d arguments and no project, want FOLDER TABLE", len(args)).
			Hinted("quote a pattern, or the shell takes it for many arguments")
	}
	if err != nil {
		return nil, err
	}
	wanted, err := chosen(p.Sources, nameOf, args)
	if err != nil {
		return nil, err
	}
	all := make([]feed, len(wanted))
	for i, src := range wanted {
		if all[i], err = fromProject(p, src); err != nil {
			return nil, err
		}
		all[i].moved = f.moved
	}
	return all, nil
}

// inProject tells whether all arguments name sources of the project at hand. A
// project that cannot be read leaves open what they mean, and is an error.
func (a *app) inProject(args []string) (bool, error) {
	p, err := a.loadProject()
	if a.project == "" && diag.CodeOf(err) == diag.NoProject {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, name := range args {
		if _, ok := p.Source(name); !ok {
			return false, nil
		}
	}
	return true, nil
}

// runner lands one source.
type runner func(context.Context, land.Source, land.Env) (land.Report, error)

// landAll lands the sources one after the other. A source that fails does not
// keep the others from landing; the first error is the command's.
func (a *app) landAll(ctx context.Context, feeds []feed) error {
	return a.runAll(ctx, feeds, land.Run)
}

func (a *app) runAll(ctx context.Context, feeds []feed, run runner) error {
	var first error
	for _, f := range feeds {
		err := a.runOne(ctx, f, run)
		if err != nil && len(feeds) > 1 {
			err = fmt.Errorf("source %s: %w", f.name, err)
		}
		switch {
		case err == nil:
		case first == nil:
			first = err
		default:
			a.fail(err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return first
}

func (a *app) runOne(ctx context.Context, f feed, run runner) error {
	start := a.now()
	s, err := a.build(ctx, f)
	if err != nil {
		return err
	}
	bar := a.progress(s.Name)
	r, err := run(ctx, s, land.Env{Now: a.now, NewID: a.newID, Progress: bar.update})
	bar.done()
	return errors.Join(err, a.printLanded(r, a.now().Sub(start), err))
}

// printLanded prints what a run did; after an error, what had landed before.
func (a *app) printLanded(r land.Report, took time.Duration, failed error) error {
	if a.json {
		return a.print(r)
	}
	if failed != nil && len(r.Batches) == 0 {
		return nil
	}
	_, err := fmt.Fprint(a.stdout, landedText(r, took, a.quiet))
	return err
}

// landedText is the report for people: did it work, what changed, who decides.
func landedText(r land.Report, took time.Duration, quiet bool) string {
	var b strings.Builder
	total := event.Batch{}
	for _, x := range r.Batches {
		total.Files += x.Files
		total.RowsIn += x.RowsIn
		total.RowsLanded += x.RowsLanded
		total.RowsQuarantined += x.RowsQuarantined
		total.RowsDropped += x.RowsDropped
		total.ValuesRescued += x.ValuesRescued
		total.TableVersion = x.TableVersion
	}
	look := len(r.Quarantined) > 0 || len(r.Deferred) > 0 || total.ValuesRescued > 0
	if quiet && !look {
		return ""
	}
	pad := strings.Repeat(" ", max(len([]rune(r.Source)), 10)+2)
	name := fmt.Sprintf("%-*s", len(pad), r.Source)
	if len(r.Batches) == 0 {
		fmt.Fprintf(&b, "%snothing new (%s known)\n", name, report.Plural(int64(r.Known), "file"))
	} else {
		fmt.Fprintf(&b, "%slanded %s from %s in %s → %s v%d   %s\n", name, report.Plural(total.RowsLanded, "row"), report.Plural(total.Files, "file"),
			report.Plural(int64(len(r.Batches)), "batch"), shown(r.Table), total.TableVersion, report.Duration(took))
		fmt.Fprintf(&b, "%srows in %s = landed %s + quarantined %s + dropped %s\n", pad, report.Count(total.RowsIn),
			report.Count(total.RowsLanded), report.Count(total.RowsQuarantined), report.Count(total.RowsDropped))
		fmt.Fprintf(&b, "%scontract v%d", pad, r.ContractVersion)
		if r.ContractVersion == 1 {
			drift := slices.DeleteFunc(slices.Clone(r.Drift), isFirst)
			if first := len(r.Drift) - len(drift); first > 0 {
				fmt.Fprintf(&b, ", %s", report.Plural(int64(first), "column"))
			}
			r.Drift = drift
		}
		b.WriteString("\n")
	}
	notes(&b, pad, r)
	driftText(&b, r)
	if look {
		fmt.Fprintf(&b, "\n  to look at: %s\n", strings.Join(looks(r, total), "; "))
		fmt.Fprintf(&b, "  landfall files --table %s --quarantined   ·   landfall events --table %s\n", shown(r.Table), shown(r.Table))
	}
	return b.String()
}

// isFirst tells whether a drift under the first version of a contract is a
// column that the first landing found: then nothing drifted.
func isFirst(d event.Drift) bool {
	return d.Kind == event.ColumnAdded && (d.Decision == "add" || d.Decision == "adopt")
}

func notes(b *strings.Builder, pad string, r land.Report) {
	for _, n := range r.Notes {
		fmt.Fprintf(b, "%s%s\n", pad, n)
	}
	const most = 5
	for i, s := range r.Skipped {
		if i == most {
			fmt.Fprintf(b, "%s… and %s more skipped\n", pad, report.Plural(int64(len(r.Skipped)-most), "file"))
			break
		}
		fmt.Fprintf(b, "%sskipped %s: %s\n", pad, s.Path, s.Reason)
	}
	for _, d := range r.Deferred {
		fmt.Fprintf(b, "%sleft for the next run: %s changed while it was read\n", pad, d)
	}
}

// looks says what needs a look, in a few words each.
func looks(r land.Report, total event.Batch) []string {
	var parts []string
	if n := len(r.Quarantined); n > 0 {
		parts = append(parts, fmt.Sprintf("%d in quarantine", n))
	}
	if total.ValuesRescued > 0 {
		parts = append(parts, report.Plural(total.ValuesRescued, "value")+" in _rescued_data")
	}
	if len(r.Deferred) > 0 {
		parts = append(parts, report.Plural(int64(len(r.Deferred)), "file")+" deferred")
	}
	return parts
}

// driftText prints the drift table.
func driftText(b *strings.Builder, r land.Report) {
	if len(r.Drift) == 0 {
		return
	}
	const most = 20
	lines := [][]string{}
	for i, d := range r.Drift {
		if i == most {
			lines = append(lines, []string{"", fmt.Sprintf("… and %d more: landfall events", len(r.Drift)-most), "", "", ""})
			break
		}
		count := ""
		if d.Count > 0 {
			count = report.Count(d.Count)
		}
		lines = append(lines, []string{sign(d.Kind), strings.ReplaceAll(string(d.Kind), "_", " "), d.Column, place(d.File, d.Line, d.Record), count, d.Decision + change(d) + rule(d)})
	}
	for i, l := range lines {
		if len(l) == 5 {
			lines[i] = append(l, "")
		}
	}
	b.WriteString("\n")
	b.WriteString(report.Table([]string{"", "drift", "column", "first seen in", "count", "decided"}, lines, report.Layout{Indent: 2}))
}

// rule names the rule that decided, where it is not our default.
func rule(d event.Drift) string {
	if d.Policy == contract.Evolves || d.Policy == "note" {
		return ""
	}
	return ", by " + d.Policy
}

// sign tells the weight of a drift at a glance: + more, ~ other, ! look.
func sign(k event.Kind) string {
	switch k {
	case event.ColumnAdded:
		return "+"
	case event.RecordMalformed, event.FileUnreadable, event.FileForeign, event.FileEmpty:
		return "!"
	default:
		return "~"
	}
}
