package lakeflow_test

import (
	"slices"
	"testing"
	"time"

	"landfall/internal/event"
	"landfall/internal/pipeline"
	"landfall/internal/pipeline/lakeflow"
)

// A run that died has no end; one whose query failed before there was a batch says so; ids
// are the same each time, and no two rows have one.
func TestRows(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 12, 1, 8, minute, 0, 0, time.UTC) }
	batch := func(run string, n int64, minute int) event.Event {
		return event.Event{Time: at(minute), Source: "t", Batch: n, Attempt: run + "-a", Type: "dataset", Dataset: &event.Dataset{
			Pipeline: "p", Dataset: "t", Flow: "t", Batch: n, Run: run, Status: "COMPLETED", RowsIn: 3, RowsWritten: 2, RowsDropped: 1, Seconds: 30,
			Expectations: []event.Expectation{{Name: "low", True: 2, False: 0, Null: 1}},
		}}
	}
	updates := []pipeline.Update{
		{ID: "one", Pipeline: "p", Began: at(0), Ended: at(2), State: "COMPLETED", Datasets: []pipeline.DatasetUpdate{{Dataset: "t", Status: pipeline.Updated}}},
		{ID: "three", Pipeline: "p", Began: at(6), Ended: at(7), State: "FAILED", Datasets: []pipeline.DatasetUpdate{
			{Dataset: "t", Status: pipeline.Failed, Code: "E0801", Message: "no"}, {Dataset: "u", Status: pipeline.Skipped},
		}},
	}
	events := []event.Event{batch("one", 1, 1), batch("dead", 2, 4)}
	rows, err := lakeflow.Rows("p", updates, events)
	if err != nil {
		t.Fatal(err)
	}
	last := map[string]string{}
	var statuses []string
	ids := map[string]bool{}
	for i, r := range rows {
		if ids[r.ID] = true; i > 0 && r.Timestamp < rows[i-1].Timestamp {
			t.Errorf("row %d is before the one above", i)
		}
		switch r.EventType {
		case "update_progress":
			last[*r.Origin.UpdateID] = r.Details
		case "flow_progress":
			statuses = append(statuses, r.Timestamp+" "+r.Details)
		}
	}
	if len(ids) != len(rows) {
		t.Errorf("%d ids of %d rows", len(ids), len(rows))
	}
	for run, want := range map[string]string{"one": "COMPLETED", "dead": "RUNNING", "three": "FAILED"} {
		if last[run] != `{"update_progress":{"state":"`+want+`"}}` {
			t.Errorf("run %s: found %s", run, last[run])
		}
	}
	const counted = `{"flow_progress":{"status":"COMPLETED","metrics":{"num_output_rows":2,"num_deleted_rows":0},"data_quality":{"dropped_records":1,"expectations":[{"name":"low","dataset":"t","passed_records":2,"failed_records":1}]}}}`
	want := []string{
		"2026-12-01T08:01:30.000000Z " + counted, "2026-12-01T08:04:30.000000Z " + counted,
		`2026-12-01T08:07:00.000000Z {"flow_progress":{"status":"FAILED"}}`, `2026-12-01T08:07:00.000000Z {"flow_progress":{"status":"SKIPPED"}}`,
	}
	if !slices.Equal(statuses, want) {
		t.Errorf("found %q", statuses)
	}
	again, err := lakeflow.Rows("p", updates, events)
	if err != nil || !slices.EqualFunc(rows, again, func(x, y lakeflow.Row) bool { return x.ID == y.ID && x.Details == y.Details }) {
		t.Errorf("another time there are other rows: %v", err)
	}
}
