package parquetfile

import (
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/parquetfile/logical"
	"landfall/internal/value"
)

const (
	// windowEntries is how many entries are decoded at once at most, fewer where
	// there are many columns.
	windowEntries = 1024
	leastEntries  = 64
	allEntries    = 1 << 20
	// windowBytes is how much text is taken at once.
	windowBytes = 4 << 20
)

var errShort = errors.New("the column ends before its row group does")

// leafScan decodes a leaf of the row groups of a file. It holds the rows that are
// decoded but not yet gone, in the order of the file.
type leafScan struct {
	*logical.Leaf
	src   *source
	chunk file.ColumnChunkReader
	read  func(defs, reps []int16) (levels int, values any, err error)
	// defs and reps are room for a window, waiting is what of it is not yet held.
	defs, reps []int16
	waiting    window

	// held is what is decoded: whole rows, and perhaps the beginning of one.
	held column.Leaf
	// entries and values are what held holds.
	entries, values int
	// rows is the number of whole rows, begun that of rows which began.
	rows, begun int
	ended       bool
	// taken is what of held is gone with the batch that is out.
	taken extent
	tally tally
}

// extent is the length of some rows of a leaf.
type extent struct{ rows, entries, values int }

// reset begins a row group: what the last one left over is gone.
func (l *leafScan) reset(entries int) {
	if len(l.defs) != entries {
		l.defs, l.reps = make([]int16, entries), make([]int16, entries)
	}
	l.waiting = window{}
	l.taken = extent{l.rows, l.entries, l.values}
	l.shift()
	l.rows, l.begun, l.ended = 0, 0, false
}

// weight is the memory that held takes.
func (l *leafScan) weight() int {
	n := 2*l.entries + 8*l.values
	if l.held.Text != nil {
		n += len(l.held.Text.Data)
	}
	if l.held.Wide != nil {
		n += 8 * l.values
	}
	return n
}

// fill decodes until there are n whole rows, or one at least and as many bytes.
func (l *leafScan) fill(n, bytes int) error {
	for l.rows < n && (l.rows == 0 || l.weight() < bytes) {
		if l.ended {
			return l.src.broken(errShort)
		}
		if l.rows == 0 && l.weight() > maxRowBytes {
			return diag.New(diag.RecordTooLong, "found a row of more than %d MiB in one column, want a shorter one", maxRowBytes>>20).
				Hinted("split the row, or leave the column out")
		}
		size := len(l.defs)
		if l.MaxRep == 0 {
			size = min(size, n-l.rows)
		}
		if err := l.window(size); err != nil {
			return err
		}
	}
	return nil
}

// more tells whether the chunk has more entries.
func (l *leafScan) more() bool { return len(l.waiting.defs) > 0 || !l.ended && l.chunk.HasNext() }

// window decodes up to size entries, fewer where their texts are long: a
// dictionary makes many long texts of few bytes.
func (l *leafScan) window(size int) error {
	if len(l.waiting.defs) == 0 {
		if !l.chunk.HasNext() {
			if err := l.chunk.Err(); err != nil {
				return l.src.broken(err)
			}
			l.ended = true
			l.rows = l.begun
			return nil
		}
		levels, values, err := l.read(l.defs[:size], l.reps[:size])
		if err != nil {
			return l.src.broken(err)
		}
		if levels <= 0 || levels > size {
			return l.src.broken(errors.New("page without values"))
		}
		l.waiting = window{l.defs[:levels], l.reps[:levels], values}
	}
	d := l.chunk.Descriptor()
	now := l.waiting.cut(size, d.MaxDefinitionLevel())
	return l.add(now, d.MaxDefinitionLevel(), d.MaxRepetitionLevel())
}

// window is a run of entries as the decoder gives them. Values may lend memory of
// the page.
type window struct {
	defs, reps []int16
	values     any
}

// cut takes up to n entries from the front, of about windowBytes of text. Other
// values are small and pass at once.
func (w *window) cut(n int, maxDef int16) window {
	switch v := w.values.(type) {
	case []parquet.ByteArray:
		return cutTexts(w, v, n, maxDef)
	case []parquet.FixedLenByteArray:
		return cutTexts(w, v, n, maxDef)
	}
	now := *w
	*w = window{}
	return now
}

func cutTexts[T parquet.ByteArray | parquet.FixedLenByteArray](w *window, texts []T, n int, maxDef int16) window {
	bytes, values, at := 0, 0, 0
	for ; at < min(n, len(w.defs)) && bytes < windowBytes; at++ {
		if maxDef > 0 && w.defs[at] != maxDef {
			continue
		}
		if values < len(texts) {
			bytes += len(texts[values])
		}
		values++
	}
	values = min(values, len(texts))
	now := window{w.defs[:at], w.reps[:at], texts[:values]}
	*w = window{w.defs[at:], w.reps[at:], texts[values:]}
	return now
}

