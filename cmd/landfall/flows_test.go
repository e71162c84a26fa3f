package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/transform"
)

// TestFlows runs the flows of testdata/flow, each a kind that people publish. An archive
// has flow.dfs, the files of its container below in/ (Parquet as parquetOf takes it) and
// for each sink want/NAME: the columns with their types, then the rows, in any order unless
// the name ends in ".ordered". Parameters are lines name=value of the file parameters.
func TestFlows(t *testing.T) {
	files, err := filepath.Glob("testdata/flow/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d flows: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			runFlow(t, a)
		})
	}
}

// runFlow runs the flow of an archive and compares what its sinks hold.
func runFlow(t *testing.T, a *txtar.Archive) {
	t.Helper()
	dir := t.TempDir()
	var params, sources, sinks []string
	want := map[string]string{}
	for _, f := range a.Files {
		name, wanted := strings.CutPrefix(f.Name, "want/")
		switch {
		case wanted:
			want[name] = string(f.Data)
			sink := strings.TrimSuffix(name, ".ordered")
			sinks = append(sinks, sink+"="+filepath.Join(dir, "out", sink))
		case f.Name == "parameters":
			params = strings.Fields(string(f.Data))
		default:
			writeInput(t, filepath.Join(dir, f.Name), f.Data)
		}
	}
	for _, name := range sourcesOf(t, filepath.Join(dir, "flow.dfs")) {
		sources = append(sources, name+"="+filepath.Join(dir, "in"))
	}
	app := &app{stdout: os.Stderr, stderr: os.Stderr, now: clock, newID: newID}
	job, err := app.flowJob(t.Context(), filepath.Join(dir, "flow.dfs"), flowFlags{params: params, sources: sources, sinks: sinks})
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	o, err := transform.Open(t.Context(), job)
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	t.Cleanup(func() {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
	r, err := o.Run(t.Context())
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	for name, text := range want {
		sink, ordered := strings.CutSuffix(name, ".ordered")
		compareSink(t, o, r, sink, text, ordered)
	}
}

// compareSink compares the rows of a sink with those that are wanted.
func compareSink(t *testing.T, o *transform.Opened, r *transform.Report, sink, text string, ordered bool) {
	t.Helper()
	var head, got []string
	for _, c := range o.Plan.Step(sink).Visible() {
		head = append(head, c.Name+" "+c.Type.String())
	}
	err := o.Preview(t.Context(), sink, 1000, func(r engine.Result) error {
		for row, err := range r.Rows {
			if err != nil {
				return err
			}
			cells := make([]string, len(row))
			for i, v := range row {
				cells[i] = engine.Text(v)
			}
			got = append(got, strings.Join(cells, " | "))
		}
		return nil
	})
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	wanted := slices.Clone(lines[1:])
	if !ordered {
		slices.Sort(got)
		slices.Sort(wanted)
	}
	found := strings.Join(append([]string{strings.Join(head, " | ")}, got...), "\n")
	if should := strings.Join(append([]string{lines[0]}, wanted...), "\n"); found != should {
		t.Errorf("%s: found\n%s\nwant\n%s", sink, found, should)
	}
	at := slices.IndexFunc(r.Sinks, func(s transform.Sink) bool { return s.Name == sink })
	if at < 0 || r.Sinks[at].Rows != int64(len(wanted)) {
		t.Errorf("%s: found %+v written, want %d rows", sink, r.Sinks, len(wanted))
	}
}

// writeInput writes a file of an archive.
func writeInput(t *testing.T, path string, data []byte) {
	t.Helper()
	if strings.HasSuffix(path, ".parquet") {
		var err error
		if data, err = parquetOf(string(data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// sourcesOf names the sources of a script.
func sourcesOf(t *testing.T, file string) []string {
	t.Helper()
	all, err := flows(file)
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := parsed(all)
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	var names []string
	for _, st := range scripts[0].Statements {
		if st.Verb.Text == "source" {
			names = append(names, st.Output.Text)
		}
	}
	return names
}

// clock stands still.
func clock() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) }
