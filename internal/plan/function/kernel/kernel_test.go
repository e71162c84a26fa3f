package kernel

import (
	"encoding/hex"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"landfall/internal/schema"
)

// ok is the result of a kernel that must not fail.
func ok[T any](t interface{ Fatalf(string, ...any) }, out any, err error) T {
	got, is := out.(T)
	if err != nil || !is {
		t.Fatalf("found %v (%v), want a %T", out, err, got)
	}
	return got
}

// TestArguments holds that a kernel refuses what is not of its types.
func TestArguments(t *testing.T) {
	for _, k := range All() {
		wrong := make([]any, len(k.Args))
		for i := range wrong {
			wrong[i] = struct{}{}
		}
		if _, err := k.Call(wrong); err == nil || !strings.Contains(err.Error(), k.Name) {
			t.Errorf("%s of structs: found the error %v, want one that names it", k.Name, err)
		}
		if _, err := k.Call(nil); err == nil {
			t.Errorf("%s of nothing: found no error", k.Name)
		}
		for _, a := range append([]schema.Type{k.Result}, k.Args...) {
			if a != schema.String && a != schema.Long && a != schema.Double && a != schema.Binary {
				t.Errorf("%s has the type %s", k.Name, a)
			}
		}
	}
}

func TestNumberPatterns(t *testing.T) {
	for _, c := range [][4]string{
		{"123456.789", "##,###.##", "en", "123,456.79"},
		{"123.78", "000000.000", "en-US", "000123.780"},
		{"12345", "##0.#####E0", "en", "12.345E3"},
		{"0.00012345", "##0.###E0", "en", "123.4E-6"},
		{"12345", "0.###E0", "en", "1.234E4"},
		{"12345", "00.###E00", "en", "12.345E03"},
		{"0", "#,##0.00", "en", "0.00"},
		{"0", "#.##", "en", "0"},
		{"0.5", "#.##", "en", ".5"},
		{"-1234.5", "#,##0.00;(#,##0.00)", "en", "(1,234.50)"},
		{"-1234.5", "$#,##0.00", "en", "-$1,234.50"},
		{"0.256", "0.0%", "en", "25.6%"},
		{"0.256", "0‰", "en", "256‰"},
		{"2.5", "0", "en", "2"},
		{"3.5", "0", "en", "4"},
		{"1234567.891", "#,##0.00", "de", "1.234.567,89"},
		{"1234.5", "#,##0.00", "fr", "1\u00a0234,50"},
		{"1234.5", "#,##0.00", "de-CH", "1’234.50"},
		{"7", "'#'0", "en", "#7"},
		{"-0.001", "0.00", "en", "0.00"},
		{"1e3", "0", "en", "1000"},
		{"inf", "0", "en", "∞"},
		{"nan", "0", "en", "NaN"},
	} {
		out, err := formatNumber(c[0], c[1], c[2])
		if got := ok[string](t, out, err); got != c[3] {
			t.Errorf("%s by %s in %s: found %q, want %q", c[0], c[1], c[2], got, c[3])
		}
	}
}

func TestNumberTexts(t *testing.T) {
	for _, c := range [][4]string{
		{"$123.45", "$###.00", "en", "123.45"},
		{"Ç123,45", "Ç###,##", "de", "123.45"},
		{"1,234", "#,##0", "en", "1234"},
		{"(5.00)", "0.00;(0.00)", "en", "-5.00"},
		{"-5", "0", "en", "-5"},
		{"25%", "0%", "en", "0.25"},
		{"1.5E3", "0.#E0", "en", "1500"},
		{"15E-1", "0E0", "en", "1.5"},
		{"1 234,5", "#,##0.0", "fr", "1234.5"},
		{"123", "$###", "en", ""},
		{"$12x", "$###", "en", ""},
		{"", "0", "en", ""},
		{"1,234", "0", "en", ""},
		{"$", "$0", "en", ""},
	} {
		out, err := parseNumber(c[0], c[1], c[2])
		if err != nil {
			t.Errorf("%s by %s: %v", c[0], c[1], err)
		} else if got, is := out.(string); got != c[3] || is != (c[3] != "") {
			t.Errorf("%s by %s in %s: found %v, want %q", c[0], c[1], c[2], out, c[3])
		}
	}
	for _, c := range [][2]string{{"", "en"}, {"#.#.#", "en"}, {"0#", "en"}, {"0.#0", "en"}, {"'0", "en"}, {"0E", "en"}, {"0", "xx"}, {"0a0", "en"}} {
		if _, err := parseNumber("1", c[0], c[1]); err == nil {
			t.Errorf("pattern %q in %s: found no error", c[0], c[1])
		}
	}
}

