//go:build shared

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// heldBy lists what is in quarantine by file.
func heldBy(t *testing.T, table string) map[string][]heldLine {
	t.Helper()
	held := map[string][]heldLine{}
	for line := range bytes.Lines(command(t, "files", "--table", table, "--quarantined", "--bytes", "--json")) {
		var q heldLine
		check(t, json.Unmarshal(line, &q))
		held[q.Path] = append(held[q.Path], q)
	}
	return held
}

// withoutHeld checks that all that is in quarantine of a text has a place and a
// reason, and is what stands at its place. It returns the text without it.
func withoutHeld(t *testing.T, file string, text []byte, held []heldLine) []byte {
	t.Helper()
	rest, after := bytes.Clone(text), int64(0)
	for _, q := range held {
		switch {
		case !strings.HasPrefix(q.Code, "E04") || q.Reason == "":
			t.Errorf("%s: no reason: %+v", file, q)
		case q.Record == 0 && len(held) == 1: // the whole file
			return nil
		case q.Record == 0 || q.Line == 0 || q.Length == 0 || q.Offset < after || q.Offset+q.Length > int64(len(text)):
			t.Errorf("%s: no place: %+v", file, q)
		case !bytes.Equal(q.Bytes, text[q.Offset:q.Offset+q.Length]):
			t.Errorf("%s: found %.80q in quarantine, want %.80q", file, q.Bytes, text[q.Offset:q.Offset+q.Length])
		default:
			after = q.Offset + q.Length
			for i := q.Offset; i < after; i++ {
				rest[i] = ' '
			}
		}
	}
	return rest
}

