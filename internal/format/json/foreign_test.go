package json

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestForeign: a file that is no JSON is foreign by name.
func TestForeign(t *testing.T) {
	random := make([]byte, 100_000)
	rng := rand.NewChaCha8([32]byte{7})
	if _, err := rng.Read(random); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{"\ufeff<!DOCTYPE html>\n<html>", "an HTML page"},
		{"<?xml version='1.0'?><Error>", "an XML document"},
		{"{\"a\":1}\n<<<<<<< HEAD\n{\"a\":2}\n=======\n{\"a\":3}\n>>>>>>> x\n", "text with the marks of an unresolved merge conflict"},
		{"a,b\n1,2\n3,4\n", "delimited text"},
		{"\"a\"\t\"b\"\n\"1\"\t\"2\"\n", "delimited text"},
		{string(random), "binary data"},
		{"PK\x03\x04\x14\x00", "a ZIP archive or a spreadsheet; only gzip, zstd, bzip2 and snappy are undone"},

		{"", ""},
		{"{\"a\":1,\"b\":2}\n{\"a\":1,\"b\":2}\n", ""},
		{"[1,2,\n3,4,\n5,6]", ""},
		{"\"a\"\n\"b\"\n", ""},
		{"1\n2\n3\n", ""},
		{"// a, b\n// c, d\n{}\n", ""},
		{"one line, of text", ""},
	} {
		r, err := Open(context.Background(), "t.json", strings.NewReader(c.text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := r.Foreign(); got != c.want || ok != (c.want != "") {
			t.Errorf("%.40q: got %q, %v, want %q", c.text, got, ok, c.want)
		}
	}
}
