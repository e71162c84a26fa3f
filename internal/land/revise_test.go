package land_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/land"
	"landfall/internal/state"
	"landfall/internal/store/fault"
)

// revises changes the contract, which must succeed and leave every row.
func (l *landed) revises(r land.Revision) land.Report {
	l.t.Helper()
	p := l.next()
	report, err := land.Revise(l.t.Context(), p.source(), p.env(), r)
	if err == nil {
		err = l.check(l.t.Context())
	}
	if err != nil {
		l.t.Fatalf("revise: %v", err)
	}
	return report
}

// columns are the names of the table's columns, ours at the end left out.
func (l *landed) columns() string {
	l.t.Helper()
	var names []string
	for _, f := range l.snapshot().Schema.Fields {
		if !strings.HasPrefix(f.Name, "_") {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, " ")
}

// versions are the numbers and reasons of all versions of the contract.
func (l *landed) versions() string {
	l.t.Helper()
	var all []string
	for v, err := range l.process("").state().Contracts(l.t.Context()) {
		ok(l.t, err)
		all = append(all, strings.TrimSpace(fmt.Sprintf("%d %s", v.Contract.Number, v.Contract.Reason)))
	}
	return strings.Join(all, ", ")
}

// A mode stops a batch at a new column; approving takes the column up, and the
// batch lands.
func TestApprove(t *testing.T) {
	l := afterDays(t, 1, scene{policy: contract.Policy{Preset: contract.FailOnNewColumns}})
	if err := l.deliver(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	l.refused(l.next(), diag.PolicyFail, "c.csv")
	l.want = l.before
	r := l.revises(land.Revision{Who: "Ann"})
	if r.Before.Number != 1 || r.Contract.Number != 2 || r.Contract.Who != "Ann" || r.Contract.Reason != "approve" || len(r.Deferred) > 0 {
		t.Errorf("found %+v, want version 2 after version 1, approved by Ann", r)
	}
	if found, want := l.columns(), "id name n city"; found != want {
		t.Errorf("found columns %s, want %s", found, want)
	}
	l.want["c.csv"] = []map[string]int{ids(feed()[1].files["c.csv"])}
	if r := l.lands(); len(r.Batches) != 1 || r.ContractVersion != 2 {
		t.Errorf("found %+v, want one batch under version 2", r)
	}
	if found := l.values(t, "city"); !slices.Contains(found, "Oslo") {
		t.Errorf("found %q in city, want Oslo", found)
	}
	if r := l.revises(land.Revision{}); len(r.Batches) > 0 || len(r.Notes) == 0 {
		t.Errorf("found %+v, want a note that nothing is to be approved", r)
	}
	if found, want := l.versions(), "1, 2 approve"; found != want {
		t.Errorf("found versions %s, want %s", found, want)
	}
}

// Without a batch that waits, approving is a batch of its own.
func TestApproveAhead(t *testing.T) {
	l := afterDays(t, 1, scene{policy: contract.Policy{Preset: contract.RescueMode}})
	l.day(1)
	l.want = l.before
	r := l.revises(land.Revision{})
	if len(r.Batches) != 1 || r.Batches[0].Batch != 2 || r.Batches[0].RowsIn != 0 || !slices.ContainsFunc(r.Drift, func(d event.Drift) bool {
		return d.Kind == event.ColumnAdded && d.Column == "city" && d.Decision == "add"
	}) {
		t.Errorf("found %+v, want batch 2 without rows, and the column that came", r)
	}
	l.want["c.csv"] = []map[string]int{ids(feed()[1].files["c.csv"])}
	l.lands()
	if found := l.values(t, "city"); !slices.Contains(found, "Oslo") {
		t.Errorf("found %q in city, want Oslo", found)
	}
}

// A rollback retires what came since, and another one brings it back.
func TestRollback(t *testing.T) {
	l := afterDays(t, 2, scene{})
	r := l.revises(land.Revision{Rollback: 1})
	if r.Contract.Number != 3 || len(r.Batches) != 1 {
		t.Errorf("found %+v, want version 3 in one batch", r)
	}
	l.put("f.csv", "id,name,n,city\nf1,x,1,Rome\n")
	l.lands()
	if found := strings.Join(l.values(t, contract.RescuedData), ""); !strings.Contains(found, "Rome") {
		t.Errorf("found %q rescued, want Rome", found)
	}
	l.revises(land.Revision{Rollback: 2})
	l.put("g.csv", "id,name,n,city\ng1,x,1,Bern\n")
	l.lands()
	if found := l.values(t, "city"); !slices.Contains(found, "Bern") {
		t.Errorf("found %q in city, want Bern", found)
	}
	if found, want := l.versions(), "1, 2, 3 rollback to 1, 4 rollback to 2"; found != want {
		t.Errorf("found versions %s, want %s", found, want)
	}
	if r := l.revises(land.Revision{Rollback: 4}); len(r.Batches) > 0 || len(r.Notes) == 0 {
		t.Errorf("found %+v, want a note that nothing changes", r)
	}
	p := l.next()
	_, err := land.Revise(t.Context(), p.source(), p.env(), land.Revision{Rollback: 9})
	var d *diag.Diagnostic
	if !errors.As(err, &d) || d.Code != diag.Usage || d.Hint == "" {
		t.Errorf("found %v, want %s with a hint", err, diag.Usage)
	}
}

// revision is a process that revises instead of landing.
func (p process) revise(ctx context.Context, r land.Revision) (land.Report, error) {
	return land.Revise(ctx, p.source(), p.env(), r)
}

// Trouble between any two calls of a revision, with a batch that waits and
// without: afterwards it is in force once, or not at all, and all rows land.
func TestSweepRevise(t *testing.T) {
	for where, preset := range map[string]string{"waiting": contract.FailOnNewColumns, "ahead": contract.RescueMode} {
		for name, plans := range faults() {
			t.Run(where+"/"+name, func(t *testing.T) {
				t.Parallel()
				for i := 0; ; i += min(stride, 3) {
					if !troubledRevision(t, preset, i, plans(i)) {
						return
					}
				}
			})
		}
	}
}

// troubledRevision approves with trouble, and again without; it tells whether
// there was any.
func troubledRevision(t *testing.T, preset string, i int, plans []fault.Plan) bool {
	t.Helper()
	ctx := t.Context()
	l := afterDays(t, 1, scene{policy: contract.Policy{Preset: preset}})
	l.day(1)
	l.want = l.before
	if preset == contract.FailOnNewColumns {
		l.refused(l.next(), diag.PolicyFail, "c.csv")
	}
	p := l.next()
	data := fault.New(l.data, plans...)
	p.data = data
	if _, err := p.revise(ctx, land.Revision{}); err != nil && !expected(err) {
		t.Fatalf("call %d: %v", i, err)
	}
	l.revises(land.Revision{})
	l.want["c.csv"] = []map[string]int{ids(feed()[1].files["c.csv"])}
	l.lands()
	if found, want := l.versions(), "1, 2 approve"; found != want {
		t.Fatalf("call %d: found versions %s, want %s", i, found, want)
	}
	if found := l.values(t, "city"); !slices.Contains(found, "Oslo") {
		t.Fatalf("call %d: found %q in city, want Oslo", i, found)
	}
	return data.Struck()
}

// Another process lands, revises or resets between any two calls of a revision.
func TestSweepReviseMeanwhile(t *testing.T) {
	for name, do := range map[string]func(l *landed, p process) error{
		"lands":    func(l *landed, p process) error { _, err := p.land(l.t.Context()); return err },
		"approves": func(l *landed, p process) error { _, err := p.revise(l.t.Context(), land.Revision{}); return err },
		"goes back": func(l *landed, p process) error {
			_, err := p.revise(l.t.Context(), land.Revision{Rollback: 1})
			return err
		},
		"resets": func(l *landed, p process) error {
			p.day.reset = land.ResetReprocess
			_, err := p.run(l.t.Context())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := 0; ; i += min(stride, 3) {
				l := afterDays(t, 1, scene{policy: contract.Policy{Preset: contract.RescueMode}})
				l.day(1)
				l.want["c.csv"] = append(l.want["c.csv"], nil)
				p := l.next()
				data := fault.New(l.data, fault.Plan{At: i, Before: func() {
					if err := do(l, l.process("second-")); err != nil {
						t.Errorf("call %d: meanwhile: %v", i, err)
					}
				}})
				p.data = data
				if _, err := p.revise(t.Context(), land.Revision{}); err != nil && !expected(err) {
					t.Fatalf("call %d: %v", i, err)
				}
				ok(t, l.check(t.Context()))
				l.want["c.csv"] = l.want["c.csv"][:1]
				l.lands()
				if !data.Struck() {
					return
				}
			}
		})
	}
}

// A run that meets the intent of a revision completes it.
func TestReviseIntent(t *testing.T) {
	l := afterDays(t, 1, scene{policy: contract.Policy{Preset: contract.RescueMode}})
	l.day(1)
	p := l.next()
	p.data = fault.New(l.data, fault.Plan{Kind: fault.Crash, Match: creating("_delta_log/")})
	if _, err := p.revise(t.Context(), land.Revision{Who: "Ann"}); !errors.Is(err, fault.ErrCrashed) {
		t.Fatalf("found %v, want a crash", err)
	}
	in, _, err := l.process("").state().Intent(t.Context(), 2)
	ok(t, err)
	if in.Kind != state.KindRevise || in.Contract == nil || in.Contract.Who != "Ann" {
		t.Errorf("found %+v, want the intent of a revision", in)
	}
	l.lands()
	if found, want := l.versions(), "1, 2 approve"; found != want {
		t.Errorf("found versions %s, want %s", found, want)
	}
}

// An approval widens types as the landing would: by the life of the table, in standing
// rows too. Rows that do not allow it hold that change and no other.
func TestApproveWidens(t *testing.T) {
	for _, c := range []struct {
		name    string
		foreign bool
		want    string
		rescued int64
	}{
		{"allowed", false, "struct<id:string,n:double,city:string>", 0},
		{"held", true, "struct<id:string,n:bigint,city:string>", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := afterDays(t, 0, scene{policy: contract.Policy{Preset: contract.FailOnNewColumns, Kinds: map[contract.Kind]string{event.TypeWider: "widen"}}})
			l.put("a.csv", "id,n\na1,1\n")
			l.lands()
			if c.foreign {
				ok(t, l.other().insertLong(t.Context(), "x1", 9007199254740993))
				l.want[""] = []map[string]int{{"x1": 1}}
			}
			l.put("b.csv", "id,n,city\nb1,2.5,Oslo\n")
			waits := l.want["b.csv"]
			delete(l.want, "b.csv")
			l.refused(l.next(), diag.PolicyFail, "b.csv")
			l.revises(land.Revision{Who: "Ann"})
			l.wants(c.want)
			l.want["b.csv"] = waits
			if r := l.lands(); len(r.Batches) != 1 || r.Batches[0].ValuesRescued != c.rescued {
				t.Errorf("found %+v, want one batch with %d rescued", r.Batches, c.rescued)
			}
			l.wants(c.want)
			if found := l.versions(); !strings.HasPrefix(found, "1, 2 approve") || strings.Contains(found, "3") {
				t.Errorf("found versions %s", found)
			}
		})
	}
}