// TestNumbersReadBack holds that what a pattern writes in full it reads again.
func TestNumbersReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64().Draw(t, "number")
		text := big.NewRat(n, 1000).FloatString(3)
		pattern := rapid.SampledFrom([]string{"0.000", "#,##0.000", "$#,##0.###;($#,##0.###)", "#.000 kg", "000000000000000000000.000"}).Draw(t, "pattern")
		locale := rapid.SampledFrom([]string{"en", "de", "fr", "de-CH"}).Draw(t, "locale")
		written, err := formatNumber(text, pattern, locale)
		shown := ok[string](t, written, err)
		read, err := parseNumber(shown, pattern, locale)
		got, _ := rational(ok[string](t, read, err))
		if want, _ := rational(text); got.Cmp(want) != 0 {
			t.Fatalf("%s by %s in %s is %q, which is read as %v", text, pattern, locale, shown, read)
		}
	})
}

func TestTimePatterns(t *testing.T) {
	at := time.Date(2026, 1, 2, 15, 4, 5, 67_890_000, time.UTC).UnixMicro()
	for pattern, want := range map[string]string{
		"yyyy-MM-dd'T'HH:mm:ss.SSS": "2026-01-02T15:04:05.067",
		"d MMM yy, h:mm a":          "2 Jan 26, 3:04 PM",
		"EEEE, MMMM d":              "Friday, January 2",
		"E k K D DDD":               "Fri 15 3 2 002",
		"SSSSSS S":                  "067890 0",
		"X x Z z xxx":               "Z +00 +0000 UTC +00:00",
		"''yyyy'' 'o''clock'":       "'2026' o'clock",
		"hh":                        "03",
	} {
		out, err := formatTime(at, pattern, "en-GB")
		if got := ok[string](t, out, err); got != want {
			t.Errorf("%s: found %q, want %q", pattern, got, want)
		}
	}
	for _, pattern := range []string{"Q", "yyyy'", "G"} {
		if _, err := formatTime(at, pattern, "en"); err == nil {
			t.Errorf("%s: found no error", pattern)
		}
	}
	if _, err := formatTime(at, "MMM", "de"); err == nil {
		t.Error("names in German: found no error")
	}
}

func TestTimeTexts(t *testing.T) {
	for _, c := range [][3]string{
		{"12/18/2012", "MM/dd/yyyy", "2012-12-18T00:00:00Z"},
		{"1/2/2012", "MM/dd/yyyy", "2012-01-02T00:00:00Z"},
		{"20120203", "yyyyMMdd", "2012-02-03T00:00:00Z"},
		{"20120203040506789", "yyyyMMddHHmmssSSS", "2012-02-03T04:05:06.789Z"},
		{"3 feb 12 12:30 am", "d MMM yy hh:mm a", "2012-02-03T00:30:00Z"},
		{"3 February 2012 12:30 PM", "d MMMM yyyy h:mm a", "2012-02-03T12:30:00Z"},
		{"Fri 2012-02-03", "E yyyy-MM-dd", "2012-02-03T00:00:00Z"},
		{"2012-060", "yyyy-DDD", "2012-02-29T00:00:00Z"},
		{"2012-02-03T24", "yyyy-MM-dd'T'kk", "2012-02-03T00:00:00Z"},
		{"2012-02-03 01:00 +02:30", "yyyy-MM-dd HH:mm XXX", "2012-02-02T22:30:00Z"},
		{"2012-02-03 01:00 -0230", "yyyy-MM-dd HH:mm Z", "2012-02-03T03:30:00Z"},
		{"2012-02-03 01:00Z", "yyyy-MM-dd HH:mmX", "2012-02-03T01:00:00Z"},
		{"2018-12-31", "MM/dd/yy", ""},
		{"12/18/12", "MM/dd/yyyy", ""},
		{"02/30/2012", "MM/dd/yyyy", ""},
		{"13/01/2012", "MM/dd/yyyy", ""},
		{"2012-02-03 ", "yyyy-MM-dd", ""},
		{"2012-02-03T24:00", "yyyy-MM-dd'T'HH:mm", ""},
		{"2011-366", "yyyy-DDD", ""},
		{"2012-02-03 01:00 +99", "yyyy-MM-dd HH:mm X", ""},
		{".5", ".SSS", ""},
		{"", "yyyy", ""},
	} {
		out, err := parseTime(c[0], c[1])
		got := ""
		if micros, is := out.(int64); is {
			got = time.UnixMicro(micros).UTC().Format(time.RFC3339Nano)
		}
		if err != nil || got != c[2] {
			t.Errorf("%q by %s: found %q (%v), want %q", c[0], c[1], got, err, c[2])
		}
	}
}

