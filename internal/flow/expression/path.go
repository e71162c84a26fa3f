package expression

import (
	"strconv"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// byPath binds byPath and hasPath: a.b[1].c or a["key"].
func (sc *Scope) byPath(n *syntax.Call) (plan.Expr, bool) {
	texts, ok := sc.names(n, 1, 2)
	if !ok {
		return nil, false
	}
	steps, ok := pathSteps(texts[0])
	if !ok {
		sc.Script.Add(diag.FlowType, n.Args[0].Pos(), `as in: byPath('orders.items[1].price')`, "%s: %s: found %s, want names between dots, with [1] or [\"key\"] behind them", sc.Where, n.Name.Text, diag.Quote(texts[0]))
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
func (sc *Scope) part(at syntax.Pos, of plan.Expr, s pathStep) (plan.Expr, bool) {
	_, isArray := of.Type().(schema.Array)
	m, isMap := of.Type().(schema.Map)
	switch {
	case s.at > 0 && isArray:
		return sc.item(at, of, plan.Literal{Value: s.at, Of: schema.Integer})
	case s.at > 0:
		return nil, false
	case isMap && m.Key == schema.String:
		return sc.item(at, of, Text(s.name))
	}
	return field(of, s.name)
}

// item is an item of an array, or the value of a key.
func (sc *Scope) item(at syntax.Pos, of, which plan.Expr) (plan.Expr, bool) {
	return sc.Apply(at, sc.Script.Table.Operator("[]").Name, []plan.Expr{of, which})
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
func (sc *Scope) byItem(n *syntax.Call) (plan.Expr, bool) {
	if len(n.Args) != 2 {
		sc.Script.Add(diag.FlowType, n.Pos(), "as in: byItem(byName('address'), 'city')", "%s: byItem: found %d arguments, want a struct and a name", sc.Where, len(n.Args))
		return nil, false
	}
	of, ok := sc.Expr(n.Args[0])
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
