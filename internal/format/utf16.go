package format

import (
	"bytes"
	"encoding/binary"
	"unicode"
	"unicode/utf16"
)

// sniffUTF16 looks for UTF-16 without a byte order mark. Text of mostly Latin
// letters has zeros as every other byte. Other text has them at line ends, digits
// and separators; it must decode wholly, with line ends, to be taken for text.
// doubt is the encoding that the zeros speak for where that is not so.
func sniffUTF16(head []byte) (enc, doubt string) {
	var zeros [2]int
	units := len(head) / 2
	for i := 0; i < units*2; i++ {
		next := bytes.IndexByte(head[i:units*2], 0)
		if next < 0 {
			break
		}
		i += next
		zeros[i&1]++
	}
	for high, o := range [...]struct {
		name  string
		order binary.ByteOrder
	}{{UTF16BE, binary.BigEndian}, {UTF16LE, binary.LittleEndian}} {
		these, others := zeros[high], zeros[1-high]
		switch {
		case units < 2 || these < 3 && these < units:
		case others == 0 && these*10 >= units*9:
			return o.name, ""
		case these*20 < units || others*8 > these:
		case isText(head, o.order):
			return o.name, ""
		default:
			doubt = o.name
		}
	}
	return "", doubt
}

// isText reports whether UTF-16 of that byte order is lines of characters that
// are written, and nothing else. At least three of them must be ASCII: NUL bytes
// that end texts stand before separators and line ends alone.
func isText(b []byte, order binary.ByteOrder) bool {
	var ascii [0x80]bool
	lines, kinds := 0, 0
	for len(b) >= 2 {
		r := rune(order.Uint16(b))
		b = b[2:]
		if utf16.IsSurrogate(r) {
			if len(b) < 2 && r < 0xdc00 {
				break // the end of the sample cuts the pair
			}
			if len(b) < 2 {
				return false
			}
			r = utf16.DecodeRune(r, rune(order.Uint16(b)))
			b = b[2:]
		}
		if r < 0x80 && !ascii[r] {
			ascii[r] = true
			kinds++
		}
		switch {
		case r == '\n' || r == '\r':
			lines++
		case r == '\t':
		case r == unicode.ReplacementChar || !unicode.IsGraphic(r) && !unicode.Is(unicode.Cf, r):
			return false
		}
	}
	return lines > 0 && kinds >= 3
}
