package function

import (
	"strconv"
	"strings"

	"landfall/internal/plan/function/kernel"
	"landfall/internal/schema"
)

// sameText is text, or bytes if all arguments are.
func sameText(types []schema.Type) schema.Type {
	for _, t := range types {
		if t != schema.Binary {
			return schema.String
		}
	}
	if len(types) == 0 {
		return schema.String
	}
	return schema.Binary
}

// wider is a decimal with so many digits more, some behind the point.
func wider(t schema.Type, digits, scale int) schema.Type {
	d, _ := t.(schema.Decimal)
	return bounded(d.Precision+digits, d.Scale+scale)
}

// roundedType is Spark's type of a number of which so many digits are left
// behind the point.
func roundedType(t schema.Type, digits int) schema.Type {
	d, ok := t.(schema.Decimal)
	if !ok {
		return t
	}
	whole := d.Precision - d.Scale + 1
	if digits < 0 {
		return schema.Decimal{Precision: min(max(whole, -digits+1), 38)}
	}
	scale := min(d.Scale, digits)
	return schema.Decimal{Precision: min(whole+scale, 38), Scale: scale}
}

// literal is the value of an argument that must stand as one in the query.
func (w *writing) literal(i int, want string) (string, error) {
	if i < len(w.call.Args) && w.call.Args[i].Literal != nil {
		return *w.call.Args[i].Literal, nil
	}
	return "", &Misuse{Function: w.name, Argument: i, Found: "an expression", Want: want, Hint: "write it as a literal"}
}

// number is the value of a whole number that must stand as a literal.
func (w *writing) number(i int, want string) (int, error) {
	text, err := w.literal(i, want)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, &Misuse{Function: w.name, Argument: i, Found: text, Want: "a whole number"}
	}
	return n, nil
}

// joined is all arguments one after another.
func (w *writing) joined() (string, error) {
	if len(w.args) == 0 {
		return "''", nil
	}
	return "(" + strings.Join(w.args, " || ") + ")", nil
}

// rounded rounds by a function of DuckDB to as many digits as a literal says.
func (w *writing) rounded(by string) (string, error) {
	digits := 0
	if len(w.args) > 1 {
		var err error
		if digits, err = w.number(1, "how many digits behind the point"); err != nil {
			return "", err
		}
	}
	w.typ = roundedType(w.types[0], digits)
	return castTo(by+"("+w.args[0]+", "+strconv.Itoa(digits)+")", w.typ), nil
}

// now is when the run began.
func (w *writing) now() (string, error) {
	if w.call.Now == "" {
		return "", &Misuse{Function: w.name, Argument: -1, Found: "no time of a run", Want: "a query that is part of one"}
	}
	return w.call.Now, nil
}

// regexpReplace replaces every match.
func (w *writing) regexpReplace() (string, error) {
	with, err := w.replacement(2)
	return "regexp_replace(" + w.args[0] + ", " + w.args[1] + ", " + with + ", 'g')", err
}

// regex is the text of a regular expression of Java as DuckDB takes it: one
// that stands there is rewritten now, another where it is known.
func regex(name string, i int, a Argument, sql string) (string, error) {
	if a.Literal == nil {
		return "adf_regex(" + sql + ")", nil
	}
	text, err := kernel.Regex(*a.Literal)
	if err != nil {
		return "", &Misuse{
			Function: name, Argument: i, Found: err.Error(), Want: "a regular expression that is matched from left to right",
			Hint: "looking around and repeating a group cannot be computed; match more and take a group of it",
		}
	}
	return quote(text), nil
}

// replacement is the text of a replacement of Java as DuckDB takes it.
func (w *writing) replacement(i int) (string, error) {
	a := w.call.Args[i]
	if a.Literal == nil {
		return "adf_replacement(" + w.args[i] + ")", nil
	}
	text, err := kernel.Replacement(*a.Literal)
	if err != nil {
		return "", &Misuse{Function: w.name, Argument: i, Found: err.Error(), Want: "text, $1 for a group, \\$ for a dollar"}
	}
	return quote(text), nil
}
