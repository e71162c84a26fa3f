package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/format"
	"landfall/internal/inspect"
	"landfall/internal/intake"
	"landfall/internal/project"
	"landfall/internal/report"
	"landfall/internal/schema"
	"landfall/internal/store"
)

func (a *app) inspectCommand() *cobra.Command {
	var expect, gate, html string
	var o inspect.Options
	c := &cobra.Command{
		Use:   "inspect FOLDER",
		Short: "Show which schemas the files of a folder have",
		Long: `Read the end of every Parquet file of a folder, and nothing of its rows. Printed are
the schemas that there are, in what they differ, since when, in which partitions;
files that nobody can read, each with the reason; and what readers trip over.
Of a folder of CSV or JSON files every value is read, or of each file the first
records (--sample), and the types are what the values look like.

With --readers, what Spark, PyArrow, pandas, Polars, DuckDB and ADF data flow make of the
folder. With --gate, an earlier report, a schema that was not there then, or a file that cannot
be read, ends with 3. With --dates, columns are named that have days before 1582-10-15 or instants before
1900, by the bounds that the files state. With --expect, the columns of a table definition, each file that disagrees is named.
Nothing is written but the page that --html asks for.` + exitCodes,
		Example: `  landfall inspect landing/orders
  landfall inspect landing/orders --json
  landfall inspect landing/orders --html orders.html
  landfall inspect landing/orders --readers
  landfall inspect landing/orders --gate last.json
  landfall inspect landing/orders --expect "order_id bigint, amount decimal(18,2)"`,
		Args: args(1, 1, "FOLDER"),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("expect") {
				want, err := schema.ParseColumns(expect)
				if err != nil {
					return diag.New(diag.Usage, "--expect: %v", err).Hinted(`as in --expect "order_id bigint, amount decimal(18,2)"`)
				}
				o.Expect = want
			}
			if o.Sample < 0 {
				return diag.New(diag.Usage, "found --sample %d, want 0 or more", o.Sample)
			}
			o.Open = openText
			before, err := earlier(gate)
			if err != nil {
				return err
			}
			return a.inspect(c.Context(), args[0], o, inspectFlags{before, html})
		},
	}
	c.Flags().StringVar(&expect, "expect", "", "columns with their types, as in a table definition")
	c.Flags().StringVar(&gate, "gate", "", "an earlier report (--json) of the folder: what is new since ends with 3")
	c.Flags().StringVar(&html, "html", "", "write the report as a page to this file, too")
	c.Flags().Int64Var(&o.Sample, "sample", 0, "of CSV and JSON read about this many records of each file (default: all)")
	c.Flags().BoolVar(&o.Readers, "readers", false, "show what readers make of a folder of Parquet files")
	c.Flags().BoolVar(&o.Dates, "dates", false, "look for old dates too: reads all of each footer")
	return c
}

// openText reads a text file whose dialect is found out.
func openText(ctx context.Context, as, name string, r *store.Reading) (format.Reader, error) {
	d, err := decoder(project.Options{}, as)
	if err != nil {
		return nil, err
	}
	return d(ctx, name, r)
}

// earlier reads the report that a gate holds a folder against; nil without one.
func earlier(path string) (*inspect.Report, error) {
	if path == "" {
		return nil, nil
	}
	const hint = "write one: landfall inspect FOLDER --json > FILE"
	data, err := os.ReadFile(path) //nolint:gosec // a file that was named
	if err != nil {
		return nil, diag.New(diag.Usage, "--gate: %v", err).Hinted(hint).Because(err)
	}
	r, err := inspect.Parse(data)
	if err != nil {
		return nil, diag.New(diag.Usage, "--gate: %s is no report: %v", path, err).Hinted(hint).Because(err)
	}
	return r, nil
}

// inspectFlags say what is done with a report.
type inspectFlags struct {
	// before is the report that a gate holds it against, nil for none.
	before *inspect.Report
	// html is where a page is written, "" for nowhere.
	html string
}

