package value_test

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/value"
)

// A slow second opinion on numbers, by regular expressions and rationals.
var (
	integerText  = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	decimalText  = regexp.MustCompile(`^-?(0|[1-9][0-9]*)\.[0-9]+$`)
	exponentText = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?[eE][-+]?[0-9]+$`)
	idText       = regexp.MustCompile(`^[0-9-]*[eE][0-9]+$`)
	numeralText  = regexp.MustCompile(`^[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
	zeroText     = regexp.MustCompile(`^-0(\.0+)?$`)
)

// rational returns the value of a number, nil if its exponent is beyond reason.
func rational(text string) *big.Rat {
	if _, exponent, ok := strings.Cut(strings.ToLower(text), "e"); ok {
		if n, err := strconv.Atoi(exponent); err != nil || n > 2000 || n < -2000 {
			return nil
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return r
}

// hasDigits reports whether the shortest text of the nearest float has the
// digits of text.
func hasDigits(text string, bits int) bool {
	v, err := strconv.ParseFloat(text, bits)
	want := rational(text)
	if want == nil { // zero, whatever its exponent
		mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
		return strings.Trim(mantissa, "-0.") == ""
	}
	if err != nil {
		return false
	}
	got := rational(strconv.FormatFloat(v, 'e', -1, bits))
	if got.Cmp(want) != 0 {
		return false
	}
	return !integerText.MatchString(text) || new(big.Rat).SetFloat64(v).Cmp(want) == 0
}

func classOf(text string) (value.Class, bool) {
	switch {
	case !numeralText.MatchString(text):
		return 0, false
	case zeroText.MatchString(text):
		return value.Float, true
	case integerText.MatchString(text):
		_, err := strconv.ParseInt(text, 10, 64)
		switch {
		case err != nil:
			return value.IntegerBig, true
		case hasDigits(text, 64):
			return value.IntegerExact, true
		}
		return value.IntegerLong, true
	case decimalText.MatchString(text) && hasDigits(text, 64):
		return value.DecimalExact, true
	case decimalText.MatchString(text):
		return value.DecimalInexact, true
	case exponentText.MatchString(text) && !idText.MatchString(text) && hasDigits(text, 64):
		return value.Float, true
	}
	return value.Code, true
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkText holds classes and conversions of one text against each other and
// against the second opinion.
func checkText(t failer, text string) {
	t.Helper()
	f := new(value.Forms)
	b := []byte(text)
	shape := f.Text(b)
	want, numeral := classOf(text)
	if numeral && shape.Class != want {
		t.Fatalf("%q: got %v, want %v", text, shape.Class, want)
	}
	number := shape.Class >= value.IntegerExact && shape.Class <= value.Float
	if !numeral && (number || shape.Class == value.Code) {
		t.Fatalf("%q: got %v, want no number", text, shape.Class)
	}
	checkWhole(t, f, text, shape)
	checkFloats(t, f, text, shape.Class, number)
	_, isDay := f.Day(b)
	at, isInstant := f.Instant(b)
	isTime := shape.Class == value.TimestampZoned || shape.Class == value.TimestampLocal
	if isDay != (shape.Class == value.Date) || (isInstant && at.Exact) != (isDay || isTime) || at.Zoned != (shape.Class == value.TimestampZoned) && at.Exact {
		t.Fatalf("%q is %v: day %v, instant %v %+v", text, shape.Class, isDay, isInstant, at)
	}
	if _, ok := f.Boolean(b); ok != (shape.Class == value.Boolean) {
		t.Fatalf("%q is %v: boolean %v", text, shape.Class, ok)
	}
}

// checkWhole checks Long, Decimal and the lengths of digits.
func checkWhole(t failer, f *value.Forms, text string, shape value.Shape) {
	t.Helper()
	exact := shape.Class >= value.IntegerExact && shape.Class <= value.DecimalInexact
	if !exact && (shape.Whole != 0 || shape.Scale != 0) {
		t.Fatalf("%q is %v: got %d digits and %d", text, shape.Class, shape.Whole, shape.Scale)
	}
	v, ok := f.Long([]byte(text))
	want := new(big.Rat)
	isLong := false
	if exact {
		want = rational(text)
		isLong = want.IsInt() && want.Num().IsInt64()
	}
	if ok != isLong || ok && new(big.Rat).SetInt64(v).Cmp(want) != 0 {
		t.Fatalf("%q as a long: got %d, %v", text, v, ok)
	}
	for _, p := range []int{1, 10, 18, 19, 38} {
		for _, s := range []int{0, 1, p / 2, p} {
			fits := exact && shape.Whole <= p-s && shape.Scale <= s
			d, ok := f.Decimal([]byte(text), p, s)
			if ok != fits {
				t.Fatalf("%q as a decimal(%d,%d): %v, want %v", text, p, s, ok, fits)
			}
			scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(s)), nil)
			if ok && new(big.Rat).SetFrac(unscaled(d), scale).Cmp(want) != 0 {
				t.Fatalf("%q as a decimal(%d,%d): got %v", text, p, s, unscaled(d))
			}
		}
	}
	if exact {
		whole, fraction, _ := strings.Cut(strings.TrimPrefix(text, "-"), ".")
		if n := len(strings.TrimLeft(whole, "0")); n != shape.Whole {
			t.Fatalf("%q: %d digits before the point, want %d", text, shape.Whole, n)
		}
		if n := len(strings.TrimRight(fraction, "0")); n != shape.Scale {
			t.Fatalf("%q: %d digits behind the point, want %d", text, shape.Scale, n)
		}
	}
}

// checkFloats checks Double, Float and NumberDouble.
func checkFloats(t failer, f *value.Forms, text string, c value.Class, number bool) {
	t.Helper()
	for _, bits := range []int{64, 32} {
		v, ok := f.Double([]byte(text))
		if bits == 32 {
			var narrow float32
			narrow, ok = f.Float([]byte(text))
			v = float64(narrow)
		}
		if want := c == value.Special || number && hasDigits(text, bits); ok != want {
			t.Fatalf("%q is %v: float of %d bits %v, %v, want %v", text, c, bits, v, ok, want)
		}
		if ok && number {
			want, err := strconv.ParseFloat(text, bits)
			if err != nil || math.Float64bits(want) != math.Float64bits(v) {
				t.Fatalf("%q: got %v, want %v, %v", text, v, want, err)
			}
		}
	}
	if v, ok := f.Double([]byte(text)); ok && !math.IsNaN(v) {
		if bare, ok := f.NumberDouble([]byte(text)); !ok || bare != v {
			t.Fatalf("%q bare: got %v, %v, want %v", text, bare, ok, v)
		}
	}
	bare := f.Number([]byte(text)).Class
	_, ok := f.NumberDouble([]byte(text))
	switch bare {
	case value.IntegerExact, value.DecimalExact, value.Float, value.Special:
		if !ok {
			t.Fatalf("%q bare is %v and no double", text, bare)
		}
	case value.IntegerBig: // a double has some
	default:
		if ok {
			t.Fatalf("%q bare is %v and a double", text, bare)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{
		"", "0", "-0", "007", "1e5", "1.5E-7", "9007199254740993", "0.30000000000000004", "2026-11-30T10:00:00.123456789+02:00",
		"N/A", "true", "-Infinity", "5e-324", "1e400", "100000000000000000000", "1152921504606846976", "2026-02-29",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 1000 { // big.Rat is not linear
			checkText(t, text)
		}
	})
}

func TestTextProperty(t *testing.T) {
	digits := rapid.OneOf(
		rapid.StringMatching(`[0-9]{1,20}`), rapid.StringMatching(`[1-9]?0{0,25}`), rapid.StringMatching(`[1-9][0-9]{14,18}0{0,3}`),
	)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"", "", "", "-", "+"}).Draw(t, "sign") + digits.Draw(t, "whole")
		if rapid.Bool().Draw(t, "point") {
			text += "." + digits.Draw(t, "fraction")
		}
		if rapid.IntRange(0, 3).Draw(t, "exponent") == 0 {
			text += rapid.StringMatching(`[eE][-+]?0?[0-9]{1,3}`).Draw(t, "e")
		}
		checkText(t, text)
	})
}

