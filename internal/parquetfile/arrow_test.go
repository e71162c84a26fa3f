package parquetfile

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"pgregory.net/rapid"

	"landfall/internal/diag"
)

// actions is shaped like a checkpoint of a table's log.
func actions() *arrow.Schema {
	str := arrow.BinaryTypes.String
	add := arrow.StructOf(
		arrow.Field{Name: "path", Type: str},
		arrow.Field{Name: "partitionValues", Type: arrow.MapOf(str, str), Nullable: true},
		arrow.Field{Name: "size", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		arrow.Field{Name: "at", Type: arrow.FixedWidthTypes.Timestamp_us, Nullable: true},
	)
	return arrow.NewSchema([]arrow.Field{
		{Name: "add", Type: add, Nullable: true},
		{Name: "features", Type: arrow.ListOfField(arrow.Field{Name: "element", Type: str, Nullable: true}), Nullable: true},
	}, nil)
}

const actionRows = `[
 {"add": {"path": "a", "partitionValues": [{"key": "dt", "value": "1"}, {"key": "x", "value": null}], "size": 9007199254740993, "at": "2024-06-01T10:00:00.123456Z"}, "features": null},
 {"add": null, "features": ["one", null, ""]},
 {"add": {"path": "", "partitionValues": [], "size": null, "at": null}, "features": []}
]`

// records repeats one record n times.
func records(t rapid.TB, mem memory.Allocator, s *arrow.Schema, rows string, n int) iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		rec, _, err := array.RecordFromJSON(mem, s, strings.NewReader(rows))
		if err != nil {
			t.Fatal(err)
		}
		defer rec.Release()
		for range n {
			if !yield(rec, nil) {
				return
			}
		}
	}
}

func checked(t testing.TB) memory.Allocator {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return mem
}

// unchecked allocates for readers of integers stored as differences, whose
// decoder leaves its memory to the garbage collector.
func unchecked() memory.Allocator { return memory.NewGoAllocator() }

func written(t testing.TB, mem memory.Allocator, n int, o Options) []byte {
	var buf bytes.Buffer
	s := actions()
	f, err := writeArrow(mem, &buf, s, records(t, mem, s, actionRows, n), o)
	if err != nil || f.Rows != int64(3*n) || f.Size != int64(buf.Len()) {
		t.Fatalf("wrote %d rows, %d of %d bytes: %v", f.Rows, f.Size, buf.Len(), err)
	}
	return buf.Bytes()
}

func TestArrowRoundTrip(t *testing.T) {
	mem := checked(t)
	for _, o := range []Options{{}, {Compression: Snappy, RowGroupBytes: 1, Metadata: map[string]string{"k": "v"}}} {
		data := written(t, mem, 2, o)
		got, err := Schema(bytes.NewReader(data), int64(len(data)))
		if err != nil || plain(got) != plain(actions()) {
			t.Fatalf("schema %v, %v", got, err)
		}
		n := 0
		for rec, err := range read(t.Context(), mem, bytes.NewReader(data), int64(len(data)), nil) {
			if err != nil {
				t.Fatal(err)
			}
			want, _, err := array.RecordFromJSON(mem, rec.Schema(), strings.NewReader(actionRows))
			if err != nil {
				t.Fatal(err)
			}
			for i := int64(0); i < rec.NumRows(); i += 3 {
				part := rec.NewSlice(i, i+3)
				if !array.RecordEqual(part, want) {
					t.Errorf("read %v\nwant %v", part, want)
				}
				part.Release()
				n++
			}
			want.Release()
		}
		if n != 2 {
			t.Errorf("read %d times 3 rows, want 2", n)
		}
	}
}

// plain spells a schema without the metadata of its fields.
func plain(s *arrow.Schema) string {
	out := ""
	for _, f := range s.Fields() {
		f.Metadata = arrow.Metadata{}
		out += f.String() + "\n"
	}
	return out
}

func TestReadColumns(t *testing.T) {
	mem := checked(t)
	data := written(t, mem, 1, Options{})
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"features"}, "features"},
		{[]string{"add.path", "add.size"}, "add{path,partitionValues,size}"},
		{[]string{"add.partitionValues", "absent"}, "add{partitionValues}"},
		{[]string{"features", "add"}, "add{path,partitionValues,size,at} features"},
		{[]string{"absent"}, ""},
	} {
		got := ""
		for rec, err := range read(t.Context(), mem, bytes.NewReader(data), int64(len(data)), c.names) {
			if err != nil {
				t.Fatal(err)
			}
			got = shape(rec.Schema())
		}
		if got != c.want {
			t.Errorf("columns %v: %q, want %q", c.names, got, c.want)
		}
	}
}

func shape(s *arrow.Schema) string {
	var out []string
	for _, f := range s.Fields() {
		name := f.Name
		if st, ok := f.Type.(*arrow.StructType); ok {
			var parts []string
			for _, p := range st.Fields() {
				parts = append(parts, p.Name)
			}
			name += "{" + strings.Join(parts, ",") + "}"
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func TestReadStops(t *testing.T) {
	mem := checked(t)
	data := written(t, mem, 1, Options{})
	for _, err := range read(t.Context(), mem, bytes.NewReader(data), int64(len(data)), nil) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range read(ctx, mem, bytes.NewReader(data), int64(len(data)), nil) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after cancel: %v", err)
		}
	}
}

func TestUnreadable(t *testing.T) {
	good := written(t, memory.DefaultAllocator, 50, Options{})
	garbled := bytes.Clone(good)
	for i := 4; i < len(good)/3; i++ {
		garbled[i] ^= 0x5a
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":     {nil, "file of 0 bytes"},
		"text":      {[]byte("<!doctype html><html>"), `begins with "<!do"`},
		"cut":       {good[:len(good)-1], "truncated"},
		"cut hard":  {good[:20], "truncated"},
		"no footer": {append(bytes.Clone(good[:len(good)/2]), "PAR1"...), "cannot read"},
		"encrypted": {append(bytes.Clone(good[:len(good)-4]), "PARE"...), "encrypted"},
		"garbled":   {garbled, "cannot read"},
	} {
		var err error
		for rec, e := range Read(t.Context(), bytes.NewReader(c.data), int64(len(c.data)), nil) {
			_, err = rec, e
		}
		if diag.CodeOf(err) != diag.FileUnreadable || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// faulty fails every read after the first n.
type faulty struct {
	r io.ReaderAt
	n int
}

var errStore = errors.New("the store is on fire")

func (f *faulty) ReadAt(p []byte, off int64) (int, error) {
	if f.n--; f.n < 0 {
		return 0, errStore
	}
	return f.r.ReadAt(p, off)
}

func TestStoreFaultIsNoBrokenFile(t *testing.T) {
	data := written(t, memory.DefaultAllocator, 1, Options{})
	for n := range 100 {
		var last error
		for _, err := range Read(t.Context(), &faulty{bytes.NewReader(data), n}, int64(len(data)), nil) {
			last = err
		}
		if last == nil {
			if n < 5 {
				t.Fatalf("only %d reads", n)
			}
			return
		}
		if !errors.Is(last, errStore) || diag.CodeOf(last) != "" {
			t.Fatalf("read %d fails: %v", n, last)
		}
	}
	t.Error("never got through")
}
