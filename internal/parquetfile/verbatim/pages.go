package verbatim

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"landfall/internal/parquetfile/footer"
	"landfall/internal/parquetfile/thrift"
)

// The numbers of codecs and encodings.
const (
	uncompressed = 0
	snappy       = 1
	gzip         = 2
	zstd         = 6

	plain           = 0
	plainDictionary = 2
	runs            = 3
	bitPacked       = 4
	deltaInts       = 5
	deltaLengths    = 6
	deltaBytes      = 7
	dictionaryCodes = 8
)

// The kinds of pages.
const (
	dataPage       = 0
	dictionaryPage = 2
	dataPageV2     = 3
)

const (
	// headBytes is how much is read to find the header of a page in, maxHead the
	// longest that there may be.
	headBytes = 512
	maxHead   = 1 << 20
	// bufferBytes is how much of a file is read at once.
	bufferBytes = 256 << 10
)

// pages is what a walk over the pages of a chunk found.
type pages struct {
	// data is where the first data page begins, dictionary whether there is one
	// before it.
	data       int64
	dictionary bool
	// starts and ends are the places of the data pages in the file.
	starts, ends []int64
}

// readable tells whether all readers of tables have an encoding.
func readable(encoding int64) bool {
	switch encoding {
	case plain, plainDictionary, runs, bitPacked, deltaInts, deltaLengths, deltaBytes, dictionaryCodes:
		return true
	}
	return false
}

// examine checks the chunk of a leaf in a row group against the footer, walks over
// its pages, and looks whether bounds prove what the type asks for.
func (s *Source) examine(g int, m *moved) error {
	c := &s.groups[g].Chunks[m.at]
	switch {
	case c.Physical != int64(m.node.Physical):
		return refuse(Pages, "row group %d has values of another type than the schema", g)
	case c.Values < 0 || m.leaf.MaxRep == 0 && c.Values != s.groups[g].Rows:
		return refuse(Pages, "row group %d has %d values for %d rows", g, c.Values, s.groups[g].Rows)
	case c.Values < s.groups[g].Rows:
		return refuse(Pages, "row group %d has fewer values than rows", g)
	}
	switch c.Codec {
	case uncompressed, snappy, gzip, zstd:
	default:
		return refuse(Codec, "codec %d", c.Codec)
	}
	encodings, _ := c.Meta.List(footer.ChunkEncodingsField)
	for e := range encodings.Ints() {
		if !readable(e) {
			return refuse(Encoding, "encoding %d", e)
		}
	}
	if r := s.bounded(g, m); r != nil {
		return r
	}
	w := walk{source: s, chunk: c, at: c.From, end: c.From + c.Bytes, nullable: m.mayLack(), repeats: m.leaf.MaxRep > 0}
	err := w.all()
	m.pages = append(m.pages, w.pages)
	return err
}

// walk goes over the pages of a chunk.
type walk struct {
	pages

	source  *Source
	chunk   *footer.Chunk
	at, end int64
	values  int64
	// nullable and repeats say that pages have levels of either kind.
	nullable, repeats bool
	// head holds the bytes from headAt on.
	head   []byte
	headAt int64
}

func (w *walk) all() error {
	for w.at < w.end {
		h, n, err := w.header()
		if err != nil {
			return err
		}
		size, ok := h.Int(3)
		if !ok || size < 0 || size > w.end-w.at-int64(n) {
			return refuse(Pages, "a page of %d bytes where %d are left", size, w.end-w.at-int64(n))
		}
		begin := w.at
		w.at += int64(n) + size
		if r := w.page(h, begin); r != nil {
			return r
		}
		if crc, ok := h.Int(4); ok {
			if err := w.sum(begin+int64(n), size, uint32(crc)); err != nil {
				return err
			}
		}
	}
	switch {
	case w.values != w.chunk.Values:
		return refuse(Pages, "pages of %d values, the footer says %d", w.values, w.chunk.Values)
	case len(w.starts) == 0:
		return refuse(Pages, "no data page")
	case !w.placed():
		return refuse(Place, "data begins at %d, the footer says %d", w.starts[0], w.chunk.Data)
	}
	w.data = w.starts[0]
	return nil
}

