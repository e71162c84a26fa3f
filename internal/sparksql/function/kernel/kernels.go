// Package kernel computes in Go, for a row at a time, what DuckDB has no words
// for: Java's patterns of times, the hashes of Spark, decimals of 38 digits.
package kernel

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"landfall/internal/plan/function/kernel"
	"landfall/internal/schema"
)

// All lists the kernels that texts of DuckDB call, those of the package
// plan/function/kernel among them.
func All() []kernel.Kernel {
	const text, long, double, bytes = schema.String, schema.Long, schema.Double, schema.Binary
	of := func(name string, result schema.Type, call func(args []any) (any, error), args ...schema.Type) kernel.Kernel {
		return kernel.Kernel{Name: name, Args: args, Result: result, Call: call}
	}
	return append(kernel.All(),
		of("spark_decimal", text, func(a []any) (any, error) { return decimalOf(a, false) }, text, text, text, long, long),
		of("spark_try_decimal", text, func(a []any) (any, error) { return decimalOf(a, true) }, text, text, text, long, long),
		of("spark_format_time", text, func(a []any) (any, error) { return formatTime(longOf(a[0]), textOf(a[1])) }, long, text),
		of("spark_parse_time", long, func(a []any) (any, error) { return mustParseTime(textOf(a[0]), textOf(a[1])) }, text, text),
		of("spark_try_parse_time", long, func(a []any) (any, error) { return parseTime(textOf(a[0]), textOf(a[1])) }, text, text),
		of("spark_split_text", text, func(a []any) (any, error) { return splitText(textOf(a[0]), textOf(a[1]), longOf(a[2])) }, text, text, long),
		of("spark_url_encode", text, func(a []any) (any, error) { return urlEncoded(textOf(a[0])), nil }, text),
		of("spark_url_decode", text, func(a []any) (any, error) { return urlDecoded(textOf(a[0])) }, text),
		of("spark_try_url_decode", text, func(a []any) (any, error) { return soft(urlDecoded(textOf(a[0]))) }, text),
		of("spark_try_parse_url", text, func(a []any) (any, error) { return soft(parseURL(textOf(a[0]), textOf(a[1]))) }, text, text),
		of("spark_try_parse_url_key", text, func(a []any) (any, error) { return soft(parameterOf(textOf(a[0]), textOf(a[1]), textOf(a[2]))) }, text, text, text),
		of("spark_parse_url", text, func(a []any) (any, error) { return parseURL(textOf(a[0]), textOf(a[1])) }, text, text),
		of("spark_parse_url_key", text, func(a []any) (any, error) { return parameterOf(textOf(a[0]), textOf(a[1]), textOf(a[2])) }, text, text, text),
		of("spark_json_object", text, func(a []any) (any, error) { return jsonObject(textOf(a[0]), textOf(a[1])), nil }, text, text),
		of("spark_json_of", text, func(a []any) (any, error) { return jsonOf(textOf(a[0]), textOf(a[1])) }, text, text),
		of("spark_mask", text, func(a []any) (any, error) {
			return masked(textOf(a[0]), textOf(a[1]), textOf(a[2]), textOf(a[3]), textOf(a[4])), nil
		}, text, text, text, text, text),
		of("spark_luhn", long, func(a []any) (any, error) { return luhn(textOf(a[0])), nil }, text),
		of("spark_conv", text, func(a []any) (any, error) { return converted(textOf(a[0]), longOf(a[1]), longOf(a[2])), nil }, text, long, long),
		of("spark_cbrt", double, func(a []any) (any, error) { return math.Cbrt(doubleOf(a[0])), nil }, double),
		of("spark_hash_int", long, func(a []any) (any, error) { return murmurInt(longOf(a[0]), longOf(a[1])), nil }, long, long),
		of("spark_hash_long", long, func(a []any) (any, error) { return murmurLong(longOf(a[0]), longOf(a[1])), nil }, long, long),
		of("spark_hash_double", long, func(a []any) (any, error) { return murmurLong(doubleBits(a[0]), longOf(a[1])), nil }, double, long),
		of("spark_hash_float", long, func(a []any) (any, error) { return murmurInt(floatBits(a[0]), longOf(a[1])), nil }, double, long),
		of("spark_hash_bytes", long, func(a []any) (any, error) { return murmurBytes(bytesOf(a[0]), longOf(a[1])), nil }, bytes, long),
		of("spark_xxhash64_int", long, func(a []any) (any, error) { return xxInt(longOf(a[0]), longOf(a[1])), nil }, long, long),
		of("spark_xxhash64_long", long, func(a []any) (any, error) { return xxLong(longOf(a[0]), longOf(a[1])), nil }, long, long),
		of("spark_xxhash64_double", long, func(a []any) (any, error) { return xxLong(doubleBits(a[0]), longOf(a[1])), nil }, double, long),
		of("spark_xxhash64_float", long, func(a []any) (any, error) { return xxInt(floatBits(a[0]), longOf(a[1])), nil }, double, long),
		of("spark_xxhash64_bytes", long, func(a []any) (any, error) { return xxBytes(bytesOf(a[0]), longOf(a[1])), nil }, bytes, long),
	)
}

