package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	pq "github.com/apache/arrow-go/v18/parquet/schema"

	"landfall/internal/diag"
	"landfall/internal/parquetfile"
	"landfall/internal/schema"
)

// encrypted makes a file of a plain column and a secret one.
func encrypted(t *testing.T, o ...parquet.EncryptOption) []byte {
	t.Helper()
	root, err := pq.NewGroupNode("schema", parquet.Repetitions.Required, pq.FieldList{
		pq.NewInt64Node("plain", parquet.Repetitions.Required, -1), pq.NewInt64Node("secret", parquet.Repetitions.Required, -1),
	}, -1)
	if err != nil {
		t.Fatal(err)
	}
	key := strings.Repeat("k", 16)
	columns := parquet.ColumnPathToEncryptionPropsMap{
		"secret": parquet.NewColumnEncryptionProperties("secret", parquet.WithKey(key)),
	}
	o = append(o, parquet.WithEncryptedColumns(columns))
	var buf bytes.Buffer
	w := file.NewParquetWriter(&buf, root, file.WithWriterProps(parquet.NewWriterProperties(
		parquet.WithEncryptionProperties(parquet.NewFileEncryptionProperties(key, o...)))))
	g, err := w.AppendRowGroupChecked()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		c, err := g.NextColumn()
		if err == nil {
			_, err = c.(*file.Int64ColumnChunkWriter).WriteBatch([]int64{1, 2}, nil, nil)
		}
		if err := errors.Join(err, c.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(g.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// read reads a file whole.
func read(t testing.TB, data []byte, o Options) (rows int64, err error) {
	r, err := Open("in/a.parquet", bytes.NewReader(data), int64(len(data)), o)
	if err != nil {
		return 0, err
	}
	for slab, err := range r.Slabs(t.Context()) {
		if err != nil {
			return rows, err
		}
		rows += int64(slab.Rows())
		if n := r.Records(); n != rows || slab.Records[len(slab.Records)-1] != rows {
			t.Errorf("%d records, %d rows, the last %d", n, rows, slab.Records[len(slab.Records)-1])
		}
	}
	return rows, nil
}

func TestRefused(t *testing.T) {
	s := schema.Struct{Fields: []schema.Field{{Name: "id", Type: schema.Long}}}
	good := written(t, s, [][]any{{int64(1), int64(2)}}, parquetfile.Options{})
	length := func(n uint32) []byte {
		out := bytes.Clone(good)
		binary.LittleEndian.PutUint32(out[len(out)-8:], n)
		return out
	}
	for name, c := range map[string]struct {
		data []byte
		o    Options
		want string
	}{
		"empty":                    {nil, Options{}, "in/a.parquet: file of 0 bytes, want a Parquet file (12 at least) [E0402]"},
		"text":                     {[]byte("id,amount\n1,2\n3,4\n"), Options{}, `not a Parquet file: begins with "id,a", want "PAR1" [E0402]`},
		"cut short":                {good[:len(good)-5], Options{}, `truncated Parquet file: ends with`},
		"without its beginning":    {good[4:], Options{}, `not a Parquet file: begins with`},
		"footer too long":          {length(1 << 30), Options{}, "cannot read Parquet file: parquet: file is smaller than indicated metadata size"},
		"footer too short":         {length(3), Options{}, "cannot read Parquet file"},
		"footer of nothing":        {length(0), Options{}, "cannot read Parquet file"},
		"encrypted":                {encrypted(t), Options{}, "in/a.parquet: encrypted Parquet file, want a plain one [E0402]"},
		"encrypted column":         {encrypted(t, parquet.WithPlaintextFooter()), Options{}, "in/a.parquet: secret: found an encrypted column, want a plain one [E0402]"},
		"more columns than wanted": {good, Options{MaxColumns: 1}, ""},
		"too many columns":         {encrypted(t), Options{MaxColumns: 1}, "want a plain one"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(t, c.data, c.o)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var d *diag.Diagnostic
			if err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &d) || d.Hint == "" || d.At.File != "in/a.parquet" {
				t.Errorf("found %v, want %q with a hint", err, c.want)
			}
		})
	}
}

// TestWide reads 10,000 columns, and refuses more than allowed.
func TestWide(t *testing.T) {
	var s schema.Struct
	var columns [][]any
	for i := range 10_000 {
		s.Fields = append(s.Fields, schema.Field{Name: fmt.Sprint("c", i), Type: schema.String, Nullable: true})
		columns = append(columns, []any{fmt.Sprint(i), nil})
	}
	data := written(t, s, columns, parquetfile.Options{})
	if rows, err := read(t, data, Options{}); rows != 2 || err != nil {
		t.Errorf("%d rows: %v", rows, err)
	}
	if _, err := read(t, data, Options{MaxColumns: 9_999}); diag.CodeOf(err) != diag.TooManyColumns {
		t.Errorf("found %v, want %s", err, diag.TooManyColumns)
	}
}

// TestEmpty reads a file without rows: it has a header and types.
func TestEmpty(t *testing.T) {
	s := schema.Struct{Fields: []schema.Field{{Name: "id", Type: schema.Long}, {Name: "ID", Type: schema.Date}}}
	data := written(t, s, [][]any{nil, nil}, parquetfile.Options{})
	r, err := Open("a", bytes.NewReader(data), int64(len(data)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(r.Header(), r.Types()); got != "[id ID] [bigint date]" {
		t.Errorf("found %s", got)
	}
	for slab, err := range r.Slabs(t.Context()) {
		t.Errorf("found %v, %v", slab, err)
	}
	if a := r.Account(); a.In != int64(len(data)) || a.Framing != a.In || r.Records() != 0 {
		t.Errorf("account %+v, %d records", a, r.Records())
	}
}

func TestNotes(t *testing.T) {
	s := schema.Struct{Fields: []schema.Field{{Name: "at", Type: schema.TimestampNTZ, Nullable: true}}}
	data := written(t, s, [][]any{{nil, int64(1), int64(2)}}, parquetfile.Options{})
	r, err := Open("a", bytes.NewReader(data), int64(len(data)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Notes(); len(n) != 0 {
		t.Errorf("notes %v before any row", n)
	}
	for _, err := range r.Slabs(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := "[{zone_assumed at found timestamps without a zone, read as UTC write them as adjusted to UTC if they are instants, or name their zone: timeZone 2 0 2}]"
	if got := fmt.Sprint(r.Notes()); got != want {
		t.Errorf("found %s\nwant %s", got, want)
	}
}
