package function

import (
	"fmt"
	"strings"

	"landfall/internal/schema"
	"landfall/internal/sparksql/function/typed"
)

// Kind says where a function may stand and how many rows it sees and makes.
type Kind int

const (
	// Scalar makes a value of the values of one row.
	Scalar Kind = iota
	// Aggregate makes a value of the rows of a group, or with OVER of a window.
	Aggregate
	// Window stands with OVER alone.
	Window
	// Generator makes rows.
	Generator
)

// String is the kind as a word.
func (k Kind) String() string {
	return []string{"scalar", "aggregate", "window", "generator"}[k]
}

// Call is a call of a function as a query has it.
type Call struct {
	Args []typed.Argument
	// Star is count(*), Distinct an aggregate of values that differ.
	Star, Distinct bool
	// Filter is DuckDB's condition of FILTER (WHERE …), "" for none.
	Filter string
	// Order is DuckDB's text behind WITHIN GROUP (ORDER BY …), "" for none.
	Order string
	// IgnoreNulls is IGNORE NULLS.
	IgnoreNulls bool
	// Over is " OVER (…)", "" for none.
	Over string
	// Now is DuckDB's literal, a TIMESTAMP WITH TIME ZONE, of the run's time.
	Now string
}

// Result is text of DuckDB that may stand wherever an operand may, and Spark's
// type of it. Of a generator it is a list of structs, one a row that the
// generator makes; their fields are the columns.
type Result struct {
	SQL  string
	Type schema.Type
}

// Example is an expression with its value, as Spark casts it to a text; null
// is NULL, and an expression that fails has the value error. Bytes are written
// as hexadecimal digits.
type Example struct {
	Expr, Value string
	// Rows is a relation that the expression is computed from, as Spark reads
	// it, if it sees more rows than one; then the values of all rows stand one
	// after another.
	Rows string
}

// entry is a function of the table.
type entry struct {
	// names begin with the proper one.
	names    []string
	family   string
	kind     Kind
	does     string
	forms    []form
	refused  string
	random   bool
	examples []Example
}

// form is a way to call a function.
type form struct {
	// takes are patterns of the arguments, gives that of the result.
	takes, gives string
	// typ is the result's type where gives is "".
	typ func(types []schema.Type) schema.Type
	// sql is a template, see template.go.
	sql string
	// write is instead of a template.
	write func(w *writing) (string, error)
	// cast says that DuckDB's result has another type than ours.
	cast bool
}

// Function is a function of Spark.
type Function struct {
	entry
	asked string
}

// Name is the function's proper name; others are aliases.
func (f *Function) Name() string { return f.names[0] }

// Names are all names of the function.
func (f *Function) Names() []string { return f.names }

// Family is the group of functions that it belongs to in the manual.
func (f *Function) Family() string { return f.family }

// Kind says what kind of function it is.
func (f *Function) Kind() Kind { return f.kind }

// Does says what it means, in a sentence without an end.
func (f *Function) Does() string { return f.does }

// Examples are expressions that were executed on both engines.
func (f *Function) Examples() []Example { return f.examples }

// Refused is why the function cannot be computed as Spark does, "" if it can.
func (f *Function) Refused() string { return f.refused }

// Random reports whether two calls with the same arguments may differ.
func (f *Function) Random() bool { return f.random }

// Forms are the ways to call it, for people.
func (f *Function) Forms() []string {
	out := make([]string, 0, len(f.forms))
	for _, form := range f.forms {
		ps := params(form.takes)
		parts := make([]string, len(ps))
		for i, p := range ps {
			parts[i] = p.String()
		}
		out = append(out, f.Name()+"("+strings.Join(parts, ", ")+")")
	}
	return out
}

// Lambda is the types of the parameters of a lambda in place i, with the types
// of the arguments that are no lambdas; false if there is none in that place. A
// lambda may have fewer parameters, if there is a form for it.
func (f *Function) Lambda(i int, before []schema.Type) ([]schema.Type, bool) {
	var out []schema.Type
	for _, form := range f.forms {
		ps := params(form.takes)
		if i >= len(ps) || ps[i].name != "lambda" || len(ps[i].parts)-1 <= len(out) {
			continue
		}
		b := binding{}
		at := 0
		for _, p := range ps {
			if p.name != "lambda" && at < len(before) {
				b.collect(p, before[at], true)
				at++
			}
		}
		parts := ps[i].parts
		out = make([]schema.Type, len(parts)-1)
		for k := range out {
			out[k] = b.typeOf(parts[k], nil)
		}
	}
	return out, out != nil
}

