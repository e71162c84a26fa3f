package verbatim

import (
	"io"

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

// WriteTo copies the bytes, in pieces that pass through here: the source hashes what it
// reads on the way.
func (b body) WriteTo(w io.Writer) (int64, error) {
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
