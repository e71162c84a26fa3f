package land_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/hint"
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

// byFeature has types widen in the table's files as they are.
func byFeature() contract.Policy {
	return contract.Policy{Kinds: map[contract.Kind]string{event.TypeWider: contract.ByFeature}}
}

// Where the policy wants it and readers can be told, no file is written again: the
// table says what its types were.
func TestWidenInPlace(t *testing.T) {
	l := afterDays(t, 0, scene{policy: byFeature(), tree: true})
	l.put("a.json", `{"id":"a1","n":1,"d":1.25,"o":{"x":1.5,"l":[{"m":0.5}]}}`+"\n")
	l.policy.Hints = hintsOf(t, "n int, d decimal(3,2), o struct<x:decimal(2,1),l:array<struct<m:decimal(1,1)>>>")
	l.limits.Rewrite = 1
	l.lands()
	was := slices.Collect(maps.Keys(l.snapshot().Files()))
	if p := l.snapshot().Protocol; p.MinReader != 1 || p.MinWriter != 2 {
		t.Errorf("found %+v before anything widened", p)
	}
	l.policy.Hints = hintsOf(t, "n bigint, d decimal(5,2), o struct<x:decimal(4,2),l:array<struct<m:decimal(3,2)>>>")
	l.put("b.json", `{"id":"b1","n":3000000000,"d":125.25,"o":{"x":10.25,"l":[{"m":1.25}]}}`+"\n")
	r := l.lands()
	l.wants("struct<id:string,n:bigint,d:decimal(5,2),o:struct<x:decimal(4,2),l:array<struct<m:decimal(3,2)>>>>")
	if d := drift(r, event.TypeWider, "n"); d.Decision != "feature" || d.From != "int" || d.To != "bigint" || d.Hint != "" {
		t.Errorf("found %+v", d)
	}
	for _, key := range was {
		if _, live := l.snapshot().Files()[key]; !live {
			t.Errorf("%s is gone", key.Path)
		}
	}
	snap := l.snapshot()
	if p := snap.Protocol; p.MinReader != 3 || p.MinWriter != 7 || fmt.Sprint(p.ReaderFeatures, p.WriterFeatures) != "[typeWidening] [appendOnly invariants typeWidening]" || snap.Config["delta.enableTypeWidening"] != "true" {
		t.Errorf("found %+v, %v", p, snap.Config)
	}
	text, err := snap.Schema.JSON()
	ok(t, err)
	for _, change := range []string{
		`"delta.typeChanges":[{"fromType":"integer","toType":"long"}]`,
		`"delta.typeChanges":[{"fromType":"decimal(3,2)","toType":"decimal(5,2)"}]`,
		`"delta.typeChanges":[{"fromType":"decimal(1,1)","toType":"decimal(3,2)"}]`,
	} {
		if !strings.Contains(string(text), change) {
			t.Errorf("found %s\nwant %s", text, change)
		}
	}
	l.fits()
	l.policy.Hints = hintsOf(t, "")
}

// A table that only grows takes types that widen in place.
func TestWidenWhatOnlyGrows(t *testing.T) {
	l := afterDays(t, 0, scene{policy: byFeature()})
	l.policy.Hints = hintsOf(t, "n int")
	l.put("a.csv", "id,n\na1,1\n")
	l.lands()
	ok(t, l.other().set(t.Context(), "delta.appendOnly", "true"))
	l.policy.Hints = hintsOf(t, "n bigint")
	l.put("b.csv", "id,n\nb1,3000000000\n")
	l.lands()
	l.wants("struct<id:string,n:bigint>")
	l.policy.Hints = hintsOf(t, "n double")
	l.put("c.csv", "id,n\nc1,2.5\n")
	if d := drift(l.lands(), event.HintHeld, "n"); d.Decision != "hold" {
		t.Errorf("found %+v", d)
	}
	l.wants("struct<id:string,n:bigint>")
}

// What readers would not take for the wider type is written again, and the event says
// why; then nothing is left to tell of the column.
func TestWidenBesideFeature(t *testing.T) {
	l := afterDays(t, 0, scene{policy: byFeature(), tree: true})
	l.policy.Hints = hintsOf(t, "n int")
	l.put("a.json", `{"id":"a1","n":1,"m":1,"o":{"p":1,"q":1.5}}`+"\n")
	l.lands()
	l.policy.Hints = hintsOf(t, "n bigint")
	l.put("b.json", `{"id":"b1","n":2}`+"\n")
	l.lands()
	l.policy.Hints = hintsOf(t, "n double")
	l.put("c.json", `{"id":"c1","n":0.5,"m":2.5,"o":{"p":2.5,"q":1}}`+"\n")
	r := l.lands()
	l.wants("struct<id:string,n:double,m:double,o:struct<p:double,q:double>>")
	for _, column := range []string{"n", "m", "o.p"} {
		if d := drift(r, event.TypeWider, column); d.Decision != "widen" || !strings.Contains(d.Hint, "reads no bigint as double") {
			t.Errorf("%s: found %+v", column, d)
		}
	}
	text, err := l.snapshot().Schema.JSON()
	ok(t, err)
	if strings.Contains(string(text), "typeChanges") {
		t.Errorf("found %s, want nothing of types that no file has", text)
	}
	l.fits()
	l.limits.Rewrite = 1
	l.policy.Hints = hintsOf(t, "n double")
	l.put("d.json", `{"id":"d1","new":1}`+"\n")
	l.lands()
	l.put("e.json", `{"id":"e1","new":2.5}`+"\n")
	if d := drift(l.lands(), event.TypeWider, "new"); d.Decision != "hold" || !strings.Contains(d.Hint, "maxRewriteBytes=") {
		t.Errorf("found %+v", d)
	}
}

func hintsOf(t *testing.T, text string) hint.Set {
	t.Helper()
	h, err := hint.Parse(text)
	ok(t, err)
	return h
}

// Rows of files that are narrower than the table are taken out, replayed and given
// what was rescued of them, as rows of any file.
func TestNarrowFiles(t *testing.T) {
	l := afterDays(t, 0, scene{policy: byFeature()})
	l.policy.Hints = hintsOf(t, "n int")
	l.put("a.csv", "id,n\na1,1\na2,5000000000\n")
	l.put("b.csv", "id,n\nb1,2\nb2,3\n")
	l.put("c.csv", "id,n\nc1,4\nc2,6000000000\n")
	if r := l.lands(); r.Batches[0].ValuesRescued != 2 {
		t.Errorf("found %+v", r.Batches)
	}
	l.policy.Hints = hintsOf(t, "n bigint")
	l.put("d.csv", "id,n\nd1,7000000000\n")
	l.lands()
	l.wants("struct<id:string,n:bigint>")
	l.put("b.csv", "id,n\nb1,8000000000\n") // what stays of the file is copied
	l.lands()
	l.fits()
	l.loses("a.csv")
	l.replays(land.Choice{}) // c from its file, a from what was rescued
	l.fits()
	if got := strings.Join(slices.Sorted(slices.Values(l.values(t, "n"))), " "); got != "1 4 5000000000 6000000000 7000000000 8000000000" {
		t.Errorf("found %s", got)
	}
}
