package verbatim

import (
	"slices"

	"landfall/internal/parquetfile"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// Stats returns the statistics of the column and of the fields of structs in its
// place, of all row groups, as far as the footer's own can be trusted. A count of
// nulls that is not known is −1, as those of arrays and maps are; where bounds are
// not known, Unbounded is set as if one were among the values, as it may be, so that the
// column has none in any sum.
func (c *Column) Stats() []parquetfile.ColumnStats {
	leaves := c.leaves
	return c.stats(nil, schema.PhysicalName(c.to), nil, c.to.Type, &leaves)
}

func (c *Column) stats(out []parquetfile.ColumnStats, name string, above []string, t schema.Type, leaves *[]moved) []parquetfile.ColumnStats {
	path := append(slices.Clip(above), name)
	switch t := t.(type) {
	case schema.Struct:
		for _, f := range t.Fields {
			out = c.stats(out, schema.PhysicalName(f), path, f.Type, leaves)
		}
		return out
	case schema.Array, schema.Map:
		*leaves = (*leaves)[leavesOf(t):]
		return append(out, parquetfile.ColumnStats{Path: path, Nulls: -1})
	}
	st := c.source.sum(&(*leaves)[0])
	st.Path = path
	*leaves = (*leaves)[1:]
	return append(out, st)
}

// sum adds up what all row groups say of a leaf.
func (s *Source) sum(m *moved) parquetfile.ColumnStats {
	out := parquetfile.ColumnStats{Type: m.to}
	for g := range s.groups {
		n := s.nulls(g, m)
		if n < 0 || out.Nulls < 0 {
			out.Nulls = -1
		} else {
			out.Nulls += n
		}
		if n == s.groups[g].Chunks[m.at].Values {
			continue
		}
		l, ok := s.limits(g, m)
		if !ok || m.to == schema.Type(schema.String) && (!text(l.low) || !text(l.high)) {
			out.Unbounded = true
			continue
		}
		merge(&out, m, l)
	}
	if out.Unbounded || m.to == schema.Type(schema.Binary) {
		out.Min, out.Max, out.MinCut, out.MaxCut = nil, nil, false, false
		out.Unbounded = out.Unbounded && m.to != schema.Type(schema.Binary)
	}
	return out
}

func merge(out *parquetfile.ColumnStats, m *moved, l limits) {
	var low, high any
	switch t := m.to.(type) {
	case schema.Decimal:
		low, high = number(m, l.low), number(m, l.high)
		if t.Precision <= longDigits {
			low, high = int64(number(m, l.low).Low), int64(number(m, l.high).Low)
		}
	default:
		switch t {
		case schema.Type(schema.String), schema.Type(schema.Binary):
			mergeText(out, l)
			return
		case schema.Type(schema.Float), schema.Type(schema.Double):
			from, _ := float(l.low, m)
			to, _ := float(l.high, m)
			low, high = from, to
		case schema.Type(schema.Boolean):
			low, high = l.low[0] == 1, l.high[0] == 1
		default:
			low, high = int64(number(m, l.low).Low), int64(number(m, l.high).Low)
		}
	}
	if out.Min == nil || less(low, out.Min) {
		out.Min = low
	}
	if out.Max == nil || less(out.Max, high) {
		out.Max = high
	}
}

// less compares two bounds of one type.
func less(a, b any) bool {
	switch a := a.(type) {
	case int64:
		return a < b.(int64) //nolint:forcetypeassert // Bounds of a leaf are all of one type.
	case float64:
		return a < b.(float64) //nolint:forcetypeassert // As above.
	case bool:
		return !a && b == true
	case value.Int128:
		b, _ := b.(value.Int128)
		return a.High < b.High || a.High == b.High && a.Low < b.Low
	}
	return false
}

func mergeText(out *parquetfile.ColumnStats, l limits) {
	low, lowCut := cut(l.low)
	high, highCut := cut(l.high)
	if was, ok := out.Min.(string); !ok || low < was || low == was && !lowCut {
		out.Min, out.MinCut = low, lowCut
	}
	if was, ok := out.Max.(string); !ok || high > was || high == was && highCut {
		out.Max, out.MaxCut = high, highCut
	}
}

func cut(b []byte) (string, bool) {
	if len(b) > parquetfile.BoundBytes {
		return string(b[:parquetfile.BoundBytes]), true
	}
	return string(b), false
}

// Counts returns the number of entries of all leaves, nulls included, and of the
// values among them, which are what decoding would count as cells. The values are
// not known where the file does not count the nulls of a leaf.
func (c *Column) Counts() (entries, values int64, known bool) {
	known = true
	for i := range c.leaves {
		for g := range c.source.groups {
			of, nulls := c.source.groups[g].Chunks[c.leaves[i].at].Values, c.source.nulls(g, &c.leaves[i])
			entries += of
			values += of - max(nulls, 0)
			known = known && nulls >= 0
		}
	}
	return entries, values, known
}

// Remarks returns what decoding would remark of the column: that wall clocks are
// read as those of UTC. First is 0 where the footer does not tell which row is the
// first to have one.
func (c *Column) Remarks() []parquetfile.Remark {
	var out []parquetfile.Remark
	for i := range c.leaves {
		m := &c.leaves[i]
		if !m.leaf.Wall {
			continue
		}
		r := parquetfile.Remark{Kind: parquetfile.ZoneAssumed, Path: m.leaf.Path}
		for g := range c.source.groups {
			nulls := c.source.nulls(g, m)
			r.Count += c.source.groups[g].Chunks[m.at].Values - max(nulls, 0)
			if g == 0 && nulls == 0 {
				r.First = 1
			}
		}
		if r.Count > 0 {
			out = append(out, r)
		}
	}
	return out
}