// inspect prints what a folder holds.
func (a *app) inspect(ctx context.Context, folder string, o inspect.Options, f inspectFlags) error {
	files, err := openStore(folder)
	if err != nil {
		return err
	}
	bar := a.progress(folder)
	o.Progress = func(p inspect.Progress) {
		bar.update(intake.Progress{Files: p.Files, FilesDone: p.Done, Bytes: p.Bytes, BytesDone: p.BytesDone})
	}
	r, err := inspect.Run(ctx, files, o)
	bar.done()
	if err != nil {
		return err
	}
	if err := writePage(r, f.html); err != nil {
		return err
	}
	switch {
	case a.json:
		err = a.print(r)
	case !a.quiet || r.Odd():
		_, err = fmt.Fprint(a.stdout, inspected{r}.text())
	}
	if err != nil || f.before == nil {
		return err
	}
	return r.Gate(f.before)
}

// writePage writes a report as a page.
func writePage(r *inspect.Report, path string) error {
	if path == "" {
		return nil
	}
	var b bytes.Buffer
	if err := r.Page(&b, time.Local); err != nil {
		return err
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil { //nolint:gosec // a page is for others to read
		return diag.New(diag.Usage, "--html: %v", err).Hinted("name a file in a folder that is there").Because(err)
	}
	return nil
}

// inspected is an inspection as people read it.
type inspected struct{ *inspect.Report }

// mostLines bounds how many files of one kind are named.
const mostLines = 20

// text is the whole of it: what there is, what differs, what is broken.
func (r inspected) text() string {
	var b strings.Builder
	r.head(&b)
	r.groups(&b)
	r.differences(&b)
	r.timeline(&b)
	r.partitions(&b)
	r.broken(&b)
	r.predictions(&b)
	r.expected(&b)
	r.others(&b)
	return b.String()
}

func (r inspected) head(b *strings.Builder) {
	fmt.Fprintf(b, "%s, %s, %s", report.Plural(int64(r.Files), "file"), report.Plural(r.Rows, "row"), report.Bytes(r.Bytes))
	if len(r.Read) > 0 {
		fmt.Fprintf(b, ", %s … %s", moment(r.Read[0].Modified), moment(r.Read[len(r.Read)-1].Modified))
	}
	fmt.Fprintf(b, " · %s · %d unreadable\n", report.Plural(int64(len(r.Groups)), "schema"), len(r.Unreadable))
	if r.Layout.Message != "" {
		fmt.Fprintf(b, "  ! %s\n", report.Clean(r.Layout.Message))
	}
}

func (r inspected) groups(b *strings.Builder) {
	head := []string{"group", "files", "rows", "size", "first seen", "last seen", "example"}
	written := slices.ContainsFunc(r.Groups, func(g inspect.Group) bool { return g.Writers[0].Name != "" })
	if written {
		head = append(head, "writer")
	}
	rows := make([][]string, 0, len(r.Groups))
	for _, g := range r.Groups {
		row := []string{
			strconv.Itoa(g.ID), report.Count(int64(g.Files)), report.Count(g.Rows), report.Bytes(g.Bytes),
			moment(g.First), moment(g.Last), report.Path(g.Example, 60),
		}
		if written {
			row = append(row, writers(g))
		}
		rows = append(rows, row)
	}
	if len(rows) > 0 {
		b.WriteString("\n" + report.Table(head, rows, report.Layout{Indent: 2}))
	}
}

// writers names who wrote most of a group.
func writers(g inspect.Group) string {
	name := writer(g.Writers[0].Name)
	if n := len(g.Writers) - 1; n > 0 {
		name += fmt.Sprintf(" and %d more", n)
	}
	return name
}

// writer shortens what a file says of its writer: the build is for machines.
func writer(name string) string {
	name, _, _ = strings.Cut(name, " (build")
	if name == "" {
		return "unknown"
	}
	return report.Cut(strings.Replace(name, " version ", " ", 1), 30)
}

func moment(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

func (r inspected) differences(b *strings.Builder) {
	if len(r.Differences) == 0 {
		return
	}
	rows := make([][]string, 0, len(r.Differences))
	for _, d := range r.Differences {
		variants := make([]string, 0, len(d.Types))
		for _, v := range d.Types {
			variants = append(variants, report.Clean(v.Type)+" in "+numbers(v.Groups))
		}
		rows = append(rows, []string{brief(d.Column), d.Kind, strings.Join(variants, "; ")})
	}
	b.WriteString("\n" + report.Table([]string{"column", "differs in", "groups"}, rows, report.Layout{Indent: 2}))
}

// numbers lists groups: 1, 2 and 5.
func numbers(ids []int) string {
	out := make([]string, 0, len(ids))
	for _, id := range ids {
		out = append(out, strconv.Itoa(id))
	}
	return strings.Join(out, ", ")
}

func (r inspected) timeline(b *strings.Builder) {
	if len(r.Changeovers) == 0 {
		return
	}
	b.WriteString("\n")
	for _, c := range r.Changeovers {
		fmt.Fprintf(b, "  group %d begins %s with %s", c.Group, moment(c.At), report.Path(c.File, 60))
		if c.Writer != c.FromWriter {
			fmt.Fprintf(b, ", writer %s → %s", writer(c.FromWriter), writer(c.Writer))
		}
		b.WriteString("\n")
	}
}

func (r inspected) partitions(b *strings.Builder) {
	if len(r.Partitions) == 0 {
		return
	}
	var mixed [][]string
	for _, p := range r.Partitions {
		if len(p.Groups) > 1 {
			mixed = append(mixed, []string{report.Path(p.Folder, 60), report.Count(int64(p.Files)), numbers(p.Groups)})
		}
	}
	fmt.Fprintf(b, "\n  %s, %d of one schema each, %d mixed\n", report.Plural(int64(len(r.Partitions)), "partition"), len(r.Partitions)-len(mixed), len(mixed))
	some(b, mixed, []string{"mixed partition", "files", "groups"})
}

func (r inspected) broken(b *strings.Builder) {
	rows := make([][]string, 0, len(r.Unreadable))
	for _, u := range r.Unreadable {
		rows = append(rows, []string{report.Path(u.Path, 60), report.Clean(u.Message), string(u.Code)})
	}
	b.WriteString(gap(rows))
	some(b, rows, []string{"unreadable", "why", "code"})
	rows = nil
	for _, w := range r.Warnings {
		rows = append(rows, []string{strings.ReplaceAll(w.Kind, "_", " "), brief(w.Column), report.Count(int64(w.Files)), report.Path(w.Example, 60), w.Message})
	}
	b.WriteString(gap(rows))
	some(b, rows, []string{"warning", "column", "files", "first", "what it means"})
	rows = nil
	for _, path := range r.Changed {
		rows = append(rows, []string{report.Path(path, 60)})
	}
	b.WriteString(gap(rows))
	some(b, rows, []string{"changed while the folder was inspected"})
}

// outcome says what comes of reading, and what would if all values were small.
func outcome(p inspect.Forecast) string {
	if p.Mild == p.Outcome {
		return p.Outcome
	}
	return p.Outcome + " (small values: " + p.Mild + ")"
}

func (r inspected) predictions(b *strings.Builder) {
	rows := make([][]string, 0, len(r.Predictions))
	for _, p := range r.Predictions {
		rows = append(rows, []string{p.Reader + " " + p.Version, p.Call, outcome(p), brief(p.Column), report.Path(p.File, 60), report.Cut(p.Fix, 80)})
	}
	b.WriteString(gap(rows))
	some(b, rows, []string{"reader", "call", "outcome", "column", "file", "smallest fix"})
}

func (r inspected) expected(b *strings.Builder) {
	if r.Expected == nil {
		return
	}
	if len(r.Expected) == 0 {
		b.WriteString("\n  all files are as expected\n")
		return
	}
	b.WriteString("\n")
	rows := make([][]string, 0, len(r.Expected))
	for _, d := range r.Expected {
		rows = append(rows, []string{report.Path(d.Path, 60), brief(d.Column), d.Found, d.Want})
	}
	b.WriteString(report.Table([]string{"disagrees", "column", "found", "want"}, rows, report.Layout{Indent: 2}))
}

func (r inspected) others(b *strings.Builder) {
	var rows [][]string
	for _, o := range r.Others {
		rows = append(rows, []string{report.Path(o.Path, 60), o.Kind, report.Bytes(o.Bytes)})
	}
	b.WriteString(gap(rows))
	some(b, rows, []string{"other file", "kind", "size"})
}

// gap is the empty line before a table that is there.
func gap(rows [][]string) string {
	if len(rows) == 0 {
		return ""
	}
	return "\n"
}

// some prints the first rows, and how many more there are.
func some(b *strings.Builder, rows [][]string, head []string) {
	if len(rows) == 0 {
		return
	}
	b.WriteString(report.Table(head, rows[:min(len(rows), mostLines)], report.Layout{Indent: 2}))
	if more := len(rows) - mostLines; more > 0 {
		fmt.Fprintf(b, "  … and %s more (--json has all)\n", report.Count(int64(more)))
	}
}
