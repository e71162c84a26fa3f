package pipeline_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/event"
	"landfall/internal/pipeline"
	"landfall/internal/schema"
	"landfall/internal/sqlpipe"
	"landfall/internal/store"
	"landfall/internal/store/local"
	"landfall/internal/store/memory"
	"landfall/internal/table"
	"landfall/internal/table/delta"
)

// TestMain makes few draws unless it is told otherwise: each is some runs of an engine.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", "4"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// world is a pipeline over tables in memory, and the tables that it reads.
type world struct {
	testing.TB
	job    pipeline.Job
	engine *duckdb.Engine
	stores map[string]store.Store
	// wrap decorates the stores of datasets.
	wrap func(dataset string, s store.Store) store.Store
	now  time.Time
	ids  int
	// sources are the tables that are read, by name.
	sources map[string]*source
}

// source is a table whose log is written line by line.
type source struct {
	*world
	name   string
	schema schema.Struct
	store  store.Store
	// version is that of the next commit, files those that are live with their rows.
	version int
	files   map[string]held
	id      string
}

// held is a data file: its size, and how many rows it has.
type held struct {
	size, rows int64
	dv         string // its descriptor, as it stands in the log
}

const protocolLine = `{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors"]}}`

// newWorld has no pipeline yet.
func newWorld(t testing.TB) *world {
	t.Helper()
	e, err := duckdb.Open(t.Context(), duckdb.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	return &world{TB: t, engine: e, stores: map[string]store.Store{}, sources: map[string]*source{}, now: time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)}
}

// says gives the world a pipeline.
func (w *world) says(sql string) *world {
	w.Helper()
	p, err := sqlpipe.Parse([]sqlpipe.Text{{Name: "p.sql", Text: sql}}, sqlpipe.Options{Outside: func(name []string) bool {
		return w.sources[name[len(name)-1]] != nil
	}})
	if err != nil {
		w.Fatal(err)
	}
	w.job = pipeline.Job{
		Name: "p", Pipeline: p, Engine: w.engine, MaxDropRate: 1, Temp: w.TempDir(),
		Target: func(dataset string) (store.Store, error) {
			if w.wrap != nil {
				return w.wrap(dataset, w.store(dataset)), nil
			}
			return w.store(dataset), nil
		},
		Outside: func(name []string) (store.Store, error) { return w.sources[name[len(name)-1]].store, nil },
		Open:    w.open, Now: func() time.Time { return w.now },
		Folder: func(at string) (store.Store, error) { return local.Open(at) },
		NewID: func() string {
			w.ids++
			return fmt.Sprintf("%08d-0000-4000-8000-000000000000", w.ids)
		},
	}
	return w
}

func (w *world) open(s store.Store) table.Table {
	return delta.Open(s, delta.Options{Now: func() time.Time { return w.now }})
}

func (w *world) store(name string) store.Store {
	if w.stores[name] == nil {
		w.stores[name] = memory.New(func() time.Time { return w.now })
	}
	return w.stores[name]
}

// source makes an empty table with columns: name and type in turn.
func (w *world) source(name string, columns ...string) *source {
	w.Helper()
	s := &source{world: w, name: name, store: w.store("source " + name), files: map[string]held{}, id: "id-" + name}
	w.sources[name] = s
	s.shape(columns...)
	s.log(protocolLine, s.metadata(), operation("CREATE TABLE"))
	return s
}

// shape changes what new versions say of the columns.
func (s *source) shape(columns ...string) {
	s.Helper()
	s.schema = schema.Struct{}
	for i := 0; i < len(columns); i += 2 {
		one, err := schema.ParseJSON(fmt.Appendf(nil, `{"type":"struct","fields":[{"name":%q,"type":%q,"nullable":true,"metadata":{}}]}`, columns[i], columns[i+1]))
		if err != nil {
			s.Fatal(err)
		}
		s.schema.Fields = append(s.schema.Fields, one.Fields...)
	}
}

func (s *source) metadata() string {
	text, err := s.schema.JSON()
	if err != nil {
		s.Fatal(err)
	}
	return fmt.Sprintf(`{"metaData":{"id":%q,"format":{"provider":"parquet","options":{}},"schemaString":%q,"partitionColumns":[],"configuration":{}}}`, s.id, text)
}

