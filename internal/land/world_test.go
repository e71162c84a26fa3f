package land_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"landfall/internal/contract"
	"landfall/internal/discovery"
	"landfall/internal/format"
	"landfall/internal/format/csv"
	"landfall/internal/format/json"
	"landfall/internal/format/parquet"
	"landfall/internal/intake"
	"landfall/internal/land"
	"landfall/internal/parquetfile"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/store/memory"
	"landfall/internal/table"
	"landfall/internal/table/delta"
	"landfall/internal/value"
)

// stateFolder is where the worlds keep the state of their source.
const stateFolder = "_landfall/orders/"

// scene is what is common to all processes of a world.
type scene struct {
	days    []day
	limits  land.Limits
	forms   *value.Forms
	newOnly bool
	moved   bool
	// long says that the scene has many calls; brief sweeps strike half of those that
	// they strike elsewhere.
	long    bool
	workers int
	// unit is the size of files that share row groups, target that of data files.
	unit, target int64
	// moving says that columns of Parquet files are moved as they are, however small
	// the files.
	moving bool
	// strict says that no process may fail.
	strict bool
	// compact is the number of marks between compactions, 0 means 2.
	compact int64
	policy  contract.Policy
	options csv.Options
	// tree says that the files are JSON, parquet that they are Parquet.
	tree, parquet bool
	// guess, if set, changes the contract under which objects are read first.
	guess func(contract.Version) contract.Version
	// wrap and table, if set, are layers of the program that a test plants:
	// above the stores and above the table.
	wrap  func(store.Store) store.Store
	table func(table.Table, process) table.Table
}

// keptOut begins the ids of rows that the policy of their scene keeps out of the table.
const keptOut = "out"

// day is what a vendor delivers before a landing, by file name, and what is done
// then: a landing, after a decision and a replay if there are any, or a reset.
type day struct {
	files  map[string]string
	reset  land.Reset
	decide *contract.Decision
	replay *land.Choice
}

// world is a source and a table's folder, both in memory, and what should be
// in the table.
type world struct {
	scene
	files, data *memory.Store
	// want are the rows that may stand in the table for a file, by id: one of
	// these counts. before is what it was before the last delivery.
	want, before map[string][]map[string]int
	today        int
}

func newWorld(s scene) *world {
	return &world{s, memory.New(nil), memory.New(nil), map[string][]map[string]int{}, nil, 0}
}

func (w *world) clone() *world {
	return &world{w.scene, w.files.Clone(), w.data.Clone(), maps.Clone(w.want), w.before, w.today}
}

// deliver writes the files of a day and says what must be in the table after it.
func (w *world) deliver(ctx context.Context, n int) error {
	d := w.days[n]
	w.before = maps.Clone(w.want)
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		if err := w.files.Replace(ctx, name, []byte(d.files[name])); err != nil {
			return err
		}
		rows := ids(d.files[name])
		maps.DeleteFunc(rows, func(id string, _ int) bool { return strings.HasPrefix(id, keptOut) })
		w.want[name] = []map[string]int{rows}
		if w.newOnly && n == 0 {
			w.want[name] = nil
		}
	}
	if d.reset == land.ResetKeep {
		w.mayKeep(n)
	}
	return nil
}

// mayKeep allows that the files of a day were settled unread.
func (w *world) mayKeep(n int) {
	for name := range w.days[n].files {
		w.want[name] = append(slices.Clone(w.want[name]), w.before[name]...)
		if len(w.before[name]) == 0 {
			w.want[name] = append(w.want[name], nil)
		}
	}
}

// process is one run of the program over stores of its own.
type process struct {
	scene
	name        string
	files, data store.Store
	// kept holds the state if it does not stand beside the table.
	kept store.Store
	day  day
}

func (w *world) process(name string) process {
	return process{scene: w.scene, name: name, files: w.files, data: w.data}
}

func (p process) state() *state.State {
	if p.kept != nil {
		return state.New(p.kept)
	}
	return state.New(store.Below(p.data, stateFolder))
}

