package repair_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/format"
	"landfall/internal/format/parquet"
	"landfall/internal/hint"
	"landfall/internal/intake"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/repair"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/store/fault"
	"landfall/internal/store/local"
	"landfall/internal/table"
	"landfall/internal/table/delta"
)

// world is a folder on disk with a source "in", and all that comes of it.
type world struct {
	t    *testing.T
	root string
	ids  int
}

// place implements repair.Place over a folder whose calls are counted.
type place struct {
	w   *world
	all store.Store
}

func (p *place) Records() store.Store { return store.Below(p.all, "_out.repair") }
func (p *place) Out() store.Store     { return store.Below(p.all, "out") }

// Alone locks nothing: what comes of two processes at once is tested.
func (p *place) Alone(_ context.Context, do func() error) error { return do() }

// Publish is one more call, before and after which a process may die.
func (p *place) Publish(ctx context.Context, stage string) error {
	if _, err := p.all.Stat(ctx, "before publishing"); !errors.Is(err, store.ErrNotExist) {
		return err
	}
	s, err := local.Open(filepath.Join(p.w.root, "_out.repair", stage))
	if err != nil {
		return err
	}
	if err := s.Publish(ctx, filepath.Join(p.w.root, "out")); err != nil {
		return err
	}
	if _, err := p.all.Stat(ctx, "after publishing"); !errors.Is(err, store.ErrNotExist) {
		return err
	}
	return nil
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, root: t.TempDir()}
	w.put("in/dt=2026-11-01/a.parquet", schema.Double, []any{10.5, nil, 1e300})
	w.put("in/dt=2026-11-01/b.parquet", schema.String, []any{"7.25", "x"})
	w.put("in/dt=2026-11-02/c.parquet", schema.Decimal{Precision: 18, Scale: 2}, []any{int64(100), int64(250)})
	w.write("in/dt=2026-11-02/d.parquet", nil)
	return w
}

// put writes a file with a column id that counts, and a column amount.
func (w *world) put(path string, t schema.Type, amounts []any) {
	w.t.Helper()
	s := schema.Struct{Fields: []schema.Field{{Name: "id", Type: schema.Long, Nullable: true}, {Name: "amount", Type: t, Nullable: true}}}
	var ids []any
	for range amounts {
		w.ids++
		ids = append(ids, int64(w.ids))
	}
	var out bytes.Buffer
	f, err := parquetfile.NewWriter(&out, s, parquetfile.Options{})
	ok(w.t, err)
	ok(w.t, f.Write(column.Batch{Rows: len(amounts), Columns: []column.Column{
		parquetfiletest.Column(schema.Long, true, ids), parquetfiletest.Column(t, true, amounts),
	}}))
	_, err = f.Close()
	ok(w.t, err)
	w.write(path, out.Bytes())
}

