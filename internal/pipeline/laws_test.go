package pipeline_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/event"
	"landfall/internal/pipeline/record"
)

// shape is a query of a streaming table, and what its rows are in the engine's words.
type shape struct{ stream, want string }

var shapes = []shape{
	{"SELECT id, n, s, n + 1 AS m FROM STREAM(bronze)", "SELECT id, n, s, n + 1 AS m FROM bronze"},
	{"SELECT id, n, s, n AS m FROM seen", "SELECT id, n, s || '!' AS s, n AS m FROM bronze WHERE id <> 3"},
	{
		"SELECT b.id, b.n, b.s, d.v AS m FROM STREAM(bronze) AS b LEFT JOIN dim AS d ON b.id = d.k",
		"SELECT b.id, b.n, b.s, d.v AS m FROM bronze AS b LEFT JOIN dim AS d ON b.id = d.k",
	},
	{
		"SELECT id, n, s, m FROM STREAM(bronze) LATERAL VIEW explode(array(n, n, 7)) AS m",
		"SELECT id, n, s, unnest([n, n, 7]) AS m FROM bronze",
	},
	{
		"SELECT id, n, s, 0 AS m FROM STREAM(bronze) UNION ALL SELECT id, n, s, 1 AS m FROM STREAM(more)",
		"SELECT id, n, s, 0 AS m FROM bronze UNION ALL SELECT id, n, s, 1 AS m FROM more",
	},
	{
		"SELECT id, n, s, 0 AS m FROM STREAM(bronze) WHERE n > 0 UNION ALL SELECT id, n, s, 1 AS m FROM STREAM(bronze)",
		"SELECT id, n, s, 0 AS m FROM bronze WHERE n > 0 UNION ALL SELECT id, n, s, 1 AS m FROM bronze",
	},
	{"SELECT id, n, s, 5 AS m FROM STREAM(bronze) WHERE false", "SELECT id, n, s, 5 AS m FROM bronze WHERE false"},
}

var conditions = []string{"true", "n > 0", "n IS NOT NULL", "s = 'a'", "m < 8", "length(s) > 0 OR n < 50", "id BETWEEN 2 AND 4", "s IN ('a', 'b', NULL)", "n > NULL"}

// drawnRows is a SELECT of random rows.
func drawnRows(r *rapid.T, file string) (sql string, rows int) {
	n := rapid.IntRange(1, 6).Draw(r, "rows")
	var out []string
	for range n {
		number := rapid.SampledFrom([]string{"NULL::INTEGER", "-5", "1", "7", "100"}).Draw(r, "n")
		text := rapid.SampledFrom([]string{"NULL::VARCHAR", "''", "'a'", "'b'"}).Draw(r, "s")
		out = append(out, fmt.Sprintf("(%d, %s, %s, '%s')", rapid.IntRange(1, 5).Draw(r, "id"), number, text, file))
	}
	return "VALUES " + strings.Join(out, ", "), n
}

// changes makes a random change to a table.
func (s *source) changes(r *rapid.T, n int) {
	live := slices.Sorted(maps.Keys(s.files))
	name := fmt.Sprintf("f%d", n)
	sql, _ := drawnRows(r, "of/"+name)
	some := func() []string {
		return rapid.SliceOfNDistinct(rapid.SampledFrom(live), 1, min(2, len(live)), rapid.ID).Draw(r, "files")
	}
	kind := "append"
	if len(live) > 0 {
		kind = rapid.SampledFrom([]string{"append", "append", "replace", "remove", "delete", "compact"}).Draw(r, "change")
	}
	switch kind {
	case "append":
		s.append(name, sql)
	case "replace":
		s.replace(name, sql, some()...)
	case "remove":
		s.remove(some()...)
	case "delete":
		one := some()[0]
		if s.files[one].dv == "" && s.files[one].rows > 0 {
			s.delete(one, uint16(rapid.Int64Range(0, s.files[one].rows-1).Draw(r, "row")))
		}
	case "compact":
		old := some()
		if !slices.ContainsFunc(old, func(o string) bool { return s.files[o].dv != "" }) {
			s.compact(name, old...)
		}
	}
}

