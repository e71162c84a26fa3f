package datafile

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"landfall/internal/column"
	"landfall/internal/parquetfile/assembly"
	"landfall/internal/parquetfile/encode"
	"landfall/internal/parquetfile/rowgroup"
	"landfall/internal/parquetfile/thrift"
	"landfall/internal/parquetfile/verbatim"
	"landfall/internal/schema"
)

// Mix says which columns of an object's rows are moved as they are from the Parquet
// file that the object is. The others are encoded, one row group for each of the
// source's.
type Mix struct {
	Source *verbatim.Source
	// Moved holds for each column of the table that of the source, nil for a column
	// that is encoded.
	Moved []*verbatim.Column
}

// form is what row groups must have in common to share a file; nil is that of
// groups which are all encoded.
type form struct {
	key       string
	columns   [][]thrift.Struct
	createdBy string
	metadata  map[string]string
}

// formOf is the form of files with columns of the mix.
func formOf(m Mix, table schema.Struct) *form {
	f := &form{createdBy: m.Source.CreatedBy(), metadata: m.Source.Keys()}
	for i, field := range table.Fields {
		if c := m.Moved[i]; c != nil {
			f.columns = append(f.columns, c.Elements())
			continue
		}
		f.columns = append(f.columns, assembly.Elements(field))
	}
	key := []byte(f.createdBy)
	for _, e := range slices.Concat(f.columns...) {
		key = e.Append(key)
	}
	for _, k := range slices.Sorted(maps.Keys(f.metadata)) {
		key = fmt.Appendf(key, "%q=%q", k, f.metadata[k])
	}
	f.key = string(key)
	return f
}

// mixer makes row groups of moved and of encoded columns.
type mixer struct {
	Mix
	number  int
	form    *form
	encoder *encode.Encoder
	table   schema.Struct
	// groups are the rows of the source's row groups that are not done, of which
	// at is the first.
	groups []int64
	at     int
}

// newMixer returns the mixer of an object. It takes over the encoder of the one
// before, which may be nil, if that encodes the same columns.
func newMixer(m Mix, table schema.Struct, number int, o Options, before *mixer) (*mixer, error) {
	x := &mixer{Mix: m, number: number, form: formOf(m, table), table: table, groups: m.Source.Groups()}
	var rest schema.Struct
	same := before != nil
	for i, f := range table.Fields {
		if m.Moved[i] == nil {
			rest.Fields = append(rest.Fields, f)
		}
		same = same && (m.Moved[i] == nil) == (before.Moved[i] == nil)
	}
	if same {
		x.encoder = before.encoder
		x.encoder.Undo() // of an object that was given up
		return x, nil
	}
	var err error
	x.encoder, err = encode.New(rest, o.encoding())
	return x, err
}

// write adds rows, of which the moved columns are not looked at. No batch has rows of
// two row groups. full tells that the row group is complete.
func (m *mixer) write(b column.Batch) (full bool, err error) {
	rest := column.Batch{Rows: b.Rows}
	for i, c := range b.Columns {
		if m.Moved[i] == nil {
			rest.Columns = append(rest.Columns, c)
		}
	}
	if err := m.encoder.Write(rest); err != nil {
		return false, err
	}
	if m.at == len(m.groups) || int64(m.encoder.Rows()) > m.groups[m.at] {
		return false, fmt.Errorf("%d rows in row group %d of the source, which has less", m.encoder.Rows(), m.at+1)
	}
	return int64(m.encoder.Rows()) == m.groups[m.at], nil
}

// done sees that the rows of all row groups came: moved columns have them all.
func (m *mixer) done() error {
	if m.at < len(m.groups) || m.encoder.Rows() > 0 {
		return fmt.Errorf("%d of %d row groups of the source, and %d rows of the next", m.at, len(m.groups), m.encoder.Rows())
	}
	return nil
}

// cut ends a row group.
func (m *mixer) cut() (group, error) {
	made, err := finished(m.encoder)
	if err != nil {
		return group{}, err
	}
	g := group{form: m.form, parts: []Part{{Object: m.number, Rows: made.Rows}}}
	g.Rows = made.Rows
	stats := made.stats
	for i, f := range m.table.Fields {
		chunks, columns := schema.LeafCount(f.Type), statsOf(f.Type)
		if c := m.Moved[i]; c != nil {
			moved, err := c.Chunks(m.at)
			if err != nil {
				return group{}, err
			}
			g.Chunks = append(g.Chunks, moved...)
			g.stats = append(g.stats, c.Stats(m.at)...)
			continue
		}
		g.Chunks = append(g.Chunks, made.Chunks[:chunks]...)
		g.stats = append(g.stats, stats[:columns]...)
		made.Chunks, stats = made.Chunks[chunks:], stats[columns:]
	}
	m.at++
	return g, nil
}

// statsOf is the number of statistics of a type.
func statsOf(t schema.Type) int {
	s, ok := t.(schema.Struct)
	if !ok {
		return 1
	}
	n := 0
	for _, f := range s.Fields {
		n += statsOf(f.Type)
	}
	return n
}

// inMemory returns a group whose bodies are in memory.
func inMemory(g group) (group, error) {
	for i, c := range g.Chunks {
		if _, is := c.Body.(rowgroup.Bytes); is {
			continue
		}
		var b bytes.Buffer
		b.Grow(int(c.Body.Size()))
		if _, err := c.Body.WriteTo(&b); err != nil {
			return group{}, err
		}
		g.Chunks[i].Body = rowgroup.Bytes(b.Bytes())
	}
	return g, nil
}
