package report_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"landfall/internal/report"
)

var update = flag.Bool("update", false, "rewrite golden files")

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1 kB", 1_200_000_000: "1.2 GB", 41_240_000: "41.2 MB", 412_000_000: "412 MB",
		999_950_000: "1 GB", 99_960: "100 kB", -1500: "-1.5 kB", 9223372036854775807: "9.2 EB",
	} {
		if got := report.Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1204: "1\u2009204", 2413220: "2\u2009413\u2009220", -1000: "-1\u2009000",
		-9223372036854775808: "-9\u2009223\u2009372\u2009036\u2009854\u2009775\u2009808",
	} {
		if got := report.Count(n); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
	if one, many := report.Plural(1, "file"), report.Plural(1204, "file"); one != "1 file" || many != "1\u2009204 files" {
		t.Errorf("Plural: %q, %q", one, many)
	}
	if many := report.Plural(2, "batch"); many != "2 batches" {
		t.Errorf("Plural: %q", many)
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]string{
		"0s": "0 ms", "400us": "0 ms", "340ms": "340 ms", "999.4ms": "999 ms", "999.6ms": "1 s", "1.34s": "1.3 s", "59.94s": "59.9 s",
		"59.96s": "1 m 00 s", "124s": "2 m 04 s", "3599.6s": "1 h 00 m", "3h5m20s": "3 h 05 m", "51h": "2 d 03 h", "-3s": "-3 s",
	} {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := report.Duration(d); got != want {
			t.Errorf("Duration(%s) = %q, want %q", text, got, want)
		}
	}
}

func TestPath(t *testing.T) {
	for _, c := range []struct {
		path  string
		width int
		want  string
	}{
		{"landing/orders/a.csv", 20, "landing/orders/a.csv"},
		{"landing/orders/2026/10/02/orders_2026-10-02.parquet", 40, "landing/order…/orders_2026-10-02.parquet"},
		{"landing/orders/orders_2026-10-02.parquet", 10, "…/orders_2026-10-02.parquet"},
		{"orders_2026-10-02.parquet", 10, "orders_2026-10-02.parquet"},
		{"日本語のフォルダ/データ.csv", 18, "日本語…/データ.csv"},
	} {
		if got := report.Path(c.path, c.width); got != c.want {
			t.Errorf("Path(%q, %d) = %q, want %q", c.path, c.width, got, c.want)
		}
	}
}

// A path keeps its file name, and its width where the name allows.
func TestPathProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.StringMatching(`[a-zü日.-]{1,12}`), 1, 6).Draw(t, "parts")
		path, width := strings.Join(parts, "/"), rapid.IntRange(1, 60).Draw(t, "width")
		got, name := report.Path(path, width), parts[len(parts)-1]
		if !strings.HasSuffix(got, name) {
			t.Fatalf("Path(%q, %d) = %q lost the name", path, width, got)
		}
		if report.Width(got) > max(width, report.Width(name)+2) {
			t.Fatalf("Path(%q, %d) = %q is too wide", path, width, got)
		}
	})
}

func TestClean(t *testing.T) {
	if got, want := report.Clean("a\x1b[31m\r\n\tb\u202e日"), `a\u001b[31m\r\n\tb\u202e日`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPaint(t *testing.T) {
	if got := report.Paint("x", report.Bad, false); got != "x" {
		t.Errorf("without colour: %q", got)
	}
	if got := report.Paint("x", report.Bad, true); got != "\x1b[31mx\x1b[0m" {
		t.Errorf("with colour: %q", got)
	}
}

func TestTable(t *testing.T) {
	drift := [][]string{
		{"+ column added", "ship_region", "orders_2026-10-02.parquet", report.Count(8114), "added (policy)"},
		{"~ value does not fit", "amount", "orders_2026-10-05.csv:118", "12", `rescued (int → "12,50")`},
		{"! file unreadable", "–", "orders_2026-10-07.parquet", "–", "quarantined (truncated at 1 048 576)"},
	}
	driftHead := []string{"drift", "column", "first seen in", "rows", "decided"}
	files := [][]string{
		{"landing/orders/2026/10/02/part-00000-2abbde89-2d0f-465e.snappy.parquet", report.Bytes(1_200_000_000), "landed", "日本語"},
		{"landing/orders/a.csv", report.Bytes(12), "quarantined", "a\nb\x1b[31m"},
		{"2026/x.csv", report.Bytes(412_000), "", "short row"},
	}
	filesHead := []string{"file", "size", "fate", "注"}
	wide := [][]string{{"1", "a text that is much too long for any line of a terminal", "x", "y"}, {"-2.50", "NULL", "1/2 of it", "z"}}
	wideHead := []string{"amount", "text", "third column", "fourth column"}
	tones := func(row, column int) report.Tone {
		if column == 2 && row == 1 {
			return report.Look
		}
		return report.Plain
	}
	for name, got := range map[string]string{
		"plain":    report.Table(driftHead, drift, report.Layout{}),
		"indented": report.Table(driftHead, drift, report.Layout{Indent: 2, Width: 80}),
		"files":    report.Table(filesHead, files, report.Layout{Width: 80}),
		"narrow":   report.Table(filesHead, files, report.Layout{Width: 60}),
		"cut":      report.Table(wideHead, wide, report.Layout{Width: 50}),
		"columns":  report.Table(wideHead, wide, report.Layout{Width: 30}),
		"colour":   report.Table(filesHead, files, report.Layout{Width: 80, Colour: true, Tone: tones}),
		"empty":    report.Table([]string{"a", "b"}, nil, report.Layout{}),
	} {
		golden(t, filepath.Join("testdata", "table-"+name+".txt"), got)
	}
}

// No line is wider than asked, but for file names.
func TestTableWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 6).Draw(t, "columns")
		cell := rapid.StringMatching(`[a-z0-9 日]{0,40}`)
		head := rapid.SliceOfN(cell, columns, columns).Draw(t, "head")
		rows := rapid.SliceOfN(rapid.SliceOfN(cell, columns, columns), 0, 4).Draw(t, "rows")
		width := rapid.IntRange(20, 100).Draw(t, "width")
		for line := range strings.Lines(report.Table(head, rows, report.Layout{Width: width})) {
			if report.Width(strings.TrimSuffix(line, "\n")) > width {
				t.Fatalf("wider than %d: %q", width, line)
			}
		}
	})
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s:\n%s\nwant:\n%s", path, got, want)
	}
}