func (p process) source() land.Source {
	if p.wrap != nil {
		p.files, p.data = p.wrap(p.files), p.wrap(p.data)
	}
	var tab table.Table = delta.Open(p.data, delta.Options{Now: noon, CheckpointEvery: 2})
	if p.table != nil {
		tab = p.table(tab, p)
	}
	key := stateFolder
	if p.kept != nil {
		key = "kept://orders/"
	}
	src := land.Source{
		Name: "orders", Files: p.files, Data: p.data, Table: tab, State: p.state(),
		StateKey: key, Format: "csv", Policy: p.policy, Limits: p.limits, Target: p.target,
		Select: discovery.Selection{NewOnly: p.newOnly}, Moved: p.moved, Forms: cmp.Or(p.forms, &value.Forms{}),
		Decode: func(ctx context.Context, path string, r intake.Input) (format.Reader, error) {
			return csv.Open(ctx, path, r, p.options)
		},
	}
	if p.tree {
		src.Format, src.Tree = "json", true
		src.Decode = func(ctx context.Context, path string, r intake.Input) (format.Reader, error) {
			return json.Open(ctx, path, r, json.Options{})
		}
	}
	if p.parquet {
		src.Format, src.Typed = "parquet", true
		src.Decode = func(_ context.Context, path string, r intake.Input) (format.Reader, error) {
			return parquet.Open(path, r, r.Size(), parquet.Options{})
		}
	}
	return src
}

func noon() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) }

func (p process) env() land.Env {
	var mu sync.Mutex
	n := 0
	env := land.Env{
		Now: noon,
		NewID: func() string {
			mu.Lock()
			defer mu.Unlock()
			n++
			return fmt.Sprintf("%s%04d", p.name, n)
		},
		Workers: max(p.workers, 1), Unit: p.unit, CompactEvery: cmp.Or(p.compact, 2),
	}
	if p.moving {
		env.Moved = 1
	}
	if p.guess != nil {
		land.Guess(&env, p.guess)
	}
	return env
}

// run does what the day asks for.
func (p process) run(ctx context.Context) (land.Report, error) {
	if p.day.reset != "" {
		return land.Begin(ctx, p.source(), p.env(), p.day.reset)
	}
	if p.day.decide != nil {
		if r, err := land.Decide(ctx, p.source(), p.env(), *p.day.decide); err != nil {
			return r, err
		}
	}
	if p.day.replay != nil {
		if r, err := land.Replay(ctx, p.source(), p.env(), *p.day.replay); err != nil {
			return r, err
		}
	}
	return p.land(ctx)
}

func (p process) land(ctx context.Context) (land.Report, error) {
	return land.Run(ctx, p.source(), p.env())
}

// check compares the table with what should be there, every record once, in files
// that readers take, and reads all of the state.
func (w *world) check(ctx context.Context) error {
	got, err := rows(ctx, w.files, w.data)
	if err != nil {
		return err
	}
	for name := range w.want {
		if got[name] == nil {
			got[name] = map[string]int{}
		}
	}
	for name, found := range got {
		ok := len(w.want[name]) == 0 && len(found) == 0
		for _, want := range w.want[name] {
			ok = ok || maps.Equal(found, want)
		}
		if !ok {
			return fmt.Errorf("%s: found %v, want %v", name, found, w.want[name])
		}
	}
	for _, err := range w.process("check").state().Events(ctx) {
		if err != nil {
			return err
		}
	}
	return fits(ctx, w.data)
}

// rows counts the table's rows by file, then id. Every live file must hold what
// its statistics say.
func rows(ctx context.Context, files, data store.Store) (map[string]map[string]int, error) {
	got := map[string]map[string]int{}
	tab := delta.Open(data, delta.Options{})
	snap, err := tab.Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		return got, nil
	}
	if err != nil {
		return nil, err
	}
	root := strings.TrimSuffix(files.URL(""), "/") + "/"
	for _, f := range snap.Files() {
		o, err := data.Open(ctx, f.Path)
		if err != nil {
			return nil, err
		}
		deleted, err := tab.Deleted(ctx, f)
		if err != nil {
			return nil, err
		}
		var n int64
		for rec, err := range parquetfile.Read(ctx, o, f.Size, nil) {
			if err != nil {
				return nil, err
			}
			for i := range int(rec.NumRows()) {
				if n++; slices.Contains(deleted, n-1) {
					continue
				}
				name := strings.TrimPrefix(text(rec, contract.SourceFile, i), root)
				if got[name] == nil {
					got[name] = map[string]int{}
				}
				got[name][text(rec, "id", i)]++
			}
		}
		if n != f.Rows {
			return nil, fmt.Errorf("file %s has %d rows, its statistics say %d", f.Path, n, f.Rows)
		}
	}
	return got, nil
}

// text is a value of a record as text, "" for null and where there is no such
// column.
func text(rec arrow.RecordBatch, name string, row int) string {
	for _, at := range rec.Schema().FieldIndices(name) {
		if c := rec.Column(at); c.IsValid(row) {
			return c.ValueStr(row)
		}
	}
	return ""
}

// must fails the test at an error.
func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
