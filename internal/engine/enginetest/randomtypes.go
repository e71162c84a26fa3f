package enginetest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landfall/internal/engine"
	"landfall/internal/parquetfile"
	"landfall/internal/schema"
	spark "landfall/internal/sparksql/function"
)

// randomTypes draws types and values of them, and holds that columns have these types, in
// the session and in files, and that what is written is what was selected.
func randomTypes(t *testing.T, e engine.Sessions) {
	root := t.TempDir()
	inSession(t, e, root, func(s engine.Session) {
		for seed := range uint64(60) {
			r := drawnType{rand.New(rand.NewPCG(seed, 9))} //nolint:gosec // to draw again what failed
			as := schema.Struct{}
			for i := range 1 + r.IntN(4) {
				as.Fields = append(as.Fields, schema.Field{Name: fmt.Sprintf("c%d %c", i, 'ä'+i), Type: r.typ(0), Nullable: true})
			}
			rows := make([]string, 1+r.IntN(5))
			for i := range rows {
				values := make([]string, len(as.Fields))
				for n, f := range as.Fields {
					values[n] = "CAST(" + r.value(f.Type) + " AS " + spark.TypeSQL(f.Type) + ") AS " + named(f.Name)
				}
				rows[i] = fmt.Sprintf("SELECT %s", strings.Join(values, ", "))
			}
			roundTrip(t, s, strings.Join(rows, "\nUNION ALL "), as, filepath.Join(root, fmt.Sprint(seed)), int64(len(rows)))
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	})
}

// roundTrip writes rows and reads them again.
func roundTrip(t *testing.T, s engine.Session, sql string, as schema.Struct, folder string, rows int64) {
	t.Helper()
	got, err := s.Columns(t.Context(), sql)
	if err != nil || got.String() != as.String() {
		t.Errorf("found %s, %v, want %s", got, err, as)
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	files, err := s.Write(t.Context(), sql, as, engine.Target{Folder: folder})
	if err != nil || len(files) != 1 || files[0].Rows != rows {
		t.Errorf("found %v, %v\n%s", files, err, sql)
		return
	}
	path := filepath.Join(folder, files[0].Path)
	for i, typ := range written(t, path) {
		if want := as.Fields[i].Type; typ.String() != want.String() {
			t.Errorf("found %s in the file, want %s", typ, want)
		}
	}
	want, err := answer(t.Context(), s, sql)
	if err != nil {
		t.Error(err)
	}
	answers(t, s, "FROM read_parquet('"+path+"')", want)
	if n := readRows(t, path); n != rows {
		t.Errorf("our reader found %d rows, want %d", n, rows)
	}
}

// readRows decodes a file with our reader and counts its rows.
func readRows(t *testing.T, path string) (rows int64) {
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
	for record, err := range parquetfile.Read(t.Context(), f, info.Size(), nil) {
		if err != nil {
			t.Errorf("our reader: %v", err)
			break
		}
		rows += record.NumRows()
	}
	return rows
}

// drawnType draws types and values.
type drawnType struct{ *rand.Rand }

func (r drawnType) typ(depth int) schema.Type {
	plain := []schema.Type{
		schema.Boolean, schema.Byte, schema.Short, schema.Integer, schema.Long, schema.Float, schema.Double,
		schema.String, schema.Binary, schema.Date, schema.Timestamp, schema.TimestampNTZ,
	}
	n := 3
	if depth == 3 {
		n = 0
	}
	switch k := r.IntN(len(plain) + 2 + n); {
	case k < len(plain):
		return plain[k]
	case k < len(plain)+2:
		p := 1 + r.IntN(38)
		return schema.Decimal{Precision: p, Scale: r.IntN(p + 1)}
	case k == len(plain)+2:
		return schema.Array{Element: r.typ(depth + 1), ContainsNull: true}
	case k == len(plain)+3:
		return schema.Map{Key: schema.String, Value: r.typ(depth + 1), ValueContainsNull: true}
	}
	var s schema.Struct
	for i := range 1 + r.IntN(3) {
		s.Fields = append(s.Fields, schema.Field{Name: fmt.Sprintf("f %d", i), Type: r.typ(depth + 1), Nullable: true})
	}
	return s
}

// value draws one as a text that may be cast to the type.
func (r drawnType) value(t schema.Type) string {
	if r.IntN(5) == 0 {
		return "NULL"
	}
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	switch t := t.(type) {
	case schema.Decimal:
		digits := strings.Repeat("9", t.Precision)
		if t.Scale > 0 {
			digits = digits[:t.Precision-t.Scale] + "." + digits[t.Precision-t.Scale:]
		}
		return pick("'0'", "'"+digits+"'", "'-"+digits+"'")
	case schema.Array:
		items := make([]string, r.IntN(3))
		for i := range items {
			items[i] = r.typed(t.Element)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case schema.Map:
		items := make([]string, r.IntN(3))
		for i := range items {
			items[i] = fmt.Sprintf("'k%d': %s", i, r.typed(t.Value))
		}
		return "MAP {" + strings.Join(items, ", ") + "}"
	case schema.Struct:
		items := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			items[i] = "'" + f.Name + "': " + r.typed(f.Type)
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	switch t {
	case schema.Boolean:
		return pick("true", "false")
	case schema.Byte:
		return pick("-128", "127")
	case schema.Short:
		return pick("-32768", "32767")
	case schema.Integer:
		return pick("-2147483648", "2147483647")
	case schema.Long:
		return pick("-9223372036854775808", "9223372036854775807")
	case schema.Float:
		return pick("'nan'", "'-inf'", "0.1", "'-0'", "3.4028235e38")
	case schema.Double:
		return pick("'nan'", "'inf'", "0.1", "'-0'", "5e-324", "1.7976931348623157e308")
	case schema.Date:
		return pick("'0001-01-01'", "'9999-12-31'", "'1582-10-10'")
	case schema.Timestamp, schema.TimestampNTZ:
		return pick("'0001-01-01 00:00:00'", "'9999-12-31 23:59:59.999999'", "'1969-12-31 23:59:59.999999'")
	case schema.Binary:
		return pick(`'\x00\xFF'`, "''")
	}
	return pick("''", "'ü'' '", "chr(0)||'a'", "'"+strings.Repeat("x", 300)+"'")
}

func (r drawnType) typed(t schema.Type) string {
	return "CAST(" + r.value(t) + " AS " + spark.TypeSQL(t) + ")"
}

func named(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
