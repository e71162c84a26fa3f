package land_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/hint"
	"landfall/internal/land"
	"landfall/internal/schema"
	"landfall/internal/state"
	"landfall/internal/store/fault"
	"landfall/internal/store/memory"
	"landfall/internal/store/overlay"
	"landfall/internal/table"
)

// typesOf are the columns of the table with their types, ours at the end left out.
func (l *landed) typesOf() string {
	l.t.Helper()
	var s schema.Struct
	for _, f := range l.snapshot().Schema.Fields {
		if !strings.HasPrefix(f.Name, "_") {
			s.Fields = append(s.Fields, f)
		}
	}
	return s.String()
}

func (l *landed) wants(types string) {
	l.t.Helper()
	if found := l.typesOf(); found != types {
		l.t.Errorf("found %s, want %s", found, types)
	}
}

// drift finds an event.
func drift(r land.Report, kind event.Kind, column string) event.Drift {
	i := slices.IndexFunc(r.Drift, func(d event.Drift) bool { return d.Kind == kind && d.Column == column })
	if i < 0 {
		return event.Drift{}
	}
	return r.Drift[i]
}

// The guess is made of the first objects, and what comes late counts as much.
func TestLateSurprise(t *testing.T) {
	l := afterDays(t, 0, scene{})
	for i := range 40 {
		l.put(fmt.Sprintf("f%02d.csv", i), "id,n\na,1\n")
	}
	l.put("z.csv", "id,n,late\na,2.5,2026-01-31 10:00:00\n")
	r := l.lands()
	l.wants("struct<id:string,n:double,late:timestamp>")
	if r.Batches[0].ValuesRescued != 0 {
		t.Errorf("found %d values rescued, want none", r.Batches[0].ValuesRescued)
	}
	zone := drift(r, event.ZoneAssumed, "late")
	if zone.File != "z.csv" || zone.Record != 1 || zone.Count != 1 || zone.To != "UTC" || zone.Decision != "land" {
		t.Errorf("found %+v, want a zone assumed for late", zone)
	}
}

// A file of another feed leaves no trace in the contract, nor in the table.
func TestForeignInTheBatch(t *testing.T) {
	l := afterDays(t, 1, scene{})
	l.put("c.csv", "id,name,n\nc1,x,7\n")
	l.put("x.csv", "weight,height\n1,2\n", nil)
	l.want["x.csv"] = nil
	r := l.lands()
	l.settled("x.csv", state.Quarantined, diag.FileForeign)
	l.wants("struct<id:string,name:string,n:bigint>")
	if r.ContractVersion != 1 {
		t.Errorf("found version %d, want 1", r.ContractVersion)
	}
}

// A column of nulls is in no table until it has a value; a file of nothing but
// such columns makes a table of our own columns.
func TestNothingTyped(t *testing.T) {
	l := afterDays(t, 0, scene{tree: true})
	l.put("a.json", `{"x":null,"o":{"y":null}}`+"\n", map[string]int{"": 1})
	l.lands()
	l.wants("struct<>")
	l.put("b.json", `{"id":"b1","x":5,"o":{"y":true}}`+"\n")
	l.lands()
	l.wants("struct<x:bigint,o:struct<y:boolean>,id:string>")
}

