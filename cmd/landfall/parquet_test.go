package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/rogpeppe/go-internal/testscript"
)

// Parquet files of tests are written down as text: a line a column ("name: type"),
// a blank line, and a line of JSON a row. The types are Arrow's, with parts as in
// list<int32>, map<string, date>, struct<a: int32>; int96 is a timestamp as old
// writers have it. A line "!key=value" is metadata of the file.

// parquet writes a Parquet file, later than the files before it.
func (c *caseFeed) parquet(name, text string) {
	c.t.Helper()
	data, err := parquetOf(text)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(filepath.Join(c.in, name)), 0o755); err != nil {
		c.t.Fatal(err)
	}
	c.file(name, string(data))
}

// parquetScript is the command "parquet TEXT FILE" of script tests.
func parquetScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: parquet text file")
	}
	data, err := parquetOf(ts.ReadFile(args[0]))
	ts.Check(err)
	path := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	ts.Check(os.WriteFile(path, data, 0o644))
}

// cutScript is the command "cut FROM TO N": TO are the first N bytes of FROM.
func cutScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: cut from to bytes")
	}
	data := ts.ReadFile(args[0])
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(data[:n]), 0o644))
}

// encryptedScript is the command "encrypted FILE": a Parquet file that only those
// who have its key can read.
func encryptedScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: encrypted file")
	}
	s := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}}, nil)
	r, _, err := array.RecordFromJSON(memory.DefaultAllocator, s, strings.NewReader(`[{"id": 1}]`))
	ts.Check(err)
	defer r.Release()
	key := parquet.NewFileEncryptionProperties(strings.Repeat("k", 16))
	data, err := parquetBytes(r, nil, false, parquet.WithEncryptionProperties(key))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o644))
}

// parquetOf writes the file that a text describes.
func parquetOf(text string) ([]byte, error) {
	head, rows, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n\n")
	var fields []arrow.Field
	meta := map[string]string{}
	var old bool
	for line := range strings.SplitSeq(strings.TrimSpace(head), "\n") {
		if pair, ok := strings.CutPrefix(line, "!"); ok {
			key, value, _ := strings.Cut(pair, "=")
			meta[key] = value
			continue
		}
		name, typ, _ := strings.Cut(line, ": ")
		old = old || typ == "int96"
		p := typeParser{typ}
		t := p.parse()
		if p.rest != "" || t == nil {
			return nil, fmt.Errorf("%s: no type at %q", line, p.rest)
		}
		fields = append(fields, arrow.Field{Name: name, Type: t, Nullable: true})
	}
	s := arrow.NewSchema(fields, nil)
	r, _, err := array.RecordFromJSON(memory.DefaultAllocator, s, strings.NewReader("["+strings.ReplaceAll(strings.TrimSpace(rows), "\n", ",")+"]"))
	if err != nil {
		return nil, err
	}
	defer r.Release()
	return parquetBytes(r, meta, old)
}

func parquetBytes(r arrow.RecordBatch, meta map[string]string, int96 bool, with ...parquet.WriterProperty) ([]byte, error) {
	var buf bytes.Buffer
	with = append(with, parquet.WithCompression(compress.Codecs.Snappy), parquet.WithVersion(parquet.V2_LATEST))
	w, err := pqarrow.NewFileWriter(r.Schema(), &buf, parquet.NewWriterProperties(with...),
		pqarrow.NewArrowWriterProperties(pqarrow.WithDeprecatedInt96Timestamps(int96)))
	if err != nil {
		return nil, err
	}
	for key, value := range meta {
		err = errors.Join(err, w.AppendKeyValueMetadata(key, value))
	}
	err = errors.Join(err, w.Write(r), w.Close())
	return buf.Bytes(), err
}

// typeParser reads types of Arrow from text.
type typeParser struct{ rest string }

