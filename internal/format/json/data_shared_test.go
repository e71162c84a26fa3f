//go:build shared

package json

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"landfall/internal/column"
	"landfall/internal/sharedtest"
)

func readFile(t *testing.T, path string, o Options) *outline {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(context.Background(), filepath.Base(path), bytes.NewReader(raw), o)
	if err != nil {
		return &outline{err: err}
	}
	return readAll(t, r)
}

// accepted are files of the suite that are no JSON text but that we take, with
// rows and notes: several texts one after the other, files without any, arrays
// that the end of the file leaves open.
func accepted() map[string]string {
	const unclosed = "0 bad, array_unclosed"
	return map[string]string{
		"n_array_newlines_unclosed.json":                "3 rows, " + unclosed,
		"n_structure_double_array.json":                 "0 rows, 0 bad",
		"n_structure_object_with_trailing_garbage.json": "2 rows, 0 bad",
		"n_single_space.json":                           "0 rows, 0 bad",
		"n_structure_no_data.json":                      "0 rows, 0 bad",
		"n_structure_UTF8_BOM_no_data.json":             "0 rows, 0 bad",
		"n_array_incomplete.json":                       "1 rows, " + unclosed,
		"n_array_unclosed.json":                         "1 rows, " + unclosed,
		"n_array_unclosed_trailing_comma.json":          "1 rows, " + unclosed,
		"n_array_unclosed_with_object_inside.json":      "1 rows, " + unclosed,
		"n_structure_lone-open-bracket.json":            "0 rows, " + unclosed,
		"n_structure_open_array_string.json":            "1 rows, " + unclosed,
	}
}

// TestSuite: of the suite of parsing tests, what must be taken is, and what must
// not is bad, but for the files that we take on purpose.
func TestSuite(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sharedtest.Folder(t, "json-test-suite"), "test_parsing", "*.json"))
	if err != nil || len(files) != 318 {
		t.Fatalf("found %d files, want 318 (%v)", len(files), err)
	}
	for _, path := range files {
		name := filepath.Base(path)
		o := readFile(t, path, Options{SlabBytes: 1000})
		got := fmt.Sprintf("%d rows, %d bad", len(o.rows), len(o.bad))
		if o.r != nil {
			for _, n := range o.r.Notes() {
				got += ", " + n.Kind
			}
		}
		want, known := accepted()[name]
		switch {
		case o.err != nil:
			t.Errorf("%s: %v", name, o.err)
		case known:
			if got != want {
				t.Errorf("%s: got %s, want %s", name, got, want)
			}
		case name[0] == 'y' && (len(o.bad) > 0 || len(o.rows) == 0 && !isEmpty(t, path)):
			t.Errorf("%s: got %s, want it taken: %q", name, got, o.why)
		case name[0] == 'n' && len(o.bad) == 0:
			t.Errorf("%s: got %s, want it bad", name, got)
		case name[0] == 'i' && got != implementation()[name]:
			t.Errorf("%s: got %s, want %s: %q", name, got, implementation()[name], o.why)
		}
	}
}

// isEmpty reports whether the file is an array of nothing.
func isEmpty(t *testing.T, path string) bool {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(raw)), "") == "[]"
}

