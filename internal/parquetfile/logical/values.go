package logical

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/parquet"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// Fault is a value that a table cannot have, or that the file's own type lacks.
type Fault struct {
	Code diag.Code
	// Index is that of the value among those that were appended.
	Index int
	// Message is in the form of a diagnostic's: found, wanted.
	Message string
}

func (f *Fault) Error() string { return f.Message }

// Tally counts values that came out other than they were written.
type Tally struct {
	// Cut counts instants whose nanoseconds were cut, Rebased days and instants
	// of the Julian calendar.
	Cut, Rebased int64
	// FirstCut and FirstRebased are indexes among the values of the call.
	FirstCut, FirstRebased int
}

func (t *Tally) cut(i int) {
	if t.Cut++; t.Cut == 1 {
		t.FirstCut = i
	}
}

func (t *Tally) rebased(i int) {
	if t.Rebased++; t.Rebased == 1 {
		t.FirstRebased = i
	}
}

// Append adds the values of a leaf, as the decoder gives them ([]int32,
// []parquet.ByteArray, …), to dst, which keeps none of their memory; those that its
// type does not hold are among its Flaws. The error is a *Fault; what was added
// then is of no use.
func (l *Leaf) Append(dst *column.Leaf, values any) (t Tally, err error) {
	f := &l.form
	switch v := values.(type) {
	case []bool:
		if f.kind == asBools {
			dst.Bools = append(dst.Bools, v...)
			return t, nil
		}
		return t, f.misplaced(len(v))
	case []float32:
		if f.kind != asFloats {
			return t, f.misplaced(len(v))
		}
		for _, x := range v {
			dst.Floats = append(dst.Floats, float64(x))
		}
	case []float64:
		if f.kind != asFloats {
			return t, f.misplaced(len(v))
		}
		dst.Floats = append(dst.Floats, v...)
	case []int32:
		err = appendInts(f, dst, v, &t)
	case []int64:
		err = appendInts(f, dst, v, &t)
	case []parquet.Int96:
		err = f.int96(dst, v, &t)
	case []parquet.ByteArray:
		err = appendBytes(f, dst, v)
	case []parquet.FixedLenByteArray:
		err = appendBytes(f, dst, v)
	default:
		err = fmt.Errorf("no leaf holds %T", values)
	}
	return t, err
}

// misplaced says that a leaf has values of a form that its type has not.
func (f *form) misplaced(n int) error {
	if n == 0 {
		return nil
	}
	return f.fault(0, "found a value, want %s", f.physical)
}

func (f *form) fault(i int, format string, args ...any) error {
	return &Fault{diag.FileUnreadable, i, fmt.Sprintf(format, args...)}
}

func (f *form) outside(i int, v any) error {
	return f.fault(i, "found %v, want a value of %s", v, f.physical)
}

func appendInts[T int32 | int64](f *form, dst *column.Leaf, values []T, t *Tally) error {
	switch f.kind {
	case asInts:
		for i, v := range values {
			n := int64(v)
			if n < f.lo || n > f.hi {
				return f.outside(i, n)
			}
			dst.Ints = append(dst.Ints, n)
		}
	case asUnsigned:
		return appendUnsigned(f, dst, values)
	case asDecimal:
		return appendDecimals(f, dst, values)
	case asDate:
		for i, v := range values {
			n := int64(v)
			if f.julian && n < firstSwitch {
				n = rebaseDay(n)
				t.rebased(i)
			}
			dst.Ints = append(dst.Ints, n)
		}
	case asTime:
		for i, v := range values {
			text, ok := timeOf(int64(v), f.unit)
			if !ok {
				return f.outside(i, v)
			}
			appendText(dst, text)
		}
	case asInstant:
		for i, v := range values {
			if err := f.instant(dst, i, int64(v), t); err != nil {
				return err
			}
		}
	default:
		return f.misplaced(len(values))
	}
	return nil
}

// appendUnsigned reads the bits as a number without sign.
func appendUnsigned[T int32 | int64](f *form, dst *column.Leaf, values []T) error {
	for i, v := range values {
		switch n := any(v).(type) {
		case int32:
			u := int64(uint32(n))
			if u > f.hi {
				return f.outside(i, u)
			}
			dst.Ints = append(dst.Ints, u)
		case int64:
			dst.Wide = append(dst.Wide, value.Int128{Low: uint64(n)})
		}
	}
	return nil
}

func appendDecimals[T int32 | int64](f *form, dst *column.Leaf, values []T) error {
	d, _ := f.t.(schema.Decimal)
	for i, v := range values {
		if err := f.addDecimal(dst, i, value.Int128{High: int64(v) >> 63, Low: uint64(v)}, d.Precision); err != nil {
			return err
		}
	}
	return nil
}

const longDigits = 18

// addDecimal adds a decimal of the precision, which it may exceed.
func (f *form) addDecimal(dst *column.Leaf, i int, v value.Int128, precision int) error {
	if !within(v, precision) {
		return f.fault(i, "found a decimal of more than %d digits, want a value of %s", precision, f.physical)
	}
	if precision <= longDigits {
		dst.Ints = append(dst.Ints, int64(v.Low))
	} else {
		dst.Wide = append(dst.Wide, v)
	}
	return nil
}

