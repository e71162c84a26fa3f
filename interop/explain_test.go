//go:build interop

package interop

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"landfall/internal/failure"
)

// TestExplain provokes the errors of readers over folders that they stumble over: each is
// recognised, and names no other file or column than the folder has. Then it does what the
// catalogue says to do: the read works, with the rows that are in the files.
func TestExplain(t *testing.T) {
	root := filepath.Join(t.TempDir(), "new drop")
	python(t, "lake", filepath.Join("peers", "stumbles.py"), root)
	if t.Failed() {
		return
	}
	known, err := failure.Load()
	if err != nil {
		t.Fatal(err)
	}
	e := explaining{known, root}
	for _, peer := range [][2]string{
		{"lake", "arrow"},
		{"lake", "pandas"},
		{"lake", "polars"},
		{"lake", "duckdb"},
		{"lake", "deltalake"},
		{"spark41", "spark"},
		{"spark35", "spark"},
		{"spark41", "delta"},
	} {
		t.Run(strings.Join(peer[:], "-"), func(t *testing.T) {
			e.provoked(t, e.run(t, peer, "provoke.py"))
			if peer[1] != "deltalake" {
				e.mended(t, e.run(t, peer, "mend.py"))
			}
		})
	}
}

// explaining is the catalogue over the folders.
type explaining struct {
	known *failure.Catalogue
	root  string
}

// run returns the cases that a script prints.
func (e explaining) run(t *testing.T, peer [2]string, script string) []string {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("peers", script))
	if err != nil {
		t.Fatal(err)
	}
	jars, err := filepath.Abs(filepath.Join(cache(), "jars41"))
	if err != nil {
		t.Fatal(err)
	}
	program, err := filepath.Abs(filepath.Join(cache(), peer[0], "bin", "python"))
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "-B", script, peer[1], e.root)
	c.Dir, c.Env = t.TempDir(), append(os.Environ(), "TZ=UTC", "JARS="+jars, "PYTHONIOENCODING=utf-8")
	var noise strings.Builder
	c.Stderr = &noise
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", peer, err, noise.String())
	}
	return strings.Split("\n"+string(out), "\n=== ")[1:]
}

// only returns what is recognised in a text, if it is one failure.
func (e explaining) only(t *testing.T, text string) (failure.Finding, bool) {
	t.Helper()
	r, err := e.known.Scan(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 1 {
		return failure.Finding{}, false
	}
	return r.Findings[0], true
}

// provoked checks errors against what is known of their folders.
func (e explaining) provoked(t *testing.T, cases []string) {
	t.Helper()
	for _, c := range cases {
		head, text, _ := strings.Cut(c, "\n")
		is := strings.Split(head, "|")
		if len(is) != 4 {
			t.Errorf("%s: no error", head)
			continue
		}
		name, file, column := strings.TrimSpace(is[1]), strings.TrimSpace(is[2]), strings.TrimSpace(is[3])
		f, ok := e.only(t, text)
		switch found := "/" + strings.TrimLeft(strings.TrimPrefix(f.File, "file:"), "/"); {
		case !ok || f.Failure.Name != name:
			t.Errorf("%s: found %+v, want %s in\n%s", head, f, name, text)
		case f.File != "" && file != "*" && !strings.HasSuffix(file, found):
			t.Errorf("%s: found the file %q, want %q", head, f.File, file)
		case f.Column != "" && f.Column != column:
			t.Errorf("%s: found the column %q, want %q", head, f.Column, column)
		}
	}
	t.Logf("%d errors", len(cases))
}

// mended checks that fixes are those of the catalogue, and that they helped.
func (e explaining) mended(t *testing.T, cases []string) {
	t.Helper()
	for _, c := range cases {
		head, text, _ := strings.Cut(c, "\n")
		is := strings.SplitN(head, " ", 4)
		if wrong := strings.Index("\n"+text, "\n--- "); wrong >= 0 {
			t.Errorf("%s: %s", head, text[wrong:])
			continue
		}
		f, ok := e.only(t, text)
		if !ok || f.Failure.Name != is[1] {
			t.Errorf("%s: found %+v in\n%s", head, f, text)
			continue
		}
		n, err := strconv.Atoi(is[2])
		if err != nil || n > len(f.Failure.Fixes) || !strings.Contains(f.Failure.Fixes[n-1].Text+f.Failure.Fixes[n-1].Command, is[3]) {
			t.Errorf("%s: no such fix in the catalogue (%v)", head, err)
		}
	}
	t.Logf("%d fixes", len(cases))
}
