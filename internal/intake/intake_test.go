package intake_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/datafile"
	"landfall/internal/event"
	"landfall/internal/format"
	"landfall/internal/format/csv"
	"landfall/internal/format/parquet"
	"landfall/internal/intake"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/footer"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/store/memory"
	"landfall/internal/value"
)

// world is a source and a table in memory.
type world struct {
	t           *testing.T
	files, data *memory.Store
	src         intake.Source
	in          state.Intent
	shape       *intake.Shape
}

// newWorld is a source of files, whose rows have columns as "a: bigint; b: string".
func newWorld(t *testing.T, columns string, files map[string][]byte) *world {
	t.Helper()
	w := &world{t: t, files: memory.New(nil), data: memory.New(nil)}
	w.in = state.Intent{Batch: 1, Kind: state.KindLand, At: time.Unix(1_780_000_000, 0).UTC()}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if err := w.files.Create(t.Context(), path, files[path]); err != nil {
			t.Fatal(err)
		}
		info, err := w.files.Stat(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		w.in.Objects = append(w.in.Objects, state.Object{Path: path, Size: info.Size, ModTime: info.ModTime, Version: info.Version})
	}
	w.src = intake.Source{
		Files: w.files, Data: w.data, State: state.New(store.Below(w.data, "state/")), Forms: &value.Forms{},
		Name: func(suffix string) string { return suffix + ".parquet" },
		Decode: func(ctx context.Context, path string, r intake.Input) (format.Reader, error) {
			return csv.Open(ctx, path, r, csv.Options{})
		},
	}
	version := contract.Version{Number: 1}
	for _, c := range strings.Split(columns, "; ") {
		name, ddl, _ := strings.Cut(c, ": ")
		version.Columns = append(version.Columns, contract.Column{Name: name, Original: name, Type: ddl})
	}
	w.shape = &intake.Shape{Version: version}
	return w
}

// parquet says that the files are Parquet, from whatever size on moved as they are.
func (w *world) parquet() *world {
	w.src.Typed, w.src.Moved = true, 1
	w.src.Decode = func(_ context.Context, path string, r intake.Input) (format.Reader, error) {
		return parquet.Open(path, r, r.Size(), parquet.Options{})
	}
	return w
}

// landed writes the rows of all objects under the one shape.
func (w *world) landed() (*intake.Intake, []datafile.File) {
	w.t.Helper()
	table, err := contract.TableSchema(w.shape.Version, w.src.Policy)
	if err != nil {
		w.t.Fatal(err)
	}
	w.shape.Fits, w.shape.File, w.shape.Held = table, table, nil
	for i := range table.Fields {
		w.shape.Held = append(w.shape.Held, i)
	}
	a := intake.New(w.src, w.in, "a", nil)
	if err := a.Settle(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	files, err := a.Write(w.t.Context(), w.shape, func(context.Context) (*intake.Shape, error) { return w.shape, nil })
	if err != nil {
		w.t.Fatal(err)
	}
	return a, files
}

// read returns the bytes of a key in the table's store.
func (w *world) read(key string) []byte {
	w.t.Helper()
	o, err := w.data.Open(w.t.Context(), key)
	if err != nil {
		w.t.Fatal(err)
	}
	defer o.Close() //nolint:errcheck // nothing was written
	b := make([]byte, o.Info().Size)
	if _, err := o.ReadAt(b, 0); err != nil {
		w.t.Fatal(err)
	}
	return b
}

// values returns those of a column of a data file, and whether it has the keys of the
// file that it was moved from.
func (w *world) values(key, column string) (values []any, moved bool) {
	w.t.Helper()
	b := w.read(key)
	f, err := parquetfile.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		w.t.Fatal(err)
	}
	at := slices.IndexFunc(f.Fields(), func(f schema.Field) bool { return f.Name == column })
	for batch, err := range f.Batches(w.t.Context()) {
		if err != nil {
			w.t.Fatal(err)
		}
		values = append(values, parquetfiletest.Rows(batch.Columns[at], true, batch.Rows)...)
	}
	foot, err := footer.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		w.t.Fatal(err)
	}
	_, moved = foot.Lookup("sender")
	return values, moved
}

