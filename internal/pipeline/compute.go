package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/sqlpipe"
)

// Names of rows that a session keeps.
const (
	rowsName      = "_landfall_rows"
	heldView      = "_landfall_held"
	tableName     = "_landfall_table"
	droppedColumn = "_landfall_dropped"
	brokenColumn  = "_landfall_broken"
)

// leastGuarded is how many rows a batch has at least before the guard against dropping
// too many looks at it: a part of few rows says nothing.
const leastGuarded = 20

// compute evaluates the query and the rules once, writes the rows that stay and those that
// are dropped, and makes data files of them.
func (b *batch) compute(ctx context.Context) (err error) {
	stage, err := os.MkdirTemp(b.Temp, "landfall-pipeline-")
	if err != nil {
		return fmt.Errorf("make a folder for rows on their way: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }()
	gone, err := b.retract(ctx)
	if err != nil {
		return err
	}
	views, err := b.in.views(ctx)
	if err != nil {
		return err
	}
	if v, ok, err := b.held(ctx, gone); err != nil {
		return err
	} else if ok {
		views = append(views, v)
	}
	w := &writing{batch: b, stage: stage}
	err = b.Engine.Session(ctx, engine.SessionOptions{Views: views, Folders: []string{stage}}, func(s engine.Session) error {
		w.session = s
		return w.run(ctx)
	})
	if err != nil {
		return b.told(err)
	}
	return b.assemble(ctx, w, gone)
}

// told says of what the engine refused which dataset it was.
func (b *batch) told(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	var said engine.Reason
	var d *diag.Diagnostic
	if errors.As(err, &d) && d.Code == diag.QueryFailed {
		text := d.Message
		if errors.As(err, &said) {
			text = said.Text
		}
		return b.problem(diag.QueryFailed, "%s: %s", b.dataset.Name, firstLine(text)).Because(err).
			Hinted("a value does not convert as the query wants: use TRY_CAST, or filter such rows first")
	}
	return err
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// held is the dataset's own table without the rows that are taken back, if a rule asks.
func (b *batch) held(ctx context.Context, gone map[string][]int64) (engine.View, bool, error) {
	asks := false
	for _, r := range b.query.rules {
		asks = asks || r.Kind == sqlpipe.Unique
	}
	if !asks || b.base == nil || b.anew {
		return engine.View{}, false, nil
	}
	v, err := viewOf(ctx, b.book.Table, b.base, sorted(b.base))
	if err != nil {
		return v, false, err
	}
	for i, f := range v.Files {
		v.Files[i].Deleted = append(f.Deleted[:len(f.Deleted):len(f.Deleted)], gone[f.Path]...)
	}
	v.Name, v.Store = tableName, b.book.Data
	return v, true, nil
}

// writing is what becomes of the rows of a batch.
type writing struct {
	*batch
	session engine.Session
	// stage is a folder on this machine.
	stage string
	// outputs are files of rows that stay, dropped one of those that do not.
	outputs []output
	dropped []engine.Written
}

func (w *writing) run(ctx context.Context) error {
	if err := w.keepHeld(ctx); err != nil {
		return err
	}
	rows, err := w.session.Keep(ctx, rowsName, w.rowsSQL())
	if err != nil {
		return err
	}
	w.attempt.Event.RowsIn = rows
	if err := w.count(ctx, rows); err != nil {
		return err
	}
	if err := w.judge(); err != nil {
		return err
	}
	return w.rows(ctx)
}

// keepHeld keeps the keys that the table holds, for rules that ask.
func (w *writing) keepHeld(ctx context.Context) error {
	var names []string
	for _, r := range w.query.rules {
		if r.Kind == sqlpipe.Unique {
			names = append(names, r.names...)
		}
	}
	if len(names) == 0 {
		return nil
	}
	texts := make([]string, 0, len(names))
	seen := map[string]bool{}
	have := w.base != nil && !w.anew
	for _, n := range names {
		if seen[n] {
			continue
		}
		seen[n] = true
		have = have && w.base.Schema.Lookup(n) >= 0
		texts = append(texts, quote(n))
	}
	sql := "SELECT " + strings.Join(texts, ", ") + " FROM " + quote(tableName)
	if !have { // no row has these columns
		sql = "SELECT " + strings.Join(texts, ", ") + " FROM (" + w.baseSQL() + ") WHERE false"
	}
	_, err := w.session.Keep(ctx, heldView, sql)
	return err
}

// baseSQL is the rows of the query in the columns of the dataset, with what is hidden.
func (w *writing) baseSQL() string {
	var texts []string
	for _, c := range w.query.columns {
		texts = append(texts, c.sql+" AS "+quote(c.name))
	}
	for _, h := range w.query.Hidden {
		texts = append(texts, quote(h.Name))
	}
	return "SELECT " + strings.Join(texts, ", ") + " FROM (" + w.query.SQL + ") AS b"
}

// rowsSQL adds what each rule says of a row, and whether the row is dropped.
func (w *writing) rowsSQL() string {
	texts := []string{"q.*"}
	var drops []string
	for i, r := range w.query.rules {
		texts = append(texts, "("+r.sql+") AS "+ruleName(i))
		if r.Action == sqlpipe.Drop {
			drops = append(drops, ruleName(i)+" IS NOT TRUE")
		}
	}
	drop := "false"
	if len(drops) > 0 {
		drop = strings.Join(drops, " OR ")
	}
	return "SELECT *, (" + drop + ") AS " + droppedColumn + " FROM (SELECT " + strings.Join(texts, ", ") + " FROM (" + w.baseSQL() + ") AS q)"
}

func ruleName(i int) string { return "_landfall_rule" + itoa(i) }

// rowwise tells that every row says which row of a stream it comes from.
func (c *compiled) rowwise() bool {
	for _, h := range c.Hidden {
		if h.Name == sourceColumn {
			return true
		}
	}
	return false
}

// judge stops a batch that a rule fails, or of which too much would be dropped.
func (w *writing) judge() error {
	e := &w.attempt.Event
	for i, r := range w.query.rules {
		x := e.Expectations[i]
		if r.Action != sqlpipe.Fail || x.False+x.Null == 0 {
			continue
		}
		d := w.dataset.File.Problem(diag.ExpectationFailed, r.At.At, "%s: %d of %d rows break the expectation %s, which fails the update: nothing was written", w.dataset.Name, x.False+x.Null, e.RowsIn, r.Name)
		if len(x.Samples) > 0 && !w.Redact {
			d.Message += "; such as " + x.Samples[0].Text()
		}
		return d.Hinted("correct the rows where they come from and land them again, or let the rule drop them: ON VIOLATION DROP ROW")
	}
	if e.RowsIn >= leastGuarded && float64(e.RowsDropped) > w.MaxDropRate*float64(e.RowsIn) {
		return w.problem(diag.ExpectationFailed, "%s: rules drop %d of %d rows, more than %g %%: nothing was written", w.dataset.Name, e.RowsDropped, e.RowsIn, 100*w.MaxDropRate).
			Hinted("look at the rules and at the rows; if it is as it should be, set max_drop_rate: under the pipeline in landfall.yaml")
	}
	return nil
}

// each hands over the rows of a statement.
func (w *writing) each(ctx context.Context, sql string, use func([]engine.Value) error) error {
	return w.session.Query(ctx, sql, func(r engine.Result) error {
		for row, err := range r.Rows {
			if err == nil {
				err = use(row)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// assemble makes data files of what was written, and the commit.
func (b *batch) assemble(ctx context.Context, w *writing, gone map[string][]int64) error {
	a := &assembly{batch: b, writing: w, gone: gone}
	return a.run(ctx)
}
