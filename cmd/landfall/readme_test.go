package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadme types what the README shows, and compares what it says of the
// answers: … stands for anything, and so does the time that a run took.
func TestReadme(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, dir := t.TempDir(), t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "landfall")); err != nil {
		t.Fatal(err)
	}
	var console strings.Builder
	for _, m := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		console.WriteString(m[1])
	}
	steps := strings.Split("\n"+console.String(), "\n$ ")[1:]
	if len(steps) < 5 {
		t.Fatalf("the page has %d commands", len(steps))
	}
	for _, step := range steps {
		command, want, _ := strings.Cut(step, "\n")
		c := exec.CommandContext(t.Context(), "sh", "-c", command)
		c.Dir = dir
		c.Env = append(os.Environ(), asProgram+"=1", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		got, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, got)
		}
		if want != "" && !shownAs(want).Match(got) {
			t.Errorf("%s: found\n%s\nwant\n%s", command, got, want)
		}
	}
}

// shownAs is the pattern of answers that a page shows as text.
func shownAs(text string) *regexp.Regexp {
	pattern := regexp.QuoteMeta(strings.TrimSuffix(text, "\n"))
	pattern = regexp.MustCompile(`\d+ ms`).ReplaceAllString(pattern, `\S+ \S+`)
	return regexp.MustCompile(`^(?s:` + strings.ReplaceAll(pattern, "…", ".*") + `)\n?$`)
}
