// Package constant works out expressions that no row decides, as patterns need their
// conditions and names before a run.
//
// It knows the functions of the table that people name columns with. What it does not know
// it says so of; it never guesses.
package constant

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"landfall/internal/plan"
	"landfall/internal/plan/function/kernel"
)

// Text is the text of an expression that only constants are in; false also of null.
func Text(e plan.Expr) (string, bool) {
	v, ok := Of(e)
	text, isText := v.(string)
	return text, ok && isText
}

// Of is the value of an expression: a bool, an int64, a float64, a string, a []any of an
// array, or nil for null. ok is false for what is not known.
func Of(e plan.Expr) (v any, ok bool) {
	switch e := e.(type) {
	case plan.Literal:
		switch v := e.Value.(type) {
		case nil, bool, int64, float64, string:
			return v, true
		}
		return nil, false
	case plan.Convert:
		v, ok := Of(e.From)
		if v != nil && !plan.Same(e.To, e.From.Type()) && (!plan.Integral(e.To) || !plan.Integral(e.From.Type())) {
			return nil, false
		}
		return v, ok
	case plan.Items:
		list := make([]any, len(e.Values))
		for i, x := range e.Values {
			if list[i], ok = Of(x); !ok {
				return nil, false
			}
		}
		return list, true
	case plan.Call:
		return call(e)
	}
	return nil, false
}

func call(e plan.Call) (any, bool) {
	args := make([]any, len(e.Args))
	for i, a := range e.Args {
		var ok bool
		if args[i], ok = Of(a); !ok {
			return nil, false
		}
	}
	if v, ok := ofNulls(e.Fn.Name(), args); ok {
		return v, true
	}
	if slices.Contains(args, nil) {
		return nil, strict(e.Fn.Name())
	}
	return apply(e.Fn.Name(), args)
}

// ofNulls works out the functions that make more of null than null.
func ofNulls(name string, args []any) (any, bool) {
	switch name {
	case "and", "or":
		return logic(name == "and", args)
	case "isNull":
		return args[0] == nil, true
	case "coalesce":
		for _, a := range args {
			if a != nil {
				return a, true
			}
		}
		return nil, true
	case "iif":
		switch {
		case args[0] == true:
			return args[1], true
		case len(args) > 2:
			return args[2], true
		}
		return nil, true
	case "case":
		for len(args) > 1 {
			if args[0] == true {
				return args[1], true
			}
			args = args[2:]
		}
		if len(args) == 1 {
			return args[0], true
		}
		return nil, true
	}
	return nil, false
}

// strict tells of a function whose result is null where an argument is.
func strict(name string) bool {
	switch name {
	case "equals", "notEquals", "equalsIgnoreCase", "greater", "greaterOrEqual", "lesser", "lesserOrEqual", "not", "negate", "add", "minus",
		"concat", "lower", "upper", "trim", "ltrim", "rtrim", "toString", "length", "startsWith", "endsWith", "instr",
		"regexMatch", "rlike", "replace", "regexReplace", "left", "right", "substring", "split", "toInteger", "toLong", "toBoolean":
		return true
	}
	return false
}

// logic is what Kleene makes of conditions: the one that decides, else null if there is
// one.
func logic(and bool, args []any) (any, bool) {
	out := any(and)
	for _, a := range args {
		switch {
		case a == any(!and):
			return !and, true
		case a == nil:
			out = nil
		}
	}
	return out, true
}

// apply works out a function of values of which none is null.
func apply(name string, args []any) (any, bool) {
	if v, ok := compared(name, args); ok {
		return v, true
	}
	if texts, ok := all[string](args); ok {
		return ofTexts(name, texts)
	}
	if numbers, ok := all[int64](args); ok {
		return ofNumbers(name, numbers)
	}
	if name == "not" && len(args) == 1 {
		v, ok := args[0].(bool)
		return !v, ok
	}
	if list, ok := args[0].([]any); ok && name == "in" && !slices.Contains(list, nil) {
		return slices.Contains(list, args[1]), true
	}
	if text, ok := args[0].(string); ok {
		if numbers, ok := all[int64](args[1:]); ok {
			return cut(name, []rune(text), numbers)
		}
	}
	return nil, false
}

// compared works out comparisons of two values of one kind.
func compared(name string, args []any) (v, ok bool) {
	if len(args) != 2 {
		return false, false
	}
	switch args[0].(type) {
	case string, int64, bool:
	default:
		return false, false
	}
	switch name {
	case "equals", "===":
		return args[0] == args[1], true
	case "notEquals":
		return args[0] != args[1], true
	}
	return false, false
}

