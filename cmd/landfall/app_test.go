package main

import (
	"bytes"
	"errors"
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
