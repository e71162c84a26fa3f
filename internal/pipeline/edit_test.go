package pipeline_test

import (
	"testing"

	"landfall/internal/diag"
)

// A stream that a query leaves out, and has again later, goes on where it was; rows that it
// lost meanwhile are taken back then.
func TestStreamAgain(t *testing.T) {
	w := newWorld(t)
	a, b := w.source("a", "id", "long"), w.source("b", "id", "long")
	both := `CREATE STREAMING TABLE t AS SELECT id FROM STREAM(a) UNION ALL SELECT id FROM STREAM(b)`
	w.says(both)
	a.append("a1", "VALUES (1)")
	b.append("b1", "VALUES (2), (3)")
	w.run()
	w.says(`CREATE STREAMING TABLE t AS SELECT id FROM STREAM(a)`)
	a.append("a2", "VALUES (4)")
	b.replace("b2", "VALUES (3)", "b1")
	w.run()
	w.holds("t", "1", "2", "3", "4")
	w.says(both)
	b.append("b3", "VALUES (5)")
	w.run()
	w.holds("t", "1", "3", "4", "5")
}

// A table that a query spells otherwise is the same table.
func TestStreamSpelt(t *testing.T) {
	w := newWorld(t)
	s := w.source("bronze", "id", "long")
	w.says(`CREATE STREAMING TABLE t AS SELECT * FROM STREAM(bronze)`)
	s.append("a", "VALUES (1), (2)")
	w.run()
	w.says(`CREATE STREAMING TABLE t AS SELECT * FROM STREAM(lake.bronze)`)
	s.replace("b", "VALUES (2), (3)", "a")
	w.run()
	w.holds("t", "2", "3")
	s.append("c", "VALUES (4)")
	w.says(`CREATE STREAMING TABLE t AS SELECT * FROM STREAM(bronze)`)
	w.run()
	w.holds("t", "2", "3", "4")
}

// A flow under another name would write the rows of the one that is gone again.
func TestFlowRenamed(t *testing.T) {
	w := newWorld(t)
	s := w.source("bronze", "id", "long")
	w.says(`CREATE STREAMING TABLE t AS SELECT * FROM STREAM(bronze)`)
	s.append("a", "VALUES (1)")
	w.run()
	renamed := `CREATE STREAMING TABLE t; CREATE FLOW other AS INSERT INTO t BY NAME SELECT * FROM STREAM(bronze)`
	w.says(renamed)
	w.refuses(diag.PipelineState, "the rows that flow t, which the pipeline has no more, read there are in the table")
	w.holds("t", "1")
	w.run("t") // made anew
	s.append("b", "VALUES (2)")
	w.run()
	w.holds("t", "1", "2")
}

// An empty text is no partition: it becomes null, and is counted.
func TestEmptyPartition(t *testing.T) {
	w := newWorld(t)
	s := w.source("bronze", "id", "long", "s", "string")
	w.says(`CREATE STREAMING TABLE t PARTITIONED BY (s) AS SELECT id, s FROM STREAM(bronze)`)
	s.append("a", "VALUES (1, ''), (2, NULL), (3, 'x'), (4, '')")
	e := only(t, w.run()["t"])
	w.holds("t", "1|NULL", "2|NULL", "3|x", "4|NULL")
	if len(e.Casts) != 1 || e.Casts[0].Column != "s" || e.Casts[0].Count != 2 {
		t.Errorf("found %+v, want two values of s", e.Casts)
	}
}
