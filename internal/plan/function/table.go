package function

import (
	"slices"

	"landfall/internal/diag"
	"landfall/internal/schema"
)

// Kind says where a function may stand.
type Kind string

// The kinds of functions.
const (
	// Scalar functions take the values of one row.
	Scalar Kind = "scalar"
	// Conversion functions make a value of one type of one of another. What
	// cannot be converted becomes null.
	Conversion Kind = "conversion"
	// Aggregate functions take the rows of a group or of a window.
	Aggregate Kind = "aggregate"
	// Window functions need the order of a window.
	Window Kind = "window"
	// Metafunctions speak of columns, and are gone once an expression is bound.
	Metafunction Kind = "metafunction"
	// Marker functions read what earlier steps said of a row.
	Marker Kind = "marker"
	// Sequence functions give each row a value of its own.
	Sequence Kind = "sequence"
	// Cached functions look into a cached sink.
	Cached Kind = "cached"
)

// Table holds all functions. It does not change, and is safe for concurrent use.
type Table struct {
	functions map[string]*Function
	operators map[string]*Function
	names     []string
}

// Function is an entry of the table. Nothing in it may be changed.
type Function struct {
	// Name as scripts write it; casing counts. The operators that no function
	// stands for go by their symbol.
	Name string
	Kind Kind
	// Does says in a sentence what the function means.
	Does string
	// Operators are the symbols that mean the same; "unary -" is the prefix.
	Operators []string
	// Forms are the overloads, in the order in which they are tried.
	Forms []Form
	// Examples have been executed on each engine that has a template.
	Examples []Example
	// Notes say what the documentation leaves open and what was chosen.
	Notes []string
	// Differs lists where Spark gives something else.
	Differs []Difference
	// Refused is why the function does not run, "" if it does.
	Refused string
	// Bound is who puts something else in its place before SQL is written, ""
	// if nobody needs to.
	Bound string
}

// Runs reports whether an engine computes the function itself.
func (f *Function) Runs() bool { return f.Refused == "" && f.Bound == "" }

// Example is an expression and the value it has, both as a script writes them.
type Example struct {
	Expr, Value string
	// Rows are the columns that the expression refers to; the rows of an
	// aggregate or, where Window is set, of a window in the order of the first.
	Rows   []Column
	Window bool
	// Documented examples are those of the service; others are our own.
	Documented bool
}

// Column is a column of the rows of an example.
type Column struct {
	Name string
	// Values as a script writes them, separated by commas.
	Values string
}

// Difference is an expression that Spark sees otherwise.
type Difference struct{ Expr, Ours, Spark string }

// Form is an overload.
type Form struct {
	// Text is the form as the table writes it: "(s string, n integral) string".
	Text   string
	params []param
	// group is the slice of params that may stand several times, from and to.
	group  [2]int
	tail   bool // the last parameter may be missing
	result term
	sql    map[Engine]string
}

// param is a parameter of a form.
type param struct {
	name    string
	term    term
	literal bool       // only a constant will do
	value   string     // and only this one
	binds   []variable // what a lambda sees
}

// variable is a name that a lambda sees.
type variable struct {
	name string
	term term
}

// Lookup returns the function of a name, nil if there is none.
func (t *Table) Lookup(name string) *Function { return t.functions[name] }

// Operator returns the function that an operator stands for, nil if there is
// none: "+", "&&", "[]"; with the prefix "unary " where it has one operand.
func (t *Table) Operator(symbol string) *Function { return t.operators[symbol] }

// Names lists all functions in the order of the table.
func (t *Table) Names() []string { return slices.Clone(t.names) }

// Nearest returns the name that a misspelt one most likely means, "" if none is
// near.
func (t *Table) Nearest(name string) string { return diag.Nearest(name, t.names) }

// Variable is a name that a lambda sees, as in #item.
type Variable struct {
	Name string
	Type schema.Type
}
