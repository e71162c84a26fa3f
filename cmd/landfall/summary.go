package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/land"
	"landfall/internal/report"
)

// summary is what there is to say of a run.
type summary struct {
	land.Report
	took time.Duration
	// where names the source to other commands: "orders", "--table lake/orders".
	where string
	// preview says that nothing of it was written, unnamed that there is no table
	// to name.
	preview, unnamed bool
}

// printLanded prints what a run did; after an error, what had landed before.
func (a *app) printLanded(r summary, failed error) error {
	if a.json {
		return a.print(r.Report)
	}
	if failed != nil && len(r.Batches) == 0 {
		return nil
	}
	_, err := fmt.Fprint(a.stdout, a.paste(r.text(a.quiet)))
	return err
}

// text is the report for people: did it work, what changed, who decides.
func (r summary) text(quiet bool) string {
	total := r.total()
	look := len(r.Quarantined) > 0 || len(r.Deferred) > 0 || total.ValuesRescued > 0
	if quiet && !look {
		return ""
	}
	var b strings.Builder
	pad := strings.Repeat(" ", max(len([]rune(r.Source)), 10)+2)
	r.head(&b, pad, total)
	notes(&b, pad, r.Report)
	driftText(&b, r.Report)
	if look {
		fmt.Fprintf(&b, "\n  to look at: %s\n", strings.Join(looks(r.Report, total), "; "))
		r.commands(&b, total)
	}
	return b.String()
}

// total sums the batches up.
func (r *summary) total() event.Batch {
	var total event.Batch
	for _, x := range r.Batches {
		total.Files += x.Files
		total.RowsIn += x.RowsIn
		total.RowsLanded += x.RowsLanded
		total.RowsQuarantined += x.RowsQuarantined
		total.RowsDropped += x.RowsDropped
		total.ValuesRescued += x.ValuesRescued
		total.RowsRemoved += x.RowsRemoved
		total.TableVersion = x.TableVersion
	}
	return total
}

// head prints the first lines. Columns of a first landing are counted there and
// taken off the drift.
func (r *summary) head(b *strings.Builder, pad string, total event.Batch) {
	fmt.Fprintf(b, "%-*s", len(pad), r.Source)
	if r.Replayed != nil && len(r.Batches) == 0 {
		b.WriteString("nothing to replay\n")
		return
	}
	if len(r.Batches) == 0 {
		fmt.Fprintf(b, "nothing new (%s known)\n", report.Plural(int64(r.Known), "file"))
		return
	}
	landed, to := "landed", fmt.Sprintf(" → %s v%d", shown(r.Table), total.TableVersion)
	if r.preview {
		landed = "would land"
	}
	if r.unnamed {
		to = ""
	}
	fmt.Fprintf(b, "%s %s from %s in %s%s   %s\n", landed, report.Plural(total.RowsLanded, "row"), report.Plural(total.Files, "file"),
		report.Plural(int64(len(r.Batches)), "batch"), to, report.Duration(r.took))
	fmt.Fprintf(b, "%srows in %s = landed %s + quarantined %s + dropped %s\n", pad, report.Count(total.RowsIn),
		report.Count(total.RowsLanded), report.Count(total.RowsQuarantined), report.Count(total.RowsDropped))
	if total.RowsRemoved > 0 {
		fmt.Fprintf(b, "%stook %s of earlier batches out of the table\n", pad, report.Plural(total.RowsRemoved, "row"))
	}
	if p := r.Replayed; p != nil {
		fmt.Fprintf(b, "%srescued %s → %s, quarantined %s → %s\n", pad,
			report.Count(p.RescuedBefore), report.Count(p.RescuedAfter), report.Count(p.HeldBefore), report.Count(p.HeldAfter))
	}
	fmt.Fprintf(b, "%scontract v%d", pad, r.ContractVersion)
	if r.ContractVersion == 1 {
		drift := slices.DeleteFunc(slices.Clone(r.Drift), isFirst)
		if first := len(r.Drift) - len(drift); first > 0 {
			fmt.Fprintf(b, ", %s", report.Plural(int64(first), "column"))
		}
		r.Drift = drift
	}
	b.WriteString("\n")
}

// commands prints what to type to see what needs a look.
func (r *summary) commands(b *strings.Builder, total event.Batch) {
	if len(r.Quarantined) > 0 {
		fmt.Fprintf(b, "    landfall files %s --quarantined\n", r.where)
	}
	if total.ValuesRescued > 0 {
		fmt.Fprintf(b, "    landfall query --table %s \"SELECT * FROM t WHERE _rescued_data IS NOT NULL\"\n", quoted(shown(r.Table)))
	}
	fmt.Fprintf(b, "    landfall events %s\n", r.where)
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
	if n := len(r.Skipped); n > 0 && len(r.Batches) == 0 {
		fmt.Fprintf(b, "%s%s not of this feed\n", pad, report.Plural(int64(n), "file"))
		r.Skipped = nil
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
	if r.Held > 0 {
		parts = append(parts, report.Count(int64(r.Held))+" in quarantine")
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
	all := alike(r.Drift)
	for i, d := range all {
		if i == most {
			lines = append(lines, []string{"", fmt.Sprintf("… and %d more: landfall events", len(all)-most), "", "", ""})
			break
		}
		count := ""
		if d.Count > 0 {
			count = report.Count(d.Count)
		}
		first := place(d.File, d.Line, d.Record)
		if d.more > 0 {
			first += " and " + report.Plural(int64(d.more), "more file")
		}
		lines = append(lines, []string{sign(d.Kind), strings.ReplaceAll(string(d.Kind), "_", " "), columnOf(d.Drift), first, count, d.Decision + change(d.Drift) + rule(d.Drift)})
	}
	for i, l := range lines {
		if len(l) == 5 {
			lines[i] = append(l, "")
		}
	}
	b.WriteString("\n")
	b.WriteString(report.Table([]string{"", "drift", "column", "first seen in", "count", "decided"}, lines, report.Layout{Indent: 2}))
	hints(b, r.Drift)
}

// group is what several files say alike, with the first of them.
type group struct {
	event.Drift
	// more is the number of files besides that of the drift.
	more int
}

// alike groups the drift that differs in nothing but the file it was met in, in
// the order of the first ones; counts add up.
func alike(drift []event.Drift) []group {
	var all []group
	at := map[event.Drift]int{}
	files := map[event.Drift]bool{}
	for _, d := range drift {
		key := d
		key.File, key.Line, key.Record, key.Count, key.Hint, key.Sample = "", 0, 0, 0, "", ""
		file := key
		file.File = d.File
		i, known := at[key]
		switch {
		case !known || d.File == "":
			at[key] = len(all)
			all = append(all, group{Drift: d})
		default:
			all[i].Count += d.Count
			if !files[file] {
				all[i].more++
			}
		}
		files[file] = true
	}
	return all
}

// columnOf names the column of a drift. A blank name is quoted, or nothing would
// be seen of it.
func columnOf(d event.Drift) string {
	if d.Kind == event.ColumnAdded && strings.TrimSpace(d.Column) == "" {
		return strconv.Quote(d.Column)
	}
	return brief(d.Column)
}

// hints prints the actions that notes on files lead to, each once.
func hints(b *strings.Builder, drift []event.Drift) {
	told := map[string]bool{}
	for _, d := range drift {
		if d.Hint != "" && !told[d.Hint] {
			told[d.Hint] = true
			fmt.Fprintf(b, "  hint: %s: %s\n", cmp.Or(d.File, d.Column), d.Hint)
		}
	}
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
