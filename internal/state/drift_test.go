package state_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/state"
	"landfall/internal/store/memory"
)

// landed is a batch of the files that its drift names, under a contract with those
// decisions. Batches are a day apart.
func landed(t *testing.T, st *state.State, batch int64, decisions []contract.Decision, drift ...event.Drift) {
	t.Helper()
	a := attempt()
	a.Batch, a.ID, a.Drift, a.Outcomes = batch, fmt.Sprintf("x-%d", batch), drift, nil
	for _, d := range drift {
		if d.File != "" && !slices.ContainsFunc(a.Outcomes, func(o state.Outcome) bool { return o.Path == d.File }) {
			a.Outcomes = append(a.Outcomes, state.Outcome{Object: state.Object{Path: d.File}, Fate: state.Landed, Rows: 9, Rescued: 3})
		}
	}
	a.Contract.Number, a.Contract.Decisions = int(batch), decisions
	m := state.NewMark(state.KindLand, a, batch)
	m.At = noon().AddDate(0, 0, int(batch))
	if err := st.Record(context.Background(), a); err != nil {
		t.Fatal(err)
	}
	if err := st.SetMark(context.Background(), m); err != nil {
		t.Fatal(err)
	}
}

func brief(all []state.Met) string {
	var lines []string
	for _, x := range all {
		line := fmt.Sprintf("%s %s %s→%s ×%d %s", x.Kind, x.Column, x.From, x.To, x.Count, x.Status)
		if x.Decided != nil {
			line += ": " + x.Decided.String()
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestDrift(t *testing.T) {
	st := state.New(memory.New(noon))
	added := event.Drift{Kind: event.ColumnAdded, Column: "new", File: "2.csv", To: "double", Decision: "add", Policy: "evolve"}
	missing := event.Drift{Kind: event.ColumnMissing, Column: "old", File: "2.csv", Count: 1, Decision: "null", Policy: "evolve"}
	renamed := event.Drift{Kind: event.ColumnRenamed, Column: "old", From: "old", To: "new", File: "2.csv", Decision: "as added and missing"}
	misfit := event.Drift{Kind: event.ValueMisfit, Column: "id", To: "bigint", File: "2.csv", Record: 7, Count: 3, Decision: "rescue", Policy: "evolve"}
	landed(t, st, 1, nil, event.Drift{Kind: event.ColumnAdded, Column: "old", To: "double", Decision: "add"})
	landed(t, st, 2, nil, added, missing, renamed, misfit, event.Drift{Kind: event.FileForeign, File: "x", Decision: "quarantine"})
	misfit.File, misfit.Record = "3.csv", 9
	missing.File = "3.csv"
	landed(t, st, 3, nil, missing, misfit)

	before, err := st.Drift(context.Background(), "orders")
	if err != nil {
		t.Fatal(err)
	}
	want := `column_added new →double ×1 settled
column_missing old → ×2 settled
column_renamed? old old→new ×1 open
value_misfit id →bigint ×6 open`
	if got := brief(before); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if x := before[3]; x.First.File != "2.csv" || x.First.Record != 7 || x.Last.File != "3.csv" || x.Last.Batch != 3 || x.Events != 2 {
		t.Errorf("met at %+v to %+v", x.First, x.Last)
	}

	// What is decided stays so when it goes on; what is new does not.
	decisions := []contract.Decision{
		{Column: "old", Action: contract.Map, To: "new", Why: "w", At: noon()},
		{Column: "id", Action: contract.Carry, Why: "w", At: noon().AddDate(0, 0, 4)},
	}
	landed(t, st, 4, decisions)
	conflict := misfit
	conflict.Kind = event.TypeConflict
	landed(t, st, 5, decisions, misfit, conflict)
	after, err := st.Drift(context.Background(), "orders")
	if err != nil {
		t.Fatal(err)
	}
	want = `column_added new →double ×1 decided: old is new
column_missing old → ×2 decided: old is new
column_renamed? old old→new ×1 decided: old is new
value_misfit id →bigint ×9 decided: carry id
type_conflict id →bigint ×3 open`
	if got := brief(after); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for i := range before {
		if before[i].ID != after[i].ID {
			t.Errorf("the id of %s %s went from %s to %s", before[i].Kind, before[i].Column, before[i].ID, after[i].ID)
		}
	}
	got, err := st.Decisions(context.Background())
	if err != nil || len(got) != 2 || got[0].To != "new" {
		t.Errorf("decided is %v, %v", got, err)
	}
}

// A decision on one event leaves the others of the column open.
func TestDecidedByID(t *testing.T) {
	st := state.New(memory.New(noon))
	misfit := event.Drift{Kind: event.ValueMisfit, Column: "id", File: "2.csv", To: "bigint", Decision: "rescue"}
	conflict := event.Drift{Kind: event.TypeConflict, Column: "id", File: "2.csv", To: "bigint", Decision: "rescue"}
	landed(t, st, 1, nil)
	landed(t, st, 2, []contract.Decision{{
		Column: "id", Action: contract.Carry, Drift: state.DriftID("orders", misfit), Why: "w", At: time.Time{},
	}}, misfit, conflict)
	got, err := st.Drift(context.Background(), "orders")
	if err != nil || brief(got) != "value_misfit id →bigint ×1 decided: carry id\ntype_conflict id →bigint ×1 open" {
		t.Errorf("got\n%s\n%v", brief(got), err)
	}
}

// What was outside its column is not open any more once it has landed there: its file
// was read again, or what was rescued of its rows was taken up.
func TestDriftLanded(t *testing.T) {
	st := state.New(memory.New(noon))
	rescued := func(kind event.Kind, column, file string, count int64) event.Drift {
		return event.Drift{Kind: kind, Column: column, File: file, Count: count, Decision: "rescue"}
	}
	status := func(want string) {
		t.Helper()
		all, err := st.Drift(context.Background(), "orders")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range all {
			if x.Status == state.Open {
				got = append(got, string(x.Kind)+" "+x.Column)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("open is %s, want %s", strings.Join(got, ", "), want)
		}
	}
	landed(t, st, 1, nil)
	landed(t, st, 2, nil, rescued(event.ValueMisfit, "id", "a", 2), rescued(event.ValueMisfit, "id", "b", 1),
		rescued(event.ColumnAdded, "city", "a", 2), rescued(event.ColumnAdded, "size.x", "b", 1),
		event.Drift{Kind: event.TypeWider, Column: "id", To: "double", Decision: "hold"})
	status("value_misfit id, column_added city, column_added size.x, type_wider id")
	landed(t, st, 3, nil, event.Drift{Kind: event.FileReread, File: "a"})
	status("value_misfit id, column_added city, column_added size.x, type_wider id")

	// Of b, which is gone, the size was taken up; that city is not b's alone shows
	// in that it has none left.
	a := attempt()
	a.Batch, a.ID, a.Drift = 4, "x-4", nil
	a.Outcomes = []state.Outcome{{Object: state.Object{Path: "b"}, Fate: state.Reclaimed, Rescued: 1, Left: []string{"ID"}}}
	a.Contract.Columns[0].Type = "double"
	if err := st.Record(context.Background(), a); err != nil {
		t.Fatal(err)
	}
	if st.SetMark(context.Background(), state.NewMark(state.KindReplay, a, 4)) != nil {
		t.Fatal("no mark")
	}
	status("value_misfit id")
}
