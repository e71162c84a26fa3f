package parquetfile

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"landfall/internal/column"
	"landfall/internal/parquetfile/pile"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// errNotText: the bytes of a string are not UTF-8. The scanner saw to that, so
// it is a fault of ours.
var errNotText = errors.New("value is not valid UTF-8")

// buffer holds the values of one leaf of the open row group.
type buffer struct {
	column.LeafInfo
	nesting
	kind   kind
	bounds bounds

	runs []run
	// defs and reps are the levels of the runs that have some.
	defs, reps pile.Pieces[uint8]
	// lens and data hold text: the length of each value, and the bytes.
	lens pile.Pieces[int32]
	data pile.Texts
	// The values of other kinds.
	ints   pile.Pieces[int64]
	wide   pile.Pieces[value.Int128]
	floats pile.Pieces[float64]
	bools  pile.Pieces[bool]

	// at is where in the batch the rows begin that are added next, end where
	// they end.
	at, end mark
}

// mark is a place in a leaf of a batch.
type mark struct{ entry, value int }

// run is a stretch of entries that came in one way.
type run struct {
	entries int
	from    from
	// value is the constant.
	value any
}

type from uint8

const (
	nulls from = iota
	constant
	// present: each entry is a value. leveled: levels say which are.
	present
	leveled
)

// kind is how a batch holds the values of a leaf.
type kind uint8

const (
	asText kind = iota
	asInts
	asWide
	asFloats
	asBools
)

func kindOf(t schema.Type) kind {
	if d, ok := t.(schema.Decimal); ok {
		if d.Precision > longDigits {
			return asWide
		}
		return asInts
	}
	switch t {
	case schema.String, schema.Binary:
		return asText
	case schema.Float, schema.Double:
		return asFloats
	case schema.Boolean:
		return asBools
	}
	return asInts
}

// rangeOf bounds the integers of a type.
func rangeOf(t schema.Type) (lo, hi int64) {
	switch t := t.(type) {
	case schema.Decimal:
		if t.Precision <= longDigits {
			most := int64(power(t.Precision).low) - 1
			return -most, most
		}
	case schema.Primitive:
		switch t {
		case schema.Byte:
			return math.MinInt8, math.MaxInt8
		case schema.Short:
			return math.MinInt16, math.MaxInt16
		case schema.Integer, schema.Date:
			return math.MinInt32, math.MaxInt32
		}
	}
	return math.MinInt64, math.MaxInt64
}

// weigh is the memory that rows from..to will take; it sets b.end.
func (b *buffer) weigh(c column.Column, l *column.Leaf, from, to int) int64 {
	n := to - from
	switch {
	case c.Constant != nil:
		v, _ := c.Constant.(string)
		return int64(n + len(v))
	case l != nil:
		b.end = b.after(l, n)
		return leafWeight(l, b.kind, b.at, b.end)
	case c.Text == nil:
		return int64(n)
	}
	b.end = mark{to, to}
	return leafWeight(&column.Leaf{Text: c.Text}, asText, mark{from, from}, b.end)
}

// after returns the place n rows behind b.at.
func (b *buffer) after(l *column.Leaf, n int) mark {
	m := b.at
	if b.MaxRep == 0 {
		m.entry += n
	} else {
		for m.entry++; m.entry < len(l.Reps); m.entry++ {
			if l.Reps[m.entry] == 0 {
				if n--; n == 0 {
					break
				}
			}
		}
	}
	if l.Defs == nil {
		m.value += m.entry - b.at.entry
		return m
	}
	for _, d := range l.Defs[b.at.entry:m.entry] {
		if d == b.MaxDef {
			m.value++
		}
	}
	return m
}

func leafWeight(l *column.Leaf, k kind, from, to mark) int64 {
	const cell = 4
	n, values := int64(to.entry-from.entry)*cell, int64(to.value-from.value)
	if values == 0 {
		return n
	}
	switch k {
	case asText:
		for _, s := range l.Text.Spans[from.value:to.value] {
			n += int64(s.Len())
		}
	case asWide:
		n += 16 * values
	case asInts, asFloats:
		n += 8 * values
	case asBools:
		n += values
	}
	return n
}

// add copies rows from..to, which were weighed before.
func (b *buffer) add(c column.Column, l *column.Leaf, from, to int) error {
	n := to - from
	switch {
	case c.Constant != nil:
		b.extend(run{n, constant, c.Constant})
		b.see(c.Constant)
		return nil
	case l != nil:
		return b.addLeaf(l)
	case c.Text == nil:
		b.extend(run{n, nulls, nil})
		b.bounds.Nulls += int64(n)
		return nil
	}
	return b.addText(c.Text, from, to)
}

// see counts a constant in the bounds.
func (b *buffer) see(v any) {
	switch v := v.(type) {
	case string:
		b.bounds.addText([]byte(v))
	case int64:
		b.bounds.addInt(v)
	case float64:
		b.bounds.addFloat(v)
	case bool:
		b.bounds.addBool(v)
	}
}

