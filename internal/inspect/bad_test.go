package inspect

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/diag"
	"landfall/internal/store"
	"landfall/internal/store/fault"
	"landfall/internal/store/memory"
)

// hit picks the calls of a kind about a key.
func hit(op fault.Op, key string) func(fault.Call) bool {
	return func(c fault.Call) bool { return c.Op == op && c.Key == key }
}

// A file that may not be read is named, and the others are inspected; it is not put
// aside, while those behind it are. A folder that may not be listed is a diagnostic.
func TestPermission(t *testing.T) {
	s := mixed(t)
	forbidden := fault.Plan{Kind: fault.Fail, Times: fault.Forever, Err: store.ErrPermission, Match: hit(fault.Open, "c.parquet")}
	r, err := Run(t.Context(), fault.New(s, forbidden), Options{Readers: true})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(r.Unreadable, func(u Unreadable) bool { return u.Path == "c.parquet" })
	if at < 0 || r.Unreadable[at].Code != diag.NoPermission || r.Files != 1 || len(r.Unreadable) != 3 {
		t.Errorf("%d files, unreadable %+v", r.Files, r.Unreadable)
	}
	for _, p := range r.Predictions {
		if p.File == "c.parquet" {
			t.Errorf("a prediction of a file that was not read: %+v", p)
		}
	}
	to := memory.New(time.Now)
	err = aside(fault.New(s, forbidden), to).Put(t.Context(), r, r.Broken())
	if diag.CodeOf(err) != diag.NoPermission || !strings.Contains(err.Error(), "c.parquet: it cannot be put aside") {
		t.Errorf("put: %v", err)
	}
	if len(r.Quarantined) != 2 {
		t.Errorf("quarantined %+v", r.Quarantined)
	}
	locked := fault.Plan{Kind: fault.Fail, Err: store.ErrPermission, Match: hit(fault.List, "")}
	if _, err = Run(t.Context(), fault.New(s, locked), Options{}); diag.CodeOf(err) != diag.NoPermission {
		t.Errorf("a folder that may not be listed: %v", err)
	}
}

// What changes or goes while the folder is inspected is in no group; what changed was
// not looked at, and closes every gate.
func TestMoving(t *testing.T) {
	s, put := folder(t)
	put("a.parquet", made(t, "a: int"))
	put("b.parquet", made(t, "a: int"))
	put("c.parquet", made(t, "a: int"))
	change := func() { // between the listing and the first file
		if err := errors.Join(s.Replace(t.Context(), "b.parquet", made(t, "a: string")), s.Delete(t.Context(), "c.parquet")); err != nil {
			t.Error(err)
		}
	}
	r, err := Run(t.Context(), fault.New(s, fault.Plan{Before: change, Match: hit(fault.Open, "a.parquet")}), Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Files != 1 || len(r.Groups) != 1 || strings.Join(r.Changed, " ") != "b.parquet c.parquet" {
		t.Errorf("%d files, changed %q", r.Files, r.Changed)
	}
	g, err := ParseGate("g", []byte("a int"))
	if err != nil {
		t.Fatal(err)
	}
	v := r.Hold(g)
	if len(v.Offences) != 1 || v.Offences[0].Files[0] != "b.parquet" || v.Outcome != GateClosed {
		t.Errorf("gate %+v", v)
	}
	to := memory.New(time.Now)
	if err := aside(s, to).Put(t.Context(), r, v.Offences); err != nil || len(to.Keys()) != 0 {
		t.Errorf("put aside %q, %v", to.Keys(), err)
	}
	if r, err = Run(t.Context(), s, Options{}); err != nil || len(r.Changed) != 0 || len(r.Groups) != 2 {
		t.Errorf("again: %+v, %v", r, err)
	}
}

// Names of files are bytes: whatever they are, files are found, and put aside under
// the same names.
func TestOddNames(t *testing.T) {
	s, put := folder(t)
	names := []string{"sp ace.parquet", "per%20cent.parquet", "new\nline.parquet", "ünï.parquet", "q\"uote'.parquet", "dt=1%2F2 x/a.parquet", "no extension", "a~2.parquet", "a.parquet"}
	for _, name := range names {
		put(name, []byte("PAR1 of "+name))
	}
	to := memory.New(time.Now)
	r, err := puts(t, s, aside(s, to))
	if err != nil || len(r.Quarantined) != len(names) || len(s.Keys()) != 0 {
		t.Errorf("put aside %+v, %v", r.Quarantined, err)
	}
	for _, name := range names {
		if !has(t, to, name, []byte("PAR1 of "+name)) {
			t.Errorf("%q is not in quarantine", name)
		}
	}
}
