//go:build interop

package interop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/contract"
	"landfall/internal/format"
	"landfall/internal/format/csv"
	"landfall/internal/intake"
	"landfall/internal/land"
	"landfall/internal/source"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/table/delta"
)

// world is a feed and the table that it lands in.
type world struct {
	t          *testing.T
	in, table  string
	delivered  map[string]string
	executable string
	runs       int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	return &world{
		t: t, in: filepath.Join(dir, "in", "orders"), table: filepath.Join(dir, "lake", "orders"),
		delivered: map[string]string{}, executable: must(t, shared.binary),
	}
}

// days are what the feed delivers: a new column on the second day; on the
// third a file of the first is rewritten and one comes anew.
func days() []map[string]string {
	return []map[string]string{
		{"a.csv": "id,name\na1,Ann\na2,Bo\n", "b.csv": "id,name\nb1,Cy\nb2,\"D\"\"y\"\n"},
		{"c.csv": "name,id,city\nDi,c1,Oslo\nEd,c2,\n"},
		{"a.csv": "id,name\na1,Ann\na3,Fay\na4,Gil\n", "d.csv": "id,name\nd1,\"Hal\nof two lines\"\n"},
		{"e.csv": "id,name,city\ne1,Ivy,Rome\n"},
	}
}

// deliver writes the files of a day.
func (w *world) deliver(day int) {
	w.t.Helper()
	if err := os.MkdirAll(w.in, 0o755); err != nil {
		w.t.Fatal(err)
	}
	for name, text := range days()[day] {
		if err := os.WriteFile(filepath.Join(w.in, name), []byte(text), 0o600); err != nil {
			w.t.Fatal(err)
		}
		w.delivered[name] = text
	}
}

// land runs the program, which must succeed.
func (w *world) land() {
	w.t.Helper()
	if out, err := w.try("land", w.in, w.table); err != nil {
		w.t.Fatalf("land: %v\n%s", err, out)
	}
}

// try runs the program and returns what it printed.
func (w *world) try(args ...string) (string, error) {
	out, err := exec.CommandContext(w.t.Context(), w.executable, args...).CombinedOutput()
	return string(out), err
}

// refused fails unless the program refuses to land with a message that holds
// the words, and without any change to the table.
func (w *world) refused(words ...string) {
	w.t.Helper()
	before := w.version()
	out, err := w.try("land", w.in, w.table)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		w.t.Errorf("land: found %v, wanted exit code 1\n%s", err, out)
	}
	for _, word := range words {
		if !strings.Contains(out, word) {
			w.t.Errorf("land: found %q, wanted it to say %q", out, word)
		}
	}
	if after := w.version(); after != before {
		w.t.Errorf("a refused landing moved the table from version %d to %d", before, after)
	}
}

// version is the newest version of the table.
func (w *world) version() int64 {
	w.t.Helper()
	snap, err := delta.Open(folder(w.t, w.table), delta.Options{}).Snapshot(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return snap.Version
}

// landThrough lands in this process, through a decorated store of the table.
func (w *world) landThrough(decorate func(store.Store) store.Store) error {
	w.t.Helper()
	data := decorate(folder(w.t, w.table))
	plain := folder(w.t, w.table)
	states, err := source.States(w.t.Context(), plain)
	if err != nil || len(states) != 1 {
		w.t.Fatalf("found %d sources in the table, wanted 1: %v", len(states), err)
	}
	_, err = land.Run(w.t.Context(), land.Source{
		Name: states[0].Identity.Name, Files: folder(w.t, w.in), Data: data,
		Table:    delta.Open(data, delta.Options{Now: time.Now, CheckpointEvery: 2}),
		State:    state.New(store.Below(data, states[0].Folder)),
		StateKey: states[0].Folder, Format: "csv",
		Decode: func(ctx context.Context, path string, r intake.Input) (format.Reader, error) {
			return csv.Open(ctx, path, r, csv.Options{})
		},
	}, land.Env{Now: time.Now, NewID: func() string { w.runs++; return fmt.Sprintf("inprocess-%d", w.runs) }})
	return err
}

// records are the rows that the delivered files hold, "file id" each, sorted.
func (w *world) records(files ...string) []string {
	var out []string
	for name, text := range w.delivered {
		if len(files) > 0 && !slices.Contains(files, name) {
			continue
		}
		lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\nof", " of")), "\n")
		at := slices.Index(strings.Split(lines[0], ","), "id")
		for _, line := range lines[1:] {
			out = append(out, name+" "+strings.Split(line, ",")[at])
		}
	}
	slices.Sort(out)
	return out
}

// check fails unless the table holds exactly the wanted records, once each,
// and all readers and we find the same cells in it.
func (w *world) check(wanted []string) {
	w.t.Helper()
	bySpark, err := read(w.t, "spark", w.table)
	if err != nil {
		w.t.Fatal(err)
	}
	if found := recordsOf(bySpark); !slices.Equal(found, wanted) {
		w.t.Errorf("found rows\n\t%s\nwanted\n\t%s", strings.Join(found, "\n\t"), strings.Join(wanted, "\n\t"))
	}
	everyone(w.t, w.table, bySpark)
	ours, err := query(w.t, w.table, "select * from t")
	if err != nil {
		w.t.Fatal(err)
	}
	same(w.t, "ours", ours, bySpark)
}

// recordsOf spells each row of a table as "file id", sorted; a row of another
// writer has no file.
func recordsOf(r rows) []string {
	id, file := slices.Index(r.Columns, "id"), slices.Index(r.Columns, contract.SourceFile)
	var out []string
	for _, row := range r.Rows {
		out = append(out, strings.TrimSpace(path.Base(textOf(row[file]))+" "+textOf(row[id])))
	}
	slices.Sort(out)
	return out
}

func textOf(cell json.RawMessage) string {
	var s *string
	if err := json.Unmarshal(cell, &s); err != nil || s == nil {
		return "-"
	}
	return *s
}
