package leaf_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

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

// TestPlains: numbers that an observer found are to a column what their texts are.
func TestPlains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom([]schema.Type{
			schema.Byte, schema.Long, schema.Double, schema.Float, schema.String, schema.Date, schema.Decimal{Precision: 9, Scale: 2},
		}).Draw(t, "type")
		texts := rapid.SliceOfN(rapid.StringMatching(`-?(0|[1-9][0-9]{0,4})(\.[0-9]{1,3})?|x|`), 1, 8).Draw(t, "texts")
		forms := &value.Forms{NaN: rapid.SampledFrom([]string{"", "0"}).Draw(t, "NaN")}
		slab := &column.Slab{Records: make([]int64, len(texts)), Fields: make([]column.Text, 1)}
		for _, text := range texts {
			slab.Fields[0].AppendValue([]byte(text))
		}
		column.NewObserver(forms, 1).Add(slab)

		s, in := leaf.NewScalar(typ, forms, false), &slab.Fields[0]
		at, one := leaf.New(column.LeafInfo{Type: typ, MaxDef: 1}), leaf.New(column.LeafInfo{Type: typ, MaxDef: 1})
		at.Reset(in.Data, false)
		one.Reset(in.Data, false)
		n := s.Plains(at, in.Numbers)
		for i := range n {
			if s.Text(one, in.Value(i), in.Spans[i]) != leaf.Yes {
				t.Fatalf("%q is taken for a number of type %v", texts[i], typ)
			}
			one.There(0)
		}
		if !reflect.DeepEqual(at.Column(), one.Column()) {
			t.Fatalf("of %q: got %+v, want %+v", texts[:n], at.Column(), one.Column())
		}
		if whole := typ == schema.Long && !strings.ContainsAny(texts[0], ".x") && texts[0] != "" && texts[0] != "-0"; whole && n == 0 && forms.Usual() {
			t.Fatalf("%q is not taken", texts[0])
		}
	})
}
