package duckdb

import (
	"fmt"
	"strconv"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/schema"
)

// tuple renders the partition values of a file so that equal means equal.
func (b *viewBuilder) tuple(file int) string {
	var t strings.Builder
	for _, name := range b.view.Partitions {
		if v := b.partition(file, name); v != nil {
			fmt.Fprintf(&t, "%q,", *v)
		} else {
			t.WriteString("-,")
		}
	}
	return t.String()
}

// partition returns a partition value as text; the protocol writes null also as
// the empty string.
func (b *viewBuilder) partition(file int, column string) *string {
	physical := column
	if f := b.field(column); f != nil {
		physical = schema.PhysicalName(*f)
	}
	v := b.view.Files[file].Partition[physical]
	if v == nil || *v == "" {
		return nil
	}
	return v
}

func (b *viewBuilder) field(name string) *schema.Field {
	i := b.view.Schema.Lookup(name)
	if i < 0 {
		return nil
	}
	return &b.view.Schema.Fields[i]
}

// checkPartitions refuses the partition values that DuckDB would round.
func (b *viewBuilder) checkPartitions() error {
	for _, name := range b.view.Partitions {
		f := b.field(name)
		if f == nil {
			return fmt.Errorf("partition column %s is not in the schema", name)
		}
		for i, file := range b.view.Files {
			if v := b.partition(i, name); v != nil && !isExact(*v, f.Type) {
				return b.place(&misfit{name, diag.Quote(*v), f.Type.String()}, []engine.File{file})
			}
		}
	}
	return nil
}

// isExact reports whether a text keeps all its digits as a number of the type.
// Texts that are no numbers at all pass: the cast will refuse them.
func isExact(text string, t schema.Type) bool {
	switch t {
	case schema.Byte, schema.Short, schema.Integer, schema.Long:
		_, err := strconv.ParseInt(text, 10, 64)
		return err == nil
	}
	d, ok := t.(schema.Decimal)
	if !ok {
		return true
	}
	_, fraction, _ := strings.Cut(text, ".")
	if i := strings.IndexAny(fraction, "eE"); i >= 0 {
		fraction = fraction[:i]
	}
	return len(strings.TrimRight(fraction, "0")) <= d.Scale
}
