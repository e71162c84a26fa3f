package pipeline_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"landfall/internal/diag"
	"landfall/internal/pipeline"
	"landfall/internal/pipeline/record"
	"landfall/internal/store"
	"landfall/internal/table"
	"landfall/internal/table/delta"
)

// refuses is a run that fails with a code, and says something.
func (w *world) refuses(code diag.Code, text string) {
	w.Helper()
	_, err := w.runs()
	var d *diag.Diagnostic
	if !errors.As(err, &d) || d.Code != code || !strings.Contains(err.Error(), text) {
		w.Errorf("found %v, want %s: %s", err, code, text)
	} else if d.Hint == "" {
		w.Errorf("%v: no hint", err)
	}
}

// Keys of another table are looked up in it as it is at the batch.
func TestReferences(t *testing.T) {
	w := newWorld(t)
	s, people := w.source("bronze", "id", "long", "who", "integer"), w.source("people", "k", "long")
	people.append("p", "VALUES (1), (2)")
	w.says(`CREATE STREAMING TABLE t (CONSTRAINT known EXPECT (who) REFERENCES people (k) ON VIOLATION DROP ROW) AS SELECT * FROM STREAM(bronze)`)
	s.append("a", "VALUES (1, 1), (2, 3), (3, NULL)")
	if got := counts(t, only(t, w.run()["t"]), "known"); got != [3]int64{1, 1, 1} {
		t.Errorf("found %v", got)
	}
	people.append("q", "VALUES (3)")
	s.append("b", "VALUES (4, 3)")
	w.run()
	w.holds("t", "1|1", "4|3")
}

// Columns come in the order and types that are declared; what the query lacks is null.
func TestDeclared(t *testing.T) {
	w := newWorld(t)
	s := w.source("bronze", "id", "long", "n", "integer")
	w.says(`CREATE STREAMING TABLE t (n DECIMAL(10,2), extra DATE, id INT NOT NULL) AS SELECT * FROM STREAM(bronze)`)
	s.append("a", "VALUES (1, 10), (2, NULL)")
	w.run()
	w.holds("t", "10.00|NULL|1", "NULL|NULL|2")
	s.append("b", "VALUES (NULL, 7), (4, 8)")
	w.refuses(diag.ExpectationFailed, "1 of 2 rows break the expectation id NOT NULL")
	w.holds("t", "10.00|NULL|1", "NULL|NULL|2")
	past, err := record.Past(t.Context(), w.stores["t"], w.open(w.stores["t"]))
	if err != nil || len(past.Events) != 2 {
		t.Fatalf("found %d events, %v, want two", len(past.Events), err)
	}
	e := *past.Events[1].Dataset
	if got := counts(t, e, "id NOT NULL"); e.Status != "FAILED" || e.RowsIn != 2 || e.RowsWritten != 0 || got != [3]int64{1, 1, 0} {
		t.Errorf("found %+v", e)
	}
	s.replace("b2", "VALUES (3, 7)", "b")
	w.run()
	w.holds("t", "10.00|NULL|1", "NULL|NULL|2", "7.00|NULL|3")
	s.append("c", "VALUES (3000000000, 1)")
	w.refuses(diag.QueryFailed, "t: ")
}

// Partitions are those of the values, null among them, and rows are taken back from them.
func TestPartitioned(t *testing.T) {
	w := newWorld(t)
	s := w.source("bronze", "id", "long", "day", "date", "s", "string")
	w.says(`CREATE STREAMING TABLE t PARTITIONED BY (day, s) AS SELECT id, day, s FROM STREAM(bronze)`)
	s.append("a", "VALUES (1, DATE '2026-01-01', 'it''s/a=b %'), (2, NULL::DATE, 'x'), (3, DATE '2026-01-01', NULL), (4, NULL, 'x')")
	w.run()
	w.holds("t", "1|2026-01-01|it's/a=b %", "2|NULL|x", "3|2026-01-01|NULL", "4|NULL|x")
	s.replace("b", "VALUES (2, NULL::DATE, 'x'), (5, NULL, 'y')", "a")
	w.run()
	w.holds("t", "2|NULL|x", "5|NULL|y")
	snap, err := w.open(w.stores["t"]).Snapshot(t.Context())
	if err != nil || fmt.Sprint(snap.Partitions) != "[day s]" || len(snap.Files()) != 2 {
		t.Errorf("found %v, %d files, %v", snap.Partitions, len(snap.Files()), err)
	}
	w.says(`CREATE STREAMING TABLE t PARTITIONED BY (s) AS SELECT id, day, s FROM STREAM(bronze)`)
	s.append("c", "VALUES (6, NULL::DATE, 'z')")
	w.refuses(diag.PipelineState, "partitioned by")
}

