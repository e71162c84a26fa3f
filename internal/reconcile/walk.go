package reconcile

import (
	"math"
	"math/bits"

	"landfall/internal/column"
	"landfall/internal/reconcile/datum"
	"landfall/internal/reconcile/exact"
	"landfall/internal/rescue"
	"landfall/internal/schema"
)

// link is a part of a type as it is read and the node that its values belong to.
type link struct {
	node *node
	as   datum.Reading
	how  manner
	// json says that texts hold the JSON of a node with parts.
	json bool
	// fields are those of a struct, nil for one without a place.
	fields       []*link
	key, element *link
}

// own links a node with the type of its own file.
func (n *node) own() *link {
	k := &link{node: n, as: datum.ReadingOf(n.typ)}
	for _, f := range n.fields {
		k.fields = append(k.fields, f.own())
	}
	if n.key != nil {
		k.key = n.key.own()
	}
	if n.element != nil {
		k.element = n.element.own()
	}
	return k
}

// link links a place with the type that a file of the copy has for it; nil if that has
// not the parts of the column's type.
func (p *place) link(t schema.Type) *link {
	if p == nil {
		return nil
	}
	k := &link{node: p.node}
	switch t := t.(type) {
	case schema.Struct:
		if p.fields == nil {
			return nil
		}
		for _, f := range t.Fields {
			var below *link
			for i, stored := range p.stored {
				if stored == schema.Fold(f.Name) {
					below = p.fields[i].link(f.Type)
				}
			}
			k.fields = append(k.fields, below)
		}
	case schema.Array:
		if p.element == nil || p.key != nil {
			return nil
		}
		k.element = p.element.link(t.Element)
	case schema.Map:
		if p.key == nil {
			return nil
		}
		if k.key = p.key.link(t.Key); k.key == nil {
			return nil
		}
		k.element = p.element.link(t.Value)
	default:
		if !schema.Scalar(p.typ) {
			return nil
		}
		k.scalar(p, t)
	}
	return k
}

func (k *link) scalar(p *place, t schema.Type) {
	if datum.FormOf(p.typ).Kind == datum.Clock && datum.FormOf(t).Kind == datum.Instant {
		t = p.typ // files do not always say which they hold
	}
	k.as = datum.ReadingOf(t)
	k.json = !p.node.scalar()
	if k.json || !p.node.given && p.node.typ != t && p.node.typ != schema.Type(schema.Unknown) {
		k.how = converted
	}
}

// leaf is a leaf of a column as it is being read.
type leaf struct {
	*column.Leaf
	max uint8
	// value is the position of the next value.
	value int
}

// flat adds the values of rows from one on up to another of a leaf in no array or map,
// whose places are given.
func (t *teller) flat(l *leaf, k *link, first int64, places []uint64, from int) {
	if k == nil {
		for i := range places {
			if l.Defs == nil || l.Defs[from+i] == l.max {
				l.value++
			}
		}
		return
	}
	if t.fast(l, k, first) {
		switch {
		case l.Ints != nil:
			t.ints(l, k, places, from)
			return
		case l.Floats != nil:
			t.floats(l, k, places, from)
			return
		case l.Text != nil:
			t.texts(l, k, places, from)
			return
		}
	}
	for i, place := range places {
		if l.Defs != nil && l.Defs[from+i] != l.max {
			continue
		}
		t.row = first + int64(i)
		t.scalar(l.Leaf, l.value, k, place)
		l.value++
	}
}

// fast reports whether values have the form of their pair, and none of those from a row
// on need be looked at beyond that.
func (t *teller) fast(l *leaf, k *link, first int64) bool {
	if t.trace != nil || k.json || k.node.folder != nil || k.node.salt != 0 || k.as.Form != k.node.pair.Form || len(l.Flaws) > 0 {
		return false
	}
	return k.how == plain || datum.FormOf(k.node.typ) == k.node.pair.Form ||
		enough(t.tallies[k.node.slot].became, sample{object: t.object, row: first})
}

// scalar adds one value.
func (t *teller) scalar(l *column.Leaf, at int, k *link, place uint64) {
	if k.json {
		t.written(k.node, l.Text.Value(at), place, k.how)
		return
	}
	t.add(k.node, k.as.Value(l, at), place, k.how)
}

