// Package leaf decodes one leaf column of a Parquet file, batch by batch.
//
// A [Scan] holds what is decoded and not yet gone: leaves advance at their own
// pace, and a batch takes as many rows as all of them have. What comes out of the
// decoder is checked as far as one leaf can be: levels within their bounds, as
// many values as the levels say.
package leaf

import (
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/parquetfile/logical"
)

const (
	// windowEntries is how many entries are decoded at once at most, fewer where
	// there are many columns.
	windowEntries = 1024
	leastEntries  = 64
	allEntries    = 1 << 20
	// windowBytes is how much text is taken at once.
	windowBytes = 4 << 20
	// flawSize is the memory that one flaw takes.
	flawSize = 24
	// maxRowBytes bounds a row, which is held whole.
	maxRowBytes = 256 << 20
)

var (
	errShort = errors.New("the column ends before its row group does")
	errLong  = errors.New("the column holds more rows than its row group")
)

// Scan decodes a leaf of the row groups of a file. It holds the rows that are
// decoded but not yet gone, in the order of the file.
type Scan struct {
	*logical.Leaf
	// Strict says that values which the leaf does not hold end the reading, all but
	// instants whose nanoseconds are cut: nobody keeps them.
	Strict bool

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
	taken   extent
	changes Changes
}

// extent is the length of some rows of a leaf.
type extent struct{ rows, entries, values int }

// Open begins a chunk of a file of so many leaves: what the last one left over
// is gone.
func (s *Scan) Open(chunk file.ColumnChunkReader, encodings []parquet.Encoding, leaves int) error {
	entries := min(max(allEntries/leaves, leastEntries), windowEntries)
	if slices.Contains(encodings, parquet.Encodings.DeltaByteArray) {
		entries = leastEntries // each text is made of the one before, however long
	}
	if len(s.defs) != entries {
		s.defs, s.reps = make([]int16, entries), make([]int16, entries)
	}
	s.waiting = window{}
	s.taken = extent{s.rows, s.entries, s.values}
	s.Shift()
	s.rows, s.begun, s.ended = 0, 0, false
	var err error
	s.chunk = chunk
	s.read, err = readerOf(chunk, entries)
	return err
}

// Close gives the memory of the chunk back; what is decoded stays.
func (s *Scan) Close() {
	if s.chunk != nil {
		_ = s.chunk.Close() // it closes nothing but memory
		s.chunk = nil
	}
}

// Rows is the number of whole rows that are decoded.
func (s *Scan) Rows() int { return s.rows }

// Finish sees that the chunk holds no more rows than were taken.
func (s *Scan) Finish() error {
	switch {
	case s.chunk == nil:
		return nil
	case s.rows > s.taken.rows || len(s.waiting.defs) > 0 || !s.ended && s.chunk.HasNext():
		return errLong
	}
	return s.chunk.Err()
}

// Weight is the memory that held takes.
func (s *Scan) Weight() int {
	n := 2*s.entries + 8*s.values
	if s.held.Text != nil {
		n += len(s.held.Text.Data)
	}
	if s.held.Wide != nil {
		n += 8 * s.values
	}
	return n + flawSize*len(s.held.Flaws)
}

// Fill decodes until there are n whole rows, or one at least and as many bytes.
func (s *Scan) Fill(n, bytes int) error {
	for s.rows < n && (s.rows == 0 || s.Weight() < bytes) {
		if s.ended {
			return errShort
		}
		if s.rows == 0 && s.Weight() > maxRowBytes {
			return diag.New(diag.RecordTooLong, "found a row of more than %d MiB in one column, want a shorter one", maxRowBytes>>20).
				Hinted("split the row, or leave the column out")
		}
		size := len(s.defs)
		if s.MaxRep == 0 {
			size = min(size, n-s.rows)
		}
		if err := s.window(size); err != nil {
			return err
		}
	}
	return nil
}

