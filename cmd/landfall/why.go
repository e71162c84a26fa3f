package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/provenance"
	"landfall/internal/report"
	"landfall/internal/schema"
	"landfall/internal/table"
	"landfall/internal/table/delta"
)

// mostRows bounds the rows that are explained at once.
const mostRows = 20

func (a *app) whyCommand() *cobra.Command {
	var f rereadFlags
	var where, column string
	c := &cobra.Command{
		Use:   "why TABLE --where SQL",
		Short: "Say where rows and cells come from: file, record, batch, rule",
		Long: `Say of each row that a condition picks which file and record it came from, which
batch landed it and under which contract; and of each of its cells what the file has
there and which rule gave it its type, or kept it beside the row.

TABLE is a source of the project, or --table names a table's folder; a source that
was landed with options needs them again. At most 20 rows are explained at once.` + exitCodes,
		Example: `  landfall why orders --where "id = 17"
  landfall why orders --where "id = 17" --column amount
  landfall why --table lake/orders --where "_rescued_data IS NOT NULL" --json`,
		Args: args(0, 2, "a source, FOLDER TABLE, or --table"),
		RunE: func(c *cobra.Command, names []string) error {
			if strings.TrimSpace(where) == "" {
				return diag.New(diag.Usage, "found no --where, want a condition that picks rows").Hinted(`such as --where "id = 17"`)
			}
			all, err := a.rereadable(c.Context(), f, names)
			if err != nil {
				return err
			}
			return a.why(c.Context(), all, where, column)
		},
	}
	f.flags(c)
	c.Flags().StringVar(&where, "where", "", "a condition on the columns of the table, in DuckDB's SQL")
	c.Flags().StringVar(&column, "column", "", "only this column, or a part of one: amount, `address.city`, a.`b c`")
	return c
}

func (a *app) why(ctx context.Context, all []rereadable, where, column string) error {
	one := all[0]
	snap, err := one.source.Table.Snapshot(ctx)
	if err != nil {
		return err
	}
	column, part, ok := columnNamed(ctx, all, snap.Schema, column)
	if !ok {
		return diag.New(diag.Usage, "found --column %s, want a column of the table, or a part of one", diag.Quote(column)).
			Hinted("see them: landfall schema show %s", one.where)
	}
	places, err := a.matches(ctx, one, snap, where)
	if err != nil {
		return err
	}
	rows := make([]*provenance.Row, len(places))
	for _, r := range all {
		e := provenance.Explainer{
			Name: r.source.Name, Objects: r.objects(), State: r.source.State, Data: r.source.Data, Snapshot: snap,
			Column: column, Part: part,
		}
		found, err := e.Explain(ctx, places)
		if err != nil {
			return err
		}
		for i := range rows {
			rows[i] = cmp.Or(rows[i], found[i])
		}
	}
	if len(rows) == 0 && !a.json && !a.quiet {
		_, err := fmt.Fprintln(a.stdout, "no row meets the condition")
		return err
	}
	for i, r := range rows {
		if r == nil {
			r = provenance.Foreign(places[i])
		}
		if err := a.printWhy(r, i > 0); err != nil {
			return err
		}
	}
	return nil
}

// columnNamed finds the column that a name means, or a path to a part of one; ok is
// false if there is none. No name means all columns.
func columnNamed(ctx context.Context, all []rereadable, s schema.Struct, name string) (column string, part schema.Path, ok bool) {
	if name == "" || hasColumn(ctx, all, s, name) {
		return name, nil, true
	}
	path, err := schema.ParsePath(name)
	if err != nil || !hasColumn(ctx, all, s, path[0]) {
		return name, nil, false
	}
	if len(path) == 1 {
		return path[0], nil, true
	}
	for _, r := range all {
		v, err := target{state: r.source.State}.version(ctx, 0)
		if err != nil {
			continue
		}
		if _, ok := v.contract.TypeOf(path.String()); ok {
			return path[0], path[1:], true
		}
	}
	return name, nil, false
}

