package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/event"
	"landfall/internal/pipeline/record"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
	"landfall/internal/sparksql/translate"
	"landfall/internal/sqlpipe"
	"landfall/internal/table"
)

// Looked is event.Dataset.How of a look at a table as it is, which is no batch.
const Looked = "looked at"

// freshRule is one that asks how old the newest value is, as it stands for a row.
func (r *runner) freshRule(d sqlpipe.Rule, columns []schema.Field, o translate.Options) (rule, error) {
	now := &sparksql.Call{Range: d.At, Name: "current_timestamp"}
	x := &sparksql.Binary{Range: d.At, Op: ">=", X: d.Expr, Y: &sparksql.Binary{Range: d.At, Op: "-", X: now, Y: d.Within}}
	one := rule{Rule: d}
	var err error
	one.sql, one.names, err = translate.Condition(r.dataset.File, x, columns, o)
	return one, err
}

// looks looks at the table as it is now, whether there was a batch or not: each rule about
// its newest value is true or false once. The error is that of rules that fail.
func (r *runner) looks(ctx context.Context) ([]event.Dataset, error) {
	rules := slices.DeleteFunc(slices.Clone(r.dataset.Rules), func(d sqlpipe.Rule) bool { return d.Kind != sqlpipe.Fresh })
	if len(rules) == 0 {
		return nil, nil
	}
	snap, err := r.book.Table.Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	view, err := viewOf(ctx, r.book.Table, snap, sorted(snap))
	if err != nil {
		return nil, err
	}
	view.Name, view.Store = tableName, r.book.Data
	var out []event.Dataset
	var problems []error
	err = r.Engine.Session(ctx, engine.SessionOptions{Views: []engine.View{view}}, func(s engine.Session) error {
		for _, d := range rules {
			e, err := r.look(ctx, s, d, snap)
			if err != nil {
				return err
			}
			out = append(out, e)
			if d.Action == sqlpipe.Fail && e.Reason != "" {
				problems = append(problems, r.dataset.File.Problem(diag.ExpectationFailed, d.At.At, "%s", e.Reason).
					Hinted("see why nothing newer came; what was written stays"))
			}
		}
		return nil
	})
	return out, errors.Join(append(problems, err)...)
}

// look evaluates one rule, and keeps what is not as it should be.
func (r *runner) look(ctx context.Context, s engine.Session, d sqlpipe.Rule, snap *table.Snapshot) (event.Dataset, error) {
	one, err := r.freshRule(d, snap.Schema.Fields, translate.Options{Now: moment(r.Now()), Params: r.Params})
	if err != nil {
		return event.Dataset{}, err
	}
	newest := "NULL"
	if len(one.names) == 1 {
		newest = "max(" + quote(one.names[0]) + ")"
	}
	x := event.Expectation{Name: d.Name, Action: d.Action.String(), Condition: d.Text, Columns: one.names}
	value := ""
	sql := "SELECT coalesce(bool_or(" + one.sql + "), false), " + newest + " FROM " + quote(tableName)
	err = s.Query(ctx, sql, func(result engine.Result) error {
		for row, err := range result.Rows {
			if err != nil {
				return err
			}
			if fresh, _ := row[0].(bool); fresh {
				x.True = 1
			} else {
				x.False = 1
			}
			value = engine.Text(row[1])
		}
		return nil
	})
	if err != nil {
		return event.Dataset{}, err
	}
	e := event.Dataset{
		Pipeline: r.Name, Dataset: r.dataset.Name, Kind: kindName(r.dataset.Kind), Flow: r.dataset.Name, Batch: batches(snap), Run: r.id,
		Status: "COMPLETED", How: Looked, TableVersion: snap.Version, Inputs: []event.Input{},
	}
	if x.False > 0 && len(one.names) == 1 && !r.Redact {
		x.Samples = []event.Sample{{Values: map[string]string{one.names[0]: value}}}
	}
	e.Expectations = []event.Expectation{x}
	if x.False == 0 {
		return e, nil
	}
	e.Reason = fmt.Sprintf("%s: %s is broken: no row is within %s", r.dataset.Name, d.Name, d.Text)
	if len(x.Samples) > 0 {
		e.Reason += fmt.Sprintf("; the newest is %s", value)
	}
	a := &record.Attempt{Format: record.Format, Flow: e.Flow, Batch: e.Batch, ID: r.NewID(), Time: r.Now().UTC(), Event: e}
	return e, r.book.Look(ctx, d.Name, a)
}

// batches is how many batches all flows of a table landed.
func batches(snap *table.Snapshot) int64 {
	var n int64
	for a, batch := range snap.Txns {
		if strings.HasPrefix(a, record.AppPrefix) {
			n += batch
		}
	}
	return n
}
