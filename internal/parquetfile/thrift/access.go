package thrift

import (
	"encoding/binary"
	"iter"
	"math"
	"slices"
)

// Clone returns a structure whose changes do not show in s.
func (s Struct) Clone() Struct { return Struct{fields: slices.Clone(s.fields)} }

// find returns the position of a field, −1 if there is none. Of two with one
// number the last one counts, as it does for readers that fill in a structure.
func (s Struct) find(id int16) int {
	for i := len(s.fields) - 1; i >= 0; i-- {
		if s.fields[i].id == id {
			return i
		}
	}
	return -1
}

func (s Struct) at(id int16, types ...Type) ([]byte, Type, bool) {
	i := s.find(id)
	if i < 0 || !slices.Contains(types, s.fields[i].typ) {
		return nil, 0, false
	}
	return s.fields[i].raw, s.fields[i].typ, true
}

// Has reports whether there is a field, of whatever type.
func (s Struct) Has(id int16) bool { return s.find(id) >= 0 }

// Fields yields the numbers and types of the fields, in their order.
func (s Struct) Fields() iter.Seq2[int16, Type] {
	return func(yield func(int16, Type) bool) {
		for i := range s.fields {
			if !yield(s.fields[i].id, s.fields[i].typ) {
				return
			}
		}
	}
}

// Raw returns the bytes of a field's value as they stand; a boolean has none.
func (s Struct) Raw(id int16) (raw []byte, ok bool) {
	i := s.find(id)
	if i < 0 {
		return nil, false
	}
	return s.fields[i].raw, true
}

// Int returns an integer of any width; it is not ok if there is no such field,
// or one of another type. So it is with all of these.
func (s Struct) Int(id int16) (v int64, ok bool) {
	raw, t, ok := s.at(id, Byte, I16, I32, I64)
	if !ok {
		return 0, false
	}
	return intOf(t, raw), true
}

func intOf(t Type, raw []byte) int64 {
	if t == Byte {
		return int64(int8(raw[0]))
	}
	u, _ := binary.Uvarint(raw)
	return unzigzag(u)
}

// Bool returns a boolean.
func (s Struct) Bool(id int16) (v, ok bool) {
	_, t, ok := s.at(id, True, False)
	return t == True, ok
}

// Double returns a floating-point number.
func (s Struct) Double(id int16) (v float64, ok bool) {
	raw, _, ok := s.at(id, Double)
	if !ok {
		return 0, false
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(raw)), true
}

// Bytes returns the bytes of a string or binary, which are those that were
// parsed.
func (s Struct) Bytes(id int16) (v []byte, ok bool) {
	raw, _, ok := s.at(id, Binary)
	if !ok {
		return nil, false
	}
	return bytesOf(raw), true
}

func bytesOf(raw []byte) []byte {
	_, n := binary.Uvarint(raw)
	return raw[n:len(raw):len(raw)]
}

// Struct returns a structure. Changes of it show in s only if it is set again.
func (s Struct) Struct(id int16) (v Struct, ok bool) {
	raw, _, ok := s.at(id, Nested)
	if !ok {
		return Struct{}, false
	}
	return structOf(raw), true
}

// structOf views bytes that Parse has checked, so that nothing can be wrong.
func structOf(raw []byte) Struct {
	p := parser{b: raw}
	s, _ := p.structure()
	return s
}

// List returns a list or a set.
func (s Struct) List(id int16) (v List, ok bool) {
	raw, _, ok := s.at(id, Lists, Sets)
	if !ok {
		return List{}, false
	}
	p := parser{b: raw}
	t, n, _ := p.elements()
	return List{typ: t, n: n, raw: raw[p.at:]}, true
}

// List is the elements of a list or a set. The zero value is an empty one.
type List struct {
	typ Type
	n   int
	raw []byte
}

// Len is the number of elements.
func (l List) Len() int { return l.n }

// Type is the type of the elements.
func (l List) Type() Type { return l.typ }

// Structs yields the elements that are structures, none if they are not.
func (l List) Structs() iter.Seq[Struct] {
	return func(yield func(Struct) bool) {
		if l.typ != Nested {
			return
		}
		p := parser{b: l.raw}
		for range l.n {
			s, _ := p.structure()
			if !yield(s) {
				return
			}
		}
	}
}

// Ints yields the elements that are integers, none if they are not.
func (l List) Ints() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		if l.typ < Byte || l.typ > I64 {
			return
		}
		for raw := range l.each() {
			if !yield(intOf(l.typ, raw)) {
				return
			}
		}
	}
}

// Bools yields the elements that are booleans, none if they are not.
func (l List) Bools() iter.Seq[bool] {
	return func(yield func(bool) bool) {
		if l.typ != True && l.typ != False {
			return
		}
		for raw := range l.each() {
			if !yield(raw[0] == byte(True)) {
				return
			}
		}
	}
}

// Binaries yields the elements that are strings or binary, none if they are not.
func (l List) Binaries() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if l.typ != Binary {
			return
		}
		for raw := range l.each() {
			if !yield(bytesOf(raw)) {
				return
			}
		}
	}
}

// each yields the bytes of the elements.
func (l List) each() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		p := parser{b: l.raw}
		for range l.n {
			from := p.at
			if err := p.skip(l.typ, 0); err != nil || !yield(l.raw[from:p.at:p.at]) {
				return
			}
		}
	}
}
