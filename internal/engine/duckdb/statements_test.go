package duckdb_test

import (
	"os"
	"strings"
	"testing"

	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/engine/enginetest"
)

func TestSessions(t *testing.T) {
	temp := t.TempDir()
	e, err := duckdb.Open(t.Context(), duckdb.Options{Threads: 2, TempDir: temp})
	if err != nil {
		t.Fatal(err)
	}
	enginetest.Sessions(t, e)
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("found %v, %v in the temporary folder", left, err)
	}
}

// A session has the functions of Spark, those of the caller, and the zone UTC.
func TestSessionFunctions(t *testing.T) {
	e := open(t)
	o := engine.SessionOptions{Macros: "CREATE OR REPLACE TEMP MACRO twice(x) AS x || x; CREATE OR REPLACE TEMP MACRO one() AS 1"}
	err := e.Session(t.Context(), o, func(s engine.Session) error {
		return s.Query(t.Context(), "SELECT spark_upper('straße'), twice('a'), one(), CAST(TIMESTAMPTZ '2026-01-02 03:04:05+02' AS VARCHAR)", func(r engine.Result) error {
			for row, err := range r.Rows {
				if err != nil {
					return err
				}
				var got []string
				for _, v := range row {
					got = append(got, engine.Text(v))
				}
				if got := strings.Join(got, " "); got != "STRASSE aa 1 2026-01-02 01:04:05+00" {
					t.Errorf("found %s", got)
				}
			}
			return nil
		})
	})
	if err != nil {
		t.Error(err)
	}
}
