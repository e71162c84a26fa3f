package diag_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"landfall/internal/diag"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// docs/errors.md holds the table of codes.
func TestErrorsPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Error codes

A message ends with its code in brackets. Codes keep their meaning for ever; a number
that is missing was never released. The exit status is that of a command which this
error ends.

Not every code ends a command. A record or file that goes to quarantine carries a code
as its reason, and the run goes on and ends with 0: E0401 to E0406, E0408, E0409, E0504
and E0507 mostly come that way.

| code | problem | exit status | for example |
|---|---|--:|---|
`)
	for _, c := range diag.Codes() {
		e, _ := diag.Explain(c)
		fmt.Fprintf(&b, "| %s | %s | %d | %s |\n", c, e.Title, e.Exit, e.Example)
	}
	const page = "../../docs/errors.md"
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != b.String() {
		t.Errorf("%s is not up to date: go test ./internal/diag -update", page)
	}
}

// TestRemedies: every code has something to do about it, and only codes have.
func TestRemedies(t *testing.T) {
	for _, c := range diag.Codes() {
		if r := diag.Remedy(c); !strings.HasSuffix(r, ".") {
			t.Errorf("%s: found the remedy %q, want a sentence in remedy.go", c, r)
		}
	}
	if r := diag.Remedy("E0000"); r != "" {
		t.Errorf("found %q for what is no code", r)
	}
}

// A code that no test provokes may not exist in earnest. Tests of this package
// only print them.
func TestEveryCodeIsProvoked(t *testing.T) {
	source, err := os.ReadFile("codes.go")
	if err != nil {
		t.Fatal(err)
	}
	tests := testText(t)
	found := 0
	for _, m := range regexp.MustCompile(`(?m)^\t(\w+) +Code = "(E\d+)"$`).FindAllStringSubmatch(string(source), -1) {
		found++
		if !regexp.MustCompile(`diag\.` + m[1] + `\b|\b` + m[2] + `\b`).MatchString(tests) {
			t.Errorf("no test or script provokes %s (%s)", m[2], m[1])
		}
	}
	if found != len(diag.Codes()) {
		t.Errorf("found %d codes and %d entries", found, len(diag.Codes()))
	}
}

// testText is the text of the tests and scripts of all other packages.
func testText(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, root := range []string{"../../cmd", "../../internal"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && path == filepath.Join("..", "..", "internal", "diag") {
				return fs.SkipDir
			}
			if !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, ".txtar") {
				return nil
			}
			text, err := os.ReadFile(path)
			b.Write(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}
