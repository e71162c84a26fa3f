package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"landfall/internal/alert"
	"landfall/internal/event"
	"landfall/internal/pipeline"
	"landfall/internal/sqlpipe"
)

// beginPipeline remembers where the flows of a pipeline stand before its first run with
// alerts: what they met before that is no news, and what a run meets that dies is.
func (b *bell) beginPipeline(ctx context.Context, job pipeline.Job) {
	if b == nil {
		return
	}
	for _, d := range job.Pipeline.Datasets {
		if d.Kind != sqlpipe.View {
			b.wrong(b.beginDataset(ctx, job, d))
		}
	}
}

func (b *bell) beginDataset(ctx context.Context, job pipeline.Job, d *sqlpipe.Dataset) error {
	var stands map[string]int64
	for _, f := range d.Flows {
		cursor := flowCursor(job.Name, d.Name, f.Name)
		_, known, err := b.box.Cursor(ctx, cursor)
		if err != nil {
			return err
		}
		if known {
			continue
		}
		if stands == nil {
			if stands, err = pipeline.Stands(ctx, job, d); err != nil {
				return err
			}
		}
		if err := b.box.SetCursor(ctx, cursor, alert.Cursor{Batch: stands[f.Name]}); err != nil {
			return err
		}
	}
	return nil
}

// dataset queues what a dataset's batches met: one message for each rule that rows broke.
// Batches whose messages a dead run did not queue are told now: they are in the records.
func (b *bell) dataset(ctx context.Context, job pipeline.Job, o pipeline.Outcome) {
	if b == nil || ctx.Err() != nil {
		return
	}
	events, err := pipeline.Since(ctx, job, o.Dataset, func(flow string) (int64, error) {
		c, known, err := b.box.Cursor(ctx, flowCursor(job.Name, o.Dataset.Name, flow))
		if known || err != nil {
			return c.Batch, err
		}
		return before(o.Batches, flow), nil // where they stood could not be written
	})
	b.wrong(err)
	for _, e := range o.Batches {
		if e.Status == "FAILED" {
			events = append(events, e)
		}
	}
	for _, e := range o.Looks {
		b.wrong(b.queue(ctx, expectationMessages(job.Name, e, b)...))
	}
	for _, e := range events {
		if err := b.queue(ctx, expectationMessages(job.Name, e, b)...); err != nil {
			b.wrong(err)
			return
		}
		if e.Status != "FAILED" {
			b.wrong(b.box.SetCursor(ctx, flowCursor(job.Name, e.Dataset, e.Flow), alert.Cursor{Batch: e.Batch}))
		}
	}
}

// before is the batch before those of a run.
func before(batches []event.Dataset, flow string) int64 {
	for _, e := range batches {
		if e.Flow == flow && e.Status != "FAILED" {
			return e.Batch - 1
		}
	}
	return math.MaxInt64
}

// flowCursor names how far the messages of a flow are queued.
func flowCursor(pipeline, dataset, flow string) string {
	return pipeline + "/" + dataset + "/" + flow
}

// expectationMessages are one message for each rule that rows of a batch broke. Of a batch
// that was written their ids are always the same; those of one that failed go by its rows.
func expectationMessages(name string, e event.Dataset, m *bell) []alert.Message {
	var out []alert.Message
	for _, x := range e.Expectations {
		if x.False+x.Null == 0 {
			continue
		}
		msg := alert.Message{
			Kind: alert.ExpectationFailed, Source: name, Table: e.Dataset, What: x.Name, Column: strings.Join(x.Columns, ", "),
			Count: x.False + x.Null, Decision: decided(x, e), Time: m.now().UTC(), Wanted: x.Condition,
			Command: fmt.Sprintf("landfall events --pipeline %s; to decide otherwise edit CONSTRAINT %s of %s", name, x.Name, e.Dataset),
		}
		if len(x.Files) > 0 {
			msg.File, msg.MoreFiles = x.Files[0].File, len(x.Files)-1
		}
		if len(x.Samples) > 0 {
			s := x.Samples[0]
			msg.Sample = s.Text()
			if s.File != "" {
				msg.File = s.File
			}
			if len(s.Rescued) > 0 {
				msg.Column = strings.Join(s.Rescued, ", ")
			}
		}
		part := fmt.Sprint(e.Batch)
		if e.How == pipeline.Looked {
			part = "look " + part
		}
		if e.Status == "FAILED" {
			part = fmt.Sprintf("failed %d %d", e.RowsIn, msg.Count)
		}
		msg.ID = alert.ID(msg.Kind, name+"/"+e.Dataset, e.Flow, x.Name, part, msg.File)
		out = append(out, msg)
	}
	return out
}

// decided says what was done with the rows.
func decided(x event.Expectation, e event.Dataset) string {
	switch {
	case e.How == pipeline.Looked:
		return "what is written stays"
	case e.Status == "FAILED":
		return "nothing of the batch was written"
	case x.Action == "drop":
		return "the rows were dropped, and are kept beside the table"
	default:
		return "the rows were written all the same"
	}
}
