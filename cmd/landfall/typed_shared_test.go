//go:build shared

package main

import (
	"bytes"
	"encoding/json"
	"math/big"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"landfall/internal/schema"
)

// TestTypesKeepEveryValue lands real files with types and as text. Each value is
// the same in both tables: as a number has the same digits, as an instant is the
// same one, or is rescued as it was.
func TestTypesKeepEveryValue(t *testing.T) {
	for feed, files := range map[string]int{"jhu-covid-daily": 34, "nyc-yellow-taxi-samples": 43} {
		t.Run(feed, func(t *testing.T) {
			t.Parallel()
			dir := realData(t, feed)
			compareTyped(t, dir, realFiles(t, dir), files)
		})
	}
	for _, feed := range []string{"fivethirtyeight-pollster-ratings", "duckdb-csv-json-edge-cases"} {
		dir := realData(t, feed)
		for _, file := range realFiles(t, dir) {
			if strings.HasPrefix(file, "json/") {
				continue
			}
			t.Run(feed+"/"+file, func(t *testing.T) {
				t.Parallel()
				compareTyped(t, dir, []string{file}, 0)
			})
		}
	}
}

// compareTyped lands files both ways and compares the tables.
func compareTyped(t *testing.T, dir string, files []string, want int) {
	t.Helper()
	in := filepath.Join(t.TempDir(), "in")
	for i, file := range files {
		to := strings.ReplaceAll(filepath.Base(file), "_", "x") // else some are hidden
		if want > 0 {
			to = filepath.FromSlash(file)
		}
		deliverCopy(t, filepath.Join(dir, filepath.FromSlash(file)), filepath.Join(in, strings.TrimLeft(to, ".")), time.Date(2026, 10, 1, 0, i, 0, 0, time.UTC))
	}
	text, typed := filepath.Join(t.TempDir(), "text"), filepath.Join(t.TempDir(), "typed")
	a, b := landChecked(t, in, text), landWith(t, in, typed)
	if len(a.Batches) != 1 || len(b.Batches) != 1 || a.Batches[0].RowsLanded != b.Batches[0].RowsLanded || a.Batches[0].RowsQuarantined != b.Batches[0].RowsQuarantined {
		t.Fatalf("as text %+v\ntyped %+v", a.Batches, b.Batches)
	}
	if a.Batches[0].RowsLanded == 0 {
		return
	}
	if n := a.Batches[0].Files; want > 0 && n != int64(want) {
		t.Errorf("found %d files, want %d", n, want)
	}
	types := typesOf(t, typed)
	got, asText := readLanded(t, in, typed), readLanded(t, in, text)
	for file, rows := range asText.rows {
		sameRows(t, file, canonical(got.rows[file], types), canonical(rows, types))
	}
}

// typesOf maps the original names of a table's columns to their types.
func typesOf(t *testing.T, table string) map[string]string {
	t.Helper()
	types := map[string]string{}
	for line := range bytes.Lines(command(t, "schema", "show", "--table", table, "--json")) {
		var v agreed
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		for _, c := range v.Columns {
			name := c.Name
			if c.Original != "" {
				name = c.Original
			}
			types[name] = c.Type
		}
	}
	return types
}

// canonical gives the values of a column's type one form; bigint has only one.
func canonical(rows []row, types map[string]string) []row {
	out := make([]row, len(rows))
	for i, r := range rows {
		out[i] = row{}
		for name, text := range r {
			out[i][name] = form(types[name], text)
		}
	}
	return out
}

func form(typ, text string) string {
	switch {
	case typ == schema.Double.String() || strings.HasPrefix(typ, "decimal"):
		if text == "Inf" || text == "-Inf" {
			return text + "inity"
		}
		if n, ok := new(big.Rat).SetString(text); ok && !strings.ContainsAny(text, "/_xX") {
			return n.RatString()
		}
	case typ == schema.Boolean.String():
		if lower := strings.ToLower(text); lower == "true" || lower == "false" {
			return lower
		}
	case typ == schema.Timestamp.String():
		for _, layout := range []string{"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999Z07", "2006-01-02 15:04:05.999999999Z07", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"} {
			if at, err := time.Parse(layout, text); err == nil {
				return at.UTC().Format(time.RFC3339Nano)
			}
		}
	}
	return text
}
