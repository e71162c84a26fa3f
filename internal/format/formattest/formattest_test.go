package formattest

import (
	"context"
	"io"
	"iter"
	"strings"
	"testing"

	"landfall/internal/column"
	"landfall/internal/format"
)

// lines is a format of text: a record a line. wrong spoils what it says.
type lines struct {
	text    string
	account format.Account
	records int64
	wrong   func(*column.Slab, *format.Account)
}

func (l *lines) Header() []string        { return nil }
func (l *lines) Dialect() string         { return "lines, UTF-8" }
func (l *lines) Records() int64          { return l.records }
func (l *lines) Account() format.Account { return l.account }
func (l *lines) Notes() []format.Note    { return nil }

func (l *lines) Slabs(context.Context) iter.Seq2[*column.Slab, error] {
	return func(yield func(*column.Slab, error) bool) {
		s := &column.Slab{Data: []byte(l.text)}
		at := 0
		for i, line := range strings.SplitAfter(l.text, "\n") {
			if n := len(strings.TrimSuffix(line, "\n")); n > 0 {
				l.records++
				s.Records = append(s.Records, l.records)
				s.Where = append(s.Where, column.Where{Offset: int64(at), Line: int64(i + 1), From: uint32(at), To: uint32(at + n)})
				l.account.Records += int64(n)
				l.account.Framing -= int64(n)
			}
			at += len(line)
		}
		l.account.In = int64(len(l.text))
		l.account.Framing += l.account.In
		l.wrong(s, &l.account)
		yield(s, nil)
	}
}

// TestSaid: the suite takes what is right, and each lie of a reader for one.
func TestSaid(t *testing.T) {
	for _, c := range []struct {
		name, want string
		wrong      func(*column.Slab, *format.Account)
	}{
		{"right", "", func(*column.Slab, *format.Account) {}},
		{"offset", "record 2 at 1 has 2 bytes, and the one before ends at 2", func(s *column.Slab, _ *format.Account) { s.Where[1].Offset = 1 }},
		{"other text", `record 2 at 3 is not "\nc"`, func(s *column.Slab, _ *format.Account) { s.Where[1].From--; s.Where[1].To-- }},
		{"line", "record 2 at 3 is not on line 3", func(s *column.Slab, _ *format.Account) { s.Where[1].Line = 3 }},
		{"number", "found record 3, want 2", func(s *column.Slab, _ *format.Account) { s.Records[1] = 3 }},
		{"lost record", "found 1 records, counted 2", func(s *column.Slab, _ *format.Account) { s.Records, s.Where = s.Records[:1], s.Where[:1] }},
		{"account", "account {In:5 Records:4 Framing:0 Bad:0} does not add up", func(_ *column.Slab, a *format.Account) { a.Framing = 0 }},
		{"framing", `account is {In:5 Records:3 Framing:2 Bad:0}, want 5 bytes, and of framing "\n"`, func(_ *column.Slab, a *format.Account) { a.Framing++; a.Records-- }},
	} {
		f := Format{Spell: func(*column.Slab, int) string { return "" }}
		feed := Feed{Text: "ab\ncd", Open: func(context.Context, io.Reader, int) (Reader, error) {
			return &lines{text: "ab\ncd", wrong: c.wrong}, nil
		}}
		_, err := f.said(feed, nil, 0)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
