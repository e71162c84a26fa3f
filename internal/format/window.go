package format

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"unicode/utf8"

	"landfall/internal/column"
	"landfall/internal/diag"
)

// Progress is what a step of a scan came to.
type Progress uint8

const (
	// Forward says that something was passed.
	Forward Progress = iota
	// Hungry says that only more text can tell.
	Hungry
	// Ended says that the text is at its end.
	Ended
	// Full says that the slab has no more room.
	Full
)

// Sizes say how much text a window holds, in bytes.
type Sizes struct {
	// Head is held first: most files are small.
	Head int
	// Slab is held from then on, and more only for what does not fit in.
	Slab int
	// Most is never exceeded, by more than Head or Slab. It must hold the longest
	// record and what a scanner looks at behind it.
	Most int
}

// Window is the stretch of a text that a scanner sees. The scanner passes what it
// has understood by moving At, and asks for more text by [Window.Slabs] when what
// is held is not enough: then what is passed goes, and positions are void.
type Window struct {
	// Held is text; Held[At:] is not yet scanned.
	Held []byte
	At   int
	// Base is the offset of Held[0] in the text.
	Base int64
	// Last is set if Held ends where the text does.
	Last bool
	// Err is what ended the text before its end, nil for nothing. CutOff is set
	// if the file is to blame and Held is all that it has before: what Held ends
	// within will never be whole.
	Err    error
	CutOff bool
	// Dirty is set if Held may have bytes that are not UTF-8, Zeros if it may have
	// bytes that are zero.
	Dirty, Zeros bool
	// Account accounts for what is passed; the scanner keeps it.
	Account Account

	src     *Text
	sizes   Sizes
	size    int // how much is held at a time
	started int // where the slab began
	counted int // up to where lines are counted
	lines   Lines
}

// NewWindow holds the head of src, which must not have been read. Where that fails
// and no record before could stand, the error is the window's.
func NewWindow(ctx context.Context, src *Text, sizes Sizes) (Window, error) {
	w := Window{src: src, sizes: sizes, size: sizes.Head, Held: src.room.hold(sizes.Head)}
	if err := w.fill(ctx); err != nil {
		return w, err
	}
	if w.Err != nil && !w.CutOff {
		return w, w.Err
	}
	return w, nil
}

// Slabs yields what next cuts, as Reader.Slabs demands. next begins a slab, passes
// text until the slab is full or the text used up, and says which; it returns nil
// if there is nothing in it. A slab's buffers may be used again for the next.
func (w *Window) Slabs(ctx context.Context, next func() (*column.Slab, Progress)) iter.Seq2[*column.Slab, error] {
	return func(yield func(*column.Slab, error) bool) {
		for {
			slab, p := next()
			if slab != nil && !yield(slab, nil) {
				return
			}
			switch p {
			case Ended:
				if w.Err != nil {
					yield(nil, w.Err)
				}
				return
			case Hungry:
				if err := w.More(ctx); err != nil {
					yield(nil, err)
					return
				}
			}
		}
	}
}

// Begin begins a slab at At.
func (w *Window) Begin() { w.started = w.At }

// Passed is how much text was passed since the slab began.
func (w *Window) Passed() int { return w.At - w.started }

// Final reports whether no more text can come that a record may go on with.
func (w *Window) Final() bool { return w.Last || w.CutOff }

// View is Held up to most bytes behind At, and whether that is all of it. A record
// that does not fit in most bytes is too long.
func (w *Window) View(most int) (text []byte, all bool) {
	if end := w.At + most; end < len(w.Held) {
		return w.Held[:end], false
	}
	return w.Held, true
}

// Frame passes n bytes that hold no values.
func (w *Window) Frame(n int) {
	w.Account.In += int64(n)
	w.Account.Framing += int64(n)
	w.At += n
}

// Offset is the offset of At in the text.
func (w *Window) Offset() int64 { return w.Base + int64(w.At) }

// Line returns the 1-based number of the line on which Held[at] stands. It counts
// from where it counted last, so at must not go back, and is cheap for files
// without bad records.
func (w *Window) Line(at int) int64 {
	w.lines.Pass(w.Held[w.counted:at])
	w.counted = at
	return w.lines.Line()
}

// PassLine counts the text up to next, which is one line with its end. It spares
// Line from looking at it.
func (w *Window) PassLine(next int) {
	w.lines.PassLine(w.Held[next-1])
	w.counted = next
}

// With returns Held with tail behind it, for a slab whose values are not all what
// the text says.
func (w *Window) With(tail []byte) []byte {
	if len(tail) == 0 {
		return w.Held
	}
	all := append(w.Held, tail...)
	w.Held = all[:len(w.Held)]
	return all
}

// More drops what is passed and reads more text. The error is that of ctx; what
// ends the text is Last or Err.
func (w *Window) More(ctx context.Context) error {
	w.compact()
	return w.fill(ctx)
}

// compact moves the text that is not scanned to the front. If that is most of the
// window, it grows: the scanner would ask for the rest bit by bit.
func (w *Window) compact() {
	w.Line(w.At)
	n := copy(w.Held, w.Held[w.At:])
	w.Base += int64(w.At)
	w.Held = w.Held[:n]
	w.At, w.counted, w.started = 0, 0, 0
	w.size = max(w.size, w.sizes.Slab)
	if n > w.size/2 {
		w.size = min(2*w.size, max(w.sizes.Most, w.size))
	}
	if w.size > cap(w.Held) {
		w.Held = append(make([]byte, 0, w.size), w.Held...)
	}
}

// fill reads text until size bytes are held or the text ends.
func (w *Window) fill(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for len(w.Held) < w.size && !w.Last && w.Err == nil {
		n, err := w.src.Read(w.Held[len(w.Held):w.size])
		w.Held = w.Held[:len(w.Held)+n]
		var fault *diag.Diagnostic
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			w.Last = true
		default:
			w.Err = err
			w.CutOff = errors.As(err, &fault) && fault.Code != diag.FileCorrupt
		}
	}
	rest := w.Held[w.At:]
	whole := WholeRunes(rest)
	w.Dirty = !utf8.Valid(rest[:whole]) || w.Final() && whole < len(rest)
	w.Zeros = bytes.IndexByte(rest, 0) >= 0
	return nil
}
