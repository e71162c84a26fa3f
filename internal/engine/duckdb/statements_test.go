package duckdb_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/engine/enginetest"
	"landfall/internal/schema"
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
		said(t, s, "SELECT spark_upper('straße'), twice('a'), one(), CAST(TIMESTAMPTZ '2026-01-02 03:04:05+02' AS VARCHAR)", "STRASSE aa 1 2026-01-02 01:04:05+00")
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Rows that are kept spill, and so does what is sorted to be written; rows are written
// in the order that the statement gives them.
func TestSessionSpills(t *testing.T) {
	temp, folder := t.TempDir(), t.TempDir()
	e, err := duckdb.Open(t.Context(), duckdb.Options{MemoryLimit: "200MB", Threads: 2, TempDir: temp})
	if err != nil {
		t.Fatal(err)
	}
	as := schema.Struct{Fields: []schema.Field{col("h", schema.String), col("b", schema.Long)}}
	err = e.Session(t.Context(), engine.SessionOptions{Folders: []string{folder}}, func(s engine.Session) error {
		rows, err := s.Keep(t.Context(), "big", "SELECT i, md5(i::VARCHAR) AS h, repeat(md5((i * 7)::VARCHAR), 32) AS wide FROM range(1000000) t(i)")
		if err != nil || rows != 1_000_000 {
			t.Fatalf("found %d rows, %v", rows, err)
		}
		spilled := int64(0)
		err = filepath.WalkDir(temp, func(_ string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			spilled += info.Size()
			return err
		})
		if err != nil || spilled < 100e6 {
			t.Errorf("found %d bytes spilled, %v", spilled, err)
		}
		said(t, s, "SELECT count(DISTINCT h), sum(length(wide)) FROM big", "1000000 1024000000")
		files, err := s.Write(t.Context(), "SELECT h, length(wide) FROM big ORDER BY h", as, engine.Target{Folder: folder})
		if err != nil || len(files) != 1 || files[0].Rows != 1_000_000 {
			t.Fatalf("found %v, %v", files, err)
		}
		path := filepath.Join(folder, files[0].Path)
		said(t, s, "SELECT count(*) FROM (SELECT h < lag(h) OVER (ORDER BY file_row_number) AS x FROM read_parquet('"+path+"', file_row_number = true)) WHERE x", "0")
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("found %v, %v in the temporary folder", left, err)
	}
}

// Statements end soon after their context does, and leave nothing behind.
func TestSessionIsCancelled(t *testing.T) {
	temp, folder := t.TempDir(), t.TempDir()
	e, err := duckdb.Open(t.Context(), duckdb.Options{Threads: 2, TempDir: temp})
	if err != nil {
		t.Fatal(err)
	}
	const long = "SELECT count(*) AS n FROM range(1000000) a(i), range(1000000) b(j) WHERE md5((i + j)::VARCHAR) = 'x'"
	for name, run := range map[string]func(context.Context, engine.Session) error{
		"keep": func(ctx context.Context, s engine.Session) error { _, err := s.Keep(ctx, "k", long); return err },
		"query": func(ctx context.Context, s engine.Session) error {
			return s.Query(ctx, long, func(engine.Result) error { return nil })
		},
		"write": func(ctx context.Context, s engine.Session) error {
			_, err := s.Write(ctx, long, schema.Struct{Fields: []schema.Field{col("n", schema.Long)}}, engine.Target{Folder: folder})
			return err
		},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		begin := time.Now()
		err := e.Session(t.Context(), engine.SessionOptions{Folders: []string{folder}}, func(s engine.Session) error {
			err := run(ctx, s)
			said(t, s, "SELECT 1", "1")
			return err
		})
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 10*time.Second {
			t.Errorf("%s: found %v after %s", name, err, time.Since(begin))
		}
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("found %v, %v in the temporary folder", left, err)
	}
}

// Sessions read views with the places of rows; a file that contradicts its table is an
// error that names it, when the view is opened and when its rows are read.
func TestSessionViews(t *testing.T) {
	f, e := newFolder(t), open(t)
	fields := []schema.Field{col("a", schema.Integer)}
	one := f.file("one.parquet", "SELECT i::INTEGER AS a FROM range(5) r(i)")
	one.Deleted = []int64{1, 3}
	v := f.view("silver.orders", fields, one, f.file("two.parquet", "SELECT 9::INTEGER AS a"))
	v.Positions = true
	late := f.view("late", fields, f.file("late.parquet", "SELECT 3000000000::BIGINT AS a"))
	err := e.Session(t.Context(), engine.SessionOptions{Views: []engine.View{v, late}}, func(s engine.Session) error {
		const list = "SELECT string_agg(a || '/' || _landfall_file || '/' || _landfall_row, ' ' ORDER BY a) FROM "
		said(t, s, list+`"silver"."orders"`, "0/0/0 2/0/2 4/0/4 9/1/0")
		if _, err := s.Keep(t.Context(), "batch", "FROM orders WHERE _landfall_file = 0"); err != nil {
			t.Error(err)
		}
		said(t, s, list+"batch", "0/0/0 2/0/2 4/0/4")
		for _, run := range []func() error{
			func() error { _, err := s.Keep(t.Context(), "k", "FROM late"); return err },
			func() error { return s.Query(t.Context(), "FROM late", func(engine.Result) error { return nil }) },
		} {
			if err := run(); diag.CodeOf(err) != diag.QueryFailed && diag.CodeOf(err) != diag.FileUnreadable {
				t.Errorf("found %v", err)
			}
		}
		err := s.Query(t.Context(), "FROM nowhere", func(engine.Result) error { return nil })
		return err
	})
	if diag.CodeOf(err) != diag.QueryFailed || !strings.Contains(diag.Render(err, false), "there is silver.orders, late") {
		t.Errorf("found %v", err)
	}
	bad := f.view("bad", fields, f.file("bad.parquet", "SELECT 'x' AS a"))
	err = e.Session(t.Context(), engine.SessionOptions{Views: []engine.View{bad}}, func(engine.Session) error {
		t.Error("a view of a wrong file was opened")
		return nil
	})
	if diag.CodeOf(err) != diag.FileUnreadable || !strings.Contains(err.Error(), "bad.parquet") {
		t.Errorf("found %v", err)
	}
}

// said holds the one row of a statement against what is wanted.
func said(t *testing.T, s engine.Session, sql, want string) {
	t.Helper()
	err := s.Query(t.Context(), sql, func(r engine.Result) error {
		for row, err := range r.Rows {
			if err != nil {
				return err
			}
			texts := make([]string, len(row))
			for i, v := range row {
				texts[i] = engine.Text(v)
			}
			if got := strings.Join(texts, " "); got != want {
				t.Errorf("%s: found %s, want %s", sql, got, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("%s: %v", sql, err)
	}
}

// BenchmarkSessionBegin is what a session costs before it runs anything.
func BenchmarkSessionBegin(b *testing.B) {
	e, err := duckdb.Open(b.Context(), duckdb.Options{Threads: 2, TempDir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := e.Session(b.Context(), engine.SessionOptions{}, func(engine.Session) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
