package datafile

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"pgregory.net/rapid"

	"landfall/internal/diag"
	"landfall/internal/parquetfile"
	"landfall/internal/store"
	"landfall/internal/store/fault"
	mem "landfall/internal/store/memory"
)

// written writes rows as one file and returns it.
func written(t rapid.TB, s store.Store, rows []row) File {
	ctx := context.Background()
	o := Options{Options: parquetfile.Options{RowGroupBytes: 50}, Name: func() string { return "old" }}
	w := NewWriter(s, table(), o)
	for _, r := range rows {
		w.Begin(r.object, 0)
		must(t, w.Write(ctx, batch(r.object, r.value)))
		must(t, w.End(ctx))
	}
	files := packed(t, NewPacker(s, table(), o), w)
	return files[0]
}

// TestRewrite compares with leaving the rows out by hand.
func TestRewrite(t *testing.T) {
	values := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\x00", "", "same", "same"}))
	rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) row {
		return row{rapid.IntRange(0, 4).Draw(t, "object"), values.Draw(t, "value")}
	}), 1, 30)
	rapid.Check(t, func(t *rapid.T) {
		ctx, s := context.Background(), mem.New(nil)
		all := rows.Draw(t, "rows")
		written(t, s, all)
		deleted := rapid.SliceOf(rapid.Int64Range(0, int64(len(all)-1))).Draw(t, "deleted")
		replaced := rapid.IntRange(-1, 4).Draw(t, "replaced")
		gone := map[int]bool{}
		for _, d := range deleted {
			gone[int(d)] = true
		}
		var want []row
		live, kept, dropped := map[string]int64{}, map[string]int64{}, int64(0)
		for i, r := range all {
			if gone[i] {
				continue
			}
			live[source(r.object)]++
			if r.object == replaced {
				dropped++
				continue
			}
			kept[source(r.object)]++
			want = append(want, r)
		}
		counts, err := CountSources(ctx, s, "old", deleted)
		must(t, err)
		if !maps.Equal(counts, live) {
			t.Fatalf("sources %v, want %v", counts, live)
		}
		got, err := Rewrite(ctx, s, "old", deleted, func(f string) bool { return f == source(replaced) }, named(Options{}))
		must(t, err)
		if got.Dropped != dropped || got.Deleted != int64(len(gone)) || !maps.Equal(got.Kept, kept) {
			t.Fatalf("%+v, want %d dropped, %d deleted, kept %v", got, dropped, len(gone), kept)
		}
		if len(want) == 0 {
			if got.File != nil || len(s.Keys()) != 1 {
				t.Fatalf("file %v of no rows", got.File)
			}
			return
		}
		compareInOrder(t, readFile(t, s, got.File.Path), want)
		if fresh := written(t, mem.New(nil), want); got.File.Stats != fresh.Stats {
			t.Fatalf("statistics %s\nwant %s", got.File.Stats, fresh.Stats)
		}
	})
}

func compareInOrder(t rapid.TB, got, want []row) {
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("row %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// foreign stores a file as another tool may have written it.
func foreign(t *testing.T, s store.Store, fields []arrow.Field, rows string) {
	sc := arrow.NewSchema(fields, nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, sc, strings.NewReader(rows))
	must(t, err)
	var buf bytes.Buffer
	_, err = parquetfile.WriteArrow(&buf, sc, func(yield func(arrow.RecordBatch, error) bool) { yield(rec, nil) }, parquetfile.Options{})
	must(t, err)
	must(t, s.Create(t.Context(), "old", buf.Bytes()))
}

func TestRewriteForeign(t *testing.T) {
	str := arrow.BinaryTypes.String
	value := arrow.Field{Name: "v", Type: str, Nullable: true}
	list := arrow.Field{Name: "l", Type: arrow.ListOf(str), Nullable: true}
	for name, c := range map[string]struct {
		fields []arrow.Field
		rows   string
		drop   func(string) bool
		want   diag.Code
		stats  string
	}{
		"no source": {[]arrow.Field{value}, `[{"v": "a"}, {"v": "b"}]`, func(string) bool { return true }, diag.ReplaceRefused, ""},
		"source of numbers": {
			[]arrow.Field{value, {Name: sourceColumn, Type: arrow.PrimitiveTypes.Int64}},
			`[{"v": "a", "_source_file": 1}]`, func(string) bool { return true }, diag.ReplaceRefused, "",
		},
		"no source, deletions only": {
			[]arrow.Field{list, value},
			`[{"l": ["x"], "v": "a"}, {"l": [], "v": "b"}, {"l": null, "v": null}]`, nil, "",
			`{"numRecords":2,"minValues":{"v":"b"},"maxValues":{"v":"b"},"nullCount":{"v":1}}`,
		},
		"null source": {
			[]arrow.Field{value, {Name: sourceColumn, Type: str, Nullable: true}},
			`[{"v": "a"}, {"v": "b", "_source_file": "x"}, {"v": "c"}]`, func(s string) bool { return s == "" }, "",
			`{"numRecords":1,"minValues":{"v":"b","_source_file":"x"},"maxValues":{"v":"b","_source_file":"x"},"nullCount":{"v":0,"_source_file":0}}`,
		},
	} {
		s := mem.New(nil)
		foreign(t, s, c.fields, c.rows)
		got, err := Rewrite(t.Context(), s, "old", []int64{0, 0}, c.drop, named(Options{}))
		if diag.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want code %q", name, err, c.want)
		}
		if c.stats != "" && (got.File == nil || got.File.Stats != c.stats) {
			t.Errorf("%s: file %+v, want statistics %s", name, got.File, c.stats)
		}
	}
}

func TestRewriteRefuses(t *testing.T) {
	s := mem.New(nil)
	written(t, s, []row{{1, "a"}, {2, "b"}})
	must(t, s.Create(t.Context(), "text", []byte("not a Parquet file")))
	for path, c := range map[string]struct {
		deleted []int64
		want    error
		at      string
	}{
		"old":    {[]int64{2}, &diag.Diagnostic{Code: diag.LogBroken}, "old"},
		"text":   {nil, &diag.Diagnostic{Code: diag.FileUnreadable}, "text"},
		"absent": {nil, store.ErrNotExist, ""},
	} {
		for name, err := range map[string]error{
			"rewrite": second(Rewrite(t.Context(), s, path, c.deleted, nil, named(Options{}))),
			"count":   second(CountSources(t.Context(), s, path, c.deleted)),
		} {
			var d *diag.Diagnostic
			if !errors.Is(err, c.want) || errors.As(err, &d) && d.At.File != c.at {
				t.Errorf("%s of %s: %v, want %v", name, path, err, c.want)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestRewriteFaults(t *testing.T) {
	for i := 0; ; i++ {
		m := mem.New(nil)
		written(t, m, []row{{1, "a"}, {2, "b"}})
		s := fault.New(m, fault.Plan{At: i, Kind: fault.Fail, Err: store.ErrFull, Fine: true})
		got, err := Rewrite(t.Context(), s, "old", nil, func(f string) bool { return f == source(1) }, named(Options{}))
		if !s.Struck() {
			if must(t, err); got.File == nil || i < 6 {
				t.Errorf("%+v after %d calls", got, i)
			}
			return
		}
		if !errors.Is(err, store.ErrFull) || diag.CodeOf(err) != "" || m.Pending() != 0 {
			t.Errorf("call %d: %v, %d uploads left open", i, err, m.Pending())
		}
	}
}
