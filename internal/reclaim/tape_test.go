package reclaim

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/format/json"
)

// The tape is the one that the reader of JSON makes of the same text.
func TestTape(t *testing.T) {
	value := rapid.Custom(func(t *rapid.T) string { return drawJSON(t, 0) })
	rapid.Check(t, func(t *rapid.T) {
		var lines []string
		for range rapid.IntRange(1, 4).Draw(t, "records") {
			lines = append(lines, `{"v":`+value.Draw(t, "value")+"}")
		}
		var mine taper
		mine.text = []byte(strings.Join(lines, ""))
		at := 0
		for _, line := range lines {
			mine.root(at)
			at += len(line)
		}
		got := mine.tape()
		r, err := json.Open(context.Background(), "a.json", strings.NewReader(strings.Join(lines, "\n")), json.Options{})
		if err != nil {
			t.Fatal(err)
		}
		row := 0
		for s, err := range r.Slabs(context.Background()) {
			if err != nil || len(s.Bad) > 0 {
				t.Fatalf("%v, %v", err, s.Bad)
			}
			for i := range s.Tape.Roots {
				compare(t, got, got.Roots[row], s.Tape, s.Tape.Roots[i])
				row++
			}
		}
		if row != len(lines) {
			t.Fatalf("found %d records, want %d", row, len(lines))
		}
	})
}

// compare compares two values, and all below them.
func compare(t *rapid.T, a *column.Tape, i uint32, b *column.Tape, k uint32) {
	t.Helper()
	n := a.Nodes[i].Next - i
	if b.Nodes[k].Next-k != n {
		t.Fatalf("%s has %d nodes, want %d", a.Raw(i), n, b.Nodes[k].Next-k)
	}
	for d := range n {
		x, y := a.Nodes[i+d], b.Nodes[k+d]
		if x.Kind != y.Kind || x.Flags != y.Flags || x.Next-i != y.Next-k || string(a.Raw(i+d)) != string(b.Raw(k+d)) {
			t.Fatalf("node %d: %+v of %q, want %+v of %q", d, x, a.Raw(i+d), y, b.Raw(k+d))
		}
		if x.Kind == column.String && (string(a.Text(i+d)) != string(b.Text(k+d)) || a.Span(i+d).Len() != b.Span(k+d).Len()) {
			t.Fatalf("text %q, want %q", a.Text(i+d), b.Text(k+d))
		}
	}
}

func drawJSON(t *rapid.T, depth int) string {
	space := rapid.SampledFrom([]string{"", "", " ", "\t "}).Draw(t, "space")
	text := rapid.SampledFrom([]string{`"x"`, `""`, `"\u00e9\n"`, `"\ud800"`, `"a\"]}\\"`, `"ö,:"`})
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		return text.Draw(t, "text")
	case 1:
		return rapid.SampledFrom([]string{"0", "-1.5e+07", "12E-3", "92233720368547758070"}).Draw(t, "number")
	case 2:
		return rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "word")
	case 3, 4:
		if depth < 3 {
			var all []string
			for range rapid.IntRange(0, 3).Draw(t, "elements") {
				all = append(all, space+drawJSON(t, depth+1)+space)
			}
			return "[" + space + strings.Join(all, ",") + "]"
		}
	case 5, 6:
		if depth < 3 {
			var all []string
			for range rapid.IntRange(0, 3).Draw(t, "members") {
				all = append(all, space+text.Draw(t, "name")+space+":"+space+drawJSON(t, depth+1)+space)
			}
			return "{" + space + strings.Join(all, ",") + "}"
		}
	}
	return "1"
}

func TestCells(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "null": 1, `"a\n"`: 1, "[]": 1, "{}": 1, `[1,[],{"a":null,"b":[2,3]}]`: 5, `{"\u0061":{}}`: 1,
	} {
		if got := cells([]byte(text)); got != want {
			t.Errorf("%s: found %d, want %d", text, got, want)
		}
	}
}