// A type that grows in bronze grows all the way down, and a column that comes comes too.
func TestGrowing(t *testing.T) {
	w := newWorld(t)
	s := w.source("bronze", "id", "long", "n", "integer")
	w.says(`CREATE STREAMING TABLE t AS SELECT * FROM STREAM(bronze); CREATE STREAMING TABLE down AS SELECT n FROM STREAM(t); CREATE MATERIALIZED VIEW m AS SELECT sum(n) AS n FROM t`)
	s.append("a", "VALUES (1, 10)")
	w.run()
	s.shape("id", "long", "n", "long", "new", "string")
	s.log(s.metadata())
	s.append("b", "VALUES (2, 3000000000, 'x')")
	e := only(t, w.run()["t"])
	if fmt.Sprint(e.Added, e.Widened) != "[new] [n]" || e.RowsIn != 1 {
		t.Errorf("found %+v", e)
	}
	w.holds("t", "1|10|NULL", "2|3000000000|x")
	w.holds("down", "10", "3000000000")
	s.remove("a")
	w.run()
	w.holds("t", "2|3000000000|x")
	w.holds("down", "3000000000")
	w.holds("m", "3000000000")
	s.shape("id", "long", "n", "decimal(22,2)", "new", "string")
	s.log(s.metadata())
	s.append("c", "VALUES (3, 0.25, NULL::VARCHAR)")
	w.run()
	w.holds("t", "2|3000000000.00|x", "3|0.25|NULL")
	w.holds("down", "3000000000.00", "0.25")
	s.shape("id", "long", "n", "date", "new", "string")
	s.log(s.metadata())
	s.remove("b", "c")
	s.append("d", "VALUES (4, DATE '2026-01-01', NULL::VARCHAR)")
	w.refuses(diag.PipelineState, "column n is decimal(22,2) in the table, and the query gives date")
}

// An edited query counts from then on, and is told.
func TestEdited(t *testing.T) {
	w := newWorld(t)
	s := w.source("bronze", "id", "long")
	w.says(`CREATE STREAMING TABLE t AS SELECT id FROM STREAM(bronze); CREATE MATERIALIZED VIEW m AS SELECT id FROM bronze`)
	s.append("a", "VALUES (1)")
	w.run()
	w.says(`CREATE STREAMING TABLE t AS SELECT id + 10 AS id FROM STREAM(bronze); CREATE MATERIALIZED VIEW m AS SELECT id + 10 AS id FROM bronze`)
	if e := only(t, w.run()["m"]); !e.Changed {
		t.Error("m: not told")
	}
	s.append("b", "VALUES (2)")
	if e := only(t, w.run()["t"]); !e.Changed {
		t.Error("t: not told")
	}
	w.holds("t", "1", "12")
	w.holds("m", "11", "12")
	if e := only(t, w.run("t")["t"]); e.How != "full refresh" || e.RowsRemoved != 2 {
		t.Errorf("found %+v", e)
	}
	w.holds("t", "11", "12")
}

