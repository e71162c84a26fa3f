package pipeline

import (
	"context"
	"errors"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/event"
	"landfall/internal/pipeline/feed"
	"landfall/internal/pipeline/record"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
	"landfall/internal/sqlpipe"
	"landfall/internal/store"
	"landfall/internal/table"
)

// Hidden columns of streams: which table, which of its files, which row of that, the file
// that was landed, and what did not fit there.
const (
	sourceColumn  = "_landfall_source"
	originColumn  = "_landfall_origin"
	rescuedColumn = "_landfall_rescued"
)

// input is a table that a flow reads.
type input struct {
	// name is what records call it, view what the engine does.
	name, view string
	stream     bool
	data       store.Store
	table      table.Table
	snap       *table.Snapshot
	// files are those that are read, from the version after from up to that of snap.
	files []table.File
	from  int64
	// lost are the data files whose rows are gone.
	lost []table.File
	// moves are the data files that were written again with the same rows.
	moves []feed.Move
	// landed tells of the table of read_files(…), whose rows have _metadata.
	landed bool
}

// inputs are the tables that a flow reads, each once as a stream and once whole.
type inputs struct {
	list []*input
	// byName finds them by folded name and by whether they are streams.
	byName map[string]*input
	byCall map[*sparksql.TableCall]*input
}

func inputKey(name string, stream bool) string {
	if stream {
		return "stream " + schema.Fold(name)
	}
	return schema.Fold(name)
}

// label is what records call a table of a query.
func (r *runner) label(s sqlpipe.Source) string {
	if d := r.Pipeline.Find(s.Last()); d != nil && d != r.dataset {
		return d.Name
	}
	return strings.Join(s.Name, ".")
}

// open opens the tables that a flow reads, by way of views too.
func (r *runner) open(ctx context.Context, f sqlpipe.Flow) (*inputs, error) {
	in := &inputs{byName: map[string]*input{}, byCall: map[*sparksql.TableCall]*input{}}
	err := r.openAll(ctx, f.Query, f.File, in, map[string]bool{})
	if err != nil {
		return nil, err
	}
	for _, rule := range r.dataset.Rules {
		if rule.Kind != sqlpipe.References {
			continue
		}
		s := sqlpipe.Source{At: rule.At}
		for _, n := range rule.Table {
			s.Name = append(s.Name, n.Name)
		}
		if err := r.openOne(ctx, s, r.dataset.File, in); err != nil {
			return nil, err
		}
	}
	return in, nil
}

func (r *runner) openAll(ctx context.Context, q *sparksql.Query, f *sparksql.File, in *inputs, seen map[string]bool) error {
	tables, _ := sqlpipe.Sources(q)
	if err := r.openFiles(ctx, q, f, in); err != nil {
		return err
	}
	for _, s := range tables {
		if d := r.Pipeline.Find(s.Last()); d != nil && d.Kind == sqlpipe.View {
			if seen[d.Name] {
				continue
			}
			seen[d.Name] = true
			for _, inner := range d.Flows {
				if err := r.openAll(ctx, inner.Query, inner.File, in, seen); err != nil {
					return err
				}
			}
			continue
		}
		if err := r.openOne(ctx, s, f, in); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) openOne(ctx context.Context, s sqlpipe.Source, f *sparksql.File, in *inputs) error {
	name := r.label(s)
	if in.byName[inputKey(name, s.Stream)] != nil {
		return nil
	}
	data, err := r.storeOf(s)
	if err != nil {
		return err
	}
	i, err := r.add(ctx, &input{name: name, stream: s.Stream, data: data}, in, f, s.At)
	if err != nil {
		return err
	}
	in.byName[inputKey(name, s.Stream)] = i
	return nil
}

// add looks at the table of an input, and adds it to the others.
func (r *runner) add(ctx context.Context, i *input, in *inputs, f *sparksql.File, at sparksql.Range) (*input, error) {
	i.view, i.table, i.from = "t"+itoa(len(in.list)+1), r.Open(i.data), -1
	var err error
	i.snap, err = i.table.Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		return nil, f.Problem(diag.TableMissing, at.At, "table %s: there is none at %s yet", i.name, i.data.URL("")).
			Hinted("land it first: landfall land, or run the pipeline that makes it")
	}
	in.list = append(in.list, i)
	return i, err
}

func (r *runner) storeOf(s sqlpipe.Source) (store.Store, error) {
	if d := r.Pipeline.Find(s.Last()); d != nil && d != r.dataset {
		return r.Target(d.Name)
	}
	return r.Outside(s.Name)
}

// read finds what is new in the inputs since the last batch. A stream that has lost the
// table that it was read from is told.
func (r *runner) read(ctx context.Context, in *inputs, last *record.Attempt) error {
	in.rename(last)
	for _, i := range in.list {
		i.from = -1
		if !i.stream {
			i.files = sorted(i.snap)
			continue
		}
		o, ok := offset(last, i)
		if ok {
			i.from = o.Version
		}
		got, err := i.news(ctx, feed.Range{ID: o.TableID, From: i.from, To: i.snap.Version})
		if err != nil {
			return r.unread(i, err)
		}
		i.files, i.lost, i.moves = got.Added, got.Removed, got.Moves
		for _, p := range got.Partly { // what is left of it is read again whole
			i.files, i.lost = append(i.files, p.File), append(i.lost, p.File)
		}
	}
	return nil
}

