package page

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/zstd"
)

// maxRoom bounds the pages of all columns of a row group together.
const maxRoom = 4 << 30

// Room is the memory that the pages of a file share. The zero value is ready.
type Room struct {
	taken int64
	zstd  *zstd.Decoder
}

func (m *Room) take(n int64) error {
	if m.taken+n > maxRoom {
		return fmt.Errorf("found pages of more than %d bytes in one row group, want smaller ones", int64(maxRoom))
	}
	m.taken += n
	return nil
}

func (m *Room) give(n int64) { m.taken -= n }

var errUnpacked = errors.New("found another number of bytes in a compressed page than its header says")

// unpack decompresses src, which must fill dst.
func (m *Room) unpack(codec compress.Compression, dst, src []byte) error {
	switch codec {
	case compress.Codecs.Uncompressed:
		return same(dst, src)
	case compress.Codecs.Zstd:
		return m.unzstd(dst, src)
	case compress.Codecs.Snappy:
		// The length comes first, and is believed by the decoder.
		if n, _ := binary.Uvarint(src); n != uint64(len(dst)) {
			return errUnpacked
		}
		return block(compress.Codecs.Snappy, dst, src)
	case compress.Codecs.Lz4Raw:
		return block(codec, dst, src)
	case compress.Codecs.Lz4:
		if hadoopLZ4(dst, src) == nil {
			return nil
		}
		return block(compress.Codecs.Lz4Raw, dst, src)
	case compress.Codecs.Gzip, compress.Codecs.Brotli:
		return stream(codec, dst, src)
	}
	return fmt.Errorf("found compression %s, want snappy, gzip, brotli, zstd or lz4", codec)
}

func same(dst, src []byte) error {
	if len(dst) != len(src) {
		return errUnpacked
	}
	copy(dst, src)
	return nil
}

// unzstd decodes without growing beyond a page, whatever the frames say.
func (m *Room) unzstd(dst, src []byte) error {
	if m.zstd == nil {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30))
		if err != nil {
			return fmt.Errorf("begin zstd: %w", err)
		}
		m.zstd = d
	}
	out, err := m.zstd.DecodeAll(src, dst[:0])
	if err != nil {
		return fmt.Errorf("decompress page: %w", err)
	}
	return filled(dst, out)
}

func block(codec compress.Compression, dst, src []byte) error {
	c, err := compress.GetCodec(codec)
	if err != nil {
		return fmt.Errorf("decompress page: %w", err)
	}
	out, err := compress.Decode(c, dst, src)
	if err != nil {
		return fmt.Errorf("decompress page: %w", err)
	}
	return filled(dst, out)
}

// filled sees that out is all of dst, where the decoder may have left it.
func filled(dst, out []byte) error {
	if len(out) != len(dst) {
		return errUnpacked
	}
	if len(out) > 0 && &out[0] != &dst[0] {
		copy(dst, out)
	}
	return nil
}

// stream decodes as much as there should be, and looks for more.
func stream(codec compress.Compression, dst, src []byte) error {
	c, err := compress.GetCodec(codec)
	if err != nil {
		return fmt.Errorf("decompress page: %w", err)
	}
	s, ok := c.(compress.StreamingCodec)
	if !ok {
		return block(codec, dst, src)
	}
	r := s.NewReader(bytes.NewReader(src))
	_, err = io.ReadFull(r, dst)
	if err == nil {
		var one [1]byte
		if n, more := r.Read(one[:]); n > 0 {
			err = errUnpacked
		} else if more != nil && !errors.Is(more, io.EOF) {
			err = more
		}
	}
	if err = errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("decompress page: %w", err)
	}
	return nil
}

// hadoopLZ4 decodes the framing of Hadoop: the length of what follows before
// compression, then blocks, each with its compressed length before it.
func hadoopLZ4(dst, src []byte) error {
	for len(dst) > 0 {
		if len(src) < 8 {
			return errUnpacked
		}
		n, packed := binary.BigEndian.Uint32(src), binary.BigEndian.Uint32(src[4:])
		src = src[8:]
		if uint64(n) > uint64(len(dst)) || uint64(packed) > uint64(len(src)) || n == 0 {
			return errUnpacked
		}
		if err := block(compress.Codecs.Lz4Raw, dst[:n], src[:packed]); err != nil {
			return err
		}
		dst, src = dst[n:], src[packed:]
	}
	if len(src) > 0 {
		return errUnpacked
	}
	return nil
}
