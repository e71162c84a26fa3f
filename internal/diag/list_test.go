package diag_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"landfall/internal/diag"
)

func TestListIsSortedAndCapped(t *testing.T) {
	var l diag.List
	if l.Err() != nil {
		t.Errorf("an empty list is the error %v", l.Err())
	}
	for i := 12; i > 0; i-- {
		l.Add(diag.New(diag.ProjectKey, "key %d", i).In(diag.Place{File: "p.yaml", Line: int64(i)}))
	}
	if one, ok := l[:1].Err().(*diag.Diagnostic); !ok || one != l[0] { //nolint:errorlint // the error itself is meant
		t.Errorf("a list of one is %v", l[:1].Err())
	}
	err := fmt.Errorf("reading: %w", l.Err())
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 11 || lines[0] != "reading: p.yaml:1: key 1 [E0202]" || lines[10] != "and 2 more" {
		t.Errorf("got %q", lines)
	}
	if diag.CodeOf(err) != diag.ProjectKey || !errors.Is(err, &diag.Diagnostic{Code: diag.ProjectKey}) {
		t.Error("the members of a list cannot be found in it")
	}
}

func TestMerge(t *testing.T) {
	var l, many diag.List
	many.Add(diag.New(diag.Usage, "b"))
	many.Add(diag.New(diag.Usage, "c"))
	for _, err := range []error{nil, diag.New(diag.Usage, "a"), many.Err(), errors.New("d")} {
		l.Merge(err)
	}
	var got []string
	for _, d := range l {
		got = append(got, d.Message)
	}
	if strings.Join(got, "") != "abcd" {
		t.Errorf("got %q", got)
	}
}

func TestNearest(t *testing.T) {
	keys := []string{"sources", "alerts", "flows", "pathGlobFilter", "cloudFiles.format", "sep"}
	for word, want := range map[string]string{
		"sourcs": "sources", "soruces": "sources", "Sources": "sources", "cloudFiles.pathGlobFilter": "pathGlobFilter",
		"format": "cloudFiles.format", "cloudfiles.Fromat": "cloudFiles.format", "banana": "", "sp": "sep", "": "",
	} {
		if got := diag.Nearest(word, keys); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
