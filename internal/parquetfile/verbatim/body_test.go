package verbatim_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"landfall/internal/column"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/parquetfile/rowgroup"
	"landfall/internal/parquetfile/verbatim"
	"landfall/internal/schema"
)

// Bodies of chunks that follow one another are one, and come out alike whatever
// takes them: a buffer, a file, a plain writer.
func TestBodies(t *testing.T) {
	s := schema.Struct{Fields: []schema.Field{{Name: "a", Type: schema.Long}, {Name: "b", Type: schema.String}}}
	long, text := make([]any, 70_000), make([]any, 70_000)
	for i := range long {
		long[i], text[i] = int64(i)*1_000_003, "text"
	}
	data := written(t, s, []column.Column{
		parquetfiletest.Column(schema.Long, false, long), parquetfiletest.Column(schema.String, false, text),
	}, len(long), parquetfile.Options{Compression: parquetfile.Snappy})
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for name, r := range map[string]io.ReaderAt{"file": f, "memory": bytes.NewReader(data)} {
		src, err := verbatim.Open(r, int64(len(data)), parquetfile.Reading{})
		if err != nil {
			t.Fatal(err)
		}
		var bodies []rowgroup.Body
		for i, f := range s.Fields {
			c, err := src.Column(i, f)
			if err != nil {
				t.Fatal(err)
			}
			chunks, err := c.Chunks(0)
			if err != nil {
				t.Fatal(err)
			}
			bodies = append(bodies, chunks[0].Body)
		}
		both, ok := bodies[0].(interface {
			Join(next rowgroup.Body) (rowgroup.Body, bool)
		}).Join(bodies[1])
		if !ok {
			t.Fatal("chunks that touch do not join")
		}
		want := data[4 : 4+both.Size()]
		out, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		var plain, buffer bytes.Buffer
		for _, w := range []io.Writer{&buffer, struct{ io.Writer }{&plain}, out} {
			if n, err := both.WriteTo(w); err != nil || n != both.Size() {
				t.Fatalf("%s: wrote %d: %v", name, n, err)
			}
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		copied, err := os.ReadFile(out.Name())
		if err != nil || !bytes.Equal(copied, want) || !bytes.Equal(plain.Bytes(), want) || !bytes.Equal(buffer.Bytes(), want) {
			t.Errorf("%s: bytes differ: %v", name, err)
		}
	}
}

// A file that became shorter is no copy.
func TestShorter(t *testing.T) {
	s := schema.Struct{Fields: []schema.Field{{Name: "a", Type: schema.Long}}}
	data := written(t, s, []column.Column{parquetfiletest.Column(schema.Long, false, []any{int64(1)})}, 1, parquetfile.Options{})
	shrinking := bytes.NewReader(data)
	src, err := verbatim.Open(shrinking, int64(len(data)), parquetfile.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := src.Column(0, s.Fields[0])
	if err != nil {
		t.Fatal(err)
	}
	chunks, err := c.Chunks(0)
	if err != nil {
		t.Fatal(err)
	}
	shrinking.Reset(data[:8])
	refusal := new(verbatim.Refusal)
	if _, err := chunks[0].Body.WriteTo(io.Discard); !errors.As(err, &refusal) || refusal.Reason != verbatim.Place {
		t.Errorf("found %v", err)
	}
	if _, err := src.Column(0, s.Fields[0]); !errors.As(err, &refusal) || refusal.Reason != verbatim.Place {
		t.Errorf("found %v", err)
	}
}
