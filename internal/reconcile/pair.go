package reconcile

import (
	"time"

	"landfall/internal/schema"
	"landfall/internal/value"
)

// pair is a scalar type of a file and the type that the copy has in its place: what
// their values are brought into before they are compared. Both sides go through the
// same function, so that what is equal before is equal after, and what differs
// differs: two texts are one value only where they stand for one number, day or
// instant of the other type.
type pair struct {
	form form
	// read reads a text that stands for a value of another kind; nil if texts stand
	// for themselves.
	read reader
	// single says that floats which are brought into digits have 32 bits.
	single bool
	zone   *time.Location
}

// newPair pairs the type that a file has with that of the copy, nil for no place at
// all there, or one that takes no scalars.
func newPair(file, copied schema.Type, zone *time.Location) *pair {
	p := &pair{zone: zone, single: file == schema.Type(schema.Float) || copied == schema.Type(schema.Float)}
	if file == schema.Type(schema.Unknown) && copied != nil {
		file = copied // of which it has no value
	}
	from := formOf(file)
	p.form = from
	if from.kind != text {
		p.read = readOwn(file)
	}
	if copied == nil {
		return p
	}
	switch to := formOf(copied); {
	case to.kind == text:
	case from.kind == text:
		p.form, p.read = to, readForms(copied, zone)
	case from.kind == to.kind:
		p.form.scale = max(from.scale, to.scale)
	case from.kind == float && to.kind == whole:
		p.form = to
	case from.kind.moment() && to.kind.moment():
		p.form.kind = max(from.kind, to.kind)
	}
	return p
}

func (k kind) moment() bool { return k == day || k == instant || k == clock }

// bring brings a value into the form. What has no place in it comes back as it is, but
// without zeros at its end.
func (p *pair) bring(d datum) datum {
	if p.form.is(&d) {
		return d
	}
	if d.kind == text && p.read != nil {
		if out, ok := p.read(d.text); ok {
			return p.bring(out)
		}
		return d
	}
	if out, ok := p.convert(d); ok {
		return out
	}
	for d.kind == whole && d.scale > 0 {
		less, ok := d.rescale(d.scale - 1)
		if !ok {
			break
		}
		d = less
	}
	return d
}

// convert brings a value that is no text into the form.
func (p *pair) convert(d datum) (datum, bool) {
	switch {
	case p.form.kind == whole && d.kind == whole:
		return d.rescale(p.form.scale)
	case p.form.kind == whole && d.kind == float:
		return d.digits(p.form.scale, p.single)
	case p.form.kind == float && d.kind == whole:
		return d.float()
	case p.form.kind == instant && d.kind == day:
		at, ok := value.DayInstant(int64(d.n.Low), p.zone)
		return short(instant, at), ok
	case p.form.kind == clock && d.kind == day:
		at, ok := value.DayInstant(int64(d.n.Low), nil)
		return short(clock, at), ok
	case p.form.kind == clock && d.kind == instant:
		at, ok := value.InstantWall(int64(d.n.Low), p.zone)
		return short(clock, at), ok
	}
	return d, false
}

// padded has texts with zeros in front read as integers, too, as those of folders are.
func (p *pair) padded() {
	read := p.read
	if read == nil || p.form != (form{kind: whole}) {
		return
	}
	p.read = func(b []byte) (datum, bool) {
		if d, ok := read(b); ok {
			return d, true
		}
		for len(b) > 1 && b[0] == '0' {
			b = b[1:]
		}
		return read(b)
	}
}
