package verbatim

import (
	"fmt"
	"io"
	"os"

	"landfall/internal/parquetfile/rowgroup"
)

// body is a range of a source.
type body struct {
	source   *Source
	at, size int64
}

// Size is the number of bytes.
func (b body) Size() int64 { return b.size }

// Join returns the body of both if next follows b in the same source: one write
// of many chunks takes less time than many.
func (b body) Join(next rowgroup.Body) (rowgroup.Body, bool) {
	n, ok := next.(body)
	if !ok || n.source != b.source || n.at != b.at+b.size {
		return nil, false
	}
	b.size += n.size
	return b, true
}

// WriteTo copies the bytes: from file to file within the system, where w takes
// that and the source is a file.
func (b body) WriteTo(w io.Writer) (int64, error) {
	to, direct := w.(io.ReaderFrom)
	if from := b.source.file(); direct && from != nil {
		return b.send(to, from)
	}
	var done int64
	for done < b.size {
		p := b.source.buffer()
		p = p[:min(b.size-done, int64(len(p)))]
		if err := b.source.read(p, b.at+done); err != nil {
			return done, err
		}
		n, err := w.Write(p)
		done += int64(n)
		if err != nil {
			return done, err //nolint:wrapcheck // The writer's own.
		}
	}
	return done, nil
}

// send lets w take the bytes from the file, whose position nobody else uses.
func (b body) send(w io.ReaderFrom, from *os.File) (int64, error) {
	if _, err := from.Seek(b.at, io.SeekStart); err != nil {
		return 0, fmt.Errorf("read Parquet file: %w", err)
	}
	n, err := w.ReadFrom(io.LimitReader(from, b.size))
	if err == nil && n < b.size {
		err = refuse(Place, "the file ends within the data")
	}
	return n, err //nolint:wrapcheck // The writer's own.
}

// file is the source as a file of the system, nil if it is none. A reader that is
// one inside says so by a method.
func (s *Source) file() *os.File {
	switch r := s.r.(type) {
	case *os.File:
		return r
	case interface{ File() *os.File }:
		return r.File()
	}
	return nil
}
