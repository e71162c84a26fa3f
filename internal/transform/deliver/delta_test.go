package deliver_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/flow/dataset"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/plan"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/store/fault"
	"landfall/internal/store/local"
	"landfall/internal/table"
	"landfall/internal/table/delta"
	"landfall/internal/transform/deliver"
)

// faultyDisk opens folders as stores that count calls.
type faultyDisk struct {
	machine
	plans []fault.Plan
	store *fault.Store
}

func (d *faultyDisk) Open(folder string) (store.Store, error) {
	s, err := local.Open(folder)
	if err != nil {
		return nil, err
	}
	d.store = fault.New(s, d.plans...)
	return d.store, nil
}

func tableOptions(root, run string, plans ...fault.Plan) (deliver.Options, *faultyDisk) {
	d := &faultyDisk{machine: machine{calm}, plans: plans}
	o := options(root, run, calm)
	o.Disk = d
	o.Table = func(s store.Store) table.Table { return delta.Open(s, delta.Options{Now: o.Now}) }
	n := 0
	o.NewID = func() string {
		n++
		return fmt.Sprintf("%s%04d-0000-4000-8000-%012d", run, n, time.Now().UnixNano()%1e12)
	}
	return o, d
}

// stepOf is a sink with columns.
func stepOf(fields ...schema.Field) *plan.Step {
	s := &plan.Step{Name: "s"}
	for i, f := range fields {
		s.Columns = append(s.Columns, plan.Column{ID: plan.ID(i + 1), Name: f.Name, Type: f.Type})
	}
	return s
}

var idOnly = []schema.Field{{Name: "id", Type: schema.Long, Nullable: true}}

// tableRun writes ids to a table, in a file for each folder.
func tableRun(t *testing.T, s dataset.Sink, o deliver.Options, fields []schema.Field, files map[string][]any) (deliver.Output, error) {
	t.Helper()
	d, err := deliver.Prepare(t.Context(), s, o)
	if err != nil {
		return deliver.Output{}, err
	}
	out, err := d.Output(t.Context(), stepOf(fields...))
	if err != nil {
		return deliver.Output{}, errors.Join(err, d.Discard())
	}
	ok(t, d.Take(idFiles(t, out.To.Folder, files)))
	published, err := d.Publish(t.Context(), []byte("{}\n"))
	return published, errors.Join(err, d.Discard())
}

func idFiles(t *testing.T, folder string, files map[string][]any) (written []engine.Written) {
	t.Helper()
	for name, ids := range files {
		var data bytes.Buffer
		w, err := parquetfile.NewWriter(&data, schema.Struct{Fields: idOnly}, parquetfile.Options{})
		ok(t, err)
		ok(t, w.Write(column.Batch{Rows: len(ids), Columns: []column.Column{parquetfiletest.Column(schema.Long, true, ids)}}))
		_, err = w.Close()
		ok(t, err)
		at := filepath.Join(folder, filepath.FromSlash(name))
		ok(t, os.MkdirAll(filepath.Dir(at), 0o755))
		ok(t, os.WriteFile(at, data.Bytes(), 0o600))
		written = append(written, engine.Written{Path: name, Rows: int64(len(ids)), Size: int64(data.Len())})
	}
	return written
}

// ids are the rows of the table, with the values of the partition of each; nil for no table.
func ids(t *testing.T, root string) []string {
	t.Helper()
	s, err := local.Open(filepath.Join(root, "out"))
	ok(t, err)
	snap, err := delta.Open(s, delta.Options{}).Snapshot(t.Context())
	if errors.Is(err, table.ErrNoTable) {
		return nil
	}
	ok(t, err)
	out := []string{}
	for _, f := range snap.Files() {
		data, err := os.ReadFile(filepath.Join(root, "out", f.Path))
		ok(t, err)
		p, err := parquetfile.Open(bytes.NewReader(data), int64(len(data)))
		ok(t, err)
		for b, err := range p.Batches(t.Context()) {
			ok(t, err)
			for _, v := range parquetfiletest.Rows(b.Columns[0], true, b.Rows) {
				row := fmt.Sprint(v)
				for _, name := range snap.Partitions {
					row += " " + name + "=null"
					if text := f.Partition[name]; text != nil {
						row = strings.TrimSuffix(row, "null") + *text
					}
				}
				out = append(out, row)
			}
		}
	}
	slices.Sort(out)
	return out
}

