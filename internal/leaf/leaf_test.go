package leaf_test

import (
	"fmt"
	"testing"

	"landfall/internal/column"
	"landfall/internal/leaf"
	"landfall/internal/schema"
	"landfall/internal/value"
)

func TestWithout(t *testing.T) {
	list := schema.Array{Element: schema.Long, ContainsNull: true}
	c := column.Column{Type: list, Leaves: []column.Leaf{{ // [1 ∅], ∅, [], [2], [3 4]
		Ints: []int64{1, 2, 3, 4}, Defs: []uint8{3, 2, 0, 1, 3, 3, 3}, Reps: []uint8{0, 1, 0, 0, 0, 0, 1},
	}}}
	for _, x := range []struct{ gone, want string }{
		{"", "[1 2 3 4] [3 2 0 1 3 3 3] [0 1 0 0 0 0 1]"},
		{"0", "[2 3 4] [0 1 3 3 3] [0 0 0 0 1]"},
		{"024", "[2] [0 3] [0 0]"},
		{"012", "[2 3 4] [] [0 0 1]"},
		{"01234", "[] [] []"},
	} {
		rest := leaf.Without(c, list, func(row int) bool {
			for _, r := range x.gone {
				if int(r-'0') == row {
					return true
				}
			}
			return false
		})
		l := rest.Leaves[0]
		if got := fmt.Sprintf("%v %v %v", l.Ints, l.Defs, l.Reps); got != x.want {
			t.Errorf("without %q: got %s, want %s", x.gone, got, x.want)
		}
		if rows := leaf.Rows(&l); rows != 5-len(x.gone) {
			t.Errorf("without %q: %d rows", x.gone, rows)
		}
	}
}

func TestCutsAreSaidAndTakenBack(t *testing.T) {
	b := leaf.New(column.LeafInfo{Type: schema.Timestamp, MaxDef: 1})
	s := leaf.NewScalar(schema.Timestamp, &value.Forms{}, false)
	for _, c := range []struct {
		text string
		fit  leaf.Fit
	}{
		{"1970-01-01T00:00:01Z", leaf.Yes}, {"1970-01-01T00:00:00.0000019Z", leaf.Cut}, {"x", leaf.No},
	} {
		if got := s.Text(b, []byte(c.text), 0); got != c.fit {
			t.Errorf("%s: got %d, want %d", c.text, got, c.fit)
		}
	}
	if got := fmt.Sprint(b.Column().Ints); got != "[1000000 1]" {
		t.Errorf("got %s", got)
	}
	b.DropCut()
	if got := fmt.Sprint(b.Column().Ints); got != "[1000000]" {
		t.Errorf("after taking back: %s", got)
	}
}
