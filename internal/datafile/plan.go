package datafile

import (
	"fmt"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/schema"
)

// planner finds out which columns of the old file become which of the new one.
type planner struct {
	fields []schema.Field
	// walls says of each field which of its leaves hold wall clocks, that the
	// reader gives as instants.
	walls [][]bool
	at    map[string]int
	used  []bool
}

func (r *reshaper) plan(to Shape) error {
	p := planner{fields: r.file.Fields(), at: map[string]int{}}
	p.used = make([]bool, len(p.fields))
	walls := r.file.Walls()
	for i, f := range p.fields {
		name := schema.Fold(f.Name)
		if _, twice := p.at[name]; twice {
			return diag.New(diag.FileUnreadable, "found two columns named %s, want one", diag.Quote(f.Name)).
				Hinted("write the file again with a name for each column")
		}
		p.at[name] = i
		n := len(column.Leaves(f.Type, true))
		p.walls = append(p.walls, walls[:n])
		walls = walls[n:]
	}
	r.source = -1
	if i, ok := p.at[sourceColumn]; ok && p.fields[i].Type == schema.Type(schema.String) {
		r.source = i
	}
	if err := p.own(r, to); err != nil {
		return err
	}
	return p.foreign(r)
}

// own plans the columns that the shape names.
func (p *planner) own(r *reshaper, to Shape) error {
	for _, f := range to.Schema.Fields {
		f.Name = schema.PhysicalName(f)
		f.Metadata = nil
		var sources []origin
		for _, name := range append([]string{f.Name}, to.Merged[f.Name]...) {
			i, ok := p.at[schema.Fold(name)]
			if !ok {
				continue
			}
			if p.used[i] {
				return fmt.Errorf("column %q flows into two columns", name)
			}
			p.used[i] = true
			sources = append(sources, p.origin(i, f.Type))
		}
		if err := r.add(f, sources); err != nil {
			return err
		}
	}
	return nil
}

// foreign plans the columns that are left. Those of void hold nothing, and no
// file holds them.
func (p *planner) foreign(r *reshaper) error {
	for i, f := range p.fields {
		if p.used[i] {
			continue
		}
		o := p.origin(i, nil)
		t, ok := schema.Storable(o.field.Type)
		if !ok {
			continue
		}
		f.Type = t
		if err := r.add(f, []origin{o}); err != nil {
			return err
		}
	}
	return nil
}

func (r *reshaper) add(f schema.Field, sources []origin) error {
	t, err := newTarget(f, sources, r.shape.Forms)
	if err != nil {
		return fmt.Errorf("column %q: %w", f.Name, err)
	}
	r.targets = append(r.targets, t)
	r.table.Fields = append(r.table.Fields, t.field)
	return nil
}

// origin is a column of the old file that becomes one of a type, or stays, nil.
func (p *planner) origin(i int, to schema.Type) origin {
	f := p.fields[i]
	f.Type, _ = withWalls(f.Type, to, p.walls[i])
	return origin{at: i, field: f}
}

// withWalls gives the leaves of a type that hold wall clocks their type back,
// unless the table says that they are instants; to is the table's type, nil for
// none. It returns what is left of walls behind the leaves.
func withWalls(t, to schema.Type, walls []bool) (schema.Type, []bool) {
	switch t := t.(type) {
	case schema.Struct:
		s, _ := to.(schema.Struct)
		out := schema.Struct{Fields: make([]schema.Field, len(t.Fields))}
		for i, f := range t.Fields {
			var below schema.Type
			if n := matchStored(s, f); n >= 0 {
				below = s.Fields[n].Type
			}
			f.Type, walls = withWalls(f.Type, below, walls)
			out.Fields[i] = f
		}
		return out, walls
	case schema.Array:
		s, _ := to.(schema.Array)
		t.Element, walls = withWalls(t.Element, s.Element, walls)
		return t, walls
	case schema.Map:
		s, _ := to.(schema.Map)
		t.Key, walls = withWalls(t.Key, s.Key, walls)
		t.Value, walls = withWalls(t.Value, s.Value, walls)
		return t, walls
	}
	if walls[0] && to != schema.Type(schema.Timestamp) {
		t = schema.TimestampNTZ
	}
	return t, walls[1:]
}
