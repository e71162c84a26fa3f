//go:build shared

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"landfall/internal/land"
)

// counted is what others say of a public file.
type counted struct {
	delimiter rune
	// records counts the header, bad those of them that cannot be cut.
	records, bad int64
	refused      bool
}

// countedFiles reads the counts of records that the CSV decoder is tested with:
// most are of another reader.
func countedFiles(t *testing.T) map[string]counted {
	t.Helper()
	delimiters := map[string]rune{"comma": ',', "tab": '\t', "semicolon": ';', "pipe": '|', "-": ','}
	files := map[string]counted{}
	for _, f := range tsv(t, filepath.Join("..", "..", "internal", "format", "csv", "testdata", "records.tsv")) {
		c := counted{delimiter: delimiters[f[1]], refused: f[4] == "refused" || f[2] == "0"}
		if !c.refused {
			var err error
			if _, err = fmt.Sscan(f[2], &c.records); err == nil {
				_, err = fmt.Sscan(f[3], &c.bad)
			}
			if err != nil || c.delimiter == 0 {
				t.Fatalf("%q: %v", f, err)
			}
		}
		files[f[0]] = c
	}
	return files
}

// tsv reads the fields of lines that are no comments.
func tsv(t *testing.T, path string) [][]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		}
	}
	return lines
}

// different is what we make of a file of which a strict reader makes something
// else, or nothing.
type different struct {
	rows, bad int64
	why       string
}

func differentFiles(t *testing.T) map[string]different {
	t.Helper()
	files := map[string]different{}
	for _, f := range tsv(t, filepath.Join("testdata", "public", "different.tsv")) {
		rows, err1 := strconv.ParseInt(f[1], 10, 64)
		bad, err2 := strconv.ParseInt(f[2], 10, 64)
		if err1 != nil || err2 != nil || len(f) != 5 || f[4] == "" {
			t.Fatalf("%q: %v, %v", f, err1, err2)
		}
		files[f[0]] = different{rows, bad, f[4]}
	}
	return files
}

// TestPublicFiles lands each file of three collections as a table of its own.
// Each lands whole or says where and why not: the table has as many rows as
// others count, and the values that the standard library's reader finds. Where
// that reader fails or differs, a list says why. With types, the table has the
// same values.
func TestPublicFiles(t *testing.T) {
	others, differ := countedFiles(t), differentFiles(t)
	for _, c := range []struct {
		feed  string
		files int
	}{
		{"fivethirtyeight-pollster-ratings", 14},
		{"nyc-yellow-taxi-samples", 43},
		{"duckdb-csv-json-edge-cases", 474},
	} {
		dir := realData(t, c.feed)
		seen := map[string]bool{} // many files are the same as another
		files := slices.DeleteFunc(realFiles(t, dir), func(file string) bool {
			raw := string(readRaw(t, filepath.Join(dir, filepath.FromSlash(file))))
			defer func() { seen[raw] = true }()
			return strings.HasPrefix(file, "json/") || seen[raw]
		})
		if len(files) != c.files {
			t.Errorf("%s: found %d files, want %d", c.feed, len(files), c.files)
		}
		for some := range slices.Chunk(files, atOnce) {
			t.Run(c.feed+"/"+some[0], func(t *testing.T) {
				t.Parallel()
				checkPublic(t, some, func(file string) publicFile {
					name := c.feed + "/" + file
					f := publicFile{name: name, path: filepath.Join(dir, filepath.FromSlash(file)), differs: differ[name]}
					var ok bool
					if f.known, ok = others[name]; !ok {
						f.known = counted{delimiter: firstDelimiter(t, f.path), records: -1}
					}
					return f
				})
			})
		}
	}
}

// publicFile is a file and what is known of it.
type publicFile struct {
	name, path string
	known      counted
	differs    different
}

// firstDelimiter tells tabs from commas by a file's first line.
func firstDelimiter(t *testing.T, path string) rune {
	t.Helper()
	head, _, _ := bytes.Cut(readRaw(t, path), []byte("\n"))
	if bytes.Contains(head, []byte("\t")) {
		return '\t'
	}
	return ','
}

// atOnce is how many files are landed before their tables are read.
const atOnce = 6

// deliverAlone puts a file into a feed of its own.
func deliverAlone(t *testing.T, path string) (in, file string) {
	t.Helper()
	in = filepath.Join(t.TempDir(), "in")
	file = strings.TrimLeft(filepath.Base(path), "._") // else it is hidden
	deliverCopy(t, path, filepath.Join(in, file), time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC))
	return in, file
}

