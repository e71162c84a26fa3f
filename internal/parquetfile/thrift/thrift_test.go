package thrift

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawStruct makes a structure of random fields, and what reading them back must
// give.
func drawStruct(t *rapid.T, depth int) Struct {
	var s Struct
	for range rapid.IntRange(0, 6).Draw(t, "fields") {
		id := rapid.Int16().Draw(t, "id")
		switch rapid.IntRange(0, 9).Draw(t, "type") {
		case 0:
			s.SetInt32(id, rapid.Int32().Draw(t, "v"))
		case 1:
			s.SetInt64(id, rapid.Int64().Draw(t, "v"))
		case 2:
			s.SetBool(id, rapid.Bool().Draw(t, "v"))
		case 3:
			s.SetBytes(id, rapid.SliceOf(rapid.Byte()).Draw(t, "v"))
		case 4:
			s.SetDouble(id, rapid.Float64().Draw(t, "v"))
		case 5:
			s.SetByte(id, int8(rapid.IntRange(-128, 127).Draw(t, "v")))
		case 6:
			s.SetInt16(id, rapid.Int16().Draw(t, "v"))
		case 7:
			s.SetList(id, IntList(I64, rapid.SliceOf(rapid.Int64()).Draw(t, "v")))
		case 8:
			if depth < 4 {
				s.SetStruct(id, drawStruct(t, depth+1))
			}
		case 9:
			if depth < 4 {
				s.SetList(id, StructList([]Struct{drawStruct(t, depth+1), drawStruct(t, depth+1)}))
			}
		}
	}
	return s
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStruct(t, 0)
		b := s.Append(nil)
		rest := rapid.SliceOf(rapid.Byte()).Draw(t, "rest")
		got, n, err := Parse(slices.Concat(b, rest))
		if err != nil || n != len(b) {
			t.Fatalf("%x: took %d of %d: %v", b, n, len(b), err)
		}
		if again := got.Append(nil); !bytes.Equal(again, b) {
			t.Fatalf("%x comes out as %x", b, again)
		}
		for end := range b {
			if _, _, err := Parse(b[:end]); err == nil {
				t.Fatalf("%x parses without its end", b[:end])
			}
		}
	})
}

// A changed field leaves the bytes of the others alone.
func TestSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, _, err := Parse(drawStruct(t, 0).Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		id, v := rapid.Int16().Draw(t, "id"), rapid.Int64().Draw(t, "v")
		if n := len(s.fields); n > 0 && rapid.Bool().Draw(t, "known") {
			id = s.fields[rapid.IntRange(0, n-1).Draw(t, "at")].id
		}
		edited := s.Clone()
		edited.SetInt64(id, v)
		back, _, err := Parse(edited.Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := back.Int(id); !ok || got != v {
			t.Fatalf("field %d is %d, want %d", id, got, v)
		}
		edited.Delete(id)
		s.Delete(id)
		if a, b := edited.Append(nil), s.Append(nil); !bytes.Equal(a, b) {
			t.Fatalf("others came out as %x, want %x", a, b)
		}
	})
}

// Spellings that no writer of ours uses stay as they are.
func TestOddSpellings(t *testing.T) {
	for _, b := range [][]byte{
		{0},
		{0x05, 0x02, 0x80, 0x00, 0},                     // a long header where a short one does, a number in two bytes
		{0x15, 0x02, 0x05, 0x02, 0x04, 0},               // one field twice
		{0x35, 0x02, 0x05, 0x02, 0x04, 0},               // downwards
		{0x19, 0xf5, 0x01, 0x02, 0},                     // a long list header for one element
		{0x19, 0x21, 0x00, 0x01, 0},                     // booleans as 0 and 1
		{0x1b, 0x00, 0x1b, 0x01, 0x85, 0x01, 'k', 4, 0}, // maps
		{0x1d, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0},
		{0x1a, 0x13, 0x07, 0}, // a set
	} {
		s, n, err := Parse(b)
		if err != nil || n != len(b) {
			t.Errorf("%x: took %d: %v", b, n, err)
			continue
		}
		if got := s.Append(nil); !bytes.Equal(got, b) {
			t.Errorf("%x comes out as %x", b, got)
		}
	}
}

