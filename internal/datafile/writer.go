package datafile

import (
	"context"
	"errors"
	"slices"

	"landfall/internal/column"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/encode"
	"landfall/internal/schema"
	"landfall/internal/store"
)

const (
	defaultTarget = 128 << 20
	// smallObject is the size up to which an object shares files with others.
	smallObject = 8 << 20
)

var (
	errNoObject   = errors.New("rows outside Begin and End")
	errOpenObject = errors.New("an object is begun before the last is ended")
	errClosed     = errors.New("data file writer is closed")
)

// Load is what a Writer made of some objects: row groups in memory, which a
// [Packer] puts into files with those of others, and Files of large objects.
type Load struct {
	Files  []File
	groups []group
}

// Bytes is how much of a load is in memory.
func (l *Load) Bytes() (n int64) {
	for _, g := range l.groups {
		for _, c := range g.Chunks {
			n += c.Body.Size()
		}
	}
	return n
}

// GiveUp drops the row groups with rows of objects that are to be given up, by what
// up says of their parts.
func (l *Load) GiveUp(up func([]Part) bool) {
	l.groups = slices.DeleteFunc(l.groups, func(g group) bool { return up(g.parts) })
}

// Writer encodes the rows of objects, one after the other. One goroutine uses it.
// Rows come between Begin and End; an object that is discarded instead leaves
// none. Small objects share row groups, which wait in memory; a larger one gets
// files of its own, so that it can be dropped whole. After an error every call
// returns it: Abort is all that is left to do.
type Writer struct {
	o Options
	// small is smallObject but in tests.
	small int64

	table schema.Struct
	// shared encodes small objects, large the others.
	shared *encode.Encoder
	large  *stream
	// parts are of the objects in the open group of shared, rows and weight what
	// these have there.
	parts  []Part
	rows   int
	weight int64
	object *object
	// mixer is the last one, whose encoder the next may use.
	mixer *mixer
	load  Load
	err   error
}

// object is what is known of one since Begin.
type object struct {
	number int
	// own says that its rows go into files of their own from now on.
	own bool
	// mix makes its row groups if some of its columns are moved; mixed are those of a
	// small object.
	mix   *mixer
	mixed []group
}

// filled are the options with what is left out.
func (o Options) filled() Options {
	if o.Target <= 0 {
		o.Target = defaultTarget
	}
	if o.RowGroupBytes <= 0 || o.RowGroupBytes > o.Target {
		o.RowGroupBytes = min(parquetfile.DefaultRowGroupBytes, o.Target)
	}
	return o
}

func (o Options) encoding() encode.Options {
	return encode.Options{Compression: o.Compression, Encoding: o.Encoding}
}

// NewWriter returns a writer of data files with the columns of table. Types that
// no data file can have show in the calls that follow.
func NewWriter(s store.Store, table schema.Struct, o Options) *Writer {
	w := &Writer{table: table, o: o.filled(), small: smallObject}
	w.shared, w.err = encode.New(table, o.encoding())
	if w.err == nil {
		w.large, w.err = newStream(s, table, w.o)
	}
	return w
}

// Begin starts the rows of an object, by the caller's number. size is what its
// rows weigh as far as that is known, 0 if it is not: a large object shares
// nothing from its start on. Misuse shows in the calls that follow.
func (w *Writer) Begin(number int, size int64) {
	if w.object != nil {
		_ = w.fail(errOpenObject) // the next call returns it
		return
	}
	w.object = &object{number: number, own: size > w.small}
	if w.large != nil {
		w.large.number = number
	}
}

// Mix says that some columns of the object at hand are moved from its file, which
// stays open until End. It comes before the first Write; from then on these columns
// are not looked at in batches, which do not reach from one row group of the source
// into the next. An error of these Writes is not kept: after Discard, the object may
// be begun again.
func (w *Writer) Mix(m Mix) error {
	if w.err != nil {
		return w.err
	}
	if w.object == nil {
		return w.fail(errNoObject)
	}
	mix, err := newMixer(m, w.table, w.object.number, w.o, w.mixer)
	w.object.mix, w.mixer = mix, mix
	return w.fail(err)
}

