package duckdb_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/schema"
)

// asked is the rows of a statement of a session as text.
func asked(t *testing.T, s engine.Session, sql string) string {
	t.Helper()
	var out []string
	err := s.Query(t.Context(), sql, func(r engine.Result) error {
		for row, err := range r.Rows {
			if err != nil {
				return err
			}
			texts := make([]string, len(row))
			for i, v := range row {
				texts[i] = engine.Text(v)
			}
			out = append(out, strings.Join(texts, " "))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, "\n")
}

// Statements of a session see rows that were kept, also of what differs each time.
func TestSteps(t *testing.T) {
	e, err := duckdb.Open(t.Context(), duckdb.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	err = e.Steps(t.Context(), engine.Steps{Folder: folder}, func(s engine.Session) error {
		rows, err := s.Keep(t.Context(), "batch", "SELECT random() AS r, i, CAST(i AS DECIMAL(10,2)) / 4 AS q FROM range(100) t(i)")
		if err != nil || rows != 100 {
			t.Errorf("found %d rows, %v, want 100", rows, err)
		}
		if a, b := asked(t, s, "SELECT sum(r) FROM batch"), asked(t, s, "SELECT sum(r) FROM batch"); a != b {
			t.Errorf("found %s and %s of the same rows", a, b)
		}
		if got := asked(t, s, "SELECT spark_upper('straße'), timezone('UTC', TIMESTAMPTZ '2026-01-02 03:04:05+00')"); !strings.HasPrefix(got, "STRASSE 2026-01-02") {
			t.Errorf("found %s, want the functions of Spark and the zone UTC", got)
		}
		w, err := s.Write(t.Context(), "SELECT i, q FROM batch WHERE i < 10", []schema.Field{{Name: "a b", Type: schema.Short}, {Name: "q", Type: schema.Decimal{Precision: 8, Scale: 2}}}, "out.parquet")
		if err != nil || w.Rows != 10 || w.Size == 0 {
			t.Errorf("found %+v, %v, want 10 rows", w, err)
		}
		if got := asked(t, s, "SELECT any_value(typeof(\"a b\")), any_value(typeof(q)), sum(q) FROM read_parquet('"+filepath.Join(folder, "out.parquet")+"')"); got != "SMALLINT DECIMAL(8,2) 11.25" {
			t.Errorf("found %s in the file", got)
		}
		_, err = s.Write(t.Context(), "SELECT 70000", []schema.Field{{Name: "a", Type: schema.Short}}, "wide.parquet")
		if !errors.Is(err, &diag.Diagnostic{Code: diag.QueryFailed}) {
			t.Errorf("found %v of a value that does not fit", err)
		}
		for _, text := range []string{"COPY batch TO '/tmp/elsewhere.parquet'", "DROP TABLE batch", "SELECT * FROM read_csv('/etc/passwd')", "SELECT error('said')"} {
			if err := s.Query(t.Context(), text, func(engine.Result) error { return nil }); err == nil {
				t.Errorf("%s: found no error", text)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
