package conform_test

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"landfall/internal/column"
	"landfall/internal/schema"
	"landfall/internal/value"
)

const null = "∅"

// fields is the value of a struct, entries that of a map, list of an array.
type (
	fields  []named
	entries []named
	list    []any
	named   struct {
		name  string
		value any
	}
)

// cursor reads one leaf.
type cursor struct {
	info    column.LeafInfo
	leaf    column.Leaf
	at, val int
}

func (c *cursor) def() uint8 {
	if c.leaf.Defs == nil {
		return c.info.MaxDef
	}
	return c.leaf.Defs[c.at]
}

// rep is the repetition level of the entry at hand, 0 behind the last.
func (c *cursor) rep() uint8 {
	if c.leaf.Reps == nil || c.at >= len(c.leaf.Reps) {
		return 0
	}
	return c.leaf.Reps[c.at]
}

func (c *cursor) ended() bool {
	switch l := c.leaf; {
	case l.Defs != nil:
		return c.at == len(l.Defs)
	case l.Reps != nil:
		return c.at == len(l.Reps)
	default:
		return c.val == len(l.Ints)+len(l.Wide)+len(l.Floats)+len(l.Bools)+lenText(l.Text)
	}
}

func lenText(t *column.Text) int {
	if t == nil {
		return 0
	}
	return len(t.Spans)
}

// take reads a value as a JSON-like text: of a type that has no other use.
func (c *cursor) take() any {
	c.at++
	i := c.val
	c.val++
	switch t := c.info.Type.(type) {
	case schema.Decimal:
		v := new(big.Int)
		if c.leaf.Wide != nil {
			v = wide(c.leaf.Wide[i])
		} else {
			v.SetInt64(c.leaf.Ints[i])
		}
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Scale)), nil)
		return new(big.Rat).SetFrac(v, scale)
	case schema.Primitive:
		switch t {
		case schema.String, schema.Binary:
			return string(c.leaf.Text.Value(i))
		case schema.Boolean:
			return c.leaf.Bools[i]
		case schema.Float:
			return float32(c.leaf.Floats[i])
		case schema.Double:
			return c.leaf.Floats[i]
		case schema.Date:
			return time.Unix(c.leaf.Ints[i]*86400, 0).UTC().Format(time.DateOnly)
		case schema.Timestamp, schema.TimestampNTZ:
			return time.UnixMicro(c.leaf.Ints[i]).UTC().Format("2006-01-02T15:04:05.999999")
		}
	}
	return c.leaf.Ints[i]
}

func wide(v value.Int128) *big.Int {
	n := new(big.Int).Lsh(big.NewInt(v.High), 64)
	return n.Add(n, new(big.Int).SetUint64(v.Low))
}

// assemble reads one value of a type from its leaves, as a reader of Parquet
// does.
func assemble(t schema.Type, nullable bool, def, rep uint8, leaves []*cursor) (any, []*cursor) {
	n := len(column.Leaves(t, nullable))
	mine, rest := leaves[:n], leaves[n:]
	if nullable {
		if mine[0].def() <= def {
			for _, c := range mine {
				c.at++
			}
			return nil, rest
		}
		def++
	}
	switch t := t.(type) {
	case schema.Struct:
		var v fields
		for _, f := range t.Fields {
			name, _ := schema.Original(f)
			x, after := assemble(f.Type, f.Nullable, def, rep, mine)
			v, mine = append(v, named{name, x}), after
		}
		return v, rest
	case schema.Array:
		v := list{}
		if mine[0].def() == def {
			mine[0].skipAll(mine)
			return v, rest
		}
		for first := true; first || mine[0].rep() > rep; first = false {
			x, _ := assemble(t.Element, t.ContainsNull, def+1, rep+1, mine)
			v = append(v, x)
		}
		return v, rest
	case schema.Map:
		v := entries{}
		if mine[0].def() == def {
			mine[0].skipAll(mine)
			return v, rest
		}
		for first := true; first || mine[0].rep() > rep; first = false {
			k, below := assemble(t.Key, false, def+1, rep+1, mine)
			x, _ := assemble(t.Value, t.ValueContainsNull, def+1, rep+1, below)
			v = append(v, named{fmt.Sprint(k), x})
		}
		return v, rest
	default:
		return mine[0].take(), rest
	}
}

func (c *cursor) skipAll(all []*cursor) {
	for _, c := range all {
		c.at++
	}
}

// read returns the values of a column, row by row.
func read(t tb, f schema.Field, c column.Column, rows int) []any {
	t.Helper()
	all := make([]any, rows)
	switch {
	case c.Constant != nil:
		for i := range all {
			all[i] = c.Constant
		}
	case c.Text != nil:
		if len(c.Text.Spans) != rows {
			t.Fatalf("%s: %d texts in %d rows", f.Name, len(c.Text.Spans), rows)
		}
		for i := range all {
			if v := c.Text.Value(i); v != nil {
				all[i] = string(v)
			}
		}
	case c.Leaves != nil:
		infos := column.Leaves(f.Type, f.Nullable)
		if len(infos) != len(c.Leaves) {
			t.Fatalf("%s: %d leaves, want %d", f.Name, len(c.Leaves), len(infos))
		}
		cursors := make([]*cursor, len(infos))
		for i := range infos {
			cursors[i] = &cursor{info: infos[i], leaf: c.Leaves[i]}
		}
		for i := range all {
			all[i], _ = assemble(f.Type, f.Nullable, 0, 0, cursors)
		}
		for _, c := range cursors {
			if !c.ended() {
				t.Fatalf("%s: leaf %v holds more than %d rows", f.Name, c.info.Path, rows)
			}
		}
	}
	return all
}

// show writes a value down.
func show(v any) string {
	var b strings.Builder
	write(&b, v)
	return b.String()
}

func write(b *strings.Builder, v any) {
	switch v := v.(type) {
	case nil:
		b.WriteString(null)
	case fields:
		writeNamed(b, "{", v, "}")
	case entries:
		writeNamed(b, "<", v, ">")
	case list:
		b.WriteString("[")
		for i, x := range v {
			if i > 0 {
				b.WriteString(" ")
			}
			write(b, x)
		}
		b.WriteString("]")
	case float64:
		b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
	case float32:
		b.WriteString(strconv.FormatFloat(float64(v), 'g', -1, 32))
	case *big.Rat:
		b.WriteString(v.RatString())
	default:
		fmt.Fprint(b, v)
	}
}

func writeNamed(b *strings.Builder, open string, all []named, end string) {
	b.WriteString(open)
	for i, x := range all {
		if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(x.name + ":")
		write(b, x.value)
	}
	b.WriteString(end)
}

// rows writes a batch down, a line a row.
func rows(t tb, table schema.Struct, b column.Batch) string {
	t.Helper()
	lines := make([][]string, b.Rows)
	for i, f := range table.Fields {
		if f.Name == "_source_file" || f.Name == "_ingested_at" {
			continue
		}
		for row, v := range read(t, f, b.Columns[i], b.Rows) {
			lines[row] = append(lines[row], show(v))
		}
	}
	var all []string
	for _, line := range lines {
		all = append(all, strings.Join(line, " | "))
	}
	return strings.Join(all, "\n")
}
