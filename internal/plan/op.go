package plan

import "landfall/internal/schema"

// Op is what a step does: one of the types of this file.
type Op interface {
	// verb is the word that the printed plan has for it.
	verb() string
}

// Source reads the files of one input. The engine is told the files apart from
// the plan, by the step's name.
type Source struct {
	// Columns are those that the flow sees, declared ones first, with name,
	// type and Drifted set; a file that lacks one has nulls there.
	Columns []Column
	// PathColumn is the name of the column that holds the path of a row's file,
	// one of Columns; "" for none.
	PathColumn string
	// Parse are columns that stand as text in the files and are read by a format.
	Parse []Parsing
	// Limit is the most rows to read; 0 is all.
	Limit int64
}

// Parsing makes the value of a column of its text.
type Parsing struct {
	Column string
	// By refers to the text as a [Local] of the column's name.
	By Expr
}

// Sink is where rows leave the flow: its columns are what is written.
type Sink struct {
	// Order is when it is written among the sinks, small ones first.
	Order int
	// Take are the columns to write, in order, as in [Select]; nil is all that
	// are not hidden.
	Take []Assignment
	// Cache says that nothing is written: other steps look values up in it.
	Cache bool
	// Partition says how the writer divides the rows; nil leaves it to the writer.
	Partition *Partition
}

// PartitionKind says what divides rows.
type PartitionKind int

// Kinds of partitions.
const (
	ByHash     PartitionKind = iota // equal values lie together
	RoundRobin                      // each part has as many rows
	ByKey                           // a part for each value, in a folder of its name
)

// String is the word of a flow.
func (k PartitionKind) String() string {
	switch k {
	case RoundRobin:
		return "roundRobin"
	case ByKey:
		return "key"
	}
	return "hash"
}

// Partition is how the rows that a sink writes are divided into files.
type Partition struct {
	Kind PartitionKind
	// Count is how many parts there are, at least 1; of ByKey it says nothing.
	Count int
	// By names columns that leave the sink. Hash without any divides as it likes.
	By []string
}

// Assignment gives a column a value.
type Assignment struct {
	Name  string
	Value Expr
	// Drifted says that the name was worked out at run time.
	Drifted bool
	// Hidden hands a hidden column on as one, where columns are taken; the value
	// is that column.
	Hidden bool
}

// Select takes columns, under the same or other names, and drops the rest. A
// value is a column or a part of one.
type Select struct{ Take []Assignment }

// Derive sets columns: one of the name of an input column takes its place, any
// other comes behind. Values see the input alone, none of the others set.
type Derive struct{ Set []Assignment }

// Filter keeps the rows for which Keep is true, neither false nor null.
type Filter struct{ Keep Expr }

// Aggregate makes one row of each group: the columns of Group, then those of
// Values. Null is a key like any other. Without Group there is one row, also
// of no rows.
type Aggregate struct {
	Group, Values []Assignment
}

// JoinKind says which rows stay that have no match.
type JoinKind int

// Kinds of joins.
const (
	Inner JoinKind = iota
	LeftOuter
	RightOuter
	FullOuter
	Cross // the product, of which On keeps some
)

// String is the word of a flow.
func (k JoinKind) String() string {
	switch k {
	case LeftOuter:
		return "left"
	case RightOuter:
		return "right"
	case FullOuter:
		return "outer"
	case Cross:
		return "cross"
	}
	return "inner"
}

// Join pairs the rows of two inputs; all columns of both leave it, the left
// ones first.
type Join struct {
	Kind JoinKind
	// On refers to columns of both inputs ([Ref].Input 0 and 1).
	On Expr
}

// Pick says which of several matches a lookup takes.
type Pick int

// Picks of a lookup.
const (
	PickAll Pick = iota
	PickAny
	PickFirst
	PickLast
)

// String is the word of a flow.
func (p Pick) String() string {
	switch p {
	case PickAny:
		return "any"
	case PickFirst:
		return "first"
	case PickLast:
		return "last"
	}
	return "all"
}

// Lookup adds to each row of the first input the columns of the rows of the
// second that match, or nulls.
type Lookup struct {
	On   Expr
	Pick Pick
	// Order sorts the matches for PickFirst and PickLast; refers to input 1.
	Order []Order
	// Matched is the name of a hidden boolean column that says whether there
	// was a match; "" for none.
	Matched string
}

// Exists keeps the rows of the first input that have a match in the second, or
// those that have none.
type Exists struct {
	On     Expr
	Negate bool
}

// Union puts the rows of its inputs one after another. By name, the result has
// the columns of all, null where an input lacks one; by position, those of the
// first, and each input must have as many.
type Union struct{ ByName bool }

// Split sends rows to its outputs, each a step with [Output] behind it.
type Split struct {
	Conditions []Expr
	// All sends a row to each output whose condition it meets; else to the
	// first.
	All bool
	// Outputs names the outputs: one a condition, and perhaps one more for the
	// rows that meet none.
	Outputs []string
}

// Output is the rows that a split sends to its output of a number, from 0.
type Output struct{ Number int }

// Bound is an end of a frame, in rows behind the current one; before it if
// negative.
type Bound struct {
	Unbounded bool
	Rows      int64
}