// hasColumn tells whether the table has a column, or files have one of its under
// that name.
func hasColumn(ctx context.Context, all []rereadable, s schema.Struct, name string) bool {
	if s.Lookup(name) >= 0 {
		return true
	}
	for _, r := range all {
		v, err := target{state: r.source.State}.version(ctx, 0)
		if err != nil {
			continue
		}
		for _, c := range v.contract.Columns {
			for _, n := range append(v.contract.Aliases(c), c.Original) {
				if schema.Fold(n) == schema.Fold(name) {
					return true
				}
			}
		}
	}
	return false
}

// matches returns the rows of a table that a condition picks.
func (a *app) matches(ctx context.Context, r rereadable, snap *table.Snapshot, where string) ([]provenance.Place, error) {
	view, err := viewOf(ctx, delta.Open(r.source.Data, delta.Options{}), snap, namedTable{"t", r.source.Data})
	if err != nil {
		return nil, err
	}
	view.Positions = true
	from := "t"
	if r.name != "" {
		from = `t AS "` + strings.ReplaceAll(r.name, `"`, `""`) + `"`
	}
	sql := fmt.Sprintf("SELECT * FROM %s WHERE (%s\n) ORDER BY %s, %s LIMIT %d", from, where, engine.FileNumber, engine.RowNumber, mostRows+1)
	e, err := duckdb.Open(ctx, duckdb.Options{})
	if err != nil {
		return nil, err
	}
	var lines bytes.Buffer
	if err := e.Query(ctx, sql, []engine.View{view}, nil, func(r engine.Result) error {
		_, err := engine.WriteNDJSON(&lines, r)
		return err
	}); err != nil {
		return nil, err
	}
	places, err := placesOf(&lines, snap, view)
	if err == nil && len(places) > mostRows {
		err = diag.New(diag.Usage, "found more than %d rows, want at most that many", mostRows).
			Hinted("narrow the condition: add AND …, or name a row by its key")
	}
	return places, err
}

// placesOf reads the rows of a query.
func placesOf(lines *bytes.Buffer, snap *table.Snapshot, view engine.View) ([]provenance.Place, error) {
	byPath := map[string]table.File{}
	for _, f := range snap.Files() {
		byPath[f.Path] = f
	}
	var places []provenance.Place
	for dec := json.NewDecoder(lines); dec.More(); {
		var values map[string]json.RawMessage
		if err := dec.Decode(&values); err != nil {
			return nil, err
		}
		var file int
		var p provenance.Place
		if err := json.Unmarshal(values[engine.FileNumber], &file); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(values[engine.RowNumber], &p.Position); err != nil {
			return nil, err
		}
		delete(values, engine.FileNumber)
		delete(values, engine.RowNumber)
		p.File, p.Values = byPath[view.Files[file].Path], values
		places = append(places, p)
	}
	return places, nil
}

func (a *app) printWhy(r *provenance.Row, more bool) error {
	if a.json {
		return a.print(r)
	}
	text := whyText(r)
	if more {
		text = "\n" + text
	}
	_, err := fmt.Fprint(a.stdout, text)
	return err
}

// whyText is what is known of a row, for people.
func whyText(r *provenance.Row) string {
	var b strings.Builder
	line := func(what, text string) { fmt.Fprintf(&b, "  %-9s %s\n", what, report.Clean(text)) }
	fmt.Fprintf(&b, "%s\n", report.Clean(whyHead(r)))
	if f := r.File; f != nil {
		line("file", fmt.Sprintf("%s, %s of %s, xxh3 %s: %s", f.Path, report.Bytes(f.Size), f.Modified.UTC().Format(time.RFC3339), cmp.Or(f.Hash, "unknown"), f.Now))
	}
	line("row", fmt.Sprintf("%d of %s", r.Position+1, r.DataFile))
	if l := r.Landed; l != nil {
		line("batch", fmt.Sprintf("%d (%s), table version %d, %s, attempt %s", l.Batch, l.Kind, l.TableVersion, l.At.UTC().Format(time.RFC3339), l.Attempt))
	}
	if c := r.Contract; c != nil {
		line("contract", contractText(c))
	}
	if r.Record.Text != "" {
		line("text", report.Cut(strings.TrimRight(r.Record.Text, "\r\n"), longest*2))
	}
	for _, n := range r.Notes {
		line("note", n)
	}
	b.WriteString("\n")
	rows := make([][]string, 0, len(r.Columns))
	for _, c := range r.Columns {
		rows = append(rows, []string{c.Column, report.Cut(string(c.Value), width), cellText(c), ruleText(c)})
	}
	b.WriteString(report.Table([]string{"column", "value", "from", "rule"}, rows, report.Layout{Indent: 2}))
	for _, k := range r.Rescued {
		line("rescued", keptText(k))
	}
	for _, k := range r.Ignored {
		line("ignored", keptText(k))
	}
	return b.String()
}

