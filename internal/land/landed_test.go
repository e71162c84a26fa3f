package land_test

import (
	"errors"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/land"
	"landfall/internal/state"
	"landfall/internal/table"
	"landfall/internal/table/delta"
)

// landed is a world after the first days of the feed. Each landing has a name
// of its own, so that ids never repeat.
type landed struct {
	*world
	t      *testing.T
	runs   int
	writer other
}

func afterDays(t *testing.T, days int, s scene) *landed {
	t.Helper()
	if s.days == nil {
		s.days = feed()
	}
	l := &landed{world: newWorld(s), t: t}
	for n := range days {
		l.day(n)
		l.lands()
	}
	return l
}

// day delivers the files of a day.
func (l *landed) day(n int) {
	l.t.Helper()
	if err := l.deliver(l.t.Context(), n); err != nil {
		l.t.Fatal(err)
	}
}

// put delivers one file, of which want are the rows that should stand in the
// table: its own if there is none given.
func (l *landed) put(name, content string, want ...map[string]int) {
	l.t.Helper()
	if err := l.files.Replace(l.t.Context(), name, []byte(content)); err != nil {
		l.t.Fatal(err)
	}
	if want == nil {
		want = []map[string]int{ids(content)}
	}
	l.want[name] = want
}

func (l *landed) next() process {
	l.runs++
	return l.process(string(rune('a'+l.runs)) + "run-")
}

// lands runs, which must succeed and leave what is wanted.
func (l *landed) lands() land.Report {
	l.t.Helper()
	r, err := l.next().land(l.t.Context())
	if err == nil {
		err = l.check(l.t.Context())
	}
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

func (l *landed) resets(how land.Reset) land.Report {
	l.t.Helper()
	p := l.next()
	p.day.reset = how
	r, err := p.run(l.t.Context())
	if err == nil {
		err = l.check(l.t.Context())
	}
	if err != nil {
		l.t.Fatalf("reset: %v", err)
	}
	return r
}

// refused runs p, which must stop with the code, a place and a hint.
func (l *landed) refused(p process, code diag.Code, place string) {
	l.t.Helper()
	_, err := p.run(l.t.Context())
	var d *diag.Diagnostic
	switch {
	case !errors.As(err, &d):
		l.t.Fatalf("found %v, want a diagnosis", err)
	case d.Code != code || !strings.Contains(d.At.File, place) || d.Hint == "":
		l.t.Fatalf("found %v at %q with hint %q, want code %s at %q and a hint", err, d.At.File, d.Hint, code, place)
	}
	l.t.Log(err)
}

// entry is what the state knows of a path.
func (l *landed) entry(path string) state.Entry {
	l.t.Helper()
	for e, err := range l.process("").state().Known(l.t.Context()) {
		if err != nil {
			l.t.Fatal(err)
		}
		if e.Path == path {
			return e
		}
	}
	return state.Entry{}
}

// settled fails unless a path is known with that fate and code.
func (l *landed) settled(path string, fate state.Fate, code diag.Code) {
	l.t.Helper()
	e := l.entry(path)
	if e.Fate != fate || e.Code != string(code) || code != "" && e.Reason == "" {
		l.t.Errorf("%s: found %q, code %q, reason %q, want %q, code %q", path, e.Fate, e.Code, e.Reason, fate, code)
	}
}

// drop deletes the keys that match.
func (l *landed) drop(match func(key string) bool) {
	l.t.Helper()
	n := 0
	for _, key := range l.data.Keys() {
		if match(key) {
			n++
			if err := l.data.Delete(l.t.Context(), key); err != nil {
				l.t.Fatal(err)
			}
		}
	}
	if n == 0 {
		l.t.Fatal("nothing was there to be deleted")
	}
}

func inState(key string) bool { return strings.HasPrefix(key, stateFolder) }

// other is the other tool that writes to the table.
func (l *landed) other() *other {
	l.writer.data = l.data
	return &l.writer
}

func (l *landed) snapshot() *table.Snapshot {
	l.t.Helper()
	return must[*table.Snapshot](l.t)(delta.Open(l.data, delta.Options{}).Snapshot(l.t.Context()))
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
