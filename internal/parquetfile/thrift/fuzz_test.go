package thrift

import (
	"bytes"
	"testing"
)

// walk reads all that is in a structure, to its depth.
func walk(s Struct) int {
	n := 0
	met := map[int16]bool{}
	for id, t := range s.Fields() {
		n++
		if met[id] {
			continue // of fields of one number, one is found
		}
		met[id] = true
		s.Int(id)
		s.Bool(id)
		s.Double(id)
		s.Bytes(id)
		if t == Nested {
			if v, ok := s.Struct(id); ok {
				n += walk(v)
			}
		}
		if l, ok := s.List(id); ok {
			for e := range l.Structs() {
				n += walk(e)
			}
			for range l.Ints() {
				n++
			}
			for range l.Bools() {
				n++
			}
			for range l.Binaries() {
				n++
			}
		}
	}
	return n
}

// FuzzParse holds what every parse promises: no panic, and bytes that come out
// as they went in.
func FuzzParse(f *testing.F) {
	var inner, s Struct
	inner.SetString(1, "schema")
	inner.SetInt32(5, 3)
	s.SetInt32(1, 2)
	s.SetList(2, StructList([]Struct{inner, inner}))
	s.SetInt64(3, 1<<40)
	s.SetBool(4, true)
	s.SetDouble(5, 0.5)
	f.Add(s.Append(nil))
	f.Add([]byte{0x1b, 0x01, 0x85, 0x01, 'k', 4, 0})
	f.Add([]byte{0x35, 0x02, 0x05, 0x02, 0x04, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, n, err := Parse(b)
		if err != nil {
			return
		}
		if got := s.Append(nil); !bytes.Equal(got, b[:n]) {
			t.Fatalf("%x comes out as %x", b[:n], got)
		}
		if n := walk(s); n > len(b) {
			t.Fatalf("%d values in %d bytes", n, len(b))
		}
	})
}
