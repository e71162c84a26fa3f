package deliver_test

import (
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/flow/dataset"
	"landfall/internal/schema"
	"landfall/internal/transform/deliver"
)

// byValue writes files of which each has one value of the column "file".
func byValue(t *testing.T, s dataset.Sink, root string, values ...string) error {
	t.Helper()
	d, err := deliver.Prepare(t.Context(), s, options(root, "one", calm))
	ok(t, err)
	defer func() { ok(t, d.Discard()) }()
	out, err := d.Output(t.Context(), stepOf(schema.Field{Name: "file", Type: schema.String}))
	ok(t, err)
	if !out.To.KeysStay || len(out.To.Keys) != 1 || out.To.Keys[0] != "file" {
		t.Errorf("found keys %v that stay: %v, want file, true", out.To.Keys, out.To.KeysStay)
	}
	var written []engine.Written
	for _, v := range values {
		name := "file=" + url.PathEscape(v) + "/part-0.csv"
		if v == "null" {
			name = "file=__HIVE_DEFAULT_PARTITION__/part-0.csv"
		}
		at := filepath.Join(out.To.Folder, name)
		ok(t, os.MkdirAll(filepath.Dir(at), 0o755))
		ok(t, os.WriteFile(at, []byte(v), 0o600))
		written = append(written, engine.Written{Path: name, Rows: 1})
	}
	if err := d.Take(written); err != nil {
		return err
	}
	_, err = d.Publish(t.Context(), nil)
	return err
}

