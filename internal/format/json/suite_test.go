package json

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"landfall/internal/column"
	"landfall/internal/format/formattest"
)

// TestFormat: JSON is a format as all formats of text are.
func TestFormat(t *testing.T) {
	pool := new(Pool) // what holds for a reader holds for one that has another's memory
	record := func(i int) string { return fmt.Sprintf(`{"n":%d,"square":[%d,"\u0041"]}`, i, i*i) }
	formattest.Run(t, formattest.Format{
		Open: func(ctx context.Context, r io.Reader, o formattest.Options) (formattest.Reader, error) {
			return Open(ctx, "t.json", r, Options{Encoding: o.Encoding, headBytes: o.Head, SlabBytes: o.Slab, Pool: pool})
		},
		Layouts: []formattest.Layout{
			{Name: "lines", Between: "\n", After: "\n", Record: record},
			{Name: "array", Before: "[", Between: ",\n ", After: "]", Record: record},
			{Name: "documents", Record: record},
		},
		Word:   func(word string) string { return `{"name":"` + word + `"}` },
		Random: randomFeed,
		Spell:  func(s *column.Slab, row int) string { return spell(s.Tape, s.Tape.Roots[row]) },
	})
}

// randomFeed draws a text and options.
func randomFeed(rnd *rand.Rand) formattest.Feed {
	text, o := randomText(rnd), randomOptions(rnd)
	if rnd.IntN(2) == 0 {
		o.Pool = new(Pool)
	}
	if rnd.IntN(10) == 0 {
		text += strings.Repeat(text, 30)
	}
	o.Encoding = "UTF-8"
	return formattest.Feed{
		Text: text,
		Open: func(ctx context.Context, r io.Reader, slab int) (formattest.Reader, error) {
			o.SlabBytes = slab
			return Open(ctx, "t.json", r, o)
		},
		Framing: func(text string) bool {
			rest := strings.Trim(strings.ReplaceAll(text, bom, ""), " \t\r\n,[]")
			return rest == "" || o.AllowComments || o.LineSep != ""
		},
	}
}
