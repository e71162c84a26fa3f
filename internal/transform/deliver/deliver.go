// Package deliver writes the outputs of sinks aside, and puts each in its place in one
// step: readers of a folder find what it held before, or all that a run wrote.
//
// A run works in a hidden folder beside the one that it writes, which nobody else
// touches while it lives. What a dead run left is put right by the next that writes
// to the same folder.
package deliver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/flow/dataset"
	"landfall/internal/plan"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/table"
)

// Options say where a sink writes.
type Options struct {
	// Folder is an absolute path on this machine.
	Folder string
	// Run names the run; no other run has the name.
	Run  string
	Disk Disk
	// Table opens the Delta table of a folder.
	Table func(store.Store) table.Table
	Now   func() time.Time
	NewID func() string

	// before is that of system, for tests.
	before func(op, path string) error
}

// Disk gives folders other names, in one step each. Paths are absolute.
type Disk interface {
	// Open returns the store of a folder.
	Open(folder string) (store.Store, error)
	// Publish gives a folder a name that is free.
	Publish(ctx context.Context, folder, to string) error
	// Exchange gives two folders each other's name.
	Exchange(ctx context.Context, a, b string) error
}

// File is a file of an output.
type File struct {
	// Path is relative to the folder, with slashes.
	Path string `json:"path"`
	// Rows is −1 when it is not known.
	Rows int64 `json:"rows"`
	Size int64 `json:"size"`
}

// Output is what a sink wrote.
type Output struct {
	Files []File
	Rows  int64
	// Removed is how many files that were there before are gone.
	Removed int
	// Version is that of the Delta table; −1 for files.
	Version int64
}

// Delivery is the output of a sink on its way.
type Delivery struct {
	sink    dataset.Sink
	options Options
	stage   *stage
	columns []schema.Field
	out     Output
	// into is set for a table, in the place of the stage.
	into *inTable
}

// Prepare makes room for the output of a sink, and puts right what dead runs left.
func Prepare(ctx context.Context, s dataset.Sink, o Options) (*Delivery, error) {
	if s.Format == dataset.Delta {
		into, err := prepareTable(ctx, s, o)
		if err != nil {
			return nil, err
		}
		return &Delivery{sink: s, options: o, into: into}, nil
	}
	if err := refuse(s); err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(o.Folder); err == nil {
		o.Folder = real // a link has no name to give away
	}
	st, err := open(ctx, o)
	if err != nil {
		return nil, problem(s, o, err)
	}
	return &Delivery{sink: s, options: o, stage: st, out: Output{Version: -1}}, nil
}

// problem makes a diagnostic of an error of the file system.
func problem(s dataset.Sink, o Options, err error) error {
	var d *diag.Diagnostic
	if err == nil || errors.As(err, &d) || errors.Is(err, context.Canceled) {
		return err
	}
	code := diag.NoPermission
	if full(err) {
		code = diag.StoreFull
	}
	return diag.New(code, "sink %s: its output cannot be written", s.Name).In(diag.Place{File: o.Folder}).Because(err).
		Hinted("make room, or let the folder and the one that it is in be written to, and run again: what was there stays")
}

// Output says where and how the engine writes the rows of the sink, aside.
func (d *Delivery) Output(ctx context.Context, step *plan.Step) (engine.Output, error) {
	if d.into != nil {
		t, err := d.into.target(ctx, step)
		return engine.Output{Step: d.sink.Name, To: t}, err
	}
	d.columns = columnsOf(step)
	target := d.target()
	if byColumn(d.sink.Naming) != "" {
		name, err := d.column()
		if err != nil {
			return engine.Output{}, err
		}
		target.Files, target.By, target.Keys, target.KeysStay = 0, nil, []string{name}, true
	}
	if err := d.stage.mkdir(target.Folder); err != nil {
		return engine.Output{}, problem(d.sink, d.options, err)
	}
	return engine.Output{Step: d.sink.Name, To: target}, nil
}

// Take takes over what the engine wrote.
func (d *Delivery) Take(written []engine.Written) error {
	if d.into != nil {
		d.into.staged = written
		return nil
	}
	names, err := d.names(written)
	if err != nil {
		return err
	}
	for i, w := range written {
		if err := d.take(filepath.Join(d.stage.path("written"), filepath.FromSlash(w.Path)), names[i]); err != nil {
			return problem(d.sink, d.options, err)
		}
		d.out.Files = append(d.out.Files, File{Path: names[i], Rows: w.Rows, Size: w.Size})
		d.out.Rows += max(w.Rows, 0)
	}
	return nil
}

