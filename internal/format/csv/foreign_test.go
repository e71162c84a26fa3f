package csv

import (
	"errors"
	"strings"
	"testing"

	"landfall/internal/diag"
)

func TestForeign(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"PAR1\x15\x04", "a Parquet file"},
		{"Obj\x01\x04", "an Avro file"},
		{"PK\x03\x04\x14", "a ZIP archive or a spreadsheet"},
		{"%PDF-1.7\n", "a PDF document"},
		{strings.Repeat("x", 257) + "ustar\x0000", "a tar archive"},
		{strings.Repeat("\x00\x01\x02data", 9), "binary data"},
		{"\xef\xbb\xbf<!DOCTYPE html>\n<html>", "an HTML page"},
		{"\n<html lang=en>", "an HTML page"},
		{"<?xml version='1.0'?><Error>", "an XML document"},
		{`{"a": 1}` + "\n" + `{"a": 2}`, "a JSON document"},
		{`[{"a": 1}]`, "a JSON document"},
		{"[1, 2]", "a JSON document"},
		{"a,b\n<<<<<<< HEAD\n1,2\n=======\n1,3\n>>>>>>> x\n", "text with the marks of an unresolved merge conflict"},
		{"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer in place of the data"},

		{"", ""},
		{"text\nhello\nworld\n", ""},
		{"a,b\n1,2\n", ""},
		{"[id],[name]\n1,2\n", ""},
		{"{3F2504E0-4F89},x\n", ""},
		{"<b>,c\n", ""},
		{"a,b\n=======,1\n<<<<<<< x,2\n", ""},
		{"a,b\nx\x00y,\x00\x00\n", ""},
		{"json\n{\"a\":1}\n", ""},
		{"PK,a\n", ""},
	} {
		got, ok := Foreign([]byte(c.text))
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%q: got %q, %v, want %q", c.text, got, ok, c.want)
		}
	}
}

// TestForeignHeader: a file whose header cannot be read is refused as what it is.
func TestForeignHeader(t *testing.T) {
	o := read(t, "{\"a\": \"x\"}\n", Options{Delimiter: " "})
	if !errors.Is(o.err, &diag.Diagnostic{Code: diag.FileForeign}) {
		t.Errorf("got %v, want %s", o.err, diag.FileForeign)
	}
	o = read(t, "<html>\n<p>Not found, sorry</p>\n", Options{})
	if reason, ok := o.r.Foreign(); !ok || reason != "an HTML page" {
		t.Errorf("got %q, %v", reason, ok)
	}
}
