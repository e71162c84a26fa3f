package main

import (
	"io/fs"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/project"
)

// A table may lie in the source's folder where the pattern takes none of its
// files.
func TestApart(t *testing.T) {
	for _, c := range []struct {
		pattern, table string
		refused        bool
	}{
		{"", "file:///gl/lake", true},
		{"", "file:///gl", true},
		{"", "file:///glake", false},
		{"", "file:///", false},
		{"*", "file:///gl/lake", true},
		{"*", "file:///gl", true},
		{"*.csv", "file:///gl", false},
		{"*/o", "file:///gl/lake", false},
		{"*/o", "file:///gl/a/o", true},
		{"*/o", "file:///gl/a/o/lake", true},
		{"*/*.csv", "file:///gl/lake", false},
		{"*/*.parquet", "file:///gl/lake", true},
		{"*/*/*", "file:///gl/lake", true},
		{"[a-k]*", "file:///gl/lake", false},
	} {
		var f feed
		if c.pattern != "" {
			g, err := project.ParseGlob(c.pattern)
			if err != nil {
				t.Fatal(err)
			}
			f.takes = &g
		}
		if err := f.apart("file:///gl", c.table); (err != nil) != c.refused {
			t.Errorf("%s, table %s: got %v", c.pattern, c.table, err)
		}
	}
}

func TestProjectThatMayNotBeRead(t *testing.T) {
	err := projectFault("landfall.yaml", &fs.PathError{Op: "open", Path: "landfall.yaml", Err: fs.ErrPermission})
	if diag.CodeOf(err) != diag.NoPermission || err.Error() != "landfall.yaml: the project file may not be read [E0302]" {
		t.Errorf("got %v", err)
	}
}
