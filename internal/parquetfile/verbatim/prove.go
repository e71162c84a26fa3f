package verbatim

import (
	"github.com/apache/arrow-go/v18/parquet/compress"

	"landfall/internal/column"
	"landfall/internal/parquetfile/footer"
	"landfall/internal/parquetfile/form"
	"landfall/internal/parquetfile/page"
	"landfall/internal/parquetfile/proof"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// Prove has all pages of a column unpacked before it is given out, so that each of its
// values is known to be readable: its text is UTF-8, its levels make rows, and nulls and
// bounds are those that the footer states. A column whose encodings are not looked
// through is refused then.
func (s *Source) Prove() { s.proves = true }

const (
	// maxPage bounds what a page may claim to hold, maxEntries the entries of a chunk
	// whose levels are held.
	maxPage    = 1 << 30
	maxEntries = 16 << 20
)

// prove unpacks the chunks of row group g of the column i of the source.
func (c *Column) prove(g, i int) error {
	s, from := c.source, &c.source.columns[i]
	ordered := make([]*moved, len(c.leaves)) // as the file has them
	for n := range c.leaves {
		ordered[c.leaves[n].at-s.first[i]] = &c.leaves[n]
	}
	forms := form.Leaves(from.Type, true)
	field := schema.Field{Name: from.Name, Type: from.Type, Nullable: true}
	var before *column.Leaf
	for n, m := range ordered {
		levels := &s.levels[n%len(s.levels)]
		levels.Defs, levels.Reps = levels.Defs[:0], levels.Reps[:0]
		if descr := s.schema.Column(m.at); len(ordered) == 1 && descr.MaxRepetitionLevel() == 0 && descr.MaxDefinitionLevel() <= 1 {
			levels = nil // which then say no more than how many values there are
		}
		if err := s.proveLeaf(g, m, levels); err != nil || levels == nil {
			return err
		}
		of := &column.Leaf{Defs: levels.Defs}
		if m.leaf.MaxRep > 0 {
			of.Reps = levels.Reps
		}
		if err := form.CheckLevels(before, of, field, forms, n, int(s.groups[g].Rows)); err != nil {
			return refuse(Pages, "row group %d: %v", g, err)
		}
		before = of
	}
	return nil
}

// proveLeaf unpacks the chunk of a leaf in row group g, and turns its levels into those
// of the table.
func (s *Source) proveLeaf(g int, m *moved, levels *proof.Levels) error {
	c := &s.groups[g].Chunks[m.at]
	if levels != nil && c.Values > maxEntries {
		return refuse(Pages, "row group %d has %d entries, whose levels are not held", g, c.Values)
	}
	unpacked, _ := c.Meta.Int(footer.ChunkUncompressedField)
	nulls, err := proof.Chunk(page.Chunk{
		Source: s.r, From: c.From, To: c.From + c.Bytes, Values: c.Values,
		Codec: codecOf(c.Codec), Column: s.schema.Column(m.at), MaxPage: min(max(unpacked, 0), maxPage),
	}, s.claimed(g, m), levels, &s.room)
	if err != nil {
		return refuse(Pages, "row group %d: %v", g, err)
	}
	if said := s.nulls(g, m); said >= 0 && said != nulls {
		return refuse(Pages, "row group %d has %d nulls, its footer says %d", g, nulls, said)
	}
	m.lacks = append(m.lacks, nulls)
	if levels != nil {
		for i, def := range levels.Defs {
			levels.Defs[i], _ = m.leaf.Level(int16(def)) // of which there are as many as of the file's
		}
	}
	return nil
}

// claimed is what the values of a leaf are said to be.
func (s *Source) claimed(g int, m *moved) proof.Values {
	v := proof.Values{Text: m.to == schema.Type(schema.String)}
	l, ok := s.limits(g, m)
	switch m.node.Physical {
	case booleans, ints, longs:
		lo, hi := form.Range(m.to)
		if ok {
			lo, hi = int64(number(m, l.low).Low), int64(number(m, l.high).Low)
		}
		v.Ints = &proof.Range[int64]{Low: lo, High: hi}
	case floats, doubles:
		if ok {
			low, _ := float(l.low, m)
			high, _ := float(l.high, m)
			v.Floats = &proof.Range[float64]{Low: low, High: high}
		}
	case manyBytes:
		if ok {
			v.Bytes = &proof.Range[[]byte]{Low: l.low, High: l.high}
		}
	case fixedBytes:
		if ok {
			v.Wide = &proof.Range[value.Int128]{Low: number(m, l.low), High: number(m, l.high)}
		}
	}
	return v
}

// codecOf is one of the codecs that columns are moved in.
func codecOf(c int64) compress.Compression {
	return map[int64]compress.Compression{
		uncompressed: compress.Codecs.Uncompressed, snappy: compress.Codecs.Snappy,
		gzip: compress.Codecs.Gzip, zstd: compress.Codecs.Zstd,
	}[c]
}
