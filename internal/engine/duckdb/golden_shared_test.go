//go:build shared

package duckdb_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/sharedtest"
	"landfall/internal/store"
	"landfall/internal/store/local"
	"landfall/internal/table/delta"
)

var dump = flag.String("dump", "", "a folder to write the rows of tables to that differ from the golden ones")

// TestGoldenTables reads the public Delta tables that other programs test with
// and compares every row with Spark's; testdata/golden-tables.md says how those
// were taken.
func TestGoldenTables(t *testing.T) {
	golden, err := os.ReadFile("testdata/golden-tables.tsv")
	if err != nil {
		t.Fatal(err)
	}
	e, tables := open(t), 0
	for line := range strings.Lines(string(golden)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		name, query, want := fields[0], fields[1], strings.Join(fields[2:], " ")
		rows := spelled(t, e, query, snapshot(t, filepath.Join(sharedtest.Folder(t, "delta-golden-tables"), name)))
		slices.Sort(rows)
		text := strings.Join(rows, "\n") + "\n"
		sum := sha256.Sum256([]byte(text))
		if got := fmt.Sprintf("%d %s", len(rows), hex.EncodeToString(sum[:8])); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
			if *dump != "" {
				if err := os.WriteFile(filepath.Join(*dump, strings.ReplaceAll(name, "/", "_")), []byte(text), 0o600); err != nil {
					t.Error(err)
				}
			}
		}
		tables++
	}
	if tables < 75 {
		t.Errorf("only %d tables", tables)
	}
}

// snapshot is the newest version of a table as the view t.
func snapshot(t *testing.T, folder string) engine.View {
	t.Helper()
	s, err := local.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	tbl := delta.Open(store.Store(s), delta.Options{})
	snap, err := tbl.Snapshot(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", folder, err)
	}
	view := engine.View{
		Name: "t", Schema: snap.Schema, Partitions: snap.Partitions, Store: s,
		ByID: snap.Config["delta.columnMapping.mode"] == "id",
	}
	for _, f := range snap.Files() {
		deleted, err := tbl.Deleted(t.Context(), f)
		if err != nil {
			t.Fatalf("%s: %s: %v", folder, f.Path, err)
		}
		view.Files = append(view.Files, engine.File{
			Path: f.Path, Size: f.Size, Rows: f.Rows, Partition: f.Partition, Deleted: deleted,
		})
	}
	return view
}

// spelled returns the rows of a query as JSON lists, one spelling for a value
// whichever program read it.
func spelled(t *testing.T, e *duckdb.Engine, query string, view engine.View) []string {
	t.Helper()
	var out []string
	err := e.Query(t.Context(), query, []engine.View{view}, nil, func(r engine.Result) error {
		for row, err := range r.Rows {
			if err != nil {
				return err
			}
			var line strings.Builder
			enc := json.NewEncoder(&line)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(spellAll(row)); err != nil {
				return err
			}
			out = append(out, strings.TrimSuffix(line.String(), "\n"))
		}
		return nil
	})
	if err != nil {
		t.Errorf("%s: %v", view.Store.URL(""), err)
	}
	return out
}

func spellAll(values []engine.Value) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = spell(v)
	}
	return out
}

func spell(v engine.Value) any {
	switch v := v.(type) {
	case nil:
		return nil
	case float32:
		return spellFloat(float64(v))
	case float64:
		return spellFloat(v)
	case []byte:
		return "0x" + hex.EncodeToString(v)
	case engine.Instant:
		return time.Time(v).Format("2006-01-02T15:04:05.000000Z")
	case engine.WallClock:
		return time.Time(v).Format("2006-01-02T15:04:05.000000")
	case engine.List:
		return spellAll(v)
	case engine.Struct:
		fields := make([]any, len(v))
		for i, f := range v {
			fields[i] = []any{f.Name, spell(f.Value)}
		}
		return map[string]any{"struct": fields}
	case engine.Map:
		entries := make([]any, len(v))
		for i, entry := range v {
			entries[i] = []any{spell(entry.Key), spell(entry.Value)}
		}
		return map[string]any{"map": entries}
	}
	return fmt.Sprint(v)
}

func spellFloat(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		return "NaN"
	}
	return strconv.FormatFloat(f, 'g', 17, 64)
}