// Write is the call as text of DuckDB. The error is a *Misuse.
func (f *Function) Write(c Call) (Result, error) {
	if f.refused != "" {
		return Result{}, &typed.Misuse{Function: f.asked, Argument: -1, Found: "a function that is not computed here", Want: "another", Hint: f.refused}
	}
	if err := f.proper(c); err != nil {
		return Result{}, err
	}
	for _, coerce := range []bool{false, true} {
		for _, form := range f.forms {
			if w, ok := f.fit(form, c, coerce); ok {
				return w.result()
			}
		}
	}
	return Result{}, f.misuse(c)
}

// proper checks what belongs to a kind.
func (f *Function) proper(c Call) error {
	wrong := func(found, want string) error {
		return &typed.Misuse{Function: f.asked, Argument: -1, Found: found, Want: want}
	}
	aggregate := f.kind == Aggregate
	switch {
	case c.Star && f.Name() != "count":
		return wrong("*", "arguments")
	case !c.Star && len(c.Args) == 0 && f.Name() == "count":
		return wrong("no argument", "* or something to count")
	case c.Distinct && !aggregate:
		return wrong("DISTINCT", "an aggregate function with it")
	case c.Filter != "" && !aggregate:
		return wrong("FILTER", "an aggregate function with it")
	case c.Over != "" && !aggregate && f.kind != Window:
		return wrong("OVER", "an aggregate or window function with it")
	case c.Over == "" && f.kind == Window:
		return wrong("no window", "OVER (…) behind the call")
	case c.Distinct && c.Over != "":
		return wrong("DISTINCT with OVER", "one of them")
	}
	return nil
}

// fit is a call in a form, if the form takes its arguments.
func (f *Function) fit(form form, c Call, coerce bool) (*writing, bool) {
	ps, ok := spread(params(form.takes), len(c.Args))
	if !ok {
		return nil, false
	}
	b := binding{}
	for _, lambdas := range []bool{false, true} {
		for i, p := range ps {
			if (p.name == "lambda") != (c.Args[i].Params != nil) {
				return nil, false
			}
			if (p.name == "lambda") == lambdas && !b.argument(p, c.Args[i], coerce) {
				return nil, false
			}
		}
	}
	return &writing{name: f.asked, kind: f.kind, form: form, call: c, params: ps, bind: b}, true
}

func (b binding) argument(p pattern, a typed.Argument, coerce bool) bool {
	if p.name != "lambda" {
		return b.collect(p, a.Type, coerce)
	}
	last := len(p.parts) - 1
	return len(a.Params) == last && b.collect(p.parts[last], a.Type, true)
}

// misuse says which argument no form takes.
func (f *Function) misuse(c Call) error {
	m := &typed.Misuse{Function: f.asked, Argument: -1, Found: fmt.Sprintf("%d arguments", len(c.Args)), Want: counts(f.forms)}
	for _, form := range f.forms {
		ps, ok := spread(params(form.takes), len(c.Args))
		if !ok {
			continue
		}
		b := binding{}
		for i, p := range ps {
			a := c.Args[i]
			switch {
			case (p.name == "lambda") != (a.Params != nil):
				return &typed.Misuse{Function: f.asked, Argument: i, Found: lambdaOr(a), Want: p.String()}
			case !b.argument(p, a, true):
				m = &typed.Misuse{Function: f.asked, Argument: i, Found: lambdaOr(a), Want: p.String(), Hint: "cast it"}
				if a.Params != nil {
					m.Hint = ""
				}
			default:
				continue
			}
			break
		}
	}
	return m
}

func lambdaOr(a typed.Argument) string {
	if a.Params != nil {
		return fmt.Sprintf("a lambda of %d parameters", len(a.Params))
	}
	return a.Type.String()
}
