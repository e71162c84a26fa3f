package plan

import (
	"slices"

	"landfall/internal/diag"
	"landfall/internal/schema"
)

// op checks what a step does.
func (c *checker) op() {
	switch op := c.step.Op.(type) {
	case Source:
		c.source(op)
	case Sink:
		c.list(op.Take, "mapping")
	case Select:
		c.list(op.Take, "mapping")
	case Derive:
		c.list(op.Set, "value")
	case Filter:
		c.expr(op.Keep, schema.Boolean, "filter")
	case Aggregate:
		c.list(op.Group, "group")
		c.list(op.Values, "aggregate")
		c.grouped(op)
	case Join:
		if op.On != nil || op.Kind != Cross {
			c.expr(op.On, schema.Boolean, "condition")
		}
	case Lookup:
		c.expr(op.On, schema.Boolean, "condition")
		c.orders(op.Order)
		if len(op.Order) == 0 && (op.Pick == PickFirst || op.Pick == PickLast) {
			c.add("found no order, want one to pick the %s match by", op.Pick)
		}
	case Exists:
		c.expr(op.On, schema.Boolean, "condition")
	case Union:
		c.union(op)
	case Split:
		c.split(op)
	case Output:
		split, ok := c.in[0].Op.(Split)
		if !ok || op.Number < 0 || op.Number >= len(split.Outputs) {
			c.add("found output %d of %s, want one of a split", op.Number, c.in[0].Name)
		}
	default:
		c.more()
	}
}

func (c *checker) more() {
	switch op := c.step.Op.(type) {
	case Window:
		for _, e := range op.Over {
			c.expr(e, nil, "group")
		}
		c.orders(op.Order)
		c.list(op.Set, "window value")
		if op.Frame != nil && len(op.Order) == 0 {
			c.add("found a frame without an order, want both")
		}
	case Rank:
		c.orders(op.Order)
		if len(op.Order) == 0 {
			c.add("found no order, want one")
		}
	case Key:
		if op.Step == 0 {
			c.add("found step 0, want another number")
		}
	case Sort:
		c.orders(op.By)
	case Assert:
		c.rules(op)
	case Cast:
		for _, conv := range op.Columns {
			c.has(conv.Column)
			if conv.By != nil {
				c.expr(conv.By, conv.To, "conversion")
			}
		}
	case Flatten:
		c.flatten(op)
	case Pivot:
		c.pivot(op)
	case Unpivot:
		c.unpivot(op)
	}
}

func (c *checker) list(list []Assignment, what string) {
	for _, a := range list {
		if a.Name == "" {
			c.add("%s: found no name, want one", what)
		}
		c.expr(a.Value, nil, what+" "+a.Name)
	}
}

// grouped checks that a value of a group reads nothing of single rows but keys.
func (c *checker) grouped(op Aggregate) {
	keys := map[ID]bool{}
	for _, a := range op.Group {
		if ref, ok := a.Value.(Ref); ok {
			keys[ref.ID] = true
		}
	}
	for _, a := range op.Values {
		Walk(a.Value, func(e Expr) bool {
			switch e := e.(type) {
			case Fold:
				return false
			case Call:
				return e.Kind == Scalar
			case Ref:
				if column := c.in[0].Column(e.ID); column != nil && !keys[e.ID] {
					c.add("aggregate %s: found the column %s of single rows, want it in an aggregate or among the groups", a.Name, column.Name)
				}
			}
			return true
		})
	}
}

func (c *checker) orders(orders []Order) {
	for _, o := range orders {
		c.expr(o.By, nil, "order")
		if o.By != nil && !comparable(o.By.Type()) {
			c.add("order: found %s, want a type that has an order", o.By.Type())
		}
	}
}

func (c *checker) has(id ID) {
	if c.in[0].Column(id) == nil {
		c.add("found column #%d, want one that leaves %s", id, c.in[0].Name)
	}
}

func (c *checker) source(op Source) {
	path := op.PathColumn == ""
	for _, column := range op.Columns {
		if column.Name == "" || column.Type == nil {
			c.add("found a column without name or type")
		}
		path = path || column.Name == op.PathColumn && column.Type == schema.String
	}
	if !path {
		c.add("found no string column %s, want one for the path", diag.Quote(op.PathColumn))
	}
	for _, p := range op.Parse {
		at := slices.IndexFunc(op.Columns, func(column Column) bool { return column.Name == p.Column })
		if at < 0 || p.By == nil || !Same(p.By.Type(), op.Columns[at].Type) {
			c.add("found a format of %s, want one that makes a value of a column's type", diag.Quote(p.Column))
			continue
		}
		c.refs(p.By, "format of "+p.Column, []string{p.Column})
	}
}

