package deliver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"landfall/internal/datafile"
	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/flow/dataset"
	"landfall/internal/plan"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/table"
)

// inTable is the output of a sink that is a Delta table. The engine writes Parquet files
// into a hidden folder of the table, of which data files are made in the table's types,
// with statistics; one commit makes them visible.
type inTable struct {
	sink    dataset.Sink
	options Options
	data    store.Store
	table   table.Table
	columns []schema.Field
	staged  []engine.Written
}

// tries is how often a commit is computed anew when others commit.
const tries = 10

func (t *inTable) stage() string {
	return path.Join(recordFolder, "flow-"+t.options.Run+"-"+t.sink.Name)
}

func (t *inTable) folder() string {
	return filepath.Join(t.options.Folder, filepath.FromSlash(t.stage()))
}

// prepare refuses what cannot be written before anything is read.
func prepareTable(ctx context.Context, s dataset.Sink, o Options) (*inTable, error) {
	if s.Partition.Kind == dataset.ByKey {
		return nil, diag.New(diag.FlowRefused, "sink %s: found partitionBy('key') into a table, which does not run here", s.Name).In(s.At).
			Hinted("leave it out, or write Parquet")
	}
	data, err := o.Disk.Open(o.Folder)
	if err != nil {
		return nil, err
	}
	t := &inTable{sink: s, options: o, data: data, table: o.Table(data)}
	snap, err := t.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	if snap == nil {
		return t, t.table.CheckEmpty(ctx)
	}
	if len(snap.Partitions) > 0 {
		return nil, diag.New(diag.FlowRefused, "sink %s: found a table that is partitioned by %s, which is not written here", s.Name, strings.Join(snap.Partitions, ", ")).
			In(diag.Place{File: o.Folder}).Hinted("write Parquet, and land the folder: landfall land FOLDER TABLE")
	}
	return t, nil
}

// snapshot is the table as it is; nil for none.
func (t *inTable) snapshot(ctx context.Context) (*table.Snapshot, error) {
	snap, err := t.table.Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		return nil, nil
	}
	return snap, err
}

// target says where the engine writes the rows of a step.
func (t *inTable) target(step *plan.Step) (engine.Target, error) {
	t.columns = columnsOf(step)
	if err := t.namesFit(); err != nil {
		return engine.Target{}, err
	}
	if err := os.MkdirAll(t.folder(), 0o777); err != nil { //nolint:gosec // as other programs make folders of data
		return engine.Target{}, problem(t.sink, t.options, err)
	}
	return engine.Target{Folder: t.folder(), Compression: "snappy"}, nil
}

// columnsOf are those of a sink.
func columnsOf(s *plan.Step) []schema.Field {
	var out []schema.Field
	for _, c := range s.Visible() {
		out = append(out, schema.Field{Name: c.Name, Type: c.Type, Nullable: true})
	}
	return out
}

// namesFit refuses names that no table has without column mapping.
func (t *inTable) namesFit() error {
	var problems diag.List
	seen := map[string]string{}
	for _, c := range t.columns {
		if strings.ContainsAny(c.Name, " ,;{}()\n\t=") {
			problems.Add(diag.New(diag.FlowInput, "sink %s: found column %s, and a table has no name with white space or one of ,;{}()=", t.sink.Name, diag.Quote(c.Name)).In(t.sink.At).
				Hinted("put a select before the sink: each(match(true()), replace($$, ' ', '_') = $$)"))
		}
		if other, ok := seen[schema.Fold(c.Name)]; ok {
			problems.Add(diag.New(diag.FlowInput, "sink %s: found the columns %s and %s, and a table tells no casings apart", t.sink.Name, diag.Quote(other), diag.Quote(c.Name)).In(t.sink.At).
				Hinted("put a select before the sink that takes one of them"))
		}
		seen[schema.Fold(c.Name)] = c.Name
	}
	return problems.Err()
}