// TestNamedByColumn writes the files and folders that values name, and no others.
func TestNamedByColumn(t *testing.T) {
	file := dataset.Sink{Name: "s", Naming: dataset.Naming{FileColumn: "file"}, Format: dataset.Delimited, Text: dataset.Text{Delimiter: ","}}
	below := file
	below.Folder = "lake/out"
	folder := dataset.Sink{Name: "s", Naming: dataset.Naming{FolderColumn: "file"}, Format: dataset.Delimited, Text: dataset.Text{Delimiter: ","}}
	for name, c := range map[string]struct {
		sink   dataset.Sink
		values []string
		want   map[string]string
	}{
		"files":   {file, []string{"a.csv", "k=1/é b%.csv"}, map[string]string{"a.csv": "a.csv", "k=1/é b%.csv": "k=1/é b%.csv"}},
		"below":   {below, []string{"lake/out/a.csv"}, map[string]string{"a.csv": "lake/out/a.csv"}},
		"folders": {folder, []string{"x/y", "z"}, map[string]string{"x/y/part-00000-one.csv": "x/y", "z/part-00001-one.csv": "z"}},
	} {
		root := t.TempDir()
		if err := byValue(t, c.sink, root, c.values...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if now := held(t, root); !maps.Equal(now, c.want) {
			t.Errorf("%s: found %v, want %v", name, now, c.want)
		}
	}
}

// TestNamesThatLeadOut are refused, and nothing changes.
func TestNamesThatLeadOut(t *testing.T) {
	file := dataset.Sink{Name: "s", Naming: dataset.Naming{FileColumn: "file"}, Truncate: true}
	below := file
	below.Folder = "lake/out"
	for _, c := range []struct {
		sink   dataset.Sink
		values []string
		text   string
	}{
		{file, []string{"../a"}, "leads out"},
		{file, []string{"a/../../b"}, "leads out"},
		{file, []string{"/etc/a"}, "begins or ends with a slash"},
		{file, []string{"a/"}, "begins or ends with a slash"},
		{file, []string{`a\b`}, "backslash"},
		{file, []string{"null"}, "rows without a value"},
		{file, []string{"_landfall/runs"}, "a name of ours"},
		{file, []string{"t/_delta_log/0.json"}, "a table's log"},
		{file, []string{"a", "a/b"}, "a file in the other"},
		{below, []string{"lake/outer/a"}, "not in the folder of the sink"},
		{below, []string{"lake/out"}, "want a file in it"},
	} {
		root := t.TempDir()
		old := filepath.Join(root, "out", "old")
		ok(t, os.MkdirAll(filepath.Dir(old), 0o755))
		ok(t, os.WriteFile(old, []byte("old"), 0o600))
		refused(t, byValue(t, c.sink, root, c.values...), diag.FlowInput, c.text)
		if now := held(t, root); !maps.Equal(now, map[string]string{"old": "old"}) {
			t.Errorf("%v: found %v, want what was there", c.values, now)
		}
	}
}

// TestFileAndFolder refuses an output of which a name is a folder where there is a file,
// or the other way round: neither may go.
func TestFileAndFolder(t *testing.T) {
	file := dataset.Sink{Name: "s", Naming: dataset.Naming{FileColumn: "file"}}
	for there, value := range map[string]string{"a": "a/b", "a/b": "a"} {
		root := t.TempDir()
		at := filepath.Join(root, "out", there)
		ok(t, os.MkdirAll(filepath.Dir(at), 0o755))
		ok(t, os.WriteFile(at, []byte("old"), 0o600))
		refused(t, byValue(t, file, root, value), diag.FlowInput, "of the same name")
		if now := held(t, root); !maps.Equal(now, map[string]string{there: "old"}) {
			t.Errorf("%s: found %v, want what was there", value, now)
		}
	}
}

// TestNamingColumn refuses a column that is not there, or no text.
func TestNamingColumn(t *testing.T) {
	s := dataset.Sink{Name: "s", Naming: dataset.Naming{FileColumn: "file"}}
	for code, f := range map[diag.Code]schema.Field{diag.FlowColumn: {Name: "x", Type: schema.String}, diag.FlowType: {Name: "file", Type: schema.Long}} {
		d, err := deliver.Prepare(t.Context(), s, options(t.TempDir(), "one", calm))
		ok(t, err)
		_, err = d.Output(t.Context(), stepOf(f))
		refused(t, err, code, "file")
		ok(t, d.Discard())
	}
	s.Partition = dataset.Partition{Kind: dataset.ByKey, Columns: []string{"k"}}
	_, err := deliver.Prepare(t.Context(), s, options(t.TempDir(), "one", calm))
	refused(t, err, diag.FlowRefused, "partitionBy('key')")
}

// TestRefusedSettings refuses settings of text that would not show in what is written.
func TestRefusedSettings(t *testing.T) {
	comma := dataset.Text{Delimiter: ","}
	for text, change := range map[string]func(*dataset.Sink){
		"encoding \"UTF-16\"":         func(s *dataset.Sink) { s.Text.Encoding = "UTF-16" },
		"encoding \"UTF-32\"":         func(s *dataset.Sink) { s.Format, s.Text.Encoding = dataset.JSON, "UTF-32" },
		"rowDelimiter":                func(s *dataset.Sink) { s.Text.RowDelimiter = "\r\n" },
		"found no columnDelimiter":    func(s *dataset.Sink) { s.Text.Delimiter = "" },
		"found compression \"bzip2\"": func(s *dataset.Sink) { s.Compression = "bzip2" },
	} {
		s := dataset.Sink{Name: "s", Format: dataset.Delimited, Text: comma}
		change(&s)
		root := t.TempDir()
		_, err := deliver.Prepare(t.Context(), s, options(root, "one", calm))
		refused(t, err, diag.FlowRefused, text)
		if entries, err := os.ReadDir(root); err != nil || len(entries) > 0 {
			t.Errorf("found %v (%v), want nothing", entries, err)
		}
	}
	s := dataset.Sink{Name: "s", Format: dataset.Delimited, Text: comma, Compression: "gzip"}
	root := t.TempDir()
	_, err := run(t, s, options(root, "one", calm), "rows")
	ok(t, err)
	if now := held(t, root); now["part-00000-one.csv.gz"] != "rows" {
		t.Errorf("found %v, want a name that tells the compression", now)
	}
}
