package json

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"
	"testing/iotest"

	"landfall/internal/format"
)

var _ format.Reader = (*Reader)(nil)

// seeds are texts that fuzzing starts from.
func seeds() []string {
	return []string{
		"", "{\"a\":1}\n{\"a\":2}\n", "[{\"a\":\"\\u00e9\\ud83d\\ude00\"},[1,2.5e-7]]", "{}{}[null]true", "{\n \"a\": [\n  1\n ]\n}\n{\n}",
		"{\"a\":1\n{\"a\":2}\n", "[{\"a\":\"x},{\"a\":2}]", "[1,,2,]", "{\"a\":'b',c:NaN}", "// x\n{/**/}", "\xff\xfe{\x00}\x00", "\x1f\x8b\x08", "{\"a\":\"\xe9\"}",
		"{} x\n\"a\": [\n{\n},\n]\n}\n{}", "[[[[", "\"\\ud800\\u0041\"",
	}
}

// FuzzReader: whatever the bytes, nothing panics, every byte is accounted for,
// and the result does not depend on chunks or slabs, nor on what the memory of a reader
// held before.
func FuzzReader(f *testing.F) {
	for _, text := range seeds() {
		f.Add([]byte(text), uint16(7), uint16(40), uint16(30), uint8(0))
	}
	f.Fuzz(func(t *testing.T, raw []byte, slab, limit, reach uint16, allow uint8) {
		o := Options{
			SlabBytes: 1 << 16, MaxRecordBytes: int(limit), reach: int(reach), headBytes: 64,
			AllowComments: allow&1 > 0, AllowUnquotedFieldNames: allow&2 > 0, AllowSingleQuotes: allow&4 > 0, AllowNonNumericNumbers: allow&8 > 0,
			AllowNumericLeadingZeros: allow&16 > 0, AllowBackslashEscapingAnyCharacter: allow&32 > 0, AllowUnquotedControlChars: allow&64 > 0,
		}
		if allow&128 > 0 {
			o.LineSep = "||"
		}
		want := readRaw(t, bytes.NewReader(raw), o)
		o.SlabBytes = int(slab)
		if got := readRaw(t, iotest.OneByteReader(bytes.NewReader(raw)), o); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		o.SlabBytes = 1
		o.Pool = new(Pool)
		readRaw(t, bytes.NewReader(raw[len(raw)/2:]), o) // what comes next has the memory of this
		if got := readRaw(t, iotest.DataErrReader(bytes.NewReader(raw)), o); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

func readRaw(t *testing.T, src io.Reader, o Options) string {
	r, err := Open(context.Background(), "t.json", src, o)
	if err != nil {
		return err.Error()
	}
	out := readAll(t, r)
	return fmt.Sprintf("%s%q", out, out.why)
}

// FuzzScanner: a document is taken if jsontext takes it, with the same strings.
func FuzzScanner(f *testing.F) {
	for _, text := range seeds() {
		f.Add(text)
	}
	f.Fuzz(compareWithJSONText)
}
