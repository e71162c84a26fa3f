package format

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"landfall/internal/diag"
)

const (
	// rawBuffer is how much of an object is read ahead of a decompressor.
	rawBuffer = 64 << 10
	// zstdWindow is the longest window of a zstd frame we accept; the command
	// line tool refuses longer ones too unless told.
	zstdWindow = 128 << 20
	// snappyBlock is the longest chunk of snappy data.
	snappyBlock = 64 << 10
	// tailLength is how many of the last bytes of an object are kept.
	tailLength = 8
	// snappyMagic begins all snappy data.
	snappyMagic = "\xff\x06\x00\x00sNaPpY"
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
	case bytes.HasPrefix(head, []byte(snappyMagic)):
		return "snappy", openSnappy
	}
	return "", nil
}

func openGzip(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }

func openBzip2(r io.Reader) (io.Reader, error) { return wholeBlocks{bzip2.NewReader(r)}, nil }

// openSnappy refuses kinds of chunks that may be skipped but that nobody writes,
// except padding and an index: one wrong bit makes one out of data.
func openSnappy(r io.Reader) (io.Reader, error) {
	options := []s2.ReaderOption{s2.ReaderMaxBlockSize(snappyBlock)}
	for kind := 0x80; kind <= 0xfd; kind++ {
		if kind != s2.ChunkTypeIndex {
			options = append(options, s2.ReaderSkippableCB(uint8(kind), func(io.Reader) error {
				return fmt.Errorf("found a chunk of kind %#x", kind)
			}))
		}
	}
	return s2.NewReader(r, options...), nil
}

// openZstd decodes in the caller's goroutine, so a reader that is dropped
// half-way leaks none.
func openZstd(r io.Reader) (io.Reader, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow))
}

// wholeBlocks reads bzip2 data without what it says of a block that the end of
// the data cuts: the decoder takes missing bits for zeros.
type wholeBlocks struct{ r io.Reader }

func (w wholeBlocks) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if err != nil {
		n = 0
	}
	return n, err
}

// stream is an object's bytes, decompressed.
type stream struct {
	raw         *tracked
	packed      *bufio.Reader // raw bytes
	plain       *bufio.Reader // what they hold
	compression string        // "" for none
	open        io.Reader     // the decompressor
	size        int64         // bytes it gave
}

// decompress recognises a compression by its first bytes; name matters only where
// an object ends within them. The stream is valid if there is an error too, but
// cannot be read.
func decompress(name string, r io.Reader, m *Room) (*stream, error) {
	s := &stream{raw: &tracked{r: r}}
	s.packed = m.reader(s.raw)
	head, err := s.packed.Peek(10)
	if err != nil && !errors.Is(err, io.EOF) {
		return s, err
	}
	var open func(io.Reader) (io.Reader, error)
	if s.compression, open = opener(head); open == nil {
		if s.compression = begun(name, head); s.compression != "" {
			_, err = io.CopyN(io.Discard, s.packed, int64(len(head))+1)
			return s, err // the end, which is early
		}
		s.plain = s.packed
		return s, nil
	}
	if s.open, err = open(s.packed); err != nil {
		return s, err
	}
	s.plain = bufio.NewReaderSize(s, rawBuffer)
	return s, nil
}

// Read reads from the decompressor.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.open.Read(p)
	s.size += int64(n)
	return n, err
}

// begun returns the compression that an object's name tells if head, all that there
// is of it, is the beginning of what would tell that compression.
func begun(name string, head []byte) (compression string) {
	for _, c := range [...]struct{ suffix, magic, name string }{
		{".gz", "\x1f\x8b\x08", "gzip"},
		{".zst", "\x28\xb5\x2f\xfd", "zstd"},
		{".bz2", "BZh91AY&SY", "bzip2"},
		{".snappy", snappyMagic, "snappy"},
		{".sz", snappyMagic, "snappy"},
	} {
		if n := len(head); strings.EqualFold(path.Ext(name), c.suffix) && n > 0 && n < len(c.magic) {
			if told, _ := opener([]byte(string(head) + c.magic[n:])); told == c.name {
				return told
			}
		}
	}
	return ""
}

// fault says in words what the decompressor met, and whether what it gave
// before holds.
func (s *stream) fault(err error) (code diag.Code, what string) {
	switch {
	case errors.Is(err, gzip.ErrHeader) && s.size > 0:
		// The checksum of each member before was right.
		return diag.FileUnreadable, "gzip data is followed by other bytes"
	case s.endsEarly(err) && s.raw.tail == [tailLength]byte{}:
		// A download that crashed left room: where the zeros begin nothing says, and
		// decoders make text of them. Text that is all the same packs into zeros too,
		// but what is doubtful must not land.
		return diag.FileCorrupt, s.compression + " data is damaged (it ends in zeros, as a write that was cut short leaves them)"
	case s.endsEarly(err):
		return diag.FileUnreadable, s.compression + " data ends early"
	}
	return diag.FileCorrupt, fmt.Sprintf("%s data is damaged (%v)", s.compression, err)
}

// endsEarly tells data whose end is missing, of which the beginning is right,
// from data that is wrong. Decoders speak of an early end also when wrong bits
// make them read past the end of a block, or of the data.
func (s *stream) endsEarly(err error) bool {
	early := errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		s.compression == "snappy" && errors.Is(err, s2.ErrCorrupt) // of whole chunks, checked
	if _, more := s.packed.Peek(1); !early || more == nil {
		return false
	}
	// The last four bytes of whole gzip data are its length.
	length := int64(binary.LittleEndian.Uint32(s.raw.tail[4:]))
	off := length - (s.size & math.MaxUint32)
	near := 1024 + s.size/256
	return s.compression != "gzip" || off < -near || off > near
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
// says about its input must not be mistaken for a network that failed. And it
// remembers the last bytes.
type tracked struct {
	r    io.Reader
	err  error
	tail [tailLength]byte
}

// Read reads from the store.
func (t *tracked) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		t.err = err
	}
	last := p[max(0, n-len(t.tail)):n]
	copy(t.tail[:], t.tail[len(last):])
	copy(t.tail[len(t.tail)-len(last):], last)
	return n, err
}
