// Package value reads single values that are written as text: what they look
// like, and the number, day or instant that they are.
//
// The rules are those of docs/inference.md, §1 and §6. A conversion never
// changes a value: where the target cannot hold it digit by digit it refuses.
// Nothing here allocates for a value.
package value

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

// Instant is a moment as a timestamp column holds it.
type Instant struct {
	// Micros are microseconds since 1970-01-01T00:00:00Z; more digits are cut.
	Micros int64
	// Exact is false where digits other than zeros were cut.
	Exact bool
	// Zoned tells a text with a zone of its own from a wall clock or a date,
	// which were read in the zone of the forms.
	Zoned bool
}
