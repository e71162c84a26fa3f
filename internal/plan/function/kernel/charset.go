package kernel

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
)

// windows1252 is the characters of the bytes from 0x80 to 0x9f; where there is
// none the control character of the number stands.
const windows1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"

// encode is the bytes of a text in a character set.
func encode(s, charset string) (any, error) {
	switch strings.ToUpper(charset) {
	case "UTF-8", "UTF8":
		return []byte(s), nil
	case "US-ASCII", "ASCII":
		return single(s, func(r rune) int { return below(r, 0x80) }), nil
	case "ISO-8859-1", "LATIN1":
		return single(s, func(r rune) int { return below(r, 0x100) }), nil
	case "WINDOWS-1252", "CP1252":
		return single(s, windowsByte), nil
	case "UTF-16":
		return append([]byte{0xfe, 0xff}, units(s, binary.BigEndian)...), nil
	case "UTF-16BE":
		return units(s, binary.BigEndian), nil
	case "UTF-16LE":
		return units(s, binary.LittleEndian), nil
	}
	return nil, unknownCharset(charset)
}

func unknownCharset(charset string) error {
	return fmt.Errorf("found the character set %q, want UTF-8, US-ASCII, ISO-8859-1, Windows-1252, UTF-16, UTF-16BE or UTF-16LE", charset)
}

// single writes a byte a character, a question mark where there is none.
func single(s string, of func(rune) int) []byte {
	out := make([]byte, 0, len(s))
	for _, r := range s {
		b := of(r)
		if b < 0 {
			b = '?'
		}
		out = append(out, byte(b)) //nolint:gosec // the tables give bytes
	}
	return out
}

func below(r rune, limit int) int {
	if int(r) < limit {
		return int(r)
	}
	return -1
}

func windowsByte(r rune) int {
	for i, c := range []rune(windows1252) {
		if c == r {
			return 0x80 + i
		}
	}
	if r >= 0x80 && r < 0xa0 {
		return -1
	}
	return below(r, 0x100)
}

func units(s string, order binary.AppendByteOrder) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, unit)
	}
	return out
}

// decode reads bytes in a character set. What is none of its characters becomes
// the replacement character.
func decode(b []byte, charset string) (any, error) {
	switch strings.ToUpper(charset) {
	case "UTF-8", "UTF8":
		return strings.ToValidUTF8(string(b), "\ufffd"), nil
	case "US-ASCII", "ASCII":
		return characters(b, func(c byte) rune {
			if c < 0x80 {
				return rune(c)
			}
			return '\ufffd'
		}), nil
	case "ISO-8859-1", "LATIN1":
		return characters(b, func(c byte) rune { return rune(c) }), nil
	case "WINDOWS-1252", "CP1252":
		high := []rune(windows1252)
		return characters(b, func(c byte) rune {
			if c >= 0x80 && c < 0xa0 {
				return high[c-0x80]
			}
			return rune(c)
		}), nil
	case "UTF-16":
		if len(b) >= 2 && b[0] == 0xff && b[1] == 0xfe {
			return wide(b[2:], binary.LittleEndian), nil
		}
		if len(b) >= 2 && b[0] == 0xfe && b[1] == 0xff {
			b = b[2:]
		}
		return wide(b, binary.BigEndian), nil
	case "UTF-16BE":
		return wide(b, binary.BigEndian), nil
	case "UTF-16LE":
		return wide(b, binary.LittleEndian), nil
	}
	return nil, unknownCharset(charset)
}

func characters(b []byte, of func(byte) rune) string {
	out := make([]rune, len(b))
	for i, c := range b {
		out[i] = of(c)
	}
	return string(out)
}

func wide(b []byte, order binary.ByteOrder) string {
	out := make([]uint16, 0, len(b)/2+1)
	for ; len(b) >= 2; b = b[2:] {
		out = append(out, order.Uint16(b))
	}
	if len(b) == 1 {
		out = append(out, 0xfffd)
	}
	return string(utf16.Decode(out))
}
