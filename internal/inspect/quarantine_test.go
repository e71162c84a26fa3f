package inspect

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"landfall/internal/store"
	"landfall/internal/store/fault"
	"landfall/internal/store/memory"
)

// rejected are files of a folder that nobody can read, by path.
func rejected() map[string][]byte {
	return map[string][]byte{"dt=1/a.parquet": {}, "dt=1/b c%.parquet": []byte("a,b\n1,2\n"), "c.parquet": []byte(`{"a": 1}`)}
}

// mixed is a folder of them and a file that is fine.
func mixed(t *testing.T) *memory.Store {
	t.Helper()
	s, put := folder(t)
	put("good.parquet", made(t, "a: int"))
	for key, data := range rejected() {
		put(key, data)
	}
	return s
}

func aside(from, to store.Store) Quarantine {
	return Quarantine{From: from, To: to, Gate: "g", Now: func() time.Time { return time.Unix(0, 0) }}
}

// puts inspects a folder and puts aside what nobody can read.
func puts(t *testing.T, s store.Store, q Quarantine) (*Report, error) {
	t.Helper()
	r, err := Run(t.Context(), s, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r, q.Put(t.Context(), r, r.Broken())
}

// has tells whether a store has a key of this content.
func has(t *testing.T, s store.Store, key string, want []byte) bool {
	t.Helper()
	got, err := store.Read(t.Context(), s, key)
	if err != nil && !errors.Is(err, store.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil && bytes.Equal(got, want)
}

// Wherever a run breaks off, each file is in the folder or in quarantine, and the
// next run ends what that began: each file is there once, with its note.
func TestQuarantineSweep(t *testing.T) {
	for _, kind := range []fault.Kind{fault.Fail, fault.Ambiguous, fault.Crash} {
		for _, side := range []string{"from", "to"} {
			for at := 0; ; at++ {
				s, to := mixed(t), memory.New(time.Now)
				q, plan := aside(s, to), fault.Plan{Kind: kind, At: at, Fine: true}
				var broken *fault.Store
				if side == "from" {
					broken = fault.New(s, plan)
					q.From = broken
				} else {
					broken = fault.New(to, plan)
					q.To = broken
				}
				_, err := puts(t, s, q)
				if broken.Struck() && kind != fault.Ambiguous && err == nil {
					t.Errorf("kind %d, %s, call %d: no error", kind, side, at)
				}
				for key, data := range rejected() {
					if !has(t, s, key, data) && !has(t, to, key, data) {
						t.Fatalf("kind %d, %s, call %d: %s is lost", kind, side, at, key)
					}
				}
				settled(t, s, to)
				if !broken.Struck() {
					break
				}
			}
		}
	}
}

// settled runs again without faults, and checks that all is as it should be.
func settled(t *testing.T, s, to *memory.Store) {
	t.Helper()
	if _, err := puts(t, s, aside(s, to)); err != nil {
		t.Fatal(err)
	}
	for key, data := range rejected() {
		if has(t, s, key, data) || !has(t, to, key, data) {
			t.Errorf("%s was not moved", key)
		}
		var n note
		text, err := store.Read(t.Context(), to, key+noteEnd)
		if err != nil || json.Unmarshal(text, &n) != nil || n.Path != key || n.Gate != "g" || len(n.Reasons) != 1 || n.Bytes != int64(len(data)) {
			t.Errorf("%s: note %s, %v", key, text, err)
		}
	}
	if keys := to.Keys(); len(keys) != 2*len(rejected()) {
		t.Errorf("quarantine has %q", keys)
	}
	if keys := s.Keys(); len(keys) != 1 {
		t.Errorf("the folder has %q", keys)
	}
}

// A file that is another one than was inspected stays, and what quarantine holds
// under its name is left alone.
func TestQuarantineChanged(t *testing.T) {
	s, to := mixed(t), memory.New(time.Now)
	r, err := Run(t.Context(), s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := to.Create(t.Context(), "dt=1/a.parquet", []byte("of yesterday")); err != nil {
		t.Fatal(err)
	}
	if err := s.Replace(t.Context(), "c.parquet", []byte("new")); err != nil {
		t.Fatal(err)
	}
	if err := aside(s, to).Put(t.Context(), r, r.Broken()); err != nil {
		t.Fatal(err)
	}
	if !has(t, s, "c.parquet", []byte("new")) || strings.Join(r.Changed, " ") != "c.parquet" {
		t.Errorf("a file that changed was moved; changed: %q", r.Changed)
	}
	if !has(t, to, "dt=1/a.parquet", []byte("of yesterday")) || !has(t, to, "dt=1/a~2.parquet", nil) {
		t.Errorf("quarantine has %q", to.Keys())
	}
	// The same file comes once more: it is there already.
	if err := s.Create(t.Context(), "dt=1/a.parquet", nil); err != nil {
		t.Fatal(err)
	}
	before := len(to.Keys())
	if _, err := puts(t, s, aside(s, to)); err != nil {
		t.Fatal(err)
	}
	if got := len(to.Keys()); got != before+2 { // c.parquet, as it is now
		t.Errorf("%d new keys: %q", got-before, to.Keys())
	}
}

// A file that changes while it is copied is not put aside.
func TestQuarantineRace(t *testing.T) {
	s, to := mixed(t), memory.New(time.Now)
	r, err := Run(t.Context(), s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	other := func() {
		if err := s.Replace(t.Context(), "c.parquet", []byte("new")); err != nil {
			t.Error(err)
		}
	}
	q := aside(fault.New(s, fault.Plan{Before: other, Match: func(c fault.Call) bool { return c.Op == fault.Stat && c.Key == "c.parquet" }}), to)
	if err := q.Put(t.Context(), r, r.Broken()); err != nil {
		t.Fatal(err)
	}
	if !has(t, s, "c.parquet", []byte("new")) || strings.Join(r.Changed, " ") != "c.parquet" {
		t.Errorf("changed: %q", r.Changed)
	}
}
