// Package value reads single values that are written as text: what they look
// like, and the number, day or instant that they are.
//
// The rules are those of docs/inference.md, §1 and §6. A conversion never
// changes a value: where the target cannot hold it digit by digit it refuses.
package value

// Class is what a value looks like (docs/inference.md, §1).
type Class uint8

// The classes. Integers and decimals are told apart by what holds them, so that
// counts by class say how many values a type takes.
const (
	Empty          Class = iota // quoted and empty; an empty JSON string
	NullLike                    // N/A, null, -
	IntegerExact                // whole, in 64 bits and exact as a double
	IntegerLong                 // whole, in 64 bits, not exact as a double
	IntegerBig                  // whole, beyond 64 bits
	DecimalExact                // with a point; a double has its digits
	DecimalInexact              // with a point; no double has its digits
	Float                       // with an exponent, or -0; a double has its digits
	Special                     // NaN, infinities
	Boolean
	Date
	TimestampZoned        // an instant
	TimestampLocal        // a wall clock
	Code                  // a number that is only right as text
	Text                  // everything else
	Classes        = iota // the number of classes
)

// Shape is what a value looks like, and how long it is if it is a number.
type Shape struct {
	Class Class
	// Whole is the number of digits before the point without leading zeros (0
	// for 0.5), Scale that after it without zeros at the end; of integers and
	// decimals alone.
	Whole, Scale int
}

// Int128 is a 128-bit integer in two's complement: the unscaled value of a
// decimal.
type Int128 struct {
	High int64
	Low  uint64
}