func (c *checker) union(op Union) {
	maker := maker{in: c.in}
	maker.keep(0)
	for n, in := range c.in[1:] {
		if !op.ByName && len(in.Columns) != len(c.in[0].Columns) {
			c.add("found %d columns from %s, want %d as from %s",
				len(in.Columns), in.Name, len(c.in[0].Columns), c.in[0].Name)
			continue
		}
		used := map[int]bool{}
		for i, column := range in.Columns {
			at := maker.partner(op, i, column, used)
			if at < 0 {
				used[len(maker.out)] = true
				maker.pass(column)
				continue
			}
			used[at] = true
			t, ok := unite(maker.out[at].Type, column.Type)
			if !ok {
				c.add("column %s: found %s in input %d, %s, want %s as before it or a type that holds both",
					column.Name, column.Type, n+2, in.Name, maker.out[at].Type)
				continue
			}
			maker.out[at].Type = t
		}
	}
}

func (c *checker) split(op Split) {
	for _, e := range op.Conditions {
		c.expr(e, schema.Boolean, "condition")
	}
	if n, m := len(op.Outputs), len(op.Conditions); n != m && n != m+1 {
		c.add("found %d outputs for %d conditions, want one for each and at most one more", n, m)
	}
}

func (c *checker) rules(op Assert) {
	seen := map[string]bool{}
	for _, r := range op.Rules {
		if seen[r.ID] {
			c.add("found rule %s twice, want one of an id", diag.Quote(r.ID))
		}
		seen[r.ID] = true
		var want schema.Type = schema.Boolean
		if r.Kind == ExpectUnique {
			want = nil
		}
		c.expr(r.On, want, r.Kind.String()+" "+r.ID)
		if r.Filter != nil {
			c.expr(r.Filter, schema.Boolean, "filter of "+r.ID)
		}
		if r.Message != nil {
			c.expr(r.Message, schema.String, "message of "+r.ID)
		}
	}
	if !op.Abort && op.Errors == "" {
		c.add("found no column for what fails, want one")
	}
}

func (c *checker) flatten(op Flatten) {
	if len(op.Unroll) == 0 {
		c.add("found no array to unroll, want one")
	}
	var locals []string
	for _, u := range op.Unroll {
		if u.Of == nil {
			c.add("found no array to unroll, want one")
			continue
		}
		c.refs(u.Of, "unroll", locals)
		if _, ok := u.Of.Type().(schema.Array); !ok {
			c.add("unroll: found %s, want an array", u.Of.Type())
		}
		locals = append(locals, u.Bind)
	}
	for _, a := range op.Take {
		c.refs(a.Value, "mapping "+a.Name, locals)
	}
}

func (c *checker) pivot(op Pivot) {
	c.list(op.Group, "group")
	c.expr(op.Key, nil, "pivot key")
	for _, e := range op.Aggregates {
		c.expr(e, nil, "aggregate")
	}
	for _, v := range op.Values {
		if len(v.Columns) != len(op.Aggregates) {
			c.add("value %s: found %d names, want one for each of %d aggregates", v.Value, len(v.Columns), len(op.Aggregates))
		}
		if op.Key != nil && !Same(v.Value.Of, op.Key.Type()) {
			c.add("value %s: found %s, want %s as the key", v.Value, v.Value.Of, op.Key.Type())
		}
		if err := checkLiteral(v.Value); err != nil {
			c.add("%s", err)
		}
	}
}

func (c *checker) unpivot(op Unpivot) {
	for _, id := range slices.Concat(op.Keep, op.Columns) {
		c.has(id)
	}
	if op.Key == "" || op.Value == "" || op.KeyType == nil || op.ValueType == nil {
		c.add("found no name or type of the key or the value column, want them")
	}
	if len(op.Names) != 0 && len(op.Names) != len(op.Columns) {
		c.add("found %d names for %d columns, want one for each", len(op.Names), len(op.Columns))
	}
}
