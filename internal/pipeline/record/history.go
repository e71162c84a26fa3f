package record

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/store"
	"landfall/internal/table"
)

// Datasets are the names of the folders of a store that hold records of flows, in order.
func Datasets(ctx context.Context, target store.Store) ([]string, error) {
	var out []string
	for after := ""; ; {
		key, err := firstKey(ctx, target, "", after)
		if key == "" || err != nil {
			return out, err
		}
		name, _, inside := strings.Cut(key, "/")
		if !inside {
			after = key
			continue
		}
		kept, err := firstKey(ctx, target, name+"/"+folder+"/", "")
		if err != nil {
			return nil, err
		}
		if kept != "" {
			out = append(out, name)
		}
		after = name + "0" // behind all that is in the folder: 0 follows the slash
	}
}

// Maker is the name of the pipeline that makes a table, "" for none.
func Maker(s *table.Snapshot) string { return s.Config[ConfigKey] }

// firstKey is the first key of a store behind another, "" for none.
func firstKey(ctx context.Context, s store.Store, prefix, after string) (string, error) {
	for info, err := range s.List(ctx, prefix, after) {
		return info.Key, err
	}
	return "", nil
}

// History is what the flows of a dataset did.
type History struct {
	// Events are those of batches, each flow's in the order of its batches, of several
	// flows by time. Those of batches that failed stand before the batch that landed
	// under the same number. Attempts that did neither are left out: their run died.
	Events []event.Event
	// Dropped are the rows that rules dropped, by attempt.
	Dropped map[string]Rows
	// Lost are batches that landed and of which there is no record any more.
	Lost []event.Event
}

// Past reads what the flows of a dataset did from the folder of its table, which need not
// have a table yet. It writes nothing.
func Past(ctx context.Context, data store.Store, t table.Table) (*History, error) {
	r := Book{data, t}
	snap, err := t.Snapshot(ctx)
	if err != nil && !errors.Is(err, table.ErrNoTable) {
		return nil, err
	}
	flows, err := r.flows(ctx, snap)
	if err != nil {
		return nil, err
	}
	h := &History{Dropped: map[string]Rows{}}
	var all [][]event.Event
	for _, name := range slices.Sorted(maps.Keys(flows)) {
		events, err := flows[name].past(ctx, h)
		if err != nil {
			return nil, err
		}
		all = append(all, events, flows[name].looks)
	}
	h.Events = Merge(all...)
	return h, nil
}

// flowPast is what there is of one flow.
type flowPast struct {
	Book
	name string
	snap *table.Snapshot
	// last is the newest batch that landed, failed the keys of the records of those that
	// did not, in order.
	last   int64
	failed []string
	// looks are what was seen of the table beside batches, by time.
	looks []event.Event
}

// flows finds the flows that the log or the folder knows, by the name of their folders.
func (r Book) flows(ctx context.Context, snap *table.Snapshot) (map[string]*flowPast, error) {
	out := map[string]*flowPast{}
	if snap != nil {
		for a, batch := range snap.Txns {
			if name, ok := strings.CutPrefix(a, AppPrefix); ok {
				out[KeyPart(name)] = &flowPast{Book: r, name: name, snap: snap, last: batch}
			}
		}
	}
	for info, err := range r.Data.List(ctx, folder+"/", "") {
		if err != nil {
			return nil, err
		}
		parts := strings.Split(strings.TrimPrefix(info.Key, folder+"/"), "/")
		look := len(parts) == 3 && parts[1] == "looks"
		if !look && (len(parts) != 4 || parts[1] != "attempts" || parts[3] != "failed.json") {
			continue
		}
		f := out[parts[0]]
		if f == nil {
			f = &flowPast{Book: r, name: parts[0]}
			out[parts[0]] = f
		}
		if !look {
			f.failed = append(f.failed, info.Key)
			continue
		}
		a, err := r.Read(ctx, info.Key)
		if err != nil {
			return nil, Unreadable(r.Data.URL(info.Key), err)
		}
		f.looks = append(f.looks, a.event())
	}
	return out, nil
}

// past reads the records of the flow, and adds what is beside them to h.
func (f *flowPast) past(ctx context.Context, h *History) ([]event.Event, error) {
	failed, err := f.failures(ctx)
	if err != nil {
		return nil, err
	}
	var out []event.Event
	for n := int64(1); n <= f.last; n++ {
		for len(failed) > 0 && failed[0].Batch <= n {
			out, failed = append(out, failed[0]), failed[1:]
		}
		a, err := f.landed(ctx, n)
		if errors.Is(err, fs.ErrNotExist) {
			h.Lost = append(h.Lost, event.Event{Source: f.name, Batch: n})
			continue
		}
		if err != nil {
			return nil, Unreadable(f.Data.URL(folder), err)
		}
		out = append(out, a.event())
		if a.Dropped != nil {
			h.Dropped[a.ID] = Rows{data: f.Data, folder: path.Dir(f.AttemptKey(f.name, n, a.ID)), dropped: a.Dropped}
		}
	}
	return append(out, failed...), nil
}

// landed reads the record of the attempt that landed a batch.
func (f *flowPast) landed(ctx context.Context, n int64) (*Attempt, error) {
	m, _, err := f.Winner(ctx, f.name, n, f.snap)
	if err != nil {
		return nil, err
	}
	a, err := f.Read(ctx, f.AttemptKey(f.name, n, m.Attempt))
	if err != nil {
		return nil, err
	}
	a.Event.TableVersion = m.Version
	return a, nil
}

// failures are the events of batches of which nothing was written, by batch and time.
func (f *flowPast) failures(ctx context.Context) ([]event.Event, error) {
	out := make([]event.Event, 0, len(f.failed))
	for _, key := range f.failed {
		a, err := f.Read(ctx, key)
		if err != nil {
			return nil, Unreadable(f.Data.URL(key), err)
		}
		out = append(out, a.event())
	}
	slices.SortStableFunc(out, func(a, b event.Event) int {
		if a.Batch != b.Batch {
			return int(a.Batch - b.Batch)
		}
		return a.Time.Compare(b.Time)
	})
	return out, nil
}

// Unreadable says what to do about a record that nobody can read.
func Unreadable(url string, err error) error {
	switch {
	case errors.Is(err, ErrNewer):
		return diag.New(diag.PipelineState, "%v", err).In(diag.Place{File: url}).Hinted("read it with the newer release that wrote it")
	case errors.Is(err, ErrBroken):
		return diag.New(diag.PipelineState, "%v", err).In(diag.Place{File: url}).Because(err).
			Hinted("put it back from a backup, or remove it: what it says is not told then")
	}
	return err
}

func (a *Attempt) event() event.Event {
	return event.Event{Time: a.Time, Source: a.Event.Dataset, Batch: a.Batch, Attempt: a.ID, Type: "dataset", Dataset: &a.Event}
}

// Merge puts lists of events into one by time, and keeps the order of each.
func Merge(lists ...[]event.Event) []event.Event {
	var out []event.Event
	for {
		first := -1
		for i, l := range lists {
			if len(l) > 0 && (first < 0 || l[0].Time.Before(lists[first][0].Time)) {
				first = i
			}
		}
		if first < 0 {
			return out
		}
		out, lists[first] = append(out, lists[first][0]), lists[first][1:]
	}
}
