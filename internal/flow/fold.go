package flow

import (
	"strings"

	"landfall/internal/plan"
)

// constantText is the text of an expression that only constants are in.
func constantText(e plan.Expr) (string, bool) {
	v, ok := fold(e)
	text, isText := v.(string)
	return text, ok && isText
}

// fold works out an expression of constants, as patterns need their conditions and names
// before the run: a bool, an int64 or a string, nil for null. ok is false for what it does
// not know.
func fold(e plan.Expr) (value any, ok bool) {
	switch e := e.(type) {
	case plan.Literal:
		return e.Value, true
	case plan.Convert:
		v, ok := fold(e.From)
		if e.To.String() != e.From.Type().String() && v != nil {
			return nil, false
		}
		return v, ok
	case plan.Call:
		args := make([]any, len(e.Args))
		for i, a := range e.Args {
			if args[i], ok = fold(a); !ok {
				return nil, false
			}
		}
		return apply(e.Fn.Name(), args)
	}
	return nil, false
}

// apply works out a function of constants.
func apply(name string, args []any) (any, bool) {
	switch name {
	case "true":
		return true, true
	case "false":
		return false, true
	case "and", "or", "not":
		return logic(name, args)
	}
	if texts, ok := all[string](args); ok {
		return applyTexts(name, texts)
	}
	if numbers, ok := all[int64](args); ok && len(numbers) == 2 {
		a, b := numbers[0], numbers[1]
		v, known := map[string]bool{"equals": a == b, "notEquals": a != b, "greater": a > b, "greaterOrEqual": a >= b, "lesser": a < b, "lesserOrEqual": a <= b}[name]
		return v, known
	}
	return nil, false
}

// all are arguments of one type.
func all[T any](args []any) ([]T, bool) {
	out := make([]T, 0, len(args))
	for _, a := range args {
		v, ok := a.(T)
		if !ok {
			return nil, false
		}
		out = append(out, v)
	}
	return out, len(out) > 0
}

func logic(name string, args []any) (any, bool) {
	list, ok := all[bool](args)
	if !ok {
		return nil, false
	}
	if name == "not" {
		return !list[0], true
	}
	out := name == "and"
	for _, v := range list {
		if name == "and" {
			out = out && v
		} else {
			out = out || v
		}
	}
	return out, true
}

// applyTexts works out a function of texts.
func applyTexts(name string, a []string) (any, bool) {
	switch {
	case len(a) == 2 && name == "equals":
		return a[0] == a[1], true
	case len(a) == 2 && name == "notEquals":
		return a[0] != a[1], true
	case len(a) == 2 && name == "equalsIgnoreCase":
		return strings.EqualFold(a[0], a[1]), true
	case len(a) == 2 && name == "startsWith":
		return strings.HasPrefix(a[0], a[1]), true
	case len(a) == 2 && name == "endsWith":
		return strings.HasSuffix(a[0], a[1]), true
	case name == "concat" || name == "add":
		return strings.Join(a, ""), true
	case len(a) == 3 && name == "replace":
		return strings.ReplaceAll(a[0], a[1], a[2]), true
	case len(a) == 2 && name == "replace":
		return strings.ReplaceAll(a[0], a[1], ""), true
	case len(a) == 1 && name == "lower":
		return strings.ToLower(a[0]), true
	case len(a) == 1 && name == "upper":
		return strings.ToUpper(a[0]), true
	case len(a) == 1 && name == "trim":
		return strings.Trim(a[0], " "), true
	case len(a) == 1 && name == "toString":
		return a[0], true
	}
	return nil, false
}