func operation(name string) string {
	return fmt.Sprintf(`{"commitInfo":{"timestamp":1000,"operation":%q}}`, name)
}

// log writes a version.
func (s *source) log(lines ...string) {
	s.Helper()
	if err := s.store.Create(s.Context(), fmt.Sprintf("_delta_log/%020d.json", s.version), []byte(strings.Join(lines, "\n")+"\n")); err != nil {
		s.Fatal(err)
	}
	s.version++
}

// write writes a data file of the rows of a SELECT, and returns the line that adds it.
func (s *source) write(path, sql string, moved bool) string {
	s.Helper()
	dir := s.TempDir()
	var written []engine.Written
	var views []engine.View
	if s.version > 0 {
		v := s.view(s.name)
		v.Files = slices.DeleteFunc(v.Files, func(f engine.File) bool { _, live := s.files[f.Path]; return !live })
		views = append(views, v)
	}
	err := s.engine.Session(s.Context(), engine.SessionOptions{Folders: []string{dir}, Views: views}, func(e engine.Session) error {
		var err error
		written, err = e.Write(s.Context(), sql, s.schema, engine.Target{Folder: dir, Compression: "snappy"})
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	if len(written) != 1 {
		s.Fatalf("%d files were written, want one", len(written))
	}
	data, err := os.ReadFile(filepath.Join(dir, written[0].Path))
	if err == nil {
		err = s.store.Create(s.Context(), path, data)
	}
	if err != nil {
		s.Fatal(err)
	}
	s.files[path] = held{size: int64(len(data)), rows: written[0].Rows}
	return s.adds(path, moved)
}

func (s *source) adds(path string, moved bool) string {
	f := s.files[path]
	return fmt.Sprintf(`{"add":{"path":%q,"partitionValues":{},"size":%d,"modificationTime":1000,"dataChange":%t,"stats":"{\"numRecords\":%d}"%s}}`, path, f.size, !moved, f.rows, f.dv)
}

// removes is the line that removes a file, which is live no more.
func (s *source) removes(path string, moved bool) string {
	f := s.files[path]
	delete(s.files, path)
	return fmt.Sprintf(`{"remove":{"path":%q,"deletionTimestamp":1000,"dataChange":%t,"extendedFileMetadata":true,"partitionValues":{},"size":%d%s}}`, path, !moved, f.size, f.dv)
}

// append adds a file of the rows of a SELECT.
func (s *source) append(path, sql string) {
	s.Helper()
	s.log(s.write(path, sql, false), operation("WRITE"))
}

// replace puts a file in the place of others.
func (s *source) replace(path, sql string, old ...string) {
	s.Helper()
	lines := []string{s.write(path, sql, false), operation("WRITE")}
	for _, o := range old {
		lines = append(lines, s.removes(o, false))
	}
	s.log(lines...)
}

// remove takes files out.
func (s *source) remove(old ...string) {
	s.Helper()
	lines := []string{operation("DELETE")}
	for _, o := range old {
		lines = append(lines, s.removes(o, false))
	}
	s.log(lines...)
}

// compact puts the rows of files into one.
func (s *source) compact(path string, old ...string) {
	s.Helper()
	kept := maps.Clone(s.files)
	maps.DeleteFunc(s.files, func(p string, _ held) bool { return !slices.Contains(old, p) })
	lines := []string{s.write(path, "SELECT * FROM "+s.name, true), operation("OPTIMIZE")}
	add := s.files[path]
	s.files = kept
	s.files[path] = add
	for _, o := range old {
		lines = append(lines, s.removes(o, true))
	}
	s.log(lines...)
}

// delete marks rows of a file as deleted by a vector.
func (s *source) delete(path string, positions ...uint16) {
	s.Helper()
	slices.Sort(positions)
	bitmap := binary.LittleEndian.AppendUint32(nil, 1681511377)
	bitmap = append(bitmap, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) // one bucket, the first
	bitmap = append(bitmap, 0x3a, 0x30, 0, 0, 1, 0, 0, 0, 0, 0) // without runs, one container
	bitmap = binary.LittleEndian.AppendUint16(bitmap, uint16(len(positions)-1))
	bitmap = append(bitmap, 16, 0, 0, 0)
	for _, p := range positions {
		bitmap = binary.LittleEndian.AppendUint16(bitmap, p)
	}
	file := binary.BigEndian.AppendUint32([]byte{1}, uint32(len(bitmap)))
	file = binary.BigEndian.AppendUint32(append(file, bitmap...), crc32.ChecksumIEEE(bitmap))
	name := fmt.Sprintf("vector-%d.bin", s.version)
	if err := s.store.Create(s.Context(), name, file); err != nil {
		s.Fatal(err)
	}
	f := s.files[path]
	gone := s.removes(path, false)
	f.dv = fmt.Sprintf(`,"deletionVector":{"storageType":"p","pathOrInlineDv":%q,"offset":1,"sizeInBytes":%d,"cardinality":%d}`, s.store.URL(name), len(bitmap), len(positions))
	s.files[path] = f
	s.log(gone, s.adds(path, false), operation("DELETE"))
}

// view is a table as it is, under a name.
func (w *world) view(name string) engine.View {
	w.Helper()
	s := w.stores[name]
	if w.sources[name] != nil {
		s = w.sources[name].store
	}
	t := w.open(s)
	snap, err := t.Snapshot(w.Context())
	if err != nil {
		w.Fatalf("%s: %v", name, err)
	}
	v := engine.View{Name: name, Schema: snap.Schema, Partitions: snap.Partitions, Store: s}
	for _, f := range snap.Files() {
		deleted, err := t.Deleted(w.Context(), f)
		if err != nil {
			w.Fatal(err)
		}
		v.Files = append(v.Files, engine.File{Path: f.Path, Size: f.Size, Rows: f.Rows, Partition: f.Partition, Deleted: deleted})
	}
	slices.SortFunc(v.Files, func(a, b engine.File) int { return strings.Compare(a.Path, b.Path) })
	return v
}

// asks are the rows of a SELECT over tables, each in a line, in order.
func (w *world) asks(sql string, tables ...string) []string {
	w.Helper()
	var views []engine.View
	for _, t := range tables {
		views = append(views, w.view(t))
	}
	var out []string
	err := w.engine.Query(w.Context(), sql, views, nil, func(r engine.Result) error {
		for row, err := range r.Rows {
			if err != nil {
				return err
			}
			texts := make([]string, len(row))
			for i, v := range row {
				texts[i] = engine.Text(v)
			}
			out = append(out, strings.Join(texts, "|"))
		}
		return nil
	})
	if err != nil {
		w.Fatalf("%s: %v", sql, err)
	}
	slices.Sort(out)
	return out
}

// holds checks the rows of a dataset.
func (w *world) holds(dataset string, want ...string) {
	w.Helper()
	slices.Sort(want)
	if got := w.asks(`SELECT * FROM "`+dataset+`"`, dataset); !slices.Equal(got, want) {
		w.Errorf("%s: found\n%s\nwant\n%s", dataset, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// runs runs the pipeline; datasets that are named are made anew. The error is that of all
// datasets.
func (w *world) runs(anew ...string) (map[string]pipeline.Outcome, error) {
	w.Helper()
	out := map[string]pipeline.Outcome{}
	w.job.Refresh = map[string]bool{}
	for _, d := range anew {
		w.job.Refresh[d] = true
	}
	w.now = w.now.Add(time.Minute)
	var problems []error
	err := pipeline.Run(context.WithoutCancel(w.Context()), w.job, func(o pipeline.Outcome) {
		out[o.Dataset.Name] = o
		problems = append(problems, o.Err)
	})
	return out, errors.Join(append(problems, err)...)
}

// run is a run that works.
func (w *world) run(anew ...string) map[string]pipeline.Outcome {
	w.Helper()
	out, err := w.runs(anew...)
	if err != nil {
		w.Fatal(err)
	}
	return out
}

// only is the event of a dataset that had one batch.
func only(t testing.TB, o pipeline.Outcome) event.Dataset {
	t.Helper()
	if len(o.Batches) != 1 {
		t.Fatalf("%s: %d batches, want one", o.Dataset.Name, len(o.Batches))
	}
	return o.Batches[0]
}

// counts is how a batch met a rule: true, false, null.
func counts(t testing.TB, e event.Dataset, rule string) [3]int64 {
	t.Helper()
	for _, x := range e.Expectations {
		if x.Name == rule {
			return [3]int64{x.True, x.False, x.Null}
		}
	}
	text, _ := json.Marshal(e)
	t.Fatalf("no expectation %s in %s", rule, text)
	return [3]int64{}
}
