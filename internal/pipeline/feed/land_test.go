package feed_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/format"
	"landfall/internal/format/csv"
	"landfall/internal/intake"
	"landfall/internal/land"
	"landfall/internal/pipeline/feed"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/store/memory"
	"landfall/internal/table"
	"landfall/internal/table/delta"
	"landfall/internal/value"
)

// landed is a folder of CSV and the table that it lands in.
type landed struct {
	files, data *memory.Store
	ids         int
}

func (l *landed) source() land.Source {
	return land.Source{
		Name: "orders", Files: l.files, Data: l.data, State: state.New(store.Below(l.data, "_landfall/orders/")), StateKey: "_landfall/orders/",
		Table: delta.Open(l.data, delta.Options{Now: clock()}), Format: "csv", Forms: &value.Forms{},
		Decode: func(ctx context.Context, path string, r intake.Input) (format.Reader, error) {
			return csv.Open(ctx, path, r, csv.Options{})
		},
	}
}

func (l *landed) env() land.Env {
	return land.Env{Now: func() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) }, NewID: func() string { l.ids++; return fmt.Sprintf("id%04d", l.ids) }, Workers: 1, Unit: 1}
}

// rows counts the rows of files, read as a schema says.
func (l *landed) rows(t *testing.T, to map[string]int, s *table.Snapshot, files []table.File, times int) {
	t.Helper()
	v := engine.View{Name: "t", Schema: s.Schema, Store: l.data}
	for _, f := range files {
		v.Files = append(v.Files, engine.File{Path: f.Path, Size: f.Size, Rows: f.Rows})
	}
	e, err := duckdb.Open(t.Context(), duckdb.Options{TempDir: t.TempDir(), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	err = e.Query(t.Context(), "SELECT id || ' ' || CAST(n AS DOUBLE) FROM t", []engine.View{v}, nil, func(r engine.Result) error {
		for row, err := range r.Rows {
			if err != nil {
				return err
			}
			to[engine.Text(row[0])] += times
		}
		return nil
	})
	if err != nil {
		t.Errorf("%v: %v", files, err)
	}
}

// Tables that land from files whose types widen, that are replaced, and that are replayed:
// rows before, with those that came and less those that went, are the rows after. Each
// file of a feed can be read as the table is in the end.
func TestLandedTables(t *testing.T) {
	l := &landed{files: memory.New(nil), data: memory.New(nil)}
	for n, day := range []map[string]string{
		{"a.csv": "id,n\na1,1\na2,2\n", "b.csv": "id,n\nb1,1\nb2,2\n"},
		{"e.csv": "id,n\ne1,5\n"},
		{"c.csv": "id,n\nc1,1\nc2,2.5\n"}, // bigint becomes double
		{"b.csv": "id,n,m\nb1,1,x\nb3,7,y\n"},
		{},
		{"d.csv": "id,n,m\nd1,0.5,z\n"},
	} {
		for name, text := range day {
			if err := l.files.Replace(t.Context(), name, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		run := land.Run
		if n == 4 {
			run = func(ctx context.Context, src land.Source, env land.Env) (land.Report, error) {
				return land.Replay(ctx, src, env, land.Choice{All: true})
			}
		}
		if _, err := run(t.Context(), l.source(), l.env()); err != nil {
			t.Fatal(err)
		}
	}
	tbl := delta.Open(l.data, delta.Options{})
	newest, err := tbl.Snapshot(t.Context())
	if err != nil || newest.Version < 5 {
		t.Fatalf("found %+v, %v", newest, err)
	}
	kinds := map[feed.Kind]int{}
	for from := range newest.Version + 1 {
		for to := from; to <= newest.Version; to++ {
			kinds[l.holds(t, tbl, from, to)]++
		}
	}
	if kinds[feed.Grown] == 0 || kinds[feed.Changed] == 0 {
		t.Errorf("found %v", kinds)
	}
	f, err := feed.Read(t.Context(), tbl, feed.Range{From: 0, To: 2})
	if err != nil || f.Kind != feed.Grown || len(f.Moves) != 1 {
		t.Errorf("types that widened: found %s, %v, want rows that came alone", text(f), err)
	}
}

// holds adds up the feed between two versions.
func (l *landed) holds(t *testing.T, tbl *delta.Table, from, to int64) feed.Kind {
	t.Helper()
	f, err := feed.Read(t.Context(), tbl, feed.Range{From: from, To: to})
	if err != nil {
		t.Fatal(err)
	}
	before, err := tbl.SnapshotAt(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	sum := map[string]int{}
	l.rows(t, sum, before, slices.Collect(maps.Values(before.Files())), 1)
	l.rows(t, sum, before, f.Removed, -1)
	l.rows(t, sum, f.Snapshot, f.Added, 1)
	l.rows(t, sum, f.Snapshot, slices.Collect(maps.Values(f.Snapshot.Files())), -1)
	for row, n := range sum {
		if n != 0 {
			t.Errorf("%d to %d: found the row %s %d times too often: %s", from, to, row, n, text(f))
		}
	}
	if moves(f) || len(f.Partly) > 0 {
		t.Errorf("%d to %d: found %s, want files that are there", from, to, text(f))
	}
	return f.Kind
}
