package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/event"
	"landfall/internal/report"
	"landfall/internal/schema"
	"landfall/internal/state"
	"landfall/internal/table"
	"landfall/internal/table/delta"
)

func (a *app) driftShowCommand() *cobra.Command {
	var s selector
	c := &cobra.Command{
		Use:   "show [SOURCE] COLUMN|ID",
		Short: "Show all about one drift: files, values, and what each choice would do",
		Long: `Show the drift of one column, or one line of "landfall drift list" by its id: the
files that had it, some values, and what each decision would do.` + exitCodes,
		Example: `  landfall drift show orders order_total
  landfall drift show --table lake/orders 4be1a9`,
		Args: args(1, 3, "a source, and a column or an id"),
		RunE: func(c *cobra.Command, args []string) error {
			last := len(args) - 1
			t, err := a.target(c.Context(), s, args[:last])
			if err != nil {
				return err
			}
			return a.showDrift(c.Context(), t, args[last], s.where(args[:last]))
		},
	}
	s.flags(c)
	return c
}

// where writes what names the source to another command.
func (s selector) where(names []string) string {
	var words []string
	if s.table != "" {
		words = append(words, "--table", quoted(s.table))
	}
	if s.source != "" {
		words = append(words, "--source", quoted(s.source))
	}
	for _, n := range names {
		words = append(words, quoted(n))
	}
	return strings.Join(words, " ")
}

// considered is what there is to say of the drift of a column. Its keys are those
// of `landfall drift show --json`.
type considered struct {
	Source string       `json:"source"`
	Column string       `json:"column"`
	Type   string       `json:"type,omitempty"`
	Drift  []state.Met  `json:"drift"`
	Files  []driftFile  `json:"files"`
	Choose []wouldBe    `json:"choices"`
	Events []driftEvent `json:"events"`
	samples
}

// driftFile is a file that had the drift.
type driftFile struct {
	Kind   event.Kind `json:"kind"`
	File   string     `json:"file"`
	Record int64      `json:"record,omitempty"`
	Count  int64      `json:"count"`
}

type driftEvent struct {
	Batch int64 `json:"batch"`
	event.Drift
}

func (a *app) showDrift(ctx context.Context, t target, name, where string) error {
	v, met, err := a.driftOf(ctx, t, name)
	if err != nil {
		return err
	}
	x := considered{Source: t.name, Column: met[0].Column, Drift: met}
	if at := slices.IndexFunc(v.contract.Columns, func(c contract.Column) bool { return schema.Fold(c.Original) == schema.Fold(x.Column) }); at >= 0 {
		x.Type = v.contract.Columns[at].Type
	}
	if x.Events, err = eventsOf(ctx, t, met); err != nil {
		return err
	}
	x.Files = filesOf(x.Events)
	if x.samples, err = t.sample(ctx, v.contract, x.Column); err != nil {
		return err
	}
	snap, err := delta.Open(t.data, delta.Options{}).Snapshot(ctx)
	if err != nil && !errors.Is(err, table.ErrNoTable) {
		return err
	}
	c := choosing{version: v.contract, where: where, id: met[0].ID}
	if snap != nil {
		c.table = &snap.Schema
		if c.shared, err = t.shared(ctx, snap); err != nil {
			return err
		}
	}
	x.Choose = c.of(met)
	for i, c := range x.Choose {
		x.Choose[i].Command = a.paste(c.Command)
	}
	if a.json {
		return a.print(x)
	}
	_, err = fmt.Fprint(a.stdout, x.text(a.paste))
	return err
}

// driftOf finds what a person means by a column or an id, and the contract in
// force.
func (a *app) driftOf(ctx context.Context, t target, name string) (agreed, []state.Met, error) {
	v, err := t.version(ctx, 0)
	if err != nil {
		return v, nil, err
	}
	all, err := t.state.Drift(ctx, t.name)
	if err != nil {
		return v, nil, err
	}
	if met := named(all, name); len(met) > 0 {
		return v, met, nil
	}
	return v, nil, diag.New(diag.Usage, "found %s, want a column that drifted or the id of a drift", diag.Quote(name)).
		In(diag.Place{File: t.state.URL()}).Hinted("see them all: landfall drift list")
}

// named are the drifts of a column, or the one of an id.
func named(all []state.Met, name string) []state.Met {
	folded := schema.Fold(schema.TrimName(name))
	var met []state.Met
	for _, x := range all {
		if schema.Fold(x.Column) == folded {
			met = append(met, x)
		}
	}
	if len(met) > 0 {
		return met
	}
	id := strings.TrimPrefix(folded, "#")
	for _, x := range all {
		if x.ID == id {
			return []state.Met{x}
		}
	}
	return nil
}

// eventsOf are the events behind drift.
func eventsOf(ctx context.Context, t target, met []state.Met) ([]driftEvent, error) {
	out := []driftEvent{}
	for e, err := range t.state.Events(ctx) {
		if err != nil {
			return nil, err
		}
		if e.Drift == nil || e.Batch < met[0].First.Batch {
			continue
		}
		id := state.DriftID(t.name, *e.Drift)
		if slices.ContainsFunc(met, func(x state.Met) bool { return x.ID == id }) {
			out = append(out, driftEvent{e.Batch, *e.Drift})
		}
	}
	return out, nil
}

