package function

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"landfall/internal/plan/function/kernel"
	"landfall/internal/schema"
	"landfall/internal/sparksql/function/typed"
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

// literal is the value of an argument that must stand as one in the query.
func (w *writing) literal(i int, want string) (string, error) {
	if i < len(w.call.Args) && w.call.Args[i].Literal != nil {
		return *w.call.Args[i].Literal, nil
	}
	return "", &typed.Misuse{Function: w.name, Argument: i, Found: "an expression", Want: want, Hint: "write it as a literal"}
}

// number is the value of a whole number that must stand as a literal.
func (w *writing) number(i int, want string) (int, error) {
	text, err := w.literal(i, want)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, &typed.Misuse{Function: w.name, Argument: i, Found: text, Want: "a whole number"}
	}
	return n, nil
}

// joined is all arguments one after another.
func (w *writing) joined() (string, error) {
	if len(w.args) == 0 {
		return "''", nil
	}
	args := make([]string, len(w.args))
	for i, t := range w.types {
		args[i] = w.args[i]
		if _, list := w.typ.(schema.Array); !list && !typed.Same(t, w.typ) {
			var err error
			if args[i], err = typed.Cast(typed.Argument{SQL: w.args[i], Type: t}, w.typ, false); err != nil {
				return "", err
			}
		}
	}
	return "(" + strings.Join(args, " || ") + ")", nil
}

// regexpReplace replaces every match.
func (w *writing) regexpReplace() (string, error) {
	with, err := w.replacement(2)
	return "regexp_replace(" + w.args[0] + ", " + w.args[1] + ", " + with + ", 'g')", err
}

// regex is the text of a regular expression of Java as DuckDB takes it: one
// that stands there is rewritten now, another where it is known.
func regex(name string, i int, a typed.Argument, sql string) (string, error) {
	if a.Literal == nil {
		return "adf_regex(" + sql + ")", nil
	}
	text, err := kernel.Regex(*a.Literal)
	if err != nil {
		return "", &typed.Misuse{
			Function: name, Argument: i, Found: err.Error(), Want: "a regular expression that is matched from left to right",
			Hint: "looking around and repeating a group cannot be computed; match more and take a group of it",
		}
	}
	return typed.Quote(text), nil
}

// replacement is the text of a replacement of Java as DuckDB takes it.
func (w *writing) replacement(i int) (string, error) {
	a := w.call.Args[i]
	if a.Literal == nil {
		return "adf_replacement(" + w.args[i] + ")", nil
	}
	text, err := kernel.Replacement(*a.Literal)
	if err != nil {
		return "", &typed.Misuse{Function: w.name, Argument: i, Found: err.Error(), Want: "text, $1 for a group, \\$ for a dollar"}
	}
	return typed.Quote(text), nil
}

// regexpExtract takes a group of one match or of all, if the expression has it.
func (w *writing) regexpExtract(by string) (string, error) {
	group := "1"
	if len(w.args) > 2 {
		group = w.args[2]
	}
	a := w.call.Args[1]
	if a.Literal == nil {
		return by + "(" + w.args[0] + ", " + w.args[1] + ", " + group + ")", nil
	}
	text, err := kernel.Regex(*a.Literal)
	if err != nil {
		return "", err // regex has read it before
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return "", &typed.Misuse{Function: w.name, Argument: 1, Found: err.Error(), Want: "a regular expression"}
	}
	n := 1
	if len(w.args) > 2 {
		if n, err = w.number(2, "the number of a group"); err != nil {
			return "", err
		}
	}
	if n < 0 || n > re.NumSubexp() {
		none := map[string]string{"regexp_extract": "''", "regexp_extract_all": "CAST([] AS VARCHAR[])"}[by]
		return typed.Once(w.args[:1], func(names []string) string {
			return "CASE WHEN regexp_matches(" + names[0] + ", " + w.args[1] + ") THEN error('INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX: found a group that there is not, want one of the expression') WHEN " +
				names[0] + " IS NOT NULL THEN " + none + " END"
		}), nil
	}
	return fmt.Sprintf("%s(%s, %s, %d)", by, w.args[0], w.args[1], n), nil
}

// split parts a text by what DuckDB parts the same: plain text, or an expression
// that matches nothing empty.
func (w *writing) split() (string, error) {
	slow := "spark_split(" + w.args[0] + ", " + w.args[1] + ", CAST(-1 AS BIGINT))"
	a := w.call.Args[1]
	if a.Literal == nil {
		return slow, nil
	}
	text, err := kernel.Regex(*a.Literal)
	if err != nil {
		return "", err // regex has read it before
	}
	re, err := regexp.Compile(text)
	if err != nil || re.MatchString("") || strings.ContainsAny(text, "^$") || strings.Contains(text, `\b`) || strings.Contains(text, `\B`) {
		return slow, nil
	}
	if plain, all := re.LiteralPrefix(); all {
		return "string_split(" + w.args[0] + ", " + typed.Quote(plain) + ")", nil
	}
	return "string_split_regex(" + w.args[0] + ", " + w.args[1] + ")", nil
}

// toBinary reads a text in one of three ways.
func (w *writing) toBinary() (string, error) {
	form, err := w.literal(1, "'hex', 'utf-8' or 'base64'")
	if err != nil {
		return "", err
	}
	switch strings.ToLower(form) {
	case "hex":
		return typed.Once(w.args[:1], func(n []string) string { return "spark_must_unhex(" + n[0] + ")" }), nil
	case "utf-8", "utf8":
		return "encode(" + w.args[0] + ")", nil
	case "base64":
		return typed.Once(w.args[:1], func(n []string) string { return "spark_unbase64(" + n[0] + ")" }), nil
	}
	return "", &typed.Misuse{Function: w.name, Argument: 1, Found: form, Want: "hex, utf-8 or base64"}
}

