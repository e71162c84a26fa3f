package pipeline

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"landfall/internal/datafile"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/pipeline/feed"
	"landfall/internal/pipeline/record"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/table"
)

// assembly makes data files of rows that were written aside, and writes standing ones
// again from which rows are taken back, or whose columns get other types.
type assembly struct {
	*batch
	writing *writing
	gone    map[string][]int64
	// to is the schema that the table will have, grown tells that standing files have
	// to be written again for it.
	to    schema.Struct
	grown bool
	// named counts the data files that have a name.
	named int
}

func (a *assembly) run(ctx context.Context) error {
	if err := a.schema(); err != nil {
		return err
	}
	keys, err := a.writing.partitionKeys()
	if err != nil {
		return err
	}
	if err := a.samePartitions(keys); err != nil {
		return err
	}
	a.change = table.Change{
		App: record.App(a.flow.Name), Batch: a.attempt.Batch, Attempt: a.attempt.ID, Operation: "WRITE",
		Parameters: map[string]string{"mode": map[bool]string{true: "Overwrite", false: "Append"}[a.anew]},
	}
	if a.base == nil {
		if err := a.book.Begin(ctx, a.Name); err != nil {
			return err
		}
		a.change.TableID, a.change.Partitions = a.NewID(), keys
		a.change.Config = map[string]string{record.ConfigKey: a.Name}
		a.attempt.Anew = ""
	}
	if a.base != nil && a.attempt.Anew != a.base.Config[record.AnewKey] {
		a.change.Config = map[string]string{record.AnewKey: a.attempt.Anew}
	}
	if a.base == nil || !same(a.base.Schema, a.to) {
		a.change.Schema = &a.to
	}
	if err := a.standing(ctx); err != nil {
		return err
	}
	for i, o := range a.writing.outputs {
		if err := a.adds(ctx, i, o, keys); err != nil {
			return err
		}
	}
	return a.keepDropped(ctx)
}

func same(a, b schema.Struct) bool { return a.String() == b.String() }

// schema is that of the table with the rows: columns by name, new ones behind, types that
// hold both what stands and what comes.
func (a *assembly) schema() error {
	columns := fields(a.query.columns)
	for i, c := range columns {
		columns[i].Type, _ = schema.Storable(c.Type)
	}
	if a.base == nil || a.anew {
		a.to = schema.Struct{Fields: columns}
		return nil
	}
	a.to = schema.Struct{Fields: slices.Clone(a.base.Schema.Fields)}
	var problems diag.List
	for _, c := range columns {
		at := a.to.Lookup(c.Name)
		if at < 0 {
			a.to.Fields = append(a.to.Fields, c)
			a.attempt.Event.Added = append(a.attempt.Event.Added, c.Name)
			continue
		}
		have := a.to.Fields[at].Type
		switch joined, lossless := schema.Join(have, c.Type); {
		case have.String() == c.Type.String(), schema.Widens(c.Type, have):
		case lossless && schema.Widens(have, joined):
			a.to.Fields[at].Type, a.grown = joined, true
			a.attempt.Event.Widened = append(a.attempt.Event.Widened, c.Name)
		default:
			problems.Add(a.problem(diag.PipelineState, "%s: column %s is %s in the table, and the query gives %s, which it does not hold", a.dataset.Name, c.Name, have, c.Type).
				Hinted("convert it in the query: CAST(… AS %s); or make the table anew: landfall run --full-refresh %s", have, a.dataset.Name))
		}
	}
	return problems.Err()
}

// samePartitions refuses other partitions than those of the table.
func (a *assembly) samePartitions(keys []string) error {
	if a.base == nil || slices.EqualFunc(keys, a.base.Partitions, func(x, y string) bool { return schema.Fold(x) == schema.Fold(y) }) {
		return nil
	}
	return a.problem(diag.PipelineState, "%s: is partitioned by %v, and the statement says %v", a.dataset.Name, a.base.Partitions, keys).
		Hinted("say PARTITIONED BY as the table has it, or remove the table's folder and run again")
}