// reconciles checks the counts of a batch: in all, by rule and, where rows tell of their
// files, by file.
func reconciles(t *rapid.T, e event.Dataset) {
	if e.RowsWritten+e.RowsDropped != e.RowsIn {
		t.Fatalf("%s: written %d + dropped %d, rows in %d", e.Dataset, e.RowsWritten, e.RowsDropped, e.RowsIn)
	}
	for _, x := range e.Expectations {
		if x.True+x.False+x.Null != e.RowsIn {
			t.Fatalf("%s: %s: %d true + %d false + %d null, rows in %d", e.Dataset, x.Name, x.True, x.False, x.Null, e.RowsIn)
		}
		var f event.FileCount
		for _, one := range x.Files {
			f.False, f.Null = f.False+one.False, f.Null+one.Null
		}
		if known := e.Dataset == "t"; known && (f.False != x.False || f.Null != x.Null) {
			t.Fatalf("%s: %s: files tell of %d false and %d null rows, the rule of %d and %d", e.Dataset, x.Name, f.False, f.Null, x.False, x.Null)
		}
	}
}

// keeps checks that the rows that rules dropped are kept as they were counted, by batch.
func (w *world) keeps(r *rapid.T, dataset string) int {
	s := w.stores[dataset]
	past, err := record.Past(w.Context(), s, w.open(s))
	if err != nil {
		r.Fatal(err)
	}
	all := 0
	for _, e := range past.Events {
		n := 0
		if rows, ok := past.Dropped[e.Attempt]; ok {
			if err := rows.Each(w.Context(), w.engine, func(row record.Row) error {
				n++
				if len(row.Broken) == 0 {
					r.Fatalf("%s: a dropped row tells of no rule", dataset)
				}
				return nil
			}); err != nil {
				r.Fatal(err)
			}
		}
		if int64(n) != e.Dataset.RowsDropped {
			r.Fatalf("%s: batch %d keeps %d dropped rows, want %d", dataset, e.Batch, n, e.Dataset.RowsDropped)
		}
		all += n
	}
	return all
}

