package syntax

// Script is what a file says: its parameters, and the transformations in the order in
// which they are written, which need not be the order in which rows take them.
type Script struct {
	// Parameters is nil where the script has no block of them.
	Parameters *Parameters
	Statements []*Statement
	// End are comments behind the last statement.
	End []Comment
}

// Comment is a comment as it is written, its marks included.
type Comment struct {
	Text string
}

// Line tells whether the comment ends with its line.
func (c Comment) Line() bool { return len(c.Text) > 1 && c.Text[1] == '/' }

// Parameters are what a run may set.
type Parameters struct {
	Lead []Comment
	List []Parameter
	End  []Comment
}

// Parameter is one of them; Default is nil where it has none.
type Parameter struct {
	At      Pos
	Lead    []Comment
	Trail   []Comment
	Name    Name
	Type    *Type
	Default Expr
}

// Name is a name of a column or stream, without its braces.
type Name struct {
	At   Pos
	Text string
	// Braced is whether it is written in braces. It then never means a constant or a
	// keyword of a pattern.
	Braced bool
}

// Stream names the output of a transformation; Branch is empty but for those of a split.
type Stream struct {
	Name   Name
	Branch Name
}

// String is the stream as a script refers to it.
func (s Stream) String() string {
	if s.Branch.Text == "" {
		return s.Name.Text
	}
	return s.Name.Text + "@" + s.Branch.Text
}

// Statement is one transformation.
type Statement struct {
	At     Pos
	Lead   []Comment
	Trail  []Comment
	Inputs []Stream
	Verb   Name
	Args   Args
	// Output is the name of its stream; Branches are those of a split.
	Output   Name
	Branches []Name
}

// Args is what stands in the parentheses of a transformation or of a clause.
type Args struct {
	List []Arg
	// End are comments before the closing parenthesis.
	End []Comment
}

// Arg is one argument with its comments.
type Arg struct {
	At    Pos
	Lead  []Comment
	Trail []Comment
	Node  Node
}

// Node is what an argument is: an *Option, *Assign, *Each, *Schema, *Clause or a *Value.
type Node interface{ node() }

// Option is a setting: allowSchemaDrift: true.
type Option struct {
	Name  Name
	Value Expr
}

// Assign gives a name a value: total = price * 2. Target is an expression, since
// patterns compute names.
type Assign struct {
	Target, Value Expr
}

// Each is a pattern: what is to be done with every column that matches.
type Each struct {
	// Path selects the struct whose fields are matched, nil for the columns of the stream.
	Path Expr
	// Matcher is "match" or "patternMatch", or empty where Path alone says what is meant.
	Matcher string
	Cond    Expr
	// Pairs are the names and values that come of a match.
	Pairs Args
}

// Schema is a list of columns with their types: output(id as integer).
type Schema struct {
	Name    Name
	Columns []Field
	End     []Comment
}

// Field is a column or a member of a struct. Type is nil where the script leaves it out.
type Field struct {
	At     Pos
	Lead   []Comment
	Trail  []Comment
	Name   Name
	Type   *Type
	Format Expr
}

// Clause is a group of arguments: mapColumn(…), groupBy(…), asc(…).
type Clause struct {
	Name Name
	Args Args
}

// Value is an expression that stands for itself.
type Value struct{ X Expr }

func (*Option) node() {}
func (*Assign) node() {}
func (*Each) node()   {}
func (*Schema) node() {}
func (*Clause) node() {}
func (*Value) node()  {}

// Type is a type as scripts write it.
type Type struct {
	At Pos
	// Base is its word, such as decimal; empty for structs and maps.
	Base string
	// Params are what stands in parentheses behind the word: precision and scale.
	Params []string
	// Fields are the members of a struct.
	Fields []Field
	// Key and Value are those of a map.
	Key, Value *Type
	// Dims counts the [] behind it.
	Dims int
}

// Expr is an expression.
type Expr interface {
	// Pos is where it begins.
	Pos() Pos
}