// The values of an argument: what is of another type is a mistake of the
// session, and makes the zero value.

func textOf(v any) string { s, _ := v.(string); return s }

func longOf(v any) int64 { n, _ := v.(int64); return n }

func doubleOf(v any) float64 { x, _ := v.(float64); return x }

func bytesOf(v any) []byte { b, _ := v.([]byte); return b }

// soft is a value that is nil where there is an error.
func soft(v any, err error) (any, error) {
	if err != nil {
		return nil, nil
	}
	return v, nil
}

// decimalOf computes an operator of two decimals exactly, and rounds to a scale,
// halves away from zero.
func decimalOf(args []any, try bool) (any, error) {
	x, okX := new(big.Rat).SetString(textOf(args[1]))
	y, okY := new(big.Rat).SetString(textOf(args[2]))
	if !okX || !okY {
		return nil, fmt.Errorf("spark_decimal: found %v", args)
	}
	op := textOf(args[0])
	if y.Sign() == 0 && strings.Contains("/%div", op) {
		if try {
			return nil, nil
		}
		return nil, fmt.Errorf("DIVIDE_BY_ZERO: found a divisor of 0, want another; try_divide gives NULL")
	}
	switch op {
	case "+":
		x.Add(x, y)
	case "-":
		x.Sub(x, y)
	case "*":
		x.Mul(x, y)
	case "/":
		x.Quo(x, y)
	default:
		q := new(big.Rat).Quo(x, y)
		whole := new(big.Rat).SetInt(new(big.Int).Quo(q.Num(), q.Denom()))
		if op == "div" {
			x = whole
		} else {
			x.Sub(x, y.Mul(y, whole))
		}
	}
	out, err := digits(x, int(longOf(args[3])), int(longOf(args[4])))
	if err != nil && try {
		return nil, nil
	}
	return out, err
}

// digits writes a number as a decimal, if it is one of so many digits.
func digits(x *big.Rat, precision, scale int) (any, error) {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	scaled := new(big.Rat).Mul(x, new(big.Rat).SetInt(power))
	whole, rest := new(big.Int).QuoRem(scaled.Num(), scaled.Denom(), new(big.Int))
	if rest.Abs(rest).Lsh(rest, 1).Cmp(scaled.Denom()) >= 0 {
		whole.Add(whole, big.NewInt(int64(scaled.Sign())))
	}
	if len(new(big.Int).Abs(whole).String()) > precision {
		return nil, fmt.Errorf("NUMERIC_VALUE_OUT_OF_RANGE: found %s, want a decimal(%d,%d)", x.FloatString(scale), precision, scale)
	}
	return new(big.Rat).SetFrac(whole, power).FloatString(scale), nil
}

// splitText is the parts of a text between matches of an expression of RE2, as
// a JSON array. An empty match at the beginning parts nothing; without an
// expression each character is a part.
func splitText(text, expression string, limit int64) (any, error) {
	var parts []string
	if expression == "" && text != "" {
		parts = strings.Split(text, "")
		if limit > 0 && int64(len(parts)) > limit {
			parts = parts[:limit]
		}
	} else {
		re, err := regexp.Compile(expression)
		if err != nil {
			return nil, fmt.Errorf("split: %w", err)
		}
		last := 0
		for _, m := range re.FindAllStringIndex(text, -1) {
			if limit > 0 && int64(len(parts)) >= limit-1 {
				break
			}
			if m[1] == 0 {
				continue
			}
			parts = append(parts, text[last:m[0]])
			last = m[1]
		}
		parts = append(parts, text[last:])
	}
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(parts)
	return strings.TrimSpace(out.String()), err
}

