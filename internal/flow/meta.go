package flow

import (
	"slices"
	"strconv"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/constant"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// meta binds the functions that speak of columns, of which nothing is left in the plan;
// done is false for any other function.
func (sc *scope) meta(n *syntax.Call) (e plan.Expr, ok, done bool) {
	switch n.Name.Text {
	case "byName", "byOrigin", "hasColumn":
		e, ok = sc.late(n)
	case "byPosition":
		e, ok = sc.byPosition(n)
	case "byPath", "hasPath":
		e, ok = sc.byPath(n)
	case "byItem":
		e, ok = sc.byItem(n)
	case "columnNames":
		e, ok = sc.columnNames(n)
	case "typeMatch":
		e, ok = sc.typeMatch(n)
	case "expr":
		e, ok = sc.evaluated(n)
	case "byNames", "byOrigins", "columns", "originColumns":
		sc.b.add(diag.FlowType, n.Pos(), "let them be the arguments of a function, as in: md5("+n.Name.Text+"(…)), or make an array: "+n.Name.Text+"(…) ? string[]",
			"%s: %s: found several columns where one value stands", sc.where, n.Name.Text)
	default:
		return nil, false, false
	}
	return e, ok, true
}

// names are the arguments of a call that are texts known before the run, from least to
// most of them.
func (sc *scope) names(n *syntax.Call, least, most int) ([]string, bool) {
	if len(n.Args) < least || len(n.Args) > most {
		sc.b.add(diag.FlowType, n.Pos(), "as in: toString(byName('x')), hasColumn('x', 'Orders')", "%s: %s: found %d arguments, want %d to %d", sc.where, n.Name.Text, len(n.Args), least, most)
		return nil, false
	}
	var out []string
	for _, x := range n.Args {
		e, ok := sc.expr(x)
		if !ok {
			return nil, false
		}
		text, ok := constant.Text(e)
		if !ok {
			sc.b.add(diag.FlowType, x.Pos(), "write a text or a parameter", "%s: %s: found a name that rows decide, want a constant (DF-Executor-StringValueNotInQuotes)", sc.where, n.Name.Text)
			return nil, false
		}
		out = append(out, text)
	}
	return out, true
}

// late binds byName, byOrigin and hasColumn, whose column is looked up among all there are.
func (sc *scope) late(n *syntax.Call) (plan.Expr, bool) {
	texts, ok := sc.names(n, 1, 2)
	if !ok {
		return nil, false
	}
	stream := append(texts, "")[1]
	ref, ok := sc.lookup(texts[0], stream, n.Name.Text == "byOrigin")
	if n.Name.Text == "hasColumn" {
		return plan.Literal{Value: ok, Of: schema.Boolean}, true
	}
	if !ok {
		return plan.Literal{Of: schema.Unknown}, true
	}
	return ref, true
}

// order are the inputs in the order in which names are looked up: in a comparison of two
// streams each side sees its own first.
func (sc *scope) order() []int {
	out := make([]int, len(sc.in))
	for i := range out {
		out[i] = i
	}
	if sc.second && len(out) == 2 {
		slices.Reverse(out)
	}
	return out
}

// lookup is the first column of a name, also a drifted one, that came through a stream if
// one is named, or that was made there.
func (sc *scope) lookup(name, stream string, origin bool) (plan.Expr, bool) {
	for _, i := range sc.order() {
		for _, c := range sc.in[i].Named(name) {
			if sc.from(i, c, stream, origin) {
				return plan.Ref{Input: i, ID: c.ID, Of: c.Type}, true
			}
		}
	}
	return nil, false
}

// from tells whether a column came through a stream, or was made there; "" is any.
func (sc *scope) from(input int, c plan.Column, stream string, origin bool) bool {
	if stream == "" {
		return true
	}
	if origin {
		return c.Origin.Stream == stream
	}
	return sc.b.builder.Plan().Through(sc.in[input], c.ID, stream)
}

func (sc *scope) byPosition(n *syntax.Call) (plan.Expr, bool) {
	if len(n.Args) == 1 && len(sc.in) > 0 {
		e, ok := sc.expr(n.Args[0])
		if !ok {
			return nil, false
		}
		v, _ := constant.Of(e)
		if at, isNumber := v.(int64); isNumber {
			columns := sc.in[0].Visible()
			if at < 1 || at > int64(len(columns)) {
				return plan.Literal{Of: schema.Unknown}, true
			}
			c := columns[at-1]
			return plan.Ref{ID: c.ID, Of: c.Type}, true
		}
	}
	sc.b.add(diag.FlowType, n.Pos(), "as in: toString(byPosition(2))", "%s: byPosition: found something else, want a position as a number", sc.where)
	return nil, false
}

// byPath binds byPath and hasPath: a.b[1].c or a["key"].
func (sc *scope) byPath(n *syntax.Call) (plan.Expr, bool) {
	texts, ok := sc.names(n, 1, 2)
	if !ok {
		return nil, false
	}
	steps, ok := pathSteps(texts[0])
	if !ok {
		sc.b.add(diag.FlowType, n.Args[0].Pos(), `as in: byPath('orders.items[1].price')`, "%s: %s: found %s, want names between dots, with [1] or [\"key\"] behind them", sc.where, n.Name.Text, diag.Quote(texts[0]))
		return nil, false
	}
	e, found := sc.lookup(steps[0].name, append(texts, "")[1], false)
	for _, s := range steps[1:] {
		if found {
			e, found = sc.part(n.Pos(), e, s)
		}
	}
	if n.Name.Text == "hasPath" {
		return plan.Literal{Value: found, Of: schema.Boolean}, true
	}
	if !found {
		return plan.Literal{Of: schema.Unknown}, true
	}
	return e, true
}

// pathStep is a name, or the place of an item if at is not 0, or a key if keyed is set.
type pathStep struct {
	name  string
	at    int64
	keyed bool
}

// pathSteps cuts a path.
func pathSteps(path string) ([]pathStep, bool) {
	var out []pathStep
	for rest := path; rest != ""; {
		if rest[0] == '[' {
			end := strings.IndexByte(rest, ']')
			if end < 0 || len(out) == 0 {
				return nil, false
			}
			inside := strings.TrimSpace(rest[1:end])
			if key := strings.Trim(inside, `"'`); key != inside {
				out = append(out, pathStep{name: key, keyed: true})
			} else if at, err := strconv.ParseInt(inside, 10, 64); err == nil && at > 0 {
				out = append(out, pathStep{at: at})
			} else {
				return nil, false
			}
			if rest = rest[end+1:]; rest != "" && rest[0] != '[' && rest[0] != '.' {
				return nil, false
			}
			continue
		}
		if len(out) > 0 {
			rest = strings.TrimPrefix(rest, ".")
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			return nil, false
		}
		out = append(out, pathStep{name: rest[:end]})
		rest = rest[end:]
	}
	return out, len(out) > 0
}

// part is a part of a value; false where its type has none of that kind.
func (sc *scope) part(at syntax.Pos, of plan.Expr, s pathStep) (plan.Expr, bool) {
	_, isArray := of.Type().(schema.Array)
	m, isMap := of.Type().(schema.Map)
	switch {
	case s.at > 0 && isArray:
		return sc.item(at, of, plan.Literal{Value: s.at, Of: schema.Integer})
	case s.at > 0:
		return nil, false
	case isMap && m.Key == schema.String:
		return sc.item(at, of, text(s.name))
	}
	return field(of, s.name)
}

// item is an item of an array, or the value of a key.
func (sc *scope) item(at syntax.Pos, of, which plan.Expr) (plan.Expr, bool) {
	return sc.apply(at, sc.b.table.Operator("[]").Name, []plan.Expr{of, which})
}

// field is a field of a struct, or of each struct of an array.
func field(of plan.Expr, name string) (plan.Expr, bool) {
	t := of.Type()
	array, many := t.(schema.Array)
	if many {
		t = array.Element
	}
	s, _ := t.(schema.Struct)
	i := s.Lookup(name)
	if i < 0 {
		return nil, false
	}
	t = s.Fields[i].Type
	if many {
		t = schema.Array{Element: t, ContainsNull: true}
	}
	return plan.Member{From: of, Name: s.Fields[i].Name, Of: t}, true
}

// byItem binds the field of a name of any expression.
func (sc *scope) byItem(n *syntax.Call) (plan.Expr, bool) {
	if len(n.Args) != 2 {
		sc.b.add(diag.FlowType, n.Pos(), "as in: byItem(byName('address'), 'city')", "%s: byItem: found %d arguments, want a struct and a name", sc.where, len(n.Args))
		return nil, false
	}
	of, ok := sc.expr(n.Args[0])
	if !ok {
		return nil, false
	}
	name, ok := sc.names(&syntax.Call{Name: n.Name, Args: n.Args[1:]}, 1, 1)
	if !ok {
		return nil, false
	}
	if e, ok := field(of, name[0]); ok {
		return e, true
	}
	return plan.Literal{Of: schema.Unknown}, true
}

// columnNames binds the names of the columns that come in, or of those that came through a
// stream, perhaps of the drifted ones alone.
func (sc *scope) columnNames(n *syntax.Call) (plan.Expr, bool) {
	if len(n.Args) > 2 {
		sc.b.add(diag.FlowType, n.Pos(), "as in: columnNames('', true())", "%s: columnNames: found %d arguments, want at most 2", sc.where, len(n.Args))
		return nil, false
	}
	stream, drifted := "", false
	if len(n.Args) > 0 {
		texts, ok := sc.names(&syntax.Call{Name: n.Name, Args: n.Args[:1]}, 1, 1)
		if !ok {
			return nil, false
		}
		stream = texts[0]
	}
	if len(n.Args) > 1 {
		drifted = sc.truth(n.Args[1], "columnNames")
	}
	out := plan.Items{Of: schema.Array{Element: schema.String, ContainsNull: true}}
	for _, c := range sc.all(stream, false) {
		if c.column.Drifted || !drifted {
			out.Values = append(out.Values, text(c.column.Name))
		}
	}
	return out, true
}

// all are the visible columns of the inputs, or those of them that came through a stream
// or were made there.
func (sc *scope) all(stream string, origin bool) []found {
	var out []found
	for i, in := range sc.in {
		for _, c := range in.Visible() {
			if sc.from(i, c, stream, origin) {
				out = append(out, found{i, c})
			}
		}
	}
	return out
}

// typeMatch tells whether a type belongs to a family.
func (sc *scope) typeMatch(n *syntax.Call) (plan.Expr, bool) {
	texts, ok := sc.names(n, 2, 2)
	if !ok {
		return nil, false
	}
	whole, part := []string{"byte", "short", "integer", "long"}, []string{"float", "double", "decimal"}
	families := map[string][]string{"integral": whole, "fractional": part, "number": slices.Concat(whole, part), "datetime": {"date", "timestamp"}}
	family, known := families[texts[1]]
	if !known {
		sc.b.add(diag.FlowName, n.Pos(), "families are number, integral, fractional and datetime", "%s: typeMatch: found %s, want a family of types", sc.where, diag.Quote(texts[1]))
		return nil, false
	}
	return plan.Literal{Value: slices.Contains(family, texts[0]), Of: schema.Boolean}, true
}

// evaluated binds expr: the expression that stands in a text.
func (sc *scope) evaluated(n *syntax.Call) (plan.Expr, bool) {
	const deepest = 20
	texts, ok := sc.names(n, 1, 1)
	if !ok {
		return nil, false
	}
	if sc.depth >= deepest {
		sc.b.add(diag.FlowType, n.Pos(), "write the expression itself", "%s: expr: found an expression that holds itself", sc.where)
		return nil, false
	}
	inner := *sc
	inner.depth++
	return inner.foreign("expression of "+sc.where, texts[0])
}

// foreign binds an expression that stands in a text of its own.
func (sc *scope) foreign(name, source string) (plan.Expr, bool) {
	f := syntax.NewFile(name, source)
	x, err := syntax.ParseExpr(f)
	if err != nil {
		sc.b.problems.Merge(err)
		return nil, false
	}
	script := sc.b.file
	sc.b.file = f
	defer func() { sc.b.file = script }()
	return sc.expr(x)
}

// several binds the functions that stand for many columns, as arguments or items; done is
// false for any other expression. A column that is missing makes all of them one null.
func (sc *scope) several(x syntax.Expr) (list []plan.Expr, ok, done bool) {
	n, isCall := x.(*syntax.Call)
	if !isCall || n.Cache.Text != "" {
		return nil, false, false
	}
	switch n.Name.Text {
	case "columns", "originColumns":
		texts, ok := sc.names(n, 0, 1)
		if !ok {
			return nil, false, true
		}
		for _, c := range sc.all(append(texts, "")[0], n.Name.Text == "originColumns") {
			list = append(list, plan.Ref{Input: c.input, ID: c.column.ID, Of: c.column.Type})
		}
		return list, true, true
	case "byNames", "byOrigins":
		list, ok = sc.byNames(n)
		return list, ok, true
	}
	return nil, false, false
}

func (sc *scope) byNames(n *syntax.Call) ([]plan.Expr, bool) {
	if len(n.Args) < 1 || len(n.Args) > 2 {
		sc.b.add(diag.FlowType, n.Pos(), "as in: md5(byNames(['a', 'b']))", "%s: %s: found %d arguments, want an array of names and perhaps a stream", sc.where, n.Name.Text, len(n.Args))
		return nil, false
	}
	e, ok := sc.expr(n.Args[0])
	if !ok {
		return nil, false
	}
	v, _ := constant.Of(e)
	names, ok := v.([]any)
	if !ok {
		sc.b.add(diag.FlowType, n.Args[0].Pos(), "write an array of texts, or a parameter of type string[]", "%s: %s: found %s, want names (DF-Executor-StringValueNotInQuotes)", sc.where, n.Name.Text, e.Type())
		return nil, false
	}
	stream, ok := sc.names(&syntax.Call{Name: n.Name, Args: n.Args[1:]}, 0, 1)
	if !ok {
		return nil, false
	}
	var out []plan.Expr
	for _, name := range names {
		s, _ := name.(string)
		ref, ok := sc.lookup(s, append(stream, "")[0], n.Name.Text == "byOrigins")
		if !ok {
			return []plan.Expr{plan.Literal{Of: schema.Unknown}}, true
		}
		out = append(out, ref)
	}
	return out, true
}