// publish makes data files of what the engine wrote, and commits them.
func (t *inTable) publish(ctx context.Context) (Output, error) {
	for try := 1; ; try++ {
		out, err := t.commit(ctx)
		var lost *table.Conflict
		if !errors.As(err, &lost) {
			return out, err
		}
		if try == tries {
			return Output{}, diag.New(diag.ConflictLost, "sink %s: others changed the table %d times meanwhile", t.sink.Name, tries).In(diag.Place{File: t.options.Folder}).
				Because(err).Hinted("run again when they are done")
		}
	}
}

func (t *inTable) commit(ctx context.Context) (Output, error) {
	snap, err := t.snapshot(ctx)
	if err != nil {
		return Output{}, err
	}
	to, err := t.schema(snap)
	if err != nil {
		return Output{}, err
	}
	c := table.Change{Attempt: t.options.Run + "-" + t.sink.Name, Operation: "WRITE", Parameters: map[string]string{"mode": t.mode()}}
	if snap == nil {
		c.TableID = t.options.NewID()
	}
	if snap == nil || len(to.Fields) != len(snap.Schema.Fields) || t.sink.Change == dataset.Overwrite {
		c.Schema = &to
	}
	out := Output{}
	if c.Adds, err = t.adds(ctx, to, &out); err != nil {
		return Output{}, err
	}
	if snap != nil && t.sink.Change != dataset.Append {
		for _, f := range snap.Files() {
			c.Removes = append(c.Removes, f)
		}
		out.Removed = len(c.Removes)
	}
	result, err := t.table.Commit(ctx, snap, c)
	out.Version = result.Version
	return out, err
}

// out is what the engine wrote.
func (t *inTable) out() Output {
	var out Output
	for _, w := range t.staged {
		out.Files = append(out.Files, File{Path: w.Path, Rows: w.Rows, Size: w.Size})
		out.Rows += w.Rows
	}
	return out
}

func (t *inTable) mode() string {
	if t.sink.Change == dataset.Append {
		return "Append"
	}
	return "Overwrite"
}

// adds makes data files of the table of those that the engine wrote.
func (t *inTable) adds(ctx context.Context, to schema.Struct, out *Output) ([]table.File, error) {
	var adds []table.File
	for i, w := range t.staged {
		o := datafile.Options{Name: func() string { return fmt.Sprintf("part-%05d-%s.snappy.parquet", i, t.options.NewID()) }}
		r, err := datafile.Reshape(ctx, t.data, path.Join(t.stage(), w.Path), nil, datafile.Shape{Schema: to}, o)
		if err != nil {
			return nil, err
		}
		if r.File == nil {
			continue // no rows
		}
		f := r.File
		adds = append(adds, table.File{Path: f.Path, Size: f.Size, Stats: f.Stats, Rows: f.Rows, ModTime: t.options.Now()})
		out.Files = append(out.Files, File{Path: f.Path, Rows: f.Rows, Size: f.Size})
		out.Rows += f.Rows
	}
	return adds, nil
}

// schema is that of the table with the rows. Columns are matched by name; those that the
// table lacks come behind its own if the sink merges schemas.
func (t *inTable) schema(snap *table.Snapshot) (schema.Struct, error) {
	if snap == nil || t.sink.Change == dataset.Overwrite {
		return schema.Struct{Fields: t.columns}, nil
	}
	to := snap.Schema
	var problems diag.List
	for _, c := range t.columns {
		at := to.Lookup(c.Name)
		switch {
		case at < 0 && t.sink.MergeSchema:
			to.Fields = append(to.Fields[:len(to.Fields):len(to.Fields)], c)
		case at < 0:
			problems.Add(diag.New(diag.FlowInput, "sink %s: found column %s, which the table does not have", t.sink.Name, diag.Quote(c.Name)).In(t.sink.At).
				Hinted("let the table take it: mergeSchema: true; or map the columns that it has"))
		case !schema.Widens(c.Type, to.Fields[at].Type) && c.Type.String() != to.Fields[at].Type.String():
			problems.Add(diag.New(diag.FlowInput, "sink %s: found %s in column %s, and the table has %s there", t.sink.Name, c.Type, diag.Quote(c.Name), to.Fields[at].Type).In(t.sink.At).
				Hinted("cast the column in a derive before the sink"))
		}
	}
	return to, problems.Err()
}

func (t *inTable) discard() error { return os.RemoveAll(t.folder()) }