// TestDoubleProperty reads doubles back from their shortest text.
func TestDoubleProperty(t *testing.T) {
	f := new(value.Forms)
	rapid.Check(t, func(t *rapid.T) {
		v := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		if math.IsNaN(v) {
			v = 0.1
		}
		text := strconv.FormatFloat(v, 'e', -1, 64)
		text = strings.Replace(text, "+Inf", "Inf", 1)
		if got, ok := f.Double([]byte(text)); !ok || math.Float64bits(got) != math.Float64bits(v) {
			t.Fatalf("%s: got %v, %v", text, got, ok)
		}
		narrow := float32(v)
		text = strings.Replace(strconv.FormatFloat(float64(narrow), 'e', -1, 32), "+Inf", "Inf", 1)
		if got, ok := f.Float([]byte(text)); !ok || math.Float32bits(got) != math.Float32bits(narrow) {
			t.Fatalf("%s: got %v, %v", text, got, ok)
		}
	})
}

func FuzzCompilePattern(f *testing.F) {
	for _, s := range []string{
		"yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]", "dMMyyyy", "y''[[h]a]S", "'", "[", "VV z Z x X", "MMMM d, yyyy h:mm a",
	} {
		f.Add(s, "2026-11-30T10:00:00.123+02:00")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		p, err := value.CompilePattern(pattern)
		if err != nil {
			return
		}
		forms := &value.Forms{Date: p, Timestamp: p, TimestampNTZ: p}
		at, ok := forms.Instant([]byte(text))
		wall, isWall := forms.Wall([]byte(text))
		if ok && !at.Zoned && (!isWall || wall.Micros != at.Micros) {
			t.Fatalf("%q of %q: instant %+v, wall %+v, %v", pattern, text, at, wall, isWall)
		}
		if day, isDay := forms.Day([]byte(text)); isDay && (!ok || at.Micros != day*86_400_000_000) {
			t.Fatalf("%q of %q: day %d, instant %+v, %v", pattern, text, day, at, ok)
		}
	})
}