// files is the schema of data files: without the partition columns.
func (a *assembly) files(keys []string) schema.Struct {
	var out schema.Struct
	for _, f := range a.to.Fields {
		if !slices.ContainsFunc(keys, func(k string) bool { return schema.Fold(k) == schema.Fold(f.Name) }) {
			out.Fields = append(out.Fields, f)
		}
	}
	return out
}

// standing takes out or writes again the data files that are there.
func (a *assembly) standing(ctx context.Context) error {
	if a.base == nil {
		return nil
	}
	var past *lineage
	for _, f := range sorted(a.base) {
		if a.anew {
			a.change.Removes = append(a.change.Removes, f)
			a.attempt.Event.RowsRemoved += max(f.Rows, 0)
			continue
		}
		positions := a.gone[f.Path]
		if len(positions) == 0 && !a.grown {
			continue
		}
		if past == nil {
			var err error
			if past, err = a.lineage(ctx); err != nil {
				return err
			}
		}
		if err := a.again(ctx, f, positions, past.files[f.Path]); err != nil {
			return err
		}
	}
	return nil
}

// again writes a data file without some rows, in the new schema.
func (a *assembly) again(ctx context.Context, f table.File, positions []int64, was record.DataFile) error {
	deleted, err := a.book.Table.Deleted(ctx, f)
	if err != nil {
		return err
	}
	moved := len(positions) == 0
	a.attempt.Event.RowsRemoved += int64(len(positions))
	all := append(slices.Clone(deleted), positions...)
	slices.Sort(all)
	r, err := datafile.Reshape(ctx, a.book.Data, f.Path, slices.Compact(all), datafile.Shape{Schema: a.files(a.base.Partitions)}, a.options())
	if err != nil {
		return err
	}
	f.Moved = moved
	a.change.Removes = append(a.change.Removes, f)
	if r.File == nil {
		return nil
	}
	a.made = append(a.made, r.File.Path)
	a.change.Adds = append(a.change.Adds, table.File{
		Path: r.File.Path, Size: r.File.Size, Stats: r.File.Stats, Rows: r.File.Rows, ModTime: a.Now(), Partition: f.Partition, Moved: moved,
		Tags: f.Tags,
	})
	a.attempt.Files = append(a.attempt.Files, record.DataFile{Path: r.File.Path, Rows: r.File.Rows, Flow: was.Flow, Parts: without(was.Parts, all)})
	return nil
}

// without are the runs of rows that are left when rows at some positions are taken out.
func without(parts []record.Part, gone []int64) []record.Part {
	var out []record.Part
	at := int64(0)
	for _, p := range parts {
		left := p.Rows
		for _, g := range gone {
			if g >= at && g < at+p.Rows {
				left--
			}
		}
		at += p.Rows
		if left > 0 {
			p.Rows = left
			out = append(out, p)
		}
	}
	return out
}

// options name data files by the attempt that makes them.
func (a *assembly) options() datafile.Options {
	return datafile.Options{Name: func() string {
		a.named++
		return record.DataKey(a.attempt.ID, a.named)
	}}
}

// staged is the table's store with the files that were written aside.
type staged struct {
	store.Store
	aside store.Store
	key   string
}

// Open implements store.Store.
func (s staged) Open(ctx context.Context, key string) (store.Object, error) {
	if key == s.key {
		return s.aside.Open(ctx, key)
	}
	return s.Store.Open(ctx, key)
}

// aside makes a data file of one that was written aside.
func (a *assembly) aside(ctx context.Context, file string, as schema.Struct, o datafile.Options) (datafile.Rewritten, error) {
	s, err := a.Folder(a.writing.stage)
	if err != nil {
		return datafile.Rewritten{}, err
	}
	return datafile.Reshape(ctx, staged{Store: a.book.Data, aside: s, key: file}, file, nil, datafile.Shape{Schema: as}, o)
}

