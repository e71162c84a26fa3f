// Package thrift holds structures of Thrift's compact protocol without loss.
//
// A [Struct] is a view on the bytes that it was parsed from: what nobody changed
// comes out byte for byte as it went in, unknown fields and odd spellings of
// numbers included. [Parse] checks all of it once, to its full depth; what lies
// inside is looked at when it is asked for, so that a parse takes no more memory
// than the fields of one structure, whatever the bytes claim.
package thrift

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Type is the type of a field, or of the elements of a list.
type Type uint8

// The types, by their numbers in the protocol. A boolean field has its value in
// its type; elements that are booleans may be of either.
const (
	True   Type = 1
	False  Type = 2
	Byte   Type = 3
	I16    Type = 4
	I32    Type = 5
	I64    Type = 6
	Double Type = 7
	Binary Type = 8
	Lists  Type = 9
	Sets   Type = 10
	Maps   Type = 11
	Nested Type = 12
	UUID   Type = 13
)

const (
	// MaxDepth bounds how deep structures, lists and maps nest.
	MaxDepth = 64
	// MaxFields bounds the fields of one structure.
	MaxFields = 1 << 12
)

// Faults of bytes that are not of the protocol.
var (
	errShort   = errors.New("ends within a value")
	errVarint  = errors.New("number of more than 64 bits")
	errDepth   = fmt.Errorf("nested more than %d deep", MaxDepth)
	errFields  = fmt.Errorf("structure of more than %d fields", MaxFields)
	errFieldID = errors.New("field number of more than 16 bits")
	errLength  = errors.New("length beyond the end")
)

// Struct is a structure: fields in the order of their bytes. The zero value has
// none. A copy shares its fields with the original: see [Struct.Clone].
type Struct struct{ fields []field }

// field is one field: the bytes of its header, and those of its value.
type field struct {
	id   int16
	typ  Type
	head []byte
	// before is the number of the field that the header counts from.
	before int16
	raw    []byte
}

// Parse reads the structure that b begins with, and returns how many bytes it
// took. The structure keeps b, which must not change. The error says at which
// byte the protocol is broken.
func Parse(b []byte) (Struct, int, error) {
	p := parser{b: b}
	s, err := p.structure()
	if err != nil {
		return Struct{}, 0, fmt.Errorf("thrift, byte %d: %w", p.at, err)
	}
	return s, p.at, nil
}

// ParsePrefix reads the fields that b begins with, up to the first one with a
// number greater than last, into s. What comes behind is neither read nor checked,
// and need not be there. The memory of s is used again.
func (s *Struct) ParsePrefix(b []byte, last int16) error {
	p := parser{b: b}
	var err error
	s.fields, err = p.fields(s.fields[:0], last)
	if err != nil {
		return fmt.Errorf("thrift, byte %d: %w", p.at, err)
	}
	return nil
}

// parser walks over bytes.
type parser struct {
	b  []byte
	at int
}

// header is what stands before a value in a structure.
type header struct {
	id  int16
	typ Type
}

// header reads the header that follows the field before; its type is 0 at the
// end of the structure.
func (p *parser) header(before int16) (header, error) {
	if p.at >= len(p.b) {
		return header{}, errShort
	}
	c := p.b[p.at]
	p.at++
	h := header{typ: Type(c & 15)}
	switch {
	case c == 0:
		return header{}, nil
	case c>>4 > 0:
		if before > math.MaxInt16-int16(c>>4) {
			return header{}, errFieldID
		}
		h.id = before + int16(c>>4)
		return h, nil
	}
	u, err := p.varint()
	if err != nil {
		return header{}, err
	}
	id := unzigzag(u)
	if id != int64(int16(id)) {
		return header{}, errFieldID
	}
	h.id = int16(id)
	return h, nil
}

// structure reads the fields of a structure.
func (p *parser) structure() (Struct, error) {
	fields, err := p.fields(make([]field, 0, 8), math.MaxInt16)
	return Struct{fields: fields}, err
}

// fields reads fields up to one with a number greater than last.
func (p *parser) fields(to []field, last int16) ([]field, error) {
	before := int16(0)
	for {
		start := p.at
		h, err := p.header(before)
		switch {
		case err != nil:
			return to, err
		case p.b[start] == 0 || h.id > last:
			return to, nil
		case len(to) == MaxFields:
			return to, errFields
		}
		f := field{id: h.id, typ: h.typ, head: p.b[start:p.at:p.at], before: before}
		from := p.at
		if h.typ != True && h.typ != False {
			if err := p.skip(h.typ, 1); err != nil {
				return to, err
			}
		}
		f.raw = p.b[from:p.at:p.at]
		to = append(to, f)
		before = h.id
	}
}

func (p *parser) varint() (uint64, error) {
	u, n := binary.Uvarint(p.b[p.at:])
	switch {
	case n > 0:
		p.at += n
		return u, nil
	case n == 0:
		return 0, errShort
	}
	return 0, errVarint
}

// jump passes n bytes.
func (p *parser) jump(n uint64) error {
	if n > uint64(len(p.b)-p.at) {
		return errLength
	}
	p.at += int(n)
	return nil
}

// skip passes a value that is not a boolean field.
func (p *parser) skip(t Type, depth int) error {
	switch t {
	case True, False, Byte:
		return p.jump(1)
	case I16, I32, I64:
		_, err := p.varint()
		return err
	case Double:
		return p.jump(8)
	case UUID:
		return p.jump(16)
	case Binary:
		n, err := p.varint()
		if err != nil {
			return err
		}
		return p.jump(n)
	}
	if depth > MaxDepth {
		return errDepth
	}
	switch t {
	case Lists, Sets:
		return p.skipList(depth)
	case Maps:
		return p.skipMap(depth)
	case Nested:
		return p.skipStruct(depth)
	}
	return fmt.Errorf("type %d, want one of 1 to %d", t, UUID)
}

func (p *parser) skipStruct(depth int) error {
	before := int16(0)
	for n := 0; ; n++ {
		start := p.at
		h, err := p.header(before)
		switch {
		case err != nil:
			return err
		case p.b[start] == 0:
			return nil
		case n == MaxFields:
			return errFields
		}
		if h.typ != True && h.typ != False {
			if err := p.skip(h.typ, depth+1); err != nil {
				return err
			}
		}
		before = h.id
	}
}

// elements reads the header of a list or a set. Every element takes a byte at
// least, so that a count beyond the end is a lie.
func (p *parser) elements() (Type, int, error) {
	if p.at >= len(p.b) {
		return 0, 0, errShort
	}
	c := p.b[p.at]
	p.at++
	n := uint64(c >> 4)
	if n == 15 {
		var err error
		if n, err = p.varint(); err != nil {
			return 0, 0, err
		}
	}
	if n > uint64(len(p.b)-p.at) {
		return 0, 0, errLength
	}
	return Type(c & 15), int(n), nil
}

func (p *parser) skipList(depth int) error {
	t, n, err := p.elements()
	for ; err == nil && n > 0; n-- {
		err = p.skip(t, depth+1)
	}
	return err
}

func (p *parser) skipMap(depth int) error {
	n, err := p.varint()
	if err != nil || n == 0 {
		return err
	}
	if p.at >= len(p.b) {
		return errShort
	}
	c := p.b[p.at]
	p.at++
	if n > uint64(len(p.b)-p.at) {
		return errLength
	}
	for ; n > 0; n-- {
		if err := p.skip(Type(c>>4), depth+1); err != nil {
			return err
		}
		if err := p.skip(Type(c&15), depth+1); err != nil {
			return err
		}
	}
	return nil
}

func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

func zigzag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }
