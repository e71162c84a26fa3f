// Package page reads the pages of a column chunk.
//
// A [Reader] hands pages to the decoder of a column. It believes nothing that a
// page says of itself: checksums, sizes and counts are compared with what is
// there, and no memory is taken on a page's word alone.
package page

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	pq "github.com/apache/arrow-go/v18/parquet/schema"
)

// ErrChecksum says that the bytes of a page are not those its writer summed up.
var ErrChecksum = errors.New("found a page with another checksum than its bytes have")

var errTwoDictionaries = errors.New("found a second dictionary, want one at most")

const (
	// headBytes is how much is read to find a header in, maxHead the longest.
	headBytes = 4 << 10
	maxHead   = 16 << 20
)

// Chunk is where the pages of a column chunk are.
type Chunk struct {
	Source io.ReaderAt
	// From is where the first page begins, To where no page may reach.
	From, To int64
	// Values is the number of entries, nulls included, of all data pages.
	Values int64
	Codec  compress.Compression
	Column *pq.Column
	// MaxPage bounds the bytes of a page after decompression.
	MaxPage int64
}

// Reader yields the pages of a chunk. It implements file.PageReader.
type Reader struct {
	Chunk
	room *Room
	at   int64
	seen int64
	// head holds bytes of the file from headAt on.
	head   []byte
	headAt int64

	packed, body, dictionary []byte
	held                     int64
	page                     file.Page
	err                      error
}

// New returns a reader of the pages of a chunk, which takes its memory from room.
func New(c Chunk, room *Room) *Reader {
	return &Reader{Chunk: c, room: room, at: c.From}
}

// Page returns the page that Next found, which is valid until the next Next.
func (r *Reader) Page() file.Page { return r.page }

// Err returns what ended the pages, nil at their end.
func (r *Reader) Err() error { return r.err }

// SetMaxPageHeaderSize does nothing: headers are bounded already.
func (r *Reader) SetMaxPageHeaderSize(int) {}

// GetDictionaryPage returns no page: dictionaries come with Next.
func (r *Reader) GetDictionaryPage() (*file.DictionaryPage, error) { return nil, nil } //nolint:nilnil // None is the answer.

// SeekToPageWithRow is not supported.
func (r *Reader) SeekToPageWithRow(int64) error { return errors.New("pages are read in order") }

// Reset is not supported: a reader is for one chunk.
func (r *Reader) Reset(parquet.BufferedReader, int64, compress.Compression, *file.CryptoContext) {
	r.err = errors.New("pages are of one chunk")
}

// Close gives the memory back.
func (r *Reader) Close() error {
	r.release()
	r.room.give(r.held)
	r.packed, r.body, r.dictionary, r.held = nil, nil, nil, 0
	return nil
}

func (r *Reader) release() {
	if r.page != nil {
		r.page.Release()
		r.page = nil
	}
}

// Next goes to the next page. It returns false behind the last and on an error.
func (r *Reader) Next() bool {
	r.release()
	for r.err == nil && r.seen < r.Values {
		h, err := r.header()
		if err == nil {
			err = r.read(h)
		}
		if err != nil {
			r.err = err
			return false
		}
		if r.page != nil {
			return true
		}
	}
	return false
}

// header reads the header at the present place.
func (r *Reader) header() (header, error) {
	size := int64(headBytes)
	for {
		size = min(size, r.To-r.at)
		if size <= 0 {
			return header{}, fmt.Errorf("found the end of the pages after %d values, want %d", r.seen, r.Values)
		}
		data, err := r.window(size)
		if err != nil {
			return header{}, err
		}
		h, n, err := parseHeader(data)
		if errors.Is(err, errMore) && size < min(maxHead, r.To-r.at) {
			size *= 8
			continue
		}
		if err != nil {
			return header{}, err
		}
		r.at += int64(n)
		if int64(h.compressed) > r.To-r.at {
			return header{}, fmt.Errorf("found a page of %d bytes where %d are left", h.compressed, r.To-r.at)
		}
		return h, nil
	}
}

// window returns the next bytes of the file, at least one and at most so many
// unless more are at hand.
func (r *Reader) window(size int64) ([]byte, error) {
	if r.at >= r.headAt && r.at-r.headAt < int64(len(r.head)) {
		rest := r.head[r.at-r.headAt:]
		if int64(len(rest)) >= min(size, headBytes/8) && size <= headBytes {
			return rest, nil
		}
	}
	if int64(cap(r.head)) < size {
		r.head = make([]byte, size)
	}
	r.head, r.headAt = r.head[:size], r.at
	n, err := r.Source.ReadAt(r.head, r.at)
	r.head = r.head[:n]
	if n < int(size) {
		return nil, fmt.Errorf("read page header: %w", short(err))
	}
	return r.head, nil
}

