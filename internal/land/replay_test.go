package land_test

import (
	"strings"
	"testing"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/hint"
	"landfall/internal/land"
	"landfall/internal/state"
	"landfall/internal/store/fault"
)

// replays replays, which must succeed and leave what is wanted.
func (l *landed) replays(c land.Choice) land.Report {
	l.t.Helper()
	p := l.next()
	r, err := land.Replay(l.t.Context(), p.source(), p.env(), c)
	if err == nil {
		err = l.check(l.t.Context())
	}
	if err != nil {
		l.t.Fatalf("replay: %v", err)
	}
	return r
}

// What was rescued lands under the contract that took it up since, once.
func TestReplayRescued(t *testing.T) {
	l := afterDays(t, 0, scene{policy: contract.Policy{Preset: contract.RescueMode}})
	l.put("a.csv", "id,n\na1,1\na2,2\n")
	l.lands()
	l.put("b.csv", "id,n,city\nb1,3,Oslo\nb2,4,\n")
	if r := l.lands(); r.Batches[0].ValuesRescued != 1 || l.entry("b.csv").Rescued != 1 {
		t.Fatalf("found %+v, want one value rescued", r.Batches)
	}
	p := l.next()
	_, err := land.Revise(t.Context(), p.source(), p.env(), land.Revision{})
	ok(t, err)
	l.policy = contract.Policy{}
	l.put("c.csv", "id,n,city\nc1,5,Rome\n")
	l.lands()
	for _, c := range []land.Choice{{Quarantined: true}, {First: 3}, {Last: 1}, {Column: "town"}, {Since: noon().AddDate(0, 0, 1)}} {
		if r := l.replays(c); len(r.Batches) > 0 || len(r.Notes) == 0 {
			t.Errorf("%+v: found %+v, want nothing but a note", c, r.Batches)
		}
	}
	r := l.replays(land.Choice{Column: "City"})
	if b := r.Batches; len(b) != 1 || b[0].Files != 1 || b[0].RowsLanded != 2 || b[0].RowsRemoved != 2 || b[0].ValuesRescued != 0 {
		t.Errorf("found %+v, want b.csv to land again", b)
	}
	if want := (land.Replayed{Files: 1, RescuedBefore: 1}); *r.Replayed != want {
		t.Errorf("found %+v, want %+v", *r.Replayed, want)
	}
	if e := l.entry("b.csv"); e.Rescued != 0 || e.Landed != r.Batches[0].Batch {
		t.Errorf("found %+v, want nothing rescued of it", e)
	}
	if r := l.replays(land.Choice{}); len(r.Batches) > 0 {
		t.Errorf("found %+v, want nothing left to replay", r.Batches)
	}
}

// A file in quarantine lands once the policy that kept it out is another.
func TestReplayQuarantined(t *testing.T) {
	l := afterDays(t, 1, scene{})
	l.put("x.csv", "other,feed\n1,2\n", nil)
	l.lands()
	l.settled("x.csv", state.Quarantined, diag.FileForeign)
	l.policy.Kinds = map[contract.Kind]string{event.FileForeign: "land"}
	l.want["x.csv"] = []map[string]int{{"": 1}}
	if r := l.replays(land.Choice{Quarantined: true}); len(r.Batches) != 1 || r.Batches[0].RowsLanded != 1 {
		t.Errorf("found %+v, want the row of x.csv", r.Batches)
	}
}

// A replay of all objects makes the table that landing all at once makes: its
// types, names and order of columns too. Hints stay in force.
func TestReplayAll(t *testing.T) {
	hints, err := hint.Parse("n DOUBLE")
	ok(t, err)
	for name, policy := range map[string]contract.Policy{"": {}, "hinted": {Hints: hints}} {
		l, once := afterDays(t, 3, scene{limits: land.Limits{Files: 1}, policy: policy}), afterDays(t, 0, scene{policy: policy})
		for n := range 3 {
			once.day(n)
		}
		once.lands()
		l.replays(land.Choice{All: true})
		if got, want := l.typesOf(), once.typesOf(); got != want {
			t.Errorf("%s: found %s, want %s", name, got, want)
		}
	}
}

// A file that is gone cannot land again: all or nothing.
func TestReplayMissing(t *testing.T) {
	l := afterDays(t, 2, scene{limits: land.Limits{Files: 1}})
	ok(t, l.files.Delete(t.Context(), "c.csv"))
	p := l.next()
	_, err := land.Replay(t.Context(), p.source(), p.env(), land.Choice{All: true})
	if diag.CodeOf(err) != diag.ReplaceRefused {
		t.Fatalf("found %v, want %s", err, diag.ReplaceRefused)
	}
	ok(t, l.check(t.Context()))
	if d := l.reread("c.csv"); d.Decision != "give the replay up" || d.To == "" || !strings.Contains(d.Hint, "landfall replay") {
		t.Errorf("found %+v, want an event", d)
	}
}

// A file that has changed since it was chosen is passed over, and an event says so.
func TestReplayPassesOver(t *testing.T) {
	l := afterDays(t, 0, scene{policy: contract.Policy{Preset: contract.RescueMode}})
	l.put("a.csv", "id,n\na1,1\n")
	l.lands()
	l.put("b.csv", "id,n,city\nb1,2,Oslo\n")
	l.lands()
	p := l.next()
	p.data = fault.New(l.data, fault.Plan{Match: creating("batches/"), Before: func() {
		ok(t, l.files.Replace(t.Context(), "b.csv", []byte("id,n\nb9,9\n")))
	}})
	_, err := land.Replay(t.Context(), p.source(), p.env(), land.Choice{})
	ok(t, err)
	if d := l.reread("b.csv"); d.Decision != "pass over" {
		t.Errorf("found %+v, want an event", d)
	}
}

// reread is the last event that says whether a file was read again.
func (l *landed) reread(path string) event.Drift {
	l.t.Helper()
	var last event.Drift
	for e, err := range l.process("").state().Events(l.t.Context()) {
		ok(l.t, err)
		if e.Drift != nil && e.Drift.Kind == event.FileReread && e.Drift.File == path {
			last = *e.Drift
		}
	}
	return last
}

// What waits lands before all files land anew.
func TestReplayAllWaiting(t *testing.T) {
	l := afterDays(t, 1, scene{})
	l.put("a.csv", "id,n\na9,9\n")
	l.put("z.csv", "id,n\nz1,2.5\n")
	if r := l.replays(land.Choice{All: true}); len(r.Batches) != 2 {
		t.Errorf("found %+v, want one batch that lands and one that replays", r.Batches)
	}
	l.wants("struct<id:string,name:string,n:double>")
}
