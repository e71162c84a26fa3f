// Package inference decides which type the values of a column have.
//
// A [Sight] gathers the evidence of the objects of a batch, a [Method] makes a
// type of it by the rules of docs/inference.md, or weighs it against the type that
// a column has. Types follow from counts of all values: neither the order of the
// objects nor a sample has a say.
package inference

// Rules say how evidence becomes types (docs/inference.md). The zero value is
// our default.
type Rules struct {
	// Strings makes every scalar a string (cloudFiles.inferColumnTypes: false).
	Strings bool
	// Agreement is the share of values that make a type; 0 means 0.99.
	Agreement float64
	// PrefersDecimal makes decimals of numbers with a point, where they have 38
	// digits at most, also of JSON strings that are numbers.
	PrefersDecimal bool
	// Timestamps lets JSON strings that are dates or timestamps give that type
	// (inferTimestamp).
	Timestamps bool
	// PrimitivesAsString makes numbers and booleans of JSON strings.
	PrimitivesAsString bool
	// DropAllNull leaves out columns in which only nulls and empty objects and
	// arrays were seen.
	DropAllNull bool
	// NullLikesVote makes null-like values votes for text, as Spark has it.
	NullLikesVote bool
	// NoDates makes dates of CSV timestamps at once (preferDate: false).
	NoDates bool
}