// What a kind of misfits means decides what becomes of them.
func TestPolicyOfConflicts(t *testing.T) {
	for action, want := range map[string]struct {
		rescued, held int64
		ids           map[string]int
	}{
		"rescue":     {1, 0, ids("id\nb1\nb2\n")},
		"null":       {0, 0, ids("id\nb1\nb2\n")},
		"quarantine": {0, 1, ids("id\nb1\n")},
	} {
		l := afterDays(t, 0, scene{policy: contract.Policy{Kinds: map[contract.Kind]string{event.TypeConflict: action}}})
		l.put("a.csv", "id,n\na1,1\n")
		l.lands()
		l.put("b.csv", "id,n\nb1,2\nb2,text\n", want.ids)
		r := l.lands()
		if b := r.Batches[0]; b.ValuesRescued != want.rescued || b.RowsQuarantined != want.held {
			t.Errorf("%s: found %d rescued and %d held, want %d and %d", action, b.ValuesRescued, b.RowsQuarantined, want.rescued, want.held)
		}
		if d := drift(r, event.TypeConflict, "n"); d.Decision != action || d.Policy != "policy" || d.Record != 2 || d.To != "bigint" {
			t.Errorf("%s: found %+v", action, d)
		}
	}
	l := afterDays(t, 0, scene{policy: contract.Policy{Kinds: map[contract.Kind]string{event.TypeConflict: "fail"}}})
	l.put("a.csv", "id,n\na1,1\n")
	l.lands()
	l.put("b.csv", "id,n\nb1,2\nb2,text\n", nil)
	l.refused(l.next(), diag.PolicyFail, "b.csv")
	p := afterDays(t, 0, scene{policy: contract.Policy{Kinds: map[contract.Kind]string{event.ZoneAssumed: "fail"}}})
	p.put("a.csv", "id,at\na1,2026-01-31 10:00:00\n", nil)
	p.refused(p.next(), diag.PolicyFail, "a.csv")
}

// A source that lands again into a table of its own finds its types anew; beside
// rows of others the table's types stay.
func TestReprocessTypes(t *testing.T) {
	hinted := func(text string) contract.Policy {
		hints, err := hint.Parse(text)
		ok(t, err)
		return contract.Policy{Hints: hints}
	}
	t.Run("alone", func(t *testing.T) {
		l := afterDays(t, 1, scene{})
		l.wants("struct<id:string,name:string,n:bigint>")
		l.policy = hinted("n DECIMAL(9,2)")
		l.resets(land.ResetReprocess)
		l.wants("struct<id:string,name:string,n:decimal(9,2)>")
		if r := l.lands(); len(r.Batches) > 0 {
			t.Errorf("found %+v, want nothing new", r.Batches)
		}
	})
	t.Run("beside others", func(t *testing.T) {
		l := afterDays(t, 1, scene{})
		ok(t, l.other().insert(t.Context(), false, "x1"))
		l.want[""] = []map[string]int{{"x1": 1}}
		l.policy = hinted("n DATE")
		l.resets(land.ResetReprocess)
		l.wants("struct<id:string,name:string,n:bigint>")
	})
	t.Run("others come while it lands", func(t *testing.T) {
		l := afterDays(t, 1, scene{})
		l.policy = hinted("n DATE")
		p := l.next()
		p.day.reset = land.ResetReprocess
		commits := 0
		p.data = fault.New(l.data, fault.Plan{Times: fault.Forever, Match: creating("_delta_log/"), Before: func() {
			if commits++; commits == 2 { // after that of the removal
				l.want[""] = []map[string]int{{"x1": 1}}
				ok(t, l.other().insert(t.Context(), false, "x1"))
			}
		}})
		_, err := p.run(t.Context())
		ok(t, err)
		ok(t, l.check(t.Context()))
		l.wants("struct<id:string,name:string,n:bigint>")
		if commits < 3 {
			t.Errorf("found %d commits, want one that was computed anew", commits)
		}
	})
	t.Run("nothing lands at first", func(t *testing.T) {
		l := afterDays(t, 1, scene{})
		l.policy = hinted("n DECIMAL(9,2)")
		for name := range l.want {
			ok(t, l.files.Replace(t.Context(), name, nil))
			l.want[name] = nil
		}
		l.resets(land.ResetReprocess)
		l.wants("struct<id:string,name:string,n:bigint>")
		l.put("c.csv", "id,n\nc1,5\n")
		l.lands()
		l.wants("struct<id:string,n:decimal(9,2)>")
	})
}

// A hint that the table cannot take up any more is told with the way there.
func TestHeldHint(t *testing.T) {
	l := afterDays(t, 1, scene{})
	hints, err := hint.Parse("n DATE")
	ok(t, err)
	l.policy.Hints = hints
	l.put("c.csv", "id,name,n\nc1,x,7\n")
	r := l.lands()
	l.wants("struct<id:string,name:string,n:bigint>")
	if d := drift(r, event.HintHeld, "n"); !strings.HasPrefix(d.Hint, "landfall replay ") || !strings.HasSuffix(d.Hint, " --all") {
		t.Errorf("found %+v, want the command that lands the source again", d)
	}
}

