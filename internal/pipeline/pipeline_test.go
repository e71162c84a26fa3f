package pipeline_test

import (
	"testing"
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
