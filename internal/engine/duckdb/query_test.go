package duckdb_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/schema"
)

// Values of every kind that SQL can make are exact in JSON.
func TestValues(t *testing.T) {
	e := open(t)
	for query, json := range map[string]string{
		`SELECT 170141183460469231731687303715884105727::HUGEINT AS v`:                              `170141183460469231731687303715884105727`,
		`SELECT 18446744073709551615::UBIGINT AS v`:                                                 `18446744073709551615`,
		`SELECT -0.05::DECIMAL(3,2) AS v`:                                                           `-0.05`,
		`SELECT 1e300 AS v`:                                                                         `1e+300`,
		`SELECT '-inf'::FLOAT AS v`:                                                                 `"-Infinity"`,
		`SELECT 'infinity'::TIMESTAMPTZ AS v`:                                                       `"infinity"`,
		`SELECT '-infinity'::DATE AS v`:                                                             `"-infinity"`,
		`SELECT NULL AS v`:                                                                          `null`,
		`SELECT '{"n": 12345678901234567890.50}'::JSON AS v`:                                        `"{\"n\": 12345678901234567890.50}"`,
		`SELECT [{'j': '1.10'::JSON}] AS v`:                                                         `[{"j":"1.10"}]`,
		`SELECT '8f7a2c1e-0000-4000-8000-0123456789ab'::UUID AS v`:                                  `"8f7a2c1e-0000-4000-8000-0123456789ab"`,
		`SELECT INTERVAL '1 day 2 hours' AS v`:                                                      `"1 day 02:00:00"`,
		`SELECT TIME '10:11:12.5' AS v`:                                                             `"10:11:12.5"`,
		`SELECT '101'::BIT AS v`:                                                                    `"101"`,
		`SELECT 'b'::ENUM('a', 'b') AS v`:                                                           `"b"`,
		`SELECT MAP {'\x01'::BLOB: 1, 'a'::BLOB: 2} AS v`:                                           `{"01":1,"61":2}`,
		`SELECT [{'m': MAP {[1, 2]: MAP {{'k': 1}: '1.10'::JSON}}}, NULL] AS v`:                     `[{"m":{"[1,2]":{"{\"k\":1}":"1.10"}}},null]`,
		`SELECT MAP {}::MAP(INTEGER, INTEGER) AS v`:                                                 `{}`,
		`SELECT NULL::MAP(INTEGER, INTEGER)[] AS v`:                                                 `null`,
		`SELECT [MAP {1: 2}]::MAP(INTEGER, INTEGER)[1] AS v`:                                        `[{"1":2}]`,
		`SELECT MAP {'k': 'b'::ENUM('a', 'b')} AS v`:                                                `{"k":"b"}`,
		`SELECT MAP {2: NULL, 1: 'x'} AS v`:                                                         `{"2":null,"1":"x"}`,
		`SELECT MAP {DATE '2026-01-02': 1.50} AS v`:                                                 `{"2026-01-02":1.50}`,
		`SELECT {'z': 1, 'a': [NULL, {'b': 2}]} AS v`:                                               `{"z":1,"a":[null,{"b":2}]}`,
		`SELECT [1, 2]::INTEGER[2] AS v`:                                                            `[1,2]`,
		`SELECT 'x'::VARIANT AS v`:                                                                  `"x"`,
		"SELECT '1'::JSON AS v -- a comment at the end;":                                            `"1"`,
		`SELECT sum(i) AS v FROM range(3) r(i);`:                                                    `3`,
		`SELECT union_value(n := 1) AS v`:                                                           `"1"`,
		`SELECT TIMESTAMP_NS '2026-01-02 03:04:05.123456789' AS v`:                                  `"2026-01-02T03:04:05.123456789"`,
		`SELECT TIMESTAMPTZ '2026-01-02 03:04:05+02' AS v`:                                          `"2026-01-02T01:04:05Z"`,
		`WITH t AS (SELECT 1 AS v) FROM t`:                                                          `1`,
		`SELECT first(j) AS v FROM (SELECT '2'::JSON AS j UNION SELECT NULL) x WHERE j IS NOT NULL`: `"2"`,
	} {
		want(t, e, `{"v":`+json+`}`, query)
	}
	want(t, e, `{"a":1,"a_2":2,"a_1":3,"a b":null}`, `SELECT 1 AS a, 2 AS a, 3 AS a_1, NULL AS "a b"`)
	want(t, e, "{\"j\":\"3\"}\n{\"j\":\"2\"}\n{\"j\":\"1\"}", `SELECT j::VARCHAR::JSON AS j FROM (VALUES (1), (3), (2)) x(j) ORDER BY j::INTEGER DESC`)
}