// decode is CASE with values, each with a result behind it.
func (w *writing) decode() (string, error) {
	args := w.call.Args
	values, results := args[0].Type, schema.Type(typed.Void)
	for i, a := range args[1:] {
		t := &results
		if i%2 == 0 && i+2 < len(args) {
			t = &values
		}
		common, ok := typed.Common(*t, a.Type)
		if !ok {
			return "", &typed.Misuse{Function: w.name, Argument: i + 1, Found: a.Type.String(), Want: (*t).String()}
		}
		*t = common
	}
	w.typ = results
	texts := make([]string, len(args))
	for i, a := range args {
		t := results
		if i == 0 || i%2 == 1 && i+1 < len(args) {
			t = values
		}
		var err error
		if texts[i], err = typed.Cast(a, t, false); err != nil {
			return "", err
		}
	}
	return typed.Once(texts[:1], func(names []string) string {
		out := "CASE"
		for i := 1; i+1 < len(texts); i += 2 {
			out += " WHEN " + names[0] + " IS NOT DISTINCT FROM " + texts[i] + " THEN " + texts[i+1]
		}
		if len(texts)%2 == 0 {
			out += " ELSE " + texts[len(texts)-1]
		}
		return out + " END"
	}), nil
}

// formatNumber writes digits with commas.
func (w *writing) formatNumber() (string, error) {
	n, err := w.number(1, "how many digits behind the point")
	if err != nil {
		return "", err
	}
	if n < 0 {
		return "CAST(NULL AS VARCHAR)", nil
	}
	pattern := "#,##0"
	if n > 0 {
		pattern += "." + strings.Repeat("0", n)
	}
	return "adf_format_number(CAST(" + w.args[0] + " AS VARCHAR), " + typed.Quote(pattern) + ", 'en')", nil
}

// conversion is a place of a pattern of Java's Formatter.
var conversion = regexp.MustCompile(`%(?:%|n|([-0,+]*)([0-9]+)?(?:\.([0-9]+))?([a-zA-Z]))`)

// formatString puts values in the places of a pattern.
func (w *writing) formatString() (string, error) {
	pattern, err := w.literal(0, "a pattern")
	if err != nil {
		return "", err
	}
	parts := []string{"''"}
	last, arg := 0, 0
	for _, m := range conversion.FindAllStringSubmatchIndex(pattern, -1) {
		parts = append(parts, typed.Quote(pattern[last:m[0]]))
		last = m[1]
		group := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return pattern[m[2*i]:m[2*i+1]]
		}
		switch pattern[m[0]:m[1]] {
		case "%%":
			parts = append(parts, "'%'")
			continue
		case "%n":
			parts = append(parts, "chr(10)")
			continue
		}
		if arg++; arg >= len(w.call.Args) {
			return "", &typed.Misuse{Function: w.name, Argument: 0, Found: "more places than values", Want: "a value for each"}
		}
		text, err := w.converted(arg, group(1), group(2), group(3), group(4))
		if err != nil {
			return "", err
		}
		parts = append(parts, text)
	}
	if strings.Contains(conversion.ReplaceAllString(pattern, ""), "%") {
		return "", &typed.Misuse{Function: w.name, Argument: 0, Found: "a place of another kind in the pattern", Want: "%s, %d, %x or %.2f, with widths"}
	}
	return "(" + strings.Join(append(parts, typed.Quote(pattern[last:])), " || ") + ")", nil
}

// converted is one value in its place.
func (w *writing) converted(i int, flags, width, digits, kind string) (string, error) {
	a := w.call.Args[i]
	wrong := &typed.Misuse{Function: w.name, Argument: i, Found: a.Type.String(), Want: "what %" + kind + " takes"}
	var text string
	switch {
	case kind == "s" && digits == "":
		var err error
		if text, err = typed.Cast(a, schema.String, false); err != nil {
			return "", err
		}
	case kind == "d" && typed.Integral(a.Type):
		text = "CAST(" + a.SQL + " AS VARCHAR)"
		if strings.Contains(flags, ",") {
			text = "format('{:,d}', " + a.SQL + ")"
		}
	case kind == "x" && typed.Integral(a.Type):
		text = "printf('%x', " + a.SQL + ")"
	case kind == "f" && (typed.Fractional(a.Type) || typed.IsDecimal(a.Type)):
		if digits == "" {
			digits = "6"
		}
		text = "adf_rounded(CAST(" + a.SQL + " AS VARCHAR), " + digits + ", 5)"
		if strings.Contains(flags, ",") {
			text = "adf_format_number(" + text + ", " + typed.Quote(strings.TrimSuffix("#,##0."+strings.Repeat("0", len(digits)), ".")) + ", 'en')"
		}
	default:
		return "", wrong
	}
	text = "coalesce(" + text + ", 'null')"
	if width == "" {
		return text, nil
	}
	return typed.Once([]string{text}, func(n []string) string {
		fill := "repeat(%s, greatest(" + width + " - length(" + n[0] + "), 0))"
		switch {
		case strings.Contains(flags, "-"):
			return n[0] + " || " + fmt.Sprintf(fill, "' '")
		case strings.Contains(flags, "0"):
			return "CASE WHEN starts_with(" + n[0] + ", '-') THEN '-' || " + fmt.Sprintf(fill, "'0'") + " || " + n[0] + "[2:] ELSE " +
				fmt.Sprintf(fill, "'0'") + " || " + n[0] + " END"
		}
		return fmt.Sprintf(fill, "' '") + " || " + n[0]
	}), nil
}
