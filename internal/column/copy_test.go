package column_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/column"
)

// shown spells all that a slab or batch holds, so that nil and empty differ.
func shown(texts []*column.Text, rest ...any) string {
	out := ""
	for _, t := range texts {
		if t == nil {
			out += "none;"
			continue
		}
		for i := range t.Spans {
			out += fmt.Sprintf("%#v %v,", t.Value(i), t.Spans[i].Quoted())
		}
		out += fmt.Sprint(t.UTF8, ";")
	}
	for _, r := range rest {
		out += fmt.Sprintf("%#v;", r)
	}
	return out
}

// textsOf draws texts that lie in one buffer or another, as far as one reaches.
func textsOf(rt *rapid.T) (texts []*column.Text, buffers [][]byte) {
	bytes := rapid.SliceOfN(rapid.Byte(), 0, 20)
	buffers = [][]byte{bytes.Draw(rt, "buffer"), bytes.Draw(rt, "other buffer")}
	for range rapid.IntRange(0, 4).Draw(rt, "texts") {
		data := rapid.SampledFrom(buffers).Draw(rt, "data")
		data = data[:rapid.IntRange(0, len(data)).Draw(rt, "reach")]
		t := &column.Text{Data: data, UTF8: rapid.Bool().Draw(rt, "utf8")}
		for range rapid.IntRange(0, 3).Draw(rt, "values") {
			if rapid.IntRange(0, 3).Draw(rt, "null") == 0 {
				t.AppendNull()
				continue
			}
			from := rapid.IntRange(0, len(data)).Draw(rt, "from")
			t.Spans = append(t.Spans, column.NewSpan(from, rapid.IntRange(0, len(data)-from).Draw(rt, "length"), rapid.Bool().Draw(rt, "quoted")))
		}
		texts = append(texts, t)
	}
	return texts, buffers
}

// spoil overwrites what originals lie in.
func spoil(texts []*column.Text, buffers [][]byte, rest ...[]int64) {
	for _, b := range buffers {
		clear(b)
	}
	for _, t := range texts {
		clear(t.Spans)
	}
	for _, r := range rest {
		clear(r)
	}
}

// TestCopyBatch copies batches in one room, each of which is then overwritten: the copy
// says what the batch said.
func TestCopyBatch(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var room column.Copy
		for range 3 {
			texts, buffers := textsOf(rt)
			ints := rapid.SliceOf(rapid.Int64()).Draw(rt, "ints")
			levels := rapid.SliceOf(rapid.Uint8()).Draw(rt, "levels")
			b := column.Batch{Rows: 7, Columns: []column.Column{{Constant: "c"}, {Leaves: []column.Leaf{{Ints: ints, Defs: levels}, {Reps: levels}}}}}
			for i, x := range texts {
				if i%2 == 0 {
					b.Columns = append(b.Columns, column.Column{Text: x})
				} else {
					b.Columns = append(b.Columns, column.Column{Leaves: []column.Leaf{{Text: x}}})
				}
			}
			show := func(b column.Batch) string {
				var texts []*column.Text
				for _, c := range b.Columns {
					texts = append(texts, c.Text)
					for _, l := range c.Leaves {
						texts = append(texts, l.Text)
					}
				}
				two := b.Columns[1].Leaves
				return shown(texts, b.Rows, b.Columns[0].Constant, two[0].Ints, two[0].Defs, two[1].Defs, two[1].Reps)
			}
			want := show(b)
			got := room.Batch(b)
			spoil(texts, buffers, ints)
			clear(levels)
			clear(b.Columns)
			if found := show(got); found != want {
				rt.Fatalf("the copy is\n%s, want\n%s", found, want)
			}
		}
	})
}

// TestCopySlab does the same with slabs.
func TestCopySlab(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var room column.Copy
		for range 3 {
			texts, buffers := textsOf(rt)
			records := rapid.SliceOf(rapid.Int64()).Draw(rt, "records")
			s := &column.Slab{Records: records, Data: buffers[0]}
			for _, x := range texts {
				s.Fields = append(s.Fields, *x)
			}
			for row := range rapid.IntRange(0, 2).Draw(rt, "ragged") {
				s.Ragged = append(s.Ragged, column.Ragged{Row: row, Have: row, Extra: rapid.SampledFrom([][][]byte{nil, {}, {nil, {}, buffers[1]}}).Draw(rt, "extra")})
			}
			if rapid.Bool().Draw(rt, "bad") {
				s.Bad = []column.Bad{{Record: 3, Bytes: buffers[1], Reason: "why"}, {Record: 4}}
			}
			if rapid.Bool().Draw(rt, "tree") {
				s.Tape = &column.Tape{Data: buffers[0], Nodes: []column.Node{{Length: 1}}, Roots: []uint32{0}, Shapes: column.NewShapes()}
			}
			show := func(s *column.Slab) string {
				var texts []*column.Text
				for i := range s.Fields {
					texts = append(texts, &s.Fields[i])
				}
				out := shown(texts, s.Records, s.Data, s.Ragged, s.Bad)
				if t := s.Tape; t != nil {
					out += fmt.Sprintf("%#v %#v %#v %#v %p", t.Data, t.Nodes, t.Roots, t.Cells, t.Shapes)
				}
				return out
			}
			want := show(s)
			got := room.Slab(s)
			spoil(texts, buffers, records)
			if s.Tape != nil {
				clear(s.Tape.Nodes)
			}
			clear(s.Fields)
			if found := show(got); found != want {
				rt.Fatalf("the copy is\n%s, want\n%s", found, want)
			}
		}
	})
}
