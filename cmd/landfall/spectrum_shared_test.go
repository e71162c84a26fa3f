//go:build shared

package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/contract"
)

// TestSpectrum lands each file of csv-spectrum as a table of its own. The table
// holds what the file's answer says, row for row.
func TestSpectrum(t *testing.T) {
	dir := realData(t, "csv-spectrum")
	files := realFiles(t, dir)
	if len(files) != 12 {
		t.Fatalf("found %d files, want 12", len(files))
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			name := strings.TrimSuffix(filepath.Base(file), ".csv")
			in, table := filepath.Join(t.TempDir(), "in"), filepath.Join(t.TempDir(), "table")
			to := filepath.Join(in, name+".csv")
			deliverCopy(t, filepath.Join(dir, file), to, time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC))
			if strings.HasSuffix(name, "_crlf") {
				restoreCRLF(t, to)
			}
			r := landChecked(t, in, table)
			if len(r.Batches) != 1 || r.Batches[0].ValuesRescued > 0 || len(r.Quarantined) > 0 {
				t.Fatalf("%+v", r)
			}
			want := spectrumAnswer(t, filepath.Join(dir, "json", name+".json"))
			if got := rowsInOrder(t, table); !slices.EqualFunc(got, want, maps.Equal[row]) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// restoreCRLF gives a file the line ends that its name promises; the collection
// was checked out with all line ends as LF.
func restoreCRLF(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte("\r")) {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func spectrumAnswer(t *testing.T, path string) []row {
	t.Helper()
	answer, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(path) == "location_coordinates.json" {
		// One object, not a list; and its number is not the file's.
		answer = bytes.Replace(answer, []byte("1234567890"), []byte("2095257564"), 1)
		answer = slices.Concat([]byte("["), answer, []byte("]"))
	}
	var rows []row
	if err := json.Unmarshal(answer, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// rowsInOrder reads a table's data columns; an empty text stays one, a null is
// no value.
func rowsInOrder(t *testing.T, table string) []row {
	t.Helper()
	original := originals(t, table)
	var rows []row
	for line := range bytes.Lines(command(t, "query", "--json", "--table", table, "SELECT * EXCLUDE (_ingested_at) FROM t")) {
		var values map[string]*string
		if err := json.Unmarshal(line, &values); err != nil {
			t.Fatal(err)
		}
		r := row{}
		for stored, value := range values {
			if value != nil && stored != contract.SourceFile {
				r[original[stored]] = *value
			}
		}
		rows = append(rows, r)
	}
	return rows
}
