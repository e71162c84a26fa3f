package laws_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// reading is a file as the standard library reads it.
type reading struct {
	header []string
	// inputs are its records, by number.
	inputs []input
}

// input is one record: fields or a tree, or text that is no record.
type input struct {
	bad    bool
	text   string
	fields []*node
	tree   *node
}

// node is a value of JSON, or a field of CSV.
type node struct {
	// kind is n for null, t for true, f for false, 0 for a number, " for a string, [ or { as JSON
	// has them, and x for a field.
	kind byte
	// raw is its text as it stands there, text that of a string or field.
	raw, text string
	names     []string
	items     []*node
}

// read reads a file.
func read(f file, tree bool) (reading, error) {
	text := strings.TrimPrefix(f.text, "\xef\xbb\xbf")
	if tree {
		return readTrees(f, text)
	}
	return readTable(f, text)
}

// readTable reads the whole text at once if all of it is good, else record by
// record.
func readTable(f file, text string) (r reading, err error) {
	var rows [][]*node
	if !slices.ContainsFunc(f.records, isBad) {
		if rows, err = fieldsOf(text); err != nil || len(rows) == 0 {
			return r, err
		}
	} else if rows, err = fieldsOf(f.header); err != nil {
		return r, err
	}
	for i, n := range rows[0] {
		if r.header = append(r.header, n.text); strings.TrimSpace(n.text) == "" {
			r.header[i] = fmt.Sprintf("_c%d", i)
		}
	}
	for _, row := range rows[1:] {
		r.row(row)
	}
	if len(rows) > 1 || !slices.ContainsFunc(f.records, isBad) {
		return r, nil
	}
	for _, rec := range f.records {
		if rec.bad {
			r.inputs = append(r.inputs, input{bad: true, text: rec.text})
			continue
		}
		rows, err := fieldsOf(rec.text)
		if err != nil {
			return r, err
		}
		for _, row := range rows {
			r.row(row)
		}
	}
	return r, nil
}

func isBad(r record) bool { return r.bad }

// row adds a record, but not one without values, nor a line of spaces.
func (r *reading) row(fields []*node) {
	blank := len(fields) == 1 && len(r.header) > 1 && strings.Trim(fields[0].raw, " \t") == ""
	if blank || !slices.ContainsFunc(fields, func(n *node) bool { return n.kind != 'n' }) {
		return
	}
	r.inputs = append(r.inputs, input{fields: fields})
}

// fieldsOf reads records of CSV.
func fieldsOf(text string) ([][]*node, error) {
	lines := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			lines = append(lines, i+1)
		}
	}
	c := csv.NewReader(strings.NewReader(text))
	c.FieldsPerRecord = -1
	var rows [][]*node
	for {
		record, err := c.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
		row := make([]*node, len(record))
		for i, v := range record {
			line, col := c.FieldPos(i)
			at := lines[line-1] + col - 1
			isQuoted := at < len(text) && text[at] == '"'
			row[i] = &node{kind: 'x', text: v, raw: v}
			if isQuoted {
				row[i].raw = `"`
			} else if v == "" {
				row[i].kind = 'n'
			}
		}
		rows = append(rows, row)
	}
}

func readTrees(f file, text string) (r reading, err error) {
	if !slices.ContainsFunc(f.records, isBad) {
		values, err := parse(text)
		for _, v := range values {
			if v.kind != '[' {
				r.inputs = append(r.inputs, input{tree: v})
				continue
			}
			for _, e := range v.items {
				r.inputs = append(r.inputs, input{tree: e})
			}
		}
		return r, err
	}
	for _, rec := range f.records {
		if rec.bad {
			r.inputs = append(r.inputs, input{bad: true, text: rec.text})
			continue
		}
		values, err := parse(rec.text)
		if err != nil || len(values) != 1 {
			return r, fmt.Errorf("%q: %d values, %w", rec.text, len(values), err)
		}
		r.inputs = append(r.inputs, input{tree: values[0]})
	}
	return r, nil
}

// parse reads values of JSON one after the other.
func parse(text string) ([]*node, error) {
	p := parser{text: text, d: json.NewDecoder(strings.NewReader(text))}
	p.d.UseNumber()
	var all []*node
	for {
		v, err := p.value()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
		all = append(all, v)
	}
}

type parser struct {
	text string
	d    *json.Decoder
}

func (p *parser) value() (*node, error) {
	from := int(p.d.InputOffset())
	token, err := p.d.Token()
	if err != nil {
		return nil, err
	}
	for strings.IndexByte(" \t\r\n,:", p.text[from]) >= 0 {
		from++
	}
	n := &node{kind: p.text[from]}
	switch token := token.(type) {
	case json.Delim:
		for p.d.More() {
			if n.kind == '{' {
				name, err := p.d.Token()
				if err != nil {
					return nil, err
				}
				n.names = append(n.names, name.(string))
			}
			v, err := p.value()
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, v)
		}
		if _, err := p.d.Token(); err != nil {
			return nil, err
		}
	case string:
		n.text = token
	case json.Number:
		n.kind = '0'
	}
	n.raw = p.text[from:p.d.InputOffset()]
	return n, nil
}

// get returns the value under a name, nil for none.
func (n *node) get(name string) *node {
	if n == nil {
		return nil
	}
	if i := slices.Index(n.names, name); i >= 0 {
		return n.items[i]
	}
	return nil
}

// at returns element i, nil if there is none.
func (n *node) at(i int) *node {
	if n == nil || i >= len(n.items) {
		return nil
	}
	return n.items[i]
}

func (n *node) null() bool { return n == nil || n.kind == 'n' }

// cells counts what a value consists of: scalars, nulls, and objects and arrays
// with nothing in them.
func (n *node) cells() int64 {
	var sum int64
	for _, x := range n.items {
		sum += x.cells()
	}
	return max(sum, 1)
}

// same reports whether what was rescued is a value of the input.
func same(rescued, in *node) bool {
	switch {
	case rescued == nil || in == nil:
		return rescued == nil && in == nil
	case in.kind == 'x':
		return rescued.kind == '"' && rescued.text == in.text
	case rescued.kind != in.kind || len(rescued.items) != len(in.items) || !slices.Equal(rescued.names, in.names):
		return false
	case in.kind == '0':
		return rescued.raw == in.raw
	}
	for i := range in.items {
		if !same(rescued.items[i], in.items[i]) {
			return false
		}
	}
	return rescued.text == in.text
}

// compact is a value without space between its parts.
func (n *node) compact() string {
	var b bytes.Buffer
	if n.kind == 'x' || json.Compact(&b, []byte(n.raw)) != nil {
		return fmt.Sprintf("%q", n.text)
	}
	return b.String()
}
