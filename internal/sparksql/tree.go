package sparksql

import "landfall/internal/schema"

// Ident is a name as it is written, without backticks.
type Ident struct {
	Range
	Name string
}

// Query is a SELECT with all that belongs to it.
type Query struct {
	Range
	With  []CTE
	Body  Body
	Order []Order
	// Limit and Offset are nil for none.
	Limit, Offset Expr
}

// CTE is a query with a name, for the query behind it.
type CTE struct {
	Name    Ident
	Columns []Ident
	Query   *Query
}

// Body is a [*Select], a [*Set], [*Values], or a [*Query] in parentheses.
type Body interface{ Span() Range }

// Set is UNION, INTERSECT or EXCEPT of two bodies.
type Set struct {
	Range
	Op          string
	All, ByName bool
	Left, Right Body
}

// Values are rows that are written out.
type Values struct {
	Range
	Rows [][]Expr
}

// Select is one SELECT.
type Select struct {
	Range
	Distinct bool
	Items    []Item
	// From is nil for none; relations between commas are joined.
	From    Relation
	Where   Expr
	Group   *Group
	Having  Expr
	Qualify Expr
	Windows []NamedWindow
}

// Item is a column of a result.
type Item struct {
	Range
	Expr Expr
	// Alias has no name if none is given; generators may have several in Aliases.
	Alias   Ident
	Aliases []Ident
}

// Group is what GROUP BY says.
type Group struct {
	Range
	All   bool
	Items []Expr
	// Kind is "", ROLLUP, CUBE, or GROUPING SETS, of which Sets are the sets.
	Kind string
	Sets [][]Expr
}

// Order is an item of ORDER BY.
type Order struct {
	Expr Expr
	Desc bool
	// Nulls is "", FIRST or LAST.
	Nulls string
}

// NamedWindow is an entry of the WINDOW clause.
type NamedWindow struct {
	Name   Ident
	Window *Window
}

// Window is what OVER says. Name refers to one of the WINDOW clause.
type Window struct {
	Range
	Name      Ident
	Partition []Expr
	Order     []Order
	// Frame is nil for none.
	Frame *Frame
}

// Frame is ROWS or RANGE of a window.
type Frame struct {
	Unit       string
	Start, End Bound
}

// Bound is an end of a frame: UNBOUNDED PRECEDING, 3 FOLLOWING, CURRENT ROW. By is nil
// but for a distance.
type Bound struct {
	What string
	By   Expr
}

// Relation is a [*Table], [*TableCall], [*Derived], [*Join] or [*Lateral].
type Relation interface{ Span() Range }

// Alias is the name of a relation, and those of its columns.
type Alias struct {
	Name    Ident
	Columns []Ident
}

// Table is a table by its name. Stream says that it is read incrementally.
type Table struct {
	Range
	Name []Ident
	// Named is the expression of IDENTIFIER(…), in the place of Name.
	Named     Expr
	Stream    bool
	Watermark *Watermark
	Alias     Alias
}

// Watermark is how late events may come.
type Watermark struct {
	Range
	Expr  Expr
	Delay Expr
	Alias Ident
}

// TableCall is a function that is a relation: read_files(…).
type TableCall struct {
	Range
	Name      Ident
	Args      []Arg
	Stream    bool
	Watermark *Watermark
	Alias     Alias
}

// Derived is a query in parentheses, or rows that are written out.
type Derived struct {
	Range
	Query   *Query
	Lateral bool
	Alias   Alias
}

// Join joins two relations. Kind is INNER, LEFT, RIGHT, FULL, CROSS, SEMI or ANTI.
type Join struct {
	Range
	Kind        string
	Natural     bool
	Left, Right Relation
	On          Expr
	Using       []Ident
}

// Lateral is LATERAL VIEW: rows of a generator beside those of a relation.
type Lateral struct {
	Range
	Left    Relation
	Outer   bool
	Call    *Call
	Table   Ident
	Columns []Ident
}