// checkPublic lands files one by one, as text and with types, and compares each
// with what others make of it.
func checkPublic(t *testing.T, files []string, known func(file string) publicFile) {
	reports, delivered := make([]land.Report, len(files)), make([]string, len(files))
	var feeds []landedFeed
	for i, file := range files {
		in, name := deliverAlone(t, known(file).path)
		text, typed := landedFeed{in, filepath.Join(t.TempDir(), "text")}, landedFeed{in, filepath.Join(t.TempDir(), "typed")}
		delivered[i], feeds = name, append(feeds, text, typed)
		a, b := landChecked(t, in, text.table), landWith(t, in, typed.table)
		if len(a.Batches) != 1 || len(b.Batches) != 1 || len(a.Deferred)+len(a.Skipped) > 0 {
			t.Fatalf("%s: %+v\n%+v", file, a, b)
		}
		if a, b := a.Batches[0], b.Batches[0]; a.RowsLanded != b.RowsLanded || a.RowsQuarantined != b.RowsQuarantined || a.Bytes != b.Bytes {
			t.Errorf("%s: as text %+v\nwith types %+v", file, a, b)
		}
		reports[i] = a
	}
	tables := readAllLanded(t, feeds...)
	for i, file := range files {
		f, text, typed := known(file), tables[2*i], tables[2*i+1]
		t.Run(f.name, func(t *testing.T) {
			whole := checkHeld(t, f.path, feeds[2*i].table, reports[i])
			f.compare(t, text, text.rows[delivered[i]], whole, reports[i])
			sameTyped(t, file, feeds[2*i+1].table, typed, text)
		})
	}
}

// compare compares the rows of a file with what others make of it.
func (f publicFile) compare(t *testing.T, got realTable, rows []row, whole bool, r land.Report) {
	t.Helper()
	b := r.Batches[0]
	if n := int64(got.count()); n != b.RowsLanded {
		t.Errorf("found %d rows, the report says %d", n, b.RowsLanded)
	}
	switch {
	case whole != f.known.refused && f.differs.why == "":
		t.Errorf("quarantined as a whole: %v, want %v: %+v", whole, f.known.refused, r.Quarantined)
	case whole, f.known.records < 0:
	case b.RowsIn+1 != f.known.records, b.RowsQuarantined != f.known.bad:
		t.Errorf("found %d records, %d bad; others count %d, %d", b.RowsIn+1, b.RowsQuarantined, f.known.records, f.known.bad)
	}
	if whole && f.known.refused && f.differs.why == "" {
		return
	}
	p, err := readPlain(t, f.path, f.known.delimiter)
	if f.differs.why != "" {
		if b.RowsLanded != f.differs.rows || b.RowsQuarantined != f.differs.bad {
			t.Errorf("found %d rows and %d bad ones, want %d, %d: %s", b.RowsLanded, b.RowsQuarantined, f.differs.rows, f.differs.bad, f.differs.why)
		}
		if err == nil && len(unlike(rows, p.rows)) == 0 {
			t.Errorf("listed as different, but a strict reader finds the same rows")
		}
		return
	}
	if err != nil {
		t.Fatalf("a strict reader says: %v; we found %d rows, %d bad", err, b.RowsLanded, b.RowsQuarantined)
	}
	checkRescued(t, got)
	sameRows(t, f.name, rows, p.rows)
	checkBytes(t, f.path, r)
}

// checkHeld checks that all that is in quarantine has a place and a reason, and
// that a record's bytes are there as the file has them. whole tells whether
// nothing of the file landed.
func checkHeld(t *testing.T, path, table string, r land.Report) (whole bool) {
	t.Helper()
	raw := readRaw(t, path)
	text := decodePlain(raw)
	held := 0
	for line := range bytes.Lines(command(t, "files", "--table", table, "--quarantined", "--bytes", "--json")) {
		var q heldLine
		if err := json.Unmarshal(line, &q); err != nil {
			t.Fatal(err)
		}
		held++
		switch {
		case !strings.HasPrefix(q.Code, "E04") || q.Reason == "":
			t.Errorf("no reason: %+v", q)
		case q.Record == 0:
			whole = true
		case q.Line == 0 || len(q.Bytes) == 0:
			t.Errorf("no place or no bytes: %+v", q)
		case !bytes.Contains(raw, q.Bytes) && !bytes.Contains(text, q.Bytes):
			t.Errorf("other bytes than the file's: %+v", q)
		}
	}
	if held != len(r.Quarantined) || !whole && int64(held) != r.Batches[0].RowsQuarantined {
		t.Errorf("found %d in quarantine, reported %d and %d", held, len(r.Quarantined), r.Batches[0].RowsQuarantined)
	}
	return whole
}

// checkRescued checks that values were rescued only where there is no column
// for them.
func checkRescued(t *testing.T, got realTable) {
	t.Helper()
	for why, n := range got.rescued {
		if why != "ragged" && why != "case" {
			t.Errorf("%d values were rescued as %s", n, why)
		}
	}
}

// checkBytes checks that every byte of a file in UTF-8 is accounted for.
func checkBytes(t *testing.T, path string, r land.Report) {
	t.Helper()
	raw := readRaw(t, path)
	if utf8.Valid(raw) && r.Bytes.In != int64(len(raw)) && !bytes.Contains(raw[:min(4, len(raw))], []byte{0}) {
		t.Errorf("accounted for %d of %d bytes", r.Bytes.In, len(raw))
	}
}