func TestWrongStatements(t *testing.T) {
	f, e := newFolder(t), open(t)
	view := f.view("orders", []schema.Field{col("amount", schema.Long)})
	for _, c := range []struct{ query, first, hint string }{
		{"SELECT nope FROM orders", `query:1:8: referenced column "nope" not found in FROM clause! [E0801]`, `there is "amount"`},
		{"SELECT amount\nFROM order_s", `query:2:6: table with name order_s does not exist! [E0801]`, "there is orders"},
		{"SELEC 1", `query:1:1: syntax error at or near "SELEC" [E0801]`, ""},
		{"SELECT 'ü', nope FROM orders", `query:1: referenced column "nope" not found in FROM clause! [E0801]`, `there is "amount"`},
		{"SELECT 1; SELECT 2", "found no statement or several, want one [E0801]", ""},
		{"  ", "found no statement or several, want one [E0801]", ""},
		{"SELECT ?", "found a parameter (? or $1), want a value in its place [E0801]", ""},
		{"SELECT 'x'::INTEGER", `query:1:11: could not convert string 'x' to INT32 [E0801]`, ""},
	} {
		_, rows, err := ask(t.Context(), e, c.query, view)
		var d *diag.Diagnostic
		if !errors.As(err, &d) || d.Error() != c.first || d.Hint != c.hint {
			t.Errorf("%q: got %s, %v, %+v", c.query, rows, err, d)
		}
	}
	long := "SELECT " + strings.Repeat("amount + ", 40) + "nope" + strings.Repeat(" + amount", 40) + " FROM orders"
	_, _, err := ask(t.Context(), e, long, view)
	var d *diag.Diagnostic
	if !errors.As(err, &d) || d.At.Column != strings.Index(long, "nope")+1 || d.Excerpt != long {
		t.Errorf("long line: got %v", err)
	}
}

