package format

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"
)

// FuzzText: no bytes make it panic, and the text does not depend on how they
// arrive.
func FuzzText(f *testing.F) {
	for _, raw := range []string{"", "a,b\n", "\xef\xbb\xbfé", "\xe9é", "\xff\xfea\x00", "a\x00b\x00c\x00", "\x1f\x8b\x08\x00", "\x28\xb5\x2f\xfd\x04"} {
		f.Add([]byte(raw), "")
	}
	f.Add([]byte("\xd8\x00\x00a"), "UTF-16BE")
	f.Add([]byte("\x80\x81\xff"), "cp1252")
	f.Fuzz(func(t *testing.T, raw []byte, declared string) {
		read := func(r io.Reader) (string, string) {
			text, err := OpenText("t", r, declared)
			if err != nil {
				return "", err.Error()
			}
			b, err := io.ReadAll(io.LimitReader(text, 1<<20))
			if err != nil {
				return string(b), err.Error()
			}
			return string(b), text.Encoding()
		}
		want, how := read(bytes.NewReader(raw))
		if got, gotHow := read(iotest.OneByteReader(bytes.NewReader(raw))); got != want || gotHow != how {
			t.Errorf("got %q, %s, want %q, %s", got, gotHow, want, how)
		}
	})
}