// Expr is an expression.
type Expr interface{ Span() Range }

// Class is the kind of a literal.
type Class uint8

// The classes of literals.
const (
	Null Class = iota
	Boolean
	Text
	Whole   // Text is digits; Type tells the type by a letter: 10L
	Decimal // 1.5, 1BD
	Double  // 1e3, 1.5D
	Typed   // DATE '…', TIMESTAMP '…', X'…'; Keyword is the word
)

// Literal is a value. Text is what it says, without quotes and letters of types.
type Literal struct {
	Range
	Class   Class
	Text    string
	Keyword string
}

// Column is a name, or a path of names.
type Column struct {
	Range
	Parts []Ident
}

// Star is *, t.*, or s.*, with its clauses.
type Star struct {
	Range
	Of      []Ident
	Except  [][]Ident
	Replace []Item
	Rename  []Rename
}

// Rename gives a column of a star another name.
type Rename struct{ From, To Ident }

// Unary is an operator before a value: -, +, ~, NOT.
type Unary struct {
	Range
	Op string
	X  Expr
}

// Binary is an operator between two values, with its keyword in upper case. == is =,
// and != is <>.
type Binary struct {
	Range
	Op   string
	X, Y Expr
}

// Between is x BETWEEN low AND high.
type Between struct {
	Range
	Not          bool
	X, Low, High Expr
}

// In is x IN (…): a list, or a query.
type In struct {
	Range
	Not   bool
	X     Expr
	List  []Expr
	Query *Query
}

// Like is x LIKE pattern; Op is LIKE, ILIKE or RLIKE. Quantity is ANY or ALL where
// there are several patterns.
type Like struct {
	Range
	Not      bool
	Op       string
	X        Expr
	Patterns []Expr
	Quantity string
	Escape   Expr
}

// Is is x IS [NOT] NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM y.
type Is struct {
	Range
	Not  bool
	X    Expr
	What string
	Y    Expr
}

// Case is CASE; Operand and Else are nil for none.
type Case struct {
	Range
	Operand Expr
	Whens   []When
	Else    Expr
}

// When is a branch of CASE.
type When struct{ If, Then Expr }

// Cast is CAST(x AS type), TRY_CAST(…), or x::type.
type Cast struct {
	Range
	X    Expr
	Type schema.Type
	Try  bool
}

// Arg is an argument of a call. Name is that of name => value, Alias that of value AS
// name, as struct() may have it.
type Arg struct {
	Name  Ident
	Expr  Expr
	Alias Ident
}

// Call is a call of a function.
type Call struct {
	Range
	// Name is in lower case; of system.builtin.f it is f.
	Name     string
	Args     []Arg
	Distinct bool
	// Filter, Within and Over are those of aggregates and windows, nil for none.
	Filter      Expr
	Within      []Order
	IgnoreNulls bool
	Over        *Window
}

// Lambda is x -> body.
type Lambda struct {
	Range
	Params []Ident
	Body   Expr
}

// Index is x[i].
type Index struct {
	Range
	X, I Expr
}

// Member is a field of a value that is no plain name: f(x).a.
type Member struct {
	Range
	X    Expr
	Name Ident
}

// JSONPath is x:a.b[0], a path into a text of JSON.
type JSONPath struct {
	Range
	X    Expr
	Path string
}

// Interval is INTERVAL 1 DAY and what else it may say: pairs of an amount and a unit in
// lower case and singular.
type Interval struct {
	Range
	Parts []Amount
}

// Amount is a part of an interval.
type Amount struct {
	Count Expr
	Unit  string
}

// Subquery is a query as a value.
type Subquery struct {
	Range
	Query *Query
}

// Exists is EXISTS (query).
type Exists struct {
	Range
	Query *Query
}

// Row is (a, b).
type Row struct {
	Range
	Items []Expr
}

// Param is :name, a parameter.
type Param struct {
	Range
	Name string
}
