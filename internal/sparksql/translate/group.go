package translate

import (
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
	"landfall/internal/sparksql/function"
)

// aggregates reports whether a function of a group stands in an expression, outside of
// queries of its own.
func aggregates(x sparksql.Expr) (found *sparksql.Call, window *sparksql.Call) {
	if x == nil {
		return nil, nil
	}
	sparksql.Walk(x, func(node any) bool {
		if _, query := node.(*sparksql.Query); query {
			return false
		}
		c, ok := node.(*sparksql.Call)
		if !ok {
			return true
		}
		f, known := function.Lookup(c.Name)
		switch {
		case c.Over != nil && window == nil:
			window = c
		case c.Over == nil && known && f.Kind() == function.Aggregate && found == nil:
			found = c
		}
		return true
	})
	return found, window
}

// group says what rows are groups by, and notes what needs more than new rows.
func (s *selecting) group() {
	var first *sparksql.Call
	look := func(x sparksql.Expr) {
		a, w := aggregates(x)
		if a != nil && first == nil {
			first = a
		}
		if w != nil {
			s.windowed = true
			s.out.keepsState("OVER", w.Range)
		}
	}
	for _, it := range s.items {
		look(it.expr)
	}
	look(s.in.Having)
	s.windowed = s.windowed || s.in.Qualify != nil
	g := s.in.Group
	s.grouped = g != nil || first != nil || s.in.Having != nil
	if !s.grouped {
		return
	}
	s.groups = map[string]bool{}
	if g == nil {
		if first != nil {
			s.out.keepsState(first.Name+"()", first.Range)
		}
		return
	}
	s.out.keepsState("GROUP BY", g.Range)
	s.groupBy = s.groupItems(g)
}

// groupItems writes GROUP BY.
func (s *selecting) groupItems(g *sparksql.Group) string {
	if g.All {
		return s.groupAll()
	}
	s.sets = g.Kind != ""
	if len(g.Sets) > 0 {
		sets := make([]string, len(g.Sets))
		for i, set := range g.Sets {
			sets[i] = "(" + strings.Join(s.groupTexts(set), ", ") + ")"
		}
		return "GROUPING SETS (" + strings.Join(sets, ", ") + ")"
	}
	texts := strings.Join(s.groupTexts(g.Items), ", ")
	if g.Kind != "" {
		return g.Kind + " (" + texts + ")"
	}
	return texts
}

// groupAll groups by all columns without functions of groups.
func (s *selecting) groupAll() string {
	var texts []string
	for _, it := range s.items {
		sql := ""
		if it.given != nil {
			sql = it.given.sql
		} else if a, _ := aggregates(it.expr); a == nil {
			sql = s.expressions("GROUP BY").expr(it.expr).sql
		}
		if sql != "" && !s.groups[sql] {
			s.groups[sql] = true
			texts = append(texts, sql)
		}
	}
	return strings.Join(texts, ", ")
}

// groupTexts writes items of GROUP BY: expressions, or columns of the result by number
// or by name.
func (s *selecting) groupTexts(items []sparksql.Expr) []string {
	texts := make([]string, 0, len(items))
	e := s.expressions("GROUP BY")
	for _, x := range items {
		var v value
		if c, ok := x.(*sparksql.Call); ok && (c.Name == "rollup" || c.Name == "cube") {
			s.sets = true
			inner := make([]sparksql.Expr, len(c.Args))
			for i, a := range c.Args {
				inner[i] = a.Expr
			}
			texts = append(texts, strings.ToUpper(c.Name)+" ("+strings.Join(s.groupTexts(inner), ", ")+")")
			continue
		}
		_, number := x.(*sparksql.Literal)
		switch n := e.ordinal(x, len(s.items)); {
		case number && n != "" && atoi(n) >= 1 && atoi(n) <= len(s.items):
			v = s.itemValue(s.items[atoi(n)-1], e)
		case number && n != "":
			continue
		default:
			v = e.expr(x)
		}
		if v.typ != nil {
			s.groups[v.sql] = true
			texts = append(texts, v.sql)
		}
	}
	return texts
}

func (s *selecting) itemValue(it item, e *expressions) value {
	if it.given != nil {
		return value{sql: it.given.sql, typ: it.given.typ, origins: it.given.origins}
	}
	return e.expr(it.expr)
}

// columns writes the columns of the result, and those that go along unseen.
func (s *selecting) columns() []string {
	taken := map[string]bool{}
	var texts []string
	for i, it := range s.items {
		e := s.expressions("")
		e.groups = s.groups
		var found []probed
		if s.options.Probes && !s.grouped && !s.in.Distinct {
			e.probes = &found
		}
		e.scope = s.before(i)
		v := s.itemValue(it, e)
		if it.given != nil && s.groups != nil && !s.groups[v.sql] {
			s.problem(diag.SQLName, it.at, "column %s stands neither in GROUP BY nor in a function of a group", it.name).Hint = "add it to GROUP BY, or leave it out"
		}
		if v.typ == nil {
			continue
		}
		name := freeName(it.name, taken)
		texts = append(texts, v.sql+" AS "+quote(name))
		s.out.columns = append(s.out.columns, column{name: it.name, typ: v.typ, sql: name, origins: v.origins, named: it.named, at: it.at})
		s.results = append(s.results, column{name: it.name, typ: v.typ, sql: v.sql, origins: v.origins})
		s.probe(found, it)
	}
	if len(texts) == 0 {
		texts = append(texts, "NULL")
	}
	return append(texts, s.unseen()...)
}

// before is the scope in which a column finds those that stand before it.
func (s *selecting) before(i int) *scope {
	inner := *s.scope
	n := 0
	for _, it := range s.items[:i] {
		if it.expr != nil {
			n++
		}
	}
	inner.aliases = slices.Clone(s.scope.aliases[:min(n, len(s.scope.aliases))])
	return &inner
}

// freeName is a name that no column before has.
func freeName(name string, taken map[string]bool) string {
	free := name
	for n := 2; taken[schema.Fold(free)]; n++ {
		free = name + "_" + itoa(n)
	}
	taken[schema.Fold(free)] = true
	return free
}

// probe adds the hidden columns of TRY_CASTs.
func (s *selecting) probe(found []probed, it item) {
	for _, p := range found {
		name := "_landfall_lost" + itoa(len(s.probes)+1)
		s.probes = append(s.probes, Probe{Name: name, Column: it.name, To: p.to, At: p.at})
		s.from.relations = append(s.from.relations, &relation{columns: []column{{name: name, typ: schema.Boolean, sql: p.sql, hidden: true}}})
	}
}

// unseen are the hidden columns of what FROM has, as long as rows stay single.
func (s *selecting) unseen() []string {
	if s.grouped || s.in.Distinct {
		return nil
	}
	var texts []string
	seen := map[string]bool{}
	for _, r := range s.from.relations {
		for _, c := range r.columns {
			if !c.hidden || seen[c.name] {
				continue
			}
			seen[c.name] = true
			texts = append(texts, c.sql+" AS "+quote(c.name))
			s.out.columns = append(s.out.columns, column{name: c.name, typ: c.typ, sql: c.name, hidden: true})
		}
	}
	return texts
}