// adds makes data files of the rows of one partition.
func (a *assembly) adds(ctx context.Context, n int, o output, keys []string) error {
	left := slices.Clone(o.parts)
	for _, w := range o.files {
		r, err := a.aside(ctx, w.Path, a.files(keys), a.options())
		if err != nil {
			return err
		}
		if r.File == nil {
			continue
		}
		a.made = append(a.made, r.File.Path)
		if w.Rows >= 0 && w.Rows != r.File.Rows {
			return fmt.Errorf("%s: output %d has %d rows, want %d", a.dataset.Name, n, r.File.Rows, w.Rows)
		}
		a.change.Adds = append(a.change.Adds, table.File{
			Path: r.File.Path, Size: r.File.Size, Stats: r.File.Stats, Rows: r.File.Rows, ModTime: a.Now(), Partition: o.partition,
			Tags: map[string]string{feed.RowsTag: r.File.Path},
		})
		d := record.DataFile{Path: r.File.Path, Rows: r.File.Rows}
		d.Parts, left = first(left, r.File.Rows)
		a.attempt.Files = append(a.attempt.Files, d)
	}
	return nil
}

// first takes so many rows from the front of runs.
func first(parts []record.Part, rows int64) (taken, left []record.Part) {
	for i, p := range parts {
		if rows == 0 {
			return taken, parts[i:]
		}
		n := min(rows, p.Rows)
		taken = append(taken, record.Part{Table: p.Table, File: p.File, Rows: n})
		rows -= n
		if n < p.Rows {
			p.Rows -= n
			return taken, append([]record.Part{p}, parts[i+1:]...)
		}
	}
	return taken, nil
}

// keepDropped keeps the rows that rules drop beside the attempt's record.
func (a *assembly) keepDropped(ctx context.Context) error {
	if len(a.writing.dropped) == 0 {
		return nil
	}
	as := a.writing.droppedSchema()
	text, err := as.JSON()
	if err != nil {
		return err
	}
	kept := &record.Dropped{Columns: string(text)}
	for i, w := range a.writing.dropped {
		name := fmt.Sprintf("dropped-%d.parquet", i+1)
		key := path.Join(path.Dir(a.book.AttemptKey(a.attempt.Flow, a.attempt.Batch, a.attempt.ID)), name)
		r, err := a.aside(ctx, w.Path, as, datafile.Options{Name: func() string { return key }})
		if err != nil {
			return err
		}
		if r.File != nil {
			kept.Files = append(kept.Files, record.DroppedFile{Name: name, Rows: r.File.Rows, Size: r.File.Size})
		}
	}
	a.attempt.Dropped = kept
	return nil
}

// commit keeps the record and makes the rows visible.
func (b *batch) commit(ctx context.Context) (*event.Dataset, error) {
	if b.base != nil {
		b.attempt.Event.TableVersion = b.base.Version + 1
	}
	if err := b.book.Write(ctx, &b.attempt); err != nil {
		return nil, errors.Join(err, b.drop(ctx))
	}
	result, err := b.book.Table.Commit(ctx, b.base, b.change)
	var lost *table.Conflict
	var refused *diag.Diagnostic
	if !errors.Is(err, table.ErrUncertain) && (errors.As(err, &lost) || errors.As(err, &refused)) {
		return nil, errors.Join(err, b.drop(ctx))
	}
	if err != nil {
		return nil, err
	}
	if result.Attempt != b.attempt.ID { // somebody else landed the batch
		return nil, b.drop(ctx)
	}
	b.attempt.Event.TableVersion = result.Version
	b.refreshed = b.refreshed || b.refreshing()
	return &b.attempt.Event, b.book.SetMark(ctx, b.attempt.Flow, b.attempt.Batch, record.Mark{Format: record.Format, Attempt: b.attempt.ID, Version: result.Version})
}

// drop deletes data files that are in no version of the table.
func (b *batch) drop(ctx context.Context) error {
	var problems []error
	for _, f := range b.made {
		problems = append(problems, b.book.Data.Delete(context.WithoutCancel(ctx), f))
	}
	return errors.Join(problems...)
}