func same(t *testing.T, at any, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("%v: found rows %v, want %v", at, got, want)
	}
}

// TestTableSweep lets each call of the table's store fail, answer an error all the same,
// or be the last of the process. The table holds all rows or none, a run of the same id
// does not write them twice, and the next run writes its own.
func TestTableSweep(t *testing.T) {
	for _, kind := range []fault.Kind{fault.Fail, fault.Ambiguous, fault.Crash} {
		for _, change := range []dataset.Change{dataset.Append, dataset.Truncate} {
			t.Run(fmt.Sprintf("%v %v", kind, change), func(t *testing.T) {
				at := 0
				for ; tableSweepOne(t, change, fault.Plan{Kind: kind, At: at}); at++ {
				}
				if at < 8 {
					t.Errorf("found %d calls, want more: are they counted?", at)
				}
			})
		}
	}
}

func tableSweepOne(t *testing.T, change dataset.Change, p fault.Plan) bool {
	t.Helper()
	root := t.TempDir()
	s := dataset.Sink{Name: "s", Format: dataset.Delta, Change: change}
	calmly, _ := tableOptions(root, "zero")
	_, err := tableRun(t, s, calmly, idOnly, map[string][]any{"a.parquet": {int64(1)}})
	ok(t, err)
	o, disk := tableOptions(root, "one", p)
	_, err = tableRun(t, s, o, idOnly, map[string][]any{"a.parquet": {int64(2), int64(3)}})
	old, all := []string{"1"}, []string{"1", "2", "3"}
	if change == dataset.Truncate {
		all = all[1:]
	}
	if now := ids(t, root); err == nil || !slices.Equal(now, old) {
		same(t, p.At, now, all)
	}
	struck := disk.store.Struck()
	// the same run again
	o, _ = tableOptions(root, "one")
	_, err = tableRun(t, s, o, idOnly, map[string][]any{"a.parquet": {int64(2), int64(3)}})
	ok(t, err)
	same(t, p.At, ids(t, root), all)
	o, _ = tableOptions(root, "two")
	_, err = tableRun(t, s, o, idOnly, map[string][]any{"a.parquet": {int64(4)}})
	ok(t, err)
	last := append(slices.Clone(all), "4")
	if change == dataset.Truncate {
		last = []string{"4"}
	}
	same(t, p.At, ids(t, root), last)
	if left, err := filepath.Glob(filepath.Join(root, "out", "_landfall", "flow-*")); err != nil || len(left) > 0 {
		t.Fatalf("call %d: found stages %v (%v)", p.At, left, err)
	}
	return struck
}

// TestTablePartitions writes to the partitions that a table has, or gets.
func TestTablePartitions(t *testing.T) {
	root := t.TempDir()
	fields := append(slices.Clone(idOnly), schema.Field{Name: "k", Type: schema.String}, schema.Field{Name: "at", Type: schema.Timestamp})
	s := dataset.Sink{Name: "s", Format: dataset.Delta, Partition: dataset.Partition{Kind: dataset.ByKey, Columns: []string{"k", "at"}}}
	files := map[string][]any{
		"k=a%20b%2F%C3%A9/at=2026-01-01%2000%3A00%3A00.5%2B00/x.parquet":       {int64(1)},
		"k=__HIVE_DEFAULT_PARTITION__/at=__HIVE_DEFAULT_PARTITION__/x.parquet": {int64(2)},
	}
	o, _ := tableOptions(root, "one")
	_, err := tableRun(t, s, o, fields, files)
	ok(t, err)
	want := []string{"1 k=a b/é at=2026-01-01 00:00:00.5", "2 k=null at=null"}
	same(t, "new", ids(t, root), want)
	s.Partition = dataset.Partition{}
	o, _ = tableOptions(root, "two")
	_, err = tableRun(t, s, o, fields, map[string][]any{"k=c/at=2026-01-02%2000%3A00%3A00%2B00/x.parquet": {int64(3)}})
	ok(t, err)
	same(t, "added", ids(t, root), append(want, "3 k=c at=2026-01-02 00:00:00"))
	// what does not go into the partitions is refused before the engine runs
	for name, wrong := range map[string][]schema.Field{"found no column \"k\"": {idOnly[0], fields[2]}, "beside those of the partitions": fields[1:]} {
		d, err := deliver.Prepare(t.Context(), s, o)
		ok(t, err)
		_, err = d.Output(t.Context(), stepOf(wrong...))
		refused(t, err, diag.FlowInput, name)
		ok(t, d.Discard())
	}
	s.Partition = dataset.Partition{Kind: dataset.ByKey, Columns: []string{"id"}}
	d, err := deliver.Prepare(t.Context(), s, o)
	ok(t, err)
	_, err = d.Output(t.Context(), stepOf(fields...))
	refused(t, err, diag.FlowInput, "the table is partitioned by k, at")
}