// within tells whether a number has at most so many digits.
func within(v value.Int128, digits int) bool {
	high, low := uint64(v.High), v.Low
	if v.High < 0 {
		var borrow uint64
		low, borrow = bits.Sub64(0, low, 0)
		high, _ = bits.Sub64(0, high, borrow)
	}
	limitHigh, limitLow := uint64(0), uint64(1)
	for range digits {
		carry, l := bits.Mul64(limitLow, 10)
		limitHigh, limitLow = limitHigh*10+carry, l
	}
	return high < limitHigh || high == limitHigh && low < limitLow
}

// instant adds a timestamp in the unit of the form.
func (f *form) instant(dst *column.Leaf, i int, v int64, t *Tally) error {
	nanos := 0
	switch f.unit {
	case 1e3:
		if v > maxInt64/1000 || v < minInt64/1000 {
			return f.outside(i, v)
		}
		v *= 1000
	case 1e9:
		micros := floorDiv(v, 1000)
		nanos = int(v - micros*1000)
		v = micros
	}
	if f.wall && f.calendar.Clocks != nil {
		at, ok := value.WallInstant(v, f.calendar.Clocks)
		if !ok {
			dst.Flaws = append(dst.Flaws, column.Flaw{Value: len(dst.Ints), Kind: column.Skipped, Nanos: nanos})
			dst.Ints = append(dst.Ints, v)
			return nil
		}
		v = at
	}
	f.micros(dst, i, v, nanos, t)
	return nil
}

// wallText writes a wall clock.
func wallText(micros int64) string {
	return time.UnixMicro(micros).UTC().Format("2006-01-02T15:04:05.999999")
}

// micros adds an instant, rebased if the writer's calendar asks for it, of which
// some nanoseconds are cut.
func (f *form) micros(dst *column.Leaf, i int, v int64, nanos int, t *Tally) {
	if nanos != 0 {
		t.cut(i)
		dst.Flaws = append(dst.Flaws, column.Flaw{Value: len(dst.Ints), Kind: column.Cut, Nanos: nanos})
	}
	if f.julian {
		if r := f.calendar.rebaseMicros(v); r != v {
			v = r
			t.rebased(i)
		}
	}
	dst.Ints = append(dst.Ints, v)
}

// int96 adds timestamps of a Julian day number and nanoseconds of the day.
func (f *form) int96(dst *column.Leaf, values []parquet.Int96, t *Tally) error {
	const day1970 = 2440588
	if f.kind != asInstant {
		return f.misplaced(len(values))
	}
	for i, v := range values {
		nanos := int64(binary.LittleEndian.Uint64(v[:8]))
		day := int64(int32(binary.LittleEndian.Uint32(v[8:]))) - day1970
		micros := floorDiv(nanos, 1000)
		high, low := bits.Mul64(uint64(max(day, -day)), microsPerDay)
		far := high != 0 || low > maxInt64/2 || micros > maxInt64/2
		if far && nanos >= 0 {
			return f.outside(i, fmt.Sprintf("day %d, %d ns", day, nanos))
		}
		// Of years that 64 bits of microseconds hold and days of 32 bits do not,
		// Spark writes what its sums wrapped to, with negative nanoseconds; the
		// same sums lead back.
		f.micros(dst, i, day*microsPerDay+micros, int(nanos-micros*1000), t)
	}
	return nil
}

func appendBytes[T parquet.ByteArray | parquet.FixedLenByteArray](f *form, dst *column.Leaf, values []T) error {
	for i, v := range values {
		switch f.kind {
		case asText:
			if !utf8.Valid(v) {
				dst.Flaws = append(dst.Flaws, column.Flaw{Value: spans(dst), Kind: column.NotText})
			}
			appendText(dst, []byte(v))
		case asBytes:
			appendText(dst, []byte(v))
		case asUUID:
			if len(v) != 16 {
				return f.outside(i, fmt.Sprintf("%d bytes", len(v)))
			}
			appendText(dst, uuid(v))
		case asHalf:
			if len(v) != 2 {
				return f.outside(i, fmt.Sprintf("%d bytes", len(v)))
			}
			dst.Floats = append(dst.Floats, half(binary.LittleEndian.Uint16(v)))
		case asDecimal:
			n, ok := wide(v)
			d, _ := f.t.(schema.Decimal)
			if !ok {
				return f.outside(i, fmt.Sprintf("%d bytes", len(v)))
			}
			if err := f.addDecimal(dst, i, n, d.Precision); err != nil {
				return err
			}
		default:
			return f.outside(i, fmt.Sprintf("%d bytes", len(v)))
		}
	}
	return nil
}

func spans(l *column.Leaf) int {
	if l.Text == nil {
		return 0
	}
	return len(l.Text.Spans)
}

// Fault says of a flaw what is wrong with the value, where nobody keeps it; nil of
// one that is only cut.
func (l *Leaf) Fault(from *column.Leaf, flaw column.Flaw) error {
	switch flaw.Kind {
	case column.NotText:
		text := diag.Quote(string(from.Text.Value(flaw.Value)))
		return &Fault{diag.Encoding, flaw.Value, fmt.Sprintf("found bytes that are not UTF-8 in %s: %s", l.form.physical, text)}
	case column.Skipped:
		return &Fault{diag.FileUnreadable, flaw.Value, fmt.Sprintf("found %s, want a time that clocks of %s show",
			wallText(from.Ints[flaw.Value]), l.form.calendar.Clocks)}
	default:
		return nil
	}
}
