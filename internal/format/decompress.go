package format

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

const (
	// rawBuffer is how much of an object is read ahead of a decompressor.
	rawBuffer = 64 << 10
	// zstdWindow is the longest window of a zstd frame we accept; the command
	// line tool refuses longer ones too unless told.
	zstdWindow = 128 << 20
)

// opener returns the compression that the first bytes of an object tell and how
// to undo it, "" and nil for none.
func opener(head []byte) (compression string, open func(io.Reader) (io.Reader, error)) {
	switch {
	case hasPrefix(head, 0x1f, 0x8b, 0x08):
		return "gzip", openGzip
	case isZstd(head):
		return "zstd", openZstd
	case isBzip2(head):
		return "bzip2", openBzip2
	case bytes.HasPrefix(head, []byte("\xff\x06\x00\x00sNaPpY")):
		return "snappy", openSnappy
	}
	return "", nil
}

func openGzip(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }

func openBzip2(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }

func openSnappy(r io.Reader) (io.Reader, error) { return snappy.NewReader(r), nil }

// openZstd decodes in the caller's goroutine, so a reader that is dropped
// half-way leaks none.
func openZstd(r io.Reader) (io.Reader, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow))
}

// decompress recognises a compression by its first bytes, never by a name, and
// returns the plain bytes and the name of the compression, "" for none.
func decompress(raw *bufio.Reader) (*bufio.Reader, string, error) {
	head, err := raw.Peek(10)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, "", err
	}
	compression, open := opener(head)
	if open == nil {
		return raw, "", nil
	}
	plain, err := open(raw)
	if err != nil {
		return nil, compression, err
	}
	return bufio.NewReaderSize(plain, rawBuffer), compression, nil
}

// isZstd knows frames of data and those that decoders skip, which may come first.
func isZstd(head []byte) bool {
	return hasPrefix(head, 0x28, 0xb5, 0x2f, 0xfd) ||
		len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte{0x2a, 0x4d, 0x18})
}

// isBzip2 tells a bzip2 stream from a text that begins with "BZh": a digit
// follows, then the mark of a block or of the end.
func isBzip2(head []byte) bool {
	if len(head) < 10 || string(head[:3]) != "BZh" || head[3] < '1' || head[3] > '9' {
		return false
	}
	return bytes.Equal(head[4:], []byte{0x31, 0x41, 0x59, 0x26, 0x53, 0x59}) ||
		bytes.Equal(head[4:], []byte{0x17, 0x72, 0x45, 0x38, 0x50, 0x90})
}

// tracked remembers whether an error came from the store: what a decompressor
// says about its input must not be mistaken for a network that failed.
type tracked struct {
	r   io.Reader
	err error
}

// Read reads from the store.
func (t *tracked) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		t.err = err
	}
	return n, err
}

// damage says in words what a decompressor met.
func damage(compression string, err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return compression + " data ends early"
	}
	return fmt.Sprintf("%s data is damaged (%v)", compression, err)
}
