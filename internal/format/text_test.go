package format

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"

	"landfall/internal/diag"
)

func readText(t *testing.T, r io.Reader, declared string) (string, *Text, error) {
	t.Helper()
	text, err := OpenText("t", r, declared)
	if err != nil {
		return "", nil, err
	}
	b, err := io.ReadAll(text)
	return string(b), text, err
}

// compressed returns text in each compression we know.
func compressed(t *testing.T, text string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for name, open := range map[string]func(io.Writer) (io.WriteCloser, error){
		"gzip":   func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
		"zstd":   func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
		"snappy": func(w io.Writer) (io.WriteCloser, error) { return snappy.NewBufferedWriter(w), nil },
	} {
		var b bytes.Buffer
		w, err := open(&b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		out[name] = b.Bytes()
	}
	return out
}

// bzipped is "a,b\n1,2\n"; there is no writer of bzip2 at hand.
const bzipped = "425a6839314159265359bf87407f00000359000010000430003000200030c00869b28823278bb9229c28485fc3a03f80"

func TestCompressions(t *testing.T) {
	const text = "a,b\n1,2\n"
	all := compressed(t, text)
	bz, err := hex.DecodeString(bzipped)
	if err != nil {
		t.Fatal(err)
	}
	all["bzip2"] = bz
	for name, z := range all {
		t.Run(name, func(t *testing.T) {
			got, r, err := readText(t, iotest.OneByteReader(bytes.NewReader(z)), "")
			if got != text || err != nil || r.Compression() != name {
				t.Errorf("got %q, %v, %s", got, err, r.Compression())
			}
			twice := append(append([]byte{}, z...), z...)
			if got, _, err = readText(t, bytes.NewReader(twice), ""); got != text+text || err != nil {
				t.Errorf("two streams in one: got %q, %v", got, err)
			}
			if name == "snappy" {
				return // its chunks have no end mark
			}
			_, _, err = readText(t, bytes.NewReader(z[:len(z)-3]), "")
			if !errors.Is(err, &diag.Diagnostic{Code: diag.FileUnreadable}) {
				t.Errorf("cut off: got %v, want %s", err, diag.FileUnreadable)
			}
			broken := errors.New("connection lost")
			_, _, err = readText(t, io.MultiReader(bytes.NewReader(z[:len(z)-3]), iotest.ErrReader(broken)), "")
			if !errors.Is(err, broken) || diag.CodeOf(err) != "" {
				t.Errorf("store failed: got %v, want %v", err, broken)
			}
		})
	}
}

// TestCutOffText: what comes before the end of a damaged stream is handed out.
func TestCutOffText(t *testing.T) {
	text := strings.Repeat("0123456789abcdef\n", 100000)
	for name, z := range compressed(t, text) {
		got, _, err := readText(t, bytes.NewReader(z[:len(z)*2/3]), "")
		if err == nil && name != "snappy" || !strings.HasPrefix(text, got) || len(got) == 0 || len(got) == len(text) {
			t.Errorf("%s: got %d bytes, %v", name, len(got), err)
		}
		var d *diag.Diagnostic
		if errors.As(err, &d) && d.At.Offset != int64(len(got)) {
			t.Errorf("%s: got offset %d, want %d", name, d.At.Offset, len(got))
		}
	}
}

// TestSkippedFrame: a zstd stream may begin with a frame that holds no data.
func TestSkippedFrame(t *testing.T) {
	z := append([]byte("\x5a\x2a\x4d\x18\x03\x00\x00\x00abc"), compressed(t, "a,b\n")["zstd"]...)
	if got, r, err := readText(t, bytes.NewReader(z), ""); got != "a,b\n" || err != nil || r.Compression() != "zstd" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestPlainText(t *testing.T) {
	for _, text := range []string{"", "a", "BZh is no compression", "\x1f", "PAR1", "a\x00b", "\xef\xbb\xbfa", "é"} {
		got, r, err := readText(t, strings.NewReader(text), "")
		if got != text || err != nil || r.Compression() != "" || r.Encoding() != UTF8 && text[0] < 0x80 {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
}

func TestDetection(t *testing.T) {
	long := strings.Repeat("plain ASCII text\n", 10000)
	for _, c := range []struct {
		name, raw, declared, want, encoding string
		notes                               int
	}{
		{"late bytes", long + "caf\xe9 \x80\x81", "", long + "café €\u0081", Windows1252, 1},
		{"late UTF-8", long + "café", "", long + "café", UTF8, 0},
		{"UTF-8 with one broken", "ééé\xe9é", "", "ééé\xe9é", UTF8, 0},
		{"bytes with one pair", "\xe9\xe8\xe0 \xc3\xa9 \xe9\n", "", "éèà Ã© é\n", Windows1252, 1},
		{"decided once", "\xe9" + long + "é", "", "é" + long + "Ã©", Windows1252, 1},
		{"declared", "\x80", "latin-1", "\u0080", Latin1, 0},
		{"declared UTF-8", "\xe9", "utf8", "\xe9", UTF8, 0},
		{"mark wins", "\xef\xbb\xbfé", "latin1", "\ufeffé", UTF8, 1},
		{"UTF-16 of zeros", "a\x00,\x00b\x00\n\x00", "", "a,b\n", UTF16LE, 1},
		{"UTF-16 declared", "\x00a\x01\x00", "UTF-16BE", "aĀ", UTF16BE, 0},
		{"UTF-16 halves", "\xff\xfea\x00\x3d\xd8\x3d\xd8\x00\xde\x00\xde", "", "\ufeffa\xed\xa0\xbd😀\xed\xb8\x80", UTF16LE, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i, r := range []io.Reader{
				strings.NewReader(c.raw),
				iotest.OneByteReader(strings.NewReader(c.raw)),
				iotest.DataErrReader(strings.NewReader(c.raw)),
			} {
				got, text, err := readText(t, r, c.declared)
				if err != nil || got != c.want {
					t.Fatalf("reader %d: got %.40q, %v, want %.40q", i, got, err, c.want)
				}
				if text.Encoding() != c.encoding || len(text.Notes()) != c.notes {
					t.Errorf("reader %d: got %s, %v, want %s and %d notes", i, text.Encoding(), text.Notes(), c.encoding, c.notes)
				}
			}
		})
	}
}

func TestDoubtful(t *testing.T) {
	_, text, err := readText(t, strings.NewReader("\xe9\xe8\xe0"), "")
	if err != nil || !text.Detected() {
		t.Fatal(err)
	}
	for s, want := range map[string]bool{"plain": false, "café": false, "cafÃ©": true, "â‚¬": true, "Ã": false} {
		if text.Doubtful([]byte(s)) != want {
			t.Errorf("%q: got %v", s, !want)
		}
	}
}

// TestEveryByte: every byte of a file in Windows-1252 can be had back.
func TestEveryByte(t *testing.T) {
	for _, enc := range []string{Latin1, Windows1252} {
		d := newByteDecoder(enc)
		for b := range 256 {
			text, _ := d.decode(nil, []byte{byte(b)})
			if back := d.encode(nil, text); len(back) != 1 || back[0] != byte(b) {
				t.Errorf("%s: %#x becomes %q becomes %x", enc, b, text, back)
			}
		}
	}
}

func TestRefusedEncodings(t *testing.T) {
	_, _, err := readText(t, strings.NewReader("a"), "ebcdic")
	if diag.CodeOf(err) != diag.BadOption {
		t.Errorf("got %v, want %s", err, diag.BadOption)
	}
	_, _, err = readText(t, strings.NewReader("\xff\xfe\x00\x00a\x00\x00\x00"), "")
	if diag.CodeOf(err) != diag.Encoding {
		t.Errorf("got %v, want %s", err, diag.Encoding)
	}
	_, _, err = readText(t, strings.NewReader("\xff\xfea\x00b"), "")
	if diag.CodeOf(err) != diag.FileUnreadable {
		t.Errorf("got %v, want %s", err, diag.FileUnreadable)
	}
}

func TestUnnamed(t *testing.T) {
	for name, want := range map[string]string{
		"a.csv.xz": "its name tells xz data; only gzip, zstd, bzip2 and snappy are undone",
		"A.ZIP":    "its name tells zip data; only gzip, zstd, bzip2 and snappy are undone",
		"README":   "its name tells no data format",
	} {
		if got := Unnamed(name); got != want || ByName(name) != "" {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
