package thrift

import (
	"encoding/binary"
	"math"
	"slices"
)

// Append adds the bytes of s to dst and returns the longer slice. A structure
// that was parsed and not changed has the bytes that it had.
func (s Struct) Append(dst []byte) []byte {
	before := int16(0)
	for i := range s.fields {
		f := &s.fields[i]
		if f.head != nil && f.before == before {
			dst = append(dst, f.head...)
		} else {
			dst = appendHeader(dst, before, f.id, f.typ)
		}
		dst = append(dst, f.raw...)
		before = f.id
	}
	return append(dst, 0)
}

func appendHeader(dst []byte, before, id int16, t Type) []byte {
	if step := int32(id) - int32(before); step > 0 && step < 16 {
		return append(dst, byte(step)<<4|byte(t))
	}
	return binary.AppendUvarint(append(dst, byte(t)), zigzag(int64(id)))
}

// set puts a value in the place of a field, or of the first one with a greater
// number, since writers and some readers count upwards.
func (s *Struct) set(id int16, t Type, raw []byte) {
	if i := s.find(id); i >= 0 {
		if s.fields[i].typ != t {
			s.fields[i].head = nil
		}
		s.fields[i].typ, s.fields[i].raw = t, raw
		return
	}
	i := slices.IndexFunc(s.fields, func(f field) bool { return f.id > id })
	if i < 0 {
		i = len(s.fields)
	}
	s.fields = slices.Insert(s.fields, i, field{id: id, typ: t, raw: raw})
}

// Delete takes a field out, if there is one.
func (s *Struct) Delete(id int16) {
	s.fields = slices.DeleteFunc(s.fields, func(f field) bool { return f.id == id })
}

// SetInt32 sets an integer of 32 bits.
func (s *Struct) SetInt32(id int16, v int32) {
	s.set(id, I32, binary.AppendUvarint(nil, zigzag(int64(v))))
}

// SetInt64 sets an integer of 64 bits.
func (s *Struct) SetInt64(id int16, v int64) {
	s.set(id, I64, binary.AppendUvarint(nil, zigzag(v)))
}

// SetInt16 sets an integer of 16 bits.
func (s *Struct) SetInt16(id int16, v int16) {
	s.set(id, I16, binary.AppendUvarint(nil, zigzag(int64(v))))
}

// SetByte sets an integer of 8 bits.
func (s *Struct) SetByte(id int16, v int8) { s.set(id, Byte, []byte{byte(v)}) }

// SetBool sets a boolean.
func (s *Struct) SetBool(id int16, v bool) {
	t := False
	if v {
		t = True
	}
	s.set(id, t, nil)
}

// SetDouble sets a floating-point number.
func (s *Struct) SetDouble(id int16, v float64) {
	s.set(id, Double, binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
}

// SetBytes sets binary. It copies v.
func (s *Struct) SetBytes(id int16, v []byte) {
	s.set(id, Binary, append(binary.AppendUvarint(nil, uint64(len(v))), v...))
}

// SetString sets a string.
func (s *Struct) SetString(id int16, v string) {
	s.set(id, Binary, append(binary.AppendUvarint(nil, uint64(len(v))), v...))
}

// SetStruct sets a structure as it is now.
func (s *Struct) SetStruct(id int16, v Struct) { s.set(id, Nested, v.Append(nil)) }

// SetList sets a list.
func (s *Struct) SetList(id int16, v List) {
	raw := make([]byte, 0, len(v.raw)+binary.MaxVarintLen32+1)
	if v.n < 15 {
		raw = append(raw, byte(v.n)<<4|byte(v.typ))
	} else {
		raw = binary.AppendUvarint(append(raw, 0xf0|byte(v.typ)), uint64(v.n))
	}
	s.set(id, Lists, append(raw, v.raw...))
}

// StructList is a list of structures as they are now.
func StructList(of []Struct) List {
	l := List{typ: Nested, n: len(of)}
	for _, s := range of {
		l.raw = s.Append(l.raw)
	}
	return l
}

// IntList is a list of integers of one of the types I16, I32 and I64.
func IntList(t Type, of []int64) List {
	l := List{typ: t, n: len(of)}
	for _, v := range of {
		l.raw = binary.AppendUvarint(l.raw, zigzag(v))
	}
	return l
}

// StringList is a list of strings.
func StringList(of []string) List {
	l := List{typ: Binary, n: len(of)}
	for _, v := range of {
		l.raw = append(binary.AppendUvarint(l.raw, uint64(len(v))), v...)
	}
	return l
}
