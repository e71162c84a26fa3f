package kernel

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// numberPattern is a pattern of Java's DecimalFormat.
type numberPattern struct {
	prefix, suffix       string
	negPrefix, negSuffix string
	group                int // digits between two separators, 0 for none
	minWhole, maxWhole   int // maxWhole counts in patterns with an exponent
	minPart, maxPart     int
	exponent             int // its least digits, 0 for none
	shift                int // powers of ten: 2 of percent, 3 of per mille
}

// symbols are the signs of a locale.
type symbols struct {
	point  string
	groups []string // the first is written, all are read
}

// localeOf knows the signs by language.
func localeOf(tag string) (symbols, error) {
	language, region, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(tag, "_", "-")), "-")
	spaced := []string{"\u00a0", "\u202f", " "}
	switch {
	case language == "de" && (region == "ch" || region == "li"):
		return symbols{".", []string{"’", "'"}}, nil
	case (language == "es" || language == "en") && (region == "mx" || region == "us"):
		return symbols{".", []string{","}}, nil
	}
	switch language {
	case "", "en", "zh", "ja", "ko", "th", "he", "hi":
		return symbols{".", []string{","}}, nil
	case "de", "es", "it", "nl", "pt", "id", "tr", "da", "el", "vi", "ro", "hr", "sl":
		return symbols{",", []string{"."}}, nil
	case "fr", "nb", "no", "fi", "sv", "cs", "sk", "pl", "ru", "uk", "hu", "bg":
		return symbols{",", spaced}, nil
	}
	return symbols{}, fmt.Errorf("numbers: found the locale %q, want the tag of a known language, as en-US or de", tag)
}

// parseNumberPattern reads a pattern; what stands behind a semicolon is that of
// numbers below zero, of which prefix and suffix count.
func parseNumberPattern(text string) (numberPattern, error) {
	positive, negative, both := cutPattern(text)
	p := numberPattern{}
	number, err := p.affixes(positive, &p.prefix, &p.suffix)
	if err != nil {
		return p, fmt.Errorf("pattern %q: %w", text, err)
	}
	p.negPrefix, p.negSuffix = "-"+p.prefix, p.suffix
	if both {
		p.negPrefix, p.negSuffix = "", ""
		q := numberPattern{}
		if _, err := q.affixes(negative, &p.negPrefix, &p.negSuffix); err != nil {
			return p, fmt.Errorf("pattern %q: %w", text, err)
		}
	}
	if err := p.count(number); err != nil {
		return p, fmt.Errorf("pattern %q: %w", text, err)
	}
	return p, nil
}

// cutPattern cuts at a semicolon that stands in no quotes.
func cutPattern(text string) (positive, negative string, both bool) {
	inside := false
	for i := range len(text) {
		switch {
		case text[i] == '\'':
			inside = !inside
		case text[i] == ';' && !inside:
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// affixes takes prefix and suffix off, and returns the part with the digits.
func (p *numberPattern) affixes(text string, prefix, suffix *string) (string, error) {
	var number strings.Builder
	current := prefix
	for i := 0; i < len(text); {
		c := text[i]
		isNumber := strings.IndexByte("#0,.", c) >= 0 || c == 'E' && current == prefix && number.Len() > 0
		switch {
		case c == '\'':
			plain, next, ok := quoted(text, i)
			if !ok {
				return "", fmt.Errorf("found a quote that does not end")
			}
			if number.Len() > 0 {
				current = suffix
			}
			*current += plain
			i = next
			continue
		case isNumber && current == suffix:
			return "", fmt.Errorf("found %c behind the digits, want it in quotes", c)
		case isNumber:
			number.WriteByte(c)
		default:
			if number.Len() > 0 {
				current = suffix
			}
			if c == '%' {
				p.shift = 2
			} else if strings.HasPrefix(text[i:], "‰") {
				p.shift = 3
			}
			*current += text[i : i+1]
		}
		i++
	}
	if number.Len() == 0 {
		return "", fmt.Errorf("found no digits, want # or 0")
	}
	return number.String(), nil
}

// count reads how many digits stand where.
func (p *numberPattern) count(number string) error {
	mantissa, exponent, scientific := strings.Cut(number, "E")
	if scientific {
		if exponent == "" || strings.Trim(exponent, "0") != "" {
			return fmt.Errorf("found the exponent %q, want zeros", exponent)
		}
		p.exponent = len(exponent)
	}
	whole, part, _ := strings.Cut(mantissa, ".")
	if strings.ContainsAny(part, ".,") || strings.Contains(whole, "0#") || strings.Contains(part, "#0") {
		return fmt.Errorf("found the digits %q, want # outside and 0 inside", mantissa)
	}
	if at := strings.LastIndexByte(whole, ','); at >= 0 {
		p.group = len(whole) - at - 1
	}
	p.minWhole, p.minPart, p.maxPart = strings.Count(whole, "0"), strings.Count(part, "0"), len(part)
	p.maxWhole = len(whole) - strings.Count(whole, ",")
	return nil
}

// formatNumber writes a number, in plain digits, by a pattern.
func formatNumber(text, pattern, locale string) (any, error) {
	p, err := parseNumberPattern(pattern)
	if err != nil {
		return nil, err
	}
	signs, err := localeOf(locale)
	if err != nil {
		return nil, err
	}
	x, ok := rational(text)
	if !ok {
		switch strings.ToLower(strings.TrimLeft(text, "-+")) {
		case "inf", "infinity":
			return affixed(p, strings.HasPrefix(text, "-"), "∞"), nil
		}
		return "NaN", nil
	}
	if p.shift > 0 {
		x.Mul(x, power(p.shift))
	}
	negative := x.Sign() < 0
	digits := p.digits(x.Abs(x), signs)
	if strings.Trim(digits, "0.,"+signs.point+signs.groups[0]) == "" {
		negative = false
	}
	return affixed(p, negative, digits), nil
}

func affixed(p numberPattern, negative bool, digits string) string {
	if negative {
		return p.negPrefix + digits + p.negSuffix
	}
	return p.prefix + digits + p.suffix
}

// power is a power of ten.
func power(n int) *big.Rat {
	out := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n, -n))), nil))
	if n < 0 {
		out.Inv(out)
	}
	return out
}

