package reconcile_test

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/parquet"
	pq "github.com/apache/arrow-go/v18/parquet/schema"
	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/reconcile"
	"landfall/internal/schema"
	"landfall/internal/store"
)

// small is two files of two rows in one data file.
func small(t rapid.TB) *reconcile.Proof {
	p := &reconcile.Proof{
		Source: memoryStore(), Copy: memoryStore(), Objects: []reconcile.Object{{Path: "a.parquet"}, {Path: "b.parquet"}},
		Files:   []reconcile.DataFile{{Path: "c.parquet", Runs: []reconcile.Run{{Object: 0, Rows: 2}, {Object: 1, Rows: 2}}}},
		Columns: columns(fields(t, "n bigint")),
	}
	for i, key := range []string{"a.parquet", "b.parquet"} {
		write(t, p.Source, key, table{fields(t, "n bigint"), [][]any{{int64(i), int64(7)}}})
	}
	write(t, p.Copy, "c.parquet", table{fields(t, "n bigint"), [][]any{{int64(0), int64(7), int64(1), int64(7)}}})
	return p
}

func put(t *testing.T, s store.Store, key, text string) {
	t.Helper()
	if err := s.Replace(t.Context(), key, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// Files that are not what they were are differences, not errors.
func TestFilesThatAreNotAsTheyWere(t *testing.T) {
	for name, c := range map[string]struct {
		change func(p *reconcile.Proof)
		want   []string
	}{
		"nothing": {func(*reconcile.Proof) {}, nil},
		"an object is gone": {func(p *reconcile.Proof) {
			if err := p.Source.Delete(t.Context(), "b.parquet"); err != nil {
				t.Fatal(err)
			}
		}, []string{"b.parquet gone"}},
		"an object is another": {func(p *reconcile.Proof) {
			p.Objects[1].Version = "another"
		}, []string{"b.parquet changed"}},
		"an object is none": {func(p *reconcile.Proof) { put(t, p.Source, "a.parquet", "n\n1\n") }, []string{"a.parquet unreadable"}},
		"a data file is gone": {func(p *reconcile.Proof) {
			if err := p.Copy.Delete(t.Context(), "c.parquet"); err != nil {
				t.Fatal(err)
			}
		}, []string{"c.parquet gone", "a.parquet rows", "a.parquet values n", "b.parquet rows", "b.parquet values n"}},
		"a data file is none": {func(p *reconcile.Proof) { put(t, p.Copy, "c.parquet", "PAR1PAR1") }, []string{
			"c.parquet unreadable", "a.parquet rows", "a.parquet values n", "b.parquet rows", "b.parquet values n",
		}},
		"rows are taken for others": {func(p *reconcile.Proof) { p.Files[0].Runs[1].First = 1 }, []string{"b.parquet order", "b.parquet values n"}},
		"a data file has more rows": {func(p *reconcile.Proof) { p.Files[0].Runs = p.Files[0].Runs[:1] }, []string{
			"c.parquet unreadable", "a.parquet rows", "a.parquet values n", "b.parquet rows", "b.parquet values n",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := small(t)
			c.change(p)
			r := run(t, p)
			var got []string
			for _, d := range r.Differences {
				got = append(got, strings.TrimSpace(d.File+" "+d.What+" "+d.Column))
			}
			if r.Reconciled != (len(c.want) == 0) || !reflect.DeepEqual(got, c.want) {
				t.Errorf("reconciled %v: got %v, want %v", r.Reconciled, got, c.want)
			}
			if len(r.Files) != 2 || r.Files[0].Before != 2 && name != "an object is none" {
				t.Errorf("got %+v", r.Files)
			}
		})
	}
}

// An object that changes while it is read is told.
func TestObjectChangesUnderneath(t *testing.T) {
	p := small(t)
	p.Source = &changing{Store: p.Source}
	r := run(t, p)
	if r.Reconciled || r.Differences[0].What != reconcile.Changed {
		t.Errorf("got %+v", r.Differences)
	}
}

// changing says another version each time.
type changing struct {
	store.Store
	n int
}

func (c *changing) Stat(ctx context.Context, key string) (store.Info, error) {
	info, err := c.Store.Stat(ctx, key)
	c.n++
	info.Version += fmt.Sprint(c.n)
	return info, err
}

func TestRunsOfNothing(t *testing.T) {
	p := small(t)
	p.Files[0].Runs[0].Object = 2
	if r, err := p.Run(t.Context()); err == nil {
		t.Errorf("got %+v, want an error", r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := small(t).Run(ctx); err == nil {
		t.Errorf("got %+v, want an error", r)
	}
}

// The number of workers does not show, also in what differs; progress counts files.
func TestWorkersDoNotShow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		if rapid.Bool().Draw(t, "damaged") {
			damages["a value changes"](t, w)
			for i := range w.copies {
				w.write(t, i)
			}
		}
		w.proof.Workers = 0
		one := run(t, w.proof)
		w.proof.Workers = 4
		last := 0
		w.proof.Progress = func(done, of int) {
			if done != last+1 || done > of {
				t.Errorf("%d of %d after %d", done, of, last)
			}
			last = done
		}
		if four := run(t, w.proof); !reflect.DeepEqual(one, four) {
			t.Fatalf("one worker:\n%+v\nfour:\n%+v", one, four)
		}
		if last != len(w.proof.Files)+len(w.proof.Objects) {
			t.Errorf("%d files told", last)
		}
	})
}

// Columns may stand in the folder of a data file; a null folder gives nothing.
func TestPartitionsOfTheCopy(t *testing.T) {
	p := small(t)
	day, null := "2026-11-01", (*string)(nil)
	p.Columns = columns(fields(t, "n bigint, dt date, region string"))
	for i := range p.Objects {
		p.Objects[i].Folders = []reconcile.Folder{{Name: "DT", Value: &day}, {Name: "region", Value: null}}
	}
	p.Files[0].Partition = map[string]*string{"dt": &day, "region": null}
	r := run(t, p)
	if !r.Reconciled || r.Columns[0].After.Values != 4 || r.Columns[0].After.Min != day || r.Columns[2].Column != "region" || r.Columns[2].After.Nulls != 4 {
		t.Fatalf("got %+v", r)
	}
	other := "2026-11-02"
	p.Files[0].Partition["dt"] = &other
	if r := run(t, p); r.Reconciled || r.Differences[0].Column != "dt" || r.Differences[0].Before != day || r.Differences[0].After != other {
		t.Errorf("got %+v", r.Differences)
	}
}

// Instants of more digits than a table has are cut on both sides, and counted; a time
// that clocks skip is in the rescue column.
func TestInstantsOfOtherForms(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	nanos := pq.NewTimestampLogicalType(true, pq.TimeUnitNanos)
	local := pq.NewTimestampLogicalType(false, pq.TimeUnitMicros)
	node := func(name string, l pq.LogicalType, p parquet.Type) pq.Node {
		n, err := pq.NewPrimitiveNodeLogical(name, parquet.Repetitions.Required, l, p, -1, -1)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	skipped := time.Date(2026, 3, 29, 2, 30, 0, 0, time.UTC).UnixMicro()
	data, err := parquetfiletest.File([]pq.Node{
		node("n", nanos, parquet.Types.Int64), node("i", nil, parquet.Types.Int96), node("l", local, parquet.Types.Int64),
	}, []parquetfiletest.Raw{
		{Values: []int64{1_234, -1_001}},
		{Values: []parquet.Int96{parquetfiletest.Int96(2440588, 1_500), parquetfiletest.Int96(2440589, 0)}},
		{Values: []int64{skipped, skipped + 3_600_000_000}},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &reconcile.Proof{
		Source: memoryStore(), Copy: memoryStore(), Objects: []reconcile.Object{{Path: "a.parquet"}}, Zone: zone, Rescue: "r",
		Files:   []reconcile.DataFile{{Path: "a.parquet", Runs: []reconcile.Run{{Rows: 2}}}},
		Columns: columns(fields(t, "n timestamp, i string, l timestamp")),
	}
	put(t, p.Source, "a.parquet", string(data))
	copied := table{append(fields(t, "n timestamp, i string, l timestamp"), schema.Field{Name: "r", Type: schema.String, Nullable: true}), [][]any{
		{int64(1), int64(-2)},
		{"1970-01-01T00:00:00.0000015Z", "1970-01-02T00:00:00Z"},
		{nil, skipped + 3_600_000_000 - 2*3_600_000_000},
		{`{"l":"2026-03-29T02:30:00","_file_path":"f","_record":1,"_why":{"l":"type:timestamp"}}`, nil},
	}}
	write(t, p.Copy, "a.parquet", copied)
	r := run(t, p)
	if !r.Reconciled {
		t.Fatalf("got %+v", r.Differences)
	}
	var got []string
	for _, c := range r.Columns {
		got = append(got, fmt.Sprint(c.Column, c.Truncated, c.Rescued, c.Converted))
	}
	if want := "i1 0 2 l0 1 0 n2 0 0"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	copied.values[0][1] = int64(-1)
	write(t, p.Copy, "a.parquet", copied)
	if r := run(t, p); r.Reconciled || r.Differences[0].Column != "n" || r.Differences[0].Row != 2 {
		t.Errorf("got %+v", r.Differences)
	}
}

// Columns of equal names are told apart by their number.
func TestEqualNames(t *testing.T) {
	p := small(t)
	p.Objects, p.Files[0].Runs = p.Objects[:1], []reconcile.Run{{Rows: 1}}
	two := append(fields(t, "n bigint"), fields(t, "n bigint")...)
	write(t, p.Source, "a.parquet", table{two, [][]any{{int64(1)}, {int64(2)}}})
	write(t, p.Copy, "c.parquet", table{fields(t, "n bigint, n_2 bigint"), [][]any{{int64(1)}, {int64(2)}}})
	p.Columns = []reconcile.Column{{Name: "n", Original: "n", Type: schema.Long}, {Name: "n_2", Original: "n", Nth: 2, Type: schema.Long}}
	if r := run(t, p); !r.Reconciled || len(r.Columns) != 2 || r.Columns[0].After.Max != "2" {
		t.Errorf("got %+v", r)
	}
	write(t, p.Copy, "c.parquet", table{fields(t, "n bigint, n_2 bigint"), [][]any{{int64(2)}, {int64(1)}}})
	if r := run(t, p); r.Reconciled {
		t.Error("columns that changed places were not found")
	}
}

// Columns that differ in casing alone are told apart, as are the keys of a map whose
// sum is the same.
func TestValuesThatChangePlacesInARow(t *testing.T) {
	p := small(t)
	p.Objects, p.Files[0].Runs, p.Rescue = p.Objects[:1], []reconcile.Run{{Rows: 1}}, "r"
	keys := func(keys ...int64) (m parquetfiletest.Map) {
		for _, k := range keys {
			m = append(m, parquetfiletest.Entry{Key: k})
		}
		return m
	}
	write(t, p.Source, "a.parquet", table{fields(t, "n bigint, N bigint, m map<bigint,bigint>"), [][]any{{int64(1)}, {int64(2)}, {keys(1, 4)}}})
	p.Columns = columns(fields(t, "n bigint, m map<bigint,bigint>"))
	for _, c := range []struct {
		n      int64
		rescue string
		keys   parquetfiletest.Map
		want   bool
	}{
		{1, "2", keys(1, 4), true},
		{1, "2", keys(4, 1), true},
		{2, "1", keys(1, 4), false},
		{1, "2", keys(2, 3), false},
		{1, "2", keys(0, 5), false},
	} {
		write(t, p.Copy, "c.parquet", table{fields(t, "n bigint, m map<bigint,bigint>, r string"), [][]any{
			{c.n}, {c.keys}, {`{"N":` + c.rescue + `,"_file_path":"f","_record":1,"_why":{"N":"case"}}`},
		}})
		if r := run(t, p); r.Reconciled != c.want {
			t.Errorf("%+v: got %+v", c, r.Differences)
		}
	}
}

// A file that is known to break off is compared up to there, and no further.
func TestFileThatBreaksOff(t *testing.T) {
	p := small(t)
	p.Objects, p.Files[0].Runs = p.Objects[:1], []reconcile.Run{{Rows: 1}}
	var data bytes.Buffer
	w, err := parquetfile.NewWriter(&data, schema.Struct{Fields: fields(t, "n bigint")}, parquetfile.Options{RowGroupBytes: 1})
	for _, n := range []any{int64(0), int64(7)} {
		if err == nil {
			err = w.Write(column.Batch{Rows: 1, Columns: []column.Column{parquetfiletest.Column(schema.Long, true, []any{n})}})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	second := int(w.Written()) // where the row group of the second row begins
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b := data.Bytes()
	for i := range 8 {
		b[second+i] ^= 0xff
	}
	put(t, p.Source, "a.parquet", string(b))
	write(t, p.Copy, "c.parquet", table{fields(t, "n bigint"), [][]any{{int64(0)}}})
	for breaks, want := range map[int64]bool{0: false, 1: true, 2: false} {
		p.Objects[0].Breaks = breaks
		if r := run(t, p); r.Reconciled != want || !want && r.Differences[0].What != reconcile.Unreadable {
			t.Errorf("breaks behind %d: got %+v", breaks, r)
		}
	}
}
