package transform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"landfall/internal/event"
	"landfall/internal/store"
	"landfall/internal/transform/deliver"
	"landfall/internal/transform/supply"
)

// record is what is noted down of a run in the folder of a sink: an event a line. It
// becomes visible together with the output.
func (o *Opened) record(r *Report, d *delivery) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, e := range o.events(r, d) {
		if err := enc.Encode(e); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

func (o *Opened) events(r *Report, d *delivery) []event.Event {
	staged := d.Staged()
	ran := event.Run{
		Sink: d.sink.Name, Rows: staged.Rows, Files: len(staged.Files),
		Sources: map[string]int{}, Streams: map[string]int64{}, Seconds: o.job.Now().Sub(o.began).Seconds(),
	}
	for _, f := range staged.Files {
		ran.Bytes += f.Size
	}
	for _, s := range r.Streams {
		ran.Streams[s.Name] = s.Rows
	}
	head := event.Event{Time: o.began, Source: r.Flow, Attempt: r.ID, Type: "drift"}
	var out []event.Event
	for i, s := range r.Sources {
		ran.Sources[s.Name] = len(s.Files)
		for _, f := range s.Files {
			for _, drift := range f.Drift {
				e := head
				e.Drift = drifted(drift, f.Path, o.Sources[i].Drifts())
				out = append(out, e)
			}
		}
	}
	head.Type, head.Ran = "run", &ran
	return append(out, head)
}

// drifted is drift of a file as an event. Columns that a source does not let in are left
// out.
func drifted(d supply.Drift, file string, letIn bool) *event.Drift {
	e := event.Drift{Column: d.Column, File: file, From: d.From, To: d.To, Policy: "flow"}
	switch d.Kind {
	case supply.Added:
		e.Kind, e.Decision = event.ColumnAdded, "add"
		if !letIn {
			e.Decision = "leave out"
		}
	case supply.Missing:
		e.Kind, e.Decision = event.ColumnMissing, "null"
	case supply.Recased:
		e.Kind, e.Decision = event.ColumnRecased, "fold"
	case supply.Retyped:
		e.Kind, e.Decision = event.TypeAltered, "convert"
	}
	return &e
}

// Events yields what flows noted down in a folder, oldest run first: that of deliver.Beside
// for a folder of files, deliver.Records of a table.
func Events(ctx context.Context, records store.Store) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for info, err := range records.List(ctx, "", "") {
			if err != nil {
				yield(event.Event{}, err)
				return
			}
			for e, err := range eventsOf(ctx, records, info.Key) {
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

// Records are the folders in which runs that wrote a folder may be noted down.
func Records(folder string) []string {
	return []string{filepath.Join(folder, filepath.FromSlash(deliver.Records)), deliver.Beside(folder)}
}

func eventsOf(ctx context.Context, folder store.Store, key string) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		data, err := store.Read(ctx, folder, key)
		if err != nil {
			yield(event.Event{}, fmt.Errorf("read %s: %w", key, err))
			return
		}
		lines := json.NewDecoder(bytes.NewReader(data))
		for lines.More() {
			var e event.Event
			err := lines.Decode(&e)
			if err != nil {
				err = errors.Join(fmt.Errorf("read %s", key), err)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}