func (w *world) write(path string, data []byte) {
	w.t.Helper()
	at := filepath.Join(w.root, path)
	ok(w.t, os.MkdirAll(filepath.Dir(at), 0o755))
	ok(w.t, os.WriteFile(at, data, 0o600))
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// job is the copy of the source into "out", with plans for its calls.
func (w *world) job(of by, plans ...fault.Plan) (repair.Job, *fault.Store) {
	w.t.Helper()
	s, err := local.Open(w.root)
	ok(w.t, err)
	faulty := fault.New(s, plans...)
	hints, err := hint.Parse("amount decimal(18,2)")
	ok(w.t, err)
	n := 0
	return repair.Job{
		Files: store.Below(faulty, "in"), Place: &place{w, faulty},
		Want:  of.want(hints),
		Table: func(s store.Store) table.Table { return delta.Open(s, delta.Options{Now: time.Now}) },
		Decode: func(_ context.Context, name string, in intake.Input) (format.Reader, error) {
			return parquet.Open(name, in, in.Size(), parquet.Options{})
		},
		Now: time.Now,
		NewID: func() string {
			n++
			return fmt.Sprintf("%08d-%04d-4000-8000-%012d", os.Getpid(), n, time.Now().UnixNano()%1e12)
		},
		Workers: 1,
	}, faulty
}

func (b by) want(hints hint.Set) repair.Want {
	w := repair.Want{Schema: hints.Text, Hints: hints, Form: b.form}
	if b.column != "" {
		w.PartitionBy = []string{b.column}
	}
	return w
}

// rows are those of the finished copy, as text; nil if there is none.
func (w *world) rows() (rows []string) {
	w.t.Helper()
	var paths []string
	ok(w.t, filepath.WalkDir(filepath.Join(w.root, "out"), func(path string, d os.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err == nil && filepath.Ext(path) == ".parquet" {
			paths = append(paths, path)
		}
		return err
	}))
	for _, path := range paths {
		rows = append(rows, w.read(path)...)
	}
	slices.Sort(rows)
	return rows
}

func (w *world) read(path string) (rows []string) {
	w.t.Helper()
	data, err := os.ReadFile(path)
	ok(w.t, err)
	f, err := parquetfile.Open(bytes.NewReader(data), int64(len(data)))
	ok(w.t, err)
	for b, err := range f.Batches(w.t.Context()) {
		ok(w.t, err)
		columns := map[string][]any{}
		for i, field := range f.Fields() {
			columns[field.Name] = parquetfiletest.Rows(b.Columns[i], true, b.Rows)
		}
		for row := range b.Rows {
			amount := "null"
			if v, ok := columns["amount"][row].(int64); ok {
				amount = strconv.FormatInt(v, 10)
			}
			rescued := columns["_rescued_data"][row] != nil
			cell := func(name string) any {
				if c, ok := columns[name]; ok {
					return c[row]
				}
				_, value, _ := strings.Cut(filepath.Base(filepath.Dir(path)), name+"=")
				return value
			}
			rows = append(rows, fmt.Sprintf("dt=%v %v %s %v", cell("dt"), cell("id"), amount, rescued))
		}
	}
	return rows
}

// wanted are the rows of every copy: what is no decimal(18,2) is kept beside the row.
func wanted() []string {
	return []string{
		"dt=2026-11-01 1 1050 false", "dt=2026-11-01 2 null false", "dt=2026-11-01 3 null true",
		"dt=2026-11-01 4 725 false", "dt=2026-11-01 5 null true", "dt=2026-11-02 6 100 false", "dt=2026-11-02 7 250 false",
	}
}

// finished checks that the copy is there, whole.
func (w *world) finished() {
	w.t.Helper()
	if got := w.rows(); !slices.Equal(got, wanted()) {
		w.t.Errorf("found rows %q, want %q", got, wanted())
	}
}

// by says by what the copy is partitioned: the folders of the source, or a column.
type by struct {
	form   repair.Form
	column string
}

func forms() []by {
	return []by{{repair.Folder, ""}, {repair.Delta, ""}, {repair.Folder, "id"}, {repair.Delta, "id"}}
}

func TestMake(t *testing.T) {
	for _, form := range forms() {
		t.Run(fmt.Sprint(form), func(t *testing.T) {
			w := newWorld(t)
			j, _ := w.job(form)
			r, err := repair.Make(t.Context(), j)
			ok(t, err)
			w.finished()
			if !r.Reconciled || r.Rows.After != 7 || len(r.LeftOut) != 1 || r.Again {
				t.Errorf("found report %+v", r)
			}
			if r, err = repair.Make(t.Context(), j); err != nil || !r.Again {
				t.Errorf("found %+v, %v, want that it is there", r, err)
			}
			if _, err := os.Stat(filepath.Join(w.root, "out", "_delta_log")); (err == nil) != (form.form == repair.Delta) {
				t.Errorf("a log: %v", err)
			}
		})
	}
}

// TestSweep has each call of a copy fail, lose its answer, or be the last of its
// process. What is visible then is nothing or all of the copy, and asking again makes
// it whole.
func TestSweep(t *testing.T) {
	for _, form := range forms() {
		for _, kind := range []fault.Kind{fault.Fail, fault.Ambiguous, fault.Crash} {
			t.Run(fmt.Sprint(form, kind), func(t *testing.T) {
				t.Parallel()
				for at := 0; ; at += stride {
					w := newWorld(t)
					j, s := w.job(form, fault.Plan{Kind: kind, At: at})
					_, err := repair.Make(t.Context(), j)
					if got := w.rows(); got != nil && !slices.Equal(got, wanted()) {
						t.Fatalf("call %d: half a copy is visible: %q", at, got)
					}
					if !s.Struck() {
						ok(t, err)
						return
					}
					j, _ = w.job(form)
					r, err := repair.Make(t.Context(), j)
					if err != nil || !r.Reconciled {
						t.Fatalf("call %d: found %v", at, err)
					}
					w.finished()
				}
			})
		}
	}
}

// TestRace has another process make the same copy between two calls of the first.
func TestRace(t *testing.T) {
	for _, form := range forms() {
		t.Run(fmt.Sprint(form), func(t *testing.T) {
			t.Parallel()
			for at := 0; ; at += stride {
				w := newWorld(t)
				other, _ := w.job(form)
				j, s := w.job(form, fault.Plan{At: at, Before: func() {
					if _, err := repair.Make(t.Context(), other); err != nil {
						t.Errorf("call %d: the other: %v", at, err)
					}
				}})
				if _, err := repair.Make(t.Context(), j); err != nil {
					t.Fatalf("call %d: %v", at, err)
				}
				w.finished()
				if !s.Struck() {
					return
				}
			}
		})
	}
}

// TestRefused: a copy takes the place of nothing, and its source is one.
func TestRefused(t *testing.T) {
	cases := map[string]func(w *world, j *repair.Job){
		"something is there":     func(w *world, _ *repair.Job) { w.write("out/x", []byte("x")) },
		"a table":                func(w *world, _ *repair.Job) { w.write("in/_delta_log/00000000000000000000.json", []byte("{}")) },
		"no such column":         func(_ *world, j *repair.Job) { j.Want.PartitionBy = []string{"region"} },
		"a column of amounts":    func(_ *world, j *repair.Job) { j.Want.PartitionBy = []string{"amount"} },
		"a folder of no type":    func(w *world, _ *repair.Job) { w.put("in/dt=soon/e.parquet", schema.Double, []any{1.0}) },
		"another copy was begun": func(w *world, j *repair.Job) { begin(w, *j); j.Want.Form = repair.Delta },
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			j, _ := w.job(by{form: repair.Folder})
			hints, err := hint.Parse("amount decimal(18,2), dt date")
			ok(t, err)
			j.Want.Hints, j.Want.Schema = hints, hints.Text
			c(w, &j)
			if _, err := repair.Make(t.Context(), j); diag.CodeOf(err) != diag.Usage {
				t.Errorf("found %v, want %s", err, diag.Usage)
			}
		})
	}
}