func TestBroken(t *testing.T) {
	deep := bytes.Repeat([]byte{0x1c}, MaxDepth+2)
	deepList := append([]byte{0x19}, bytes.Repeat([]byte{0x19}, MaxDepth+2)...)
	many := append(bytes.Repeat([]byte{0x05, 0x02, 0x02}, MaxFields+1), 0)
	for name, b := range map[string][]byte{
		"empty":       nil,
		"no type":     {0x10, 0},
		"odd type":    {0x1e, 0},
		"long binary": {0x18, 0x7f, 'a', 0},
		"long list":   {0x19, 0xf3, 0xff, 0xff, 0xff, 0xff, 0x07, 0},
		"long map":    {0x1b, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x33, 0},
		"long number": {0x16, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0},
		"field id":    {0x05, 0x80, 0x80, 0x08, 0, 0},
		"id passes":   {0x05, 0xfe, 0xff, 0x03, 0, 0x15, 0, 0},
		"deep":        deep,
		"deep list":   deepList,
		"many fields": many,
	} {
		if _, _, err := Parse(b); err == nil {
			t.Errorf("%s: %.20x parses", name, b)
		}
	}
}

func TestAccess(t *testing.T) {
	var inner, s Struct
	inner.SetString(1, "x")
	s.SetInt32(1, -7)
	s.SetInt64(2, math.MinInt64)
	s.SetByte(3, -128)
	s.SetBool(4, true)
	s.SetBool(5, false)
	s.SetDouble(6, math.Inf(-1))
	s.SetBytes(7, []byte{0, 255})
	s.SetStruct(8, inner)
	s.SetList(9, StructList([]Struct{inner, {}, inner}))
	s.SetList(10, IntList(I32, make([]int64, 20)))
	s.SetList(11, List{typ: True, n: 2, raw: []byte{byte(True), byte(False)}})
	s.SetList(12, StringList([]string{"a", ""}))
	s, _, err := Parse(s.Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := s.Int(1); !ok || v != -7 {
		t.Errorf("1 is %d", v)
	}
	if v, ok := s.Int(2); !ok || v != math.MinInt64 {
		t.Errorf("2 is %d", v)
	}
	if v, ok := s.Int(3); !ok || v != -128 {
		t.Errorf("3 is %d", v)
	}
	if v, ok := s.Bool(4); !ok || !v {
		t.Errorf("4 is %v", v)
	}
	if v, ok := s.Bool(5); !ok || v {
		t.Errorf("5 is %v", v)
	}
	if v, ok := s.Double(6); !ok || !math.IsInf(v, -1) {
		t.Errorf("6 is %v", v)
	}
	if v, ok := s.Bytes(7); !ok || !bytes.Equal(v, []byte{0, 255}) {
		t.Errorf("7 is %x", v)
	}
	if v, _ := s.Struct(8); string(first(v.Bytes(1))) != "x" {
		t.Errorf("8 is %x", v.Append(nil))
	}
	var names []string
	l, _ := s.List(9)
	for e := range l.Structs() {
		b, _ := e.Bytes(1)
		names = append(names, string(b))
	}
	if !slices.Equal(names, []string{"x", "", "x"}) || l.Len() != 3 {
		t.Errorf("9 is %q", names)
	}
	l, _ = s.List(10)
	if got := slices.Collect(l.Ints()); !slices.Equal(got, make([]int64, 20)) {
		t.Errorf("10 is %v", got)
	}
	l, _ = s.List(11)
	if got := slices.Collect(l.Bools()); !slices.Equal(got, []bool{true, false}) {
		t.Errorf("11 is %v", got)
	}
	l, _ = s.List(12)
	if got := slices.Collect(l.Binaries()); len(got) != 2 || string(got[0]) != "a" {
		t.Errorf("12 is %q", got)
	}
	if _, ok := s.Int(7); ok || s.Has(13) {
		t.Error("a field of another type is an integer, or one that is not there is there")
	}
}

func first[T any](v T, _ bool) T { return v }
