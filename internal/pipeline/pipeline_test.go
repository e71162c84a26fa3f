package pipeline_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"landfall/internal/diag"
	"landfall/internal/pipeline"
	"landfall/internal/pipeline/record"
)

// Rows with a key that a table or a batch holds already are dropped; keys of replaced
// files may come again, and keys that are null are neither.
func TestUnique(t *testing.T) {
	w := newWorld(t)
	s := w.source("bronze", "id", "long", "n", "integer")
	w.says(`CREATE STREAMING TABLE t (CONSTRAINT once EXPECT UNIQUE (id) ON VIOLATION DROP ROW) AS SELECT * FROM STREAM(bronze)`)
	s.append("a", "VALUES (1, 10), (2, 20), (1, 11)")
	w.run()
	w.holds("t", "1|10", "2|20")
	s.append("b", "VALUES (2, 21), (3, 30), (NULL, 0)")
	e := only(t, w.run()["t"])
	if got := counts(t, e, "once"); got != [3]int64{1, 1, 1} {
		t.Errorf("found %v", got)
	}
	w.holds("t", "1|10", "2|20", "3|30")
	s.replace("a2", "VALUES (1, 12), (2, 22), (4, 40)", "a")
	w.run()
	w.holds("t", "1|12", "2|22", "3|30", "4|40")
}

// A row that another rule drops takes no key away.
func TestUniqueOfKept(t *testing.T) {
	w := newWorld(t)
	s := w.source("bronze", "id", "long", "n", "integer")
	w.says(`CREATE STREAMING TABLE t (CONSTRAINT once EXPECT UNIQUE (id) ON VIOLATION DROP ROW, CONSTRAINT some EXPECT (n > 0) ON VIOLATION DROP ROW) AS SELECT * FROM STREAM(bronze)`)
	s.append("a", "VALUES (1, -1), (1, 11), (1, 12)")
	w.run()
	w.holds("t", "1|11")
}

// Two flows that read one table take back their own rows alone.
func TestTwoFlows(t *testing.T) {
	w := newWorld(t)
	s := w.source("bronze", "id", "long", "n", "integer")
	w.says(`CREATE STREAMING TABLE t;
CREATE FLOW low AS INSERT INTO t BY NAME SELECT id, n FROM STREAM(bronze) WHERE n < 100;
CREATE FLOW double AS INSERT INTO t BY NAME SELECT id, n * 2 AS n FROM STREAM(bronze);
CREATE FLOW first AS INSERT INTO ONCE t BY NAME SELECT 0L AS id, 0 AS n;`)
	s.append("a", "VALUES (1, 10), (2, 200)")
	w.run()
	w.holds("t", "0|0", "1|10", "1|20", "2|400")
	s.delete("a", 1)
	w.run()
	w.holds("t", "0|0", "1|10", "1|20")
	w.run("t")
	w.holds("t", "0|0", "1|10", "1|20")
	s.append("b", "VALUES (3, 30)")
	w.run()
	w.holds("t", "0|0", "1|10", "1|20", "3|30", "3|60")
}

// Names of columns are those of the engine's own words and of the program's texts.
func TestOddNames(t *testing.T) {
	w := newWorld(t)
	s := w.source("bronze", "f", "string", "b", "long", "q", "string", "select", "string", `a"b`, "integer", "it's", "integer", "ünï-ç/ö.x", "integer")
	w.says("CREATE STREAMING TABLE `Ta-ble x` (CONSTRAINT `it's odd` EXPECT (`it's` > 0 AND `select` IS NOT NULL) ON VIOLATION DROP ROW, CONSTRAINT u EXPECT UNIQUE (b, q)) AS SELECT * FROM STREAM(bronze)")
	s.append("a", "VALUES ('f1', 1, 'q1', 's', 1, 1, 1), ('f2', 2, 'q2', 's', 1, 0, 1), ('f2', 2, NULL, 's', 1, 1, 1)")
	e := only(t, w.run()["Ta-ble x"])
	if got := counts(t, e, "it's odd"); got != [3]int64{2, 1, 0} {
		t.Errorf("found %v", got)
	}
	if got := counts(t, e, "u"); got != [3]int64{2, 0, 1} {
		t.Errorf("found %v", got)
	}
	if got := w.asks(`SELECT count(*) FROM "Ta-ble x"`, "Ta-ble x"); got[0] != "2" {
		t.Errorf("found %v", got)
	}
}

// How old the newest row is, is asked of the table, also when nothing came.
func TestFresh(t *testing.T) {
	w := newWorld(t)
	s := w.source("bronze", "id", "long", "at", "timestamp")
	w.says(`CREATE STREAMING TABLE t (CONSTRAINT alive EXPECT FRESH (at, INTERVAL 1 DAY)) AS SELECT * FROM STREAM(bronze);
CREATE MATERIALIZED VIEW m (CONSTRAINT strict EXPECT FRESH (newest, INTERVAL 2 DAYS) ON VIOLATION FAIL UPDATE) AS SELECT max(at) AS newest FROM t`)
	look := func(o pipeline.Outcome, rule string, want [3]int64) {
		t.Helper()
		if len(o.Looks) != 1 {
			t.Fatalf("%s: found %d looks, want one", o.Dataset.Name, len(o.Looks))
		}
		if got := counts(t, o.Looks[0], rule); got != want {
			t.Errorf("%s: found %v, want %v", rule, got, want)
		}
	}
	s.append("a", "VALUES (1, TIMESTAMPTZ '2020-01-01 00:00:00+00'), (2, TIMESTAMPTZ '2026-12-01 07:00:00+00'), (3, NULL)")
	out := w.run()
	look(out["t"], "alive", [3]int64{1, 0, 0})
	look(out["m"], "strict", [3]int64{1, 0, 0})
	if e := only(t, out["t"]); len(e.Expectations) != 0 || e.RowsWritten != 3 {
		t.Errorf("found %+v", e)
	}
	w.now = w.now.Add(25 * time.Hour)
	out = w.run()
	look(out["t"], "alive", [3]int64{0, 1, 0})
	if out["t"].Status != pipeline.Unchanged || out["t"].Looks[0].Expectations[0].Samples[0].Text() != "at = 2026-12-01T07:00:00Z" {
		t.Errorf("found %+v", out["t"])
	}
	w.now = w.now.Add(25 * time.Hour)
	out, err := w.runs()
	look(out["m"], "strict", [3]int64{0, 1, 0})
	if diag.CodeOf(err) != diag.ExpectationFailed || out["m"].Status != pipeline.Failed {
		t.Errorf("found %v, %s", err, out["m"].Status)
	}
	s.append("b", "VALUES (4, TIMESTAMPTZ '2026-12-02 00:00:00+00')")
	out, _ = w.runs()
	look(out["t"], "alive", [3]int64{0, 1, 0})
	w.holds("m", "2026-12-02T00:00:00Z") // it is written all the same
	past, err := record.Past(t.Context(), w.stores["t"], w.open(w.stores["t"]))
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, e := range past.Events {
		told = append(told, fmt.Sprint(e.Batch, " ", e.Dataset.How))
	}
	if got := strings.Join(told, ", "); got != "1 new rows, 1 looked at, 2 new rows, 2 looked at" {
		t.Errorf("found %s", got)
	}
}
