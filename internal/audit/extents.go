package audit

import (
	"cmp"
	"math"
	"math/big"
	"strings"

	"landfall/internal/column"
	"landfall/internal/recode"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// extents are what the values of a data file are.
type extents struct {
	rows   int64
	leaves []extent
}

// extent is what the values of one column are, or of a field of a struct: the only
// parts that statistics are about.
type extent struct {
	path  []string
	typ   schema.Type
	nulls int64
	nan   bool
	// One of these has the least value and the greatest.
	ints   span[int64]
	wides  span[value.Int128]
	floats span[float64]
	texts  span[string]
}

// span is from the least value to the greatest; there is none if some is false.
type span[T any] struct {
	low, high T
	some      bool
}

func (s *span[T]) take(v T, compare func(T, T) int) {
	if !s.some || compare(v, s.low) < 0 {
		s.low = v
	}
	if !s.some || compare(v, s.high) > 0 {
		s.high = v
	}
	s.some = true
}

// add takes the rows of a batch of a file that has such fields.
func (x *extents) add(fields []schema.Field, b column.Batch) {
	x.rows += int64(b.Rows)
	at := 0
	for i, f := range fields {
		for n, leaf := range column.Leaves(f.Type, true) {
			if leaf.MaxRep > 0 {
				continue
			}
			if at == len(x.leaves) {
				x.leaves = append(x.leaves, extent{path: append([]string{f.Name}, leaf.Path...), typ: leaf.Type})
			}
			x.leaves[at].add(&b.Columns[i].Leaves[n], leaf.MaxDef)
			at++
		}
	}
}

// add takes the values of a leaf; those that are there have the level whole.
func (e *extent) add(l *column.Leaf, whole uint8) {
	for _, d := range l.Defs {
		if d < whole {
			e.nulls++
		}
	}
	for _, v := range l.Ints {
		e.ints.take(v, cmp.Compare)
	}
	for _, v := range l.Bools {
		e.ints.take(truth(v), cmp.Compare)
	}
	for _, v := range l.Wide {
		e.wides.take(v, func(a, b value.Int128) int { return cmp.Or(cmp.Compare(a.High, b.High), cmp.Compare(a.Low, b.Low)) })
	}
	for _, v := range l.Floats {
		if e.nan = e.nan || math.IsNaN(v); !math.IsNaN(v) {
			e.floats.take(v, cmp.Compare)
		}
	}
	if l.Text == nil || e.typ != schema.Type(schema.String) {
		return
	}
	for i := range l.Text.Spans {
		// Texts are lent: those that are kept are copies.
		if v := l.Text.Value(i); !e.texts.some || string(v) < e.texts.low || string(v) > e.texts.high {
			e.texts.take(string(v), strings.Compare)
		}
	}
}

// truth is a boolean as a number.
func truth(v bool) int64 {
	if v {
		return 1
	}
	return 0
}

// end is the least value of a column or the greatest: a text, or a number, of which
// times are µs since 1970. The zero value is none.
type end struct {
	// shown is the value in the words of its type.
	shown  string
	text   bool
	number *big.Rat
	// outside says that it is less or greater than all numbers.
	outside bool
}

// ends are the least value and the greatest. NaN counts as the greatest, as Spark has it.
func (e *extent) ends() (low, high end) {
	switch {
	case e.texts.some:
		return end{shown: e.texts.low, text: true}, end{shown: e.texts.high, text: true}
	case e.ints.some:
		return e.integer(e.ints.low), e.integer(e.ints.high)
	case e.wides.some:
		return e.wide(e.wides.low), e.wide(e.wides.high)
	case e.floats.some:
		low, high = e.float(e.floats.low), e.float(e.floats.high)
	}
	if e.nan {
		high = e.float(math.NaN())
	}
	return low, high
}

// integer is a value that a leaf has as 64 bits, or a boolean.
func (e *extent) integer(v int64) end {
	const perDay = 86_400_000_000
	n := big.NewInt(v)
	if e.typ == schema.Type(schema.Date) {
		n.Mul(n, big.NewInt(perDay))
	}
	return end{shown: e.text(column.Leaf{Ints: []int64{v}, Bools: []bool{v != 0}}), number: e.unscaled(n)}
}

func (e *extent) wide(v value.Int128) end {
	n := new(big.Int).Lsh(big.NewInt(v.High), 64)
	n.Add(n, new(big.Int).SetUint64(v.Low))
	return end{shown: e.text(column.Leaf{Wide: []value.Int128{v}}), number: e.unscaled(n)}
}

func (e *extent) float(v float64) end {
	n := new(big.Rat).SetFloat64(v)
	return end{shown: e.text(column.Leaf{Floats: []float64{v}}), number: n, outside: n == nil}
}

// unscaled is the number whose digits these are in a decimal.
func (e *extent) unscaled(digits *big.Int) *big.Rat {
	d, _ := e.typ.(schema.Decimal)
	return new(big.Rat).SetFrac(digits, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.Scale)), nil))
}

func (e *extent) text(l column.Leaf) string {
	text, _ := recode.AppendText(nil, e.typ, &l, 0)
	return string(text)
}
