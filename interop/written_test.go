//go:build interop

package interop

import (
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"landfall/internal/schema"
	"landfall/internal/table"
)

// hard are texts that a writer can get wrong.
var hard = []any{
	"", " ", "null", "NULL", nil, "0012", "1e5", "a,b;\"c\"\r\nd\te", `back\slash`, "Zoë", "日本語", "🦊", "e\u0301",
	"\ufeffbom", "a\x00b", "\U0010ffff", strings.Repeat("long ", 1000), strings.Repeat("🦊", 40), "{}", "%25 %2F",
}

// TestWritten reads what our writers write, cell for cell, with everybody's
// readers: several commits, a schema that grows, texts that are hard, a file
// that is replaced, checkpoints, and a log of which the start is gone.
func TestWritten(t *testing.T) {
	dir := newTable(t)
	a := newAuthor(t, dir)
	a.grow("id", schema.String)
	a.grow("text", schema.String)
	a.grow("_ingested_at", schema.Timestamp)
	first := time.Date(2026, 2, 28, 23, 59, 59, 999_999_000, time.UTC)
	var all []map[string]any
	for i, v := range hard {
		all = append(all, map[string]any{"id": fmt.Sprint(i), "text": v, "_ingested_at": first})
	}
	a.append(all...)
	everyone(t, dir, a.wanted())

	a.grow("count", schema.Long)
	a.grow("Note", schema.String)
	replaced := a.append(
		map[string]any{"id": "n1", "Note": "x", "count": int64(math.MaxInt64), "_ingested_at": time.UnixMicro(-1).UTC()},
		map[string]any{"id": "n2", "text": "y", "count": int64(math.MaxInt64), "_ingested_at": time.UnixMicro(-1).UTC()})
	a.grow("empty", schema.String)
	a.append(map[string]any{"id": "m", "count": int64(math.MinInt64)})
	everyone(t, dir, a.wanted())

	a.rows = a.rows[:len(hard)]
	a.commit(table.Change{Removes: []table.File{replaced}, Operation: "DELETE"})
	a.rows = append(a.rows, map[string]any{"id": "m", "count": int64(math.MinInt64)})
	for i := range 5 {
		a.append(map[string]any{"id": fmt.Sprint("more", i), "Note": strings.Repeat("é", i)})
	}
	everyone(t, dir, a.wanted())

	if n := cutLog(t, dir); n < 3 {
		t.Fatalf("removed %d versions that a checkpoint covers, wanted at least 3", n)
	}
	everyone(t, dir, a.wanted())
	ours, err := query(t, dir, "select * from t")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "ours", ours, a.wanted())
}

// TestWrittenPartitions does the same for partition values that need escapes.
// The log says what they are, but Polars takes them from the names of folders.
func TestWrittenPartitions(t *testing.T) {
	dir := newTable(t)
	a := newAuthor(t, dir)
	a.grow("id", schema.String)
	a.grow("day", schema.String)
	values := []any{"2026-06-01", "a b", "50%", "x=y/z", "ä:ö?", nil}
	for i, v := range values {
		row := map[string]any{"id": fmt.Sprint(i)}
		sub := "day=__HIVE_DEFAULT_PARTITION__"
		if s, ok := v.(string); ok {
			sub = "day=" + strings.ReplaceAll(strings.ReplaceAll(url.PathEscape(s), "=", "%3D"), ":", "%3A")
		}
		whole := a.schema
		a.schema = schema.Struct{Fields: whole.Fields[:1]} // files do not hold partition columns
		f := a.write(sub, []map[string]any{row})
		a.schema = whole
		f.Partition = map[string]*string{"day": nil}
		if s, ok := v.(string); ok {
			f.Partition["day"] = &s
		}
		row["day"] = v
		a.rows = append(a.rows, row)
		a.commit(table.Change{Adds: []table.File{f}, Partitions: []string{"day"}, Operation: "WRITE"})
	}
	everyone(t, dir, a.wanted())
	cutLog(t, dir)
	everyone(t, dir, a.wanted())
	ours, err := query(t, dir, "select * from t")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "ours", ours, a.wanted())
}

// cutLog removes the versions that the newest checkpoint covers, as a cleanup
// of old log entries does, and returns their number.
func cutLog(t *testing.T, dir string) (removed int) {
	t.Helper()
	log := filepath.Join(dir, "_delta_log")
	checkpoints, err := filepath.Glob(filepath.Join(log, "*.checkpoint.parquet"))
	if err != nil || len(checkpoints) == 0 {
		t.Fatalf("found no checkpoint in %s: %v", log, err)
	}
	newest := strings.TrimSuffix(checkpoints[len(checkpoints)-1], ".checkpoint.parquet")
	versions, err := filepath.Glob(filepath.Join(log, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range versions {
		if strings.TrimSuffix(v, ".json") < newest {
			removed++
			if err := os.Remove(v); err != nil {
				t.Fatal(err)
			}
		}
	}
	return removed
}