// begin begins a copy, and dies before it is visible.
func begin(w *world, j repair.Job) {
	crash := fault.New(j.Place.(*place).all, fault.Plan{Kind: fault.Crash, Match: func(c fault.Call) bool { return c.Key == "before publishing" }})
	j.Place = &place{w, crash}
	if _, err := repair.Make(w.t.Context(), j); !errors.Is(err, fault.ErrCrashed) {
		w.t.Fatal(err)
	}
}

// TestBreaksOff: of a file that is damaged in its midst the rows before are copied, and
// what follows is named.
func TestBreaksOff(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(w.root, "in/dt=2026-11-02/c.parquet")
	var out bytes.Buffer
	s := schema.Struct{Fields: []schema.Field{{Name: "id", Type: schema.Long, Nullable: true}, {Name: "amount", Type: schema.String, Nullable: true}}}
	f, err := parquetfile.NewWriter(&out, s, parquetfile.Options{RowGroupBytes: 1})
	ok(t, err)
	for i := range 2 {
		ok(t, f.Write(column.Batch{Rows: 1, Columns: []column.Column{
			parquetfiletest.Column(schema.Long, true, []any{int64(6 + i)}), parquetfiletest.Column(schema.String, true, []any{[]string{"1.00", "a marked text"}[i]}),
		}}))
	}
	_, err = f.Close()
	ok(t, err)
	data := out.Bytes()
	at := bytes.Index(data, []byte("a marked text"))
	if at < 0 {
		t.Fatal("the text is not in the file as it is")
	}
	copy(data[at-4:], "\xff\xff\xff\xff") // its length
	w.write("in/dt=2026-11-02/c.parquet", data)
	j, _ := w.job(by{form: repair.Folder})
	r, err := repair.Make(t.Context(), j)
	ok(t, err)
	if !r.Reconciled || r.Rows.After != 6 || len(r.LeftOut) != 2 || r.LeftOut[0].From != 2 {
		t.Errorf("%s: found %+v", path, r)
	}
	if want := wanted()[:6]; !slices.Equal(w.rows(), want) {
		t.Errorf("found %q, want %q", w.rows(), want)
	}
}

