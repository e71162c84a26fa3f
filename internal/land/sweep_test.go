package land_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"landfall/internal/contract"
	"landfall/internal/format"
	"landfall/internal/format/csv"
	"landfall/internal/land"
	"landfall/internal/parquetfile"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/store/fault"
	"landfall/internal/store/memory"
	"landfall/internal/table"
	"landfall/internal/table/delta"
)

// day is what a vendor delivers before a landing: content by file name.
type day map[string]string

// feed is the landing of every sweep: a new column in the second batch, a
// rewritten file in the third, no rows in the fourth.
func feed() []day {
	return []day{
		{"a.csv": "id,name\na1,Ann\na2,Bo\n", "b.csv": "id,name\nb1,Cy\n"},
		{"c.csv": "name,id,city\nDi,c1,Oslo\nEd,c2,\n"},
		{"a.csv": "id,name\na1,Ann\na3,Fay\na4,Gil\n", "d.csv": "id,name\nd1,\"Hal\nof two lines\"\n"},
		{"e.csv": "id,name\n"},
	}
}

// world is a source and a table's folder, both in memory.
type world struct {
	files, data *memory.Store
	delivered   map[string]string
}

func newWorld() *world {
	return &world{memory.New(nil), memory.New(nil), map[string]string{}}
}

func (w *world) deliver(t *testing.T, d day) {
	t.Helper()
	for name, text := range d {
		if err := w.files.Replace(t.Context(), name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	maps.Copy(w.delivered, d)
}

// process is one run of the program over stores of its own.
type process struct {
	name        string
	files, data store.Store
	// table, if set, decorates the table.
	table func(table.Table, *state.State) table.Table
}

func (w *world) process(name string) process {
	return process{name: name, files: w.files, data: w.data}
}

func decode(ctx context.Context, path string, r land.Input) (format.Reader, error) {
	return csv.Open(ctx, path, r, csv.Options{})
}

func (p process) land(ctx context.Context) (land.Report, error) {
	n := 0
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	st := state.New(store.Below(p.data, "_landfall/orders"))
	var tab table.Table = delta.Open(p.data, delta.Options{Now: func() time.Time { return now }, CheckpointEvery: 2})
	if p.table != nil {
		tab = p.table(tab, st)
	}
	return land.Run(ctx, land.Source{
		Name: "orders", Files: p.files, Data: p.data, Table: tab, State: st,
		StateKey: "_landfall/orders/", Format: "csv", Decode: decode, Policy: contract.Policy{},
	}, land.Env{
		Now: func() time.Time { return now },
		NewID: func() string {
			n++
			return fmt.Sprintf("%s%04d", p.name, n)
		},
		Workers: 1, CompactEvery: 2,
	})
}

// check compares the table with what was delivered: every record once, of the
// newest version of its file.
func (w *world) check(ctx context.Context) error {
	want := map[string]int{}
	for name, text := range w.delivered {
		id := -1
		for i, line := range strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\nof", " of"), "\n"), "\n") {
			cells := strings.Split(line, ",")
			if i == 0 {
				id = indexOf(cells, "id")
				continue
			}
			want[name+" "+cells[id]]++
		}
	}
	got, err := w.rows(ctx)
	if err != nil {
		return err
	}
	if !maps.Equal(got, want) {
		return fmt.Errorf("rows by file and id: got %v, want %v", got, want)
	}
	return nil
}

func indexOf(cells []string, name string) int {
	for i, c := range cells {
		if c == name {
			return i
		}
	}
	return -1
}

// rows counts the table's rows by file and id.
func (w *world) rows(ctx context.Context) (map[string]int, error) {
	snap, err := delta.Open(w.data, delta.Options{}).Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	got := map[string]int{}
	for _, f := range snap.Files {
		o, err := w.data.Open(ctx, f.Path)
		if err != nil {
			return nil, err
		}
		for rec, err := range parquetfile.Read(ctx, o, f.Size, []string{"id", contract.SourceFile}) {
			if err != nil {
				return nil, err
			}
			ids := rec.Column(rec.Schema().FieldIndices("id")[0]).(*array.String)
			urls := rec.Column(rec.Schema().FieldIndices(contract.SourceFile)[0]).(*array.String)
			for i := range ids.Len() {
				got[strings.TrimLeft(strings.TrimPrefix(urls.Value(i), w.files.URL("")), "/")+" "+ids.Value(i)]++
			}
		}
	}
	return got, nil
}

// sweep plays the feed again and again with one process at a time. strike
// returns the process that meets trouble at call i of the whole feed, and
// whether it did. When a landing fails, the next process lands after it.
func sweep(t *testing.T, trouble func(w *world, i int) (process, func() bool)) error {
	t.Helper()
	for i := 0; ; i++ {
		if i > 5000 {
			t.Fatal("the sweep does not end")
		}
		w := newWorld()
		p, struck := trouble(w, i)
		for n, d := range feed() {
			w.deliver(t, d)
			if _, err := p.land(t.Context()); err != nil {
				if !errors.Is(err, store.ErrTransient) && !errors.Is(err, fault.ErrCrashed) {
					return fmt.Errorf("call %d: day %d: unexpected error: %w", i, n+1, err)
				}
				p = w.process(fmt.Sprintf("next%d-", n))
				if _, err := p.land(t.Context()); err != nil {
					return fmt.Errorf("call %d: day %d: landing again: %w", i, n+1, err)
				}
			}
			if err := w.check(t.Context()); err != nil {
				return fmt.Errorf("call %d: day %d: %w", i, n+1, err)
			}
		}
		if !struck() {
			t.Logf("%d calls", i)
			return nil
		}
	}
}

// faulty is a process whose calls to both stores go wrong by the plan.
func faulty(w *world, plan fault.Plan) (process, func() bool) {
	data := fault.New(w.data, plan)
	p := w.process("first-")
	p.data = data
	return p, data.Struck
}

func TestSweep(t *testing.T) {
	kinds := map[string]fault.Kind{"fail": fault.Fail, "ambiguous": fault.Ambiguous, "crash": fault.Crash}
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := sweep(t, func(w *world, i int) (process, func() bool) {
				return faulty(w, fault.Plan{Kind: kind, At: i})
			})
			if err != nil {
				t.Error(err)
			}
		})
		t.Run(name+" of the source", func(t *testing.T) {
			t.Parallel()
			err := sweep(t, func(w *world, i int) (process, func() bool) {
				files := fault.New(w.files, fault.Plan{Kind: kind, At: i, Fine: true})
				p := w.process("first-")
				p.files = files
				return p, files.Struck
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// A second process lands everything between any two calls of the first.
func TestSweepTwoWriters(t *testing.T) {
	t.Parallel()
	err := sweep(t, func(w *world, i int) (process, func() bool) {
		return faulty(w, fault.Plan{At: i, Before: func() {
			if _, err := w.process("second-").land(t.Context()); err != nil {
				t.Errorf("call %d: second writer: %v", i, err)
			}
		}})
	})
	if err != nil {
		t.Error(err)
	}
}
