package plan

import (
	"slices"

	"landfall/internal/schema"
)

// Expr is an expression: one of the types of this file. It is a value; nothing
// changes one that was made.
type Expr interface {
	// Type is the type of its values.
	Type() schema.Type
}

// Function is a function of the table that a flow calls by name.
type Function interface {
	// Name is how a flow spells it.
	Name() string
	// SQL writes a call of it for an engine ("duckdb", "spark") with the texts
	// of its arguments, each an expression that can stand anywhere.
	SQL(engine string, args []string) (string, error)
}

// Windowed is a function of which a call over a window is more than the same
// text with an OVER clause behind it.
type Windowed interface {
	Function
	// Over writes the call of each aggregate in it over a window: the text that
	// stands behind OVER.
	Over(engine string, args []string, window string) (string, error)
}

// Literal is a constant. Value is nil for null, or a bool, an int64 of any
// integer, a float64, a string, a []byte, a time.Time in UTC of a date or
// timestamp, a string of the digits of a decimal ("-12.50"), or a []Literal of
// an array's items.
type Literal struct {
	Value any
	Of    schema.Type
}

// Ref is the value of a column of the step's input of a number, from 0.
type Ref struct {
	Input int
	ID    ID
	Of    schema.Type
}

// CallKind says what a function makes of rows.
type CallKind int

// Kinds of calls.
const (
	Scalar CallKind = iota
	Aggregating
	Windowing // has a meaning in Window alone: rowNumber, lag
)

// Call is a call of a function.
type Call struct {
	Fn   Function
	Kind CallKind
	Args []Expr
	Of   schema.Type
}

// Fold is an aggregate that the engines know by themselves, over the rows of a
// group or of a window. In an Aggregate, First, Last and Collect go by the
// order in which rows arrive.
type Fold struct {
	Kind FoldKind
	// Arg is nil for Count of rows.
	Arg Expr
	// Distinct takes each value once.
	Distinct bool
	// IgnoreNulls lets First and Last pass over nulls.
	IgnoreNulls bool
	// If leaves out rows for which it is not true; nil leaves out none.
	If Expr
	Of schema.Type
}

// FoldKind is an aggregate.
type FoldKind int

// Aggregates. Sum, Min, Max and Average of no values are null, Count is 0, and
// Collect, which leaves nulls out, an empty array.
const (
	Count FoldKind = iota
	Sum
	Average
	Min
	Max
	First
	Last
	Collect
)

// String is the word of the printed plan.
func (k FoldKind) String() string {
	switch k {
	case Sum:
		return "sum"
	case Average:
		return "avg"
	case Min:
		return "min"
	case Max:
		return "max"
	case First:
		return "first"
	case Last:
		return "last"
	case Collect:
		return "collect"
	}
	return "count"
}

// Operator is what an [Operation] does.
type Operator int

// Operators. All but those that ask for null give null when an operand is
// null; And and Or are Kleene's.
const (
	Add Operator = iota
	Subtract
	Multiply
	Divide    // of integers, a double; by zero, null
	IntDivide // cuts towards zero; by zero, null
	Modulo    // has the sign of the first; by zero, null
	Negate
	Equal
	NotEqual
	SameAs // equal, or both null
	Less
	LessEqual
	Greater
	GreaterEqual
	And
	Or
	Not
	IsNull
	Coalesce
	Concat
)

// String is the sign or word of the printed plan.
func (o Operator) String() string {
	words := [...]string{
		"+", "-", "*", "/", "div", "%", "-", "==", "!=", "<=>", "<", "<=", ">", ">=",
		"&&", "||", "!", "isNull", "coalesce", "concat",
	}
	if o < 0 || int(o) >= len(words) {
		return "?"
	}
	return words[o]
}

// Operation applies an operator; see [Operate].
type Operation struct {
	Op   Operator
	Args []Expr
	Of   schema.Type
}

// When is one branch of a [Case].
type When struct {
	If, Then Expr
}

// Case is the value of the first branch whose condition is true; else that of
// Else, or null where it is nil.
type Case struct {
	Whens []When
	Else  Expr
	Of    schema.Type
}

// Convert is Spark's cast in its lenient form: what cannot be converted is
// null.
type Convert struct {
	From Expr
	To   schema.Type
}

// Member is a field of a struct; of an array of structs, that of each item.
type Member struct {
	From Expr
	Name string
	Of   schema.Type
}

// Object makes a struct.
type Object struct {
	Names  []string
	Values []Expr
}

// Items makes an array.
type Items struct {
	Values []Expr
	Of     schema.Type
}

// Lambda is a function of one or more values, as an argument of a [Call].
type Lambda struct {
	Params []string
	Body   Expr
}