// The intent of an older version that merges a column with itself in another casing
// moves nothing, and blocks nothing.
func TestReviseOntoItself(t *testing.T) {
	l := afterDays(t, 0, scene{})
	l.put("a.csv", "Order ID,id\n1,a1\n")
	l.lands()
	st := l.process("").state()
	m, _, err := st.LastMark(t.Context())
	ok(t, err)
	v, err := st.Contract(t.Context(), m)
	ok(t, err)
	v.Number, v.Reason = 2, "Order ID is order_id"
	v.Columns = slices.Clone(v.Columns)
	v.Columns[0].Original, v.Columns[0].Name = "order_id", "order_id"
	v.Decisions = []contract.Decision{{Column: "Order ID", Action: contract.Map, To: "order_id", Why: "its name"}}
	_, err = st.Intend(t.Context(), state.Intent{
		Batch: 2, Kind: state.KindRevise, At: noon(), Objects: []state.Object{}, Contract: &v, Merges: []contract.Merge{{From: "Order_ID", To: "order_id"}},
	})
	ok(t, err)
	l.put("b.csv", "order_id,id\n2,b1\n")
	if r := l.lands(); r.ContractVersion != 2 {
		t.Errorf("found version %d, want 2", r.ContractVersion)
	}
	l.wants("struct<Order_ID:bigint,id:string>")
	if got := strings.Join(slices.Sorted(slices.Values(l.values(t, "Order_ID"))), " "); got != "1 2" {
		t.Errorf("found %s", got)
	}
}