func (p *typeParser) parse() arrow.DataType {
	word := p.rest
	if i := strings.IndexAny(word, "<>,("); i >= 0 {
		word = word[:i]
	}
	p.rest = p.rest[len(word):]
	switch word = strings.TrimSpace(word); word {
	case "list":
		return arrow.ListOf(p.parts()[0].Type)
	case "map":
		parts := p.parts()
		return arrow.MapOf(parts[0].Type, parts[1].Type)
	case "struct":
		return arrow.StructOf(p.parts()...)
	case "decimal":
		inner, rest, _ := strings.Cut(strings.TrimPrefix(p.rest, "("), ")")
		digits, scale, _ := strings.Cut(inner, ",")
		p.rest = rest
		n, _ := strconv.ParseInt(digits, 10, 32)
		s, _ := strconv.ParseInt(scale, 10, 32)
		t, err := arrow.NarrowestDecimalType(max(int32(n), 20), int32(s))
		if err != nil {
			return nil
		}
		if int32(n) < 20 {
			return &arrow.Decimal128Type{Precision: int32(n), Scale: int32(s)}
		}
		return t
	}
	return scalarTypes()[word]
}

// parts reads the types within brackets, with or without names.
func (p *typeParser) parts() []arrow.Field {
	var out []arrow.Field
	for strings.HasPrefix(p.rest, "<") || strings.HasPrefix(p.rest, ",") {
		p.rest = strings.TrimSpace(p.rest[1:])
		f := arrow.Field{Name: fmt.Sprint(len(out)), Nullable: true}
		if i := strings.IndexAny(p.rest, ":<>,("); i >= 0 && p.rest[i] == ':' {
			f.Name, p.rest = p.rest[:i], strings.TrimSpace(p.rest[i+1:])
		}
		f.Type = p.parse()
		out = append(out, f)
	}
	p.rest = strings.TrimPrefix(p.rest, ">")
	return out
}

func scalarTypes() map[string]arrow.DataType {
	t := arrow.PrimitiveTypes
	types := map[string]arrow.DataType{
		"bool": arrow.FixedWidthTypes.Boolean, "int8": t.Int8, "int16": t.Int16, "int32": t.Int32, "int64": t.Int64,
		"uint8": t.Uint8, "uint16": t.Uint16, "uint32": t.Uint32, "uint64": t.Uint64, "float": t.Float32, "double": t.Float64,
		"string": arrow.BinaryTypes.String, "binary": arrow.BinaryTypes.Binary, "date": arrow.FixedWidthTypes.Date32,
		"null": arrow.Null, "int96": &arrow.TimestampType{Unit: arrow.Nanosecond}, "time": arrow.FixedWidthTypes.Time64us,
	}
	for name, unit := range map[string]arrow.TimeUnit{"ms": arrow.Millisecond, "us": arrow.Microsecond, "ns": arrow.Nanosecond} {
		types["timestamp_"+name] = &arrow.TimestampType{Unit: unit, TimeZone: "UTC"}
		types["wall_"+name] = &arrow.TimestampType{Unit: unit}
	}
	return types
}

// The text of tests gives the file that it says.
func TestParquetOf(t *testing.T) {
	c := newCase(t)
	c.parquet("a.parquet", `
a b: int32
d: decimal(18,2)
l: list<struct<x: date, y: map<string, int64>>>
w: timestamp_us

{"a b": 1, "d": "99.90", "l": [{"x": "2026-11-30", "y": [{"key": "k", "value": 2}]}], "w": "2026-11-30T10:00:00Z"}
{"a b": null}
`)
	c.land()
	c.schema("a_b INT, d DECIMAL(18,2), l ARRAY<STRUCT<x: DATE, y: MAP<STRING, BIGINT>>>, w TIMESTAMP")
	c.rows("SELECT * EXCLUDE (_rescued_data, _source_file, _ingested_at) FROM t ORDER BY a_b NULLS LAST",
		`{"a_b":1,"d":99.90,"l":[{"x":"2026-11-30","y":{"k":2}}],"w":"2026-11-30T10:00:00Z"}`, `{"a_b":null,"d":null,"l":null,"w":null}`)
}
