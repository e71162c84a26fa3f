package format

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The encodings of text, named as events and dialects spell them.
const (
	UTF8        = "UTF-8"
	UTF16LE     = "UTF-16LE"
	UTF16BE     = "UTF-16BE"
	Latin1      = "ISO-8859-1"
	Windows1252 = "windows-1252"
)

// utf16Any is UTF-16 whose byte order the text itself has to tell.
const utf16Any = "UTF-16"

// ParseEncoding returns our name for a declared encoding. Only encodings that
// decode without loss are known.
func ParseEncoding(name string) (string, bool) {
	switch strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name)) {
	case "utf8", "ascii", "usascii":
		return UTF8, true
	case "utf16":
		return utf16Any, true
	case "utf16le":
		return UTF16LE, true
	case "utf16be":
		return UTF16BE, true
	case "latin1", "iso88591", "l1":
		return Latin1, true
	case "windows1252", "cp1252", "1252":
		return Windows1252, true
	}
	return "", false
}

// sniffEncoding looks for a byte order mark, then for UTF-16 without one; doubt is
// what it may be. An odd head is cut short by the end of the file.
func sniffEncoding(head []byte) (enc string, mark int, doubt string) {
	switch {
	case hasPrefix(head, 0xef, 0xbb, 0xbf):
		return UTF8, 3, ""
	case hasPrefix(head, 0xff, 0xfe, 0, 0), hasPrefix(head, 0, 0, 0xfe, 0xff):
		return "UTF-32", 4, ""
	case hasPrefix(head, 0xff, 0xfe):
		return UTF16LE, 2, ""
	case hasPrefix(head, 0xfe, 0xff):
		return UTF16BE, 2, ""
	}
	enc, doubt = sniffUTF16(head)
	return enc, 0, doubt
}

func hasPrefix(b []byte, prefix ...byte) bool {
	return len(b) >= len(prefix) && string(b[:len(prefix)]) == string(prefix)
}

// decoder turns raw bytes into UTF-8. It may leave the last bytes of src for the
// next call.
type decoder interface {
	// decode appends the text of src to dst and says how much of src it used.
	decode(dst, src []byte) (text []byte, used int)
}

// byteDecoder decodes an encoding of one byte a character.
type byteDecoder struct{ high [128]rune }

// newByteDecoder returns the decoder of Latin-1 or Windows-1252. The five bytes
// that Windows-1252 does not define become control characters, so that every
// byte has its own character and the original can always be had back.
func newByteDecoder(enc string) *byteDecoder {
	d := &byteDecoder{}
	for i := range d.high {
		d.high[i] = rune(0x80 + i)
	}
	if enc == Windows1252 {
		const defined = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"
		i := 0
		for _, r := range defined {
			d.high[i] = r
			i++
		}
	}
	return d
}

func (d *byteDecoder) decode(dst, src []byte) (text []byte, used int) {
	for _, b := range src {
		if b < utf8.RuneSelf {
			dst = append(dst, b)
		} else {
			dst = utf8.AppendRune(dst, d.high[b-utf8.RuneSelf])
		}
	}
	return dst, len(src)
}

// encode appends the bytes that text was decoded from.
func (d *byteDecoder) encode(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		i += n
		if r < utf8.RuneSelf {
			dst = append(dst, byte(r))
			continue
		}
		for j, h := range d.high {
			if h == r {
				dst = append(dst, byte(utf8.RuneSelf+j))
				break
			}
		}
	}
	return dst
}

// utf16Decoder decodes UTF-16 of one byte order. Half a surrogate pair is no
// character: its three bytes are written as they would be, which is not UTF-8,
// so that the record that holds it is found.
type utf16Decoder struct{ order binary.ByteOrder }

func (d utf16Decoder) decode(dst, src []byte) (text []byte, used int) {
	for len(src)-used >= 2 {
		r := rune(d.order.Uint16(src[used:]))
		switch {
		case !utf16.IsSurrogate(r):
			dst = utf8.AppendRune(dst, r)
		case r >= 0xdc00:
			dst = appendSurrogate(dst, r)
		case len(src)-used < 4:
			return dst, used
		default:
			full := utf16.DecodeRune(r, rune(d.order.Uint16(src[used+2:])))
			if full == utf8.RuneError {
				dst = appendSurrogate(dst, r)
				break
			}
			dst = utf8.AppendRune(dst, full)
			used += 2
		}
		used += 2
	}
	return dst, used
}

func appendSurrogate(dst []byte, r rune) []byte {
	return append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
}