// news is what is new in a stream. Rows that moved are read from where they were, which
// are the fewest; if that is gone, or rows that went cannot be told from others, files that
// are there are told of.
func (i *input) news(ctx context.Context, r feed.Range) (*feed.Feed, error) {
	got, err := feed.Read(ctx, i.table, r)
	if err != nil {
		return nil, err
	}
	r.Present = slices.ContainsFunc(got.Removed, func(f table.File) bool { return f.Moved })
	came := slices.Clone(got.Added)
	for _, p := range got.Partly {
		came = append(came, p.File)
	}
	for _, f := range came {
		if !f.Moved || r.Present || strings.Contains(f.Path, "://") {
			continue
		}
		_, err := i.data.Stat(ctx, f.Path)
		if err != nil && !errors.Is(err, store.ErrNotExist) {
			return nil, err
		}
		r.Present = err != nil
	}
	if !r.Present {
		return got, nil
	}
	return feed.Read(ctx, i.table, r)
}

// unread says what to do where the log of an input does not tell what is new.
func (r *runner) unread(i *input, err error) error {
	var broken *feed.Break
	if !errors.As(err, &broken) {
		return err
	}
	return r.problem(diag.PipelineState, "%s: what is new in %s since version %d cannot be told: %v", r.dataset.Name, i.name, i.from, broken).Because(err).
		Hinted("make this one anew from all that its sources have: landfall run --full-refresh %s", r.dataset.Name)
}

// rename gives a stream that the query spells otherwise now the name that the records have
// of its table: whatever it is called, its rows were read.
func (in *inputs) rename(last *record.Attempt) {
	if last == nil {
		return
	}
	taken := map[string]bool{}
	for _, i := range in.list {
		if _, known := offset(last, i); known && i.stream {
			taken[i.name] = true
		}
	}
	for _, i := range in.list {
		if !i.stream || taken[i.name] {
			continue
		}
		for _, o := range last.Sources {
			if o.Stream && o.TableID == i.snap.ID && !taken[o.Table] {
				i.name, taken[o.Table] = o.Table, true
				break
			}
		}
	}
}

func offset(last *record.Attempt, i *input) (record.Offset, bool) {
	if last == nil {
		return record.Offset{}, false
	}
	at := slices.IndexFunc(last.Sources, func(o record.Offset) bool { return o.Table == i.name && o.Stream == i.stream })
	if at < 0 {
		return record.Offset{}, false
	}
	return last.Sources[at], true
}

// sorted are the live files of a table, in order of their paths.
func sorted(s *table.Snapshot) []table.File {
	var out []table.File
	for _, f := range s.Files() {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b table.File) int { return strings.Compare(a.Path, b.Path) })
	return out
}

func paths(files []table.File) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = f.Path
	}
	return out
}

// news reports whether there is anything to do.
func (in *inputs) news() bool {
	for _, i := range in.list {
		if i.stream && (len(i.files) > 0 || len(i.lost) > 0) {
			return true
		}
	}
	return false
}

// moved reports whether a table was changed since the last batch.
func (in *inputs) moved(last *record.Attempt) bool {
	for _, i := range in.list {
		o, ok := offset(last, i)
		if !ok || o.Version != i.snap.Version || o.TableID != i.snap.ID {
			return true
		}
	}
	return last == nil || len(last.Sources) != len(in.list)
}

// offsets are how far the inputs are read, and after them how far streams were that the
// query has no more: should it have them again, their rows are not read a second time.
func (in *inputs) offsets(last *record.Attempt) []record.Offset {
	out := make([]record.Offset, len(in.list))
	for n, i := range in.list {
		out[n] = record.Offset{Table: i.name, TableID: i.snap.ID, Version: i.snap.Version, Stream: i.stream}
		if i.stream {
			for _, f := range i.files {
				out[n].Files = append(out[n].Files, f.Path)
			}
			for _, m := range i.moves {
				out[n].Moves = append(out[n].Moves, record.Moved{Before: paths(m.Before), After: paths(m.After)})
			}
		}
	}
	if last == nil {
		return out
	}
	for _, o := range last.Sources {
		if o.Stream && !slices.ContainsFunc(in.list, func(i *input) bool { return i.stream && i.name == o.Table }) {
			out = append(out, record.Offset{Table: o.Table, TableID: o.TableID, Version: o.Version, Stream: true})
		}
	}
	return out
}

func (in *inputs) events() []event.Input {
	out := make([]event.Input, len(in.list))
	for n, i := range in.list {
		out[n] = event.Input{Table: i.name, From: i.from, To: i.snap.Version, Files: len(i.files)}
	}
	return out
}

// views are the inputs as the engine reads them.
func (in *inputs) views(ctx context.Context) ([]engine.View, error) {
	var out []engine.View
	for _, i := range in.list {
		v, err := viewOf(ctx, i.table, i.snap, i.files)
		if err != nil {
			return nil, err
		}
		v.Name, v.Store, v.Positions = i.view, i.data, i.stream
		out = append(out, v)
	}
	return out, nil
}

// viewOf shows files of a table.
func viewOf(ctx context.Context, t table.Table, snap *table.Snapshot, files []table.File) (engine.View, error) {
	v := engine.View{Schema: snap.Schema, Partitions: snap.Partitions, ByID: snap.Config["delta.columnMapping.mode"] == "id"}
	for _, f := range files {
		deleted, err := t.Deleted(ctx, f)
		if err != nil {
			return v, err
		}
		v.Files = append(v.Files, engine.File{Path: f.Path, Size: f.Size, Rows: f.Rows, Partition: f.Partition, Deleted: deleted})
	}
	return v, nil
}
