package value

import (
	"testing"

	"pgregory.net/rapid"
)

// numerals draws texts that are numbers, or nearly.
func numerals(t *rapid.T) []byte {
	return append(make([]byte, 0, 64), rapid.OneOf(
		rapid.StringMatching(`-?(0|[1-9][0-9]{0,15})(\.[0-9]{1,12})?`),
		rapid.StringMatching(`[-+]?[0-9]{0,9}\.?[0-9]{0,9}([eE][-+]?[0-9]{1,3})?`),
		rapid.StringMatching(`-?[0.]{1,6}`),
		rapid.StringMatching(`[0-9.eE+-]{0,20}`),
	).Draw(t, "text")...)
}

// TestPlain: what is read at once is what is read part by part.
func TestPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := numerals(t)
		p, ok := plainNumber(text)
		if q, is := longNumber(text); is != ok || ok && p != q {
			t.Fatalf("%s: got %+v %v in one word, want %+v %v", text, p, ok, q, is)
		}
		if !ok {
			return
		}
		if want, ok := numberShape(text, false); !ok || p.Shape() != want {
			t.Fatalf("%s: got %+v, want %+v", text, p.Shape(), want)
		}
		n, _ := scan(text)
		if want, _ := n.float(64); p.double() != want {
			t.Fatalf("%s: got %v, want %v", text, p.double(), want)
		}
		var want int64
		whole := len(n.digitsAfter()) == 0
		if whole {
			want, _ = n.long()
		}
		if v, ok := p.long(); v != want || ok != whole {
			t.Fatalf("%s: got %d %v, want %d %v", text, v, ok, want, whole)
		}
		precision := rapid.IntRange(1, 38).Draw(t, "precision")
		scale := rapid.IntRange(0, precision).Draw(t, "scale")
		if v, ok := p.decimal(precision, scale); ok {
			if want, ok := anyDecimal(text, precision, scale); !ok || v != want {
				t.Fatalf("%s as decimal(%d,%d): got %v, want %v %v", text, precision, scale, v, want, ok)
			}
		}
	})
}

// TestPlainTakes: the numbers that most columns hold are plain.
func TestPlainTakes(t *testing.T) {
	for _, text := range []string{"0", "7", "-7", "123456789012345", "0.5", "-0.5", "12.50", "10.0", "99999999999999.9"} {
		if _, ok := plainNumber([]byte(text)); !ok {
			t.Errorf("%s is not plain", text)
		}
	}
	for _, text := range []string{"", "-", "-0", "-0.0", "00", "01.5", ".5", "5.", "1.2.3", "1e5", "+1", "1234567890123456", "1.", "-.5"} {
		if _, ok := plainNumber([]byte(text)); ok {
			t.Errorf("%s is plain", text)
		}
	}
}

// TestTextAtOnce: the shape of a text is that which is found by trying one class
// after the other.
func TestTextAtOnce(t *testing.T) {
	f := &Forms{}
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rapid.OneOf(
			rapid.StringMatching(`(NaN|Infinity|-Infinity|Inf|-Inf|INF|[Nn]/[Aa]|#N/A|null|NONE|nil|-|--|\?|\\n|true|False|TRUE)[a ]?`),
			rapid.StringMatching(`[0-9]{3,4}-[0-9]{1,2}-[0-9]{2}([T ][0-9:.]{4,12}(Z|[+-][0-9:]{2,5})?)?`),
			rapid.StringMatching(`20[0-9]{2}-[01][0-9]-[0-3][0-9][T ][012][0-9]:[0-6][0-9](:[0-6][0-9](\.[0-9]{1,10})?)?(Z|[+-][01][0-9]:?[0-9]{2})?`),
			rapid.StringMatching(`.{0,12}`),
		).Draw(t, "text"))
		if len(text) == 0 {
			return
		}
		if got, want := f.Text(text), f.anyText(text); got != want {
			t.Fatalf("%q: got %+v, want %+v", text, got, want)
		}
		if BeginsText(text[0]) && f.anyText(text).Class != Text {
			t.Fatalf("%q begins as only text does, but is %v", text, f.anyText(text).Class)
		}
		if len(text) >= 8 {
			checkClock(t, text[len(text)-8:])
		}
	})
}

// TestDigits: digits are the same number however many are read at once.
func TestDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rapid.StringMatching(`[a-z0-9 ]{0,20}[0-9]{16}[a-z0-9]{0,9}`).Draw(t, "text"))
		end := len(text)
		for text[end-1] > '9' {
			end--
		}
		n := 0
		for n < 16 && n < end && isDigit(text[end-1-n]) {
			n++
		}
		for ; n >= 0; n-- {
			if got, want := Digits(text, end, n), appendDigits(0, text[end-n:end]); got != want {
				t.Fatalf("the last %d of %q: got %d, want %d", n, text[:end], got, want)
			}
		}
	})
}

// checkClock compares a clock with its digits read two by two.
func checkClock(t *rapid.T, text []byte) {
	hour, ok1 := twoDigits(text, 0)
	minute, ok2 := twoDigits(text, 3)
	second, ok3 := twoDigits(text, 6)
	want := ok1 && ok2 && ok3 && hour < 24 && minute < 60 && second < 60 && text[2] == ':' && text[5] == ':'
	if got, ok := clock(text); ok != want || ok && got != hour*3600+minute*60+second {
		t.Fatalf("%s: got %d %v, want %v", text, got, ok, want)
	}
}
