package translate

import (
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
)

// join translates a join of two relations.
func (t *translator) join(j *sparksql.Join, s *scope) *from {
	left := t.relation(j.Left, s)
	beside := *s
	beside.relations = append(slices.Clone(s.relations), left.relations...)
	right := t.relation(j.Right, &beside)
	out := &from{relations: append(slices.Clone(left.relations), right.relations...), stateful: append(left.stateful, right.stateful...), broken: left.broken || right.broken}
	out.stateful = append(out.stateful, joinState(j, left, right)...)
	kind := map[string]string{"SEMI": "SEMI", "ANTI": "ANTI", "CROSS": "CROSS", "LEFT": "LEFT", "RIGHT": "RIGHT", "FULL": "FULL", "INNER": "INNER"}[j.Kind]
	rightSQL := right.sql
	if _, nested := j.Right.(*sparksql.Join); nested {
		rightSQL = "(" + rightSQL + ")"
	}
	condition, merged := "", &relation{}
	e := &expressions{translator: t, scope: &scope{relations: out.relations, outer: s.outer, ctes: s.ctes, broken: out.broken}, place: "ON"}
	names := j.Using
	if j.Natural {
		names = shared(left, right)
	}
	switch {
	case len(names) > 0:
		condition = t.using(names, j, left, right, e, merged)
	case j.On != nil:
		condition = e.boolean(j.On).sql
	}
	switch {
	case condition == "" && (kind == "INNER" || kind == "CROSS"):
		out.sql = left.sql + " CROSS JOIN " + rightSQL
	case condition == "":
		out.sql = left.sql + " " + kind + " JOIN " + rightSQL + " ON true"
	case kind == "CROSS":
		out.sql = left.sql + " INNER JOIN " + rightSQL + " ON " + condition
	default:
		out.sql = left.sql + " " + kind + " JOIN " + rightSQL + " ON " + condition
	}
	if j.Kind == "SEMI" || j.Kind == "ANTI" {
		out.relations = left.relations
	}
	if len(merged.columns) > 0 {
		out.relations = append([]*relation{merged}, out.relations...)
	}
	return out
}

// joinState tells of joins that need more than the new rows of a stream.
func joinState(j *sparksql.Join, left, right *from) []Stateful {
	switch {
	case left.stream() && right.stream():
		return []Stateful{{What: "join of two streams", At: j.Range}}
	case right.stream() && (j.Kind == "LEFT" || j.Kind == "FULL" || j.Kind == "SEMI" || j.Kind == "ANTI"),
		left.stream() && (j.Kind == "RIGHT" || j.Kind == "FULL"):
		return []Stateful{{What: j.Kind + " JOIN whose other side is the stream", At: j.Range}}
	}
	return nil
}

// shared are the names that both sides of a NATURAL join have.
func shared(left, right *from) []sparksql.Ident {
	r := scope{relations: right.relations}
	var out []sparksql.Ident
	for _, c := range (&scope{relations: left.relations}).columns() {
		if found, _ := r.find([]string{c.name}); len(found) > 0 {
			out = append(out, sparksql.Ident{Range: c.at, Name: c.name})
		}
	}
	return out
}

// using is the condition of USING. One column of merged stands for both sides, before all
// others: that of the left, of the right for RIGHT, the first that is not null for FULL.
func (t *translator) using(names []sparksql.Ident, j *sparksql.Join, left, right *from, e *expressions, merged *relation) string {
	conditions := make([]string, 0, len(names))
	for _, n := range names {
		a, b := t.side(n, left), t.side(n, right)
		if a == nil || b == nil {
			continue
		}
		values, to := e.brought(n.Range, []value{{sql: a.sql, typ: a.typ, origins: a.origins}, {sql: b.sql, typ: b.typ, origins: b.origins}})
		if to == nil {
			continue
		}
		conditions = append(conditions, values[0].sql+" = "+values[1].sql)
		both := *a
		both.named, both.at = true, n.Range
		switch j.Kind {
		case "RIGHT":
			both = column{name: a.name, typ: b.typ, named: true, at: n.Range, origins: b.origins, sql: b.sql}
		case "FULL":
			both.typ, both.origins = to, union(a.origins, b.origins)
			both.sql = "coalesce(" + values[0].sql + ", " + values[1].sql + ")"
		}
		a.merged, b.merged = true, true
		merged.columns = append(merged.columns, both)
	}
	return strings.Join(conditions, " AND ")
}

// side is the column of one side of USING.
func (t *translator) side(n sparksql.Ident, f *from) *column {
	var found []*column
	for _, r := range f.relations {
		for i := range r.columns {
			if c := &r.columns[i]; !c.hidden && !c.merged && schema.Fold(c.name) == schema.Fold(n.Name) {
				found = append(found, c)
			}
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	t.problem(diag.SQLName, n.Range, "column %s: found %d of that name on one side of the join, want one", n.Name, len(found)).Hint = "write the condition behind ON"
	return nil
}