// The evidence of what landed is on record, and of nothing else.
func TestEvidenceIsKept(t *testing.T) {
	l := afterDays(t, 1, scene{})
	l.put("bad.csv", "", nil)
	l.want["bad.csv"] = nil
	l.day(1)
	l.lands()
	m, _, err := l.process("").state().LastMark(t.Context())
	ok(t, err)
	var found []string
	for o, err := range l.process("").state().Evidence(t.Context(), m.Batch, m.Attempt) {
		ok(t, err)
		found = append(found, o.Path+":"+strings.Join(o.Header, ","))
		if o.Evidence.Objects.Count != 2 {
			t.Errorf("found %+v, want two records", o.Evidence)
		}
	}
	if want := []string{"c.csv:name,id,city,n"}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

// A landing over an overlay says what a landing says, and leaves no trace.
func TestLandOverOverlay(t *testing.T) {
	l := afterDays(t, 1, scene{})
	l.day(1)
	before := l.data.Clone()
	p := l.next()
	p.data = overlay.New(l.data, memory.New(nil))
	shown, err := p.land(context.WithoutCancel(t.Context()))
	ok(t, err)
	if !slices.Equal(l.data.Keys(), before.Keys()) {
		t.Errorf("the base has %q, want %q", l.data.Keys(), before.Keys())
	}
	if shown.Before.Number != 1 || shown.Contract.Number != 2 || len(shown.Files) != 1 || shown.Schema.Lookup("city") < 0 {
		t.Errorf("found version %d after %d, files %q, schema %s", shown.Contract.Number, shown.Before.Number, shown.Files, shown.Schema)
	}
	if _, err := p.data.Stat(t.Context(), shown.Files[0]); err != nil {
		t.Error(err)
	}
	again := l.lands()
	shown.Files, again.Files = nil, nil
	shown.Before, shown.Contract, again.Before, again.Contract = nil, nil, nil, nil
	if found, want := fmt.Sprintf("%+v", again), fmt.Sprintf("%+v", shown); found != want {
		t.Errorf("landed %s, shown %s", found, want)
	}
}

// What lands after others gave a column another type has the table's type: no
// value is left out of the files, and the contract follows.
func TestTypeAltered(t *testing.T) {
	for _, c := range []struct{ altered, want string }{
		{"string", "6 hello"},
		{"double", "6 -"},
		{"struct<x:bigint>", "- -"},
	} {
		l := afterDays(t, 0, scene{})
		l.put("a.csv", "id,n\na1,5\n")
		l.lands()
		typ, err := schema.ParseDDL(c.altered)
		ok(t, err)
		ok(t, l.other().change(t.Context(), func(snap *table.Snapshot) (table.Change, error) {
			s := schema.Struct{Fields: slices.Clone(snap.Schema.Fields)}
			s.Fields[s.Lookup("n")].Type = typ
			change := table.Change{Operation: "CREATE OR REPLACE TABLE AS SELECT", Schema: &s}
			for _, f := range snap.Files() {
				change.Removes = append(change.Removes, f)
			}
			return change, nil
		}))
		l.want["a.csv"] = nil
		l.put("b.csv", "id,n\nb1,6\nb2,hello\n")
		r := l.lands()
		if d := drift(r, event.TypeAltered, "n"); d.From != "bigint" || d.To != c.altered || d.Decision != "adopt" {
			t.Errorf("found %+v, want the type altered to %s", d, c.altered)
		}
		found := l.values(t, "n")
		for i, v := range found {
			found[i] = cmp.Or(v, "-")
		}
		rescued := int64(strings.Count(c.want, "-"))
		if got := strings.Join(found, " "); got != c.want || r.Batches[0].ValuesRescued != rescued || r.ContractVersion != 2 {
			t.Errorf("%s: found %s, %d rescued, version %d; want %s, %d rescued, version 2", c.altered, got, r.Batches[0].ValuesRescued, r.ContractVersion, c.want, rescued)
		}
		l.put("c.csv", "id,n\nc1,7\n")
		if r := l.lands(); drift(r, event.TypeAltered, "n").Kind != "" {
			t.Errorf("found %v, want it told once", r.Drift)
		}
	}
}
