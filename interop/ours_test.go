//go:build interop

package interop

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/store"
	"landfall/internal/store/local"
	"landfall/internal/table/delta"
)

// folder opens a folder as a store.
func folder(t *testing.T, dir string) store.Store {
	t.Helper()
	s, err := local.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// query runs SQL over our own view t of a table.
func query(t *testing.T, dir, sql string) (rows, error) {
	t.Helper()
	v, err := view(t, folder(t, dir))
	if err != nil {
		return rows{}, err
	}
	e, err := duckdb.Open(t.Context(), duckdb.Options{TempDir: t.TempDir(), Threads: 2})
	if err != nil {
		return rows{}, err
	}
	var out rows
	err = e.Query(t.Context(), sql, []engine.View{v}, nil, func(r engine.Result) error {
		for _, c := range r.Columns {
			out.Columns = append(out.Columns, c.Name)
		}
		for row, err := range r.Rows {
			if err != nil {
				return err
			}
			line := make([]json.RawMessage, len(row))
			for i, v := range row {
				if line[i], err = json.Marshal(cell(v)); err != nil {
					return err
				}
			}
			out.Rows = append(out.Rows, line)
		}
		return nil
	})
	return out, err
}

// view is the newest snapshot of a table.
func view(t *testing.T, s store.Store) (engine.View, error) {
	t.Helper()
	tbl := delta.Open(s, delta.Options{})
	snap, err := tbl.Snapshot(t.Context())
	if err != nil {
		return engine.View{}, err
	}
	v := engine.View{
		Name: "t", Schema: snap.Schema, Partitions: snap.Partitions, Store: s,
		ByID: snap.Config["delta.columnMapping.mode"] == "id",
	}
	for _, f := range snap.Files() {
		gone, err := tbl.Deleted(t.Context(), f)
		if err != nil {
			return engine.View{}, err
		}
		v.Files = append(v.Files, engine.File{
			Path: f.Path, Size: f.Size, Rows: f.Rows, Partition: f.Partition, Deleted: gone,
		})
	}
	return v, nil
}

// cell spells a value as peers/canon.py does.
func cell(v engine.Value) any {
	switch v := v.(type) {
	case nil:
		return nil
	case float32:
		return float(float64(v))
	case float64:
		return float(v)
	case []byte:
		return "0x" + hex.EncodeToString(v)
	case engine.Date:
		return time.Time(v).UTC().Format("2006-01-02")
	case engine.Instant:
		return time.Time(v).UTC().Format("2006-01-02T15:04:05.000000Z")
	case engine.WallClock:
		return time.Time(v).UTC().Format("2006-01-02T15:04:05.000000")
	case engine.List:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = cell(e)
		}
		return list
	case engine.Struct:
		fields := make([]any, len(v))
		for i, f := range v {
			fields[i] = []any{f.Name, cell(f.Value)}
		}
		return map[string]any{"struct": fields}
	case engine.Map:
		entries := make([]any, len(v))
		for i, e := range v {
			entries[i] = []any{cell(e.Key), cell(e.Value)}
		}
		return map[string]any{"map": entries}
	}
	return fmt.Sprint(v)
}

func float(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 0):
		return map[bool]string{true: "inf", false: "-inf"}[f > 0]
	}
	return strconv.FormatFloat(f, 'g', 17, 64)
}