// Frame is the rows that a window function sees.
type Frame struct {
	Start, End Bound
}

// Window adds columns whose values come from the rows of the same group.
type Window struct {
	Over  []Expr
	Order []Order
	// Frame is nil for the usual one: without order all rows of the group,
	// else all up to the current row.
	Frame *Frame
	Set   []Assignment
}

// Rank adds the place of each row in an order, from 1. Equal rows have the same
// place; Dense counts places without gaps after them.
type Rank struct {
	Order []Order
	Name  string
	Dense bool
}

// Key adds a number that counts the rows.
type Key struct {
	Name        string
	Start, Step int64
}

// Order is one key of an order. Descending order puts NaN first; where nulls
// go, NullsFirst says.
type Order struct {
	By                     Expr
	Descending, NullsFirst bool
	// IgnoreCase compares text in lower case.
	IgnoreCase bool
}

// Sort puts rows in order.
type Sort struct{ By []Order }

// RuleKind is what an assert demands.
type RuleKind int

// Kinds of rules.
const (
	ExpectTrue   RuleKind = iota
	ExpectUnique          // no other row has the same value
	ExpectExists          // the second input has a match
)

// String is the word of a flow.
func (k RuleKind) String() string {
	switch k {
	case ExpectUnique:
		return "expectUnique"
	case ExpectExists:
		return "expectExists"
	}
	return "expectTrue"
}

// Rule is one demand of an assert.
type Rule struct {
	ID   string
	Kind RuleKind
	// On is the condition, or the value that must be unique.
	On Expr
	// IgnoreNulls lets rows pass for which On is null.
	IgnoreNulls bool
	// Filter picks the rows that are asked; nil is all.
	Filter Expr
	// Message is what to say of a row that fails; nil is nothing.
	Message Expr
}

// Assert marks the rows that break a rule. Its hidden column Errors is a
// map<string,string> of rule ids to messages, after those of an earlier assert
// of that name.
type Assert struct {
	Rules []Rule
	// Abort ends the run at the first such row.
	Abort bool
	// Errors is the name of the hidden column.
	Errors string
}

// Conversion is one column of a cast.
type Conversion struct {
	Column ID
	To     schema.Type
	// By converts it, where a format asks for more than the type says; nil
	// converts as Spark's cast does.
	By Expr
}

// Cast gives columns other types; what cannot be converted is null.
type Cast struct {
	Columns []Conversion
	// Errors is the name of a hidden column as of [Assert], in which rows whose
	// values could not be converted are marked; "" marks none.
	Errors string
}

// Unroll is an array to make rows of.
type Unroll struct {
	// Of is the array: a column, or a part of one.
	Of Expr
	// Required drops rows whose array is null or empty; else they stay, with a
	// null item.
	Required bool
	// Bind is the name by which later arrays and [Flatten].Take refer to the
	// item; see [Local].
	Bind string
}

// Flatten makes a row of each item of an array, and takes columns of row and
// item. Several arrays give the product of their items; a later one may be a
// part of an earlier one's item.
type Flatten struct {
	Unroll []Unroll
	Take   []Assignment
}

// Pivot makes columns of the values of a key. Of each value and aggregate
// there is a column; where no row of a group has the value it is null.
type Pivot struct {
	Group []Assignment
	Key   Expr
	// Values are the keys, each with the names of its columns, one for each of
	// Aggregates.
	Values     []PivotValue
	Aggregates []Expr
	// Lateral puts the columns of one value side by side; else those of one
	// aggregate.
	Lateral bool
	// Drifted says that the values were found in the data.
	Drifted bool
}

// PivotValue is one value of a pivot's key; it may be null.
type PivotValue struct {
	Value   Literal
	Columns []string
}

// Unpivot makes a row of each of several columns.
type Unpivot struct {
	// Keep are the columns that each such row repeats.
	Keep []ID
	// Columns become rows, in order. Names are what the key column says of
	// them, by default their own.
	Columns []ID
	Names   []Literal
	// Key and Value name the new columns.
	Key, Value       string
	KeyType          schema.Type
	ValueType        schema.Type
	IgnoreNullValues bool
}

// Alias hands everything on under another name of the stream.
type Alias struct{}

func (Source) verb() string    { return "source" }
func (Sink) verb() string      { return "sink" }
func (Select) verb() string    { return "select" }
func (Derive) verb() string    { return "derive" }
func (Filter) verb() string    { return "filter" }
func (Aggregate) verb() string { return "aggregate" }
func (Join) verb() string      { return "join" }
func (Lookup) verb() string    { return "lookup" }
func (Exists) verb() string    { return "exists" }
func (Union) verb() string     { return "union" }
func (Split) verb() string     { return "split" }
func (Output) verb() string    { return "output" }
func (Window) verb() string    { return "window" }
func (Rank) verb() string      { return "rank" }
func (Key) verb() string       { return "keyGenerate" }
func (Sort) verb() string      { return "sort" }
func (Assert) verb() string    { return "assert" }
func (Cast) verb() string      { return "cast" }
func (Flatten) verb() string   { return "foldDown" }
func (Pivot) verb() string     { return "pivot" }
func (Unpivot) verb() string   { return "unpivot" }
func (Alias) verb() string     { return "alias" }