// leftRecords reads the values of a text out of which records were taken: commas
// and brackets around them may be left, and say nothing any more.
func leftRecords(text []byte) ([]any, error) {
	var records []any
	for {
		text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\ufeff")), " \t\r\n,[]")
		if len(text) == 0 {
			return records, nil
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		v, err := readTree(d)
		if err != nil {
			return records, err
		}
		records, text = append(records, v), text[d.InputOffset():]
	}
}

// suiteTaken are the files of the suite that are no JSON text but that we take,
// with the number of their records: several texts one after the other, files
// without any, arrays that the end of the file leaves open.
func suiteTaken() map[string]int {
	return map[string]int{
		"n_array_newlines_unclosed.json":                3,
		"n_structure_double_array.json":                 0,
		"n_structure_object_with_trailing_garbage.json": 2,
		"n_single_space.json":                           0,
		"n_structure_UTF8_BOM_no_data.json":             0,
		"n_array_incomplete.json":                       1,
		"n_array_unclosed.json":                         1,
		"n_array_unclosed_trailing_comma.json":          1,
		"n_array_unclosed_with_object_inside.json":      1,
		"n_structure_lone-open-bracket.json":            0,
		"n_structure_open_array_string.json":            1,
	}
}

// suiteHeld are the files that a parser may take or not, and of which we hold a
// record back: bytes that are not UTF-8, and too many levels.
func suiteHeld() []string {
	return []string{
		"i_string_UTF-8_invalid_sequence.json", "i_string_UTF8_surrogate_U+D800.json", "i_string_invalid_utf-8.json",
		"i_string_iso_latin_1.json", "i_string_lone_utf8_continuation_byte.json", "i_string_not_in_unicode_range.json",
		"i_string_overlong_sequence_2_bytes.json", "i_string_overlong_sequence_6_bytes.json",
		"i_string_overlong_sequence_6_bytes_null.json", "i_string_truncated-utf-8.json", "i_structure_500_nested_arrays.json",
		"string_1_invalid_codepoint.json", "string_2_invalid_codepoints.json", "string_3_invalid_codepoints.json",
	}
}

// TestJSONSuite lands the files of a suite for parsers as one feed. The values of
// all that must be taken are there, of all that must not be taken a record is in
// quarantine with its place, and no byte of any file is lost.
func TestJSONSuite(t *testing.T) {
	t.Parallel()
	dir := realData(t, "json-test-suite")
	f := landedFeed{filepath.Join(t.TempDir(), "in"), filepath.Join(t.TempDir(), "table")}
	texts, size := map[string][]byte{}, int64(0)
	check(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".json" {
			file, _ := filepath.Rel(dir, path)
			deliverCopy(t, path, filepath.Join(f.in, file), time.Date(2026, 10, 1, 0, 0, len(texts), 0, time.UTC))
			text := readText(t, path)
			texts[filepath.ToSlash(file)], size = text, size+int64(len(text))
		}
		return err
	}))
	r := landReport(t, f.in, f.table)
	if len(texts) != 340 || len(r.Batches) != 1 || r.Batches[0].Files != 340 || r.Bytes.In != size || len(r.Skipped)+len(r.Deferred) > 0 {
		t.Fatalf("found %d files of %d bytes; %+v", len(texts), size, r)
	}
	held, table := heldBy(t, f.table), readTrees(t, f)[0]
	figures, bad := map[string]int{}, int64(0)
	var h hunt
	for _, file := range slices.Sorted(maps.Keys(texts)) {
		name := filepath.Base(file)
		rest := withoutHeld(t, file, texts[file], held[file])
		for _, q := range held[file] {
			if bad += q.Length; q.Record == 0 && name != "n_structure_no_data.json" {
				t.Errorf("%s: quarantined as a whole: %s", file, q.Reason)
			}
		}
		want, err := plainRecords(bytes.TrimPrefix(rest, []byte("\ufeff")))
		taken, known := suiteTaken()[name]
		if len(held[file]) > 0 || known {
			want, err = leftRecords(rest)
		}
		switch kind := name[:2]; {
		case err != nil:
			t.Errorf("%s: the standard library says %v", file, err)
		case known && (kind != "n_" || len(held[file]) > 0 || len(want) != taken):
			t.Errorf("%s: found %d records, %d in quarantine, want %d and none", file, len(want), len(held[file]), taken)
		case kind == "n_" && !known && len(held[file]) == 0:
			t.Errorf("%s: found nothing in quarantine", file)
		case kind != "n_" && len(held[file]) > 0 != slices.Contains(suiteHeld(), name):
			t.Errorf("%s: in quarantine: %+v", file, held[file])
		}
		h.file(t, file, table, want)
		figures[name[:2]]++
		if len(held[file]) > 0 {
			figures[name[:2]+" held"]++
		}
	}
	if r.Bytes.Bad != bad {
		t.Errorf("found %d bytes in quarantine, the report says %d", bad, r.Bytes.Bad)
	}
	sameCounts(t, "files", figures, map[string]int{
		"y_": 95, "n_": 188, "n_ held": 177, "i_": 35, "i_ held": 11, "nu": 10, "ob": 5, "st": 7, "st held": 3,
	})
	if got := fmt.Sprint(r.Batches[0].RowsLanded, r.Held, h.typed, h.rescued); got != "183 193 32 155" {
		t.Errorf("found %s, want 183 rows and 193 in quarantine, 32 values in columns and 155 rescued", got)
	}
}

// decodeUTF16 is a text in UTF-8, with its byte order mark.
func decodeUTF16(raw []byte) []byte {
	if len(raw) < 4 || len(raw)%2 > 0 {
		return raw
	}
	mark := []byte("\ufeff")
	switch {
	case bytes.HasPrefix(raw, []byte{0xff, 0xfe}), bytes.HasPrefix(raw, []byte{0xfe, 0xff}):
		return append(mark, decodePlain(raw)...)
	case raw[0] == 0 && raw[2] == 0:
		return decodePlain(append([]byte{0xfe, 0xff}, raw...))
	case raw[1] == 0 && raw[3] == 0:
		return decodePlain(append([]byte{0xff, 0xfe}, raw...))
	}
	return raw
}
