package function

import (
	"fmt"
	"strconv"
	"strings"

	"landfall/internal/schema"
)

// term is a type in a form: a type of its own, a family of types, a variable
// that stands for the same type wherever the form writes it, or in a result a
// rule.
type term struct {
	// base is the name of a type, family or variable, "[]" or "[,]", or "="
	// with the name of a rule.
	base string
	// parts are the element of an array, or key and value of a map.
	parts []term
	// digits are the arguments that hold precision and scale of a decimal, or
	// below zero the numbers themselves.
	digits [2]int
}

const (
	arrayTerm = "[]"
	mapTerm   = "[,]"
)

// family reports whether a type belongs to a family. The second result is
// false if there is no such family.
func family(name string, t schema.Type) (belongs, known bool) {
	switch name {
	case "any":
		return true, true
	case "number":
		return isNumber(t), true
	case "integral":
		return isIntegral(t), true
	case "fractional":
		return isNumber(t) && !isIntegral(t), true
	case "binaryfloat":
		return t == schema.Float || t == schema.Double, true
	case "decimal":
		_, ok := t.(schema.Decimal)
		return ok, true
	case "ordered":
		return ordered(t), true
	case "datetime":
		return t == schema.Date || t == schema.Timestamp, true
	case "struct":
		_, ok := t.(schema.Struct)
		return ok, true
	case "array":
		_, ok := t.(schema.Array)
		return ok, true
	case "map":
		_, ok := t.(schema.Map)
		return ok, true
	}
	return false, false
}

// variables maps the variables of terms to the family that they are of.
func variables(name string) (string, bool) {
	switch name {
	case "T", "U", "K", "V":
		return "any", true
	case "O":
		return "ordered", true
	case "N":
		return "number", true
	case "I":
		return "integral", true
	case "D":
		return "datetime", true
	}
	return "", false
}

// ordered reports whether values of a type come before and after one another: maps do
// not, nor does what has them.
func ordered(t schema.Type) bool {
	switch t := t.(type) {
	case schema.Map:
		return false
	case schema.Array:
		return ordered(t.Element)
	case schema.Struct:
		for _, f := range t.Fields {
			if !ordered(f.Type) {
				return false
			}
		}
	}
	return true
}

func isIntegral(t schema.Type) bool {
	return t == schema.Byte || t == schema.Short || t == schema.Integer || t == schema.Long
}

func isNumber(t schema.Type) bool {
	_, decimal := t.(schema.Decimal)
	return decimal || isIntegral(t) || t == schema.Float || t == schema.Double
}

// parseTerm reads a term.
func parseTerm(text string) (term, error) {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutSuffix(text, "[]"); ok {
		element, err := parseTerm(inner)
		return term{base: arrayTerm, parts: []term{element}}, err
	}
	if inner, ok := between(text, "[", "]"); ok {
		return parseMapTerm(inner)
	}
	if inner, ok := between(text, "decimal(", ")"); ok {
		return parseDecimalTerm(inner)
	}
	_, isVariable := variables(text)
	_, isFamily := family(text, schema.Unknown)
	_, isRule := rule(text, nil)
	if !isVariable && !isFamily && !isPrimitive(text) && !isRule {
		return term{}, fmt.Errorf("type: found %q, want a type, family, variable or rule", text)
	}
	return term{base: text}, nil
}

func between(text, before, after string) (string, bool) {
	inner, ok := strings.CutPrefix(text, before)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(inner, after)
}

func parseMapTerm(inner string) (term, error) {
	key, value, ok := strings.Cut(inner, ":")
	if !ok {
		return term{}, fmt.Errorf("map: found %q, want key: value", inner)
	}
	k, err := parseTerm(key)
	if err != nil {
		return term{}, err
	}
	v, err := parseTerm(value)
	return term{base: mapTerm, parts: []term{k, v}}, err
}

// parseDecimalTerm reads "10 2" as digits and "$2 $3" as what arguments hold.
func parseDecimalTerm(inner string) (term, error) {
	out := term{base: "decimal()"}
	words := strings.Fields(inner)
	if len(words) != len(out.digits) {
		return term{}, fmt.Errorf("decimal: found %q, want precision and scale", inner)
	}
	for i, word := range words {
		number, isArgument := strings.CutPrefix(word, "$")
		n, err := strconv.Atoi(number)
		if err != nil {
			return term{}, fmt.Errorf("decimal: found %q, want a number", word)
		}
		if !isArgument {
			n = -n
		}
		out.digits[i] = n
	}
	return out, nil
}

func isPrimitive(name string) bool {
	switch schema.Primitive(name) {
	case schema.Boolean, schema.Byte, schema.Short, schema.Integer, schema.Long, schema.Float, schema.Double,
		schema.String, schema.Binary, schema.Date, schema.Timestamp, schema.Unknown:
		return true
	}
	return false
}

// String writes the term as a signature shows it.
func (t term) String() string {
	switch t.base {
	case arrayTerm:
		return t.parts[0].String() + "[]"
	case mapTerm:
		return "[" + t.parts[0].String() + "," + t.parts[1].String() + "]"
	case "decimal()":
		return "decimal"
	}
	return t.base
}