// What happened to a source so that nobody can tell what is new is an error, until the
// dataset is made anew.
func TestSourceBroken(t *testing.T) {
	for name, breaks := range map[string]func(w *world, s *source){
		"made anew": func(_ *world, s *source) {
			s.id = "another"
			s.log(s.metadata(), s.removes("a", false), s.write("n", "VALUES (5)", false), operation("CREATE OR REPLACE TABLE"))
		},
		"restored": func(_ *world, s *source) {
			s.log(s.removes("a", false), s.write("n", "VALUES (5)", false), operation("RESTORE"))
		},
		"cleaned": func(w *world, s *source) {
			s.replace("n", "VALUES (5)", "a")
			s.cleans()
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := w.source("bronze", "id", "long")
			w.says(`CREATE STREAMING TABLE t AS SELECT id FROM STREAM(bronze); CREATE MATERIALIZED VIEW m AS SELECT id FROM bronze`)
			s.append("a", "VALUES (1)")
			w.run()
			breaks(w, s)
			w.refuses(diag.PipelineState, "what is new in bronze since version 1 cannot be told")
			w.holds("m", "5")
			w.holds("t", "1")
			w.run("t")
			w.holds("t", "5")
			s.append("b", "VALUES (6)")
			w.run()
			w.holds("t", "5", "6")
		})
	}
}

// cleans makes a checkpoint, and deletes the versions before it.
func (s *source) cleans() {
	s.Helper()
	o := delta.Options{Now: func() time.Time { return s.now }, CheckpointEvery: 1, Note: func(err error) { s.Error(err) }}
	tbl := delta.Open(s.store, o)
	base, err := tbl.Snapshot(s.Context())
	if err == nil {
		_, err = tbl.Commit(s.Context(), base, table.Change{App: "other", Batch: 1, Attempt: "x", Operation: "WRITE"})
	}
	if err != nil {
		s.Fatal(err)
	}
	for v := range s.version {
		if err := s.store.Delete(s.Context(), fmt.Sprintf("_delta_log/%020d.json", v)); err != nil {
			s.Fatal(err)
		}
	}
	s.version++
}

// A table that somebody else made is left alone.
func TestForeign(t *testing.T) {
	w := newWorld(t)
	s := w.source("bronze", "id", "long")
	other := w.source("t", "id", "long")
	other.append("x", "VALUES (9)")
	delete(w.sources, "t")
	w.stores["t"] = other.store
	w.says(`CREATE STREAMING TABLE t AS SELECT id FROM STREAM(bronze)`)
	s.append("a", "VALUES (1)")
	w.refuses(diag.PipelineState, "that no pipeline made")
	w.holds("t", "9")
}

// Rows that only moved to other files are not read again, and are taken back from where
// they are when their files are lost, whole or in part.
func TestMoved(t *testing.T) {
	w := newWorld(t)
	s := w.source("bronze", "id", "long")
	w.says(`CREATE STREAMING TABLE t AS SELECT id FROM STREAM(bronze)`)
	s.append("a", "VALUES (1), (2)")
	s.append("b", "VALUES (3)")
	s.append("c", "VALUES (4)")
	w.run()
	s.compact("ab", "a", "b")
	if o := w.run()["t"]; o.Status != pipeline.Unchanged {
		t.Errorf("found %s, want nothing new", o.Status)
	}
	s.append("d", "VALUES (5)")
	w.run()
	w.holds("t", "1", "2", "3", "4", "5")
	s.delete("ab", 1)
	w.run()
	w.holds("t", "1", "3", "4", "5")
	s.replace("abc", "VALUES (1), (3), (40)", "ab", "c")
	w.run()
	w.holds("t", "1", "3", "40", "5")
}

// More than a part of the rows is not dropped, and nothing is written then.
func TestDropRate(t *testing.T) {
	w := newWorld(t)
	s := w.source("bronze", "id", "long")
	w.says(`CREATE STREAMING TABLE t (CONSTRAINT low EXPECT (id < 10) ON VIOLATION DROP ROW) AS SELECT id FROM STREAM(bronze)`)
	w.job.MaxDropRate = 0.5
	s.append("a", "SELECT i FROM range(20) AS r(i)")
	w.run() // just a half
	s.append("b", "SELECT i FROM range(21) AS r(i)")
	w.refuses(diag.ExpectationFailed, "rules drop 11 of 21 rows, more than 50 %")
	if rows := w.asks("SELECT count(*) FROM t", "t"); rows[0] != "10" {
		t.Errorf("found %v", rows)
	}
	s.replace("c", "VALUES (100), (101)", "b") // too few to say anything
	w.run()
}