// target says how the engine writes.
func (d *Delivery) target() engine.Target {
	s := d.sink
	t := engine.Target{Folder: d.stage.path("written"), QuoteAll: s.QuoteAll}
	t.Compression, _ = codec(s) // Prepare refused those that are not written
	t.Top = append(make([]string, s.EmptyLines), s.HeaderLines...)
	switch s.Format {
	case dataset.Delimited:
		t.Format = engine.Delimited
		t.Text = engine.Dialect{Delimiter: s.Text.Delimiter, Quote: s.Text.Quote, Escape: s.Text.Escape, Null: s.Text.Null, Header: s.Text.Header && s.HeaderLines == nil}
	case dataset.JSON:
		t.Format = engine.JSON
		if s.Documents != dataset.Lines {
			t.Documents = engine.Array
		}
	case dataset.Parquet, dataset.Delta:
	}
	switch s.Partition.Kind {
	case dataset.Hash:
		t.Files, t.By = s.Partition.Count, s.Partition.Columns
	case dataset.RoundRobin:
		t.Files = s.Partition.Count
	case dataset.ByKey:
		t.Keys = s.Partition.Columns
	case dataset.Current:
	}
	return t
}

// take gives a file that the engine wrote its name in the output.
func (d *Delivery) take(from, name string) error {
	to := filepath.Join(d.stage.path("new"), filepath.FromSlash(name))
	if err := d.stage.mkdir(filepath.Dir(to)); err != nil {
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		return diag.New(diag.FlowInput, "sink %s: found two files of the name %s", d.sink.Name, diag.Quote(name)).In(d.sink.At).
			Hinted("let a name have the number of its file, as in out[n].parquet, or write one file: partitionBy('hash', 1)")
	}
	if err := d.stage.rename(from, to); err != nil {
		return err
	}
	return d.stage.sync(to)
}

// Records is the folder of a table in which the runs that wrote it are noted down.
const Records = recordFolder + "/runs"

// Beside is the folder in which the runs that wrote a folder of files are noted down. It
// is none of the folder's own, since there are readers that take every file of one.
func Beside(folder string) string {
	return filepath.Join(filepath.Dir(folder), "_"+filepath.Base(folder)+".runs")
}

// Staged is what was written aside. Of a table, rows and files are those of the engine.
func (d *Delivery) Staged() Output {
	if d.into != nil {
		return d.into.out()
	}
	return d.out
}

// Publish puts the output in its place, and notes the run down beside it. Called again
// after it came true, it does nothing.
func (d *Delivery) Publish(ctx context.Context, record []byte) (Output, error) {
	name := d.options.Now().UTC().Format("20060102T150405.000Z-") + d.options.Run + "-" + d.sink.Name + ".ndjson"
	if d.into != nil {
		return d.into.publishNoted(ctx, path.Join(Records, name), record)
	}
	if d.stage.done {
		return d.out, nil // once is enough: nothing is new any more
	}
	if err := d.stage.note(name, record); err != nil {
		return Output{}, problem(d.sink, d.options, err)
	}
	removed, err := d.stage.publish(ctx, d.options.Disk, d.sink.Truncate)
	if err != nil {
		return Output{}, problem(d.sink, d.options, err)
	}
	d.out.Removed = removed
	return d.out, nil
}

// Discard takes away what is left of the stage. It does nothing to an output that is in
// its place, and may be repeated.
func (d *Delivery) Discard() error {
	if err := d.discard(); err != nil {
		return fmt.Errorf("sink %s: clean up beside %s: %w", d.sink.Name, d.options.Folder, err)
	}
	return nil
}

func (d *Delivery) discard() error {
	if d.into != nil {
		return d.into.discard()
	}
	return d.stage.close(context.Background())
}

// extension is what names of files end in.
func extension(s dataset.Sink) string {
	packed := map[string]string{"gzip": ".gz", "zstd": ".zst"}[s.Compression]
	switch s.Format {
	case dataset.Delimited:
		return ".csv" + packed
	case dataset.JSON:
		return ".json" + packed
	case dataset.Parquet, dataset.Delta:
	}
	return ".parquet"
}

// names are those of the files that were written, in their order.
func (d *Delivery) names(written []engine.Written) ([]string, error) {
	var out []string
	for i, w := range written {
		name := fmt.Sprintf("part-%05d-%s%s", i, d.options.Run, extension(d.sink))
		switch n := d.sink.Naming; {
		case n.Pattern != "":
			name = numbered(n.Pattern, i+1)
		case len(n.Files) > 0 && w.Number < len(n.Files):
			name = n.Files[w.Number]
		case d.sink.File != "":
			name = d.sink.File
		}
		keys, err := keysOf(w.Path, d.columns)
		if err != nil {
			return nil, fmt.Errorf("sink %s: place of %s: %w", d.sink.Name, w.Path, err)
		}
		if byColumn(d.sink.Naming) == "" || len(keys) == 0 { // without rows, no value names the file
			out = append(out, path.Join(folderOf(keys), name))
			continue
		}
		if name, err = d.named(keys[0].value, name); err != nil {
			return nil, err
		}
		out = append(out, name)
	}
	return out, d.apart(out)
}
