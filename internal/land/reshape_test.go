package land_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/land"
	"landfall/internal/value"
)

// A column whose values turn out to be of a wider type becomes that type, rows that
// landed before included, in the commit that lands the batch.
func TestWiden(t *testing.T) {
	l := afterDays(t, 0, scene{})
	l.put("a.csv", "id,n,m\na1,1,x\na2,,y\n")
	l.lands()
	l.put("b.csv", "id,n\nb1,2.5\n")
	r := l.lands()
	l.wants("struct<id:string,n:double,m:string>")
	if d := drift(r, event.TypeWider, "n"); d.Decision != "widen" || d.From != "bigint" || d.To != "double" || d.File != "b.csv" || d.Record != 1 {
		t.Errorf("found %+v", d)
	}
	if b := r.Batches; len(b) != 1 || b[0].ValuesRescued != 0 || b[0].RowsLanded != 1 || b[0].RowsRemoved != 0 {
		t.Errorf("found %+v, want one row, and none taken out", b)
	}
	if got := strings.Join(slices.Sorted(slices.Values(l.values(t, "n"))), " "); got != " 1 2.5" {
		t.Errorf("found %s", got)
	}
}

// What a bigint column had that no double is keeps it: the values are rescued.
func TestWidenInexact(t *testing.T) {
	l := afterDays(t, 0, scene{})
	l.put("a.csv", "id,n\na1,9007199254740993\n")
	l.lands()
	l.put("b.csv", "id,n\nb1,2.5E-3\n")
	r := l.lands()
	l.wants("struct<id:string,n:bigint>")
	if b := r.Batches; b[0].ValuesRescued != 1 {
		t.Errorf("found %+v, want the value rescued", b)
	}
}

// Standing rows that may not be written again hold the change, and the event says
// why.
func TestWidenHeld(t *testing.T) {
	l := afterDays(t, 0, scene{})
	l.put("a.csv", "id,n\na1,1\n")
	l.lands()
	l.put("b.csv", "id,n\nb1,2.5\n")
	l.limits.Rewrite = 10
	r := l.lands()
	l.wants("struct<id:string,n:bigint>")
	d := drift(r, event.TypeWider, "n")
	if d.Decision != "hold" || r.Batches[0].ValuesRescued != 1 || !strings.Contains(d.Hint, "maxRewriteBytes=") {
		t.Errorf("found %+v of %+v", d, r.Batches)
	}
	l.policy.Kinds = map[contract.Kind]string{event.TypeWider: "rescue"}
	l.put("c.csv", "id,n\nc1,3.5\n")
	if r = l.lands(); r.Batches[0].ValuesRescued != 1 {
		t.Errorf("found %+v, want the value rescued", r.Batches)
	}
	// Replayed from the start, the type is what all values want.
	l.policy.Kinds = nil
	l.replays(land.Choice{All: true})
	l.wants("struct<id:string,n:double>")
}

// Values of others count as much as ours: one that is no double holds the change.
func TestWidenForeign(t *testing.T) {
	l := afterDays(t, 0, scene{})
	l.put("a.csv", "id,n\na1,1\n")
	l.lands()
	ok(t, l.other().insertLong(t.Context(), "x1", 9007199254740993))
	l.want[""] = []map[string]int{{"x1": 1}}
	l.put("b.csv", "id,n\nb1,2.5\n")
	r := l.lands()
	l.wants("struct<id:string,n:bigint>")
	if d := drift(r, event.TypeWider, "n"); d.Decision != "hold" || r.Batches[0].ValuesRescued != 1 {
		t.Errorf("found %+v of %+v", d, r.Batches)
	}
}

// A day begins in the zone of the source, in rows that stand as in those that come.
func TestWidenDays(t *testing.T) {
	l := afterDays(t, 0, scene{forms: &value.Forms{Zone: time.FixedZone("", 3600)}})
	l.put("a.csv", "id,d\na1,2026-01-01\n")
	l.lands()
	l.wants("struct<id:string,d:date>")
	l.put("b.csv", "id,d\nb1,2026-01-01\nb2,2026-01-01 00:00:00\n")
	l.lands()
	l.wants("struct<id:string,d:timestamp>")
	for _, v := range l.values(t, "d") {
		if v != "2025-12-31T23:00:00Z" && v != "2025-12-31 23:00:00Z" {
			t.Errorf("found %s, want the first moment of the day in the zone", v)
		}
	}
}
