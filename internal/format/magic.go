package format

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

const (
	// magicHead is how many of the first bytes tell what a file is.
	magicHead = 512
	// unread says what we make of compressions that we cannot undo.
	unread = "; only gzip, zstd, bzip2 and snappy are undone"
)

// Magic returns what the first bytes of a file say that it is, "" if they may
// begin a text.
func Magic(head []byte) (what string) {
	head = head[:min(len(head), magicHead)]
	// A text may begin with these, but it would hold no control character then.
	for _, m := range [...]struct{ first, what string }{
		{"PAR1", "a Parquet file"},
		{"PARE", "an encrypted Parquet file"},
		{"ORC", "an ORC file"},
		{"GIF87a", "a GIF image"},
		{"GIF89a", "a GIF image"},
		{"MZ", "a program"},
	} {
		if bytes.HasPrefix(head, []byte(m.first)) && countControl(head, "").all > 0 {
			return m.what
		}
	}
	for _, m := range [...]struct{ first, what string }{
		{"Obj\x01", "an Avro file"},
		{"PK\x03\x04", "a ZIP archive or a spreadsheet" + unread},
		{"PK\x05\x06", "an empty ZIP archive"},
		{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"},
		{"\xfd7zXZ\x00", "xz data" + unread},
		{"7z\xbc\xaf\x27\x1c", "a 7z archive" + unread},
		{"Rar!\x1a\x07", "a RAR archive" + unread},
		{"\x04\x22\x4d\x18", "lz4 data" + unread},
		{"\x1f\x9d", "data of the program compress" + unread},
		{"%PDF-", "a PDF document"},
		{"\x89PNG\r\n", "a PNG image"},
		{"\xff\xd8\xff", "a JPEG image"},
		{"SQLite format 3\x00", "an SQLite database"},
		{"\x7fELF", "a program"},
		{"\xca\xfe\xba\xbe", "a Java class"},
		{"-----BEGIN PGP ", "a PGP message"},
		{"\x85\x01\x0c\x03", "a PGP message"},
		{"\x85\x02\x0c\x03", "a PGP message"},
		{"\x84\x5e\x03", "a PGP message"},
		{"\x8c\x0d\x04", "a PGP message"},
		{"{\\rtf", "an RTF document"},
		{"version https://git-lfs.github.com/spec/", "a Git LFS pointer in place of the data"},
	} {
		if bytes.HasPrefix(head, []byte(m.first)) {
			return m.what
		}
	}
	switch packed, _ := opener(head); {
	case packed != "":
		return packed + " data within compressed data; one layer is undone"
	case len(head) > 262 && string(head[257:262]) == "ustar":
		return "a tar archive"
	case len(head) > 2 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5:
		return "a pickled Python object"
	}
	return ""
}

// Binary says what a sample of text seems to be if one character in a hundred
// or more is a control character that texts do not use. The characters of known
// do not count: what separates fields here. A few NUL bytes are data.
func (t *Text) Binary(sample []byte, known string) (what string) {
	if what := Magic(t.head); what != "" {
		return what
	}
	switch c := countControl(sample, known); {
	case c.all < 8 || c.all*100 < len(sample):
		return ""
	case t.doubt != "":
		return fmt.Sprintf("binary data or %s without a byte order mark; if it is text, set the option encoding to %s", t.doubt, t.doubt)
	case c.most != 0 && c.count*10 >= c.all*9:
		return fmt.Sprintf(`text with the control character U+%04X in it; if it separates fields, set the option sep to \u%04x`, c.most, c.most)
	}
	return "binary data"
}

// controls counts control characters that texts do not use: neither white space
// nor U+001A to U+001F, which end, mark and separate.
type controls struct {
	all, count int
	most       byte // the most frequent, as often as count
}

// hasControl reports whether some of eight bytes are below 0x20.
func hasControl(w uint64) bool {
	const lows, highs = 0x0101010101010101, 0x8080808080808080
	return (w-lows*0x20)&^w&highs != 0
}

func countControl(text []byte, known string) controls {
	var n [0x20]int
	for len(text) > 0 {
		some := text[:min(8, len(text))]
		text = text[len(some):]
		if len(some) == 8 && !hasControl(binary.LittleEndian.Uint64(some)) {
			continue
		}
		for _, b := range some {
			if b < 0x20 {
				n[b]++
			}
		}
	}
	var c controls
	for b, count := range n[:0x1a] {
		if b >= '\t' && b <= '\r' || strings.IndexByte(known, byte(b)) >= 0 {
			continue
		}
		c.all += count
		if count > c.count {
			c.count, c.most = count, byte(b)
		}
	}
	return c
}
