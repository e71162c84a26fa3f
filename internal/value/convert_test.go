package value_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"landfall/internal/value"
)

func TestLong(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
	}{
		{"0", 0},
		{"7", 7},
		{"-7", -7},
		{"1.0", 1},
		{"-12.000", -12},
		{"0.0", 0},
		{"123456789012345", 123456789012345},
		{"1234567890123456789", 1234567890123456789},
		{"9223372036854775807", math.MaxInt64},
		{"-9223372036854775808", math.MinInt64},
		{"9223372036854775807.00", math.MaxInt64},
	} {
		if got, ok := new(value.Forms).Long([]byte(c.text)); !ok || got != c.want {
			t.Errorf("%q: got %d, %v", c.text, got, ok)
		}
	}
	for _, text := range []string{
		"", "-", "-0", "-0.0", "007", "+5", "1.5", "1e2", "1.0e+2", "9223372036854775808", "-9223372036854775809",
		"99999999999999999999", " 1", "1 ", "1.", ".0", "x", "NaN", "true", "2026-11-30",
	} {
		if got, ok := new(value.Forms).Long([]byte(text)); ok {
			t.Errorf("%q: got %d, want none", text, got)
		}
	}
}

func TestDecimal(t *testing.T) {
	for _, c := range []struct {
		text             string
		precision, scale int
		want             string // "" for none
	}{
		{"0", 1, 0, "0"},
		{"0", 1, 1, "0"},
		{"0.5", 1, 1, "5"},
		{"0.50", 1, 1, "5"},
		{"-12.5", 5, 2, "-1250"},
		{"123", 5, 2, "12300"},
		{"1234", 5, 2, ""},
		{"1.234", 5, 2, ""},
		{"1.2300", 5, 2, "123"},
		{"1.0", 1, 0, "1"},
		{"18446744073709551616", 38, 0, "18446744073709551616"},
		{"-18446744073709551616", 38, 0, "-18446744073709551616"},
		{"-1", 38, 37, "-1" + strings.Repeat("0", 37)},
		{strings.Repeat("9", 38), 38, 0, strings.Repeat("9", 38)},
		{"-" + strings.Repeat("9", 38), 38, 0, "-" + strings.Repeat("9", 38)},
		{"0." + strings.Repeat("9", 38), 38, 38, strings.Repeat("9", 38)},
		{strings.Repeat("9", 39), 38, 0, ""},
		{"1", 39, 0, ""},
		{"1", 3, 4, ""},
		{"1", 3, -1, ""},
		{"-0", 3, 0, ""},
		{"-0.0", 3, 1, ""},
		{"007", 3, 0, ""},
		{"+7", 3, 0, ""},
		{"1e2", 3, 0, ""},
		{"1.5e+1", 3, 0, ""},
		{"NaN", 3, 0, ""},
		{"", 3, 0, ""},
	} {
		got, ok := new(value.Forms).Decimal([]byte(c.text), c.precision, c.scale)
		if text := ""; ok != (c.want != "") || ok && unscaled(got).String() != c.want {
			if ok {
				text = unscaled(got).String()
			}
			t.Errorf("%q as decimal(%d,%d): got %q, want %q", c.text, c.precision, c.scale, text, c.want)
		}
	}
}

func unscaled(v value.Int128) *big.Int {
	out := new(big.Int).Lsh(big.NewInt(v.High), 64)
	return out.Add(out, new(big.Int).SetUint64(v.Low))
}

func TestDouble(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64
	}{
		{"0", 0},
		{"-0", math.Copysign(0, -1)},
		{"-0.00", math.Copysign(0, -1)},
		{"-0.0e-5", math.Copysign(0, -1)},
		{"1", 1},
		{"-2.50", -2.5},
		{"0.1", 0.1},
		{"1.5E-7", 1.5e-7},
		{"2e+10", 2e10},
		{"9007199254740992", 1 << 53},
		{"100000000000000000000", 1e20},
		{"5e-324", 5e-324},
		{"1.7976931348623157e+308", math.MaxFloat64},
		{"Inf", math.Inf(1)},
		{"-Infinity", math.Inf(-1)},
	} {
		got, ok := new(value.Forms).Double([]byte(c.text))
		if !ok || math.Float64bits(got) != math.Float64bits(c.want) {
			t.Errorf("%q: got %v, %v", c.text, got, ok)
		}
	}
	if v, ok := new(value.Forms).Double([]byte("NaN")); !ok || !math.IsNaN(v) {
		t.Errorf("NaN: got %v, %v", v, ok)
	}
	for _, text := range []string{
		"", "9007199254740993", "1152921504606847000", "1152921504606846976", "100000000000000000000000", "0.30000000000000001",
		"12345678901234567.89", "1e5", "39e1804", "007", "+1", "1e+400", "2e-324", ".5", "5.", "x", "nan", "0x10", "1_0", "INF",
	} {
		if got, ok := new(value.Forms).Double([]byte(text)); ok {
			t.Errorf("%q: got %v, want none", text, got)
		}
	}
}

func TestNumberDouble(t *testing.T) {
	for _, c := range []struct {
		raw  string
		want float64
	}{
		{"1e5", 1e5}, {"1E5", 1e5}, {"1e-7", 1e-7}, {"-0", math.Copysign(0, -1)}, {"3", 3}, {"+INF", math.Inf(1)}, {"-INF", math.Inf(-1)},
	} {
		got, ok := new(value.Forms).NumberDouble([]byte(c.raw))
		if !ok || math.Float64bits(got) != math.Float64bits(c.want) {
			t.Errorf("%q: got %v, %v", c.raw, got, ok)
		}
	}
	for _, raw := range []string{"1e400", "9007199254740993", "01", "1.23456789012345678e3", "true", ""} {
		if got, ok := new(value.Forms).NumberDouble([]byte(raw)); ok {
			t.Errorf("%q: got %v, want none", raw, got)
		}
	}
}

func TestFloat(t *testing.T) {
	for _, c := range []struct {
		text string
		want float32
	}{
		{"0.1", 0.1}, {"-2.5", -2.5}, {"16777216", 1 << 24}, {"3.4028235e+38", math.MaxFloat32}, {"Inf", float32(math.Inf(1))},
	} {
		got, ok := new(value.Forms).Float([]byte(c.text))
		if !ok || got != c.want {
			t.Errorf("%q: got %v, %v", c.text, got, ok)
		}
	}
	if got, ok := new(value.Forms).Float([]byte("-0")); !ok || !math.Signbit(float64(got)) {
		t.Errorf("-0: got %v, %v", got, ok)
	}
	for _, text := range []string{"16777217", "0.1234567891", "1e+39", "1e-50", "134217728", "01", "1e5"} {
		if got, ok := new(value.Forms).Float([]byte(text)); ok {
			t.Errorf("%q: got %v, want none", text, got)
		}
	}
}