// urlEncoded is a text as Java's URLEncoder writes it.
func urlEncoded(text string) string {
	return strings.NewReplacer("~", "%7E", "%2A", "*").Replace(url.QueryEscape(text))
}

func urlDecoded(text string) (any, error) {
	out, err := url.QueryUnescape(text)
	if err != nil {
		return nil, fmt.Errorf("CANNOT_DECODE_URL: found %q, want %% with two hexadecimal digits", text)
	}
	return out, nil
}

// parseURL is a part of a URL; nil if it has none.
func parseURL(text, part string) (any, error) {
	u, err := url.Parse(text)
	if err != nil || strings.ContainsAny(text, " {}<>\"\\^`|") {
		return nil, fmt.Errorf("INVALID_URL: found %q, want a URL", text)
	}
	some := func(s string) (any, error) {
		if s == "" {
			return nil, nil
		}
		return s, nil
	}
	switch part {
	case "HOST":
		return some(u.Hostname())
	case "PATH":
		return u.EscapedPath(), nil
	case "QUERY":
		return some(u.RawQuery)
	case "REF":
		return some(u.EscapedFragment())
	case "PROTOCOL":
		return some(u.Scheme)
	case "FILE":
		if u.RawQuery != "" {
			return u.EscapedPath() + "?" + u.RawQuery, nil
		}
		return u.EscapedPath(), nil
	case "AUTHORITY":
		if u.User != nil {
			return u.User.String() + "@" + u.Host, nil
		}
		return some(u.Host)
	case "USERINFO":
		return some(u.User.String())
	}
	return nil, nil
}

// parameterOf is a parameter of the query of a URL; nil of another part.
func parameterOf(text, part, key string) (any, error) {
	if part != "QUERY" {
		return nil, nil
	}
	query, err := parseURL(text, part)
	for _, pair := range strings.Split(textOf(query), "&") {
		if k, v, ok := strings.Cut(pair, "="); ok && k == key {
			return v, err
		}
	}
	return nil, err
}

// masked has others for capitals, small letters, digits and the rest; "" leaves
// them.
func masked(text, upper, lower, digit, rest string) string {
	var out strings.Builder
	for _, c := range text {
		other := rest
		switch {
		case unicode.IsUpper(c):
			other = upper
		case unicode.IsLower(c):
			other = lower
		case unicode.IsDigit(c):
			other = digit
		}
		if other == "" {
			out.WriteRune(c)
		}
		out.WriteString(other)
	}
	return out.String()
}

// luhn is 1 if digits end with their check digit.
func luhn(text string) int64 {
	sum := 0
	for i := range len(text) {
		c := text[len(text)-1-i]
		if c < '0' || c > '9' {
			return 0
		}
		n := int(c - '0')
		if i%2 == 1 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	if text == "" || sum%10 != 0 {
		return 0
	}
	return 1
}

// converted writes the whole number that a text begins with in another base.
// Numbers are of 64 bits without a sign; one is written for a negative base.
func converted(text string, from, to int64) any {
	size := max(to, -to)
	if from < 2 || from > 36 || size < 2 || size > 36 {
		return nil
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	text, negative := strings.CutPrefix(text, "-")
	n := new(big.Int)
	for _, c := range strings.ToLower(text) {
		d := strings.IndexRune("0123456789abcdefghijklmnopqrstuvwxyz", c)
		if d < 0 || int64(d) >= from {
			break
		}
		n.Add(n.Mul(n, big.NewInt(from)), big.NewInt(int64(d)))
	}
	most := new(big.Int).Lsh(big.NewInt(1), 64)
	if n.Cmp(most) >= 0 {
		n.Sub(most, big.NewInt(1))
		negative = false
	}
	if negative && to > 0 && n.Sign() != 0 {
		n.Sub(most, n)
	}
	out := strings.ToUpper(n.Text(int(size)))
	if negative && to < 0 {
		out = "-" + out
	}
	return out
}
