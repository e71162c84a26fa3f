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

// magics are the first bytes of the compressions we know. A zstd stream may
// also begin with a skippable frame, which is rare enough to leave out.
type magic struct {
	name  string
	first []byte
	open  func(io.Reader) (io.Reader, error)
}

// magics is a function so that the package keeps no mutable state.
func magics() []magic {
	return []magic{
		{"gzip", []byte{0x1f, 0x8b, 0x08}, openGzip},
		{"zstd", []byte{0x28, 0xb5, 0x2f, 0xfd}, openZstd},
		{"bzip2", []byte("BZh"), openBzip2},
		{"snappy", []byte("\xff\x06\x00\x00sNaPpY"), openSnappy},
	}
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
	for _, m := range magics() {
		if !bytes.HasPrefix(head, m.first) || m.name == "bzip2" && !isBzip2(head) {
			continue
		}
		plain, err := m.open(raw)
		if err != nil {
			return nil, m.name, err
		}
		return bufio.NewReaderSize(plain, rawBuffer), m.name, nil
	}
	return raw, "", nil
}

// isBzip2 tells a bzip2 stream from a text that begins with "BZh": a digit
// follows, then the mark of a block or of the end.
func isBzip2(head []byte) bool {
	if len(head) < 10 || head[3] < '1' || head[3] > '9' {
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