// ints is flat for values of 64 bits that have the form of their pair.
func (t *teller) ints(l *leaf, k *link, places []uint64, from int) {
	y := &t.tallies[k.node.slot]
	least, most, n := int64(math.MaxInt64), int64(math.MinInt64), int64(0)
	var total exact.Wholes
	h := y.hash
	values := l.Ints[l.value:]
	for i, place := range places {
		if l.Defs != nil && l.Defs[from+i] != l.max {
			continue
		}
		v := values[n]
		n++
		least, most = min(least, v), max(most, v)
		var carry uint64
		total[0], carry = bits.Add64(total[0], uint64(v), 0)
		total[1] += uint64(v>>63) + carry
		h.add(datum.DigestInt(v), place)
	}
	total[2] = uint64(int64(total[1]) >> 63)
	l.value += int(n)
	y.hash = h
	y.values += n
	y.addInts(k.node.pair.Form, n, least, most, total)
	if k.how == converted {
		y.converted += n
	}
}

// floats is flat for floats and doubles.
func (t *teller) floats(l *leaf, k *link, places []uint64, from int) {
	y := &t.tallies[k.node.slot]
	was := y.values
	for i, place := range places {
		if l.Defs != nil && l.Defs[from+i] != l.max {
			continue
		}
		v := l.Floats[l.value]
		l.value++
		y.values++
		y.hash.add(datum.DigestFloat(v), place)
		y.addFloat(v)
	}
	if k.how == converted {
		y.converted += y.values - was
	}
}

// texts is flat for texts.
func (t *teller) texts(l *leaf, k *link, places []uint64, from int) {
	y := &t.tallies[k.node.slot]
	d, was := datum.Value{Kind: datum.Text}, y.values
	for i, place := range places {
		if l.Defs != nil && l.Defs[from+i] != l.max {
			continue
		}
		d.Text = l.Text.Value(l.value)
		l.value++
		y.values++
		y.hash.add(datum.DigestText(d.Text), place)
		y.bound(&d)
		y.n++
	}
	if k.how == converted {
		y.converted += y.values - was
	}
}

// walker adds the values of columns that have arrays or maps.
type walker struct {
	*teller
	cursor *rescue.Cursor
	leaves []column.Leaf
}

// walk adds a value and passes it.
func (w *walker) walk(p *rescue.Part, k *link, place uint64) {
	switch {
	case k == nil || w.cursor.Null(p):
		w.cursor.Skip(p)
	case p.Key != nil:
		w.entries(p, k, place)
	case p.Element != nil:
		w.elements(p, k, place)
	case len(p.Fields) > 0:
		for i := range p.Fields {
			w.walk(&p.Fields[i], k.fields[i], place)
		}
	default:
		w.scalar(&w.leaves[p.First], w.cursor.Value(p), k, place)
		w.cursor.Skip(p)
	}
}

func (w *walker) elements(p *rescue.Part, k *link, place uint64) {
	if w.cursor.Empty(p) {
		w.cursor.Skip(p)
		w.count(k.node, 0, place)
		return
	}
	n := int64(0)
	for more := true; more; more = w.cursor.More(p) {
		w.walk(p.Element, k.element, within(place, uint64(n)))
		n++
	}
	w.count(k.node, n, place)
}

// entries adds those of a map. What is in an entry has a place by its key, since of
// entries some may be rescued.
func (w *walker) entries(p *rescue.Part, k *link, place uint64) {
	w.count(k.node, 1, place)
	if w.cursor.Empty(p) {
		w.cursor.Skip(p)
		return
	}
	n := uint64(0)
	for more := true; more; more = w.cursor.More(p) {
		at := within(place, n)
		n++
		if k.key.node.scalar() && !k.key.json {
			d := k.key.as.Value(&w.leaves[p.Key.First], w.cursor.Value(p.Key))
			at = k.key.node.keyed(d, place)
			w.see(k.node, at)
			w.add(k.key.node, d, at, k.key.how)
			w.cursor.Skip(p.Key)
		} else {
			w.walk(p.Key, k.key, at)
		}
		w.walk(p.Element, k.element, at)
	}
}

// keyed is the place of an entry with a key.
func (n *node) keyed(d datum.Value, place uint64) uint64 {
	d = n.pair.Bring(d)
	return within(place, n.pair.Form.Digest(&d))
}
