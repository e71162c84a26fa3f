package value_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"landfall/internal/value"
)

func TestPattern(t *testing.T) {
	for _, c := range []struct{ pattern, text, want string }{ // want is RFC 3339, "" for none
		{"yyyy-MM-dd", "2026-11-30", "2026-11-30T00:00:00Z"},
		{"yyyy-MM-dd", "2026-11-3", ""},
		{"yyyy-MM-dd", "2026-11-030", ""},
		{"yyyy-MM-dd", "2026-02-29", ""},
		{"yyyy-MM-dd", "12026-01-01", ""},
		{"dd/MM/yy", "01/02/26", "2026-02-01T00:00:00Z"},
		{"dd/MM/yy", "01/02/99", "2099-02-01T00:00:00Z"},
		{"dd/MM/yy", "01/02/1999", ""},
		{"y-M-d", "26-1-5", "0026-01-05T00:00:00Z"},
		{"yyy-M-d", "026-1-5", "0026-01-05T00:00:00Z"},
		{"yyy-M-d", "26-1-5", ""},
		{"M/d/yyyy", "1/2/2026", "2026-01-02T00:00:00Z"},
		{"M/d/yyyy", "01/02/2026", "2026-01-02T00:00:00Z"},
		{"M/d/yyyy", "001/02/2026", ""},
		{"M/d/yyyy", "13/2/2026", ""},
		{"MM/dd/yyyy", "1/2/2026", ""},
		{"d MMM yyyy", "3 feb 2026", "2026-02-03T00:00:00Z"},
		{"d MMM yyyy", "3 Feb 2026", "2026-02-03T00:00:00Z"},
		{"d MMM yyyy", "3 February 2026", ""},
		{"d MMM yyyy", "3 Fev 2026", ""},
		{"d MMMM yyyy", "3 February 2026", "2026-02-03T00:00:00Z"},
		{"d MMMM yyyy", "3 May 2026", "2026-05-03T00:00:00Z"},
		{"d MMMM yyyy", "3 Feb 2026", ""},
		{"yyyyMMdd", "20261130", "2026-11-30T00:00:00Z"},
		{"yyyyMMddHHmmss", "20261130102030", "2026-11-30T10:20:30Z"},
		{"yyyyMMddHHmmssSSS", "20261130102030456", "2026-11-30T10:20:30.456Z"},
		{"dMMyyyy", "1022026", "2026-02-01T00:00:00Z"},
		{"dMMyyyy", "01022026", "2026-02-01T00:00:00Z"},
		{"yMMdd", "20260201", "2026-02-01T00:00:00Z"},
		{"yMMdd", "0201", ""},
		{"yyyy", "2026", "2026-01-01T00:00:00Z"},
		{"MM.yyyy", "02.2026", "2026-02-01T00:00:00Z"},
		{"yyyy-MM-dd HH:mm", "2026-11-30 24:00", ""},
		{"yyyy-MM-dd HH:mm", "2026-11-30 23:60", ""},
		{"yyyy-MM-dd HH:mm:ss", "2026-11-30 23:59:60", ""},
		{"yyyy-MM-dd H:m:s", "2026-11-30 1:2:3", "2026-11-30T01:02:03Z"},
		{"yyyy-MM-dd h:mm a", "2026-11-30 1:02 PM", "2026-11-30T13:02:00Z"},
		{"yyyy-MM-dd h:mm a", "2026-11-30 12:02 am", "2026-11-30T00:02:00Z"},
		{"yyyy-MM-dd hh:mm a", "2026-11-30 12:02 PM", "2026-11-30T12:02:00Z"},
		{"yyyy-MM-dd hh:mm a", "2026-11-30 00:02 PM", ""},
		{"yyyy-MM-dd hh:mm a", "2026-11-30 13:02 PM", ""},
		{"yyyy-MM-dd hh:mm[ a]", "2026-11-30 10:02", ""}, // morning or evening?
		{"yyyy-MM-dd HH:mm a", "2026-11-30 13:02 PM", "2026-11-30T13:02:00Z"},
		{"yyyy-MM-dd HH:mm a", "2026-11-30 13:02 AM", ""},
		{"yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]", "2026-11-30T10:00:00", "2026-11-30T10:00:00Z"},
		{"yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]", "2026-11-30t10:00:00.5", "2026-11-30T10:00:00.5Z"},
		{"yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]", "2026-11-30T10:00:00.123+02:00", "2026-11-30T08:00:00.123Z"},
		{"yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]", "2026-11-30T10:00:00Z", "2026-11-30T10:00:00Z"},
		{"yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]", "2026-11-30T10:00:00.1234", ""},
		{"yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]", "2026-11-30T10:00:00.", ""},
		{"yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]", "2026-11-30T10:00:00+0200", ""},
		{"yyyy[-MM[-dd]]", "2026", "2026-01-01T00:00:00Z"},
		{"yyyy[-MM[-dd]]", "2026-03", "2026-03-01T00:00:00Z"},
		{"yyyy[-MM[-dd]]", "2026-03-04", "2026-03-04T00:00:00Z"},
		{"yyyy[-MM[-dd]]", "2026-03-", ""},
		{"yyyy-MM-ddX", "2026-11-30Z", "2026-11-30T00:00:00Z"},
		{"yyyy-MM-ddX", "2026-11-30+02", "2026-11-29T22:00:00Z"},
		{"yyyy-MM-ddX", "2026-11-30+0230", "2026-11-29T21:30:00Z"},
		{"yyyy-MM-ddX", "2026-11-30+02:30", ""},
		{"yyyy-MM-ddX", "2026-11-30+023", ""},
		{"yyyy-MM-ddXX", "2026-11-30-0230", "2026-11-30T02:30:00Z"},
		{"yyyy-MM-ddXX", "2026-11-30-02", ""},
		{"yyyy-MM-ddXXX", "2026-11-30-0230", ""},
		{"yyyy-MM-ddx", "2026-11-30Z", ""},
		{"yyyy-MM-ddxxx", "2026-11-30+00:00", "2026-11-30T00:00:00Z"},
		{"yyyy-MM-ddZ", "2026-11-30+0100", "2026-11-29T23:00:00Z"},
		{"yyyy-MM-ddZ", "2026-11-30Z", ""},
		{"yyyy-MM-dd z", "2026-11-30 UTC", "2026-11-30T00:00:00Z"},
		{"yyyy-MM-dd z", "2026-11-30 gmt", "2026-11-30T00:00:00Z"},
		{"yyyy-MM-dd VV", "2026-11-30 Z", "2026-11-30T00:00:00Z"},
		{"yyyy-MM-dd VV", "2026-11-30 Europe/Berlin", ""},
		{"yyyy-MM-dd XXX z", "2026-11-30 +01:00 UTC", ""},
		{"yyyy yyyy", "2026 2026", "2026-01-01T00:00:00Z"},
		{"yyyy yyyy", "2026 2027", ""},
		{"yyyy''MM'o''clock'", "2026'02O'CLOCK", "2026-02-01T00:00:00Z"},
		{"yyyy年M月d日", "2026年2月3日", "2026-02-03T00:00:00Z"},
		{"yyyy年M月d日", "2026年2月3月", ""},
		{"yyyy-MM-dd", "", ""},
	} {
		p, err := value.CompilePattern(c.pattern)
		if err != nil {
			t.Errorf("%q: %v", c.pattern, err)
			continue
		}
		if p.String() != c.pattern {
			t.Errorf("%q: is written as %q", c.pattern, p)
		}
		got, ok := (&value.Forms{Timestamp: p}).Instant([]byte(c.text))
		text := ""
		if ok {
			text = time.UnixMicro(got.Micros).UTC().Format(time.RFC3339Nano)
		}
		if text != c.want {
			t.Errorf("%q of %q: got %q, want %q", c.pattern, c.text, text, c.want)
		}
	}
}

