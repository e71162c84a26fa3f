package footer

import (
	"bytes"
	"io"

	"landfall/internal/parquetfile/thrift"
)

// Schema is the schema of one file or more.
type Schema struct {
	// Bytes are its nodes as the footers have them: of equal bytes there is one
	// Schema in a scanner.
	Bytes string
	// Elements are the nodes, the root first.
	Elements []Element
}

// Summary is what a scan says of one file.
type Summary struct {
	Schema *Schema
	// Rows is the number of rows that the footer states.
	Rows int64

	footer []byte
}

// Writer names who wrote the file, nil if the file does not. It is valid until the
// next scan, as is Mentions.
func (s Summary) Writer() []byte { return writerOf(s.footer) }

// Mentions tells whether a text stands anywhere in the footer: where it is not, no
// key of that name is.
func (s Summary) Mentions(text string) bool { return bytes.Contains(s.footer, []byte(text)) }

// Scanner reads the schemas of many files. It stops before the row groups, and
// looks into schemas that it has not met before only. The zero value is ready; it
// is for one goroutine.
type Scanner struct {
	known map[string]*Schema
	buf   []byte
	meta  thrift.Struct
}

// Scan reads the schema of a file of so many bytes, in one read where the footer
// is no longer than most.
func (s *Scanner) Scan(r io.ReaderAt, size int64) (Summary, error) {
	if s.buf == nil {
		s.buf = make([]byte, tailBytes)
		s.known = make(map[string]*Schema)
	}
	b, _, err := tail(r, size, &s.buf)
	if err != nil {
		return Summary{}, err
	}
	if err := s.meta.ParsePrefix(b, RowsField); err != nil {
		return Summary{}, broken(err)
	}
	raw, _ := s.meta.Raw(SchemaField)
	out := Summary{Schema: s.known[string(raw)], Rows: number(s.meta, RowsField), footer: b}
	if out.Schema != nil {
		return out, nil
	}
	l, _ := s.meta.List(SchemaField)
	nodes, err := elements(l)
	if err != nil {
		return Summary{}, broken(err)
	}
	out.Schema = &Schema{Bytes: string(raw), Elements: nodes}
	s.known[out.Schema.Bytes] = out.Schema
	return out, nil
}
