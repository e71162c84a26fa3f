package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"landfall/internal/engine"
	"landfall/internal/event"
	"landfall/internal/schema"
)

// mostFiles bounds the source files that an event names of a rule, mostSamples the rows.
const (
	mostFiles   = 50
	mostSamples = 5
)

// whole is a count of the engine.
func whole(v engine.Value) int64 {
	switch n := v.(type) {
	case int64:
		return n
	case int32:
		return int64(n)
	case engine.Number:
		var out int64
		_, _ = fmt.Sscan(string(n), &out)
		return out
	}
	return 0
}

// count counts what the rules say, in one pass: for each source file, and in all.
func (w *writing) count(ctx context.Context, rows int64) error {
	e := &w.attempt.Event
	for _, r := range w.query.rules {
		e.Expectations = append(e.Expectations, event.Expectation{Name: r.Name, Action: r.Action.String(), Condition: r.Text, Columns: r.names})
	}
	total := int64(0)
	err := w.each(ctx, w.countSQL(), func(row []engine.Value) error {
		file := ""
		if row[0] != nil {
			file = w.shown(engine.Text(row[0]))
		}
		total += whole(row[1])
		e.RowsDropped += whole(row[2])
		for i := range w.query.rules {
			c := event.FileCount{File: file, True: whole(row[3+3*i]), False: whole(row[4+3*i]), Null: whole(row[5+3*i])}
			e.Expectations[i].Add(c)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if total != rows {
		return fmt.Errorf("%s: counted %d rows of %d", w.dataset.Name, total, rows)
	}
	e.RowsWritten = rows - e.RowsDropped
	for i := range e.Expectations {
		w.trim(&e.Expectations[i])
		if e.Expectations[i].False+e.Expectations[i].Null == 0 {
			continue
		}
		if e.Expectations[i].Samples, err = w.samples(ctx, i); err != nil {
			return err
		}
	}
	return w.casts(ctx)
}

func (w *writing) shown(file string) string {
	if w.Shown == nil {
		return file
	}
	return w.Shown(file)
}

func (w *writing) hidden(name string) bool {
	return slices.ContainsFunc(w.query.Hidden, func(f schema.Field) bool { return f.Name == name })
}

func (w *writing) countSQL() string {
	texts := []string{w.origin(), "count(*)", "count(*) FILTER (" + droppedColumn + ")"}
	for i := range w.query.rules {
		n := ruleName(i)
		texts = append(texts, "count(*) FILTER ("+n+")", "count(*) FILTER (NOT "+n+")", "count(*) FILTER ("+n+" IS NULL)")
	}
	return "SELECT " + strings.Join(texts, ", ") + " FROM " + quote(rowsName) + " GROUP BY 1 ORDER BY 1"
}

// trim keeps the files with the most rows that are not true.
func (w *writing) trim(x *event.Expectation) {
	slices.SortStableFunc(x.Files, func(a, b event.FileCount) int { return int(b.False + b.Null - a.False - a.Null) })
	x.Files = x.Files[:min(len(x.Files), mostFiles)]
}

// samples are the first rows that break a rule: the columns that it names.
func (w *writing) samples(ctx context.Context, i int) ([]event.Sample, error) {
	rule := w.query.rules[i]
	var texts []string
	names := rule.names
	for _, n := range names {
		if n == "_rescued_data" && indexOf(w.query.columns, n) < 0 {
			texts = append(texts, rescuedColumn)
			continue
		}
		texts = append(texts, quote(n))
	}
	sql := "SELECT " + strings.Join(append([]string{w.origin()}, texts...), ", ") + " FROM " + quote(rowsName) + " WHERE " + ruleName(i) + " IS NOT TRUE" + w.order() + " LIMIT " + itoa(mostSamples)
	var out []event.Sample
	err := w.each(ctx, sql, func(row []engine.Value) error {
		s := event.Sample{Values: map[string]string{}}
		if row[0] != nil {
			s.File = w.shown(engine.Text(row[0]))
		}
		for n, name := range names {
			s.Values[name] = engine.Text(row[n+1])
		}
		if values := rescued(s.Values["_rescued_data"]); len(values) > 0 {
			s.Rescued = slices.Sorted(maps.Keys(values))
			delete(s.Values, "_rescued_data")
			maps.Copy(s.Values, values)
		}
		if w.Redact {
			s.Values = map[string]string{}
		}
		out = append(out, s)
		return nil
	})
	return out, err
}

// rescued are the values that a text of _rescued_data holds, by the names of their columns.
func rescued(text string) map[string]string {
	var values map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &values) != nil {
		return nil
	}
	out := map[string]string{}
	for name, raw := range values {
		if strings.HasPrefix(name, "_") {
			continue
		}
		var s string
		if json.Unmarshal(raw, &s) != nil {
			s = string(raw)
		}
		out[name] = s
	}
	return out
}

// casts counts the TRY_CASTs that made values null.
func (w *writing) casts(ctx context.Context) error {
	var texts []string
	var probes []int
	for i, p := range w.query.Probes {
		if w.hidden(p.Name) {
			texts = append(texts, "count(*) FILTER ("+quote(p.Name)+")")
			probes = append(probes, i)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return w.each(ctx, "SELECT "+strings.Join(texts, ", ")+" FROM "+quote(rowsName), func(row []engine.Value) error {
		for n, i := range probes {
			if c := whole(row[n]); c > 0 {
				p := w.query.Probes[i]
				w.attempt.Event.Casts = append(w.attempt.Event.Casts, event.Cast{Column: p.Column, To: p.To.String(), Count: c})
			}
		}
		return nil
	})
}
