package plan

import (
	"slices"

	"landfall/internal/diag"
	"landfall/internal/schema"
)

// Builder makes a plan step by step. The zero value is ready.
type Builder struct {
	plan Plan
	last ID
}

// Plan returns what was added so far.
func (b *Builder) Plan() *Plan { return &b.plan }

// Add adds a step whose inputs are there already, works out the columns that
// leave it, and returns it. A step that makes no sense is refused with all that
// is wrong with it, and not added. The pointer is good until the next Add.
func (b *Builder) Add(name string, at diag.Place, op Op, inputs ...string) (*Step, error) {
	step := Step{Name: name, Inputs: inputs, Op: op, At: at}
	if err := checkStep(&b.plan, &step); err != nil {
		return nil, err
	}
	in := make([]*Step, len(inputs))
	for i, input := range inputs {
		in[i] = b.plan.Step(input)
	}
	maker := maker{name: name, in: in, last: b.last}
	maker.make(op)
	step.Columns, b.last = maker.out, maker.last
	b.plan.Steps = append(b.plan.Steps, step)
	return &b.plan.Steps[len(b.plan.Steps)-1], nil
}

// maker works out the columns that leave a step.
type maker struct {
	name string
	in   []*Step
	last ID
	out  []Column
	// names are those of the first input's visible columns, in one casing; nil
	// until somebody asks.
	names map[string]bool
}

func (m *maker) make(op Op) {
	switch op := op.(type) {
	case Source:
		for _, c := range op.Columns {
			m.add(Column{Name: c.Name, Type: c.Type, Drifted: c.Drifted, Change: Added})
		}
	case Sink:
		m.sink(op)
	case Select:
		m.take(op.Take)
	case Derive:
		m.keep(0)
		m.replace(op.Set)
	case Aggregate:
		m.take(op.Group)
		m.set(op.Values)
	case Join:
		m.keep(0)
		m.keep(1)
	case Lookup:
		m.keep(0)
		m.keep(1)
		m.matched(op.Matched)
	case Union:
		m.union(op)
	case Window:
		m.keep(0)
		m.replace(op.Set)
	case Rank:
		m.keep(0)
		m.replace([]Assignment{{Name: op.Name, Value: Literal{Of: schema.Long}}})
	case Key:
		m.keep(0)
		m.replace([]Assignment{{Name: op.Name, Value: Literal{Of: schema.Long}}})
	default:
		m.rows(op)
	}
}

// rows is make of the ops that keep, mark or multiply rows.
func (m *maker) rows(op Op) {
	switch op := op.(type) {
	case Assert:
		m.keep(0)
		m.hidden(op.Errors, errorsType())
	case Cast:
		m.cast(op)
	case Flatten:
		m.take(op.Take)
		m.unrolled(op)
	case Pivot:
		m.take(op.Group)
		m.pivot(op)
	case Unpivot:
		for _, id := range op.Keep {
			m.pass(*m.in[0].Column(id))
		}
		m.set([]Assignment{{Name: op.Key, Value: Literal{Of: op.KeyType}}, {Name: op.Value, Value: Literal{Of: op.ValueType}}})
		m.out[len(m.out)-1].From = op.Columns
	default:
		m.keep(0)
	}
}

func errorsType() schema.Type {
	return schema.Map{Key: schema.String, Value: schema.String, ValueContainsNull: true}
}

// add gives a column an id, and what is not known of its lineage.
func (m *maker) add(c Column) {
	m.last++
	c.ID = m.last
	if c.Origin == (Origin{}) {
		c.Origin = Origin{m.name, c.Name}
	}
	if c.By == "" {
		c.By = m.name
	}
	m.out = append(m.out, c)
}

// pass hands a column of an input on.
func (m *maker) pass(c Column) {
	c.From, c.Change = []ID{c.ID}, Kept
	m.add(c)
}

func (m *maker) keep(input int) {
	for _, c := range m.in[input].Columns {
		m.pass(c)
	}
}

// take makes the columns of a selection: a value that is a column is handed on.
func (m *maker) take(list []Assignment) {
	for _, a := range list {
		ref, ok := a.Value.(Ref)
		if !ok {
			m.set([]Assignment{a})
			continue
		}
		c := *m.in[ref.Input].Column(ref.ID)
		c.From, c.Change = []ID{c.ID}, Kept
		if c.Name != a.Name {
			c.Change, c.By = Renamed, m.name
		}
		c.Name, c.Drifted, c.Hidden = a.Name, c.Drifted || a.Drifted, a.Hidden
		m.add(c)
	}
}

// set adds columns of new values.
func (m *maker) set(list []Assignment) {
	for _, a := range list {
		change := Added
		if m.comesIn(a.Name) {
			change = Changed
		}
		m.add(Column{Name: a.Name, Type: a.Value.Type(), From: Reads(a.Value), Drifted: a.Drifted, Change: change})
	}
}

// comesIn tells whether a visible column of the first input has a name.
func (m *maker) comesIn(name string) bool {
	if m.names == nil {
		m.names = map[string]bool{}
		for _, c := range m.in[0].Columns {
			if !c.Hidden {
				m.names[schema.Fold(c.Name)] = true
			}
		}
	}
	return m.names[schema.Fold(name)]
}

// unrolled adds to what a column comes from the columns of the arrays whose items it
// is made of.
func (m *maker) unrolled(op Flatten) {
	arrays := map[string][]ID{}
	items := func(e Expr) []ID {
		ids := Reads(e)
		Walk(e, func(e Expr) bool {
			if item, ok := e.(Local); ok {
				ids = append(ids, arrays[item.Name]...)
			}
			return true
		})
		slices.Sort(ids)
		return slices.Compact(ids)
	}
	for _, u := range op.Unroll {
		arrays[u.Bind] = items(u.Of)
	}
	for i, a := range op.Take {
		m.out[i].From = items(a.Value)
	}
}