// add adds entries with their levels, as the file has them, and values.
func (l *leafScan) add(w window, maxDef, maxRep int16) error {
	defs, before := w.defs, l.values
	want := len(defs)
	if maxDef > 0 {
		n, err := l.addDefs(defs, maxDef)
		if err != nil {
			return err
		}
		want = n
	} else {
		l.held.Defs = appendSame(l.held.Defs, l.MaxDef, len(defs))
	}
	if maxRep > 0 {
		if err := l.addReps(w.reps, maxRep); err != nil {
			return err
		}
	} else {
		l.begun += len(defs)
		l.rows = l.begun
	}
	l.entries += len(defs)
	l.values += want
	tally, err := l.Append(&l.held, w.values)
	if err != nil {
		if f := (*logical.Fault)(nil); errors.As(err, &f) {
			f.Index += before
		}
		return err
	}
	if found := lengthOfValues(&l.held); found != l.values {
		return l.src.broken(fmt.Errorf("found %d values, the levels say %d", found-before, want))
	}
	l.count(tally, before)
	return nil
}

func appendSame(to []uint8, level uint8, n int) []uint8 {
	to = slices.Grow(to, n)
	for range n {
		to = append(to, level)
	}
	return to
}

// addDefs returns how many of the entries are values.
func (l *leafScan) addDefs(defs []int16, maxDef int16) (values int, err error) {
	for _, d := range defs {
		level, ok := l.Level(d)
		switch {
		case !ok:
			return 0, l.src.broken(fmt.Errorf("found definition level %d, want up to %d", d, maxDef))
		case level == logical.NullKey:
			return 0, diag.New(diag.FileUnreadable, "found a null as the key of a map, want a key").
				Hinted("write the column as an array of structs, or give every entry a key")
		}
		if d == maxDef {
			values++
		}
		l.held.Defs = append(l.held.Defs, level)
	}
	return values, nil
}

// addReps counts the rows: all that began before the last are whole.
func (l *leafScan) addReps(reps []int16, maxRep int16) error {
	for _, r := range reps {
		if r < 0 || r > maxRep || r > 0 && l.begun == 0 {
			return l.src.broken(fmt.Errorf("found repetition level %d, want up to %d and 0 first", r, maxRep))
		}
		if r == 0 {
			l.begun++
		}
		l.held.Reps = append(l.held.Reps, uint8(r))
	}
	l.rows = max(l.begun-1, 0)
	return nil
}

func lengthOfValues(l *column.Leaf) int {
	n := 0
	for k := asText; k <= asBools; k++ {
		n += lengthOf(l, k)
	}
	return n
}

// take lends n rows.
func (l *leafScan) take(n int) column.Leaf {
	l.taken = l.extent(n)
	e := l.taken
	h := &l.held
	out := column.Leaf{}
	if l.MaxRep > 0 {
		out.Reps = h.Reps[:e.entries]
	}
	if l.MaxRep > 0 || e.values < e.entries {
		out.Defs = h.Defs[:e.entries]
	}
	switch {
	case h.Text != nil:
		out.Text = &column.Text{Data: h.Text.Data, Spans: h.Text.Spans[:e.values]}
	case h.Ints != nil:
		out.Ints = h.Ints[:e.values]
	case h.Wide != nil:
		out.Wide = h.Wide[:e.values]
	case h.Floats != nil:
		out.Floats = h.Floats[:e.values]
	case h.Bools != nil:
		out.Bools = h.Bools[:e.values]
	}
	return out
}

// extent measures the first n rows.
func (l *leafScan) extent(n int) extent {
	if n == l.begun {
		return extent{n, l.entries, l.values}
	}
	e := extent{rows: n, entries: n}
	if l.MaxRep > 0 {
		rows := 0
		e.entries = slices.IndexFunc(l.held.Reps, func(r uint8) bool {
			if r == 0 {
				rows++
			}
			return rows > n
		})
	}
	for _, d := range l.held.Defs[:e.entries] {
		if d == l.MaxDef {
			e.values++
		}
	}
	return e
}

// rowOf returns the row of held in which value i stands.
func (l *leafScan) rowOf(i int) int {
	rows := -1
	for at, d := range l.held.Defs {
		if l.MaxRep == 0 || l.held.Reps[at] == 0 {
			rows++
		}
		if d == l.MaxDef {
			if i--; i < 0 {
				break
			}
		}
	}
	return max(rows, 0)
}

// shift drops the rows that were taken. What is left moves to the front.
func (l *leafScan) shift() {
	t := l.taken
	l.taken = extent{}
	h := &l.held
	h.Defs = h.Defs[:copy(h.Defs, h.Defs[t.entries:])]
	if l.MaxRep > 0 {
		h.Reps = h.Reps[:copy(h.Reps, h.Reps[t.entries:])]
	}
	h.Ints = drop(h.Ints, t.values)
	h.Wide = drop(h.Wide, t.values)
	h.Floats = drop(h.Floats, t.values)
	h.Bools = drop(h.Bools, t.values)
	if h.Text != nil {
		shiftText(h.Text, t.values)
	}
	l.rows -= t.rows
	l.begun -= t.rows
	l.entries -= t.entries
	l.values -= t.values
}

func drop[T int64 | value.Int128 | float64 | bool](s []T, n int) []T {
	if s == nil {
		return nil
	}
	return s[:copy(s, s[n:])]
}

// shiftText drops the first n values with their bytes, which stand in order.
func shiftText(t *column.Text, n int) {
	if n == 0 {
		return
	}
	from := len(t.Data)
	if n < len(t.Spans) {
		from = t.Spans[n].Offset()
	}
	t.Data = t.Data[:copy(t.Data, t.Data[from:])]
	left := t.Spans[n:]
	for i, s := range left {
		t.Spans[i] = column.NewSpan(s.Offset()-from, s.Len(), s.Quoted())
	}
	t.Spans = t.Spans[:len(left)]
}
