package verbatim

import (
	"errors"

	"landfall/internal/parquetfile/footer"
	"landfall/internal/parquetfile/logical"
	"landfall/internal/parquetfile/thrift"
	"landfall/internal/schema"
)

// Column is a column of a table that is made of chunks of a source.
type Column struct {
	source   *Source
	to       schema.Field
	elements []thrift.Struct
	leaves   []moved
}

// moved is a leaf of the table's column, in its order.
type moved struct {
	// at is the position of the leaf in the source, path its names from the column
	// on.
	at   int
	path []string
	leaf *logical.Leaf
	node *footer.Element
	to   schema.Type
	// pages are what the walk over the pages of each row group found.
	pages []pages
	// lacks is how many entries of each row group are known to be no values.
	lacks []int64
}

// Column returns the column i of the source as the column to of a table, whose
// stored name it takes. Lists and maps come out in the layout of three levels,
// fields of structs in the table's order, without field ids. The error is a
// *[Refusal] if the column is to be decoded instead; others come from the reader.
func (s *Source) Column(i int, to schema.Field) (*Column, error) {
	from := &s.columns[i]
	if s.refusal != nil {
		return nil, s.refusal
	}
	c := &Column{source: s, to: to}
	l := layout{source: s, column: c}
	name := schema.PhysicalName(to)
	if r := l.part(part{
		name: name, to: to.Type, nullable: true, from: from.Type, optional: true,
		first: s.first[i], leaves: from.Leaves, path: []string{name},
	}); r != nil {
		return nil, r.on(schema.Path{from.Name})
	}
	for g := range s.groups {
		if err := c.examine(g, i); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// examine looks at the chunks of row group g of the column i of the source.
func (c *Column) examine(g, i int) error {
	s := c.source
	for n := range c.leaves {
		m := &c.leaves[n]
		err := s.examine(g, m)
		if err == nil && !c.to.Nullable {
			err = s.present(g, m)
		}
		if r := new(Refusal); errors.As(err, &r) {
			return r.on(m.leaf.Path)
		}
		if err != nil {
			return err
		}
	}
	if !s.proves {
		return nil
	}
	err := c.prove(g, i)
	if r := new(Refusal); errors.As(err, &r) {
		return r.on(schema.Path{s.columns[i].Name})
	}
	return err
}

// present refuses a leaf of a column that takes no nulls if there may be some.
func (s *Source) present(g int, m *moved) error {
	if !m.leaf.Distinct(1) {
		return nil // the file has no nulls of the column either
	}
	if n := s.nulls(g, m); n != 0 || len(m.path) > 1 {
		return refuse(Nulls, "row group %d has or may have nulls", g)
	}
	return nil
}

// mayLack tells whether entries of the leaf need not be values.
func (m *moved) mayLack() bool {
	for level := range m.leaf.MaxDef {
		if m.leaf.Distinct(level + 1) {
			return true
		}
	}
	return false
}

// Elements returns the nodes of the column in the schema of a file, it and those
// below it, as SchemaElements.
func (c *Column) Elements() []thrift.Struct { return c.elements }