// Local is a parameter of the lambda around it, or an item of [Flatten].
type Local struct {
	Name string
	Of   schema.Type
}

// Cached looks rows up in another step, which the step does not depend on
// otherwise. Its value is a struct of that step's visible columns, from the
// first row whose columns On equal Keys; null without one. Without On it is
// the first row.
type Cached struct {
	Step string
	On   []ID
	Keys []Expr
	// All makes it an array of all such rows.
	All bool
	Of  schema.Type
}

// Type of a literal is the one it was given.
func (e Literal) Type() schema.Type { return e.Of }

// Type of a column.
func (e Ref) Type() schema.Type { return e.Of }

// Type of what the function returns.
func (e Call) Type() schema.Type { return e.Of }

// Type of what the aggregate returns.
func (e Fold) Type() schema.Type { return e.Of }

// Type of what the operator returns.
func (e Operation) Type() schema.Type { return e.Of }

// Type of all branches.
func (e Case) Type() schema.Type { return e.Of }

// Type that it converts to.
func (e Convert) Type() schema.Type { return e.To }

// Type of the field.
func (e Member) Type() schema.Type { return e.Of }

// Type is a struct of the values.
func (e Object) Type() schema.Type {
	var s schema.Struct
	for i, v := range e.Values {
		s.Fields = append(s.Fields, schema.Field{Name: e.Names[i], Type: v.Type(), Nullable: true})
	}
	return s
}

// Type of the array.
func (e Items) Type() schema.Type { return e.Of }

// Type of what the body returns.
func (e Lambda) Type() schema.Type { return e.Body.Type() }

// Type of the parameter.
func (e Local) Type() schema.Type { return e.Of }

// Type of the row, or an array of it.
func (e Cached) Type() schema.Type { return e.Of }

// Parts returns the expressions that an expression is made of.
func Parts(e Expr) []Expr {
	switch e := e.(type) {
	case Call:
		return e.Args
	case Fold:
		return some(e.Arg, e.If)
	case Operation:
		return e.Args
	case Case:
		var parts []Expr
		for _, w := range e.Whens {
			parts = append(parts, w.If, w.Then)
		}
		return append(parts, some(e.Else)...)
	case Convert:
		return []Expr{e.From}
	case Member:
		return []Expr{e.From}
	case Object:
		return e.Values
	case Items:
		return e.Values
	case Lambda:
		return []Expr{e.Body}
	case Cached:
		return e.Keys
	}
	return nil
}

// Walk calls visit with an expression and all that it is made of, outer ones
// first; the parts of one for which visit returns false are passed over.
func Walk(e Expr, visit func(Expr) bool) {
	if e == nil || !visit(e) {
		return
	}
	for _, part := range Parts(e) {
		Walk(part, visit)
	}
}

// some leaves out the expressions that are nil.
func some(exprs ...Expr) []Expr {
	var out []Expr
	for _, e := range exprs {
		if e != nil {
			out = append(out, e)
		}
	}
	return out
}

// Exprs returns the expressions of an op.
func Exprs(op Op) []Expr {
	switch op := op.(type) {
	case Sink:
		return values(op.Take)
	case Select:
		return values(op.Take)
	case Derive:
		return values(op.Set)
	case Filter:
		return []Expr{op.Keep}
	case Aggregate:
		return append(values(op.Group), values(op.Values)...)
	case Join:
		return some(op.On)
	case Lookup:
		return append(some(op.On), keys(op.Order)...)
	case Exists:
		return some(op.On)
	case Split:
		return op.Conditions
	case Window:
		return slices.Concat(op.Over, keys(op.Order), values(op.Set))
	case Rank:
		return keys(op.Order)
	case Sort:
		return keys(op.By)
	case Pivot:
		return append(append(values(op.Group), op.Key), op.Aggregates...)
	}
	return exprsOfRows(op)
}

// exprsOfRows is Exprs of the ops that mark or multiply rows.
func exprsOfRows(op Op) []Expr {
	var out []Expr
	switch op := op.(type) {
	case Source:
		for _, p := range op.Parse {
			out = append(out, p.By)
		}
	case Assert:
		for _, r := range op.Rules {
			out = append(out, some(r.On, r.Filter, r.Message)...)
		}
	case Cast:
		for _, c := range op.Columns {
			out = append(out, some(c.By)...)
		}
	case Flatten:
		for _, u := range op.Unroll {
			out = append(out, u.Of)
		}
		out = append(out, values(op.Take)...)
	}
	return out
}

func values(assignments []Assignment) []Expr {
	out := make([]Expr, len(assignments))
	for i, a := range assignments {
		out[i] = a.Value
	}
	return out
}

func keys(orders []Order) []Expr {
	out := make([]Expr, len(orders))
	for i, o := range orders {
		out[i] = o.By
	}
	return out
}