// sent is a Parquet file of columns as "a: bigint", with their values.
func sent(t *testing.T, columns string, values ...[]any) []byte {
	t.Helper()
	var s schema.Struct
	batch := column.Batch{Rows: len(values[0])}
	for i, c := range strings.Split(columns, "; ") {
		name, ddl, _ := strings.Cut(c, ": ")
		typ, err := schema.ParseDDL(ddl)
		if err != nil {
			t.Fatal(err)
		}
		s.Fields = append(s.Fields, schema.Field{Name: name, Type: typ, Nullable: true})
		batch.Columns = append(batch.Columns, parquetfiletest.Column(typ, true, values[i]))
	}
	var b bytes.Buffer
	w, err := parquetfile.NewWriter(&b, s, parquetfile.Options{Metadata: map[string]string{"sender": "them"}})
	if err == nil {
		err = w.Write(batch)
	}
	if err == nil {
		_, err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestWorkersDoNotShow lands the same files by workers of any number, with as much as
// may wait: the data files are the same, byte for byte.
func TestWorkersDoNotShow(t *testing.T) {
	files := map[string][]byte{}
	for i := range 40 {
		files[fmt.Sprintf("f%02d.csv", i)] = fmt.Appendf(nil, "a,b\n%d,%s\n", i, strings.Repeat("x", i))
	}
	for _, waiting := range []int64{1, 2_000, 1 << 20} {
		sameByWorkers(t, 40, func() *world {
			w := newWorld(t, "a: bigint; b: string", files)
			w.src.Unit, w.src.Waiting = 60, waiting
			return w
		})
	}
}

// TestWorkersShareAFile lands one large file by workers of any number, of which one
// reads and another encodes: the data files are the same, also where values do not fit
// and where the file breaks off within a record.
func TestWorkersShareAFile(t *testing.T) {
	var text bytes.Buffer
	text.WriteString("a,b\n")
	rows := int64(0)
	for ; text.Len() < 10<<20; rows++ {
		switch rows % 1000 {
		case 500:
			fmt.Fprintf(&text, "no number,%d\n", rows)
		case 501:
			fmt.Fprintf(&text, "%d,\"a line\nand %d more\"\n", rows, rows)
		default:
			fmt.Fprintf(&text, "%d,%x\n", rows, rows*rows*rows)
		}
	}
	fmt.Fprintf(&text, "1,%s\n2,short\n", strings.Repeat("long ", 4<<20))
	rows += 2
	text.WriteString("1,\"broken off")
	sameByWorkers(t, rows, func() *world {
		w := newWorld(t, "a: bigint; b: string", map[string][]byte{"f.csv": text.Bytes()})
		w.src.Target = 1 << 20
		return w
	})
}

// sameByWorkers sees that any number of workers lands so many rows in the same files.
func sameByWorkers(t *testing.T, want int64, begin func() *world) {
	t.Helper()
	var before map[string]string
	for _, workers := range []int{1, 2, 5} {
		w := begin()
		w.src.Workers = workers
		a, made := w.landed()
		got := map[string]string{}
		rows := int64(0)
		for _, f := range made {
			got[f.Path] = string(w.read(f.Path))
			rows += f.Rows
		}
		if landed := len(a.Landed()); rows != want || landed != len(w.in.Objects) {
			t.Fatalf("%d rows of %d objects landed, want %d of %d", rows, landed, want, len(w.in.Objects))
		}
		if before == nil {
			before = got
		}
		if len(got) != len(before) {
			t.Fatalf("%d workers made %d files, want %d", workers, len(got), len(before))
		}
		for key := range before {
			if got[key] != before[key] {
				t.Errorf("%s differs with %d workers", key, workers)
			}
		}
	}
}

// TestMove moves a file whose columns are what the table wants, and reads one whole of
// which a row must be kept out: quarantine has all of that row.
func TestMove(t *testing.T) {
	numbers := []any{int64(1), int64(2), int64(3)}
	for text, whole := range map[string]bool{"2": false, "x": true} {
		w := newWorld(t, "a: bigint; b: bigint", map[string][]byte{
			"f.parquet": sent(t, "a: bigint; b: string", numbers, []any{"1", text, "3"}),
		}).parquet()
		w.src.Policy.NoRescue = true
		a, files := w.landed()
		if len(files) != 1 {
			t.Fatalf("%s: %d files, want 1", text, len(files))
		}
		want := numbers
		if whole {
			want = []any{int64(1), int64(3)}
		}
		got, moved := w.values(files[0].Path, "a")
		if moved == whole || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: a is %v, moved %v, want %v", text, got, moved, want)
		}
		out := a.Outcomes[0]
		if aside := int64(len(numbers) - len(want)); out.Rows != int64(len(want)) || out.Quarantined != aside || out.RowsIn != 3 {
			t.Errorf("%s: %d rows landed and %d are in quarantine of %d, want %d and %d", text, out.Rows, out.Quarantined, out.RowsIn, len(want), aside)
		}
		var counts event.Batch
		a.Count(&counts)
		if counts.RowsLanded != int64(len(want)) {
			t.Errorf("%s: counted %d rows, want %d", text, counts.RowsLanded, len(want))
		}
		kept := ""
		for q, err := range w.src.State.KeptOut(t.Context(), state.Mark{Batch: 1, Attempt: "a", Objects: a.Outcomes}) {
			if err != nil {
				t.Fatal(err)
			}
			kept += string(q.Bytes)
		}
		if whole != (kept == `{"a":2,"b":"x"}`) {
			t.Errorf("%s: quarantine holds %s", text, kept)
		}
	}
}

// TestLook replaces what a footer says of moved columns by what their values are.
func TestLook(t *testing.T) {
	w := newWorld(t, "a: double", map[string][]byte{"f.parquet": sent(t, "a: double", []any{2.5, nil, 7.0})}).parquet()
	a, files := w.landed()
	if _, moved := w.values(files[0].Path, "a"); !moved {
		t.Fatal("the column was not moved")
	}
	declared := func() column.Declared { return a.Seen[0].Evidence.Fields[0].Types[0] }
	if d := declared(); d.Unread != 2 || d.Count != 2 || d.Inexact != 2 {
		t.Errorf("the footer says %+v, want 2 values that were not read and may be no integers", d)
	}
	if err := a.Look(t.Context(), []int{0}); err != nil {
		t.Fatal(err)
	}
	if d := declared(); d.Unread != 0 || d.Count != 2 || d.Inexact != 1 {
		t.Errorf("the values are %+v, want 2 that were read, one of them no integer", d)
	}
}
