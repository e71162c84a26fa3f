//go:build shared

package csv

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// sharedData is the folder of public files.
func sharedData(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("LANDFALL_SHARED")
	if dir == "" {
		here, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for ; here != filepath.Dir(here); here = filepath.Dir(here) {
			if _, err := os.Stat(filepath.Join(here, "go.mod")); err == nil {
				dir = filepath.Join(filepath.Dir(here), "shared")
				break
			}
		}
	}
	data := filepath.Join(dir, "data")
	if _, err := os.Stat(data); err != nil {
		t.Fatalf("the shared data is needed here; set LANDFALL_SHARED: %v", err)
	}
	return data
}

// readFile reads a file in small slabs.
func readFile(t *testing.T, path string) (*outline, error) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(context.Background(), filepath.Base(path), bytes.NewReader(raw), Options{SlabBytes: 10000})
	if err != nil {
		return nil, err
	}
	o := readAll(t, r)
	if o.err != nil {
		t.Fatalf("%s: %v", path, o.err)
	}
	if got, want := r.Account().In, r.in.Base+int64(len(r.in.Held)); got != want {
		t.Errorf("%s: accounted for %d of %d bytes", path, got, want)
	}
	return o, nil
}

// TestSpectrum: every file of csv-spectrum has the values its answer says.
func TestSpectrum(t *testing.T) {
	dir := filepath.Join(sharedData(t), "csv-spectrum")
	files, err := filepath.Glob(filepath.Join(dir, "csvs", "*.csv"))
	if err != nil || len(files) != 12 {
		t.Fatalf("found %d files, want 12 (%v)", len(files), err)
	}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".csv")
		answer, err := os.ReadFile(filepath.Join(dir, "json", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if name == "location_coordinates" {
			// One object, not a list; and its number is not the file's.
			answer = bytes.Replace(answer, []byte("1234567890"), []byte("2095257564"), 1)
			answer = append(append([]byte("["), answer...), ']')
		}
		var want []map[string]string
		if err := json.Unmarshal(answer, &want); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_crlf") && !bytes.Contains(text, []byte("\r")) {
			// The repository holds these files with their line ends normalised.
			text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
		}
		r, err := Open(context.Background(), name, bytes.NewReader(text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []map[string]string
		for s, err := range r.Slabs(context.Background()) {
			if err != nil || len(s.Bad)+len(s.Ragged) > 0 {
				t.Fatalf("%s: %v, %v, %v", name, err, s.Bad, s.Ragged)
			}
			for i := range s.Records {
				row := map[string]string{}
				for j, h := range r.Header() {
					row[h] = string(s.Fields[j].Value(i))
				}
				got = append(got, row)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// TestFeeds: real feeds land whole.
func TestFeeds(t *testing.T) {
	for _, c := range []struct {
		feed        string
		files, rows int
	}{
		{"jhu-covid-daily", 34, 45664},
		{"nyc-yellow-taxi-samples", 43, 49220},
	} {
		files, rows := 0, 0
		err := filepath.WalkDir(filepath.Join(sharedData(t), c.feed), func(path string, d os.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".csv" {
				return err
			}
			o, err := readFile(t, path)
			if err != nil {
				return err
			}
			for _, w := range o.rows {
				if w.have != len(o.header) {
					t.Errorf("%s: record %d has %d fields, want %d", path, w.number, w.have, len(o.header))
				}
			}
			if len(o.bad) > 0 || strings.ContainsAny(strings.Join(o.header, ""), "\r\ufeff\"") {
				t.Errorf("%s: header %q, bad %q", path, o.header, o.bad)
			}
			files++
			rows += len(o.rows)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if files != c.files || rows != c.rows {
			t.Errorf("%s: found %d files and %d rows, want %d and %d", c.feed, files, rows, c.files, c.rows)
		}
	}
}

// TestPublicFiles: awkward files are read whole, or refused with a reason, and
// have as many records as others count.
func TestPublicFiles(t *testing.T) {
	list, err := os.ReadFile(filepath.Join("testdata", "records.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	data := sharedData(t)
	for line := range strings.Lines(string(list)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(f[0], "#") {
			continue
		}
		o, err := readFile(t, filepath.Join(data, filepath.FromSlash(f[0])))
		if err != nil {
			if f[4] != "refused" {
				t.Errorf("%s: %v", f[0], err)
			}
			continue
		}
		if f[4] == "refused" {
			t.Errorf("%s: was read, want it refused", f[0])
			continue
		}
		records := len(o.rows) + len(o.bad)
		if len(o.header) > 0 {
			records++
		}
		if got, bad := strconv.Itoa(records), strconv.Itoa(len(o.bad)); got != f[2] || bad != f[3] {
			t.Errorf("%s: got %s records, %s bad, want %s, %s", f[0], got, bad, f[2], f[3])
		}
		if got := strings.SplitN(o.r.Dialect(), ",", 2)[0]; got != f[1] {
			t.Errorf("%s: got %s, want %s", f[0], got, f[1])
		}
	}
}
