package value

import (
	"fmt"
	"slices"
)

// Class is what a value looks like (docs/inference.md, §1). Its text, not its
// number, is what evidence on disk holds.
type Class uint8

// The classes. Integers and decimals are told apart by what holds them, so that
// counts by class say how many values a type takes.
const (
	Empty          Class = iota // quoted and empty; an empty JSON string
	NullLike                    // N/A, null, -
	IntegerExact                // whole, in 64 bits; a double has it, too
	IntegerLong                 // whole, in 64 bits; no double has it
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

func classNames() [Classes]string {
	return [Classes]string{
		"empty", "null_like", "integer", "integer_long", "integer_big", "decimal", "decimal_inexact",
		"float", "special", "boolean", "date", "timestamp", "timestamp_local", "code", "text",
	}
}

// String returns the name of the class.
func (c Class) String() string {
	if c >= Classes {
		return fmt.Sprintf("class %d", uint8(c))
	}
	return classNames()[c]
}

// MarshalText writes the name of the class.
func (c Class) MarshalText() ([]byte, error) {
	if c >= Classes {
		return nil, fmt.Errorf("value: no class has the number %d", uint8(c))
	}
	return []byte(c.String()), nil
}

// UnmarshalText reads the name of a class.
func (c *Class) UnmarshalText(text []byte) error {
	names := classNames()
	i := slices.Index(names[:], string(text))
	if i < 0 {
		return fmt.Errorf("value: found %q, want the name of a class", text)
	}
	*c = Class(i)
	return nil
}
