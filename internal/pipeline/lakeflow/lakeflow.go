// Package lakeflow tells what pipelines did in the shape of Databricks' event log, for
// queries and dashboards that were written for it.
//
// Every event is final: a batch that was written has one flow_progress with counts, so that
// sums over them are right; one that failed says in its error what its rules found. What is not known here (clusters, cost, plans) is left out.
package lakeflow

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"landfall/internal/event"
	"landfall/internal/pipeline"
)

// Row is a row of the event log. Sequence, Error and Details are JSON text.
type Row struct {
	ID        string  `json:"id"`
	Sequence  string  `json:"sequence"`
	Origin    Origin  `json:"origin"`
	Timestamp string  `json:"timestamp"`
	Message   string  `json:"message"`
	Level     string  `json:"level"`
	Maturity  string  `json:"maturity_level"`
	Error     *string `json:"error"`
	Details   string  `json:"details"`
	EventType string  `json:"event_type"`

	at time.Time
}

// Origin says whose event it is. Members that do not apply are null.
type Origin struct {
	PipelineID   string  `json:"pipeline_id"`
	PipelineName string  `json:"pipeline_name"`
	UpdateID     *string `json:"update_id"`
	FlowID       *string `json:"flow_id"`
	FlowName     *string `json:"flow_name"`
	DatasetName  *string `json:"dataset_name"`
	BatchID      *int64  `json:"batch_id"`
}

// Rows are the events of a pipeline and of its runs, in the order of time. Runs without a
// record have no end.
func Rows(name string, updates []pipeline.Update, events []event.Event) ([]Row, error) {
	b := &builder{name: name, id: identity(name)}
	known := map[string]bool{}
	for _, u := range updates {
		known[u.ID] = true
		b.began(u.ID, u.Began, u.Refresh)
	}
	for _, e := range events {
		if run := e.Dataset.Run; run != "" && !known[run] {
			known[run] = true
			b.began(run, e.Time, nil)
		}
		b.batch(e)
	}
	for _, u := range updates {
		b.failures(u, events)
		b.state(u.ID, u.State, u.Ended)
	}
	slices.SortStableFunc(b.rows, func(x, y Row) int { return x.at.Compare(y.at) })
	for i := range b.rows {
		b.rows[i].Sequence = fmt.Sprintf(`{"control_plane_seq_no":%d}`, i+1)
	}
	return b.rows, b.err
}

// builder makes rows.
type builder struct {
	name, id string
	rows     []Row
	err      error
}

