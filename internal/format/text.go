package format

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"landfall/internal/diag"
)

const (
	// sniffedHead is how much of the plain bytes the search for UTF-16 sees.
	sniffedHead = 4 << 10
	// window is how much text, from the first byte that is not ASCII, decides
	// between UTF-8 and Windows-1252.
	window = 64 << 10
	// decodedChunk is how many raw bytes are decoded at a time.
	decodedChunk = 32 << 10
)

// Text reads an object's bytes as UTF-8: decompressed, then decoded. A byte
// order mark stays in front as U+FEFF.
//
// Without a declared encoding the text is UTF-8 until a byte says otherwise.
// Before the first byte that is not ASCII both UTF-8 and Windows-1252 read the
// same, so the decision is taken there, for all that follows, from the next
// 64 KiB: it needs no second reading and depends on nothing but the bytes.
type Text struct {
	name      string
	room      *Room
	in        *stream
	src       *bufio.Reader // its plain bytes
	encoding  string
	bytes     *byteDecoder // set for encodings of one byte a character
	dec       decoder      // nil: the bytes are the text
	undecided bool
	detected  bool
	ahead     []byte // raw bytes read, not yet decoded
	decoded   []byte // text of the last raw bytes
	out       []byte // what of it is not yet handed out
	scratch   []byte
	offset    int64  // bytes of text handed out
	head      []byte // the first plain bytes
	doubt     string // the encoding that the text may have, but that was not taken
	notes     []Note
	err       error // what ended the raw bytes
}

// OpenText recognises compression and encoding of the object called name.
// declared is "" to find the encoding out; a byte order mark wins over it.
func OpenText(name string, r io.Reader, declared string) (*Text, error) {
	return new(Room).OpenText(name, r, declared)
}

// OpenText is the function of that name for a text that is held in the room.
func (m *Room) OpenText(name string, r io.Reader, declared string) (*Text, error) {
	t := &Text{name: name, room: m}
	var enc string
	if declared != "" {
		var ok bool
		if enc, ok = ParseEncoding(declared); !ok {
			return nil, diag.New(diag.BadOption, "encoding: found %s, want UTF-8, UTF-16, UTF-16LE, UTF-16BE, ISO-8859-1 or windows-1252", diag.Quote(declared))
		}
	}
	var err error
	if t.in, err = decompress(name, r, m); err != nil {
		return nil, t.fail(err)
	}
	t.src = t.in.plain
	head, err := t.src.Peek(sniffedHead)
	if len(head) == 0 && err != nil && !errors.Is(err, io.EOF) {
		return nil, t.fail(err)
	}
	t.head = bytes.Clone(head[:min(len(head), magicHead)])
	sniffed, mark, doubt := sniffEncoding(head)
	if enc == "" {
		t.doubt = doubt
	}
	if sniffed == "UTF-32" {
		return nil, diag.New(diag.Encoding, "found UTF-32 text, want UTF-8, UTF-16 or an encoding of one byte a character").
			In(diag.Place{File: name}).Hinted("convert the file to UTF-8")
	}
	switch {
	case mark > 0 && enc != "" && enc != sniffed && (enc != utf16Any || mark != 2):
		t.note(Note{
			Kind: "encoding_detected", Count: 1,
			Message: fmt.Sprintf("encoding: declared %s, but the byte order mark says %s, which was read", enc, sniffed),
		})
		enc = sniffed
	case mark > 0:
		enc = sniffed
	case sniffed != "" && (enc == "" || enc == utf16Any):
		enc = sniffed
		t.note(Note{
			Kind: "encoding_detected", Count: 1,
			Message: fmt.Sprintf("encoding: found no byte order mark, but zeros as in %s, read as that", enc),
			Hint:    "set the option encoding if it is another one",
		})
	case enc == utf16Any:
		enc = UTF16BE
	}
	t.undecided = enc == ""
	t.use(enc)
	return t, nil
}

// AssumeUTF8 takes text that nobody declared to be in another encoding, and that
// no byte order mark or zeros show to be, for UTF-8 whatever its bytes are. It is
// for formats that say so, and has to be called before the first Read.
func (t *Text) AssumeUTF8() { t.undecided = false }

// use fixes the encoding, "" for UTF-8 as long as nothing speaks against it.
func (t *Text) use(enc string) {
	t.encoding = enc
	switch enc {
	case "":
		t.encoding = UTF8
	case UTF16LE:
		t.dec = utf16Decoder{binary.LittleEndian}
	case UTF16BE:
		t.dec = utf16Decoder{binary.BigEndian}
	case Latin1, Windows1252:
		t.bytes = newByteDecoder(enc)
		t.dec = t.bytes
	}
}

// Encoding is the encoding as far as the text has been read.
func (t *Text) Encoding() string { return t.encoding }

// Compression is the name of the compression, "" for none.
func (t *Text) Compression() string { return t.in.compression }

// Notes says what was noticed so far.
func (t *Text) Notes() []Note { return t.notes }

func (t *Text) note(n Note) { t.notes = append(t.notes, n) }

// Detected reports whether the text is read in an encoding that nobody declared
// and that reads any bytes at all. What [Text.Doubtful] finds in it must not be
// trusted.
func (t *Text) Detected() bool { return t.detected }