// width is how much of a value is shown in a table.
const width = 40

// whyHead names the row by its file and record.
func whyHead(r *provenance.Row) string {
	if r.File == nil {
		return "a row that no batch on record landed"
	}
	at := "record unknown"
	switch rec := r.Record; {
	case rec.Number > 0:
		at = fmt.Sprintf("record %d", rec.Number)
		if rec.Line > 0 {
			at += fmt.Sprintf(" (line %d)", rec.Line)
		}
		at += ", found by " + strings.ReplaceAll(rec.FoundBy, "_", " ")
	case len(rec.Alike) > 0:
		at = "one of records " + strings.Trim(fmt.Sprint(rec.Alike), "[]")
	}
	return fmt.Sprintf("%s: %s, %s", r.Source, r.File.Path, at)
}

func contractText(c *provenance.Version) string {
	text := fmt.Sprintf("v%d of %s", c.Version, c.At.UTC().Format(time.RFC3339))
	if c.Reason != "" {
		text += ", by " + c.Reason
	}
	if c.Who != "" {
		text += ", " + c.Who
	}
	const most = 3
	for i, d := range c.Cause {
		switch {
		case i == 0:
			text += ", for " + string(d.Kind) + " " + d.Column
		case i < most:
			text += ", " + string(d.Kind) + " " + d.Column
		case i == most:
			text += fmt.Sprintf(" and %d more", len(c.Cause)-most)
		}
	}
	if c.Now != c.Version {
		text += fmt.Sprintf("; today v%d", c.Now)
	}
	return text
}

// cellText says where a value came from.
func cellText(c provenance.Cell) string {
	text := c.State
	switch {
	case c.State == provenance.Ours:
		return "written by landfall"
	case c.Raw != nil:
		text += " " + report.Cut(diag.Quote(*c.Raw), width)
	}
	if c.Field != "" && c.Field != c.Column {
		text += " of " + diag.Quote(c.Field)
	}
	if c.Why != "" && c.Why != c.State {
		text += " (" + c.Why + ")"
	}
	if c.Policy != "" {
		text += ", by " + c.Policy
	}
	return text
}

// ruleText says how a column came to its type.
func ruleText(c provenance.Cell) string {
	r := c.Rule
	if r == nil {
		return ""
	}
	if r.By == "table" {
		return c.Type + ": the table has it, the contract has not"
	}
	text := fmt.Sprintf("%s: %s, v%d", c.Type, r.By, r.Version)
	if r.Evidence != "" {
		text += ", " + r.Evidence
	}
	for _, h := range r.Changes {
		text += fmt.Sprintf("; v%d %s", h.Version, h.Kind)
		if h.From != "" || h.To != "" {
			text += " " + h.From + " → " + h.To
		}
	}
	for _, d := range r.Decided {
		text += "; decided: " + d.String()
	}
	return text
}

func keptText(k provenance.Kept) string {
	text := fmt.Sprintf("%s: %s (%s)", k.Path, report.Cut(string(k.Value), width), k.Why)
	if k.Policy != "" {
		text += ", by " + k.Policy
	}
	return text
}
