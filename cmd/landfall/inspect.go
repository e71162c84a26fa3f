package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"landfall/internal/definition"
	"landfall/internal/diag"
	"landfall/internal/format"
	"landfall/internal/inspect"
	"landfall/internal/intake"
	"landfall/internal/project"
	"landfall/internal/report"
	"landfall/internal/store"
)

func (a *app) inspectCommand() *cobra.Command {
	var f inspectFlags
	c := &cobra.Command{
		Use:   "inspect FOLDER",
		Short: "Show which schemas the files of a folder have",
		Long: `Read the end of every Parquet file of a folder, and nothing of its rows. Printed are
the schemas that there are, in what they differ, since when, in which partitions;
files that nobody can read, each with the reason; and what readers trip over.
Of a folder of CSV or JSON files every value is read, or of each file the first
records (--sample), and the types are what the values look like.

With --expect, the columns of a table definition or a file with one, each file that
disagrees is named. With --readers, what Spark, PyArrow, pandas, Polars, DuckDB and ADF
data flow make of the folder. With --dates, columns are named that have days before
1582-10-15 or instants before 1900, by the bounds that the files state.

With --gate the folder is held against an earlier report, a table definition or a
contract, or against the last inspection that passed (last): what is new, does not fit or
cannot be read ends with 3. --quarantine moves the files that are to blame to another
folder, each with a note; without a gate, those that nobody can read.

With --read-now a program is printed instead, for Spark, PyArrow, DuckDB or Polars: it reads
the files of one schema, and its comments say what it leaves out and why.

Nothing is written but what --html, --files, --gate last and --quarantine ask for.` + exitCodes,
		Example: `  landfall inspect landing/orders
  landfall inspect landing/orders --html orders.html --readers
  landfall inspect landing/orders --read-now spark > orders.py
  landfall inspect landing/orders --gate last
  landfall inspect landing/orders --gate last --accept
  landfall inspect landing/orders --gate last --alert
  landfall inspect landing/orders --gate contract.json --quarantine rejected/orders
  landfall inspect landing/orders --expect "order_id bigint, amount decimal(18,2)"
  landfall inspect landing/orders --expect orders.ddl`,
		Args: args(1, 1, "FOLDER"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := cmp.Or(f.check(c), f.now.check(c, a)); err != nil {
				return err
			}
			return a.inspectTold(c.Context(), args[0], f)
		},
	}
	c.Flags().StringVar(&f.expect, "expect", "", "columns with their types, as in a table definition, or a file with a definition")
	c.Flags().StringVar(&f.gate, "gate", "", "what the folder is held against: last, a report (--json), a contract or a definition")
	c.Flags().StringVar(&f.gateFile, "gate-file", "", "where --gate last keeps what passed (default: in .landfall/gates)")
	c.Flags().BoolVar(&f.accept, "accept", false, "with --gate last: let the folder pass as it is, and keep it")
	c.Flags().BoolVar(&f.alert, "alert", false, "with --gate: tell the people that the project's alerts name, too, what does not pass")
	c.Flags().StringVar(&f.quarantine, "quarantine", "", "move the files that are to blame to this folder, with notes")
	c.Flags().BoolVar(&f.copy, "copy", false, "with --quarantine: leave the files in FOLDER, too")
	c.Flags().StringVar(&f.html, "html", "", "write the report as a page to this file, too")
	c.Flags().Int64Var(&f.options.Sample, "sample", 0, "of CSV and JSON read about this many records of each file (default: all)")
	c.Flags().BoolVar(&f.options.Readers, "readers", false, "show what readers make of a folder of Parquet files")
	c.Flags().BoolVar(&f.options.Dates, "dates", false, "look for old dates too: reads all of each footer")
	f.now.register(c)
	return c
}

// inspectFlags are those of inspect.
type inspectFlags struct {
	options                                  inspect.Options
	expect, gate, gateFile, quarantine, html string
	accept, copy, alert                      bool
	now                                      readNowFlags
}

// check refuses flags that mean nothing together, and reads the definition.
func (f *inspectFlags) check(c *cobra.Command) error {
	if f.options.Sample < 0 {
		return diag.New(diag.Usage, "found --sample %d, want 0 or more", f.options.Sample)
	}
	for _, flag := range []struct {
		name, with string
		lone       bool
	}{
		{"gate-file", "--gate last", f.gateFile != "" && f.gate != gateLast},
		{"accept", "--gate last", f.accept && f.gate != gateLast},
		{"copy", "--quarantine DIR", f.copy && f.quarantine == ""},
		{"alert", "--gate", f.alert && f.gate == ""},
	} {
		if flag.lone {
			return diag.New(diag.Usage, "found --%s without %s", flag.name, flag.with).Hinted("give both, or neither")
		}
	}
	if f.accept && f.quarantine != "" {
		return diag.New(diag.Usage, "found --accept and --quarantine, want one").Hinted("files that are accepted stay")
	}
	f.options.Open = openText
	if !c.Flags().Changed("expect") {
		return nil
	}
	var err error
	f.options.Expect, err = expected(f.expect)
	return err
}