// Doubtful reports whether a piece of text, read in a detected encoding, is
// UTF-8 when its bytes are taken as they are: a sign that the file mixes both.
func (t *Text) Doubtful(text []byte) bool {
	if !t.detected || isASCII(text) {
		return false
	}
	t.scratch = t.bytes.encode(t.scratch[:0], text)
	return utf8.Valid(t.scratch)
}

// Read reads text. After the last byte it returns io.EOF, a *diag.Diagnostic if
// the object is at fault, or what the store said.
func (t *Text) Read(p []byte) (int, error) {
	for len(p) > 0 {
		if len(t.out) > 0 {
			n := copy(p, t.out)
			t.out = t.out[n:]
			t.offset += int64(n)
			return n, nil
		}
		if t.dec == nil {
			n := t.plain(p)
			t.offset += int64(n)
			if n > 0 {
				return n, nil
			}
			if t.dec != nil || len(t.ahead) > 0 {
				continue
			}
		} else {
			t.decode()
			if len(t.out) > 0 {
				continue
			}
		}
		if t.err != nil {
			return 0, t.end()
		}
	}
	return 0, nil
}

// plain reads bytes that are the text itself.
func (t *Text) plain(p []byte) int {
	if len(t.ahead) > 0 {
		n := copy(p, t.ahead)
		t.ahead = t.ahead[n:]
		return n
	}
	if t.err != nil {
		return 0
	}
	n, err := t.src.Read(p)
	t.err = err
	if !t.undecided {
		return n
	}
	i := firstHigh(p[:n])
	if i < n {
		t.decide(p[i:n], t.offset+int64(i))
	}
	return i
}

// decide gathers the window that begins with first, at the given offset, and
// takes the encoding that fits it. UTF-8 is kept if it explains more than it does
// not; records that contradict the decision are the format's to find.
func (t *Text) decide(first []byte, offset int64) {
	t.undecided = false
	t.ahead = append(t.ahead[:0], first...)
	for len(t.ahead) < window && t.err == nil {
		n := len(t.ahead)
		t.ahead = append(t.ahead, make([]byte, max(window-n, 1))...)
		var more int
		more, t.err = t.src.Read(t.ahead[n:])
		t.ahead = t.ahead[:n+more]
	}
	seen := t.ahead[:min(len(t.ahead), window)]
	good, bad, at := countUTF8(seen, len(seen) < window)
	if bad == 0 || good > bad {
		return
	}
	t.use(Windows1252)
	t.detected = true
	t.note(Note{
		Kind: "encoding_detected", Count: 1,
		Message: fmt.Sprintf("encoding: found bytes that are not UTF-8 (the first at byte %d), read as %s", offset+int64(at), Windows1252),
		Hint:    "set the option encoding if it is another one",
	})
}

// decode fills out from the raw bytes.
func (t *Text) decode() {
	if t.err == nil {
		n := len(t.ahead)
		t.ahead = append(t.ahead, make([]byte, decodedChunk)...)
		var more int
		more, t.err = t.src.Read(t.ahead[n:])
		t.ahead = t.ahead[:n+more]
	}
	text, used := t.dec.decode(t.decoded[:0], t.ahead)
	t.decoded, t.out = text, text
	t.ahead = t.ahead[:copy(t.ahead, t.ahead[used:])]
}

// end is the error for the end of the text.
func (t *Text) end() error {
	if !errors.Is(t.err, io.EOF) {
		return t.fail(t.err)
	}
	if len(t.ahead) > 0 {
		return diag.New(diag.FileUnreadable, "%s text ends within a character", t.encoding).
			In(diag.Place{File: t.name, Offset: t.offset}).Hinted("the file is cut off; deliver it again")
	}
	return io.EOF
}

// fail tells an object that is at fault from a store that is.
func (t *Text) fail(err error) error {
	if t.in.raw.err != nil {
		return fmt.Errorf("read %s: %w", t.name, t.in.raw.err)
	}
	code, what := t.in.fault(err)
	return diag.New(code, "%s after %d bytes of text", what, t.offset).
		In(diag.Place{File: t.name, Offset: t.offset}).Because(err).
		Hinted("the file is cut off or damaged; deliver it again")
}

// firstHigh is the index of the first byte that is not ASCII, len(b) if none is.
func firstHigh(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if binary.LittleEndian.Uint64(b[i:])&0x8080808080808080 != 0 {
			break
		}
	}
	for ; i < len(b); i++ {
		if b[i] >= utf8.RuneSelf {
			break
		}
	}
	return i
}

func isASCII(b []byte) bool { return firstHigh(b) == len(b) }

// countUTF8 counts the characters of more than one byte and the bytes that are
// in none, and says where the first of these is. What the end of b may have cut
// counts as neither unless b ends the text.
func countUTF8(b []byte, last bool) (good, bad, at int) {
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r != utf8.RuneError || n > 1:
			good++
		case !last && !utf8.FullRune(b[i:]):
			return good, bad, at
		default:
			if bad == 0 {
				at = i
			}
			bad++
		}
		i += n
	}
	return good, bad, at
}
