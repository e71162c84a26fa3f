package column

import (
	"bytes"
	"encoding/binary"
)

// Shapes tells the objects of a text apart by their names and the order of these:
// objects of one shape have the same names in the same order, written alike. A
// program writes its records in a handful of shapes, so a scanner that keeps to the
// one before need not look for the end of a name, and what was found out about the
// names of a shape is found out once.
//
// A shape is a number, above 0, and those of objects in another place are others:
// under another name of an object of another shape, or in an array there.
type Shapes struct {
	all []shape
}

// NoShape is the number of no shape: that of an object some of whose names have
// escapes or no quotes, or for which there was no room.
const NoShape = 0

const (
	// mostShapes and mostKin bound the memory, and the time to find a shape, where
	// names are data.
	mostShapes = 1 << 13
	mostKin    = 24
	longestKey = 1 << 10
	wordLength = 8
)

// shape is another one with a name behind its names.
type shape struct {
	// key is the name with its quotes, of so many bytes, a colon and, where one
	// follows, a space.
	key  []byte
	name int
	// first is the beginning of key as far as a word holds it, and last the word at
	// its end, of one that is longer.
	first, mask, last uint64
	// next goes on from here as the last object did; eldest and younger lead to all
	// that go on from here, kin counts them.
	next, eldest, younger uint16
	kin                   uint8
	// within is the shape without names of objects that are the value of its last
	// name.
	within uint16
}

// NewShapes returns shapes of which none has names.
func NewShapes() *Shapes { return &Shapes{all: make([]shape, 1, 64)} }

// Full reports whether there is hardly room for other shapes.
func (s *Shapes) Full() bool { return len(s.all) > mostShapes/2 }

// Within returns the shape of objects without names that are the value of the last
// name of a shape, or that stand in an array which is that. Within NoShape are
// records, and whatever has lost its place.
func (s *Shapes) Within(around uint16) uint16 {
	if in := s.all[around].within; in != NoShape || len(s.all) == mostShapes {
		return in
	}
	in := uint16(len(s.all))
	s.all = append(s.all, shape{})
	s.all[around].within = in
	return in
}

// Expect returns the shape that followed on a shape the last time if its name and a
// colon stand at text[pos], where the name ends, and where its value may begin. Else
// it returns NoShape.
func (s *Shapes) Expect(from uint16, text []byte, pos int) (to uint16, name, end int) {
	to = s.all[from].next
	sh := &s.all[to]
	end = pos + len(sh.key)
	if to == NoShape || pos+wordLength > len(text) || end > len(text) {
		return NoShape, pos, pos
	}
	if binary.LittleEndian.Uint64(text[pos:])&sh.mask != sh.first {
		return NoShape, pos, pos
	}
	if len(sh.key) > wordLength && !sh.goesOn(text[pos:end]) {
		return NoShape, pos, pos
	}
	return to, pos + sh.name, end
}

// goesOn reports whether text, which begins as a long key does, is the key.
func (sh *shape) goesOn(text []byte) bool {
	n := len(text)
	if binary.LittleEndian.Uint64(text[n-wordLength:]) != sh.last {
		return false
	}
	return n <= 2*wordLength || bytes.Equal(text[wordLength:n-wordLength], sh.key[wordLength:n-wordLength])
}

// Follow returns the shape that has a name behind those of another. The name is as
// the text writes it, in double quotes; key has what follows it too, a colon and
// perhaps a space.
func (s *Shapes) Follow(from uint16, name int, key []byte) uint16 {
	if from == NoShape {
		return NoShape
	}
	for at := s.all[from].eldest; at != NoShape; at = s.all[at].younger {
		if bytes.Equal(s.all[at].key, key) {
			s.all[from].next = at
			return at
		}
	}
	if len(s.all) == mostShapes || s.all[from].kin == mostKin || len(key) > longestKey {
		return NoShape
	}
	to := uint16(len(s.all))
	s.all = append(s.all, newShape(name, key, s.all[from].eldest))
	s.all[from].eldest, s.all[from].next = to, to
	s.all[from].kin++
	return to
}

func newShape(name int, key []byte, younger uint16) shape {
	sh := shape{key: bytes.Clone(key), name: name, younger: younger}
	var word [wordLength]byte
	n := copy(word[:], key)
	sh.first = binary.LittleEndian.Uint64(word[:])
	sh.mask = ^uint64(0) >> (8 * (wordLength - n))
	if len(key) > wordLength {
		sh.last = binary.LittleEndian.Uint64(key[len(key)-wordLength:])
	}
	return sh
}
