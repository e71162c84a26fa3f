// Package kernel computes in Go what the SQL of an engine cannot say.
//
// A kernel is a pure function of one row: patterns of Java for numbers and
// times, character sets, hashes over bytes, rounding by a mode. What is known
// before a row is seen, as a constant regular expression, is translated once.
package kernel

import (
	"fmt"

	"landfall/internal/schema"
)

// Kernel is a function in Go for what an engine's SQL cannot say. An engine
// registers each once a session, under its name.
type Kernel struct {
	Name string
	// Args and Result are of the types string, long, double and binary.
	Args   []schema.Type
	Result schema.Type
	// Call computes one row: of string, int64, float64 and []byte none is nil,
	// for a null argument makes a null result. A nil result is null. It is pure,
	// and safe for concurrent use. The error ends the query.
	Call func(args []any) (any, error)
}

// All lists the kernels that the templates and macros for DuckDB use.
func All() []Kernel {
	const text, long, double, bytes = schema.String, schema.Long, schema.Double, schema.Binary
	return []Kernel{
		kernel2("adf_escape", text, text, text, escape),
		kernel2("adf_unescape", text, text, text, unescape),
		kernel1("adf_soundex", text, text, plain(soundex)),
		kernel2("adf_distance", text, text, long, distance),
		kernel1("adf_regex", text, text, translateRegex),
		kernel1("adf_replacement", text, text, translateReplacement),
		kernel3("adf_divide", text, text, long, text, divide),
		kernel3("adf_rounded", text, long, long, text, round),
		kernel1("adf_double_text", double, text, plain(doubleText)),
		kernel1("adf_float_text", double, text, plain(floatText)),
		kernel2("adf_little", long, long, bytes, littleEndian),
		kernel1("adf_double_bytes", double, bytes, plain(doubleBytes)),
		kernel3("adf_format_number", text, text, text, text, formatNumber),
		kernel3("adf_parse_number", text, text, text, text, parseNumber),
		kernel3("adf_format_time", long, text, text, text, formatTime),
		kernel2("adf_parse_time", text, text, long, parseTime),
		kernel2("adf_encode", text, text, bytes, encode),
		kernel2("adf_decode", bytes, text, text, decode),
		kernel1("adf_float_bytes", double, bytes, plain(floatBytes)),
		kernel2("adf_sha2_bits", long, bytes, text, sha2),
		kernel1("adf_crc32", bytes, long, plain(crc32of)),
		kernel2("adf_blake2b", long, bytes, bytes, blake2b),
	}
}

// plain is a function that always has a result.
func plain[A, R any](f func(A) R) func(A) (any, error) {
	return func(a A) (any, error) { return f(a), nil }
}

func kernel1[A any](name string, a, result schema.Type, f func(A) (any, error)) Kernel {
	return Kernel{Name: name, Args: []schema.Type{a}, Result: result, Call: func(args []any) (any, error) {
		x, err := argument[A](name, args, 0)
		if err != nil {
			return nil, err
		}
		return f(x)
	}}
}

func kernel2[A, B any](name string, a, b, result schema.Type, f func(A, B) (any, error)) Kernel {
	return Kernel{Name: name, Args: []schema.Type{a, b}, Result: result, Call: func(args []any) (any, error) {
		x, err := argument[A](name, args, 0)
		if err != nil {
			return nil, err
		}
		y, err := argument[B](name, args, 1)
		if err != nil {
			return nil, err
		}
		return f(x, y)
	}}
}

func kernel3[A, B, C any](name string, a, b, c, result schema.Type, f func(A, B, C) (any, error)) Kernel {
	return Kernel{Name: name, Args: []schema.Type{a, b, c}, Result: result, Call: func(args []any) (any, error) {
		x, err := argument[A](name, args, 0)
		if err != nil {
			return nil, err
		}
		y, err := argument[B](name, args, 1)
		if err != nil {
			return nil, err
		}
		z, err := argument[C](name, args, 2)
		if err != nil {
			return nil, err
		}
		return f(x, y, z)
	}}
}

func argument[A any](name string, args []any, i int) (A, error) {
	var zero A
	if i >= len(args) {
		return zero, fmt.Errorf("%s: found %d arguments, want more", name, len(args))
	}
	a, ok := args[i].(A)
	if !ok {
		return zero, fmt.Errorf("%s: argument %d: found %T, want %T", name, i+1, args[i], zero)
	}
	return a, nil
}
