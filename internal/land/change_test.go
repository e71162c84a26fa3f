package land_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"landfall/internal/diag"
	"landfall/internal/land"
	"landfall/internal/state"
	"landfall/internal/store/fault"
)

// Files change between the listing and the end of their reading. Whatever
// happens, every version that stays lands whole, once.
func TestFilesChange(t *testing.T) {
	const old = "id,name\na1,Ann\na2,Bo\n"
	changes := map[string]struct {
		change func(file string) error
		want   string // what stands in the table when all is quiet again
	}{
		"vanishes": {os.Remove, ""},
		"grows": {func(file string) error {
			f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString("a3,Cy\n")
			return errors.Join(err, f.Close())
		}, old + "a3,Cy\n"},
		"is cut": {func(file string) error { return os.Truncate(file, int64(len("id,name\na1,Ann\n"))) }, "id,name\na1,Ann\n"},
		"is written over": {func(file string) error {
			return errors.Join(os.WriteFile(file, []byte("id,name\nb1,Di\nb2,Ed\n"), 0o600), later(file))
		}, "id,name\nb1,Di\nb2,Ed\n"},
		"is replaced": {func(file string) error {
			next := file + ".next"
			return errors.Join(os.WriteFile(next, []byte("id,name\nb1,Di\n"), 0o600), os.Rename(next, file))
		}, "id,name\nb1,Di\n"},
	}
	for name, c := range changes {
		for i := 0; ; i++ {
			if !changeAt(t, name, i, old, c.want, c.change) {
				break
			}
		}
	}
}

// later makes sure that the modification time tells.
func later(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	return os.Chtimes(file, time.Time{}, info.ModTime().Add(time.Second))
}

// changeAt lands with a change of a.csv before call i to the source; struck
// tells whether there was such a call.
func changeAt(t *testing.T, name string, i int, old, want string, change func(string) error) (struck bool) {
	t.Helper()
	dir := t.TempDir()
	p, err := localProcess("first-", dir)
	ok(t, err)
	p.limits = land.Limits{}
	file := filepath.Join(dir, "in", "a.csv")
	ok(t, p.files.Replace(t.Context(), "a.csv", []byte(old)))
	ok(t, p.files.Replace(t.Context(), "z.csv", []byte("id,name\nz1,Zoe\n")))
	files := fault.New(p.files, fault.Plan{At: i, Fine: true, Before: func() { ok(t, change(file)) }})
	again := p
	p.files = files
	if _, err := p.land(t.Context()); err != nil {
		t.Fatalf("%s, call %d: %v", name, i, err)
	}
	if !files.Struck() {
		return false
	}
	got, err := rows(t.Context(), again.files, again.data)
	ok(t, err)
	// Now it may be there in one version, the other, or not yet.
	if n := len(got["a.csv"]); n > 0 && !maps.Equal(got["a.csv"], ids(old)) && !maps.Equal(got["a.csv"], ids(want)) {
		t.Errorf("%s, call %d: found %v, want one version of the file", name, i, got["a.csv"])
	}
	again.name = "second-"
	_, err = again.land(t.Context())
	ok(t, err)
	got, err = rows(t.Context(), again.files, again.data)
	ok(t, err)
	right := maps.Equal(got["a.csv"], ids(want))
	if want == "" { // it may have been read before it went
		right = right || maps.Equal(got["a.csv"], ids(old))
	}
	if !right || got["z.csv"]["z1"] != 1 {
		t.Errorf("%s, call %d: found %v in the end", name, i, got)
	}
	return true
}

// A version that went before it was read and came back lands: it was never
// settled.
func TestComesBack(t *testing.T) {
	l := afterDays(t, 1, scene{})
	l.day(1)
	away := l.files.Clone()
	p := l.next()
	p.data = fault.New(l.data, fault.Plan{
		Match:  func(c fault.Call) bool { return c.Op == fault.Create && strings.Contains(c.Key, "batches/") },
		Before: func() { ok(t, l.files.Delete(t.Context(), "c.csv")) },
	})
	r, err := p.land(t.Context())
	ok(t, err)
	if r.Batches[0].RowsIn != 0 {
		t.Errorf("found %d rows in, want none of a file that is gone", r.Batches[0].RowsIn)
	}
	l.files = away
	l.lands()
	l.settled("c.csv", state.Landed, "")
}

// A source that takes only what comes later, over a folder that is empty at
// first.
func TestNewOnlyFromNothing(t *testing.T) {
	l := afterDays(t, 0, scene{newOnly: true})
	_, err := l.next().land(t.Context())
	ok(t, err)
	l.put("a.csv", "id\na1\n")
	l.lands()
	p := l.next()
	src := p.source()
	src.Format = ""
	if _, err := land.Run(t.Context(), src, p.env()); diag.CodeOf(err) != diag.NoFormat {
		t.Errorf("without a format: found %v, want %s", err, diag.NoFormat)
	}
}