// addText copies a column of text, which has null spans.
func (b *buffer) addText(t *column.Text, from, to int) error {
	some := false
	for i := from; i < to; i++ {
		if t.Spans[i].Null() {
			some = true
			b.bounds.Nulls++
			continue
		}
		if err := b.one(t.Value(i)); err != nil {
			return err
		}
	}
	if !some {
		b.extend(run{to - from, present, nil})
		return nil
	}
	b.extend(run{to - from, leveled, nil})
	for i := from; i < to; i++ {
		def := b.MaxDef
		if t.Spans[i].Null() {
			def = 0
		}
		b.defs.Add(def)
	}
	return nil
}

func (b *buffer) one(v []byte) error {
	if b.Type == schema.String && !utf8.Valid(v) {
		return errNotText
	}
	b.lens.Add(int32(len(v)))
	b.data.Put(v)
	if b.bounds.ordered && b.MaxRep == 0 {
		b.bounds.addText(v)
	}
	return nil
}

// addLeaf copies what is between b.at and b.end of a leaf.
func (b *buffer) addLeaf(l *column.Leaf) error {
	from, to := b.at, b.end
	b.at = to
	entries, values := to.entry-from.entry, to.value-from.value
	b.bounds.Nulls += int64(entries - values)
	switch {
	case b.MaxRep == 0 && entries == values:
		b.extend(run{entries, present, nil})
	default:
		b.extend(run{entries, leveled, nil})
		if l.Defs == nil {
			b.defs.Fill(b.MaxDef, entries)
		} else {
			b.defs.Put(l.Defs[from.entry:to.entry])
		}
		if b.MaxRep > 0 {
			b.reps.Put(l.Reps[from.entry:to.entry])
		}
	}
	return b.addValues(l, from.value, to.value)
}

func (b *buffer) addValues(l *column.Leaf, from, to int) error {
	if from == to {
		return nil
	}
	switch b.kind {
	case asText:
		for i := from; i < to; i++ {
			if err := b.one(l.Text.Value(i)); err != nil {
				return err
			}
		}
	case asInts:
		return b.addInts(l.Ints[from:to])
	case asWide:
		return b.addWide(l.Wide[from:to])
	case asFloats:
		return b.addFloats(l.Floats[from:to])
	case asBools:
		for _, v := range l.Bools[from:to] {
			b.bounds.addBool(v)
		}
		b.bools.Put(l.Bools[from:to])
	}
	return nil
}

func (b *buffer) addInts(v []int64) error {
	least, most := v[0], v[0]
	for _, n := range v {
		least, most = min(least, n), max(most, n)
	}
	if lo, hi := rangeOf(b.Type); least < lo || most > hi {
		return fmt.Errorf("values from %d to %d are not all of type %v", least, most, b.Type)
	}
	b.ints.Put(v)
	b.bounds.addInts(least, most)
	return nil
}

func (b *buffer) addWide(v []value.Int128) error {
	d, _ := b.Type.(schema.Decimal) // the kind says so
	limit := power(d.Precision)
	for _, n := range v {
		if !magnitudeOf(n).less(limit) {
			return fmt.Errorf("a value has more digits than type %v", b.Type)
		}
		b.bounds.addWide(n)
	}
	b.wide.Put(v)
	return nil
}

func (b *buffer) addFloats(v []float64) error {
	single := b.Type == schema.Float
	for _, f := range v {
		if single && float64(float32(f)) != f && !math.IsNaN(f) {
			return fmt.Errorf("value %v is not of type %v", f, b.Type)
		}
		b.bounds.addFloat(f)
	}
	b.floats.Put(v)
	return nil
}

func (b *buffer) extend(r run) {
	if n := len(b.runs); n > 0 && b.runs[n-1].from == r.from && b.runs[n-1].value == r.value {
		b.runs[n-1].entries += r.entries
		return
	}
	b.runs = append(b.runs, r)
}

func (b *buffer) reset() {
	clear(b.runs)
	b.runs = b.runs[:0]
	b.defs.Reset()
	b.reps.Reset()
	b.lens.Reset()
	b.data.Reset()
	b.ints.Reset()
	b.wide.Reset()
	b.floats.Reset()
	b.bools.Reset()
}

// repeats tells from the first values whether a dictionary pays: it does for
// constants, when a text comes twice on average, and when a number comes often.
// Numbers with a point have none: Spark's filter on dictionaries loses −0.0.
func (b *buffer) repeats() bool {
	const sample = 16 << 10
	switch b.kind {
	case asFloats, asBools, asWide:
		return false
	case asInts:
		const often = 8
		seen, n := map[int64]struct{}{}, 0
		for _, piece := range b.ints.List() {
			for _, v := range piece[:min(len(piece), sample-n)] {
				seen[v] = struct{}{}
				n++
			}
		}
		if n > 0 {
			return often*len(seen) <= n
		}
	case asText:
		seen, n, data := map[string]struct{}{}, 0, b.data.Reader()
		for _, piece := range b.lens.List() {
			for _, l := range piece[:min(len(piece), sample-n)] {
				seen[string(data.Next(int(l)))] = struct{}{}
				n++
			}
		}
		if n > 0 {
			return 2*len(seen) <= n
		}
	}
	for _, r := range b.runs {
		if r.from == constant {
			return true
		}
	}
	return false
}
