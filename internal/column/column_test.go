package column_test

import (
	"testing"

	"landfall/internal/column"
)

func TestSpan(t *testing.T) {
	for _, c := range []struct{ offset, length int }{{0, 0}, {1, 2}, {1<<32 - 1, column.MaxValue}} {
		for _, quoted := range []bool{false, true} {
			s := column.NewSpan(c.offset, c.length, quoted)
			if s.Offset() != c.offset || s.Len() != c.length || s.Quoted() != quoted || s.Null() {
				t.Errorf("span of %v, quoted %v: got %d, %d, %v, null %v", c, quoted, s.Offset(), s.Len(), s.Quoted(), s.Null())
			}
		}
	}
	if s := column.NullSpan; !s.Null() || s.Len() != 0 || s.Quoted() {
		t.Error("the null span is not null, or more than that")
	}
}

func TestTextTellsEmptyFromNull(t *testing.T) {
	var c column.Text
	c.AppendValue(nil)
	c.AppendNull()
	c.AppendValue([]byte("x"))
	if v := c.Value(0); v == nil || len(v) != 0 {
		t.Errorf("empty value: got %#v, want an empty one that is not nil", v)
	}
	if v := c.Value(1); v != nil {
		t.Errorf("null: got %q, want nil", v)
	}
	if v := c.Value(2); string(v) != "x" {
		t.Errorf("value: got %q, want x", v)
	}
}
