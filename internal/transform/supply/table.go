package supply

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/store"
	"landfall/internal/table"
)

// table reads a Delta table.
func (s *Supply) table(ctx context.Context, o Options) error {
	data := s.store
	if s.source.Folder != "" && o.Only == "" {
		data = store.Below(s.store, s.source.Folder)
	}
	if s.source.Version != nil || !s.source.AsOf.IsZero() {
		return diag.New(diag.FlowRefused, "source %s: found an older version of a table, which does not run here", s.source.Name).In(s.source.At).
			Hinted("read the newest: take versionAsOf and timestampAsOf out")
	}
	t := o.Table(data)
	snap, err := t.Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		return diag.New(diag.TableMissing, "source %s: found no table", s.source.Name).In(diag.Place{File: data.URL("")}).Hinted("check the folder: folderPath, or --source %s=TABLE", s.source.Name)
	}
	if err != nil {
		return err
	}
	view, err := viewOf(ctx, t, snap, data)
	if err != nil {
		return err
	}
	s.Columns, s.Input.Table = snap.Schema.Fields, &view
	return nil
}

// viewOf shows a snapshot as a view, its files in the order of their paths.
func viewOf(ctx context.Context, t table.Table, snap *table.Snapshot, data store.Store) (engine.View, error) {
	v := engine.View{
		Name: "source", Schema: snap.Schema, Partitions: snap.Partitions, Store: data,
		ByID: snap.Config["delta.columnMapping.mode"] == "id",
	}
	all := snap.Files()
	for _, key := range slices.SortedFunc(maps.Keys(all), func(a, b table.Key) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.DV, b.DV)) }) {
		f := all[key]
		deleted, err := t.Deleted(ctx, f)
		if err != nil {
			return engine.View{}, err
		}
		v.Files = append(v.Files, engine.File{Path: f.Path, Size: f.Size, Rows: f.Rows, Partition: f.Partition, Deleted: deleted})
	}
	return v, nil
}