// Casts that make values null are counted.
func TestCasts(t *testing.T) {
	w := newWorld(t)
	s := w.source("bronze", "s", "string")
	w.says(`CREATE TEMPORARY VIEW v AS SELECT TRY_CAST(s AS INT) AS n, s FROM STREAM(bronze);
CREATE STREAMING TABLE t AS SELECT n, TRY_CAST(s AS DATE) AS d FROM v`)
	s.append("a", "VALUES ('1'), ('x'), (NULL), ('2026-01-01')")
	e := only(t, w.run()["t"])
	got := map[string]int64{}
	for _, c := range e.Casts {
		got[c.Column+" "+c.To] += c.Count
	}
	if got["d date"] != 2 {
		t.Errorf("found %v, want 2 of d", got)
	}
}

// Nothing, and much: a table without rows, a batch without rows, very many columns.
func TestEmptyAndWide(t *testing.T) {
	w := newWorld(t)
	var columns, values []string
	for i := range 600 {
		columns, values = append(columns, fmt.Sprintf("c%d", i), "integer"), append(values, fmt.Sprint(i))
	}
	s := w.source("bronze", columns...)
	w.says(`CREATE STREAMING TABLE t (CONSTRAINT x EXPECT (c1 = 1) ON VIOLATION DROP ROW) AS SELECT * FROM STREAM(bronze);
CREATE STREAMING TABLE none AS SELECT c0 FROM STREAM(t) WHERE c0 > 5; CREATE MATERIALIZED VIEW m AS SELECT c0 FROM none`)
	if e := only(t, w.run()["t"]); e.RowsIn != 0 {
		t.Errorf("found %+v", e)
	}
	w.holds("t")
	s.append("a", "SELECT "+strings.Join(values, ", "))
	w.run()
	if got := w.asks("SELECT c0, c599 FROM t", "t"); len(got) != 1 || got[0] != "0|599" {
		t.Errorf("found %v", got)
	}
	w.holds("none")
	w.holds("m")
}

// A folder of a table that is gone is not taken for one that never was.
func TestRecordsGone(t *testing.T) {
	w := newWorld(t)
	s := w.source("bronze", "id", "long")
	w.says(`CREATE STREAMING TABLE t AS SELECT id FROM STREAM(bronze)`)
	s.append("a", "VALUES (1)")
	w.run()
	for info, err := range w.stores["t"].List(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(info.Key, "_landfall/") {
			if err := w.stores["t"].Delete(t.Context(), info.Key); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.append("b", "VALUES (2)")
	w.refuses(diag.PipelineState, "the record of batch 1 of flow t is gone")
	w.run("t")
	w.holds("t", "1", "2")
	s.replace("c", "VALUES (3)", "a") // what was lost before is asked for no more
	w.run()
	w.holds("t", "2", "3")
}

// A file of the dataset that somebody wrote again tells no more what it was made of: that is
// no matter until rows are to be taken back, and then it is told.
func TestOwnFilesMoved(t *testing.T) {
	w := newWorld(t)
	s := w.source("bronze", "id", "long")
	w.says(`CREATE STREAMING TABLE t AS SELECT id FROM STREAM(bronze)`)
	s.append("a", "VALUES (1)")
	w.run()
	s.append("b", "VALUES (2)")
	w.run()
	tbl := w.open(w.stores["t"])
	snap, err := tbl.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := table.Change{Attempt: "x", Operation: "OPTIMIZE"}
	for _, f := range snap.Files() {
		f.Moved = true
		c.Removes = append(c.Removes, f)
		data, err := store.Read(t.Context(), w.stores["t"], f.Path)
		if err != nil {
			t.Fatal(err)
		}
		f.Path = "again-" + f.Path
		if err := w.stores["t"].Create(t.Context(), f.Path, data); err != nil {
			t.Fatal(err)
		}
		c.Adds = append(c.Adds, f)
	}
	if _, err := tbl.Commit(t.Context(), snap, c); err != nil {
		t.Fatal(err)
	}
	s.append("c", "VALUES (3)")
	w.run()
	w.holds("t", "1", "2", "3")
	s.remove("a")
	w.refuses(diag.PipelineState, "somebody wrote the file again")
	w.run("t")
	w.holds("t", "2", "3")
}