// Column is a reference to a column, or a word that a pattern or a constant means.
type Column struct {
	// Streams are those that it is seen from, the outermost first.
	Streams []Name
	Name    Name
}

// Param is a reference to a parameter: $name.
type Param struct {
	At   Pos
	Name string
}

// Matched is what a pattern met: $$ (Group is -1), or $0, $1 and so on.
type Matched struct {
	At    Pos
	Group int
}

// Variable is one of a lambda: #item, #index_1.
type Variable struct {
	At   Pos
	Name string
}

// Local is a value that its transformation names: :total.
type Local struct {
	At   Pos
	Name string
}

// Number is a number as it is written.
type Number struct {
	At   Pos
	Text string
}

// Text is a text between single quotes or backticks. Raw is what stands between them.
type Text struct {
	At    Pos
	Quote byte
	Raw   string
}

// Interpolated is a text between double quotes.
type Interpolated struct {
	At    Pos
	Parts []Part
}

// Part is a stretch of raw text, or an expression where X is not nil.
type Part struct {
	Raw string
	X   Expr
}

// Array is [a, b], or a map where its items are pairs: ['k' -> 1].
type Array struct {
	At    Pos
	Items []Expr
}

// Struct is @(a = 1, b = 2).
type Struct struct {
	At   Pos
	Args Args
}

// Call is a function with its arguments. Cache is the sink that a cached lookup asks,
// empty for a plain function.
type Call struct {
	Cache Name
	Name  Name
	Args  []Expr
}

// Member is a field of a struct.
type Member struct {
	X    Expr
	Name Name
}

// Index is an element of an array or of a map.
type Index struct {
	X, I Expr
}

// Unary is ! or - before an expression.
type Unary struct {
	At Pos
	Op string
	X  Expr
}

// Binary is an operator between two expressions.
type Binary struct {
	Op   string
	X, Y Expr
}

// Cast is an expression with the type that it is to have: x ? integer.
type Cast struct {
	X    Expr
	Type *Type
}

// Paren is an expression in parentheses. They are kept: an option with them is computed.
type Paren struct {
	At Pos
	X  Expr
}

// Noted is an expression with comments before it.
type Noted struct {
	Comments []Comment
	X        Expr
}

// Pos is where it begins.
func (e *Column) Pos() Pos {
	if len(e.Streams) > 0 {
		return e.Streams[0].At
	}
	return e.Name.At
}

// Pos is where it begins.
func (e *Param) Pos() Pos { return e.At }

// Pos is where it begins.
func (e *Matched) Pos() Pos { return e.At }

// Pos is where it begins.
func (e *Variable) Pos() Pos { return e.At }

// Pos is where it begins.
func (e *Local) Pos() Pos { return e.At }

// Pos is where it begins.
func (e *Number) Pos() Pos { return e.At }

// Pos is where it begins.
func (e *Text) Pos() Pos { return e.At }

// Pos is where it begins.
func (e *Interpolated) Pos() Pos { return e.At }

// Pos is where it begins.
func (e *Array) Pos() Pos { return e.At }

// Pos is where it begins.
func (e *Struct) Pos() Pos { return e.At }

// Pos is where it begins.
func (e *Call) Pos() Pos {
	if e.Cache.Text != "" {
		return e.Cache.At
	}
	return e.Name.At
}

// Pos is where it begins.
func (e *Member) Pos() Pos { return e.X.Pos() }

// Pos is where it begins.
func (e *Index) Pos() Pos { return e.X.Pos() }

// Pos is where it begins.
func (e *Unary) Pos() Pos { return e.At }

// Pos is where it begins.
func (e *Binary) Pos() Pos { return e.X.Pos() }

// Pos is where it begins.
func (e *Cast) Pos() Pos { return e.X.Pos() }

// Pos is where it begins.
func (e *Paren) Pos() Pos { return e.At }

// Pos is where the expression begins, behind its comments.
func (e *Noted) Pos() Pos { return e.X.Pos() }
