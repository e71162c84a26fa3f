package csv

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"landfall/internal/column"
	"landfall/internal/format"
	"landfall/internal/format/formattest"
)

var _ format.Reader = (*Reader)(nil)

// TestFormat: CSV is a format as all formats of text are.
func TestFormat(t *testing.T) {
	formattest.Run(t, formattest.Format{
		Open: func(ctx context.Context, r io.Reader, o formattest.Options) (formattest.Reader, error) {
			return Open(ctx, "t.csv", r, Options{Encoding: o.Encoding, sniffBytes: o.Head, SlabBytes: o.Slab})
		},
		Layouts: []formattest.Layout{
			{Name: "plain", Before: "n,square\n", Between: "\n", After: "\n", Open: true, Record: func(i int) string { return fmt.Sprintf("%d,%d", i, i*i) }},
			{Name: "quoted", Before: "\"n\",\"note\"\r\n", Between: "\r\n", Open: true, Record: func(i int) string { return fmt.Sprintf("\"%d\",\"a \"\"%d\"\"\nb\"", i, i) }},
		},
		Word:    func(word string) string { return "1," + word },
		Random:  randomFeed,
		Spell:   spellRow,
		Guesses: true,
	})
}

// randomFeed draws a text whose dialect has to be found out, and half of the time
// its encoding too.
func randomFeed(rnd *rand.Rand) formattest.Feed {
	o := Options{sniffBytes: 40, Encoding: []string{"", "UTF-8"}[rnd.IntN(2)]}
	return formattest.Feed{
		Text: randomText(rnd), Recoded: o.Encoding == "",
		Open: func(ctx context.Context, r io.Reader, slab int) (formattest.Reader, error) {
			o.SlabBytes = slab
			return Open(ctx, "t.csv", r, o)
		},
	}
}

// spellRow spells the values of a row, those past the header too.
func spellRow(s *column.Slab, row int) string {
	var b strings.Builder
	for _, f := range s.Fields {
		b.WriteString(show(f.Value(row), f.Spans[row].Quoted()) + "|")
	}
	for _, r := range s.Ragged {
		if r.Row == row {
			fmt.Fprintf(&b, " of %d: %q", r.Have, r.Extra)
		}
	}
	return b.String()
}
