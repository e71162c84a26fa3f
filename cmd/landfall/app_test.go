package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// full is a disk without room.
type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestOutputFails: a document that could not be written is an error of the
// command, or a program that reads it would take half an answer for a whole.
func TestOutputFails(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"version", "--json"}} {
		var stderr bytes.Buffer
		if code := run(args, full{}, &stderr); code != 1 || !strings.Contains(stderr.String(), errFull.Error()) {
			t.Errorf("%v: found status %d and %q", args, code, stderr.String())
		}
	}
}

// TestLongNames: a header is what a file says it is, and a line for people stays
// one that they can read.
func TestLongNames(t *testing.T) {
	dir := t.TempDir()
	in, table := filepath.Join(dir, "in"), filepath.Join(dir, "table")
	long := strings.Repeat("long name ", 10_000)
	if err := os.Mkdir(in, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct{ name, text string }{
		{"a.csv", "id," + long + "1\n1,a\n"},
		{"b.csv", "id," + long + "2\n1,b\n"},
		{"c.csv", long + "3\n1,b\n"},
	} {
		if err := os.WriteFile(filepath.Join(in, f.name), []byte(f.text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"land", in, table},
			{"events", "--table", table},
			{"files", "--table", table},
			{"files", "--table", table, "--quarantined"},
		} {
			var stdout, stderr bytes.Buffer
			if code := run(args, &stdout, &stderr); code != 0 {
				t.Fatalf("%v: status %d: %s", args, code, stderr.String())
			}
			for line := range strings.Lines(stdout.String()) {
				if len(line) > 600 {
					t.Errorf("%v: a line of %d bytes: %.100s…", args, len(line), line)
				}
			}
		}
	}
}
