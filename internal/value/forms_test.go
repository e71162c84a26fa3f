package value_test

import (
	"strings"
	"testing"
	"time"

	"landfall/internal/value"
)

func shape(c value.Class, whole, scale int) value.Shape {
	return value.Shape{Class: c, Whole: whole, Scale: scale}
}

func TestText(t *testing.T) {
	long := strings.Repeat("9", 10_000)
	for _, c := range []struct {
		text string
		want value.Shape
	}{
		{"", shape(value.Empty, 0, 0)},

		{"N/A", shape(value.NullLike, 0, 0)},
		{"NA", shape(value.NullLike, 0, 0)},
		{"na", shape(value.NullLike, 0, 0)},
		{"#N/A", shape(value.NullLike, 0, 0)},
		{"null", shape(value.NullLike, 0, 0)},
		{"NULL", shape(value.NullLike, 0, 0)},
		{"None", shape(value.NullLike, 0, 0)},
		{"nil", shape(value.NullLike, 0, 0)},
		{"-", shape(value.NullLike, 0, 0)},
		{"--", shape(value.NullLike, 0, 0)},
		{"?", shape(value.NullLike, 0, 0)},
		{`\N`, shape(value.NullLike, 0, 0)},
		{`\n`, shape(value.NullLike, 0, 0)},
		{".", shape(value.Text, 0, 0)},
		{"---", shape(value.Text, 0, 0)},
		{"nan", shape(value.Text, 0, 0)},
		{"NaN.", shape(value.Text, 0, 0)},
		{"nulls", shape(value.Text, 0, 0)},
		{" ", shape(value.Text, 0, 0)},

		{"0", shape(value.IntegerExact, 0, 0)},
		{"42", shape(value.IntegerExact, 2, 0)},
		{"-7", shape(value.IntegerExact, 1, 0)},
		{"100", shape(value.IntegerExact, 3, 0)},
		{"999999999999999", shape(value.IntegerExact, 15, 0)},
		{"9007199254740992", shape(value.IntegerExact, 16, 0)},
		{"9007199254740993", shape(value.IntegerLong, 16, 0)},
		{"9007199254740994", shape(value.IntegerExact, 16, 0)},
		{"-9007199254740993", shape(value.IntegerLong, 16, 0)},
		{"1000000000000000000", shape(value.IntegerExact, 19, 0)},
		// 2^60 is a double, but one whose shortest text is 1.152921504606847e18;
		// and the integer of those digits is another.
		{"1152921504606846976", shape(value.IntegerLong, 19, 0)},
		{"1152921504606847000", shape(value.IntegerLong, 19, 0)},
		{"9223372036854775807", shape(value.IntegerLong, 19, 0)},
		{"-9223372036854775808", shape(value.IntegerLong, 19, 0)},
		{"9223372036854775808", shape(value.IntegerBig, 19, 0)},
		{"-9223372036854775809", shape(value.IntegerBig, 19, 0)},
		{"100000000000000000000", shape(value.IntegerBig, 21, 0)},
		{long, shape(value.IntegerBig, 10_000, 0)},

		{"0.5", shape(value.DecimalExact, 0, 1)},
		{"0.50", shape(value.DecimalExact, 0, 1)},
		{"-12.50", shape(value.DecimalExact, 2, 1)},
		{"1.0", shape(value.DecimalExact, 1, 0)},
		{"0.0", shape(value.DecimalExact, 0, 0)},
		{"99.90", shape(value.DecimalExact, 2, 1)},
		{"166.47135", shape(value.DecimalExact, 3, 5)},
		{"0.00001", shape(value.DecimalExact, 0, 5)},
		{"12345678901234567.89", shape(value.DecimalInexact, 17, 2)},
		{"9007199254740993.0", shape(value.DecimalInexact, 16, 0)},
		{"0.30000000000000004", shape(value.DecimalExact, 0, 17)},
		{"0.30000000000000001", shape(value.DecimalInexact, 0, 17)},
		{"0." + strings.Repeat("0", 400) + "1", shape(value.DecimalInexact, 0, 401)},
		{"0." + strings.Repeat("0", 310) + "1", shape(value.DecimalExact, 0, 311)},
		{"1." + strings.Repeat("0", 10_000), shape(value.DecimalExact, 1, 0)},
		{long + ".5", shape(value.DecimalInexact, 10_000, 1)},

		{"-0", shape(value.Float, 0, 0)},
		{"-0.0", shape(value.Float, 0, 0)},
		{"1.5E-7", shape(value.Float, 0, 0)},
		{"2e+10", shape(value.Float, 0, 0)},
		{"1e-7", shape(value.Float, 0, 0)},
		{"1.5e10", shape(value.Float, 0, 0)},
		{"1.500000e-07", shape(value.Float, 0, 0)},
		{"6.02214076e+23", shape(value.Float, 0, 0)},
		{"4.9e-324", shape(value.Code, 0, 0)}, // its shortest text is 5e-324
		{"5e-324", shape(value.Float, 0, 0)},
		{"1.7976931348623157e308", shape(value.Float, 0, 0)},
		{"0e+5", shape(value.Float, 0, 0)},
		{"0.0e-99999999999999999999", shape(value.Float, 0, 0)},

		{"NaN", shape(value.Special, 0, 0)},
		{"Inf", shape(value.Special, 0, 0)},
		{"-Inf", shape(value.Special, 0, 0)},
		{"Infinity", shape(value.Special, 0, 0)},
		{"-Infinity", shape(value.Special, 0, 0)},
		{"+Infinity", shape(value.Text, 0, 0)},
		{"inf", shape(value.Text, 0, 0)},
		{"INF", shape(value.Text, 0, 0)},

		{"true", shape(value.Boolean, 0, 0)},
		{"True", shape(value.Boolean, 0, 0)},
		{"TRUE", shape(value.Boolean, 0, 0)},
		{"false", shape(value.Boolean, 0, 0)},
		{"False", shape(value.Boolean, 0, 0)},
		{"FALSE", shape(value.Boolean, 0, 0)},
		{"tRUE", shape(value.Text, 0, 0)},
		{"yes", shape(value.Text, 0, 0)},

		{"2026-11-30", shape(value.Date, 0, 0)},
		{"2024-02-29", shape(value.Date, 0, 0)},
		{"2023-02-29", shape(value.Text, 0, 0)},
		{"0001-01-01", shape(value.Date, 0, 0)},
		{"9999-12-31", shape(value.Date, 0, 0)},
		{"0000-01-01", shape(value.Text, 0, 0)},
		{"2026-11-30T10:00:00Z", shape(value.TimestampZoned, 0, 0)},
		{"2026-11-30 10:00:00.123456+02:00", shape(value.TimestampZoned, 0, 0)},
		{"2026-11-30T10:00", shape(value.TimestampLocal, 0, 0)},
		{"2026-11-30T10:00:00.123456789Z", shape(value.Text, 0, 0)},
		{"2026-11-30T10:00:00.123456000Z", shape(value.TimestampZoned, 0, 0)},
		{"1/2/2026", shape(value.Text, 0, 0)},

		{"02134", shape(value.Code, 0, 0)},
		{"00", shape(value.Code, 0, 0)},
		{"-007", shape(value.Code, 0, 0)},
		{"-00", shape(value.Code, 0, 0)},
		{"+5", shape(value.Code, 0, 0)},
		{"+1.5", shape(value.Code, 0, 0)},
		{"00.5", shape(value.Code, 0, 0)},
		{"01.5e-3", shape(value.Code, 0, 0)},
		{"39e1804", shape(value.Code, 0, 0)},
		{"1e5", shape(value.Code, 0, 0)},
		{"1E5", shape(value.Code, 0, 0)},
		{"0047583311587E590003", shape(value.Code, 0, 0)},
		{"0047583311587DD90005", shape(value.Text, 0, 0)},
		{"1e+400", shape(value.Code, 0, 0)},
		{"1e-400", shape(value.Code, 0, 0)},
		{"1.5e+999999999999999999999", shape(value.Code, 0, 0)},
		{"1.23456789012345678e+3", shape(value.Code, 0, 0)},
		{strings.Repeat("0", 10_000), shape(value.Code, 0, 0)},

		{".5", shape(value.Text, 0, 0)},
		{"5.", shape(value.Text, 0, 0)},
		{"-.5", shape(value.Text, 0, 0)},
		{"1.e5", shape(value.Text, 0, 0)},
		{"1e", shape(value.Text, 0, 0)},
		{"1e+", shape(value.Text, 0, 0)},
		{"E76565", shape(value.Text, 0, 0)},
		{"+", shape(value.Text, 0, 0)},
		{"-+5", shape(value.Text, 0, 0)},
		{" 5", shape(value.Text, 0, 0)},
		{"5 ", shape(value.Text, 0, 0)},
		{"1_000", shape(value.Text, 0, 0)},
		{"1,000", shape(value.Text, 0, 0)},
		{"0x1F", shape(value.Text, 0, 0)},
		{"1.2.3", shape(value.Text, 0, 0)},
		{"٣", shape(value.Text, 0, 0)},
		{long + "x", shape(value.Text, 0, 0)},
	} {
		if got := new(value.Forms).Text([]byte(c.text)); got != c.want {
			t.Errorf("%.40q: got %v, want %v", c.text, got, c.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		raw  string
		want value.Shape
	}{
		{"0", shape(value.IntegerExact, 0, 0)},
		{"-0", shape(value.Float, 0, 0)},
		{"12", shape(value.IntegerExact, 2, 0)},
		{"9007199254740993", shape(value.IntegerLong, 16, 0)},
		{"9223372036854775808", shape(value.IntegerBig, 19, 0)},
		{"2.50", shape(value.DecimalExact, 1, 1)},
		{"12345678901234567.89", shape(value.DecimalInexact, 17, 2)},
		{"1e5", shape(value.Float, 0, 0)},
		{"1E5", shape(value.Float, 0, 0)},
		{"1e400", shape(value.Text, 0, 0)},
		{"1.23456789012345678e3", shape(value.Text, 0, 0)},
		{"007", shape(value.Code, 0, 0)},
		{"01e5", shape(value.Code, 0, 0)},
		{"NaN", shape(value.Special, 0, 0)},
		{"Infinity", shape(value.Special, 0, 0)},
		{"-Infinity", shape(value.Special, 0, 0)},
		{"+INF", shape(value.Special, 0, 0)},
		{"true", shape(value.Text, 0, 0)},
		{"", shape(value.Text, 0, 0)},
	} {
		if got := new(value.Forms).Number([]byte(c.raw)); got != c.want {
			t.Errorf("%q: got %v, want %v", c.raw, got, c.want)
		}
	}
}

func TestFormsOfTheSource(t *testing.T) {
	pattern := func(text string) *value.Pattern {
		p, err := value.CompilePattern(text)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	day := &value.Forms{Date: pattern("dd/MM/yyyy"), Timestamp: pattern("dd/MM/yyyy HH:mm")}
	digits := &value.Forms{Date: pattern("yyyyMMdd")}
	words := &value.Forms{NaN: "nan", PositiveInf: "+oo", NegativeInf: "-999"}
	berlin := &value.Forms{Zone: zone(t, "Europe/Berlin")}
	for _, c := range []struct {
		forms *value.Forms
		text  string
		want  value.Class
	}{
		{day, "30/11/2026", value.Date},
		{day, "31/11/2026", value.Text},
		{day, "2026-11-30", value.Text},
		{day, "30/11/2026 10:00", value.TimestampLocal},
		{day, "2026-11-30T10:00:00Z", value.Text},
		{digits, "20261130", value.IntegerExact}, // a number first, whatever the form
		{digits, "2026-11-30", value.Text},
		{words, "nan", value.Special},
		{words, "NaN", value.Special},
		{words, "+oo", value.Special},
		{words, "-999", value.Special},
		{words, "Inf", value.Text},
		{words, "-Inf", value.Text},
		{words, "Infinity", value.Special},
		{berlin, "2026-03-29T02:30:00", value.Text}, // skipped by clocks
		{berlin, "2026-03-29T03:00:00", value.TimestampLocal},
		{berlin, "2026-03-29T02:30:00Z", value.TimestampZoned},
		{berlin, "2026-10-25T02:30:00", value.TimestampLocal}, // shown twice
	} {
		if got := c.forms.Text([]byte(c.text)).Class; got != c.want {
			t.Errorf("%q: got %v, want %v", c.text, got, c.want)
		}
	}
	if v, ok := digits.Day([]byte("20261130")); !ok || v != 20787 {
		t.Errorf("a day of digits that was asked for: got %d, %v", v, ok)
	}
	if v, ok := words.Double([]byte("-999")); !ok || v > 0 || v*0 == 0 {
		t.Errorf("-999: got %v, %v, want -Inf", v, ok)
	}
}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestClassNames(t *testing.T) {
	for c := range value.Class(value.Classes) {
		text, err := c.MarshalText()
		if err != nil || string(text) != c.String() || c.String() == "" {
			t.Fatalf("class %d: got %q, %v", uint8(c), text, err)
		}
		var again value.Class
		if err := again.UnmarshalText(text); err != nil || again != c {
			t.Errorf("%s came back as %v, %v", text, again, err)
		}
	}
	if _, err := value.Class(value.Classes).MarshalText(); err == nil {
		t.Error("a class beyond the last has a name")
	}
	if err := new(value.Class).UnmarshalText([]byte("numeral")); err == nil {
		t.Error("numeral is a class")
	}
}
