package verbatim

import (
	"slices"

	"landfall/internal/parquetfile"
	"landfall/internal/schema"
)

// Stats returns the statistics of the column and of the fields of structs in its
// place, of row group g, as far as the footer's own can be trusted. A count of nulls
// that is not known is −1, as those of arrays and maps are; where bounds are not
// known, Unbounded is set as if one were among the values, as it may be, so that the
// column has none in any sum.
func (c *Column) Stats(g int) []parquetfile.ColumnStats {
	leaves := c.leaves
	return c.stats(g, nil, schema.PhysicalName(c.to), nil, c.to.Type, &leaves)
}

func (c *Column) stats(g int, out []parquetfile.ColumnStats, name string, above []string, t schema.Type, leaves *[]moved) []parquetfile.ColumnStats {
	path := append(slices.Clip(above), name)
	switch t := t.(type) {
	case schema.Struct:
		for _, f := range t.Fields {
			out = c.stats(g, out, schema.PhysicalName(f), path, f.Type, leaves)
		}
		return out
	case schema.Array, schema.Map:
		*leaves = (*leaves)[schema.LeafCount(t):]
		return append(out, parquetfile.ColumnStats{Path: path, Nulls: -1})
	}
	st := c.source.stats(g, &(*leaves)[0])
	st.Path = path
	*leaves = (*leaves)[1:]
	return append(out, st)
}

// stats are what row group g says of a leaf.
func (s *Source) stats(g int, m *moved) parquetfile.ColumnStats {
	out := parquetfile.ColumnStats{Type: m.to, Nulls: s.nulls(g, m)}
	if out.Nulls == s.groups[g].Chunks[m.at].Values {
		return out
	}
	l, ok := s.limits(g, m)
	switch {
	case m.to == schema.Type(schema.Binary): // it has none in tables
	case !ok || m.to == schema.Type(schema.String) && (!text(l.low) || !text(l.high)):
		out.Unbounded = true
	default:
		bound(&out, m, l)
	}
	return out
}

// bound sets the bounds of a leaf.
func bound(out *parquetfile.ColumnStats, m *moved, l limits) {
	switch t := m.to.(type) {
	case schema.Decimal:
		out.Min, out.Max = number(m, l.low), number(m, l.high)
		if t.Precision <= longDigits {
			out.Min, out.Max = int64(number(m, l.low).Low), int64(number(m, l.high).Low)
		}
	default:
		switch t {
		case schema.Type(schema.String):
			out.Min, out.MinCut = cut(l.low)
			out.Max, out.MaxCut = cut(l.high)
		case schema.Type(schema.Float), schema.Type(schema.Double):
			low, _ := float(l.low, m)
			high, _ := float(l.high, m)
			out.Min, out.Max = low, high
		case schema.Type(schema.Boolean):
			out.Min, out.Max = l.low[0] == 1, l.high[0] == 1
		default:
			out.Min, out.Max = int64(number(m, l.low).Low), int64(number(m, l.high).Low)
		}
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
