package expression

import (
	"fmt"
	"slices"

	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// Boolean binds a condition.
func (sc *Scope) Boolean(x syntax.Expr) (plan.Expr, bool) {
	e, ok := sc.Expr(x)
	if ok && e.Type() == schema.Unknown {
		return plan.To(e, schema.Boolean), true
	}
	hint := "compare it with a value"
	if sc.Naming {
		hint = "compare name, type, stream, origin or position, as in: startsWith(name, 'x') && type == 'string'"
	}
	if ok && !plan.Same(e.Type(), schema.Boolean) {
		sc.Script.Add(diag.FlowType, x.Pos(), hint, "%s: found %s, want a condition", sc.Where, e.Type())
		return nil, false
	}
	return e, ok
}

// TypeOf is a type of a script.
func TypeOf(t *syntax.Type) (schema.Type, bool) {
	var out schema.Type
	ok := true
	switch {
	case t == nil:
		return nil, false
	case t.Key != nil && t.Value != nil:
		key, kok := TypeOf(t.Key)
		value, vok := TypeOf(t.Value)
		out, ok = schema.Map{Key: key, Value: value, ValueContainsNull: true}, kok && vok
	case t.Base == "":
		var s schema.Struct
		for _, f := range t.Fields {
			inner, fok := TypeOf(f.Type)
			s.Fields = append(s.Fields, schema.Field{Name: f.Name.Text, Type: inner, Nullable: true})
			ok = ok && fok && f.Name.Text != ""
		}
		out = s
	case t.Base == "decimal":
		out, ok = decimalOf(t.Params)
	default:
		words := []string{"boolean", "byte", "short", "integer", "long", "float", "double", "string", "date", "timestamp", "binary"}
		types := []schema.Type{schema.Boolean, schema.Byte, schema.Short, schema.Integer, schema.Long, schema.Float, schema.Double, schema.String, schema.Date, schema.Timestamp, schema.Binary}
		i := slices.Index(words, t.Base)
		if i < 0 {
			return nil, false
		}
		out = types[i]
	}
	for range t.Dims {
		out = schema.Array{Element: out, ContainsNull: true}
	}
	return out, ok
}

// decimalOf is a decimal; without digits it has those of the service's own default.
func decimalOf(params []string) (schema.Type, bool) {
	d := schema.Decimal{Precision: 10}
	if len(params) > 0 {
		if _, err := fmt.Sscan(params[0], &d.Precision); err != nil {
			return nil, false
		}
	}
	if len(params) > 1 {
		if _, err := fmt.Sscan(params[1], &d.Scale); err != nil {
			return nil, false
		}
	}
	return d, d.Precision >= 1 && d.Precision <= plan.MaxDigits && d.Scale >= 0 && d.Scale <= d.Precision && len(params) <= 2
}
