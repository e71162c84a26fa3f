package supply

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

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
	t := o.Table(data)
	snap, err := s.snapshot(ctx, t)
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

// snapshot is the version that the source asks for.
func (s *Supply) snapshot(ctx context.Context, t table.Table) (*table.Snapshot, error) {
	if s.source.Version == nil && s.source.AsOf.IsZero() {
		return t.Snapshot(ctx)
	}
	past, ok := t.(table.Past)
	if !ok {
		return nil, diag.New(diag.FlowRefused, "source %s: found an older version of a table that keeps none", s.source.Name).In(s.source.At).
			Hinted("read the newest: take versionAsOf and timestampAsOf out")
	}
	option, wanted := "timestampAsOf", s.source.AsOf.UTC().Format(time.RFC3339Nano)
	var version int64
	var err error
	if s.source.Version != nil {
		version = *s.source.Version
		option, wanted = "versionAsOf", strconv.FormatInt(version, 10)
	} else {
		version, err = past.VersionAt(ctx, s.source.AsOf)
	}
	var snap *table.Snapshot
	if err == nil {
		snap, err = past.SnapshotAt(ctx, version)
	}
	if errors.Is(err, table.ErrNoVersion) {
		return nil, diag.New(diag.FlowInput, "source %s: found no version of the table for %s %s: %v", s.source.Name, option, wanted, err).In(s.source.At).
			Hinted("read a version that the log still has, or the newest: take %s out", option)
	}
	return snap, err
}

// viewOf shows a snapshot as a view, its files in the order in which they were written.
func viewOf(ctx context.Context, t table.Table, snap *table.Snapshot, data store.Store) (engine.View, error) {
	v := engine.View{
		Name: "source", Schema: snap.Schema, Partitions: snap.Partitions, Store: data,
		ByID: snap.Config["delta.columnMapping.mode"] == "id",
	}
	all := snap.Files()
	for _, key := range slices.SortedFunc(maps.Keys(all), func(a, b table.Key) int {
		return cmp.Or(all[a].ModTime.Compare(all[b].ModTime), cmp.Compare(a.Path, b.Path), cmp.Compare(a.DV, b.DV))
	}) {
		f := all[key]
		deleted, err := t.Deleted(ctx, f)
		if err != nil {
			return engine.View{}, err
		}
		v.Files = append(v.Files, engine.File{Path: f.Path, Size: f.Size, Rows: f.Rows, Partition: f.Partition, Deleted: deleted})
	}
	return v, nil
}