// expected reads a definition: that of a file of the name, else the text itself.
func expected(given string) (*definition.Table, error) {
	name, data := "--expect", []byte(given)
	if info, err := os.Stat(given); err == nil && !info.IsDir() {
		text, err := os.ReadFile(given) //nolint:gosec // a file that was named
		if err != nil {
			return nil, diag.New(diag.Usage, "--expect: %v", err).Hinted("name a file that can be read").Because(err)
		}
		name, data = given, text
	}
	t, err := definition.Parse(name, data)
	var d *diag.Diagnostic
	if errors.As(err, &d) && name != given {
		d.Hint = `as in --expect "order_id bigint, amount decimal(18,2)"; or name a file that is there`
	}
	return &t, err
}

// openText reads a text file whose dialect is found out.
func openText(ctx context.Context, as, name string, r *store.Reading) (format.Reader, error) {
	d, err := decoder(project.Options{}, as)
	if err != nil {
		return nil, err
	}
	return d(ctx, name, r)
}

// inspect prints what a folder holds.
func (a *app) inspect(ctx context.Context, folder string, f inspectFlags) (*inspect.Report, error) {
	files, err := openStore(folder)
	if err != nil {
		return nil, err
	}
	g, err := a.openGate(f, files)
	if err != nil {
		return nil, err
	}
	aside, err := f.quarantined(files)
	if err != nil {
		return nil, err
	}
	bar := a.progress(folder)
	f.options.Progress = func(p inspect.Progress) {
		bar.update(intake.Progress{Files: p.Files, FilesDone: p.Done, Bytes: p.Bytes, BytesDone: p.BytesDone})
	}
	r, err := inspect.Run(ctx, files, f.options)
	bar.done()
	if err != nil {
		return nil, err
	}
	g.hold(r)
	var moved error
	if aside != nil {
		aside.Gate, aside.Now = g.name, a.now
		moved = aside.Put(ctx, r, g.offences(r))
	}
	if err := writePage(ctx, r, f.html); err != nil {
		return r, errors.Join(err, moved)
	}
	switch {
	case f.now.options.Reader != "":
		err = a.readNow(ctx, r, f.now)
	case a.json:
		err = a.print(r)
	case !a.quiet || r.Odd():
		_, err = fmt.Fprint(a.stdout, inspected{r}.text())
	}
	if err = cmp.Or(err, moved); err != nil {
		return r, err
	}
	return r, g.settle(ctx, r, a.now())
}

// writePage writes a report as a page, in one step.
func writePage(ctx context.Context, r *inspect.Report, path string) error {
	if path == "" {
		return nil
	}
	var b bytes.Buffer
	if err := r.Page(&b, time.Local); err != nil {
		return err
	}
	if err := outsideOf(r.Folder, path, "--html"); err != nil {
		return err
	}
	if err := writeWhole(ctx, path, b.Bytes()); err != nil {
		return diag.New(diag.Usage, "--html: %v", err).Hinted("name a file in a folder that is there").Because(err)
	}
	return nil
}

// outsideOf refuses to write a file into the folder that is inspected, or through a link
// to one of its files.
func outsideOf(folder, path, flag string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return diag.New(diag.Usage, "%s: %v", flag, err)
	}
	if _, inside := within(folder, abs); inside {
		return diag.New(diag.Usage, "%s: the file lies in the folder that is inspected", flag).In(diag.Place{File: abs}).
			Hinted("name a file elsewhere: the folder is never written to")
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
	r.aside(&b)
	r.gate(&b)
	r.next(&b)
	return b.String()
}

// next names what helps with a folder whose Parquet files do not agree.
func (r inspected) next(b *strings.Builder) {
	mixed := len(r.Groups) > 1 || len(r.Unreadable) > 0 && len(r.Groups) > 0
	if !mixed || r.Layout.Message != "" || r.Groups[0].Schema[0].Stored == "text" {
		return
	}
	folder := quoted(shown(r.Folder))
	var rows [][]string
	if r.Predictions == nil {
		rows = append(rows, []string{"who breaks on it", "landfall inspect " + folder + " --readers"})
	}
	rows = append(rows, []string{"to read it today", "landfall inspect " + folder + " --read-now spark"}, []string{"a clean copy", "landfall repair " + folder + " --to OUT"})
	b.WriteString("\n" + report.Table([]string{"next", "command"}, rows, report.Layout{Indent: 2}))
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

func (r inspected) aside(b *strings.Builder) {
	rows := make([][]string, 0, len(r.Quarantined))
	for _, a := range r.Quarantined {
		how := "moved"
		if a.Stays {
			how = "copied"
		}
		rows = append(rows, []string{report.Path(a.Path, 60), how, report.Path(a.To, 80)})
	}
	b.WriteString(gap(rows))
	some(b, rows, []string{"in quarantine", "", "to"})
}

// gate says what came of the gate; what it does not let pass are errors, but where it
// was accepted.
func (r inspected) gate(b *strings.Builder) {
	if r.Gate == nil {
		return
	}
	where := report.Path(r.Gate.Against, 80)
	switch r.Gate.Outcome {
	case inspect.GateFirst:
		fmt.Fprintf(b, "\n  gate: first inspection, kept in %s\n", where)
	case inspect.GateAccepted:
		fmt.Fprintf(b, "\n  gate: accepted and kept in %s\n", where)
		for _, o := range r.Gate.Offences[:min(len(r.Gate.Offences), mostLines)] {
			fmt.Fprintf(b, "    %s: %s\n", report.Path(o.Files[0], 60), report.Clean(o.Text()))
		}
	default:
		fmt.Fprintf(b, "\n  gate: %s, against %s\n", r.Gate.Outcome, where)
	}
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
