package pipeline_test

import (
	"bytes"
	"flag"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"landfall/internal/engine"
	"landfall/internal/pipeline"
	"landfall/internal/pipeline/record"
	"landfall/internal/store"
	"landfall/internal/store/memory"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// kept are records of format 1 as they are written: docs/format/pipeline.md.
const kept = "testdata/format1.txt"

// TestFormat: records are written as ever, and those that were written are read.
func TestFormat(t *testing.T) {
	w := newWorld(t)
	s := w.source("bronze", "n", "integer", "_source_file", "string", "_rescued_data", "string")
	const query = "AS SELECT n FROM STREAM(bronze)"
	w.says("CREATE STREAMING TABLE t (CONSTRAINT low EXPECT (n < 9) ON VIOLATION DROP ROW, CONSTRAINT some EXPECT (n > 0)) " + query)
	w.job.Runs = w.store("runs")
	s.append("a", `VALUES (1, 'file:///in/a.csv', NULL), (9, 'file:///in/a.csv', NULL), (NULL, 'file:///in/b.csv', '{"n":"many"}')`)
	w.run()
	w.says("CREATE STREAMING TABLE t (CONSTRAINT low EXPECT (n < 9) ON VIOLATION FAIL UPDATE) " + query)
	w.job.Runs = w.store("runs")
	s.append("c", "VALUES (10, 'file:///in/c.csv', CAST(NULL AS VARCHAR))")
	if _, err := w.runs(); err == nil {
		t.Fatal("a rule that fails did not")
	}
	w.says("CREATE STREAMING TABLE t " + query)
	w.job.Runs = w.store("runs")
	w.run()

	var got bytes.Buffer // a line with the key, then the record
	for _, from := range []string{"t", "runs"} {
		for info, err := range w.store(from).List(t.Context(), "_landfall/", "") {
			if err != nil {
				t.Fatal(err)
			}
			if path.Ext(info.Key) == ".json" {
				data, err := store.Read(t.Context(), w.store(from), info.Key)
				if err != nil {
					t.Fatal(err)
				}
				got.WriteString(info.Key + "\n" + string(regexp.MustCompile(`"size":[0-9]+`).ReplaceAll(data, []byte(`"size":0`))) + "\n")
			}
		}
	}
	if *update {
		if err := os.WriteFile(kept, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("found\n%s\nwant\n%s", got.Bytes(), want)
	}
	w.readsKept(want)
}

// readsKept reads the records of the golden, beside the table that they were written for.
func (w *world) readsKept(text []byte) {
	w.Helper()
	old := memory.New(nil)
	for pair := range slices.Chunk(slices.Collect(bytes.Lines(text)), 2) {
		if err := old.Create(w.Context(), string(bytes.TrimSpace(pair[0])), bytes.TrimSpace(pair[1])); err != nil {
			w.Fatal(err)
		}
	}
	h, err := record.Past(w.Context(), old, w.open(w.store("t")))
	if err != nil {
		w.Fatal(err)
	}
	var said []string
	for _, e := range h.Events {
		said = append(said, strings.Join([]string{e.Source, e.Dataset.Status, e.Attempt[:8], e.Time.Format("15:04"), e.Dataset.Run[:8]}, " "))
	}
	if want := []string{"t COMPLETED 00000002 08:01 00000001", "t FAILED 00000005 08:02 00000004", "t COMPLETED 00000007 08:03 00000006"}; !slices.Equal(said, want) {
		w.Errorf("found events %q", said)
	}
	if e := h.Events[0].Dataset; e.RowsIn != 3 || e.RowsWritten != 1 || e.RowsDropped != 2 {
		w.Errorf("found %d = %d + %d", e.RowsIn, e.RowsWritten, e.RowsDropped)
	}
	runs, err := pipeline.Updates(w.Context(), old, "p")
	if err != nil {
		w.Fatal(err)
	}
	said = nil
	for _, u := range runs {
		said = append(said, u.State)
	}
	if want := []string{"COMPLETED", "FAILED", "COMPLETED"}; !slices.Equal(said, want) {
		w.Errorf("found runs %q", said)
	}
	w.readsDropped()
}

// readsDropped reads the rows beside the first record.
func (w *world) readsDropped() {
	w.Helper()
	h, err := record.Past(w.Context(), w.store("t"), w.open(w.store("t")))
	if err != nil {
		w.Fatal(err)
	}
	var said []string
	err = h.Dropped[h.Events[0].Attempt].Each(w.Context(), w.engine, func(r record.Row) error {
		said = append(said, engine.Text(r.Values[0])+" "+strings.Join(r.Broken, "+")+" "+r.File)
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	if want := []string{"9 low file:///in/a.csv", "NULL low file:///in/b.csv"}; !slices.Equal(said, want) {
		w.Errorf("found rows %q", said)
	}
}