// Write adds rows of the object. It keeps nothing of b.
func (w *Writer) Write(ctx context.Context, b column.Batch) error {
	switch {
	case w.err != nil:
		return w.err
	case w.object == nil:
		return w.fail(errNoObject)
	case b.Rows == 0:
		return nil
	}
	obj := w.object
	if obj.mix != nil {
		return w.writeMix(ctx, b)
	}
	obj.own = obj.own || w.shared.Weight()-w.weight > w.small
	if obj.own {
		return w.fail(w.large.write(ctx, b))
	}
	return w.fail(w.shared.Write(b))
}

// writeMix adds rows of an object with columns that are moved.
func (w *Writer) writeMix(ctx context.Context, b column.Batch) error {
	full, err := w.object.mix.write(b)
	if err != nil || !full {
		return err
	}
	g, err := w.object.mix.cut()
	if err != nil {
		return err
	}
	if w.object.own {
		return w.large.append(ctx, g)
	}
	if g, err = inMemory(g); err != nil {
		return err
	}
	w.object.mixed = append(w.object.mixed, g)
	return nil
}

// End keeps the rows of the object.
func (w *Writer) End(ctx context.Context) error {
	switch {
	case w.err != nil:
		return w.err
	case w.object == nil:
		return w.fail(errNoObject)
	}
	if m := w.object.mix; m != nil {
		if err := m.done(); err != nil {
			return w.fail(err)
		}
	}
	if w.object.own {
		files, err := w.large.finish(ctx)
		if err != nil {
			return w.fail(err)
		}
		w.load.Files = append(w.load.Files, files...)
	}
	if rows := w.shared.Rows() - w.rows; rows > 0 {
		w.parts = append(w.parts, Part{Object: w.object.number, Rows: int64(rows)})
	}
	w.load.groups = append(w.load.groups, w.object.mixed...)
	w.object = nil
	w.shared.Mark()
	w.rows, w.weight = w.shared.Rows(), w.shared.Weight()
	// Only between objects: one that is small lies in one row group.
	if w.weight >= w.o.RowGroupBytes {
		return w.cut()
	}
	return nil
}

// cut ends the row group of small objects.
func (w *Writer) cut() error {
	g, err := finished(w.shared)
	if err != nil {
		return w.fail(err)
	}
	g.parts = w.parts
	if g.Rows > 0 {
		w.load.groups = append(w.load.groups, g)
	}
	w.parts, w.rows, w.weight = nil, 0, 0
	return nil
}

// Discard forgets the rows of the object. Files of its own that were full
// already stay in the store, unreferenced.
func (w *Writer) Discard(ctx context.Context) error {
	switch {
	case w.err != nil:
		return w.err
	case w.object == nil:
		return w.fail(errNoObject)
	}
	w.object = nil
	w.shared.Undo()
	return w.fail(w.large.abort(ctx))
}

// Load returns what came of the objects since it was called last. An object that
// was not ended is an error.
func (w *Writer) Load() (Load, error) {
	switch {
	case w.err != nil:
		return Load{}, w.err
	case w.object != nil:
		return Load{}, w.fail(errOpenObject)
	}
	if err := w.cut(); err != nil {
		return Load{}, err
	}
	l := w.load
	w.load = Load{}
	return l, nil
}

// Abort drops what is not finished, so it may be deferred. It deletes no finished
// file. Every later call fails.
func (w *Writer) Abort(ctx context.Context) error {
	_ = w.fail(errClosed) // for later calls
	w.object = nil
	if w.large == nil {
		return nil
	}
	return w.large.abort(ctx)
}

// fail makes err, or the error before it, that of every later call.
func (w *Writer) fail(err error) error {
	if w.err == nil {
		w.err = err
	}
	return w.err
}
