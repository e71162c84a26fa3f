package expression

import (
	"errors"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/plan/function"
)

// called is a function of the table as plans call it.
type called struct {
	call function.Call
	// lambdas are the arguments whose text is a lambda, of which the table wants the body.
	lambdas map[int]bool
}

// Name is how a script spells it.
func (c called) Name() string { return c.call.Function.Name }

// SQL writes a call of it.
func (c called) SQL(engine string, args []string) (string, error) {
	return c.call.SQL(engine, c.bodies(args))
}

// Over writes a call of it over a window.
func (c called) Over(engine string, args []string, window string) (string, error) {
	return c.call.Over(engine, c.bodies(args), window)
}

func (c called) bodies(args []string) []string {
	out := slices.Clone(args)
	for i := range out {
		if _, body, ok := strings.Cut(out[i], ": "); ok && c.lambdas[i] {
			out[i] = body
		}
	}
	return out
}

// Apply calls a function with arguments that are bound.
func (sc *Scope) Apply(at syntax.Pos, name string, args []plan.Expr) (plan.Expr, bool) {
	return sc.applied(at, nil, name, args)
}

// applied is Apply of arguments of which the places are known.
func (sc *Scope) applied(at syntax.Pos, places []syntax.Pos, name string, args []plan.Expr) (plan.Expr, bool) {
	given := make([]function.Argument, len(args))
	for i, a := range args {
		given[i] = argument(a)
	}
	call, err := sc.Script.Table.Resolve(name, given)
	if err != nil {
		sc.fault(at, places, err)
		return nil, false
	}
	kind := plan.Scalar
	switch call.Function.Kind {
	case function.Aggregate:
		kind = plan.Aggregating
	case function.Window:
		kind = plan.Windowing
	}
	call.Nest = sc.nest
	if !sc.stands(at, places, call, kind, args) {
		return nil, false
	}
	fn := called{call, map[int]bool{}}
	out := slices.Clone(args)
	for i := range out {
		if _, fn.lambdas[i] = out[i].(plan.Lambda); !fn.lambdas[i] {
			out[i] = plan.To(out[i], call.Args[i])
		}
	}
	return plan.Call{Fn: fn, Kind: kind, Args: out, Of: call.Result}, true
}

// stands tells whether a call may stand where it does, and whether there is a text for it.
func (sc *Scope) stands(at syntax.Pos, places []syntax.Pos, call function.Call, kind plan.CallKind, args []plan.Expr) bool {
	name := call.Function.Name
	switch {
	case kind != plan.Scalar && !sc.Gathers:
		sc.Script.Add(diag.FlowType, at, "use it in an aggregate or a window", "%s: found %s, which is of several rows, want a value of one", sc.Where, name)
		return false
	case kind == plan.Windowing && !sc.Windows:
		sc.Script.Add(diag.FlowType, at, "use it in a window", "%s: found %s, which is of the rows of a window, want an aggregate", sc.Where, name)
		return false
	case kind != plan.Scalar && slices.ContainsFunc(args, gathers):
		sc.Script.Add(diag.FlowType, at, "make the inner one in a step of its own", "%s: found a function of several rows within %s, want a value of one row", sc.Where, name)
		return false
	}
	texts := slices.Repeat([]string{"x"}, len(args))
	var err error
	if kind != plan.Scalar && sc.Windows {
		_, err = call.Over(function.DuckDB, texts, "()")
	} else {
		_, err = call.SQL(function.DuckDB, texts)
	}
	if err != nil {
		sc.fault(at, places, err)
	}
	return err == nil
}

// gathers tells whether a function of several rows is in an expression.
func gathers(e plan.Expr) bool {
	found := false
	plan.Walk(e, func(e plan.Expr) bool {
		call, ok := e.(plan.Call)
		found = found || ok && call.Kind != plan.Scalar
		return !found
	})
	return found
}

// argument is what the table wants to know of a value.
func argument(e plan.Expr) function.Argument {
	a := function.Argument{Type: e.Type()}
	if l, ok := e.(plan.Literal); ok {
		switch l.Value.(type) {
		case int64, float64, string, bool:
			a.Literal = l.Value
		}
	}
	return a
}

// fault tells of a call that does not fit.
func (sc *Scope) fault(at syntax.Pos, places []syntax.Pos, err error) {
	var f *function.Fault
	if !errors.As(err, &f) {
		sc.Script.Problems.Merge(err)
		return
	}
	code, hint, tail := diag.FlowType, conversionTo(f.Want), ""
	if i := f.Argument - 1; i >= 0 && i < len(places) {
		at = places[i]
	}
	switch f.Reason {
	case function.WrongType:
		tail = " (DF-FN-002)"
	case function.NotKnown:
		code, hint = diag.FlowName, "casing counts; functions of a library of your own do not run here"
		if f.Want != "" {
			hint = "did you mean " + f.Want + "?"
		}
	case function.NotRun, function.NoTemplate:
		code, hint = diag.FlowRefused, "write it with other functions"
	case function.NoWindow:
		hint = "take an aggregate"
	case function.WrongCount:
		hint = "give it the arguments that it wants"
	}
	sc.Script.Add(code, at, hint, "%s: %v%s", sc.Where, err, tail)
}

// conversionTo is the hint how to make a value of a wanted type.
func conversionTo(want string) string {
	for _, c := range [][2]string{
		{"string", "toString(x)"},
		{"integ", "toInteger(x)"},
		{"decimal", "toDecimal(x, 18, 2)"},
		{"number", "toDouble(x)"},
		{"double", "toDouble(x)"},
		{"date", "toDate(x)"},
		{"timestamp", "toTimestamp(x)"},
		{"boolean", "toBoolean(x)"},
	} {
		if strings.Contains(want, c[0]) {
			return "convert the argument, as in: " + c[1]
		}
	}
	return "convert the argument, or take another function"
}
