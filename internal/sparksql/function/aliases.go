package function

import (
	"landfall/internal/schema"
	"landfall/internal/sparksql/function/typed"
)

// Argument is one argument of a call, or an operand.
type Argument = typed.Argument

// Interval is the type of a span of time, which no table holds.
type Interval = typed.Interval

// Misuse is what is wrong with a call.
type Misuse = typed.Misuse

// Cast writes Spark's cast of ANSI mode as text of DuckDB, or its try_cast,
// which gives null where the cast fails. The error is a *Misuse: no value of
// the one type becomes one of the other.
func Cast(a Argument, to schema.Type, try bool) (string, error) { return typed.Cast(a, to, try) }

// Common is the type that values of two types are brought to where they meet,
// in a comparison, in CASE, or in a UNION; false if there is none.
func Common(a, b schema.Type) (schema.Type, bool) { return typed.Common(a, b) }

// TypeSQL spells a type for DuckDB.
func TypeSQL(t schema.Type) string { return typed.TypeSQL(t) }
