package leaf

import (
	"math"
	"strconv"

	"landfall/internal/column"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// Kind is what a Scalar makes of a value.
type Kind uint8

// The kinds. Integer is of any length; Wall is a clock without a zone.
const (
	None Kind = iota // a type that takes nothing
	Text
	Binary
	Boolean
	Integer
	Float
	Double
	Decimal
	Date
	Instant
	Wall
)

// Scalar takes values of one type without parts.
type Scalar struct {
	Kind  Kind
	forms *value.Forms
	// usual says that no number has another meaning in the forms.
	usual bool
	// strict says that JSON strings are no numbers and no booleans.
	strict bool
	// low and high bound integers.
	low, high        int64
	precision, scale int
}

// Fit says whether a value is one of a type.
type Fit uint8

// Cut values have digits beyond the microsecond: what was added is without them,
// and is taken back by DropCut where that must not be.
const (
	No Fit = iota
	Yes
	Cut
)

// NewScalar returns how values become those of a type. strict says that JSON
// strings are no numbers and no booleans.
func NewScalar(t schema.Type, forms *value.Forms, strict bool) Scalar {
	s := Scalar{forms: forms, usual: forms != nil && forms.Usual(), strict: strict}
	if d, ok := t.(schema.Decimal); ok {
		s.Kind, s.precision, s.scale = Decimal, d.Precision, d.Scale
		return s
	}
	p, _ := t.(schema.Primitive)
	switch p {
	case schema.String:
		s.Kind = Text
	case schema.Binary:
		s.Kind = Binary
	case schema.Boolean:
		s.Kind = Boolean
	case schema.Byte:
		s.Kind, s.low, s.high = Integer, math.MinInt8, math.MaxInt8
	case schema.Short:
		s.Kind, s.low, s.high = Integer, math.MinInt16, math.MaxInt16
	case schema.Integer:
		s.Kind, s.low, s.high = Integer, math.MinInt32, math.MaxInt32
	case schema.Long:
		s.Kind, s.low, s.high = Integer, math.MinInt64, math.MaxInt64
	case schema.Float:
		s.Kind = Float
	case schema.Double:
		s.Kind = Double
	case schema.Date:
		s.Kind = Date
	case schema.Timestamp:
		s.Kind = Instant
	case schema.TimestampNTZ:
		s.Kind = Wall
	}
	return s
}

// Numeric reports whether strict input has no text for it.
func (s *Scalar) Numeric() bool { return s.Kind >= Boolean && s.Kind <= Decimal }

// Text adds the value that text is, but not its levels. It adds nothing if the
// type does not hold it. span locates text in the leaf's data.
func (s *Scalar) Text(l *Builder, text []byte, span column.Span) Fit {
	switch s.Kind {
	case Text, Binary:
		l.text.Spans = append(l.text.Spans, span)
		return Yes
	case Date, Instant, Wall:
		return s.moment(l, text)
	}
	if s.exact(l, text) {
		return Yes
	}
	return No
}

func (s *Scalar) exact(l *Builder, text []byte) bool {
	switch s.Kind {
	case Boolean:
		v, ok := s.forms.Boolean(text)
		return ok && l.putBool(v)
	case Integer:
		v, ok := s.forms.Long(text)
		return ok && v >= s.low && v <= s.high && l.putInt(v)
	case Double:
		v, ok := s.forms.Double(text)
		return ok && l.putFloat(v)
	case Float:
		v, ok := s.forms.Float(text)
		return ok && l.putFloat(float64(v))
	case Decimal:
		v, ok := s.forms.Decimal(text, s.precision, s.scale)
		return ok && l.putDecimal(v)
	default:
		return false
	}
}

func (l *Builder) putBool(v bool) bool {
	l.values.Bools = append(l.values.Bools, v)
	return true
}

func (l *Builder) putInt(v int64) bool {
	l.values.Ints = append(l.values.Ints, v)
	return true
}

func (l *Builder) putFloat(v float64) bool {
	l.values.Floats = append(l.values.Floats, v)
	return true
}

func (l *Builder) putDecimal(v value.Int128) bool {
	if l.store == wides {
		l.values.Wide = append(l.values.Wide, v)
		return true
	}
	return l.putInt(int64(v.Low)) // the sign is in all of its bits
}

// moment adds a day or an instant.
func (s *Scalar) moment(l *Builder, text []byte) Fit {
	var i value.Instant
	var ok bool
	switch s.Kind {
	case Date:
		i.Micros, ok = s.forms.Day(text)
		i.Exact = true
	case Wall:
		i, ok = s.forms.Wall(text)
	default:
		i, ok = s.forms.Instant(text)
	}
	if !ok {
		return No
	}
	l.values.Ints = append(l.values.Ints, i.Micros)
	if !i.Exact {
		return Cut
	}
	return Yes
}

// DropCut takes the value back that was added last, and was cut.
func (l *Builder) DropCut() { l.values.Ints = l.values.Ints[:len(l.values.Ints)-1] }

// number adds a number that stands bare in JSON.
func (s *Scalar) number(l *Builder, raw []byte) bool {
	switch s.Kind {
	case Integer, Decimal:
		return s.exact(l, raw)
	case Double:
		v, ok := s.forms.NumberDouble(raw)
		return ok && l.putFloat(v)
	case Float:
		if s.exact(l, raw) {
			return true
		}
		v, ok := s.forms.NumberDouble(raw)
		return ok && single(v) && l.putFloat(float64(float32(v)))
	default:
		return false
	}
}

// Plains adds values and their levels, outside of arrays, as long as they are plain
// numbers that the type holds, and returns how many it added. It may stop before one
// that Text adds.
func (s *Scalar) Plains(l *Builder, some []column.Plain) (n int) {
	for n < len(some) && some[n].Digits.Known() && s.plain(l, some[n]) {
		n++
	}
	for range n {
		l.There(0)
	}
	return n
}

// plain adds a plain number to the types that most go to. It reports false, and adds
// nothing, too for those it does not look at.
func (s *Scalar) plain(l *Builder, n column.Plain) bool {
	v, after := n.Value, n.Digits.After()
	switch {
	case s.Kind == Double && s.usual:
		return l.putFloat(value.Scaled(v, after))
	case s.Kind != Integer || n.Digits.Scale() > 0:
		return false
	case after > 0:
		v /= int64(value.Power(after))
	}
	return v >= s.low && v <= s.high && l.putInt(v)
}

// numberAt returns the number at a node of which the scanner has told the digits.
func numberAt(data []byte, x *column.Node) column.Plain {
	d, end, n := x.Digits(), int(x.Offset)+int(x.Length), int(x.Length)
	minus := data[x.Offset] == '-'
	if minus {
		n--
	}
	v := uint64(0)
	if after := d.After(); after > 0 {
		v = value.Digits(data, end, after)
		end, n = end-after-1, n-after-1
		v += value.Digits(data, end, n) * value.Power(after)
	} else {
		v = value.Digits(data, end, n)
	}
	if minus {
		return column.Plain{Value: -int64(v), Digits: d}
	}
	return column.Plain{Value: int64(v), Digits: d}
}

// single reports whether a float of 32 bits has the digits of a double.
func single(v float64) bool {
	if v != v {
		return true
	}
	var short, long [32]byte
	return string(strconv.AppendFloat(short[:0], float64(float32(v)), 'e', -1, 32)) ==
		string(strconv.AppendFloat(long[:0], v, 'e', -1, 64))
}

// Node adds the value of a node of a tape, in whose data the leaf lies; else it
// is as Text is.
func (s *Scalar) Node(l *Builder, t *column.Tape, v uint32) Fit {
	x, ok := &t.Nodes[v], false
	switch {
	case s.Kind == Text && x.Kind == column.String && x.Hint != 0 && x.Length <= column.MaxValue: // no escapes
		l.text.Spans = append(l.text.Spans, column.NewSpan(int(x.Offset)+1, int(x.Length)-2, true))
		return Yes
	case s.Kind == Text && x.Kind != column.String:
		if ok = x.Length <= column.MaxValue; ok {
			l.text.Spans = append(l.text.Spans, column.NewSpan(int(x.Offset), int(x.Length), false))
		}
	case x.Kind == column.String:
		if x.Flags&column.Lone != 0 || x.Length > column.MaxValue || s.strict && s.Numeric() {
			return No
		}
		return s.Text(l, t.Text(v), t.Span(v))
	case x.Kind == column.Number:
		if ok = x.Hint != 0 && s.plain(l, numberAt(t.Data, x)); !ok {
			ok = s.number(l, t.Raw(v))
		}
	case x.Kind == column.True, x.Kind == column.False:
		ok = s.Kind == Boolean && l.putBool(x.Kind == column.True)
	}
	if ok {
		return Yes
	}
	return No
}