// filesOf are the files that events name, once each.
func filesOf(events []driftEvent) []driftFile {
	files := []driftFile{}
	for _, e := range events {
		if e.File == "" {
			continue
		}
		at := slices.IndexFunc(files, func(f driftFile) bool { return f.Kind == e.Kind && f.File == e.File })
		if at < 0 {
			files = append(files, driftFile{Kind: e.Kind, File: e.File, Record: e.Record, Count: max(e.Count, 1)})
		} else {
			files[at].Count += max(e.Count, 1)
		}
	}
	return files
}

// samples are some values of a column: those that the table has in it, and those
// that it keeps beside the row.
type samples struct {
	Values  []string `json:"values"`
	Rescued []string `json:"rescued"`
}

// sample looks for values of a column.
func (t target) sample(ctx context.Context, v contract.Version, column string) (samples, error) {
	const most = 5
	s := samples{Values: []string{}, Rescued: []string{}}
	view, err := openView(ctx, namedTable{"t", t.data})
	if err != nil {
		return s, err
	}
	var parts []string
	part := func(kind, value string) {
		parts = append(parts, fmt.Sprintf("(SELECT DISTINCT '%s' AS k, CAST(%s AS VARCHAR) AS v FROM t WHERE %s IS NOT NULL ORDER BY v LIMIT %d)", kind, value, value, most))
	}
	if at := slices.IndexFunc(v.Columns, func(c contract.Column) bool { return schema.Fold(c.Original) == schema.Fold(column) }); at >= 0 {
		if i := view.Schema.Lookup(v.Columns[at].Name); i >= 0 {
			part("value", `"`+strings.ReplaceAll(view.Schema.Fields[i].Name, `"`, `""`)+`"`)
		}
	}
	if view.Schema.Lookup(contract.RescuedData) >= 0 {
		pointer := strings.NewReplacer("~", "~0", "/", "~1", "'", "''").Replace(column)
		part("rescued", fmt.Sprintf("(%s->>'/%s')", contract.RescuedData, pointer))
	}
	if len(parts) == 0 {
		return s, nil
	}
	e, err := duckdb.Open(ctx, duckdb.Options{})
	if err != nil {
		return s, err
	}
	var b bytes.Buffer
	if err := e.Query(ctx, strings.Join(parts, " UNION ALL "), []engine.View{view}, nil, func(r engine.Result) error {
		_, err := engine.WriteNDJSON(&b, r)
		return err
	}); err != nil {
		return s, fmt.Errorf("look for values of %s: %w", column, err)
	}
	for dec := json.NewDecoder(&b); dec.More(); {
		var row struct{ K, V string }
		if err := dec.Decode(&row); err != nil {
			return s, err
		}
		if row.K == "value" {
			s.Values = append(s.Values, row.V)
		} else {
			s.Rescued = append(s.Rescued, row.V)
		}
	}
	return s, nil
}

// text is all of it for people.
func (x considered) text(paste func(string) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s %s\n", x.Source, brief(x.Column), cmp.Or(x.Type, "(no column)"))
	for _, m := range x.Drift {
		fmt.Fprintf(&b, "\n  #%s  %s, %s\n", m.ID, m.Kind, m.Status)
		fmt.Fprintf(&b, "           done: %s, by %s, %s\n", doneText(m), m.Policy, report.Plural(m.Count, "time"))
		if d := m.Decided; d != nil {
			fmt.Fprintf(&b, "           decided: %s, by %s on %s: %s\n", report.Cut(d.String(), longest), cmp.Or(d.Who, "somebody"), d.At.UTC().Format("2006-01-02"), report.Cut(d.Why, longest))
		}
	}
	for _, hint := range x.hints() {
		fmt.Fprintf(&b, "\n  hint: %s\n", report.Clean(paste(hint)))
	}
	const most = 10
	rows := make([][]string, 0, most)
	for _, f := range x.Files[:min(most, len(x.Files))] {
		rows = append(rows, []string{place(f.File, 0, f.Record), string(f.Kind), report.Count(f.Count)})
	}
	if len(rows) > 0 {
		b.WriteString("\n" + report.Table([]string{"file", "drift", "count"}, rows, report.Layout{Indent: 2}))
	}
	if more := len(x.Files) - most; more > 0 {
		fmt.Fprintf(&b, "  and %s\n", report.Plural(int64(more), "more file"))
	}
	sampleText(&b, "values", x.Values)
	sampleText(&b, "rescued", x.Rescued)
	b.WriteString("\n")
	if len(x.Choose) == 0 {
		b.WriteString("  nothing is left to decide about it\n")
	}
	for _, c := range x.Choose {
		fmt.Fprintf(&b, "  %s\n      %s\n", report.Clean(c.Command), report.Clean(c.Effect))
	}
	return b.String()
}

// hints are the newest of each kind, where they lead on.
func (x considered) hints() []string {
	var all []string
	told := map[event.Kind]bool{event.ColumnRenamed: true} // the choices say it
	for _, e := range slices.Backward(x.Events) {
		if e.Hint != "" && !told[e.Kind] {
			told[e.Kind] = true
			all = append(all, e.Hint)
		}
	}
	return all
}

func sampleText(b *strings.Builder, what string, values []string) {
	const width = 40
	if len(values) == 0 {
		return
	}
	cut := make([]string, len(values))
	for i, v := range values {
		cut[i] = report.Cut(v, width)
	}
	fmt.Fprintf(b, "\n  %s: %s\n", what, strings.Join(cut, ", "))
}
