package page

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// header is what the header of a page says, as far as pages are read.
type header struct {
	kind         int32
	uncompressed int32
	compressed   int32
	crc          uint32
	hasCRC       bool
	values       int32
	encoding     int32
	// defEncoding and repEncoding are those of the levels of a data page of
	// version 1, defBytes and repBytes the lengths of those of version 2.
	defEncoding, repEncoding int32
	defBytes, repBytes       int32
	nulls, rows              int32
	packed                   bool
	// body says which of the headers by kind is there.
	body int16
}

// The kinds of pages.
const (
	dataPage       = 0
	dictionaryPage = 2
	dataPageV2     = 3
)

// The numbers of the fields of a header that hold what a kind has.
const (
	dataField       = 5
	dictionaryField = 7
	dataV2Field     = 8
)

var (
	errHeader = errors.New("page header cannot be read")
	// errMore: the header goes on behind what was given.
	errMore = fmt.Errorf("%w: it does not end", errHeader)
)

// parseHeader reads a header from the front of data and returns its length.
func parseHeader(data []byte) (header, int, error) {
	t := thrift{data: data}
	h := header{packed: true}
	err := t.structure(0, func(id int16, kind byte) error {
		switch id {
		case 1:
			return t.number(kind, &h.kind)
		case 2:
			return t.number(kind, &h.uncompressed)
		case 3:
			return t.number(kind, &h.compressed)
		case 4:
			var crc int32
			err := t.number(kind, &crc)
			h.crc, h.hasCRC = uint32(crc), true
			return err
		case dataField, dictionaryField, dataV2Field:
			if kind != kindStruct || h.body != 0 {
				return errHeader
			}
			h.body = id
			return t.structure(1, func(field int16, kind byte) error { return h.field(&t, id, field, kind) })
		}
		return t.skip(kind, 1)
	})
	if err != nil {
		return header{}, 0, err
	}
	return h, t.at, h.check()
}

// field reads a field of the part of a header that belongs to a kind of pages.
func (h *header) field(t *thrift, part, id int16, kind byte) error {
	var to *int32
	switch {
	case id == 1:
		to = &h.values
	case part == dataV2Field:
		switch id {
		case 2:
			to = &h.nulls
		case 3:
			to = &h.rows
		case 4:
			to = &h.encoding
		case 5:
			to = &h.defBytes
		case 6:
			to = &h.repBytes
		case 7:
			h.packed = kind == kindTrue
			return nil
		}
	case id == 2:
		to = &h.encoding
	case part == dataField && id == 3:
		to = &h.defEncoding
	case part == dataField && id == 4:
		to = &h.repEncoding
	}
	if to == nil {
		return t.skip(kind, 2)
	}
	return t.number(kind, to)
}

// check sees that a header agrees with itself.
func (h *header) check() error {
	want := map[int32]int16{dataPage: dataField, dictionaryPage: dictionaryField, dataPageV2: dataV2Field}[h.kind]
	switch {
	case want != 0 && h.body != want:
		return fmt.Errorf("%w: found the header of another kind of page", errHeader)
	case h.compressed < 0 || h.uncompressed < 0 || h.values < 0 || h.defBytes < 0 || h.repBytes < 0:
		return fmt.Errorf("%w: found a negative size", errHeader)
	case h.kind == dataPageV2 && int64(h.defBytes)+int64(h.repBytes) > int64(min(h.compressed, h.uncompressed)):
		return fmt.Errorf("%w: found levels longer than the page", errHeader)
	}
	return nil
}

// thrift reads Thrift's compact protocol.
type thrift struct {
	data []byte
	at   int
}

// The kinds of values.
const (
	kindTrue   = 1
	kindFalse  = 2
	kindByte   = 3
	kindI16    = 4
	kindI32    = 5
	kindI64    = 6
	kindDouble = 7
	kindBinary = 8
	kindList   = 9
	kindSet    = 10
	kindMap    = 11
	kindStruct = 12
)

const maxDepth = 16

// structure calls field for each field of a struct, which it must pass.
func (t *thrift) structure(depth int, field func(id int16, kind byte) error) error {
	if depth > maxDepth {
		return errHeader
	}
	var id int16
	for {
		b, err := t.one()
		if err != nil || b == 0 {
			return err
		}
		if delta := b >> 4; delta != 0 {
			id += int16(delta)
		} else {
			n, err := t.varint()
			if err != nil {
				return err
			}
			id = int16(n>>1) ^ -int16(n&1)
		}
		if err := field(id, b&15); err != nil {
			return err
		}
	}
}

func (t *thrift) one() (byte, error) {
	if t.at >= len(t.data) {
		return 0, errMore
	}
	t.at++
	return t.data[t.at-1], nil
}

func (t *thrift) varint() (uint64, error) {
	n, length := binary.Uvarint(t.data[t.at:])
	switch {
	case length == 0:
		return 0, errMore
	case length < 0:
		return 0, errHeader
	}
	t.at += length
	return n, nil
}

// number reads an integer of 32 bits.
func (t *thrift) number(kind byte, to *int32) error {
	if kind != kindI32 {
		return errHeader
	}
	n, err := t.varint()
	*to = int32(n>>1) ^ -int32(n&1)
	return err
}

// skip passes a value; depth is the number of structs and lists around it.
func (t *thrift) skip(kind byte, depth int) error {
	if depth > maxDepth {
		return errHeader
	}
	switch kind {
	case kindTrue, kindFalse:
		return nil
	case kindByte:
		return t.pass(1)
	case kindI16, kindI32, kindI64:
		_, err := t.varint()
		return err
	case kindDouble:
		return t.pass(8)
	case kindBinary:
		n, err := t.varint()
		if err != nil {
			return err
		}
		return t.pass(n)
	case kindList, kindSet:
		return t.skipList(depth)
	case kindStruct:
		return t.structure(depth+1, func(_ int16, kind byte) error { return t.skip(kind, depth+1) })
	}
	return errHeader // no header has a map
}

func (t *thrift) skipList(depth int) error {
	b, err := t.one()
	if err != nil {
		return err
	}
	n := uint64(b >> 4)
	if n == 15 {
		if n, err = t.varint(); err != nil {
			return err
		}
	}
	for range n {
		kind := b & 15
		if kind == kindTrue || kind == kindFalse {
			kind = kindByte // in lists they take a byte
		}
		before := t.at
		if err := t.skip(kind, depth+1); err != nil {
			return err
		}
		if t.at == before {
			return errHeader // elements without bytes could go on for ever
		}
	}
	return nil
}

func (t *thrift) pass(n uint64) error {
	if n > uint64(len(t.data)-t.at) {
		return errMore
	}
	t.at += int(n)
	return nil
}