func TestPatternOfDates(t *testing.T) {
	p, err := value.CompilePattern("yyyy-MM-dd HH:mm[X]")
	if err != nil {
		t.Fatal(err)
	}
	f := &value.Forms{Date: p}
	if day, ok := f.Day([]byte("1970-01-02 00:00")); !ok || day != 1 {
		t.Errorf("midnight: got %d, %v, want 1", day, ok)
	}
	for _, text := range []string{"1970-01-02 00:01", "1970-01-02 00:00Z", "1970-01-02"} {
		if day, ok := f.Day([]byte(text)); ok {
			t.Errorf("%q: got %d: a day has no time and no zone", text, day)
		}
	}
}

func TestPatternErrors(t *testing.T) {
	for _, c := range []struct{ pattern, want string }{
		{"", "character 1: found no year, want yyyy: a time alone is no date"},
		{"HH:mm:ss", "character 9: found no year, want yyyy: a time alone is no date"},
		{"yyyy-mm-dd", "character 9: found a day without a month, want M (m is a minute)"},
		{"yyyy-MM-dd hh:mm", "character 12: found an hour of 12 without AM or PM, want H or an a"},
		{"yyyy a", "character 6: found AM or PM without an hour, want h"},
		{"YYYY-MM-dd", `character 1: unknown letter "Y", want one of y M d H h a m s S X x Z z VV, or quotes around text`},
		{"日yyyy-MM-DD", `character 10: unknown letter "D", want one of y M d H h a m s S X x Z z VV, or quotes around text`},
		{"yyyy-MM-ddTHH", `character 11: unknown letter "T", want one of y M d H h a m s S X x Z z VV, or quotes around text`},
		{"yyyyy", `character 1: found "y" 5 times, want it 4 times at most`},
		{"yyyy-MM-dd HH:mm:ss.SSSSSSSSSS", `character 21: found "S" 10 times, want it 9 times at most`},
		{"yyyy V", `character 6: found "V", want "VV"`},
		{"yyyy 'T", `character 6: found "'", want another behind it`},
		{"yyyy [MM", `character 6: found "[", want a "]" behind it`},
		{"yyyy MM]", `character 8: found "]", want it between quotes`},
		{"yyyy#", `character 5: found "#", want it between quotes`},
		{"yyyyMd", "character 6: found a number of any length right behind another, want a character between them"},
		{strings.Repeat("[", 21), `character 21: found "[" within 20 others`},
	} {
		_, err := value.CompilePattern(c.pattern)
		var mistake *value.PatternError
		if !errors.As(err, &mistake) || err.Error() != c.want {
			t.Errorf("%q: got %v, want %v", c.pattern, err, c.want)
		}
	}
}

// layout writes at as the letters of a pattern say, with no regard to how they
// are read.
func layout(letters string, at time.Time) string {
	switch letters {
	case "yy":
		return at.Format("06")
	case "yyyy":
		return at.Format("2006")
	case "M", "d", "m", "s", "H", "h":
		n := map[string]int{
			"M": int(at.Month()), "d": at.Day(), "m": at.Minute(), "s": at.Second(), "H": at.Hour(), "h": (at.Hour()+11)%12 + 1,
		}
		return fmt.Sprint(n[letters])
	}
	if letters[0] == 'S' {
		return at.Format("." + strings.Repeat("0", len(letters)))[1:]
	}
	forms := map[string]string{
		"MM": "01", "MMM": "Jan", "MMMM": "January", "dd": "02", "HH": "15", "hh": "03", "mm": "04", "ss": "05", "a": "PM",
		"X": "Z07", "XX": "Z0700", "XXX": "Z07:00", "x": "-07", "xx": "-0700", "xxx": "-07:00", "Z": "-0700",
	}
	if form, ok := forms[letters]; ok {
		return at.Format(form)
	}
	return strings.Trim(letters, "'")
}

// TestPatternProperty writes times by random patterns and reads them back.
func TestPatternProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hours := rapid.IntRange(-18, 18).Draw(t, "zone")
		at := time.Unix(rapid.Int64Range(946684800, 4102444799-20*3600).Draw(t, "seconds"), rapid.Int64Range(0, 999_999).Draw(t, "µs")*1000).
			In(time.FixedZone("", hours*3600))
		if at.Year() < 2000 {
			t.Skip("yy begins in 2000")
		}
		hour := rapid.SampledFrom([][]string{{"H"}, {"HH"}, {"h", "a"}, {"hh", "a"}}).Draw(t, "hour")
		parts := append([]string{
			rapid.SampledFrom([]string{"yyyy", "yy"}).Draw(t, "year"),
			rapid.SampledFrom([]string{"M", "MM", "MMM", "MMMM"}).Draw(t, "month"),
			rapid.SampledFrom([]string{"d", "dd"}).Draw(t, "day"),
			rapid.SampledFrom([]string{"m", "mm"}).Draw(t, "minute"),
			rapid.SampledFrom([]string{"s", "ss"}).Draw(t, "second"),
			"SSSSSS",
			rapid.SampledFrom([]string{"X", "XX", "XXX", "x", "xx", "xxx", "Z"}).Draw(t, "offset"),
		}, hour...)
		parts = rapid.Permutation(parts).Draw(t, "order")
		var pattern, text strings.Builder
		for i, part := range parts {
			if i > 0 {
				between := rapid.SampledFrom([]string{" ", "/", "'T'", ", "}).Draw(t, "between")
				pattern.WriteString(between)
				text.WriteString(layout(between, at))
			}
			if rapid.Bool().Draw(t, "optional") {
				part = "[" + part + "]"
			}
			pattern.WriteString(part)
			text.WriteString(layout(strings.Trim(part, "[]"), at))
		}
		p, err := value.CompilePattern(pattern.String())
		if err != nil {
			t.Fatalf("%s: %v", pattern.String(), err)
		}
		got, ok := (&value.Forms{Timestamp: p}).Instant([]byte(text.String()))
		if !ok || got != (value.Instant{Micros: at.UnixMicro(), Exact: true, Zoned: true}) {
			t.Fatalf("%q of %q: got %+v, %v, want %d", pattern.String(), text.String(), got, ok, at.UnixMicro())
		}
	})
}
