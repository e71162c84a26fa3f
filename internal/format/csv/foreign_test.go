package csv

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/format/formattest"
)

func TestForeign(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"\xef\xbb\xbf<!DOCTYPE html>\n<html>", "an HTML page"},
		{"\n<html lang=en>", "an HTML page"},
		{"<?xml version='1.0'?><Error>", "an XML document"},
		{`{"a": 1}` + "\n" + `{"a": 2}`, "a JSON document"},
		{`[{"a": 1}]`, "a JSON document"},
		{"[1, 2]", "a JSON document"},
		{"a,b\n<<<<<<< HEAD\n1,2\n=======\n1,3\n>>>>>>> x\n", "text with the marks of an unresolved merge conflict"},

		{"", ""},
		{"text\nhello\nworld\n", ""},
		{"a,b\n1,2\n", ""},
		{"[id],[name]\n1,2\n", ""},
		{"{3F2504E0-4F89},x\n", ""},
		{"<b>,c\n", ""},
		{"a,b\n=======,1\n<<<<<<< x,2\n", ""},
		{"a,b\nx\x00y,\x00\x00\n", ""},
		{"json\n{\"a\":1}\n", ""},
	} {
		got, ok := foreign([]byte(c.text))
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

// TestBinary: a file that is no text is foreign by name, whatever it is packed in.
func TestBinary(t *testing.T) {
	random := make([]byte, 100_000)
	rng := rand.NewChaCha8([32]byte{7})
	if _, err := rng.Read(random); err != nil {
		t.Fatal(err)
	}
	rows := strings.Repeat("1,some text\n", 500)
	for name, c := range map[string]struct {
		raw  string
		o    Options
		want string
	}{
		"random":              {string(random), Options{}, "binary data"},
		"random in Latin-1":   {string(random), Options{Encoding: "latin1"}, "binary data"},
		"random after text":   {"a,b\n" + string(random), Options{}, "binary data"},
		"padded with zeros":   {"a,b\n" + strings.Repeat("1,x\x00\x00\x00\n", 50), Options{}, "binary data"},
		"JPEG":                {"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01", Options{}, "a JPEG image"},
		"gzip in gzip":        {string(formattest.Zipped(t, string(formattest.Zipped(t, rows)))), Options{}, "gzip data within compressed data; one layer is undone"},
		"ZIP in gzip":         {string(formattest.Zipped(t, "PK\x03\x04\x14\x00")), Options{}, "a ZIP archive or a spreadsheet; only gzip, zstd, bzip2 and snappy are undone"},
		"unknown separator":   {strings.Repeat("1\x012\x01x\n", 50), Options{}, `text with the control character U+0001 in it; if it separates fields, set the option sep to \u0001`},
		"known separator":     {strings.Repeat("1\x012\x01x\n", 50), Options{Delimiter: "\x01"}, ""},
		"some stray zeros":    {"a,b\n" + rows + "\x00\x00,\x00\n\x00,\x00\x00\x00,\x00\n", Options{}, ""},
		"a name of a program": {"PAR1,MZ\n1,2\n", Options{}, ""},
	} {
		r, err := Open(context.Background(), name, strings.NewReader(c.raw), c.o)
		reason := ""
		var d *diag.Diagnostic
		switch {
		case errors.As(err, &d) && d.Code == diag.FileForeign:
			reason = strings.TrimSuffix(strings.TrimPrefix(d.Message, "found "), ", want delimited text")
		case err != nil:
			t.Errorf("%s: %v", name, err)
			continue
		default:
			reason, _ = r.Foreign()
		}
		if reason != c.want {
			t.Errorf("%s: got %q, want %q", name, reason, c.want)
		}
	}
}
