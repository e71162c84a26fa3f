package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/repair"
	"landfall/internal/report"
)

// text is what became of a copy.
func (r repaired) text() string {
	var b strings.Builder
	pad := strings.Repeat(" ", 12)
	word := cmp.Or(r.word, "copied")
	if r.Again {
		word = "there"
	}
	fmt.Fprintf(&b, "%-12s%s, %s → %s (%s)", word, report.Plural(int64(len(r.Files)), "file"), report.Bytes(r.Bytes.Before), shown(r.Out), r.Form)
	if !r.Again {
		fmt.Fprintf(&b, "  %s", report.Duration(r.took))
	}
	mark := "every value is there   ✓"
	if !r.Reconciled {
		mark = report.Plural(r.Total, "difference") + "   ✗"
	}
	fmt.Fprintf(&b, "\n%srows %s → %s, %s\n", pad, report.Count(r.Rows.Before), report.Count(r.Rows.After), mark)
	fmt.Fprintf(&b, "%s%s in %s, %s\n", pad, report.Bytes(r.Bytes.After), report.Plural(int64(r.DataFiles), "file"), r.partitions())
	r.columns(&b)
	r.told(&b)
	r.differences(&b)
	r.leftOut(&b)
	r.others(&b)
	if r.word == "" {
		fmt.Fprintf(&b, "\n  the proof: %s\n", r.place.proof())
	}
	return b.String()
}

func (r repaired) partitions() string {
	if len(r.PartitionBy) == 0 {
		return "no partitions"
	}
	return "partitions by " + report.Clean(strings.Join(r.PartitionBy, ", "))
}

// columns are the columns of the copy, and what became of their values.
func (r repaired) columns(b *strings.Builder) {
	rows := make([][]string, 0, len(r.Columns))
	for _, c := range r.Columns {
		example := ""
		if len(c.Examples) > 0 {
			e := c.Examples[0]
			if example = e.Found + " → " + e.Became; e.Rescued != "" {
				example = e.Found + " rescued"
			}
			example += " in " + report.Path(e.File, 40)
		}
		rows = append(rows, []string{brief(c.Column), report.Count(c.After.Values), report.Count(c.After.Nulls), report.Count(c.Converted), report.Count(c.Rescued), report.Clean(example)})
	}
	b.WriteString(gap(rows))
	some(b, rows, []string{"column", "values", "nulls", "converted", "rescued", "for example"})
}

// told is what became of columns beside their values' types.
func (r repaired) told(b *strings.Builder) {
	var rows [][]string
	for _, t := range r.Told {
		what := map[string]string{
			"zone_assumed":     "wall clocks became instants, as if clocks stood at UTC; type timestamp_ntz keeps them",
			"value_truncated":  "digits beyond the microsecond were cut; type string keeps them",
			"calendar_rebased": "days and instants of the old calendar are those of today's",
			"name_cleaned":     "readers refuse the name; it is " + t.To,
			"column_empty":     "no file has a value of it, and the copy no such column",
		}[t.Kind]
		count := ""
		if t.Count > 0 {
			count = report.Count(t.Count)
		}
		rows = append(rows, []string{brief(t.Column), count, report.Clean(what)})
	}
	b.WriteString(gap(rows))
	some(b, rows, []string{"also", "values", "what became of it"})
}

func (r repaired) differences(b *strings.Builder) {
	var rows [][]string
	for _, d := range r.Differences {
		row := ""
		if d.Row > 0 {
			row = report.Count(d.Row)
		}
		rows = append(rows, []string{report.Path(d.File, 60), brief(d.Column), d.What, row, report.Cut(report.Clean(d.Before), 30), report.Cut(report.Clean(d.After), 30)})
	}
	b.WriteString(gap(rows))
	some(b, rows, []string{"differs", "column", "what", "row", "before", "after"})
}

func (r repaired) leftOut(b *strings.Builder) {
	var rows [][]string
	for _, l := range r.LeftOut {
		path := report.Path(l.Path, 60)
		if l.From > 0 {
			path += " from row " + report.Count(l.From)
		}
		rows = append(rows, []string{path, report.Bytes(l.Bytes), report.Clean(l.Reason), l.Code})
	}
	b.WriteString(gap(rows))
	some(b, rows, []string{"left out", "size", "why", "code"})
}

func (r repaired) others(b *strings.Builder) {
	for _, o := range []struct {
		head  string
		paths []string
	}{{"came to the source since, or changed", r.Since}, {"in the copy, and not as it was proven", r.Strange}} {
		var rows [][]string
		for _, path := range o.paths {
			rows = append(rows, []string{report.Path(path, 60)})
		}
		b.WriteString(gap(rows))
		some(b, rows, []string{o.head})
	}
}

// verifyCopy proves a copy again.
func (a *app) verifyCopy(ctx context.Context, at string) error {
	place, err := a.placeOf(at)
	if err != nil {
		return err
	}
	c, err := repair.Open(ctx, place, openStore)
	if err != nil {
		return err
	}
	start, bar := a.now(), a.progress("prove")
	r, err := c.Verify(ctx, 0, bar.files("prove"))
	bar.done()
	if err != nil {
		return err
	}
	if err := a.printRepair(repaired{r, a.now().Sub(start), place, "proven"}); err != nil || r.Sound() {
		return err
	}
	if err := unproven(r, place); err != nil {
		return err
	}
	return beside(r, place)
}

// beside is the error of a copy of which files came, or whose source goes on.
func beside(r *repair.Report, place *copyPlace) error {
	return diag.New(diag.CopyDiffers, "found %s", outside(r)).In(diag.Place{File: place.path}).
		Hinted("make a copy of the source as it is now, into another folder: landfall repair FOLDER --to OUT")
}

// outside says what is not as the copy was made, though its values are right.
func outside(r *repair.Report) string {
	var parts []string
	if n := len(r.Since); n > 0 {
		parts = append(parts, report.Plural(int64(n), "file")+" of the source that the copy does not have")
	}
	if n := len(r.Strange); n > 0 {
		parts = append(parts, report.Plural(int64(n), "file")+" in the copy that are not as it was proven")
	}
	return strings.Join(parts, " and ")
}