// Whatever a query tries, it reads the tables it was given and nothing else.
func TestReadOnly(t *testing.T) {
	f, e := newFolder(t), open(t)
	secret := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(secret, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := f.file("a.parquet", "SELECT 1::BIGINT AS v")
	other := f.file("other.parquet", "SELECT 1::BIGINT AS v")
	view := f.view("t", []schema.Field{col("v", schema.Long)}, file)
	path := filepath.Join(f.root, file.Path)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{
		"FROM '" + secret + "'",
		"FROM read_csv('" + secret + "')",
		"FROM read_text('" + secret + "')",
		"FROM read_parquet('" + filepath.Join(f.root, other.Path) + "')",
		"FROM glob('" + f.root + "/*')",
		"COPY (FROM t) TO '" + filepath.Join(f.root, "new.parquet") + "'",
		"COPY (FROM t) TO '" + path + "'",
		"EXPLAIN ANALYZE COPY (FROM t) TO '" + path + "'",
		"EXPORT DATABASE '" + f.root + "/x'",
		"ATTACH '" + f.root + "/x.db'",
		"INSTALL httpfs",
		"LOAD httpfs",
		"SET enable_external_access = true",
		"PRAGMA memory_limit='1GB'",
		"CREATE TABLE x AS FROM t",
		"DROP VIEW t",
		"INSERT INTO t VALUES (1)",
		"DELETE FROM _landfall.deleted",
		"CALL pragma_version()",
		"SELECT 1; DROP VIEW t",
		"BEGIN",
	} {
		if _, rows, err := ask(t.Context(), e, query, view); diag.CodeOf(err) != diag.QueryFailed {
			t.Errorf("%s: got %s, %v", query, rows, err)
		}
	}
	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(before) {
		t.Errorf("the data file changed: %v", err)
	}
	if entries, err := os.ReadDir(f.root); err != nil || len(entries) != 2 {
		t.Errorf("the table's folder holds %v, %v", entries, err)
	}
	want(t, e, `{"v":1}`, "FROM t", view)
}

// A wrong statement is told once, with its place and what leads on.
func TestFaults(t *testing.T) {
	f, e := newFolder(t), open(t)
	view := f.view("t", []schema.Field{col("v", schema.String)}, f.file("a.parquet", "SELECT 'x' AS v"))
	for query, want := range map[string]string{
		"SELECT nope FROM t": `query:1:8: referenced column "nope" not found in FROM clause! [E0801]
    1 │ SELECT nope FROM t
      │        ^^^^
    hint: there is "v"
`,
		"SELECT sum(v) FROM t":         "hint: columns of landed text are strings: write CAST(",
		" delete FROM t":               "want SELECT",
		"DROP VIEW t":                  "want SELECT",
		"UPDATE t SET v = ''":          "want SELECT",
		"INSERT INTO t VALUES (1)":     "want SELECT",
		"SELECT CAST(v AS INT) FROM t": "could not convert string 'x' to INT32",
	} {
		_, _, err := ask(t.Context(), e, query, view)
		if got := diag.Render(err, false); !strings.Contains(got, want) || strings.Contains(got, "because") {
			t.Errorf("%s: got %s", query, got)
		}
	}
}

func TestNames(t *testing.T) {
	f, e := newFolder(t), open(t)
	one := f.file("1.parquet", "SELECT 1::BIGINT AS v")
	two := f.file("2.parquet", "SELECT 2::BIGINT AS v")
	fields := []schema.Field{col("v", schema.Long)}
	views := []engine.View{
		f.view("bronze.orders", fields, one), f.view("silver.orders", fields, two),
		f.view("bronze.Trips", fields, one), f.view(`we"ird name`, fields, two), f.view("select", fields, one),
	}
	for query, v := range map[string]string{
		"FROM bronze.orders": "1", "FROM silver.orders": "2", "FROM trips": "1", "FROM bronze.trips": "1",
		`FROM "we""ird name"`: "2", `FROM "select"`: "1",
	} {
		want(t, e, `{"v":`+v+`}`, query, views...)
	}
	if _, _, err := ask(t.Context(), e, "FROM orders", views...); diag.CodeOf(err) != diag.QueryFailed {
		t.Errorf("an ambiguous name: got %v", err)
	}
	want(t, e, `{"column_name":"v","column_type":"BIGINT"}`, "SELECT column_name, column_type FROM (DESCRIBE trips)", views...)
	want(t, e, `{"n":6}`, "SELECT count(*) AS n FROM (SHOW ALL TABLES) WHERE schema <> '_landfall'", views...)
}

func TestListings(t *testing.T) {
	e := open(t)
	fields := []schema.Field{
		col("at", schema.Timestamp), col("kind", schema.String), col("rows", schema.Long), col("detail", schema.String),
		col("names", schema.Array{Element: schema.String}), col("price", schema.Decimal{Precision: 38, Scale: 2}),
	}
	ask := func(query, lines string) (string, error) {
		var out strings.Builder
		listing := engine.Listing{Name: "events", Schema: schema.Struct{Fields: fields}, Lines: strings.NewReader(lines)}
		err := e.Query(t.Context(), query, nil, []engine.Listing{listing}, func(r engine.Result) error {
			_, err := engine.WriteNDJSON(&out, r)
			return err
		})
		return out.String(), err
	}
	lines := `{"at":"2026-10-02T08:00:00.25Z","kind":"drift","rows":9007199254740993,"detail":{"a":[1,2.50,12345678901234567890]},"price":12345678901234567890.10,"names":["x"],"more":1}
{"kind":"run"}
`
	got, err := ask("FROM events() ORDER BY kind", lines)
	rows := `{"at":"2026-10-02T08:00:00.25Z","kind":"drift","rows":9007199254740993,"detail":"{\"a\":[1,2.50,12345678901234567890]}","names":["x"],"price":12345678901234567890.10}
{"at":null,"kind":"run","rows":null,"detail":null,"names":null,"price":null}
`
	if err != nil || got != rows {
		t.Errorf("got %s, %v; want %s", got, err, rows)
	}
	if got, err := ask("SELECT count(*) AS n, max(rows) AS r FROM events()", ""); err != nil || got != `{"n":0,"r":null}`+"\n" {
		t.Errorf("without lines: got %s, %v", got, err)
	}
	for _, bad := range []string{"{\"rows\":\"many\"}\n", "{\"kind\":\n"} {
		if got, err := ask("FROM events()", bad); err == nil {
			t.Errorf("%q: got %s", bad, got)
		}
	}
}

func TestBrokenFile(t *testing.T) {
	f, e := newFolder(t), open(t)
	file := f.file("good.parquet", "SELECT 1::BIGINT AS v")
	if err := f.store.Create(t.Context(), "x/broken.parquet", []byte("PAR1 but no more")); err != nil {
		t.Fatal(err)
	}
	fields := []schema.Field{col("v", schema.Long)}
	for _, path := range []string{"x/broken.parquet", "gone.parquet", "file:///nowhere/gone.parquet"} {
		_, _, err := ask(t.Context(), e, "FROM t", f.view("t", fields, file, engine.File{Path: path}))
		var d *diag.Diagnostic
		if !errors.As(err, &d) || d.Code != diag.FileUnreadable || d.At.File != path {
			t.Errorf("%s: got %v", path, err)
		}
	}
	// A query that does not name the table does not open it.
	want(t, e, `{"v":2}`, "SELECT 2 AS v", f.view("t_1", fields, engine.File{Path: "gone.parquet"}))
	borrowed := f.view("t", fields, engine.File{Path: "file://" + filepath.Join(f.root, file.Path)})
	want(t, e, `{"v":1}`, "FROM t", borrowed)
	elsewhere := f.view("t", fields, engine.File{Path: "s3://bucket/a.parquet"})
	if _, _, err := ask(t.Context(), e, "FROM t", elsewhere); diag.CodeOf(err) != diag.FileUnreadable {
		t.Errorf("another store: got %v", err)
	}
}

// Long answers come by pages, in order, as far as they are wanted.
func TestPages(t *testing.T) {
	e := open(t)
	for _, rows := range []int64{0, 20_480, 40_961} {
		left := rows
		err := e.Query(t.Context(), fmt.Sprintf("SELECT i FROM range(%d) r(i) ORDER BY i DESC", rows), nil, nil, func(r engine.Result) error {
			for row, err := range r.Rows {
				if err != nil {
					return err
				}
				if left--; row[0] != left {
					return fmt.Errorf("found row %v, want %d", row[0], left)
				}
			}
			return nil
		})
		if err != nil || left != 0 {
			t.Errorf("%d rows: %d left, %v", rows, left, err)
		}
	}
	stop := errors.New("stop")
	err := e.Query(t.Context(), "FROM range(100000)", nil, nil, func(r engine.Result) error {
		for _, err := range r.Rows {
			return errors.Join(stop, err)
		}
		return nil
	})
	if !errors.Is(err, stop) {
		t.Errorf("stopped: got %v", err)
	}
}

func TestCancel(t *testing.T) {
	e := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := e.Query(ctx, "FROM range(1000000)", nil, nil, func(r engine.Result) error {
		cancel()
		for _, err := range r.Rows {
			return err
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	if _, err := duckdb.Open(t.Context(), duckdb.Options{MemoryLimit: "much"}); err == nil {
		t.Error("a wrong memory limit was taken")
	}
	if _, err := duckdb.Open(t.Context(), duckdb.Options{TempDir: filepath.Join(t.TempDir(), "missing")}); err == nil {
		t.Error("a missing temporary folder was taken")
	}
	odd := filepath.Join(t.TempDir(), "odd[1]")
	if err := os.Mkdir(odd, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := duckdb.Open(t.Context(), duckdb.Options{TempDir: odd}); err != nil {
		t.Errorf("a folder with brackets: %v", err)
	}
}