// TestAltered: a byte of the copy that is another one is noticed wherever it stands, also
// by those who ask for the copy again.
func TestAltered(t *testing.T) {
	for _, form := range forms() {
		w := newWorld(t)
		j, _ := w.job(form)
		_, err := repair.Make(t.Context(), j)
		ok(t, err)
		files, err := filepath.Glob(filepath.Join(w.root, "out", "*", "*.parquet"))
		if err != nil || len(files) == 0 {
			t.Fatalf("found %v, %v", files, err)
		}
		data, err := os.ReadFile(files[0])
		ok(t, err)
		for at := 0; at < len(data); at += 41 {
			data[at] ^= 1
			ok(t, os.WriteFile(files[0], data, 0o600))
			r, err := repair.Make(t.Context(), j)
			ok(t, err)
			if r.Sound() || len(r.Strange) != 1 {
				t.Errorf("%v: byte %d: found %v", form, at, r.Strange)
			}
			data[at] ^= 1
		}
		ok(t, os.WriteFile(files[0], data, 0o600))
		if r, err := repair.Make(t.Context(), j); err != nil || !r.Sound() {
			t.Errorf("%v: found %v", form, err)
		}
	}
}

// TestSourceChanges: a copy that died is of the source as it is when it goes on.
func TestSourceChanges(t *testing.T) {
	for _, form := range forms() {
		w := newWorld(t)
		j, _ := w.job(form)
		begin(w, j)
		ok(t, os.Remove(filepath.Join(w.root, "in/dt=2026-11-02/c.parquet")))
		w.ids = 3
		w.put("in/dt=2026-11-01/b.parquet", schema.String, []any{"7.25", "y"})
		j, _ = w.job(form)
		r, err := repair.Make(t.Context(), j)
		ok(t, err)
		if !r.Reconciled || !slices.Equal(w.rows(), wanted()[:5]) {
			t.Errorf("%v: found %q", form, w.rows())
		}
	}
}

// TestDelivered: a file that nobody could read is news when it comes again.
func TestDelivered(t *testing.T) {
	w := newWorld(t)
	j, _ := w.job(by{form: repair.Folder})
	_, err := repair.Make(t.Context(), j)
	ok(t, err)
	w.put("in/dt=2026-11-02/d.parquet", schema.Double, []any{1.0})
	r, err := repair.Make(t.Context(), j)
	ok(t, err)
	if want := []string{"dt=2026-11-02/d.parquet"}; !slices.Equal(r.Since, want) {
		t.Errorf("found %q, want %q", r.Since, want)
	}
}
