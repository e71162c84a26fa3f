package laws_test

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// cell is a value in a column, or in a field of a struct, by its original name.
type cell struct {
	name string
	k    int
	typ  schema.Type
	// v is nil for null, else a scalar as Go has it (days, µs and integers are
	// int64, decimals *big.Rat), []cell of a struct, []any of an array, []pair of
	// a map.
	v any
}

// pair is an entry of a map.
type pair struct{ key, value any }

var errLevels = errors.New("the levels of a column do not end with its rows")

// rowsOf reads the rows of a batch.
func rowsOf(v contract.Version, table schema.Struct, rescue string, b column.Batch, records []int64) ([]row, error) {
	if b.Rows != len(records) {
		return nil, fmt.Errorf("%d rows of records %v", b.Rows, records)
	}
	rows := make([]row, b.Rows)
	for i := range rows {
		rows[i].record = records[i]
	}
	ours := make(map[string]contract.Column, len(v.Columns))
	for _, c := range v.Columns {
		ours[c.Name] = c
	}
	for i, f := range table.Fields {
		c, isOurs := ours[f.Name]
		if !isOurs && f.Name != rescue {
			continue
		}
		values, err := valuesOf(f, b.Columns[i], b.Rows)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		for n, x := range values {
			switch text, _ := x.(string); {
			case isOurs:
				rows[n].cells = append(rows[n].cells, cell{c.Original, max(c.K, 1), f.Type, x})
			default:
				rows[n].rescued = text
			}
		}
	}
	return rows, nil
}

// valuesOf reads the values of a column.
func valuesOf(f schema.Field, c column.Column, rows int) ([]any, error) {
	all := make([]any, rows)
	switch {
	case c.Constant != nil:
		for i := range all {
			all[i] = c.Constant
		}
	case c.Text != nil:
		if len(c.Text.Spans) != rows {
			return nil, errLevels
		}
		for i := range all {
			if v := c.Text.Value(i); v != nil {
				all[i] = string(v)
			}
		}
	case c.Leaves != nil:
		r := &assembler{infos: column.Leaves(f.Type, f.Nullable), leaves: c.Leaves}
		r.at, r.taken = make([]int, len(r.infos)), make([]int, len(r.infos))
		for i := range all {
			all[i], _ = r.value(f.Type, f.Nullable, 0, 0, 0)
		}
		for i := range r.infos {
			if r.at[i] != r.entries(i) {
				return nil, errLevels
			}
		}
	}
	return all, nil
}

// assembler puts values together from leaves, as a reader of Parquet does.
type assembler struct {
	infos  []column.LeafInfo
	leaves []column.Leaf
	// at counts the entries that were read of each leaf, taken the values.
	at, taken []int
}

func (r *assembler) entries(leaf int) int {
	l := &r.leaves[leaf]
	switch {
	case l.Defs != nil:
		return len(l.Defs)
	case l.Reps != nil:
		return len(l.Reps)
	case l.Text != nil:
		return len(l.Text.Spans)
	default:
		return len(l.Ints) + len(l.Wide) + len(l.Floats) + len(l.Bools)
	}
}

func (r *assembler) def(leaf int) uint8 {
	if defs := r.leaves[leaf].Defs; defs != nil {
		return defs[r.at[leaf]]
	}
	return r.infos[leaf].MaxDef
}

// repeats reports whether the next entry of a leaf goes on with a list.
func (r *assembler) repeats(leaf int, rep uint8) bool {
	reps := r.leaves[leaf].Reps
	return r.at[leaf] < len(reps) && reps[r.at[leaf]] > rep
}

// value reads one value of a type that begins at a leaf, and returns the leaf
// behind it.
func (r *assembler) value(t schema.Type, nullable bool, def, rep uint8, leaf int) (v any, next int) {
	next = leaf + len(column.Leaves(t, nullable))
	if nullable {
		if r.def(leaf) <= def {
			r.pass(leaf, next)
			return nil, next
		}
		def++
	}
	switch t := t.(type) {
	case schema.Struct:
		cells := make([]cell, len(t.Fields))
		for i, f := range t.Fields {
			name, _ := schema.Original(f)
			cells[i] = cell{name: name, k: 1, typ: f.Type}
			cells[i].v, leaf = r.value(f.Type, f.Nullable, def, rep, leaf)
		}
		return cells, next
	case schema.Array:
		list := []any{}
		if r.def(leaf) == def {
			r.pass(leaf, next)
			return list, next
		}
		for {
			x, _ := r.value(t.Element, t.ContainsNull, def+1, rep+1, leaf)
			if list = append(list, x); !r.repeats(leaf, rep) {
				return list, next
			}
		}
	case schema.Map:
		entries := []pair{}
		if r.def(leaf) == def {
			r.pass(leaf, next)
			return entries, next
		}
		for {
			k, below := r.value(t.Key, false, def+1, rep+1, leaf)
			x, _ := r.value(t.Value, t.ValueContainsNull, def+1, rep+1, below)
			if entries = append(entries, pair{k, x}); !r.repeats(leaf, rep) {
				return entries, next
			}
		}
	default:
		return r.scalar(t, leaf), next
	}
}

// pass reads entries without a value.
func (r *assembler) pass(from, to int) {
	for i := from; i < to; i++ {
		r.at[i]++
	}
}

func (r *assembler) scalar(t schema.Type, leaf int) any {
	i, l := r.taken[leaf], &r.leaves[leaf]
	r.at[leaf]++
	r.taken[leaf]++
	if d, ok := t.(schema.Decimal); ok {
		v := new(big.Int)
		if l.Wide != nil {
			v = wide(l.Wide[i])
		} else {
			v.SetInt64(l.Ints[i])
		}
		return new(big.Rat).SetFrac(v, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.Scale)), nil))
	}
	switch t {
	case schema.String, schema.Binary:
		return string(l.Text.Value(i))
	case schema.Boolean:
		return l.Bools[i]
	case schema.Float, schema.Double:
		return l.Floats[i]
	default:
		return l.Ints[i]
	}
}

func wide(v value.Int128) *big.Int {
	n := new(big.Int).Lsh(big.NewInt(v.High), 64)
	return n.Add(n, new(big.Int).SetUint64(v.Low))
}

// show writes a value down; members are in the order of their names, and those
// that are null are left out, as in a file of a type that lacks them.
func show(v any) string {
	switch v := v.(type) {
	case []cell:
		var all []string
		for _, c := range v {
			if c.v != nil {
				all = append(all, fmt.Sprintf("%s#%d=%s", c.name, c.k, show(c.v)))
			}
		}
		slices.Sort(all)
		return "{" + strings.Join(all, " ") + "}"
	case []any:
		all := make([]string, len(v))
		for i, x := range v {
			all[i] = show(x)
		}
		return "[" + strings.Join(all, " ") + "]"
	case []pair:
		all := make([]string, len(v))
		for i, p := range v {
			all[i] = show(p.key) + ":" + show(p.value)
		}
		return "<" + strings.Join(all, " ") + ">"
	case string:
		return strconv.Quote(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}
