package deliver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
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
	// base is the table as the run found it; nil for none.
	base *table.Snapshot
	lock *os.File
	// made says that the run made the table's folder.
	made bool
}

// tries is how often a commit is computed anew when others commit.
const tries = 10

// prepareTable looks at the table before anything is read.
func prepareTable(ctx context.Context, s dataset.Sink, o Options) (*inTable, error) {
	if s.Naming.FileColumn != "" || s.Naming.FolderColumn != "" {
		return nil, diag.New(diag.FlowRefused, "sink %s: found files named by a column, and a table names its own", s.Name).In(s.At).
			Hinted("leave rowUrlColumn and rowFolderUrlColumn out")
	}
	if s.Truncate {
		return nil, diag.New(diag.FlowRefused, "sink %s: found truncate: true, which is for folders of files and not for a table", s.Name).In(s.At).
			Hinted("say deltaTruncate: true to replace the rows, overwrite: true to replace the definition as well, or leave it out to add rows")
	}
	data, err := o.Disk.Open(o.Folder)
	if err != nil {
		return nil, err
	}
	t := &inTable{sink: s, options: o, data: data, table: o.Table(data)}
	if t.base, err = t.snapshot(ctx); err != nil {
		return nil, err
	}
	if t.base == nil {
		return t, t.table.CheckEmpty(ctx)
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

// target says where the engine writes the rows of a step. What the table cannot take is
// refused here, before any row is read.
func (t *inTable) target(ctx context.Context, step *plan.Step) (engine.Target, error) {
	t.columns = columnsOf(step)
	if err := t.namesFit(); err != nil {
		return engine.Target{}, err
	}
	if _, err := t.schema(t.base); err != nil {
		return engine.Target{}, err
	}
	keys, err := t.keys(t.base)
	if err != nil {
		return engine.Target{}, err
	}
	if err := t.open(ctx); err != nil {
		return engine.Target{}, problem(t.sink, t.options, err)
	}
	to := engine.Target{Folder: t.folder(), Compression: "snappy", Keys: t.written(keys)}
	switch p := t.sink.Partition; {
	case len(keys) > 0:
	case p.Kind == dataset.Hash:
		to.Files, to.By = p.Count, p.Columns
	case p.Kind == dataset.RoundRobin:
		to.Files = p.Count
	}
	return to, nil
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

// publishNoted notes the run down before its commit, and takes the note back if there is
// none.
func (t *inTable) publishNoted(ctx context.Context, name string, record []byte) (Output, error) {
	if err := t.data.Create(ctx, name, record); err != nil && !errors.Is(err, store.ErrExist) {
		return Output{}, problem(t.sink, t.options, err)
	}
	out, err := t.publish(ctx)
	if err != nil {
		err = errors.Join(err, t.data.Delete(context.WithoutCancel(ctx), name))
	}
	return out, err
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

// commit makes the table hold the rows. It lands once for a run, however often it is
// called: the table knows the runs that wrote to it.
func (t *inTable) commit(ctx context.Context) (Output, error) {
	snap, err := t.snapshot(ctx)
	if err != nil {
		return Output{}, err
	}
	c := table.Change{
		App: appPrefix + t.options.Run + "/" + t.sink.Name, Batch: 1,
		Attempt: t.options.Run + "-" + t.sink.Name, Operation: "WRITE", Parameters: map[string]string{"mode": t.mode()},
	}
	if snap != nil && snap.Txns[c.App] >= c.Batch {
		result, err := t.table.Commit(ctx, snap, c) // finds the version
		out := t.out()
		out.Version = result.Version
		return out, err
	}
	to, err := t.change(snap, &c)
	if err != nil {
		return Output{}, err
	}
	out := Output{Removed: len(c.Removes)}
	if c.Adds, err = t.adds(ctx, to, &out); err != nil {
		return Output{}, errors.Join(err, t.drop(ctx, c.Adds))
	}
	result, err := t.table.Commit(ctx, snap, c)
	if lost := new(*table.Conflict); errors.As(err, lost) || refusal(err) {
		return Output{}, errors.Join(err, t.drop(ctx, c.Adds))
	}
	out.Version = result.Version
	return out, err
}

// refusal tells whether a commit was refused, so that its files are in no version.
func refusal(err error) bool {
	var d *diag.Diagnostic
	return errors.As(err, &d) && !errors.Is(err, table.ErrUncertain)
}

// change works out all of a change but its files, and returns the schema that the table
// will have.
func (t *inTable) change(snap *table.Snapshot, c *table.Change) (schema.Struct, error) {
	to, err := t.schema(snap)
	if err != nil {
		return to, err
	}
	keys, err := t.keys(snap)
	if err != nil {
		return to, err
	}
	if staged, err := t.keys(t.base); err != nil || strings.Join(staged, ",") != strings.Join(keys, ",") {
		return to, errors.Join(err, diag.New(diag.ConflictLost, "sink %s: somebody made the table meanwhile, with other partitions", t.sink.Name).
			In(diag.Place{File: t.options.Folder}).Hinted("run again"))
	}
	if snap == nil {
		c.TableID, c.Partitions = t.options.NewID(), keys
	}
	if snap == nil || len(to.Fields) != len(snap.Schema.Fields) || t.sink.Change == dataset.Overwrite {
		c.Schema = &to
	}
	if snap != nil && t.sink.Change != dataset.Append {
		for _, f := range snap.Files() {
			c.Removes = append(c.Removes, f)
		}
	}
	return to, nil
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

// adds makes data files of the table of those that the engine wrote. After an error they
// are those that were finished.
func (t *inTable) adds(ctx context.Context, to schema.Struct, out *Output) ([]table.File, error) {
	var adds []table.File
	for i, w := range t.staged {
		keys, err := keysOf(w.Path, t.columns)
		if err != nil {
			return adds, fmt.Errorf("place of %s: %w", w.Path, err)
		}
		o := datafile.Options{Name: func() string {
			return path.Join(folderOf(keys), fmt.Sprintf("part-%05d-%s.snappy.parquet", i, t.options.NewID()))
		}}
		r, err := datafile.Reshape(ctx, t.data, path.Join(t.stage(), w.Path), nil, datafile.Shape{Schema: without(to, keys)}, o)
		if err != nil {
			return adds, err
		}
		if r.File == nil {
			continue // no rows
		}
		f := r.File
		adds = append(adds, table.File{Path: f.Path, Size: f.Size, Stats: f.Stats, Rows: f.Rows, ModTime: t.options.Now(), Partition: partition(to, keys)})
		out.Files = append(out.Files, File{Path: f.Path, Rows: f.Rows, Size: f.Size})
		out.Rows += f.Rows
		if w.Rows >= 0 && w.Rows != f.Rows {
			return adds, fmt.Errorf("%s: found %d rows in the table's file, want %d", w.Path, f.Rows, w.Rows)
		}
	}
	return adds, nil
}

// drop deletes data files that are in no version of the table.
func (t *inTable) drop(ctx context.Context, files []table.File) error {
	var problems []error
	for _, f := range files {
		problems = append(problems, t.data.Delete(context.WithoutCancel(ctx), f.Path))
	}
	return errors.Join(problems...)
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