// digits writes a number that is not below zero.
func (p numberPattern) digits(x *big.Rat, signs symbols) string {
	if p.exponent > 0 {
		return p.scientific(x, signs)
	}
	whole, part, _ := strings.Cut(rounded(x, int64(p.maxPart), roundHalfEven), ".")
	part = trimmed(part, p.minPart)
	whole = strings.TrimLeft(whole, "0")
	if missing := p.minWhole - len(whole); missing > 0 {
		whole = strings.Repeat("0", missing) + whole
	}
	if whole == "" && part == "" {
		whole = "0"
	}
	return p.grouped(whole, signs.groups[0]) + pointedPart(part, signs)
}

func pointedPart(part string, signs symbols) string {
	if part == "" {
		return ""
	}
	return signs.point + part
}

// trimmed takes zeros off the end, down to a length.
func trimmed(part string, least int) string {
	for len(part) > least && strings.HasSuffix(part, "0") {
		part = part[:len(part)-1]
	}
	return part
}

func (p numberPattern) grouped(whole, sign string) string {
	if p.group == 0 {
		return whole
	}
	for at := len(whole) - p.group; at > 0; at -= p.group {
		whole = whole[:at] + sign + whole[at:]
	}
	return whole
}

// scientific writes a number with an exponent: a multiple of the digits before
// the point where the pattern leaves their number open.
func (p numberPattern) scientific(x *big.Rat, signs symbols) string {
	exponent := 0
	if x.Sign() > 0 {
		exponent = magnitude(x)
	}
	part := p.maxPart
	if p.maxWhole > p.minWhole && p.maxWhole > 1 {
		size := p.maxWhole
		over := ((exponent % size) + size) % size
		exponent -= over
		part = max(p.minWhole+p.maxPart-over-1, 0)
	} else if x.Sign() > 0 {
		exponent -= max(p.minWhole, 1) - 1
	}
	mantissa := new(big.Rat).Mul(x, power(-exponent))
	whole, fraction, _ := strings.Cut(rounded(mantissa, int64(part), roundHalfEven), ".")
	fraction = trimmed(fraction, p.minPart)
	digits := strconv.Itoa(max(exponent, -exponent))
	if missing := p.exponent - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	sign := ""
	if exponent < 0 {
		sign = "-"
	}
	return whole + pointedPart(fraction, signs) + "E" + sign + digits
}

// magnitude is the power of ten of the first digit of a number above zero.
func magnitude(x *big.Rat) int {
	n := len(x.Num().String()) - len(x.Denom().String())
	if x.Cmp(power(n)) < 0 {
		n--
	}
	return n
}

// parseNumber reads a number by a pattern, and writes it in plain digits; nil if
// the text is none.
func parseNumber(text, pattern, locale string) (any, error) {
	p, err := parseNumberPattern(pattern)
	if err != nil {
		return nil, err
	}
	signs, err := localeOf(locale)
	if err != nil {
		return nil, err
	}
	digits, negative, ok := p.strip(text)
	if !ok {
		return nil, nil
	}
	whole, part, _ := strings.Cut(digits, signs.point)
	part, exponent, _ := strings.Cut(part, "E")
	if p.exponent > 0 && part == "" {
		whole, exponent, _ = strings.Cut(whole, "E")
	}
	if p.group > 0 {
		for _, g := range signs.groups {
			whole = strings.ReplaceAll(whole, g, "")
		}
	}
	if !plainDigits(whole) || !plainDigits(part) || whole+part == "" || !plainDigits(strings.TrimPrefix(exponent, "-")) {
		return nil, nil
	}
	return shifted(whole, part, exponent, p.shift, negative), nil
}

// strip takes prefix and suffix off.
func (p numberPattern) strip(text string) (digits string, negative, ok bool) {
	if digits, ok = within(text, p.negPrefix, p.negSuffix); ok {
		return digits, true, true
	}
	digits, ok = within(text, p.prefix, p.suffix)
	return digits, false, ok
}

func within(text, before, after string) (string, bool) {
	inner, begins := strings.CutPrefix(text, before)
	inner, ends := strings.CutSuffix(inner, after)
	return inner, begins && ends
}

func plainDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// shifted writes digits and an exponent as a plain number.
func shifted(whole, part, exponent string, shift int, negative bool) any {
	n, err := strconv.Atoi("0" + strings.TrimPrefix(exponent, "-"))
	if err != nil || n > 400 {
		return nil
	}
	if strings.HasPrefix(exponent, "-") {
		n = -n
	}
	x, ok := rational("0" + whole + "." + part + "0")
	if !ok {
		return nil
	}
	x.Mul(x, power(n-shift))
	if negative {
		x.Neg(x)
	}
	text := rounded(x, int64(max(len(part)-n+shift, 0)), roundDown)
	return text
}
