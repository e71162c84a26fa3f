//go:build interop

package interop

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/pipeline/feed"
	"landfall/internal/table"
	"landfall/internal/table/delta"
)

// TestGained has Spark change a table in many ways, and holds of every two versions that
// the rows of the one, with those that came and less those that went, are the rows that
// Spark reads of the other.
func TestGained(t *testing.T) {
	for _, vectors := range []string{"true", "false"} {
		t.Run("deletion vectors "+vectors, func(t *testing.T) {
			g := &gained{dir: newTable(t), peer: spark(t)}
			for _, step := range []struct {
				kind      feed.Kind
				statement string
			}{
				{feed.Grown, "create table %t (id int, v int, p string) using delta partitioned by (p) tblproperties ('delta.enableDeletionVectors' = '" + vectors + "', 'delta.enableTypeWidening' = 'true')"},
				{feed.Grown, "insert into %t select cast(id as int), cast(id as int), if(id % 2 = 0, 'even', 'odd') from range(0, 20, 1, 1)"},
				{feed.Grown, "insert into %t values (50, 1, null), (1, 1, 'odd'), (100, null, 'even')"},
				{feed.Changed, "delete from %t where id % 5 = 1"},
				{feed.Changed, "update %t set v = v + 1000 where id in (2, 3, 4)"},
				{feed.Same, "optimize %t"},
				{feed.Changed, "delete from %t where p = 'odd' and id > 12"},
				{feed.Same, "alter table %t add column note string"},
				{feed.Grown, "insert into %t values (200, 200, 'even', 'new')"},
				{feed.Same, "alter table %t alter column v type bigint"},
				{feed.Grown, "insert into %t values (201, 3000000000, 'even', 'wide')"},
				{feed.Changed, "merge into %t t using (select 200 as id union all select 300) s on t.id = s.id when matched then update set v = -1 when not matched then insert (id, v, p) values (s.id, 7, 'odd')"},
				{feed.Same, "reorg table %t apply (purge)"},
				{feed.Changed, "delete from %t where p is null"},
				{feed.Same, "optimize %t"},
			} {
				from := int64(len(g.rows)) - 1
				g.do(t, step.statement)
				f, err := feed.Read(t.Context(), g.table(t), feed.Range{From: max(from, 0), To: -1})
				if err != nil || from >= 0 && f.Kind != step.kind {
					t.Errorf("%s: found kind %d, %v, want %d", step.statement, f.Kind, err, step.kind)
				}
			}
			for from := range g.rows {
				for to := from; to < len(g.rows); to++ {
					g.holds(t, int64(from), int64(to))
				}
			}
			g.do(t, "restore table %t to version as of 3")
			_, err := feed.Read(t.Context(), g.table(t), feed.Range{From: 3, To: -1})
			var b *feed.Break
			if !errors.As(err, &b) || b.Reason != feed.Restored {
				t.Errorf("after a restore: found %v", err)
			}
		})
	}
}

// gained is a table of Spark, and the rows of its versions.
type gained struct {
	dir  string
	peer *peer
	rows []map[string]int
}

func (g *gained) table(t *testing.T) *delta.Table {
	t.Helper()
	return delta.Open(folder(t, g.dir), delta.Options{})
}

// do runs a statement, and reads the versions that it made.
func (g *gained) do(t *testing.T, statement string) {
	t.Helper()
	g.peer.sql(t, g.dir, statement)
	s, err := g.table(t).Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for v := int64(len(g.rows)); v <= s.Version; v++ {
		var r rows
		g.peer.do(t, "read", args{"path": g.dir, "version": v}, &r)
		count := map[string]int{}
		addRows(count, r, 1)
		g.rows = append(g.rows, count)
	}
}

// addRows counts rows, in which a column of later is null.
func addRows(to map[string]int, r rows, times int) {
	for _, row := range r.Rows {
		cells := map[string]string{"note": "null"}
		for i, name := range r.Columns {
			cells[name] = compact(row[i])
		}
		to[fmt.Sprint(cells)] += times
	}
}

func (g *gained) holds(t *testing.T, from, to int64) {
	t.Helper()
	tbl := g.table(t)
	f, err := feed.Read(t.Context(), tbl, feed.Range{From: from, To: to})
	if err != nil {
		t.Errorf("%d to %d: %v", from, to, err)
		return
	}
	e, err := duckdb.Open(t.Context(), duckdb.Options{TempDir: t.TempDir(), Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	var went, came []string
	var parts []table.File
	for i, p := range f.Partly {
		bare := p.File
		bare.DV = nil
		parts = append(parts, bare)
		at := func(rows []int64) string {
			return fmt.Sprintf("(%q = %d AND list_contains(%s::BIGINT[], %q))", engine.FileNumber, i, strings.ReplaceAll(fmt.Sprint(rows), " ", ", "), engine.RowNumber)
		}
		went, came = append(went, at(p.Removed)), append(came, at(p.Added))
	}
	where := func(conditions []string) string {
		return "SELECT * EXCLUDE (" + engine.FileNumber + ", " + engine.RowNumber + ") FROM partly WHERE " + strings.Join(append(conditions, "false"), " OR ")
	}
	views := []engine.View{g.view(t, "added", f, f.Added), g.view(t, "removed", f, f.Removed), g.view(t, "partly", f, parts)}
	views[2].Positions = true
	got := maps.Clone(g.rows[from])
	err = e.Session(t.Context(), engine.SessionOptions{Views: views}, func(s engine.Session) error {
		for sql, times := range map[string]int{"FROM added": 1, "FROM removed": -1, where(went): -1, where(came): 1} {
			if sql == where(nil) {
				continue
			}
			err := s.Query(t.Context(), sql, func(r engine.Result) error {
				found, err := ourRows(r)
				addRows(got, found, times)
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("%d to %d: %v", from, to, err)
	}
	for row := range maps.Keys(g.rows[to]) {
		got[row] -= g.rows[to][row]
	}
	for row, n := range got {
		if n != 0 {
			t.Errorf("%d to %d: found %s %d times too often", from, to, row, n)
		}
	}
}

// view is of files of a feed, as the table's schema is in the end.
func (g *gained) view(t *testing.T, name string, f *feed.Feed, files []table.File) engine.View {
	t.Helper()
	v := engine.View{Name: name, Schema: f.Snapshot.Schema, Partitions: f.Snapshot.Partitions, Store: folder(t, g.dir)}
	for _, file := range files {
		gone, err := g.table(t).Deleted(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		v.Files = append(v.Files, engine.File{Path: file.Path, Size: file.Size, Rows: file.Rows, Partition: file.Partition, Deleted: gone})
	}
	return v
}

// ourRows are the rows of a result as peers spell them.
func ourRows(r engine.Result) (out rows, err error) {
	for _, c := range r.Columns {
		out.Columns = append(out.Columns, c.Name)
	}
	for row, err := range r.Rows {
		if err != nil {
			return out, err
		}
		line := make([]json.RawMessage, len(row))
		for i, v := range row {
			if line[i], err = json.Marshal(cell(v)); err != nil {
				return out, err
			}
		}
		out.Rows = append(out.Rows, line)
	}
	return out, nil
}