// implementation is what we make of the files that a parser may take or not:
// numbers of any size are taken, halves of surrogate pairs too, bytes that are not
// UTF-8 are not.
func implementation() map[string]string {
	const taken, bad, utf16 = "1 rows, 0 bad", "0 rows, 1 bad", "1 rows, 0 bad, encoding_detected"
	return map[string]string{
		"i_number_double_huge_neg_exp.json":                   taken,
		"i_number_huge_exp.json":                              taken,
		"i_number_neg_int_huge_exp.json":                      taken,
		"i_number_pos_double_huge_exp.json":                   taken,
		"i_number_real_neg_overflow.json":                     taken,
		"i_number_real_pos_overflow.json":                     taken,
		"i_number_real_underflow.json":                        taken,
		"i_number_too_big_neg_int.json":                       taken,
		"i_number_too_big_pos_int.json":                       taken,
		"i_number_very_big_negative_int.json":                 taken,
		"i_object_key_lone_2nd_surrogate.json":                taken,
		"i_string_1st_surrogate_but_2nd_missing.json":         taken,
		"i_string_1st_valid_surrogate_2nd_invalid.json":       taken,
		"i_string_UTF-16LE_with_BOM.json":                     taken,
		"i_string_UTF-8_invalid_sequence.json":                bad,
		"i_string_UTF8_surrogate_U+D800.json":                 bad,
		"i_string_incomplete_surrogate_and_escape_valid.json": taken,
		"i_string_incomplete_surrogate_pair.json":             taken,
		"i_string_incomplete_surrogates_escape_valid.json":    taken,
		"i_string_invalid_lonely_surrogate.json":              taken,
		"i_string_invalid_surrogate.json":                     taken,
		"i_string_invalid_utf-8.json":                         bad,
		"i_string_inverted_surrogates_U+1D11E.json":           taken,
		"i_string_iso_latin_1.json":                           bad,
		"i_string_lone_second_surrogate.json":                 taken,
		"i_string_lone_utf8_continuation_byte.json":           bad,
		"i_string_not_in_unicode_range.json":                  bad,
		"i_string_overlong_sequence_2_bytes.json":             bad,
		"i_string_overlong_sequence_6_bytes.json":             bad,
		"i_string_overlong_sequence_6_bytes_null.json":        bad,
		"i_string_truncated-utf-8.json":                       bad,
		"i_string_utf16BE_no_BOM.json":                        utf16,
		"i_string_utf16LE_no_BOM.json":                        utf16,
		"i_structure_500_nested_arrays.json":                  bad,
		"i_structure_UTF-8_BOM_empty_object.json":             taken,
	}
}

// value is what nodes say, as the standard library has it. The last of several
// members of a name counts.
func value(t *testing.T, tape *column.Tape, i uint32) any {
	t.Helper()
	n := tape.Nodes[i]
	switch n.Kind {
	case column.Null:
		return nil
	case column.True, column.False:
		return n.Kind == column.True
	case column.Number:
		return json.Number(tape.Raw(i))
	case column.String:
		return string(tape.Text(i))
	case column.Array:
		list := []any{}
		for at := tape.First(i); at < n.Next; at = tape.Next(at) {
			list = append(list, value(t, tape, at))
		}
		return list
	default:
		object := map[string]any{}
		for at := tape.First(i); at < n.Next; at = tape.Next(at) {
			object[string(tape.Text(at))] = value(t, tape, tape.Value(at))
		}
		return object
	}
}

// TestPublicFiles: real files have the rows that the standard library finds.
func TestPublicFiles(t *testing.T) {
	for _, c := range []struct {
		folder      string
		files, rows int
	}{
		{"github-events-json", 8, 216},
		{"openfootball-json-history", 11, 11},
		{"json-test-suite/test_transform", 16, 16},
		{"duckdb-csv-json-edge-cases/json", 71, 544},
	} {
		files, rows := 0, 0
		root := sharedtest.Folder(t, c.folder)
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.Contains(filepath.Ext(path), "json") || strings.Contains(path, "malformed") ||
				strings.Contains(path, "invalid_codepoint") { // the standard library replaces those
				return err
			}
			files++
			rows += compareWithStandard(t, path)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if files != c.files || rows != c.rows {
			t.Errorf("%s: found %d files and %d rows, want %d and %d", c.folder, files, rows, c.files, c.rows)
		}
	}
}

func compareWithStandard(t *testing.T, path string) (rows int) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want []any
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(raw, []byte(bom))))
	d.UseNumber()
	for {
		var v any
		if err = d.Decode(&v); err != nil {
			break
		}
		if list, ok := v.([]any); ok {
			want = append(want, list...)
		} else {
			want = append(want, v)
		}
	}
	r, openErr := Open(context.Background(), path, bytes.NewReader(raw), Options{SlabBytes: 5000})
	if openErr != nil {
		t.Fatalf("%s: %v", path, openErr)
	}
	var got []any
	bad := 0
	for s, err := range r.Slabs(context.Background()) {
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, root := range s.Tape.Roots {
			got = append(got, value(t, s.Tape, root))
		}
		for _, b := range s.Bad {
			t.Logf("%s:%d: %s", path, b.Line, b.Reason)
		}
		bad += len(s.Bad)
	}
	whole := errors.Is(err, io.EOF)
	if whole != (bad == 0) || whole && !reflect.DeepEqual(got, want) || len(got) < len(want) {
		t.Errorf("%s: %v, %d bad, got %.300v\nwant %.300v", path, err, bad, got, want)
	}
	return len(got)
}
