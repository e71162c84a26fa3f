package record

import (
	"context"
	"path"

	"landfall/internal/engine"
	"landfall/internal/schema"
	"landfall/internal/store"
)

// Rows are rows that rules dropped from a batch.
type Rows struct {
	data    store.Store
	folder  string
	dropped *Dropped
}

// Row is one of them.
type Row struct {
	// Broken are the names of the rules that it broke, of those that drop rows.
	Broken []string
	// File is the URL of its source file, "" if that is not known.
	File string
	// Columns are those of the dataset in that batch, Values theirs.
	Columns []engine.Column
	Values  []engine.Value
}

// droppedName is what the rows are called in a query.
const droppedName = "dropped"

// Each lends the rows in the order in which they were dropped.
func (r Rows) Each(ctx context.Context, q engine.Querier, use func(Row) error) error {
	s, err := schema.ParseJSON([]byte(r.dropped.Columns))
	if err != nil {
		return err
	}
	v := engine.View{Name: droppedName, Schema: s, Store: r.data}
	for _, f := range r.dropped.Files {
		v.Files = append(v.Files, engine.File{Path: path.Join(r.folder, f.Name), Size: f.Size, Rows: f.Rows})
	}
	return q.Query(ctx, "SELECT * FROM "+droppedName, []engine.View{v}, nil, func(res engine.Result) error {
		n := len(res.Columns) - 2 // behind them are what is broken and the file
		for values, err := range res.Rows {
			if err != nil {
				return err
			}
			row := Row{Columns: res.Columns[:n], Values: values[:n]}
			if list, ok := values[n].(engine.List); ok {
				for _, name := range list {
					row.Broken = append(row.Broken, engine.Text(name))
				}
			}
			if values[n+1] != nil {
				row.File = engine.Text(values[n+1])
			}
			if err := use(row); err != nil {
				return err
			}
		}
		return nil
	})
}
