package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landfall/internal/parquetfile/footer"
)

// TestWrittenOptions: data files are compressed, encoded and cut as the options say.
func TestWrittenOptions(t *testing.T) {
	in := t.TempDir()
	for n := range 3 {
		var text strings.Builder
		text.WriteString("id,name\n")
		for i := range 500 {
			fmt.Fprintf(&text, "%d,a name that repeats\n", 1000*n+i)
		}
		if err := os.WriteFile(filepath.Join(in, fmt.Sprint(n, ".csv")), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const snappy, zstd, deltas = 1, 6, 5
	for _, c := range []struct {
		options []string
		codec   int64
		deltas  bool
	}{
		{nil, zstd, true},
		{[]string{"--option", "parquet.compression=snappy", "--option", "parquet.encoding=plain"}, snappy, false},
	} {
		table := t.TempDir()
		var out, errs bytes.Buffer
		if code := run(append([]string{"land", in, table}, c.options...), &out, &errs); code != 0 {
			t.Fatalf("%v: exit %d: %s", c.options, code, errs.String())
		}
		files, err := filepath.Glob(filepath.Join(table, "*.parquet"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%v: found %v, %v, want one data file", c.options, files, err)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		foot, err := footer.Open(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		chunk := foot.Groups[0].Chunks[0]
		encodings, _ := chunk.Meta.List(footer.ChunkEncodingsField)
		found := false
		for e := range encodings.Ints() {
			found = found || e == deltas
		}
		if chunk.Codec != c.codec || found != c.deltas {
			t.Errorf("%v: found codec %d, delta %v, want %d, %v", c.options, chunk.Codec, found, c.codec, c.deltas)
		}
	}
	small := t.TempDir()
	if code := run([]string{"land", in, small, "--option", "targetFileSize=100"}, &bytes.Buffer{}, &bytes.Buffer{}); code != 0 {
		t.Fatalf("exit %d", code)
	}
	if files, _ := filepath.Glob(filepath.Join(small, "*.parquet")); len(files) != 3 {
		t.Errorf("found %d data files, want one for each file", len(files))
	}
}
