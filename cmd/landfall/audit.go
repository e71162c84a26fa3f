package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"landfall/internal/audit"
	"landfall/internal/diag"
	"landfall/internal/report"
	"landfall/internal/table"
)

func (a *app) auditCommand() *cobra.Command {
	var f rereadFlags
	c := &cobra.Command{
		Use:   "audit TABLE",
		Short: "Prove a table against its files again",
		Long: `Read every file that landed once more and compare it with the table: its bytes are
those that landed, its records are all landed, in quarantine or dropped by a rule, and
each cell of its rows holds what the file says, or keeps it in _rescued_data. The
statistics that the table's log has of its data files hold of the values in them.

Files that are gone or changed, and rows that other tools changed, can no longer be
proven: they are listed, with what changed them, and are no failure. A difference that
nothing explains is one, and the command ends with 3.

TABLE is a source of the project, or --table names a table's folder; a source that
was landed with options needs them again.` + exitCodes,
		Example: `  landfall audit orders
  landfall audit --table lake/orders --json`,
		Args: args(0, 2, "a source, FOLDER TABLE, or --table"),
		RunE: func(c *cobra.Command, names []string) error {
			all, err := a.rereadable(c.Context(), f, names)
			if err != nil {
				return err
			}
			return a.auditAll(c.Context(), all)
		},
	}
	f.flags(c)
	return c
}

// auditAll proves the sources one after the other.
func (a *app) auditAll(ctx context.Context, all []rereadable) error {
	var first error
	for _, r := range all {
		rep, err := audited(ctx, r)
		if err != nil {
			return err
		}
		if err := a.printAudit(rep); err != nil {
			return err
		}
		if first == nil {
			first = unsound(rep, r)
		}
	}
	return first
}

// unsound is what is wrong with a table by what an audit found, nil for nothing.
func unsound(rep audit.Report, r rereadable) error {
	var out *diag.Diagnostic
	switch {
	case rep.Objects.Differing > 0:
		out = diag.New(diag.AuditFailed, "found %s of %d that differ from the table", report.Plural(rep.Objects.Differing, "file"), rep.Objects.Landed)
	case rep.Statistics > 0:
		out = diag.New(diag.AuditFailed, "found %s of data files that do not hold", report.Plural(rep.Statistics, "statistic"))
	case rep.Unknown > 0:
		return diag.New(diag.StateLost, "the table holds %s of this source that the state does not know", report.Plural(rep.Unknown, "batch")).
			In(diag.Place{File: r.source.State.URL()}).
			Hinted("restore the state folder from a backup, or take a new identity: landfall reset %s --keep", r.source.Args)
	default:
		return nil
	}
	return out.In(diag.Place{File: rep.Table}).
		Hinted("bring back the table's files as they were; or land all files again: landfall reset %s --reprocess", r.source.Args)
}

func audited(ctx context.Context, r rereadable) (audit.Report, error) {
	snap, err := r.source.Table.Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		return audit.Report{}, diag.New(diag.TableMissing, "no table here").In(diag.Place{File: r.source.Data.URL("")}).
			Hinted("land a folder into it first")
	}
	if err != nil {
		return audit.Report{}, err
	}
	one := audit.Auditor{
		Name: r.source.Name, Objects: r.objects(), Options: r.source.Digest, State: r.source.State,
		Data: r.source.Data, Table: r.source.Table, Snapshot: snap,
	}
	return one.Run(ctx)
}

func (a *app) printAudit(r audit.Report) error {
	if a.json {
		return a.print(r)
	}
	if a.quiet && r.Objects.Unprovable == 0 && r.Total == 0 && r.Unknown == 0 {
		return nil
	}
	_, err := fmt.Fprint(a.stdout, auditText(r))
	return err
}

// auditText is what an audit found, for people.
func auditText(r audit.Report) string {
	var b strings.Builder
	pad := strings.Repeat(" ", 12)
	o := r.Objects
	fmt.Fprintf(&b, "%-12saudited %s → %s v%d\n", report.Clean(r.Source), report.Plural(o.Landed, "file"), shown(r.Table), r.TableVersion)
	fmt.Fprintf(&b, "%sproven %s, not provable %s, differing %s\n", pad, report.Count(o.Proven), report.Count(o.Unprovable), report.Count(o.Differing))
	if o.Proven > 0 {
		fmt.Fprintf(&b, "%s%s, %s = landed %s + quarantined %s + dropped %s\n", pad, report.Bytes(r.Bytes), report.Plural(r.Rows.In, "record"),
			report.Count(r.Rows.Landed), report.Count(r.Rows.Quarantined), report.Count(r.Rows.Dropped))
		fmt.Fprintf(&b, "%scells: typed %s, null %s, rescued %s, ignored %s\n", pad, report.Count(r.Cells.Typed), report.Count(r.Cells.Null),
			report.Count(r.Cells.Rescued), report.Count(r.Cells.Ignored))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "%s%s\n", pad, report.Clean(n))
	}
	b.WriteString(unprovableText(r))
	b.WriteString(differenceText(r))
	return b.String()
}

// mostShown bounds the findings that are shown of each kind.
const mostShown = 20

// unprovableText lists what cannot be proven any more.
func unprovableText(r audit.Report) string {
	if len(r.Unprovable) == 0 {
		return ""
	}
	var rows [][]string
	for _, u := range r.Unprovable[:min(mostShown, len(r.Unprovable))] {
		by := make([]string, len(u.Changes))
		for i, c := range u.Changes {
			by[i] = fmt.Sprintf("v%d %s", c.Version, c.Operation)
		}
		rows = append(rows, []string{u.Path, u.Reason, strings.Join(by, ", ")})
	}
	text := "\n" + report.Table([]string{"not provable", "reason", "table version"}, rows, report.Layout{Indent: 2})
	if more := r.Objects.Unprovable - int64(len(rows)); more > 0 {
		text += fmt.Sprintf("  and %s\n", report.Plural(more, "more file"))
	}
	return text
}

// differenceText lists what is not as the files say.
func differenceText(r audit.Report) string {
	if len(r.Differences) == 0 {
		return ""
	}
	var rows [][]string
	for _, d := range r.Differences[:min(mostShown, len(r.Differences))] {
		at := d.DataFile
		if d.Row != nil {
			at = fmt.Sprintf("row %d of %s", *d.Row+1, at)
		}
		rows = append(rows, []string{
			place(d.Path, 0, d.Record), strings.ReplaceAll(d.Kind, "_", " "), d.Column,
			report.Cut(d.Found, width), report.Cut(d.Want, width), at,
		})
	}
	text := "\n" + report.Table([]string{"differs", "what", "column", "found", "want", "in the table"}, rows, report.Layout{Indent: 2})
	if more := r.Total - int64(len(rows)); more > 0 {
		text += fmt.Sprintf("  and %s\n", report.Plural(more, "more difference"))
	}
	return text
}