func short(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// read reads the page behind its header.
func (r *Reader) read(h header) error {
	begin := r.at
	r.at += int64(h.compressed)
	if h.kind != dataPage && h.kind != dictionaryPage && h.kind != dataPageV2 {
		return nil // pages of other kinds hold no values
	}
	if int64(h.uncompressed) > r.MaxPage {
		return fmt.Errorf("found a page of %d bytes, want at most %d", h.uncompressed, r.MaxPage)
	}
	if err := r.grow(&r.packed, int(h.compressed)); err != nil {
		return err
	}
	if n, err := r.Source.ReadAt(r.packed, begin); n < len(r.packed) {
		return fmt.Errorf("read page: %w", short(err))
	}
	if h.hasCRC && crc32.ChecksumIEEE(r.packed) != h.crc {
		return ErrChecksum
	}
	switch {
	case h.kind == dictionaryPage:
		return r.takeDictionary(h)
	case h.values == 0:
		return nil // Arrow writes some, and its decoder takes them for the end
	case h.kind == dataPageV2:
		return r.takeV2(h)
	}
	return r.takeV1(h)
}

// grow makes a buffer of n bytes, within the room that all share.
func (r *Reader) grow(buf *[]byte, n int) error {
	if more := int64(n - cap(*buf)); more > 0 {
		if err := r.room.take(more); err != nil {
			return err
		}
		r.held += more
		*buf = make([]byte, n)
	}
	*buf = (*buf)[:n]
	return nil
}

func (r *Reader) takeDictionary(h header) error {
	if r.dictionary != nil || r.seen > 0 {
		return errTwoDictionaries
	}
	if err := r.grow(&r.dictionary, int(h.uncompressed)); err != nil {
		return err
	}
	if r.dictionary == nil {
		r.dictionary = []byte{}
	}
	if err := r.room.unpack(r.Codec, r.dictionary, r.packed); err != nil {
		return err
	}
	if need := int64(h.values) * leastBytes(r.Column); need > int64(len(r.dictionary)) {
		return fmt.Errorf("found a dictionary of %d bytes, want %d at least for its %d values", len(r.dictionary), need, h.values)
	}
	r.page = file.NewDictionaryPage(memory.NewBufferBytes(r.dictionary), h.values, parquet.Encoding(h.encoding))
	return nil
}

// leastBytes is the least number of bytes that a plain value takes.
func leastBytes(c *pq.Column) int64 {
	switch c.PhysicalType() {
	case parquet.Types.Int32, parquet.Types.Float, parquet.Types.ByteArray:
		return 4
	case parquet.Types.Int64, parquet.Types.Double:
		return 8
	case parquet.Types.Int96:
		return 12
	case parquet.Types.FixedLenByteArray:
		return int64(c.TypeLength())
	}
	return 0
}

func (r *Reader) takeV1(h header) error {
	if err := r.grow(&r.body, int(h.uncompressed)); err != nil {
		return err
	}
	if err := r.room.unpack(r.Codec, r.body, r.packed); err != nil {
		return err
	}
	if err := r.count(h, valuesV1(r.body, h, r.Column)); err != nil {
		return err
	}
	r.page = file.NewDataPageV1(memory.NewBufferBytes(r.body), h.values, parquet.Encoding(h.encoding),
		parquet.Encoding(h.defEncoding), parquet.Encoding(h.repEncoding), h.uncompressed)
	return nil
}

func (r *Reader) takeV2(h header) error {
	if err := r.grow(&r.body, int(h.uncompressed)); err != nil {
		return err
	}
	levels := int(h.defBytes + h.repBytes)
	copy(r.body, r.packed[:levels])
	codec := r.Codec
	if !h.packed {
		codec = compress.Codecs.Uncompressed
	}
	// A page of nulls alone has no values to compress, which some writers then
	// leave out.
	if values := r.packed[levels:]; len(values) > 0 || int(h.uncompressed) > levels {
		if err := r.room.unpack(codec, r.body[levels:], values); err != nil {
			return err
		}
	}
	if err := r.count(h, r.body[levels:]); err != nil {
		return err
	}
	r.page = file.NewDataPageV2(memory.NewBufferBytes(r.body), h.values, h.nulls, h.rows,
		parquet.Encoding(h.encoding), h.defBytes, h.repBytes, h.uncompressed, h.packed)
	return nil
}

// count counts the entries of a page; values are the bytes of its values.
func (r *Reader) count(h header, values []byte) error {
	r.seen += int64(h.values)
	if r.seen > r.Values {
		return fmt.Errorf("found a page of %d values where the chunk has %d left", h.values, r.Values-r.seen+int64(h.values))
	}
	return checkDeltas(parquet.Encoding(h.encoding), h.values, values)
}
