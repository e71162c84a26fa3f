package footer

import (
	"bytes"

	"landfall/internal/parquetfile/thrift"
)

// writerReach is how far before the end of a footer its writer is looked for:
// behind it are some bytes for each column.
const writerReach = 4 << 10

// longestName is how much longer a name may be than what looks like one in it.
const longestName = 256

// writerOf finds who wrote a file in the bytes of its footer. The name stands
// behind the row groups, which are long, but all that follows it is short: where a
// string and the orders of columns reach the last byte, it is the name. A footer
// without such an end is read whole: a lone string may be the key of a signature.
func writerOf(b []byte) []byte {
	// What a field of text begins with, by the field before it.
	const afterKeys, afterGroups = 0x18, 0x28
	from := max(0, len(b)-writerReach)
	var found []byte
	for at := len(b) - 1; at >= from; at-- {
		if b[at] != afterKeys && b[at] != afterGroups {
			continue
		}
		if name, ok := ending(b[at:], int16(b[at]>>4)); ok {
			// A name may hold what looks like another: the longer one is it.
			found, from = name, max(from, at-longestName)
		}
	}
	if found != nil {
		return found
	}
	s, _, err := thrift.Parse(b)
	if err != nil {
		return nil
	}
	name, _ := s.Bytes(CreatedByField)
	return name
}

// ending reads the end of a footer, of which the first field is the writer's name.
// id is its number when what precedes it is not known.
func ending(b []byte, id int16) ([]byte, bool) {
	s, n, err := thrift.Parse(b)
	if err != nil || n != len(b) {
		return nil, false
	}
	name, ok := s.Bytes(id)
	if !ok || len(name) == 0 || bytes.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return nil, false
	}
	ordered := false
	for f, t := range s.Fields() {
		switch last := f - id + CreatedByField; {
		case last == CreatedByField, last == encryptionField && t == thrift.Nested, last == encryptionField+1:
		case last == OrdersField:
			if l, ok := s.List(f); !ok || l.Type() != thrift.Nested {
				return nil, false
			}
			ordered = true
		default:
			return nil, false
		}
	}
	return name, ordered
}
