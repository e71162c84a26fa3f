package draft_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/draft"
	"landfall/internal/notebook"
	"landfall/internal/project"
)

var update = flag.Bool("update", false, "rewrite the goldens")

func TestStreams(t *testing.T) {
	const theirs = "../notebook/testdata/"
	for _, file := range []string{theirs + "guide.py", theirs + "taxi.py", theirs + "jobs.ipynb", theirs + "pipeline.sql", "testdata/traps.py"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n, err := notebook.Parse(file, data)
		if err != nil {
			t.Fatal(err)
		}
		d := draft.Streams(n, "lake")
		got := d.YAML() + "---\n"
		for _, note := range d.Notes {
			got += fmt.Sprintf("%s: %s\n", note.At, note.Text)
		}
		loads(t, d)
		golden := filepath.Join("testdata", filepath.Base(file)+".golden")
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s:\n%s", file, got)
		}
	}
}

// loads reads a draft as a project, its placeholders filled in.
func loads(t *testing.T, d draft.Draft) *project.Project {
	t.Helper()
	p, err := project.Load("landfall.yaml", []byte(strings.ReplaceAll(d.YAML(), "${", "filled{")))
	if err != nil {
		t.Fatalf("%s\n%s", diag.Render(err, false), d.YAML())
	}
	return p
}

func TestFolders(t *testing.T) {
	d := draft.Folders([]draft.Folder{{Path: "landing/My Orders/", Format: "csv"}, {Path: "other/my_orders"}, {Path: "x: y/#"}}, "lake")
	p := loads(t, d)
	var got []string
	for _, s := range p.Sources {
		got = append(got, fmt.Sprintf("%s %s %s %q", s.Name, s.Path, s.Table, s.Options.Format))
	}
	const want = `My_Orders landing/My Orders/ lake/My_Orders "csv", my_orders-2 other/my_orders lake/my_orders-2 "", source x: y/# lake/source ""`
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got %s", s)
	}
	if !strings.Contains(d.YAML(), "# policy:") {
		t.Errorf("no hints in\n%s", d.YAML())
	}
}

// FuzzStreams: whatever a notebook holds, its draft is a project.
func FuzzStreams(f *testing.F) {
	f.Add("csv", "header", "true", "a/b", "x.y", "rescue")
	f.Add("pdf", "cloudFiles.banana", "null", "", "", "")
	f.Add("json", "sep", "\n: #", "~", "null", "a INT,\n `b  c` DATE")
	f.Fuzz(func(t *testing.T, format, name, value, path, table, hints string) {
		s := notebook.Stream{
			At: notebook.Place{Line: 1}, Path: path, Table: table, Schema: hints, HasSchema: hints != "",
			Options: []notebook.Option{
				{Name: "cloudFiles.format", Value: format}, {Name: name, Value: value}, {Name: "cloudFiles.schemaHints", Value: hints},
			},
			Sink: []notebook.Option{{Name: name, Value: value}},
		}
		if table == "" {
			s.Table = "t"
		}
		loads(t, draft.Streams(notebook.Notebook{Streams: []notebook.Stream{s, s}}, "lake"))
	})
}
