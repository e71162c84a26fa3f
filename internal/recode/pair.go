package recode

import (
	"slices"

	"landfall/internal/schema"
)

// kind is what becomes of the values of a pair.
type kind uint8

const (
	asMisfit kind = iota // nothing but null
	asScalar
	asStruct
	asArray
	asMap
)

// pair is a part of the target type and the part of the source that fills it.
type pair struct {
	kind kind
	to   schema.Type
	// path is the source's.
	path     schema.Path
	nullable bool
	// def is the target's definition level at which a value is there; rep the
	// repetition level of the elements of an array or map but the first. Its
	// leaves are those from first up to, not including, last.
	def, rep    uint8
	first, last int
	// from is nil if the source has no such part.
	from *origin
	// move converts the values of a scalar.
	move move
	// flawless says that it converts those with a flaw as well.
	flawless bool
	// fields are those of the target's struct, surplus the leaves of the source
	// that become none of them.
	fields  []*pair
	surplus []int
	// key and element are what an array or a map holds.
	key, element *pair
	// alike says that values and levels are the same in both types.
	alike bool
	// catches says that a part which must not be null can make the whole null,
	// or a misfit in it.
	catches bool
	marks   []mark
}

// origin is a part of the source type: levels and leaves as in a pair.
type origin struct {
	def, rep    uint8
	first, last int
}

// builder makes pairs, counting the leaves of both types.
type builder struct {
	match            func(schema.Struct, schema.Field) int
	clocks           bool
	recoder          *Recoder
	sources, targets int
}

func (b *builder) root(from, to schema.Type, nullable bool) *pair {
	p := b.pair(from, place{nullable: true}, to, place{nullable: nullable}, nil)
	p.catches = true
	p.marks = make([]mark, p.last-p.first)
	return p
}

// place is what surrounds a part: its levels, and whether it may be null itself.
type place struct {
	def, rep uint8
	nullable bool
}

// below is the place of a part of what stands here.
func (p place) below(nullable, repeated bool) place {
	if p.nullable {
		p.def++
	}
	if repeated {
		p.def, p.rep = p.def+1, p.rep+1
	}
	p.nullable = nullable
	return p
}

// pair makes the pair of a part of either type.
func (b *builder) pair(from schema.Type, at place, to schema.Type, into place, path schema.Path) *pair {
	p := b.target(to, into, path)
	o := &origin{def: at.below(false, false).def, rep: at.rep, first: b.sources}
	switch to := to.(type) {
	case schema.Struct:
		if s, ok := from.(schema.Struct); ok {
			b.structs(p, s, at, to, into)
		}
	case schema.Array:
		if s, ok := from.(schema.Array); ok {
			p.kind = asArray
			p.element = b.pair(s.Element, at.below(s.ContainsNull, true), to.Element, into.below(to.ContainsNull, true), path.Child("element"))
			p.alike = p.element.alike && s.ContainsNull == to.ContainsNull
		}
	case schema.Map:
		if s, ok := from.(schema.Map); ok {
			b.maps(p, s, at, to, into)
		}
	default:
		switch p.move = moveOf(from, to); {
		case p.move != nil:
			p.kind = asScalar
			p.alike = sameForm(from, to)
			p.flawless = holdsFlaws(from, to)
		case b.clocks && from == schema.Type(schema.Timestamp) && to == schema.TimestampNTZ:
			p.kind, p.move, p.flawless = asScalar, moveClock, true
		}
	}
	if p.kind == asMisfit || p.kind == asScalar {
		b.sources += leavesOf(from)
		b.targets += leavesOf(to)
	}
	if p.kind == asArray || p.kind == asMap {
		o.rep++
		p.rep++
		p.catches = true
	}
	o.last, p.last = b.sources, b.targets
	if o.last > o.first {
		p.from = o
	}
	if p.catches {
		p.marks = make([]mark, p.last-p.first)
	}
	return p
}

func (b *builder) target(to schema.Type, into place, path schema.Path) *pair {
	return &pair{
		to: to, path: path, nullable: into.nullable, def: into.below(false, false).def, rep: into.rep, first: b.targets,
	}
}

func (b *builder) maps(p *pair, from schema.Map, at place, to schema.Map, into place) {
	p.kind = asMap
	clocks := b.clocks
	b.clocks = false
	p.key = b.pair(from.Key, at.below(false, true), to.Key, into.below(false, true), p.path.Child("key"))
	b.clocks = clocks
	if p.key.kind == asScalar {
		p.key.move = distinct(from.Key, to.Key, p.key.move)
	}
	p.element = b.pair(from.Value, at.below(from.ValueContainsNull, true),
		to.Value, into.below(to.ValueContainsNull, true), p.path.Child("value"))
	p.alike = p.key.alike && p.element.alike && from.ValueContainsNull == to.ValueContainsNull
}

// structs pairs the fields of two structs. The leaves of both are counted in the
// order of either type.
func (b *builder) structs(p *pair, from schema.Struct, at place, to schema.Struct, into place) {
	p.kind = asStruct
	starts := make([]int, len(from.Fields)+1)
	starts[0] = b.sources
	for i, f := range from.Fields {
		starts[i+1] = starts[i] + leavesOf(f.Type)
	}
	met := make([]bool, len(from.Fields))
	p.alike = len(from.Fields) == len(to.Fields)
	for n, f := range to.Fields {
		i := b.match(from, f)
		if i < 0 || met[i] {
			p.fields = append(p.fields, b.lacking(f, into))
			p.alike = false
		} else {
			met[i] = true
			b.sources = starts[i]
			s := from.Fields[i]
			p.fields = append(p.fields, b.pair(s.Type, at.below(s.Nullable, false), f.Type, into.below(f.Nullable, false), p.path.Child(s.Name)))
			p.alike = p.alike && i == n && s.Nullable == f.Nullable && p.fields[n].alike
		}
		p.catches = p.catches || !f.Nullable
	}
	for i, f := range from.Fields {
		if met[i] {
			continue
		}
		b.recoder.unmatched = append(b.recoder.unmatched, p.path.Child(f.Name))
		for leaf := starts[i]; leaf < starts[i+1]; leaf++ {
			p.surplus = append(p.surplus, leaf)
		}
	}
	b.sources = starts[len(from.Fields)]
}

// lacking is the pair of a field that the source does not have.
func (b *builder) lacking(f schema.Field, into place) *pair {
	p := b.target(f.Type, into.below(f.Nullable, false), nil)
	b.targets += leavesOf(f.Type)
	p.last = b.targets
	return p
}

// leavesOf counts the leaves of a type.
func leavesOf(t schema.Type) int {
	switch t := t.(type) {
	case schema.Struct:
		n := 0
		for _, f := range t.Fields {
			n += leavesOf(f.Type)
		}
		return n
	case schema.Array:
		return leavesOf(t.Element)
	case schema.Map:
		return leavesOf(t.Key) + leavesOf(t.Value)
	}
	return 1
}

// matchOriginals finds the field with the same original name, in any casing.
func matchOriginals(from schema.Struct, f schema.Field) int {
	name, k := schema.Original(f)
	name = schema.Fold(name)
	return slices.IndexFunc(from.Fields, func(g schema.Field) bool {
		other, n := schema.Original(g)
		return n == k && schema.Fold(other) == name
	})
}
