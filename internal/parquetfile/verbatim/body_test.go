package verbatim_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"landfall/internal/column"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/parquetfile/rowgroup"
	"landfall/internal/parquetfile/verbatim"
	"landfall/internal/schema"
)

// Bodies of chunks that follow one another are one.
func TestBodies(t *testing.T) {
	s := schema.Struct{Fields: []schema.Field{{Name: "a", Type: schema.Long}, {Name: "b", Type: schema.String}}}
	long, text := make([]any, 70_000), make([]any, 70_000)
	for i := range long {
		long[i], text[i] = int64(i)*1_000_003, "text"
	}
	data := written(t, s, []column.Column{
		parquetfiletest.Column(schema.Long, false, long), parquetfiletest.Column(schema.String, false, text),
	}, len(long), parquetfile.Options{Compression: parquetfile.Snappy})
	src := open(t, data)
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
	first, ok := bodies[0].(rowgroup.Joiner)
	if !ok {
		t.Fatal("chunks cannot be joined")
	}
	both, ok := first.Join(bodies[1])
	if !ok {
		t.Fatal("chunks that touch do not join")
	}
	var out bytes.Buffer
	if n, err := both.WriteTo(&out); err != nil || n != both.Size() || !bytes.Equal(out.Bytes(), data[4:4+n]) {
		t.Errorf("wrote %d bytes, which are those of the file: %v; %v", n, bytes.Equal(out.Bytes(), data[4:4+n]), err)
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