// TestTimesReadBack holds that what a pattern of all fields writes it reads again.
func TestTimesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Int64Range(-30_000_000_000_000, 200_000_000_000_000).Draw(t, "milliseconds") * 1000
		pattern := rapid.SampledFrom([]string{
			"yyyy-MM-dd HH:mm:ss.SSS", "d MMMM yyyy h:mm:ss.SSS a", "yyyyMMddHHmmssSSS", "EEE MMM dd yyyy KK:mm:ss.SSSa", "yyyy.DDD kk/mm/ss.SSS Z",
		}).Draw(t, "pattern")
		written, err := formatTime(at, pattern, "en")
		shown := ok[string](t, written, err)
		read, err := parseTime(shown, pattern)
		if got := ok[int64](t, read, err); got != at {
			t.Fatalf("%d by %s is %q, which is read as %d", at, pattern, shown, got)
		}
	})
}

func TestRegex(t *testing.T) {
	for _, c := range []struct {
		java, text, want string
	}{
		{`\d+`, "a12b", "12"},
		{`\s`, "\v", "\v"},
		{`[\s,]+`, "a,\v b", ",\v "},
		{`\S+`, " \va", "a"},
		{`\h`, "a\u00a0", "\u00a0"},
		{`a.b`, "a\rb", ""},
		{`(?s)a.b`, "a\nb", "a\nb"},
		{`(?<x>b)`, "abc", "b"},
		{`\p{Alpha}+`, "1ab2", "ab"},
		{`[\p{Digit}x]+`, "a1x", "1x"},
		{`\P{Alpha}+`, "ab12", "12"},
		{`\p{L}\p{M}`, "e\u0301", "e\u0301"},
		{`\p{IsAlphabetic}`, "1é", "é"},
		{`\u00e9`, "é", "é"},
		{`\Qa.b\E`, "axb a.b", "a.b"},
		{`[^a-c]`, "abd", "d"},
		{`\R`, "a\r\n", "\r\n"},
		{`a{2}`, "caab", "aa"},
	} {
		re2, err := Regex(c.java)
		if err != nil {
			t.Errorf("%s: %v", c.java, err)
			continue
		}
		if got := regexp.MustCompile(re2).FindString(c.text); got != c.want {
			t.Errorf("%s as %s in %q: found %q, want %q", c.java, re2, c.text, got, c.want)
		}
	}
	for _, java := range []string{`(?=a)`, `(?!a)`, `(?<=a)`, `(?<!a)`, `(?>a)`, `(a)\1`, `a*+`, `a++`, `a?+`, `a{1}+`, `[a&&[b]]`, `[[a]b]`, `\`, `(`, `\p{Alpha`, `\Ga`} {
		if re2, err := Regex(java); err == nil {
			t.Errorf("%s: found %s, want an error", java, re2)
		}
	}
}

func TestReplacement(t *testing.T) {
	for java, want := range map[string]string{`$2-$1`: `\2-\1`, `a\$b`: `a$b`, `\\`: `\\`, `plain`: `plain`} {
		if got, err := Replacement(java); err != nil || got != want {
			t.Errorf("%s: found %s (%v), want %s", java, got, err, want)
		}
	}
	for _, java := range []string{`$x`, `a\`, `$`} {
		if got, err := Replacement(java); err == nil {
			t.Errorf("%s: found %s, want an error", java, got)
		}
	}
}

func TestRound(t *testing.T) {
	for _, c := range []struct {
		text        string
		scale, mode int64
		want        string
	}{
		{"2.5", 0, roundHalfUp, "3"},
		{"-2.5", 0, roundHalfUp, "-3"},
		{"-2.5", 0, roundHalfDown, "-2"},
		{"2.5", 0, roundHalfEven, "2"},
		{"3.5", 0, roundHalfEven, "4"},
		{"2.1", 0, roundUp, "3"},
		{"-2.1", 0, roundCeiling, "-2"},
		{"-2.1", 0, roundFloor, "-3"},
		{"1250", -2, roundHalfUp, "1300"},
		{"1e-3", 2, roundHalfUp, "0.00"},
		{"2.50", 1, roundUnnecessary, "2.5"},
		{"inf", 1, roundHalfUp, "inf"},
	} {
		out, err := round(c.text, c.scale, c.mode)
		if got := ok[string](t, out, err); got != c.want {
			t.Errorf("%s to %d by mode %d: found %s, want %s", c.text, c.scale, c.mode, got, c.want)
		}
	}
	for _, mode := range []int64{0, 9, roundUnnecessary} {
		if out, err := round("2.55", 1, mode); out != nil || err != nil {
			t.Errorf("mode %d: found %v (%v), want null", mode, out, err)
		}
	}
}

func TestDivide(t *testing.T) {
	for _, c := range [][3]string{{"10.00", "3", "3.3333"}, {"-1", "8", "-0.1250"}, {"2", "3", "0.6667"}, {"1", "0", ""}} {
		out, err := divide(c[0], c[1], 4)
		if got, _ := out.(string); got != c[2] || err != nil {
			t.Errorf("%s by %s: found %v (%v), want %q", c[0], c[1], out, err, c[2])
		}
	}
}

// TestDoubleTexts holds that a double is written as Java writes it, and reads back.
func TestDoubleTexts(t *testing.T) {
	for x, want := range map[float64]string{
		1: "1.0", 0.001: "0.001", 1e7: "1.0E7", 1234567.5: "1234567.5", 1e-4: "1.0E-4", -0.5: "-0.5", 1.5e300: "1.5E300",
		math.Inf(1): "Infinity", math.Inf(-1): "-Infinity", 0: "0.0",
	} {
		if got := doubleText(x); got != want {
			t.Errorf("%g: found %s, want %s", x, got, want)
		}
	}
	if got := floatText(float64(float32(0.1))); got != "0.1" {
		t.Errorf("a float of 0.1: found %s", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64().Draw(t, "x")
		if back, err := strconv.ParseFloat(doubleText(x), 64); err != nil || back != x {
			t.Fatalf("%g is written %s", x, doubleText(x))
		}
	})
}

func TestHashes(t *testing.T) {
	out, err := blake2b(512, []byte("abc"))
	got := hex.EncodeToString(ok[[]byte](t, out, err))
	want := "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
	if got != want {
		t.Errorf("blake2b of abc: found %s, want %s", got, want)
	}
	long, err := blake2b(256, []byte(strings.Repeat("a", 256)))
	if got := ok[[]byte](t, long, err); len(got) != 32 {
		t.Errorf("blake2b of 256 bits: found %d bytes", len(got))
	}
	for _, size := range []int64{0, 7, 520} {
		if _, err := blake2b(size, nil); err == nil {
			t.Errorf("blake2b of %d bits: found no error", size)
		}
	}
	for size, want := range map[int64]int{0: 64, 224: 56, 384: 96, 512: 128} {
		out, err := sha2(size, []byte("x"))
		if got := ok[string](t, out, err); len(got) != want {
			t.Errorf("sha2 of %d bits: found %s", size, got)
		}
	}
	if _, err := sha2(100, nil); err == nil {
		t.Error("sha2 of 100 bits: found no error")
	}
	if got := crc32of([]byte("123456789")); got != 0xcbf43926 {
		t.Errorf("crc32: found %x", got)
	}
}

// TestEscapesReadBack holds that what escape writes unescape reads.
func TestEscapesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.RuneFrom([]rune("ab<>&'\"\\/\n\t\x01é€😀;#"))).Draw(t, "text")
		format := rapid.SampledFrom([]string{"json", "java", "ecmascript", "xml", "html"}).Draw(t, "format")
		written, err := escape(s, format)
		shown := ok[string](t, written, err)
		read, err := unescape(shown, format)
		if got := ok[string](t, read, err); got != s {
			t.Fatalf("%q in %s is %q, which is read as %q", s, format, shown, got)
		}
	})
	if _, err := escape("", "csv"); err == nil {
		t.Error("csv: found no error")
	}
	if _, err := unescape("", "csv"); err == nil {
		t.Error("csv: found no error")
	}
}

// TestCharsetsReadBack holds that characters of a set become its bytes and back.
func TestCharsetsReadBack(t *testing.T) {
	sets := map[string]string{
		"UTF-8": "aé€😀", "US-ASCII": "az~", "ISO-8859-1": "aéÿ\u0085", "Windows-1252": "aé€Ÿ’", "UTF-16": "aé😀", "UTF-16BE": "aé😀", "UTF-16LE": "aé😀",
	}
	for set, text := range sets {
		b, err := encode(text, set)
		s, failed := decode(ok[[]byte](t, b, err), set)
		if got := ok[string](t, s, failed); got != text {
			t.Errorf("%s: found %q, want %q", set, got, text)
		}
	}
	b, err := encode("a€😀", "us-ascii")
	if got := string(ok[[]byte](t, b, err)); got != "a??" {
		t.Errorf("found %q, want question marks", got)
	}
	for _, f := range []func() (any, error){
		func() (any, error) { return encode("", "EBCDIC") },
		func() (any, error) { return decode(nil, "EBCDIC") },
	} {
		if _, err := f(); err == nil {
			t.Error("EBCDIC: found no error")
		}
	}
}

func TestLittleEndian(t *testing.T) {
	out, err := littleEndian(-2, 4)
	if got := hex.EncodeToString(ok[[]byte](t, out, err)); got != "feffffff" {
		t.Errorf("found %s", got)
	}
	if got := hex.EncodeToString(doubleBytes(1)); got != "000000000000f03f" {
		t.Errorf("found %s", got)
	}
	if got := hex.EncodeToString(floatBytes(1)); got != "0000803f" {
		t.Errorf("found %s", got)
	}
}
