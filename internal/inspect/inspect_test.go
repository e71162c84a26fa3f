package inspect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"landfall/internal/diag"
	"landfall/internal/parquetfile"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/store/memory"
)

// made is a file of the columns of a struct, without rows.
func made(t testing.TB, ddl string) []byte {
	t.Helper()
	columns, err := schema.ParseDDL("struct<" + ddl + ">")
	if err != nil {
		t.Fatal(err)
	}
	s, _ := columns.(schema.Struct)
	var out bytes.Buffer
	w, err := parquetfile.NewWriter(&out, s, parquetfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// folder is a store whose files are a minute apart.
func folder(t testing.TB) (s *memory.Store, put func(key string, data []byte)) {
	t.Helper()
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	s = memory.New(func() time.Time { return now })
	return s, func(key string, data []byte) {
		t.Helper()
		now = now.Add(time.Minute)
		if err := s.Create(t.Context(), key, data); err != nil {
			t.Fatal(err)
		}
	}
}

// Each way in which two schemas can differ is told by its kind; parts of a column
// that one of them lacks are not told again.
func TestDifferences(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"a: int", "a: int", "[]"},
		{"a: int", "a: bigint", "[a type int:[1] bigint:[2]]"},
		{"a: decimal(10,2)", "a: decimal(18,2)", "[a decimal decimal(10,2):[1] decimal(18,2):[2]]"},
		{"a: decimal(10,2)", "a: double", "[a type decimal(10,2):[1] double:[2]]"},
		{"a: int", "A: int", "[a recased a:[1] A:[2]]"},
		{"a: int, b: int", "b: int, a: int", "[ order a, b:[1] b, a:[2]]"},
		{"a: int", "a: int, s: struct<x: int>", "[s added absent:[1] struct:[2]]"},
		{"a: int, b: array<int>", "a: int", "[b missing array:[1] absent:[2]]"},
		{"s: struct<x: int>", "s: struct<x: int, y: date>", "[s.y added absent:[1] date:[2]]"},
		{"s: struct<x: int>", "s: string", "[s type struct:[1] string:[2]]"},
		{"m: map<string, int>", "m: map<string, bigint>", "[m.value type int:[1] bigint:[2]]"},
		{"l: array<struct<x: int>>", "l: array<struct<x: string>>", "[l.element.x type int:[1] string:[2]]"},
		{"t: timestamp", "t: timestamp_ntz", "[t type timestamp:[1] timestamp_ntz:[2]]"},
	} {
		s, put := folder(t)
		put("1.parquet", made(t, c.a))
		put("2.parquet", made(t, c.b))
		r, err := Run(t.Context(), s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, d := range r.Differences {
			text := d.Column + " " + d.Kind
			for _, v := range d.Types {
				text += fmt.Sprintf(" %s:%v", v.Type, v.Groups)
			}
			got = append(got, text)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s and %s: %v, want %s", c.a, c.b, got, c.want)
		}
	}
}

// What is said does not depend on how many files are read at once.
func TestWorkers(t *testing.T) {
	s, put := folder(t)
	for i := range 200 {
		ddl := []string{"a: int", "a: bigint, b: string", "a: int, b: array<date>"}[i*i%3]
		put(fmt.Sprintf("dt=%d/%03d.parquet", i%7, i), made(t, ddl))
	}
	put("x.parquet", []byte("{}"))
	var want []byte
	for _, workers := range []int{1, 2, 16} {
		told := 0
		r, err := Run(t.Context(), s, Options{Workers: workers, Progress: func(p Progress) { told = p.Done }})
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) || r.Files != 200 || told != 201 {
			t.Errorf("%d workers: %d files, told of %d\n%s\nwant\n%s", workers, r.Files, told, got, want)
		}
	}
}

// restless changes one file and takes another away after the folder was listed.
type restless struct {
	*memory.Store
	gone, other string
	data        []byte
}

func (s *restless) Open(ctx context.Context, key string) (store.Object, error) {
	if s.gone != "" {
		gone := s.gone
		s.gone = ""
		if err := errors.Join(s.Delete(ctx, gone), s.Replace(ctx, s.other, s.data)); err != nil {
			return nil, err
		}
	}
	return s.Store.Open(ctx, key)
}

// Files that change or go meanwhile are named and are in no group.
func TestRestless(t *testing.T) {
	m, put := folder(t)
	for _, key := range []string{"1.parquet", "2.parquet", "3.parquet"} {
		put(key, made(t, "a: int"))
	}
	r, err := Run(t.Context(), &restless{m, "2.parquet", "3.parquet", made(t, "a: string")}, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"2.parquet", "3.parquet"}; !slices.Equal(r.Changed, want) || r.Files != 1 || len(r.Groups) != 1 {
		t.Errorf("changed %v, want %v; %d files", r.Changed, want, r.Files)
	}
}

// Each way in which a file can be no Parquet file has its own words.
func TestUnreadable(t *testing.T) {
	good := made(t, "a: int")
	broken := slices.Clone(good)
	broken[len(broken)-8] = 0xff
	for _, c := range []struct {
		data []byte
		code diag.Code
		want string
	}{
		{nil, diag.FileUnreadable, "empty: 0 bytes"},
		{[]byte("PAR1"), diag.FileUnreadable, "broken footer: file of 4 bytes, want a Parquet file (12 at least)"},
		{good[:len(good)-3], diag.FileUnreadable, fmt.Sprintf("truncated at %d bytes: begins as Parquet, and its footer is missing", len(good)-3)},
		{broken, diag.FileUnreadable, ""},
		{[]byte(`{"a": 1}` + "\n"), diag.FileForeign, "not Parquet: looks like JSON"},
		{[]byte("a;b\n1;2\n"), diag.FileForeign, "not Parquet: looks like CSV"},
		{[]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x00\x00"), diag.FileForeign, "not Parquet: gzip data"},
		{[]byte("<!DOCTYPE html><html></html>"), diag.FileForeign, "not Parquet: an HTML page"},
		{make([]byte, 100), diag.FileForeign, "not Parquet: zeros"},
		{[]byte("Obj\x01 and more of it"), diag.FileForeign, "not Parquet: an Avro file"},
		{[]byte("access denied"), diag.FileForeign, `not Parquet: text, begins with "access denied"`},
	} {
		s, put := folder(t)
		put("a.parquet", c.data)
		r, err := Run(t.Context(), s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Unreadable) != 1 {
			t.Errorf("%.20q: %d unreadable files", c.data, len(r.Unreadable))
			continue
		}
		if u := r.Unreadable[0]; u.Code != c.code || c.want != "" && u.Message != c.want {
			t.Errorf("%.20q: %s %q, want %s %q", c.data, u.Code, u.Message, c.code, c.want)
		}
	}
}

// Names of files and columns are text in the page, whatever they hold.
func TestPage(t *testing.T) {
	s, put := folder(t)
	put("<script>1.parquet", made(t, "a: int"))
	put("2.parquet", made(t, "`<b>&`: int"))
	r, err := Run(t.Context(), s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.Page(&out, time.UTC); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"<script>": false, "&lt;script&gt;1.parquet": true, "<b>": false, "&lt;b&gt;&amp;": true, "group 2 begins 2026-11-01 00:02 &#43;00:00": true} {
		if got := bytes.Contains(out.Bytes(), []byte(text)); got != want {
			t.Errorf("page has %q: %v, want %v", text, got, want)
		}
	}
}
