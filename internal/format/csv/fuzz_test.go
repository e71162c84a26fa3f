package csv

import (
	"bytes"
	"context"
	"io"
	"testing"
	"testing/iotest"
)

// FuzzReader: whatever the bytes, nothing panics, every byte is accounted for,
// and the result does not depend on chunks or slabs.
func FuzzReader(f *testing.F) {
	for _, text := range []string{
		"", "a,b\n1,2\n", "\xef\xbb\xbf\"id\",name\r\n1,\"x\ny\"\r\n", "a;b\r1;2\r", "a,b\n1,\"x\n2,y\n3,\"z\n4,w\n",
		"a,b\n\"x\"y,1\n2,3", "a\n\xe9\n\xc3\xa9\n", "\xff\xfea\x00,\x00b\x00\n\x001\x00,\x002\x00", "\x1f\x8b\x08",
		"sep=|\na|b\n", "a,b\n\"\\\"x\\\"\",1\n", "\"a\", \"b\"\n\"1\", \"2\"\n", ",,\n\n \n",
	} {
		f.Add([]byte(text), uint16(7), uint16(40))
	}
	f.Fuzz(func(t *testing.T, raw []byte, slab, limit uint16) {
		o := Options{SlabBytes: 1 << 16, MaxRecordBytes: int(limit), sniffBytes: 64}
		want := readRaw(t, bytes.NewReader(raw), o)
		o.SlabBytes = int(slab)
		if got := readRaw(t, iotest.OneByteReader(bytes.NewReader(raw)), o); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		o.SlabBytes = 1
		if got := readRaw(t, iotest.DataErrReader(bytes.NewReader(raw)), o); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

func readRaw(t *testing.T, src io.Reader, o Options) string {
	r, err := Open(context.Background(), "t.csv", src, o)
	if err != nil {
		return err.Error()
	}
	out := readAll(t, r)
	if got, want := r.Account().In, r.in.Base+int64(len(r.in.Held)); out.err == nil && got != want {
		t.Fatalf("accounted for %d of %d bytes", got, want)
	}
	return out.String()
}
