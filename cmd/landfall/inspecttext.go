package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"landfall/internal/inspect"
	"landfall/internal/report"
)

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
