package main

import (
	"fmt"
	"strings"

	"landfall/internal/event"
	"landfall/internal/pipeline"
)

// outcomeLines say how a dataset fared, for people.
func outcomeLines(o pipeline.Outcome) []string {
	name := o.Dataset.Name
	switch o.Status {
	case pipeline.Unchanged:
		return append([]string{fmt.Sprintf("%-20s nothing new", name)}, lookLines(o.Looks)...)
	case pipeline.Skipped:
		return []string{fmt.Sprintf("%-20s skipped: a dataset that it reads failed", name)}
	}
	var out []string
	for _, e := range o.Batches {
		out = append(out, batchLines(name, e)...)
	}
	if o.Err != nil && len(o.Batches)+len(o.Looks) == 0 {
		out = append(out, fmt.Sprintf("%-20s failed: nothing was written", name))
	}
	return append(out, lookLines(o.Looks)...)
}

// lookLines say which tables have no row that is new enough.
func lookLines(looks []event.Dataset) []string {
	var out []string
	for _, e := range looks {
		if e.Reason != "" {
			out = append(out, "  ! "+e.Reason)
		}
	}
	return out
}

// batchLines say what a batch did: the rows reconcile, then the rules that rows broke.
func batchLines(name string, e event.Dataset) []string {
	head := fmt.Sprintf("%-20s wrote %s (%s) as version %d", name, count(e.RowsWritten, "row"), e.How, e.TableVersion)
	if e.Status == "FAILED" {
		head = fmt.Sprintf("%-20s failed: nothing was written", name)
	}
	if e.Flow != e.Dataset {
		head += " by flow " + e.Flow
	}
	out := []string{head}
	if e.RowsDropped > 0 && e.Status != "FAILED" {
		out = append(out, fmt.Sprintf("  rows in %d = written %d + dropped %d", e.RowsIn, e.RowsWritten, e.RowsDropped))
	}
	if e.RowsRemoved > 0 && e.How == "new rows" {
		out = append(out, fmt.Sprintf("  %s taken back: what they were made of is gone", count(e.RowsRemoved, "row")))
	}
	if len(e.Added) > 0 {
		out = append(out, "  + new columns: "+strings.Join(e.Added, ", "))
	}
	if len(e.Widened) > 0 {
		out = append(out, "  ~ wider types: "+strings.Join(e.Widened, ", "))
	}
	if e.Changed && e.How == "new rows" {
		out = append(out, "  ~ the query was changed: rows from now on follow it, those before stay as they are (--full-refresh "+e.Dataset+" makes them anew)")
	}
	for _, c := range e.Casts {
		out = append(out, fmt.Sprintf("  ~ %s of column %s became NULL: no %s", count(c.Count, "value"), c.Column, c.To))
	}
	for _, x := range e.Expectations {
		out = append(out, expectationLines(x)...)
	}
	return out
}

func expectationLines(x event.Expectation) []string {
	if x.False+x.Null == 0 {
		return nil
	}
	decided := map[string]string{"warn": "kept", "drop": "dropped", "fail": "update failed"}[x.Action]
	line := fmt.Sprintf("  ! %s: %s broke it (%d false, %d null), %s", x.Name, count(x.False+x.Null, "row"), x.False, x.Null, decided)
	out := []string{line}
	for i, f := range x.Files {
		if i == 3 {
			out = append(out, fmt.Sprintf("      and %s more", count(int64(len(x.Files)-3), "file")))
			break
		}
		out = append(out, fmt.Sprintf("      %d in %s", f.False+f.Null, f.File))
	}
	if len(x.Samples) > 0 && len(x.Samples[0].Values) > 0 {
		out = append(out, "      such as "+x.Samples[0].Text())
	}
	return out
}

// count is a number with a word for what is counted.
func count(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
