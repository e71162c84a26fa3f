package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/store/local"
	"landfall/internal/table"
	"landfall/internal/table/delta"
)

// commits appends one batch of rows again and again, each time as a data file of its
// own in a commit of its own, and reads the table at the end.
func commits(ctx context.Context, in, out string) error {
	var truth struct{ Commits, Rows int64 }
	text, err := os.ReadFile(filepath.Join(filepath.Dir(in), "truth.json"))
	if err == nil {
		err = json.Unmarshal(text, &truth)
	}
	if err != nil {
		return err
	}
	batch, err := os.ReadFile(filepath.Join(in, "batch.parquet"))
	if err != nil {
		return err
	}
	data, err := local.Open(out)
	if err != nil {
		return err
	}
	a := appender{data: data, batch: batch, rows: truth.Rows / truth.Commits}
	a.table = delta.Open(data, delta.Options{Now: time.Now, Note: func(err error) { fmt.Fprintln(os.Stderr, err) }})
	began := time.Now()
	for n := range truth.Commits {
		if err := a.append(ctx, n+1); err != nil {
			return fmt.Errorf("commit %d: %w", n, err)
		}
	}
	committed := time.Now()
	loaded, version, err := cold(ctx, data)
	if err != nil {
		return err
	}
	return tell(map[string]any{
		"ms_per_commit": float64(committed.Sub(began).Microseconds()) / 1000 / float64(truth.Commits),
		"snapshot_s":    time.Since(committed).Seconds(), "version": version, "loaded": loaded,
	})
}

// cold reads the table as another process does, and counts its rows.
func cold(ctx context.Context, data store.Store) (rows, version int64, err error) {
	snap, err := delta.Open(data, delta.Options{}).Snapshot(ctx)
	if err != nil {
		return 0, 0, err
	}
	for _, f := range snap.Files() {
		rows += f.Rows
	}
	return rows, snap.Version, nil
}

// appender commits one batch after the other.
type appender struct {
	data  store.Store
	table *delta.Table
	snap  *table.Snapshot
	batch []byte
	rows  int64
}

func (a *appender) append(ctx context.Context, n int64) error {
	key := fmt.Sprintf("part-%06d.parquet", n)
	if err := a.data.Create(ctx, key, a.batch); err != nil {
		return err
	}
	change := table.Change{
		App: "landfall/bench", Batch: n, Attempt: fmt.Sprintf("a%d", n), Operation: "WRITE",
		Adds: []table.File{{
			Path: key, Size: int64(len(a.batch)), Rows: a.rows, ModTime: time.Now(),
			Stats: fmt.Sprintf(`{"numRecords":%d,"minValues":{"id":0},"maxValues":{"id":%d},"nullCount":{"id":0,"v":0,"s":0}}`, a.rows, a.rows-1),
		}},
	}
	if a.snap == nil {
		fields := rows()
		change.Schema, change.TableID = &fields, "7a3e58f0-2b1c-4e0d-9f65-0c1d2e3f4a5b"
	}
	if _, err := a.table.Commit(ctx, a.snap, change); err != nil {
		return err
	}
	var err error
	a.snap, err = a.table.Snapshot(ctx)
	return err
}

// rows is the schema of the batch.
func rows() schema.Struct {
	field := func(name string, t schema.Type) schema.Field {
		return schema.Field{Name: name, Type: t, Nullable: true}
	}
	return schema.Struct{Fields: []schema.Field{field("id", schema.Long), field("v", schema.Long), field("s", schema.String)}}
}