// placed tells whether the first data page is where the footer says. Some writers
// count the dictionary as the first of them.
func (w *walk) placed() bool {
	c := w.chunk
	stated := c.Dictionary > 0 && c.Dictionary == c.From && c.Data > c.From
	return w.dictionary == stated && w.starts[0] == c.Data || w.dictionary && c.Data == c.From
}

// header reads the header of the page at the present place.
func (w *walk) header() (thrift.Struct, int, error) {
	for size := int64(headBytes); ; size *= 8 {
		b, err := w.window(min(size, w.end-w.at))
		if err != nil {
			return thrift.Struct{}, 0, err
		}
		h, n, err := thrift.Parse(b)
		if err == nil {
			return h, n, nil
		}
		if size > maxHead || size >= w.end-w.at {
			return h, 0, refuse(Pages, "header of a page at %d: %v", w.at, err)
		}
	}
}

// window returns so many bytes from the present place on.
func (w *walk) window(n int64) ([]byte, error) {
	if from := w.at - w.headAt; from >= 0 && from+n <= int64(len(w.head)) {
		return w.head[from : from+n], nil
	}
	// Of a small chunk one read finds all pages.
	size := max(n, min(w.end-w.at, 4*headBytes))
	if int64(cap(w.source.head)) < size {
		w.source.head = make([]byte, size)
	}
	w.head, w.headAt = w.source.head[:size], w.at
	return w.head[:n], w.source.read(w.head, w.at)
}

// read reads all of b. A file that has become shorter is refused.
func (s *Source) read(b []byte, at int64) error {
	n, err := s.r.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return refuse(Place, "the file ends within the data")
	}
	return fmt.Errorf("read Parquet file: %w", err)
}

// page checks what a header says of its page.
func (w *walk) page(h thrift.Struct, begin int64) *Refusal {
	const v1Field, dictionaryField, v2Field = 5, 7, 8
	kind, _ := h.Int(1)
	switch kind {
	case dictionaryPage:
		of, ok := h.Struct(dictionaryField)
		encoding, _ := of.Int(2)
		if !ok || w.dictionary || len(w.starts) > 0 || encoding != plain && encoding != plainDictionary {
			return refuse(Pages, "a dictionary at %d that is none, or a second one", begin)
		}
		w.dictionary = true
		return nil
	case dataPage:
		of, ok := h.Struct(v1Field)
		if !ok {
			return refuse(Pages, "no header of its kind at %d", begin)
		}
		defs, _ := of.Int(3)
		reps, _ := of.Int(4)
		if w.nullable && defs != runs || w.repeats && reps != runs {
			return refuse(Encoding, "levels in encodings %d and %d", defs, reps)
		}
		return w.count(of, 2, begin)
	case dataPageV2:
		of, ok := h.Struct(v2Field)
		if !ok {
			return refuse(Pages, "no header of its kind at %d", begin)
		}
		return w.count(of, 4, begin)
	}
	return refuse(Pages, "a page of kind %d at %d", kind, begin)
}

// count counts a data page, whose encoding is in the given field.
func (w *walk) count(of thrift.Struct, encodingField int16, begin int64) *Refusal {
	values, ok := of.Int(1)
	encoding, known := of.Int(encodingField)
	switch {
	case !ok || !known || values < 0 || values > w.chunk.Values-w.values:
		return refuse(Pages, "a page of %d values at %d", values, begin)
	case !readable(encoding) || encoding == bitPacked:
		return refuse(Encoding, "encoding %d", encoding)
	case !w.dictionary && (encoding == plainDictionary || encoding == dictionaryCodes):
		return refuse(Pages, "codes without a dictionary at %d", begin)
	}
	w.values += values
	w.starts, w.ends = append(w.starts, begin), append(w.ends, w.at)
	return nil
}

// sum compares the checksum of a page that has one.
func (w *walk) sum(at, size int64, want uint32) error {
	found := uint32(0)
	for size > 0 {
		b := w.source.buffer()
		b = b[:min(size, int64(len(b)))]
		if err := w.source.read(b, at); err != nil {
			return err
		}
		found = crc32.Update(found, crc32.IEEETable, b)
		at, size = at+int64(len(b)), size-int64(len(b))
	}
	if found != want {
		return refuse(Checksum, "a page with another checksum than its bytes have")
	}
	return nil
}

// buffer returns room that the next call takes again.
func (s *Source) buffer() []byte {
	if s.buf == nil {
		s.buf = make([]byte, bufferBytes)
	}
	return s.buf
}