// same checks that a dataset has the rows of a SELECT.
func (w *world) same(r *rapid.T, dataset, sql string, tables ...string) {
	got, want := w.asks(`SELECT * FROM "`+dataset+`"`, dataset), w.asks(sql, tables...)
	if !slices.Equal(got, want) {
		r.Fatalf("%s: found\n%s\nwant\n%s", dataset, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestLaws draws tables, what becomes of them, queries and rules: the counts reconcile, and
// whatever the batches were, each dataset is what its query makes of the tables of now.
func TestLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(t)
		columns := []string{"id", "long", "n", "integer", "s", "string", "_source_file", "string"}
		bronze, more := w.source("bronze", columns...), w.source("more", columns...)
		w.source("dim", "k", "long", "v", "integer").append("d", "VALUES (1, 10), (2, 20), (2, 21)")
		one := rapid.SampledFrom(shapes).Draw(r, "query")
		keep, warn := rapid.SampledFrom(conditions).Draw(r, "dropping"), rapid.SampledFrom(conditions).Draw(r, "warning")
		w.says(fmt.Sprintf(`CREATE TEMPORARY VIEW seen AS SELECT id, n, s || '!' AS s FROM STREAM(bronze) WHERE id <> 3;
CREATE STREAMING TABLE t (CONSTRAINT d EXPECT (%s) ON VIOLATION DROP ROW, CONSTRAINT w EXPECT (%s), CONSTRAINT f EXPECT (id < 1000) ON VIOLATION FAIL UPDATE) AS %s;
CREATE STREAMING TABLE down (CONSTRAINT d EXPECT (m <> 1) ON VIOLATION DROP ROW) AS SELECT id * 2 AS id, m FROM STREAM(t) WHERE s IS NOT NULL;
CREATE MATERIALIZED VIEW per AS SELECT s, count(*) AS c, sum(m) AS m FROM t GROUP BY s;
CREATE STREAMING TABLE both;
CREATE FLOW x AS INSERT INTO both BY NAME SELECT id, n FROM STREAM(bronze) WHERE n > 0;
CREATE FLOW y AS INSERT INTO both BY NAME SELECT -id AS id, n FROM STREAM(bronze);
CREATE FLOW z AS INSERT INTO ONCE both BY NAME SELECT k AS id, v AS n FROM dim;`, keep, warn, one.stream))
		n, anew := 0, rapid.IntRange(0, 9).Draw(r, "anew")
		for i := range rapid.IntRange(1, 4).Draw(r, "runs") {
			for range rapid.IntRange(0, 3).Draw(r, "changes") {
				n++
				rapid.SampledFrom([]*source{bronze, bronze, more}).Draw(r, "table").changes(r, n)
			}
			var refresh []string
			if i == anew {
				refresh = []string{"t", "both"}
			}
			for _, o := range w.run(refresh...) {
				for _, e := range o.Batches {
					reconciles(r, e)
				}
			}
		}
		w.keeps(r, "t")
		w.keeps(r, "down")
		w.same(r, "t", "SELECT * FROM ("+one.want+") WHERE "+keep, "bronze", "more", "dim")
		w.same(r, "down", "SELECT id * 2 AS id, m FROM t WHERE s IS NOT NULL AND m <> 1", "t")
		w.same(r, "per", "SELECT s, count(*), sum(m) FROM t GROUP BY s", "t")
		w.same(r, "both", "SELECT id, n FROM bronze WHERE n > 0 UNION ALL SELECT -id, n FROM bronze UNION ALL SELECT k, v FROM dim", "bronze", "dim")
	})
}

// TestKeptAndDropped: where nothing is taken back, the rows of the table and those that
// rules dropped are the rows of the query, and each key that a good row has is there once.
func TestKeptAndDropped(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(t)
		bronze := w.source("bronze", "id", "long", "n", "integer", "s", "string", "_source_file", "string")
		one, two := rapid.SampledFrom(conditions[:4]).Draw(r, "one"), rapid.SampledFrom(conditions[5:]).Draw(r, "two")
		w.says(fmt.Sprintf(`CREATE STREAMING TABLE t (CONSTRAINT a EXPECT (%s) ON VIOLATION DROP ROW, CONSTRAINT b EXPECT (%s) ON VIOLATION DROP ROW, CONSTRAINT u EXPECT UNIQUE (id) ON VIOLATION DROP ROW) AS SELECT * FROM STREAM(bronze)`, one, two))
		rows, dropped := 0, int64(0)
		for i := range rapid.IntRange(1, 3).Draw(r, "runs") {
			sql, n := drawnRows(r, "f")
			bronze.append(fmt.Sprintf("f%d", i), sql)
			rows += n
			e := only(t, w.run()["t"])
			reconciles(r, e)
			dropped += e.RowsDropped
		}
		got, want := w.asks("SELECT id FROM t", "t"), w.asks(fmt.Sprintf("SELECT DISTINCT id FROM bronze WHERE (%s) AND (%s)", one, two), "bronze")
		if !slices.Equal(got, want) {
			r.Fatalf("found the keys %v, want %v", got, want)
		}
		if kept := w.keeps(r, "t"); int64(kept) != dropped || kept+len(w.asks("SELECT * FROM t", "t")) != rows {
			r.Fatalf("kept %d dropped rows of %d, and the table %d of %d", kept, dropped, len(w.asks("SELECT * FROM t", "t")), rows)
		}
	})
}
