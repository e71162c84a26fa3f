package reconcile

import (
	"landfall/internal/reconcile/datum"
)

// tally adds up the values of a slot. The sum is that of the object at hand, all else
// goes on over many.
type tally struct {
	sum
	figures
	converted, rescued, truncated int64
	// became and kept are the first converted and rescued values.
	became, kept []sample
}

// maxExamples is how many converted values of a path are shown, and how many rescued
// ones.
const maxExamples = 3

// sample is a value of the copy and the row of the file that it should be of.
type sample struct {
	object int
	row    int64
	text   string
	// node and place say which value of the row it is.
	node  *node
	place uint64
}

func (s sample) before(o sample) bool {
	return s.object < o.object || s.object == o.object && s.row < o.row
}

// enough reports whether samples that come at or after a row are too late.
func enough(samples []sample, s sample) bool {
	return len(samples) == maxExamples && !s.before(samples[maxExamples-1])
}

// keep puts a sample among the first ones.
func keep(samples []sample, s sample) []sample {
	at := len(samples)
	for at > 0 && s.before(samples[at-1]) {
		at--
	}
	samples = append(samples, sample{})
	copy(samples[at+1:], samples[at:])
	samples[at] = s
	return samples[:min(len(samples), maxExamples)]
}

// merge adds what another worker found of the same slot.
func (t *tally) merge(o *tally) {
	t.figures.merge(&o.figures)
	t.converted += o.converted
	t.rescued += o.rescued
	t.truncated += o.truncated
	for _, s := range o.became {
		t.became = keep(t.became, s)
	}
	for _, s := range o.kept {
		t.kept = keep(t.kept, s)
	}
}

// manner is how a value stands in the copy, or plain in a file.
type manner uint8

const (
	plain manner = iota
	converted
	rescued
)

// teller adds the values of one object to the tallies of its plan. It is for one
// goroutine.
type teller struct {
	plan    *plan
	tallies []tally
	// object and row are those at hand, row counts from 0.
	object int
	row    int64
	// folders are the values of the object's folders.
	folders map[*node]datum.Value
	// seen are the keys of maps that columns have in rows with rescued values; watch
	// says that the row at hand is one.
	seen  map[uint64]struct{}
	watch bool
	// strays are what of each object has no place in it.
	strays map[int]stray
	places []uint64
	// trace, if set, is told of each value.
	trace *trace
}

// stray is something in the copy that its file has no place for: the first, and how
// many there are.
type stray struct {
	row        int64
	name, text string
	n          int64
}

func (s stray) merge(o stray) stray {
	if s.n == 0 || o.n > 0 && (o.row < s.row || o.row == s.row && o.name+"\x00"+o.text < s.name+"\x00"+s.text) {
		o.n += s.n
		return o
	}
	s.n += o.n
	return s
}

// newTeller returns a teller for a plan; without one it adds nothing.
func newTeller(p *plan) *teller {
	t := &teller{plan: p, seen: map[uint64]struct{}{}, strays: map[int]stray{}}
	if p != nil {
		t.tallies = make([]tally, len(p.slots))
	}
	return t
}

// begin begins an object.
func (t *teller) begin(object int, folders map[*node]datum.Value) {
	t.object, t.folders = object, folders
}

// end adds the sums of the object at hand to others.
func (t *teller) end(sums []sum) {
	for i := range t.tallies {
		sums[i].merge(t.tallies[i].sum)
		t.tallies[i].sum = sum{}
	}
}

// add adds a value at a place.
func (t *teller) add(n *node, d datum.Value, place uint64, how manner) {
	if n.folder != nil && t.repeats(n, d) {
		return
	}
	own := d
	d = n.pair.Bring(d)
	if n.salt != 0 {
		place = within(place, n.salt)
	}
	y := &t.tallies[n.slot]
	y.values++
	digest := n.pair.Form.Digest(&d)
	y.hash.add(digest, place)
	if t.trace != nil {
		t.trace.add(n.slot, t.row, digest, place, &own)
	}
	if n.pair.Form.Is(&d) {
		y.add(&d)
	}
	if how == plain {
		return
	}
	s := sample{object: t.object, row: t.row, node: n, place: place}
	if how == rescued {
		y.rescued++
		if !enough(y.kept, s) {
			s.text = datum.Show(&own)
			y.kept = keep(y.kept, s)
		}
		return
	}
	y.converted++
	if !enough(y.became, s) {
		s.text = datum.Show(&own)
		y.became = keep(y.became, s)
	}
}

// count adds a length, or that something is there.
func (t *teller) count(n *node, v int64, place uint64) {
	if n.slot < 0 {
		return
	}
	if n.salt != 0 {
		place = within(place, n.salt)
	}
	y := &t.tallies[n.slot]
	d := datum.Of(datum.Whole, v)
	y.values++
	y.hash.add(datum.DigestInt(v), place)
	if t.trace != nil {
		t.trace.add(n.slot, t.row, datum.DigestInt(v), place, &d)
	}
	y.add(&d)
}

// repeats reports whether a value of a file says what a folder of its name says: then
// the two are one.
func (t *teller) repeats(n *node, d datum.Value) bool {
	f, ok := t.folders[n.folder]
	if !ok {
		return false
	}
	if read, ok := datum.ReadOwn(n.typ)(f.Text); ok && datum.Same(read, d) {
		return true
	}
	return datum.Same(n.folder.pair.Bring(f), n.folder.pair.Bring(d))
}

// see remembers a key of a map that the columns of a row have, stands reports whether
// they do: the rescue column may have its value.
func (t *teller) see(n *node, place uint64) {
	if t.watch {
		t.seen[datum.Mix(place^uint64(n.id))] = struct{}{}
	}
}

func (t *teller) stands(n *node, place uint64) bool {
	_, there := t.seen[datum.Mix(place^uint64(n.id))]
	return t.watch && there
}

// placesOf are the numbers of rows of the object at hand, valid until the next call.
func (t *teller) placesOf(first int64, n int) []uint64 {
	t.places = t.places[:0]
	for row := first; row < first+int64(n); row++ {
		t.places = append(t.places, placeOf(row))
	}
	return t.places
}
