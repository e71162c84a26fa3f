package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"landfall/internal/event"
	"landfall/internal/store"
	"landfall/internal/store/fault"
)

// met is what a run in the sandbox did.
type met struct {
	err error
	// drift, landed and rescued are those of the source, held what went to quarantine.
	drift           []event.Drift
	landed, rescued int64
	held            []event.Quarantined
	// broken counts the rows that broke nothing_rescued in all datasets, datasets those that
	// look.
	broken   int64
	datasets int
	alerts   []drillAlert
}

// drillAlert is a message that somebody would have had.
type drillAlert struct {
	Kind, File, Column, What string
}

// run lands the source, and runs the pipelines if there are any.
func (s *sandbox) run(ctx context.Context) met {
	var out bytes.Buffer
	s.stdout = &out
	var m met
	if s.pipelines {
		m.err = s.runPipelines(ctx, nil, runFlags{})
	} else if feeds, err := s.landing(landFlags{}, []string{s.source.Name}); err != nil {
		m.err = err
	} else {
		m.err = s.landAll(ctx, feeds)
	}
	for line := range strings.Lines(out.String()) {
		m.read(line, s.source.Name)
	}
	m.alerts = s.newAlerts()
	return m
}

// read takes what one line of the run's output says.
func (m *met) read(line, source string) {
	var l struct {
		Source      string              `json:"source"`
		Drift       []event.Drift       `json:"drift"`
		Quarantined []event.Quarantined `json:"quarantined"`
		Dataset     string              `json:"dataset"`
		Batches     json.RawMessage     `json:"batches"`
	}
	if json.Unmarshal([]byte(line), &l) != nil {
		return
	}
	if l.Dataset != "" {
		var batches []event.Dataset
		_ = json.Unmarshal(l.Batches, &batches) // a line of ours
		for _, b := range batches {
			for _, x := range b.Expectations {
				if x.Name == "nothing_rescued" {
					m.datasets++
					m.broken += x.False + x.Null
				}
			}
		}
		return
	}
	if l.Source != source {
		return
	}
	var batches []event.Batch
	_ = json.Unmarshal(l.Batches, &batches) // a line of ours
	for _, b := range batches {
		m.landed, m.rescued = m.landed+b.RowsLanded, m.rescued+b.ValuesRescued
	}
	m.drift, m.held = append(m.drift, l.Drift...), append(m.held, l.Quarantined...)
}

// newAlerts are the messages that came since they were read last.
func (s *sandbox) newAlerts() []drillAlert {
	data, err := os.ReadFile(filepath.Join(s.dir, "alerts.ndjson"))
	if err != nil {
		return nil // nobody was told
	}
	var all []drillAlert
	for line := range strings.Lines(string(data)) {
		var a drillAlert
		if json.Unmarshal([]byte(line), &a) == nil {
			all = append(all, a)
		}
	}
	fresh := all[min(s.told, len(all)):]
	s.told = len(all)
	return fresh
}

// kind finds drift of a kind.
func (m met) kind(k event.Kind, column string) (event.Drift, bool) {
	for _, d := range m.drift {
		if d.Kind == k && (column == "" || strings.EqualFold(d.Column, column)) {
			return d, true
		}
	}
	return event.Drift{}, false
}

// columns are those of the sandbox's table as texts, without ours, and whether it has the
// source file of each row.
func (s *sandbox) columns(ctx context.Context) (texts []string, source bool, err error) {
	data, err := openStore(filepath.Join(s.dir, "lake", s.source.Name))
	if err != nil {
		return nil, false, err
	}
	snap, err := s.flowTable(data).Snapshot(ctx)
	if err != nil {
		return nil, false, err
	}
	for _, f := range snap.Schema.Fields {
		source = source || f.Name == "_source_file"
		if !strings.HasPrefix(f.Name, "_") {
			texts = append(texts, `coalesce(CAST("`+strings.ReplaceAll(f.Name, `"`, `""`)+`" AS VARCHAR), '∅')`)
		}
	}
	return texts, source && len(texts) > 0, nil
}

// ask reads the one row of a query on the sandbox's table.
func (s *sandbox) ask(ctx context.Context, sql string, into any) error {
	var out bytes.Buffer
	s.stdout = &out
	in, err := s.queryTables(ctx, []string{filepath.Join(s.dir, "lake", s.source.Name)})
	if err != nil {
		return err
	}
	if err := s.query(ctx, sql, in, 0); err != nil {
		return err
	}
	return json.Unmarshal(out.Bytes(), into)
}

// rows counts the rows of the sandbox's table.
func (s *sandbox) rows(ctx context.Context) (int64, error) {
	var row struct{ N int64 }
	err := s.ask(ctx, "SELECT count(*) AS n FROM t", &row)
	return row.N, err
}

// crashAt lets the stores of tables crash together at one of their calls, and tells how to
// see whether it came to that.
func (s *sandbox) crashAt(at int) func() bool {
	var mu sync.Mutex
	calls, hit := 0, false
	s.wrap = func(under store.Store) (store.Store, error) {
		return fault.New(under, fault.Plan{Kind: fault.Crash, Times: fault.Forever, Match: func(fault.Call) bool {
			mu.Lock()
			defer mu.Unlock()
			calls++
			hit = hit || calls == at+1
			return hit
		}}), nil
	}
	return func() bool { return hit }
}
