package enginetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/parquetfile"
	"landfall/internal/schema"
)

// Sessions runs the suite of engine.Sessions. Statements are in the dialect of DuckDB.
func Sessions(t *testing.T, e engine.Sessions) {
	t.Helper()
	for name, run := range map[string]func(*testing.T, engine.Sessions){
		"kept rows stay":              keptRows,
		"columns have types of Spark": columnTypes,
		"written types":               writtenTypes,
		"written types at random":     randomTypes,
		"misfits":                     misfits,
		"wrong statements":            wrongStatements,
		"statements within results":   withinResults,
		"folders":                     otherFolders,
	} {
		t.Run(name, func(t *testing.T) { run(t, e) })
	}
}

// in runs statements in a session that may write to a folder.
func inSession(t *testing.T, e engine.Sessions, folder string, use func(engine.Session)) {
	t.Helper()
	err := e.Session(t.Context(), engine.SessionOptions{Folders: []string{folder}}, func(s engine.Session) error {
		use(s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// answer is the rows of a SELECT, or the error.
func answer(ctx context.Context, s engine.Session, sql string) (string, error) {
	var out []string
	err := s.Query(ctx, sql, func(r engine.Result) error {
		for row, err := range r.Rows {
			if err != nil {
				return err
			}
			out = append(out, rowText(row))
		}
		return nil
	})
	return strings.Join(out, "\n"), err
}

func answers(t *testing.T, s engine.Session, sql, want string) {
	t.Helper()
	if got, err := answer(t.Context(), s, sql); err != nil || got != want {
		t.Errorf("%s: found %s, %v, want %s", sql, got, err, want)
	}
}

func keptRows(t *testing.T, e engine.Sessions) {
	inSession(t, e, t.TempDir(), func(s engine.Session) {
		rows, err := s.Keep(t.Context(), "a batch", "SELECT i, random() AS r, uuid() AS u FROM range(1000) t(i) -- rows")
		if err != nil || rows != 1000 {
			t.Fatalf("found %d rows, %v", rows, err)
		}
		once, err := answer(t.Context(), s, `SELECT sum(r), max(u), count(*) FROM "a batch"`)
		if err != nil {
			t.Fatal(err)
		}
		answers(t, s, `SELECT sum(r), max(u), count(*) FROM "a batch"`, once)
		if _, err := s.Keep(t.Context(), "a batch", "SELECT 1"); diag.CodeOf(err) != diag.QueryFailed {
			t.Errorf("a second time under a name: found %v", err)
		}
		if err := s.Drop(t.Context(), "a batch"); err != nil {
			t.Error(err)
		}
		if _, err := s.Keep(t.Context(), "a batch", "SELECT 1 AS i"); err != nil {
			t.Error(err)
		}
		answers(t, s, `FROM "a batch"`, "1")
		if err := s.Drop(t.Context(), "none"); diag.CodeOf(err) != diag.QueryFailed {
			t.Errorf("drop of nothing: found %v", err)
		}
	})
}

// samples are values of each type, with Spark's type of each.
func samples() (values, types []string) {
	for _, s := range [][2]string{
		{"true", "boolean"},
		{"1::TINYINT", "tinyint"},
		{"1::SMALLINT", "smallint"},
		{"1::INTEGER", "int"},
		{"1::BIGINT", "bigint"},
		{"1.5::FLOAT", "float"},
		{"1.5::DOUBLE", "double"},
		{"1.50::DECIMAL(4,2)", "decimal(4,2)"},
		{"1.5::DECIMAL(9,1)", "decimal(9,1)"},
		{"1.5::DECIMAL(18,4)", "decimal(18,4)"},
		{"-1.5::DECIMAL(38,10)", "decimal(38,10)"},
		{"'ü'", "string"},
		{`'\x00\xFF'::BLOB`, "binary"},
		{"DATE '1969-12-31'", "date"},
		{"TIMESTAMPTZ '2026-01-02 03:04:05.000006+00'", "timestamp"},
		{"TIMESTAMP '1900-01-02 03:04:05.000006'", "timestamp_ntz"},
		{"[1, NULL]::INTEGER[]", "array<int>"},
		{"MAP {'k': 1.5::DECIMAL(3,1)}", "map<string,decimal(3,1)>"},
		{"{'a b': 1::SMALLINT, c: {d: [TIMESTAMPTZ '2026-01-02 03:04:05+00']}}", "struct<`a b`:smallint,c:struct<d:array<timestamp>>>"},
	} {
		values, types = append(values, s[0]), append(types, s[1])
	}
	return values, types
}

func columnTypes(t *testing.T, e engine.Sessions) {
	values, types := samples()
	values = append(values, "1::HUGEINT", "1::UTINYINT", "1::USMALLINT", "1::UINTEGER", "1::UBIGINT", "[NULL]", "'{}'::JSON", "uuid()", "TIMESTAMP_NS '2026-01-02 03:04:05'", "[1::INTEGER, 2]::INTEGER[2]")
	types = append(types, "decimal(38,0)", "smallint", "int", "bigint", "decimal(20,0)", "array<int>", "string", "string", "timestamp_ntz", "array<int>")
	inSession(t, e, t.TempDir(), func(s engine.Session) {
		got, err := s.Columns(t.Context(), "SELECT "+strings.Join(values, ", "))
		if err != nil || len(got.Fields) != len(types) {
			t.Fatalf("found %s, %v", got, err)
		}
		for i, f := range got.Fields {
			if f.Type.String() != types[i] || !f.Nullable {
				t.Errorf("%s: found %s, want %s", values[i], f.Type, types[i])
			}
		}
		for _, other := range []string{"TIME '10:00:00'", "INTERVAL 1 DAY", "[{a: TIME '10:00:00'}]"} {
			if _, err := s.Columns(t.Context(), "SELECT "+other+" AS x"); diag.CodeOf(err) != diag.QueryFailed {
				t.Errorf("%s: found %v", other, err)
			}
		}
	})
}

// parsed is a type by its DDL.
func parsed(t *testing.T, ddl string) schema.Type {
	t.Helper()
	typ, err := schema.ParseDDL(ddl)
	if err != nil {
		t.Fatalf("%s: %v", ddl, err)
	}
	return typ
}

// written reads the types of a Parquet file.
func written(t *testing.T, path string) []schema.Type {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	s, err := parquetfile.Schema(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	var types []schema.Type
	for _, field := range s.Fields() {
		typ, err := schema.FromArrow(field.Type)
		if err != nil {
			t.Fatalf("%s: %v", field.Name, err)
		}
		if id, ok := field.Metadata.GetValue("PARQUET:field_id"); ok && id != "-1" {
			t.Errorf("%s has the field id %s", field.Name, id)
		}
		types = append(types, typ)
	}
	return types
}

func writtenTypes(t *testing.T, e engine.Sessions) {
	values, types := samples()
	var as schema.Struct
	for i, typ := range types {
		as.Fields = append(as.Fields, schema.Field{Name: "col " + string(rune('a'+i)), Type: parsed(t, typ), Nullable: true})
	}
	root := t.TempDir()
	inSession(t, e, root, func(s engine.Session) {
		files, err := s.Write(t.Context(), "SELECT "+strings.Join(values, ", "), as, engine.Target{Folder: root})
		if err != nil || len(files) != 1 || files[0].Rows != 1 || files[0].Size == 0 {
			t.Fatalf("found %+v, %v", files, err)
		}
		path := filepath.Join(root, files[0].Path)
		for i, typ := range written(t, path) {
			if typ.String() != types[i] {
				t.Errorf("%s: found %s in the file, want %s", values[i], typ, types[i])
			}
		}
		want, err := answer(t.Context(), s, "SELECT "+strings.Join(values, ", "))
		if err != nil {
			t.Fatal(err)
		}
		answers(t, s, "FROM read_parquet('"+path+"')", want)
	})
}

func misfits(t *testing.T, e engine.Sessions) {
	root := t.TempDir()
	said := regexp.MustCompile(`(^|")v[.a-z]*"?: found `)
	inSession(t, e, root, func(s engine.Session) {
		for _, c := range []struct{ value, as, want string }{
			{"3000000000::BIGINT", "int", ""},
			{"3::BIGINT", "tinyint", "3"},
			{"sum(3::BIGINT)", "bigint", "3"},
			{"sum(3::BIGINT)", "decimal(38,0)", "3"},
			{"1.5::DOUBLE", "bigint", ""},
			{"1.50::DECIMAL(4,2)", "decimal(4,1)", "1.5"},
			{"1.55::DECIMAL(4,2)", "decimal(4,1)", ""},
			{"123.4::DECIMAL(4,1)", "decimal(3,1)", ""},
			{"7", "decimal(3,1)", "7.0"},
			{"'1'", "int", ""},
			{"1", "string", ""},
			{`'\x41'::BLOB`, "string", ""},
			{"TIMESTAMP '2026-01-01 00:00:00'", "timestamp", ""},
			{"TIMESTAMPTZ '2026-01-01 00:00:00+00'", "timestamp_ntz", ""},
			{"TIMESTAMP_NS '2026-01-01 00:00:00.000000001'", "timestamp_ntz", ""},
			{"TIMESTAMP_NS '2026-01-01 00:00:00.000001'", "timestamp_ntz", "2026-01-01T00:00:00.000001"},
			{"NULL", "int", "null"},
			{"[]", "array<int>", "[]"},
			{"{b: 1, a: 'x'}", "struct<a:string,b:bigint>", `{"a":"x","b":1}`},
			{"{b: 1, a: 'x'}", "struct<b:bigint>", ""},
			{"{b: 1}", "struct<a:string,b:bigint>", ""},
			{"{a: NULL}", "struct<a:int not null>", ""},
			{"{a: 1}", "struct<a:int not null>", `{"a":1}`},
			{"NULL::STRUCT(a INTEGER)", "struct<a:int not null>", "null"},
			{"[{a: NULL::INTEGER}]", "array<struct<a:int not null>>", ""},
			{"[NULL, {a: 1}]", "array<struct<a:int not null>>", `[null,{"a":1}]`},
		} {
			folder := filepath.Join(root, t.Name(), c.as, c.value)
			folder = filepath.Join(root, strings.Map(func(r rune) rune {
				if strings.ContainsRune(`*?[\/`, r) {
					return '_'
				}
				return r
			}, strings.TrimPrefix(folder, root)))
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			as := schema.Struct{Fields: []schema.Field{{Name: "v", Type: parsed(t, c.as), Nullable: true}}}
			files, err := s.Write(t.Context(), "SELECT "+c.value, as, engine.Target{Folder: folder})
			if c.want == "" {
				if diag.CodeOf(err) != diag.QueryFailed || !said.MatchString(err.Error()) {
					t.Errorf("%s as %s: found %v", c.value, c.as, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s as %s: %v", c.value, c.as, err)
				continue
			}
			answers(t, s, "FROM read_parquet('"+strings.ReplaceAll(filepath.Join(folder, files[0].Path), "'", "''")+"')", c.want)
		}
		strict := schema.Struct{Fields: []schema.Field{{Name: "v", Type: schema.Array{Element: schema.Integer}}}}
		for value, ok := range map[string]bool{"[1]": true, "[NULL::INTEGER]": false, "NULL": false, "1, 2": false} {
			folder, err := os.MkdirTemp(root, "")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Write(t.Context(), "SELECT "+value, strict, engine.Target{Folder: folder}); (err == nil) != ok || err != nil && diag.CodeOf(err) != diag.QueryFailed {
				t.Errorf("%s: found %v", value, err)
			}
		}
	})
}

func wrongStatements(t *testing.T, e engine.Sessions) {
	root := t.TempDir()
	inSession(t, e, root, func(s engine.Session) {
		as := schema.Struct{Fields: []schema.Field{{Name: "v", Type: schema.Integer, Nullable: true}}}
		tries := map[string]func(string) error{
			"Columns": func(sql string) error { _, err := s.Columns(t.Context(), sql); return err },
			"Keep":    func(sql string) error { _, err := s.Keep(t.Context(), "k", sql); return err },
			"Query":   func(sql string) error { _, err := answer(t.Context(), s, sql); return err },
			"Write": func(sql string) error {
				_, err := s.Write(t.Context(), sql, as, engine.Target{Folder: root})
				return err
			},
		}
		outside := filepath.Join(t.TempDir(), "x")
		for name, try := range tries {
			for _, sql := range []string{
				"", "SELEC 1", "SELECT nothing", "SELECT 1; SELECT 2", "SELECT 1) TO '" + outside + "'; COPY (SELECT 2",
				"COPY (SELECT 1) TO '" + outside + "'", "COPY (SELECT 1) TO '" + root + "/x'", "ATTACH '" + outside + "'", "INSTALL json", "LOAD json",
				"CREATE TABLE t AS SELECT 1", "SET memory_limit = '1GB'", "FROM read_text('/etc/passwd')", "CALL pragma_version()", "EXPORT DATABASE '" + outside + "'",
			} {
				if err := try(sql); diag.CodeOf(err) != diag.QueryFailed {
					t.Errorf("%s of %s: found %v", name, sql, err)
				}
			}
			if name == "Columns" {
				continue
			}
			var reason engine.Reason
			if err := try("SELECT CAST(error('Row 7 breaks it: ü') AS INTEGER) AS v"); diag.CodeOf(err) != diag.QueryFailed || !errors.As(err, &reason) || reason.Text != "Row 7 breaks it: ü" {
				t.Errorf("%s: found %v, %q", name, err, reason.Text)
			}
		}
		if _, err := os.Stat(outside); err == nil {
			t.Error("a file was written elsewhere")
		}
		answers(t, s, "SELECT 1", "1")
	})
}

func withinResults(t *testing.T, e engine.Sessions) {
	inSession(t, e, t.TempDir(), func(s engine.Session) {
		total := 0
		err := s.Query(t.Context(), "FROM range(50000)", func(r engine.Result) error {
			for _, err := range r.Rows {
				if err != nil {
					return err
				}
				if total++; total%20_000 == 1 {
					answers(t, s, "SELECT count(*) FROM range(30000)", "30000")
				}
			}
			return nil
		})
		if err != nil || total != 50_000 {
			t.Errorf("found %d rows, %v", total, err)
		}
	})
}

func otherFolders(t *testing.T, e engine.Sessions) {
	root, other := t.TempDir(), t.TempDir()
	as := schema.Struct{Fields: []schema.Field{{Name: "k", Type: schema.String, Nullable: true}, {Name: "v", Type: schema.Long, Nullable: true}}}
	inSession(t, e, root, func(s engine.Session) {
		if _, err := s.Write(t.Context(), "SELECT 'a', 1::BIGINT", as, engine.Target{Folder: other}); diag.CodeOf(err) != diag.QueryFailed {
			t.Errorf("another folder: found %v", err)
		}
		inner := filepath.Join(root, "inner")
		if err := os.Mkdir(inner, 0o700); err != nil {
			t.Fatal(err)
		}
		files, err := s.Write(t.Context(), "SELECT CASE WHEN i < 30 THEN 'a' ELSE 'b' END, i FROM range(100) t(i)", as, engine.Target{Folder: inner, Keys: []string{"k"}})
		if err != nil || len(files) != 2 || files[0].Rows+files[1].Rows != 100 || !strings.HasPrefix(files[0].Path, "k=") {
			t.Errorf("found %+v, %v", files, err)
		}
		none := filepath.Join(root, "none")
		if err := os.Mkdir(none, 0o700); err != nil {
			t.Fatal(err)
		}
		files, err = s.Write(t.Context(), "SELECT 'a', 1::BIGINT WHERE false", as, engine.Target{Folder: none, Keys: []string{"k"}})
		if err != nil || len(files) != 1 || files[0].Rows != 0 {
			t.Errorf("no rows: found %+v, %v", files, err)
		}
		if types := written(t, filepath.Join(none, files[0].Path)); len(types) != 1 || types[0] != schema.Long {
			t.Errorf("no rows: found %v", types)
		}
	})
}
