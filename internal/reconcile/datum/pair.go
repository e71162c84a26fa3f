package datum

import (
	"time"

	"landfall/internal/schema"
	"landfall/internal/value"
)

// Pair is a scalar type of a file and the type that the copy has in its place: what
// their values are brought into before they are compared. Both sides go through the
// same function, so that what is equal before is equal after, and what differs
// differs: two texts are one value only where they stand for one number, day or
// instant of the other type.
type Pair struct {
	// Form is what values are brought into; it is read only.
	Form Form
	// read reads a text that stands for a value of another kind; nil if texts stand
	// for themselves.
	read Reader
	// single says that floats which are brought into digits have 32 bits.
	single bool
	zone   *time.Location
}

// NewPair pairs the type that a file has with that of the copy, nil for no place at
// all there, or one that takes no scalars. The zone is where days begin and clocks stand
// that name none; nil is UTC.
func NewPair(file, copied schema.Type, zone *time.Location) *Pair {
	p := &Pair{zone: zone, single: file == schema.Type(schema.Float) || copied == schema.Type(schema.Float)}
	if file == schema.Type(schema.Unknown) && copied != nil {
		file = copied // of which it has no value
	}
	from := FormOf(file)
	p.Form = from
	if from.Kind != Text {
		p.read = ReadOwn(file)
	}
	if copied == nil {
		return p
	}
	switch to := FormOf(copied); {
	case to.Kind == Text:
	case from.Kind == Text:
		p.Form, p.read = to, ReadForms(copied, zone)
	case from.Kind == to.Kind:
		p.Form.Scale = max(from.Scale, to.Scale)
	case from.Kind == Float && to.Kind == Whole:
		p.Form = to
	case from.Kind.moment() && to.Kind.moment():
		p.Form.Kind = max(from.Kind, to.Kind)
	}
	return p
}

func (k Kind) moment() bool { return k == Day || k == Instant || k == Clock }

// Bring brings a value into the form. What has no place in it comes back as it is, but
// without zeros at its end.
func (p *Pair) Bring(d Value) Value {
	if p.Form.Is(&d) {
		return d
	}
	if d.Kind == Text && p.read != nil {
		if out, ok := p.read(d.Text); ok {
			return p.Bring(out)
		}
		return d
	}
	if out, ok := p.convert(d); ok {
		return out
	}
	for d.Kind == Whole && d.Scale > 0 {
		less, ok := d.rescale(d.Scale - 1)
		if !ok {
			break
		}
		d = less
	}
	return d
}

// convert brings a value that is no text into the form.
func (p *Pair) convert(d Value) (Value, bool) {
	switch {
	case p.Form.Kind == Whole && d.Kind == Whole:
		return d.rescale(p.Form.Scale)
	case p.Form.Kind == Whole && d.Kind == Float:
		return d.digits(p.Form.Scale, p.single)
	case p.Form.Kind == Float && d.Kind == Whole:
		return d.float()
	case p.Form.Kind == Instant && d.Kind == Day:
		at, ok := value.DayInstant(int64(d.N.Low), p.zone)
		return Of(Instant, at), ok
	case p.Form.Kind == Clock && d.Kind == Day:
		at, ok := value.DayInstant(int64(d.N.Low), nil)
		return Of(Clock, at), ok
	case p.Form.Kind == Clock && d.Kind == Instant:
		at, ok := value.InstantWall(int64(d.N.Low), p.zone)
		return Of(Clock, at), ok
	}
	return d, false
}

// Pad has texts with zeros in front read as integers, too, as those of folders are.
func (p *Pair) Pad() {
	read := p.read
	if read == nil || p.Form != (Form{Kind: Whole}) {
		return
	}
	p.read = func(b []byte) (Value, bool) {
		if d, ok := read(b); ok {
			return d, true
		}
		for len(b) > 1 && b[0] == '0' {
			b = b[1:]
		}
		return read(b)
	}
}