func all[T any](args []any) ([]T, bool) {
	out := make([]T, 0, len(args))
	for _, a := range args {
		v, ok := a.(T)
		if !ok {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

func ofNumbers(name string, n []int64) (any, bool) {
	if len(n) == 1 {
		switch name {
		case "negate":
			return -n[0], true
		case "toString":
			return strconv.FormatInt(n[0], 10), true
		case "toLong":
			return n[0], true
		case "toInteger":
			return n[0], int64(int32(n[0])) == n[0]
		}
	}
	if len(n) != 2 {
		return nil, false
	}
	switch name {
	case "add":
		return n[0] + n[1], true
	case "minus":
		return n[0] - n[1], true
	case "greater":
		return n[0] > n[1], true
	case "greaterOrEqual":
		return n[0] >= n[1], true
	case "lesser":
		return n[0] < n[1], true
	case "lesserOrEqual":
		return n[0] <= n[1], true
	}
	return nil, false
}

// cut works out functions of a text and numbers.
func cut(name string, text []rune, n []int64) (any, bool) {
	size := int64(len(text))
	within := func(v int64) int64 { return min(max(v, 0), size) }
	switch {
	case name == "left" && len(n) == 1:
		return string(text[:within(n[0])]), true
	case name == "right" && len(n) == 1:
		return string(text[size-within(n[0]):]), true
	case name == "substring" && len(n) > 0 && n[0] > 0:
		from, to := within(n[0]-1), size
		if len(n) == 2 {
			to = within(n[0] - 1 + min(max(n[1], 0), size))
		}
		return string(text[from:to]), true
	}
	return nil, false
}

// ofTexts works out a function of texts.
func ofTexts(name string, a []string) (any, bool) {
	if name == "concat" || name == "add" {
		return strings.Join(a, ""), true
	}
	switch len(a) {
	case 1:
		return ofText(name, a[0])
	case 2:
		return ofTwo(name, a[0], a[1])
	case 3:
		switch name {
		case "replace":
			return replace(a[0], a[1], a[2]), true
		case "regexReplace":
			return regexReplace(a[0], a[1], a[2])
		}
	}
	return nil, false
}

func ofText(name, a string) (any, bool) {
	switch name {
	case "lower":
		return strings.ToLower(a), true
	case "upper":
		return strings.ToUpper(a), true
	case "trim":
		return strings.Trim(a, " "), true
	case "ltrim":
		return strings.TrimLeft(a, " "), true
	case "rtrim":
		return strings.TrimRight(a, " "), true
	case "toString":
		return a, true
	case "length":
		return int64(len([]rune(a))), true
	case "toInteger":
		n, err := strconv.ParseInt(a, 10, 32)
		return n, err == nil
	case "toLong":
		n, err := strconv.ParseInt(a, 10, 64)
		return n, err == nil
	case "toBoolean":
		return a == "true", a == "true" || a == "false"
	}
	return nil, false
}

func ofTwo(name, a, b string) (any, bool) {
	switch name {
	case "equalsIgnoreCase":
		small, other := strings.ToLower(a), strings.ToLower(b)
		return small == other, true
	case "startsWith":
		return strings.HasPrefix(a, b), true
	case "endsWith":
		return strings.HasSuffix(a, b), true
	case "replace":
		return replace(a, b, ""), true
	case "split":
		return parts(a, b)
	case "trim":
		return strings.Trim(a, b), true
	case "instr":
		at := strings.Index(a, b)
		return int64(len([]rune(a[:max(at, 0)])) + min(at+1, 1)), true
	case "regexMatch", "rlike":
		re, ok := expression(b)
		return ok && re.MatchString(a), ok
	}
	return nil, false
}

// parts cuts a text at a delimiter; what an empty one does is the engine's.
func parts(text, delimiter string) (any, bool) {
	if delimiter == "" {
		return nil, false
	}
	var out []any
	for _, part := range strings.Split(text, delimiter) {
		out = append(out, part)
	}
	return out, true
}

func replace(text, find, with string) string {
	if find == "" {
		return text
	}
	return strings.ReplaceAll(text, find, with)
}

// expression is a regular expression of Java.
func expression(java string) (*regexp.Regexp, bool) {
	text, err := kernel.Regex(java)
	if err != nil {
		return nil, false
	}
	re, err := regexp.Compile(text)
	return re, err == nil
}

// regexReplace leaves to the engine what a replacement takes of groups.
func regexReplace(text, java, with string) (any, bool) {
	re, ok := expression(java)
	if !ok || strings.ContainsAny(with, `$\`) {
		return nil, false
	}
	return re.ReplaceAllLiteralString(text, with), true
}