// window decodes up to size entries, fewer where their texts are long: a
// dictionary makes many long texts of few bytes.
func (s *Scan) window(size int) error {
	if len(s.waiting.defs) == 0 {
		if !s.chunk.HasNext() {
			if err := s.chunk.Err(); err != nil {
				return err
			}
			s.ended = true
			s.rows = s.begun
			return nil
		}
		levels, values, err := s.read(s.defs[:size], s.reps[:size])
		if err != nil {
			return err
		}
		if levels <= 0 || levels > size {
			return errors.New("page without values")
		}
		s.waiting = window{s.defs[:levels], s.reps[:levels], values}
	}
	d := s.chunk.Descriptor()
	now := s.waiting.cut(size, d.MaxDefinitionLevel())
	return s.add(now, d.MaxDefinitionLevel(), d.MaxRepetitionLevel())
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
func (s *Scan) add(w window, maxDef, maxRep int16) error {
	defs, before := w.defs, s.values
	want := len(defs)
	if maxDef > 0 {
		n, err := s.addDefs(defs, maxDef)
		if err != nil {
			return err
		}
		want = n
	} else {
		s.held.Defs = appendSame(s.held.Defs, s.MaxDef, len(defs))
	}
	if maxRep > 0 {
		if err := s.addReps(w.reps, maxRep); err != nil {
			return err
		}
	} else {
		s.begun += len(defs)
		s.rows = s.begun
	}
	s.entries += len(defs)
	s.values += want
	tally, err := s.Append(&s.held, w.values)
	if err != nil {
		if f := (*logical.Fault)(nil); errors.As(err, &f) {
			f.Index += before
		}
		return err
	}
	if found := lengthOfValues(&s.held); found != s.values {
		return fmt.Errorf("found %d values, the levels say %d", found-before, want)
	}
	s.count(tally, before)
	return s.refuse()
}

// refuse forgets the flaws where nobody keeps what they are of.
func (s *Scan) refuse() error {
	if !s.Strict {
		return nil
	}
	for _, f := range s.held.Flaws {
		if err := s.Fault(&s.held, f); err != nil {
			return err
		}
	}
	s.held.Flaws = nil
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
func (s *Scan) addDefs(defs []int16, maxDef int16) (values int, err error) {
	for _, d := range defs {
		level, ok := s.Level(d)
		switch {
		case !ok:
			return 0, fmt.Errorf("found definition level %d, want up to %d", d, maxDef)
		case level == logical.NullKey:
			return 0, diag.New(diag.FileUnreadable, "found a null as the key of a map, want a key").
				Hinted("write the column as an array of structs, or give every entry a key")
		}
		if d == maxDef {
			values++
		}
		s.held.Defs = append(s.held.Defs, level)
	}
	return values, nil
}

// addReps counts the rows: all that began before the last are whole.
func (s *Scan) addReps(reps []int16, maxRep int16) error {
	for _, r := range reps {
		if r < 0 || r > maxRep || r > 0 && s.begun == 0 {
			return fmt.Errorf("found repetition level %d, want up to %d and 0 first", r, maxRep)
		}
		if r == 0 {
			s.begun++
		}
		s.held.Reps = append(s.held.Reps, uint8(r))
	}
	s.rows = max(s.begun-1, 0)
	return nil
}

func lengthOfValues(l *column.Leaf) int {
	n := len(l.Ints) + len(l.Wide) + len(l.Floats) + len(l.Bools)
	if l.Text != nil {
		n += len(l.Text.Spans)
	}
	return n
}

// Take lends n rows.
func (s *Scan) Take(n int) column.Leaf {
	s.taken = s.extent(n)
	e := s.taken
	h := &s.held
	out := column.Leaf{}
	if s.MaxRep > 0 {
		out.Reps = h.Reps[:e.entries]
	}
	if s.MaxRep > 0 || e.values < e.entries {
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
	out.Flaws = h.Flaws[:s.flaws(e.values)]
	return out
}

// flaws counts those among the first n values.
func (s *Scan) flaws(n int) int {
	i, _ := slices.BinarySearchFunc(s.held.Flaws, n, func(f column.Flaw, n int) int { return f.Value - n })
	return i
}

// extent measures the first n rows.
func (s *Scan) extent(n int) extent {
	if n == s.begun {
		return extent{n, s.entries, s.values}
	}
	e := extent{rows: n, entries: n}
	if s.MaxRep > 0 {
		rows := 0
		e.entries = slices.IndexFunc(s.held.Reps, func(r uint8) bool {
			if r == 0 {
				rows++
			}
			return rows > n
		})
	}
	for _, d := range s.held.Defs[:e.entries] {
		if d == s.MaxDef {
			e.values++
		}
	}
	return e
}

// Row returns the row of held in which value i stands.
func (s *Scan) Row(i int) int {
	rows := -1
	for at, d := range s.held.Defs {
		if s.MaxRep == 0 || s.held.Reps[at] == 0 {
			rows++
		}
		if d == s.MaxDef {
			if i--; i < 0 {
				break
			}
		}
	}
	return max(rows, 0)
}
