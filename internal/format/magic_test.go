package format

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
)

func TestMagic(t *testing.T) {
	for _, c := range []struct{ head, want string }{
		{"PAR1\x15\x04", "a Parquet file"},
		{"Obj\x01\x04", "an Avro file"},
		{"ORC\n\x0b\x08\x00", "an ORC file"},
		{"PK\x03\x04\x14", "a ZIP archive or a spreadsheet" + unread},
		{"\xfd7zXZ\x00", "xz data" + unread},
		{"\x04\x22\x4d\x18", "lz4 data" + unread},
		{"7z\xbc\xaf\x27\x1c", "a 7z archive" + unread},
		{"Rar!\x1a\x07\x01\x00", "a RAR archive" + unread},
		{"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", "gzip data within compressed data; one layer is undone"},
		{"%PDF-1.7\n", "a PDF document"},
		{"GIF89a\x01\x00", "a GIF image"},
		{"\x89PNG\r\n\x1a\n", "a PNG image"},
		{"\xff\xd8\xff\xe0", "a JPEG image"},
		{"SQLite format 3\x00", "an SQLite database"},
		{"\x7fELF\x02", "a program"},
		{"MZ\x90\x00", "a program"},
		{"\xca\xfe\xba\xbe\x00", "a Java class"},
		{"\x80\x04\x95\x10", "a pickled Python object"},
		{"\x85\x02\x0c\x03\xd1", "a PGP message"},
		{"-----BEGIN PGP MESSAGE-----\n", "a PGP message"},
		{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"},
		{strings.Repeat("x", 257) + "ustar\x0000", "a tar archive"},
		{"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer in place of the data"},
		{"", ""},
		{"PAR1,PAR2\n", ""},
		{"ORC\norder 66\n", ""},
		{"MZ,GIF89a\n", ""},
		{"BZh9 is a name\n", ""},
		{"PK,a\n", ""},
		{"\x80 1\n", ""},
	} {
		if got := Magic([]byte(c.head)); got != c.want {
			t.Errorf("%q: got %q, want %q", c.head, got, c.want)
		}
	}
}

// encode16 is text in UTF-16 without a byte order mark.
func encode16(text string, order binary.AppendByteOrder) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

// TestUTF16WithoutMark: text of any script is found out if it can be nothing
// else, and otherwise named.
func TestUTF16WithoutMark(t *testing.T) {
	for _, text := range []string{
		"id,name\n1,Zoë\n",
		"ид,имя\n1,Иван\n2,Мария\n",
		"编号,城市\r\n1,北京\r\n2,上海一二\r\n",
		"名,顔\n1,😀\n2,𠮷野家\n",
		"שם,גיל\n" + strings.Repeat("דוד,42\n", 2000),
	} {
		for order, name := range map[binary.AppendByteOrder]string{binary.LittleEndian: UTF16LE, binary.BigEndian: UTF16BE} {
			got, r, err := readText(t, strings.NewReader(encode16(text, order)), "")
			if got != text || err != nil || r.Encoding() != name || len(r.Notes()) != 1 {
				t.Errorf("%s: got %.40q, %v", name, got, err)
			}
		}
	}
	private := encode16(strings.Repeat("1,\ue005\ue001\ue002\n", 20), binary.LittleEndian)
	got, r, err := readText(t, strings.NewReader(private), "")
	if err != nil || r.Encoding() == UTF16LE {
		t.Fatalf("got %v, %s", err, r.Encoding())
	}
	const want = "binary data or UTF-16LE without a byte order mark; if it is text, set the option encoding to UTF-16LE"
	if what := r.Binary([]byte(got), ""); what != want {
		t.Errorf("got %q, want %q", what, want)
	}
	for _, text := range []string{"a\x00b,\x00\n1,\x00\n", strings.Repeat("x\x00\n", 99), strings.Repeat("ab\x00\n", 99), strings.Repeat("a\n\x00\n", 99), strings.Repeat("1\x00,a\x00\r\n", 99)} {
		if got, r, err := readText(t, strings.NewReader(text), ""); err != nil || got != text || r.Encoding() != UTF8 {
			t.Errorf("%.20q: got %.20q, %v, %s", text, got, err, r.Encoding())
		}
	}
}

// TestNoiseIsBinary: bytes at random are not text, however few.
func TestNoiseIsBinary(t *testing.T) {
	rng := rand.NewChaCha8([32]byte{3})
	for n := 300; n < 100_000; n = n*5/4 + 1 {
		raw := make([]byte, n)
		if _, err := rng.Read(raw); err != nil {
			t.Fatal(err)
		}
		got, r, err := readText(t, strings.NewReader(string(raw)), "")
		if err != nil || r.Binary([]byte(got), "") == "" {
			t.Errorf("%d bytes at random are taken for %s, %v", n, r.Encoding(), err)
		}
	}
}