// identity is a name as an identifier that is always the same.
func identity(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	h := hex.EncodeToString(sum[:16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// happening is what there is to say of an event.
type happening struct {
	kind, cause string
	at          time.Time
	level       string
	message     string
	origin      Origin
	details     any
	failure     string
}

func (b *builder) add(h happening) {
	details, err := json.Marshal(map[string]any{h.kind: h.details})
	if err != nil && b.err == nil {
		b.err = err
	}
	h.origin.PipelineID, h.origin.PipelineName = b.id, b.name
	r := Row{
		ID: identity(b.name, h.kind, h.cause), Origin: h.origin, Timestamp: h.at.UTC().Format("2006-01-02T15:04:05.000000Z"), Message: h.message,
		Level: h.level, Maturity: "STABLE", Details: string(details), EventType: h.kind, at: h.at.UTC().Truncate(time.Microsecond),
	}
	if h.failure != "" {
		text, err := json.Marshal(map[string]any{"fatal": true, "exceptions": []map[string]string{{"message": h.failure}}})
		if err != nil && b.err == nil {
			b.err = err
		}
		s := string(text)
		r.Error = &s
	}
	b.rows = append(b.rows, r)
}

// created is the detail of create_update.
type created struct {
	FullRefresh []string `json:"full_refresh_selection,omitempty"`
}

// progress is that of update_progress.
type progress struct {
	State string `json:"state"`
}

// began tells that a run has begun.
func (b *builder) began(run string, at time.Time, refresh []string) {
	b.add(happening{
		kind: "create_update", cause: run, at: at, level: "INFO", message: fmt.Sprintf("Run %s of pipeline %s begins.", short(run), b.name),
		origin: Origin{UpdateID: &run}, details: created{refresh},
	})
	b.state(run, "RUNNING", at)
}

func (b *builder) state(run, state string, at time.Time) {
	level := "INFO"
	if state == "FAILED" {
		level = "ERROR"
	}
	b.add(happening{
		kind: "update_progress", cause: run + state, at: at, level: level, message: fmt.Sprintf("Run %s is %s.", short(run), state),
		origin: Origin{UpdateID: &run}, details: progress{state},
	})
}

func short(id string) string { return id[:min(len(id), 6)] }

// definition is the detail of flow_definition.
type definition struct {
	Output string   `json:"output_dataset"`
	Inputs []string `json:"input_datasets"`
	Type   string   `json:"flow_type"`
}

// flowProgress is that of flow_progress.
type flowProgress struct {
	Status  string   `json:"status"`
	Metrics *metrics `json:"metrics,omitempty"`
	Quality *quality `json:"data_quality,omitempty"`
}

type metrics struct {
	Output  int64 `json:"num_output_rows"`
	Deleted int64 `json:"num_deleted_rows"`
}

type quality struct {
	Dropped      int64         `json:"dropped_records"`
	Expectations []expectation `json:"expectations"`
}

// expectation counts nulls as failed.
type expectation struct {
	Name    string `json:"name"`
	Dataset string `json:"dataset"`
	Passed  int64  `json:"passed_records"`
	Failed  int64  `json:"failed_records"`
}

// batch tells of a batch what it reads and what became of it.
func (b *builder) batch(e event.Event) {
	d := e.Dataset
	o := b.origin(d)
	o.BatchID = &e.Batch
	inputs := make([]string, 0, len(d.Inputs))
	for _, i := range d.Inputs {
		inputs = append(inputs, i.Table)
	}
	kind := "APPEND"
	if d.Kind == "materialized_view" {
		kind = "MATERIALIZED_VIEW"
	}
	b.add(happening{
		kind: "flow_definition", cause: e.Attempt, at: e.Time, level: "INFO", origin: o,
		message: fmt.Sprintf("Flow %s makes %s.", d.Flow, d.Dataset), details: definition{d.Dataset, inputs, kind},
	})
	p := flowProgress{Status: d.Status, Metrics: &metrics{Output: d.RowsWritten, Deleted: d.RowsRemoved}}
	if len(d.Expectations) > 0 && d.Status != "FAILED" { // the rows come again, and would be counted twice
		p.Quality = &quality{Dropped: d.RowsDropped}
		for _, x := range d.Expectations {
			p.Quality.Expectations = append(p.Quality.Expectations, expectation{x.Name, d.Dataset, x.True, x.False + x.Null})
		}
	}
	h := happening{
		kind: "flow_progress", cause: e.Attempt, at: e.Time.Add(time.Duration(d.Seconds * float64(time.Second))), level: "INFO", origin: o,
		message: fmt.Sprintf("Flow %s wrote %d of %d rows.", d.Flow, d.RowsWritten, d.RowsIn), details: p,
	}
	if d.Status == "FAILED" {
		h.level, h.failure, h.message = "ERROR", d.Reason, fmt.Sprintf("Flow %s failed: nothing was written.", d.Flow)
	}
	b.add(h)
}

func (b *builder) origin(d *event.Dataset) Origin {
	id := identity(b.name, d.Dataset, d.Flow)
	o := Origin{FlowID: &id, FlowName: &d.Flow, DatasetName: &d.Dataset}
	if d.Run != "" {
		o.UpdateID = &d.Run
	}
	return o
}

// failures tells of datasets that failed or were skipped before there was a batch.
func (b *builder) failures(u pipeline.Update, events []event.Event) {
	for _, d := range u.Datasets {
		status := map[pipeline.Status]string{pipeline.Failed: "FAILED", pipeline.Skipped: "SKIPPED"}[d.Status]
		counted := slices.ContainsFunc(events, func(e event.Event) bool {
			return e.Dataset.Run == u.ID && e.Dataset.Dataset == d.Dataset && e.Dataset.Status == "FAILED"
		})
		if status == "" || counted {
			continue
		}
		h := happening{
			kind: "flow_progress", cause: u.ID + d.Dataset, at: u.Ended, level: "ERROR", message: fmt.Sprintf("Dataset %s failed.", d.Dataset),
			origin: Origin{UpdateID: &u.ID, FlowName: &d.Dataset, DatasetName: &d.Dataset}, details: flowProgress{Status: status}, failure: d.Message,
		}
		if d.Status == pipeline.Skipped {
			h.level, h.message, h.failure = "WARN", fmt.Sprintf("Dataset %s was skipped: one that it reads failed.", d.Dataset), ""
		}
		b.add(h)
	}
}
