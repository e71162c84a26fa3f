package format

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/diag"
)

func openWindow(t testing.TB, r io.Reader, s Sizes) *Window {
	t.Helper()
	text, err := OpenText("t", r, UTF8)
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWindow(context.Background(), text, s)
	if err != nil {
		t.Fatal(err)
	}
	return &w
}

// words is a scanner of words: it wants each whole, with the blank behind it.
type words struct {
	w    *Window
	slab column.Slab
	most int
	all  []string
	at   []int64
	line []int64
}

func (s *words) next() (*column.Slab, Progress) {
	w := s.w
	w.Begin()
	s.slab.Records = s.slab.Records[:0]
	p := Full
	for w.Passed() < s.most {
		end := bytes.IndexAny(w.Held[w.At:], " \n")
		if end < 0 && !w.Final() && w.Err == nil {
			p = Hungry
			break
		}
		if end < 0 {
			p = Ended
			break
		}
		s.all = append(s.all, string(w.Held[w.At:w.At+end]))
		s.at = append(s.at, w.Offset())
		s.line = append(s.line, w.Line(w.At))
		s.slab.Records = append(s.slab.Records, int64(len(s.all)))
		w.Account.In += int64(end)
		w.At += end
		w.Frame(1)
	}
	if len(s.slab.Records) == 0 {
		return nil, p
	}
	return &s.slab, p
}

// TestWindow: whatever the sizes, a scanner sees the text in order, at its offsets
// and on its lines, and the window holds no more than it may.
func TestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.StringMatching(`[a-zé]{0,12}`), 0, 60).Draw(t, "words")
		text := ""
		for _, word := range list {
			text += word + rapid.SampledFrom([]string{" ", "\n"}).Draw(t, "blank")
		}
		const longest = 25
		sizes := Sizes{Head: rapid.IntRange(1, 50).Draw(t, "head"), Slab: rapid.IntRange(1, 50).Draw(t, "slab")}
		sizes.Most = longest + sizes.Slab
		r := io.Reader(strings.NewReader(text))
		if rapid.Bool().Draw(t, "bytes") {
			r = iotest.OneByteReader(r)
		}
		opened, err := OpenText("t", r, UTF8)
		if err != nil {
			t.Fatal(err)
		}
		w, err := NewWindow(context.Background(), opened, sizes)
		if err != nil {
			t.Fatal(err)
		}
		s := &words{w: &w, most: rapid.IntRange(1, 40).Draw(t, "most")}
		rows := 0
		for slab, err := range w.Slabs(context.Background(), s.next) {
			if err != nil {
				t.Fatal(err)
			}
			rows += len(slab.Records)
			if most := max(sizes.Head, sizes.Most); len(w.Held) > most {
				t.Fatalf("held %d bytes, want at most %d", len(w.Held), most)
			}
		}
		if strings.Join(s.all, "|") != strings.Join(list, "|") || rows != len(list) {
			t.Fatalf("got %q in %d rows, want %q", s.all, rows, list)
		}
		for i, at := range s.at {
			if got := text[at : at+int64(len(list[i]))]; got != list[i] {
				t.Fatalf("%d: found %q at %d, want %q", i, got, at, list[i])
			}
			if want := int64(strings.Count(text[:at], "\n") + 1); s.line[i] != want {
				t.Fatalf("%d: found line %d, want %d", i, s.line[i], want)
			}
		}
		if w.Account.In != int64(len(text)) || w.Account.Framing != int64(len(list)) || !w.Last {
			t.Fatalf("got %+v of %d bytes", w.Account, len(text))
		}
	})
}

// TestWindowEnds: who is to blame for the end of a text decides what a scanner may
// make of the rest.
func TestWindowEnds(t *testing.T) {
	lost := errors.New("connection lost")
	cut := &diag.Diagnostic{Code: diag.FileUnreadable}
	sizes := Sizes{Head: 16, Slab: 16, Most: 64}
	text := strings.Repeat("word ", 10) + "wo"
	for _, c := range []struct {
		name                string
		err, want           error
		last, cutOff, final bool
	}{
		{"end", io.EOF, nil, true, false, true},
		{"store", lost, lost, false, false, false},
	} {
		w := openWindow(t, io.MultiReader(strings.NewReader(text), iotest.ErrReader(c.err)), sizes)
		s := &words{w: w, most: 1 << 10}
		var got error
		for _, err := range w.Slabs(context.Background(), s.next) {
			got = err
		}
		if !errors.Is(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
		if len(s.all) != 10 || w.Last != c.last || w.CutOff != c.cutOff || w.Final() != c.final || string(w.Held[w.At:]) != "wo" {
			t.Errorf("%s: got %d words, last %v, cut off %v, %q", c.name, len(s.all), w.Last, w.CutOff, w.Held[w.At:])
		}
	}
	odd := append([]byte("\xff\xfea\x00 \x00b\x00"), 'c') // half a character of UTF-16
	w := openWindow(t, bytes.NewReader(odd), sizes)
	if !errors.Is(w.Err, cut) || !w.CutOff || w.Last || !w.Final() {
		t.Errorf("half a character: got %v, cut off %v, last %v", w.Err, w.CutOff, w.Last)
	}
}

// TestWindowFails: without a record that could stand, what the store said is all.
func TestWindowFails(t *testing.T) {
	lost := errors.New("connection lost")
	text, err := OpenText("t", io.MultiReader(strings.NewReader(strings.Repeat("a", 100)), iotest.ErrReader(lost)), UTF8)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewWindow(context.Background(), text, Sizes{Head: 128, Slab: 16, Most: 64}); !errors.Is(err, lost) {
		t.Errorf("got %v, want %v", err, lost)
	}
}

// TestWindowBytes: bytes that are no text are told, also where a window cuts a
// character that is.
func TestWindowBytes(t *testing.T) {
	for _, c := range []struct {
		text         string
		head         int
		dirty, zeros bool
	}{
		{"plain", 16, false, false},
		{"caf\u00e9", 4, false, false},
		{"caf\u00e9", 16, false, false},
		{"caf\xe9", 16, true, false},
		{"caf\xe9 x", 16, true, false},
		{"a\x00b", 16, false, true},
	} {
		w := openWindow(t, strings.NewReader(c.text), Sizes{Head: c.head, Slab: 16, Most: 64})
		if w.Dirty != c.dirty || w.Zeros != c.zeros {
			t.Errorf("%q: got dirty %v, zeros %v", c.text, w.Dirty, w.Zeros)
		}
	}
}

// TestWindowView: a record is looked for no further than it may reach.
func TestWindowView(t *testing.T) {
	w := openWindow(t, strings.NewReader("0123456789"), Sizes{Head: 16, Slab: 16, Most: 64})
	w.At = 2
	for _, c := range []struct {
		most int
		want string
		all  bool
	}{{3, "01234", false}, {7, "012345678", false}, {8, "0123456789", true}, {20, "0123456789", true}} {
		if got, all := w.View(c.most); string(got) != c.want || all != c.all {
			t.Errorf("%d: got %q, %v", c.most, got, all)
		}
	}
	if got := string(w.With([]byte("ab"))); got != "0123456789ab" || string(w.Held) != "0123456789" {
		t.Errorf("got %q with a tail, and %q", got, w.Held)
	}
}