// TestTableMisfits refuses columns before the engine runs, and leaves no trace.
func TestTableMisfits(t *testing.T) {
	root := t.TempDir()
	s := dataset.Sink{Name: "s", Format: dataset.Delta}
	for text, fields := range map[string][]schema.Field{
		"found column \"a b\"":              {{Name: "a b", Type: schema.Long}},
		"found the columns \"a\" and \"A\"": {{Name: "a", Type: schema.Long}, {Name: "A", Type: schema.Long}},
	} {
		o, _ := tableOptions(root, "one")
		_, err := tableRun(t, s, o, fields, nil)
		refused(t, err, diag.FlowInput, text)
	}
	if _, err := os.Stat(filepath.Join(root, "out")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("found a folder (%v), want none", err)
	}
	o, _ := tableOptions(root, "zero")
	_, err := deliver.Prepare(t.Context(), dataset.Sink{Name: "s", Format: dataset.Delta, Truncate: true}, o)
	refused(t, err, diag.FlowRefused, "truncate: true")
	_, err = tableRun(t, s, o, idOnly, map[string][]any{"a.parquet": {int64(1)}})
	ok(t, err)
	for text, fields := range map[string][]schema.Field{
		"found column \"more\", which the table does not have":    append(slices.Clone(idOnly), schema.Field{Name: "more", Type: schema.Long}),
		"found string in column \"id\", and the table has bigint": {{Name: "id", Type: schema.String}},
	} {
		o, _ := tableOptions(root, "one")
		_, err := tableRun(t, s, o, fields, nil)
		refused(t, err, diag.FlowInput, text)
	}
}

// TestTableRivals commits while another run does: neither loses a row.
func TestTableRivals(t *testing.T) {
	root := t.TempDir()
	s := dataset.Sink{Name: "s", Format: dataset.Delta}
	zero, _ := tableOptions(root, "zero")
	_, err := tableRun(t, s, zero, idOnly, map[string][]any{"a.parquet": {int64(1)}})
	ok(t, err)
	rival := fault.Plan{
		Match: func(c fault.Call) bool { return c.Op == fault.Create && strings.HasPrefix(c.Key, "_delta_log/") },
		Before: func() {
			two, _ := tableOptions(root, "two")
			_, err := tableRun(t, dataset.Sink{Name: "r", Format: dataset.Delta}, two, idOnly, map[string][]any{"a.parquet": {int64(2)}})
			ok(t, err)
		},
	}
	one, _ := tableOptions(root, "one", rival)
	_, err = tableRun(t, s, one, idOnly, map[string][]any{"a.parquet": {int64(3)}})
	ok(t, err)
	same(t, "rivals", ids(t, root), []string{"1", "2", "3"})
}

var _ deliver.Disk = (*faultyDisk)(nil)

// TestTableForgets: the note of a run that died before its commit is taken back by the next,
// that of one that died behind it stays.
func TestTableForgets(t *testing.T) {
	root := t.TempDir()
	s := dataset.Sink{Name: "s", Format: dataset.Delta}
	for _, run := range []string{"zero", "two"} {
		if run == "two" {
			for _, dead := range []string{"zero", "dead"} {
				ok(t, os.MkdirAll(filepath.Join(root, "out", "_landfall", "flow-"+dead+"-s"), 0o755))
			}
			ok(t, os.WriteFile(filepath.Join(root, "out", "_landfall", "runs", "20261201T000000.000Z-dead-s.ndjson"), []byte("{}\n"), 0o600))
		}
		o, _ := tableOptions(root, run)
		_, err := tableRun(t, s, o, idOnly, map[string][]any{"a.parquet": {int64(1)}})
		ok(t, err)
	}
	noted, err := filepath.Glob(filepath.Join(root, "out", "_landfall", "runs", "*"))
	ok(t, err)
	if len(noted) != 2 || !strings.Contains(noted[0]+noted[1], "zero-s") || !strings.Contains(noted[0]+noted[1], "two-s") {
		t.Errorf("found %v, want the notes of zero and two", noted)
	}
}
