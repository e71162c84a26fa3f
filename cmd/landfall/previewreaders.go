package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"landfall/internal/readers"
	"landfall/internal/report"
	"landfall/internal/table"
)

// previewReaders tells who can read the table as it would be.
type previewReaders struct {
	Readers []readerVerdict `json:"readers"`
	// ShutOut names the readers that can read the table as it is, and not then.
	ShutOut []string `json:"shut_out"`
}

type readerVerdict struct {
	Reader  string `json:"reader"`
	Version string `json:"version"`
	Reads   bool   `json:"reads"`
	Why     string `json:"why,omitempty"`
}

// asked is what a table asks of its readers now; nil if there is none.
func asked(ctx context.Context, t table.Table) (*readers.Table, error) {
	snap, err := t.Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &readers.Table{
		MinReader: snap.Protocol.MinReader, Features: snap.Protocol.ReaderFeatures,
		Mapping: snap.Config["delta.columnMapping.mode"], Schema: snap.Schema,
	}, nil
}

// comparing remembers what a table asks now, to be compared with what it asks when
// the function that it returns is called. A table that cannot be read is told there:
// the run between says more about it.
func comparing(ctx context.Context, t table.Table, look previewFlags) func() (*previewReaders, error) {
	if !look.readers {
		return func() (*previewReaders, error) { return nil, nil }
	}
	before, unread := asked(ctx, t)
	return func() (*previewReaders, error) {
		after, err := asked(ctx, t)
		if err = errors.Join(unread, err); err != nil || after == nil {
			return nil, err
		}
		return judge(before, *after), nil
	}
}

// judge compares the table before and after; before is nil for a new one.
func judge(before *readers.Table, after readers.Table) *previewReaders {
	p := &previewReaders{ShutOut: []string{}}
	for _, v := range readers.Judge(after) {
		p.Readers = append(p.Readers, readerVerdict{Reader: v.Name, Version: v.Version, Reads: v.Reads, Why: v.Why})
	}
	for _, r := range readers.ShutOut(before, after) {
		p.ShutOut = append(p.ShutOut, r.Name)
	}
	return p
}

// readersText prints a line a reader.
func (p *previewReaders) readersText(b *strings.Builder) {
	if p == nil {
		return
	}
	var lines [][]string
	for _, v := range p.Readers {
		reads := "yes"
		if !v.Reads {
			reads = "no"
		}
		lines = append(lines, []string{v.Reader, v.Version, reads, v.Why})
	}
	b.WriteString("\n")
	b.WriteString(report.Table([]string{"reader", "version", "reads", "why not"}, lines, report.Layout{Indent: 2}))
	out := "no reader"
	if len(p.ShutOut) > 0 {
		out = strings.Join(p.ShutOut, ", ")
	}
	fmt.Fprintf(b, "  shut out by this: %s\n", out)
}