// replace puts new values in the place of the columns of their names; those of
// other names come behind. Of several columns of one name the first is meant:
// one spelt so, else one that differs in casing.
func (m *maker) replace(list []Assignment) {
	exact, folded := map[string]int{}, map[string]int{}
	note := func(at int) {
		c := m.out[at]
		if _, known := exact[c.Name]; !known && !c.Hidden {
			exact[c.Name] = at
		}
		if _, known := folded[schema.Fold(c.Name)]; !known && !c.Hidden {
			folded[schema.Fold(c.Name)] = at
		}
	}
	for i := range m.out {
		note(i)
	}
	for _, a := range list {
		at, found := exact[a.Name]
		if !found {
			at, found = folded[schema.Fold(a.Name)]
		}
		if !found {
			m.set([]Assignment{a})
			note(len(m.out) - 1)
			continue
		}
		old := m.out[at]
		m.out[at] = Column{
			ID: old.ID, Name: a.Name, Type: a.Value.Type(), From: Reads(a.Value),
			Drifted: old.Drifted && a.Drifted, Change: Changed, Origin: Origin{m.name, a.Name}, By: m.name,
		}
		note(at)
	}
}

// hidden adds a hidden column, or takes the place of that of its name.
func (m *maker) hidden(name string, t schema.Type) {
	if name == "" {
		return
	}
	at := slices.IndexFunc(m.out, func(c Column) bool { return c.Hidden && c.Name == name })
	if at < 0 {
		m.add(Column{Name: name, Type: t, Hidden: true, Change: Added})
		return
	}
	m.out[at].Change, m.out[at].By = Changed, m.name
}

// matched adds the mark of a lookup. That of an earlier lookup stays under a name
// of its own.
func (m *maker) matched(name string) {
	for i := range m.out {
		if c := &m.out[i]; c.Hidden && c.Name == name {
			c.Name = c.By + "." + name
		}
	}
	m.hidden(name, schema.Boolean)
}

func (m *maker) sink(op Sink) {
	if op.Take != nil {
		m.take(op.Take)
		return
	}
	for _, c := range m.in[0].Visible() {
		m.pass(c)
	}
}

func (m *maker) cast(op Cast) {
	m.keep(0)
	for _, c := range op.Columns {
		at := slices.IndexFunc(m.out, func(o Column) bool { return o.From[0] == c.Column })
		m.out[at].Type, m.out[at].Change = c.To, Changed
		m.out[at].Origin, m.out[at].By = Origin{m.name, m.out[at].Name}, m.name
	}
	m.hidden(op.Errors, errorsType())
}

func (m *maker) pivot(op Pivot) {
	add := func(value, aggregate int) {
		m.set([]Assignment{{Name: op.Values[value].Columns[aggregate], Value: op.Aggregates[aggregate], Drifted: op.Drifted}})
	}
	if op.Lateral {
		for v := range op.Values {
			for a := range op.Aggregates {
				add(v, a)
			}
		}
		return
	}
	for a := range op.Aggregates {
		for v := range op.Values {
			add(v, a)
		}
	}
}

func (m *maker) union(op Union) {
	m.keep(0)
	for _, in := range m.in[1:] {
		used := map[int]bool{}
		for i, c := range in.Columns {
			at := m.partner(op, i, c, used)
			if at < 0 {
				at = len(m.out)
				m.pass(c)
			} else {
				t, _ := unite(m.out[at].Type, c.Type)
				m.out[at].Type, m.out[at].From = t, append(m.out[at].From, c.ID)
				m.out[at].Drifted = m.out[at].Drifted && c.Drifted
			}
			used[at] = true
		}
	}
}

// partner is the united column that takes the values of a column of an input,
// -1 for a new one. The second column of a name goes with the second of it.
func (m *maker) partner(op Union, at int, c Column, used map[int]bool) int {
	if !op.ByName {
		return at
	}
	folded := -1
	for i, o := range m.out {
		switch {
		case used[i] || o.Hidden != c.Hidden:
		case o.Name == c.Name:
			return i
		case folded < 0 && schema.Fold(o.Name) == schema.Fold(c.Name):
			folded = i
		}
	}
	return folded
}

// unite is the type of a column of two inputs of a union: a common one that
// holds the values of both as they are.
func unite(a, b schema.Type) (schema.Type, bool) {
	if Same(a, b) {
		return a, true
	}
	return schema.Join(a, b)
}

// Same reports whether two types are one, but for what may be null in them and
// for metadata.
func Same(a, b schema.Type) bool {
	switch a := a.(type) {
	case schema.Array:
		b, ok := b.(schema.Array)
		return ok && Same(a.Element, b.Element)
	case schema.Map:
		b, ok := b.(schema.Map)
		return ok && Same(a.Key, b.Key) && Same(a.Value, b.Value)
	case schema.Struct:
		b, ok := b.(schema.Struct)
		return ok && slices.EqualFunc(a.Fields, b.Fields, func(x, y schema.Field) bool {
			return x.Name == y.Name && Same(x.Type, y.Type)
		})
	}
	return a == b
}

// Reads returns the columns that an expression reads, each once.
func Reads(e Expr) []ID {
	var ids []ID
	Walk(e, func(e Expr) bool {
		if ref, ok := e.(Ref); ok && !slices.Contains(ids, ref.ID) {
			ids = append(ids, ref.ID)
		}
		return true
	})
	return ids
}
