package column

import (
	"slices"

	"landfall/internal/value"
)

// Observer gathers evidence on every value of one object, slab by slab. It is
// for one goroutine.
//
// It counts in dense arrays, one for each path; a path is allocated when it is
// met first, and nothing after that.
type Observer struct {
	forms *value.Forms
	// usual is set if what a text begins with may tell that it is text.
	usual bool
	// fields are the columns of a header, root is the row; numbers are those found in
	// the columns of the last slab.
	fields  []tally
	numbers [][]Plain
	root    tally
	// typed are the columns of an object that declares its types.
	typed []typedColumn
	// paths counts the tallies below root that the object has, held those that there
	// are.
	paths, held int
}

// maxPaths bounds the paths of one object, so that names of data within names
// of data do not fill the memory: about 50 MB. What is beyond is Overflow.
const maxPaths = 1 << 16

// tally counts the values of one path.
type tally struct {
	nulls                     int64
	bare, strings             *shapes // nil while there is none
	objects, arrays           counter
	emptyObjects, emptyArrays counter
	members                   []member       // some perhaps of objects before
	index                     map[string]int // of members, by name
	met                       int            // how many of them the object has
	overflow                  int64
	element                   *tally // of an object before, unless listed is set
	listed                    bool
	// present are the members of the object that is being counted.
	present []int
	// known are shapes that objects here had.
	known []knownShape
}

// member is the tally of one name.
type member struct {
	name string
	// rank is its place among the names of the object, from 1 on; 0 for none.
	rank         int
	first, twice int64
	// object and again are the numbers of the last object that had the name,
	// and of the last that had it again.
	object, again int64
	// value is the node of its value in that object.
	value uint32
	tally *tally
}

// counter counts values, and keeps the record of the first.
type counter struct{ count, first int64 }

func (c *counter) add(record int64) {
	if c.count == 0 {
		c.first = record
	}
	c.count++
}

// shapes counts values by class.
type shapes struct {
	of           [value.Classes]counter
	whole, scale int
}

// NewObserver returns an observer of an object whose values have forms, nil for
// the default ones. Fields is the width of its header, 0 for trees.
func NewObserver(f *value.Forms, fields int) *Observer {
	if f == nil {
		f = &value.Forms{}
	}
	return &Observer{forms: f, usual: f.Usual(), fields: make([]tally, fields), numbers: make([][]Plain, fields)}
}

// Add counts the values of a slab, which comes behind those added before. It leaves
// the numbers that it finds with columns of text, up to the next slab.
func (o *Observer) Add(s *Slab) {
	if s.Tape != nil {
		for row, root := range s.Tape.Roots {
			o.value(&o.root, s.Tape, root, s.Records[row])
		}
		return
	}
	if len(s.Records) > 0 {
		if o.root.objects.count == 0 {
			o.root.objects.first = s.Records[0]
		}
		o.root.objects.count += int64(len(s.Records))
	}
	for i := range min(len(o.fields), len(s.Fields)) {
		o.numbers[i] = o.column(&o.fields[i], &s.Fields[i], s.Records, o.numbers[i][:0])
		s.Fields[i].Numbers = o.numbers[i]
	}
	for i := range min(len(o.typed), len(s.Columns)) {
		o.typed[i].add(&s.Columns[i], s.Records)
	}
}

// column counts the values of a column of text, and adds the numbers among them.
func (o *Observer) column(t *tally, c *Text, records []int64, numbers []Plain) []Plain {
	numbers = slices.Grow(numbers, len(c.Spans))[:len(c.Spans)]
	for row, span := range c.Spans {
		numbers[row].Digits = 0
		if span.Null() {
			t.nulls++
			continue
		}
		var text []byte
		if n := span.Len(); n > 0 {
			text = c.Data[span.Offset() : span.Offset()+n]
		}
		if p, ok := o.forms.Plain(text); ok {
			numbers[row] = Plain{p.Digits, NewDigits(int(p.Whole), int(p.After), int(p.Scale))}
			add(&t.bare, p.Shape(), records[row])
			continue
		}
		add(&t.bare, o.forms.Text(text), records[row])
	}
	return numbers
}

func add(to **shapes, s value.Shape, record int64) {
	if *to == nil {
		*to = new(shapes)
	}
	t := *to
	t.of[s.Class].add(record)
	t.whole, t.scale = max(t.whole, s.Whole), max(t.scale, s.Scale)
}

// value counts the value at node i of a tape.
func (o *Observer) value(t *tally, tape *Tape, i uint32, record int64) {
	switch n := &tape.Nodes[i]; n.Kind {
	case Null:
		t.nulls++
	case False, True:
		add(&t.bare, value.Shape{Class: value.Boolean}, record)
	case Number:
		add(&t.bare, o.number(tape, i), record)
	case String:
		add(&t.strings, o.text(tape, i), record)
	case Array:
		o.array(t, tape, i, record)
	case Object:
		o.object(t, tape, i, record)
	}
}

// number is the shape of the number at node i.
func (o *Observer) number(tape *Tape, i uint32) value.Shape {
	d := tape.Nodes[i].Digits()
	switch {
	case !d.Known():
		return o.forms.Number(tape.Raw(i))
	case d.After() > 0:
		return value.Shape{Class: value.DecimalExact, Whole: d.Whole(), Scale: d.Scale()}
	default:
		return value.Shape{Class: value.IntegerExact, Whole: d.Whole()}
	}
}

// text is the shape of the string at node i.
func (o *Observer) text(tape *Tape, i uint32) value.Shape {
	n := &tape.Nodes[i]
	first, known := n.Initial()
	if known && o.usual && value.BeginsText(first) || n.Flags&Lone != 0 {
		return value.Shape{Class: value.Text}
	}
	return o.forms.Text(tape.Text(i))
}

func (o *Observer) array(t *tally, tape *Tape, i uint32, record int64) {
	t.arrays.add(record)
	if tape.IsEmpty(i) {
		t.emptyArrays.add(record)
		return
	}
	if !t.listed {
		t.listed = true
		o.paths++
		if t.element == nil {
			t.element = new(tally)
			o.held++
		}
	}
	for at := tape.First(i); at < tape.Next(i); at = tape.Next(at) {
		o.value(t.element, tape, at, record)
	}
}

func (o *Observer) object(t *tally, tape *Tape, i uint32, record int64) {
	t.objects.add(record)
	if tape.IsEmpty(i) {
		t.emptyObjects.add(record)
		return
	}
	if known := t.knownShape(tape, i); known != nil {
		at := tape.First(i)
		for _, m := range known.members {
			o.value(m, tape, at+1, record)
			at = tape.Nodes[at].Next
		}
		return
	}
	o.members(t, tape, i, record)
}

// members counts the members of an object when it has found them all: of a name
// that stands twice the last value counts.
func (o *Observer) members(t *tally, tape *Tape, i uint32, record int64) {
	t.present = t.present[:0]
	next, all := 0, 0
	for at := tape.First(i); at < tape.Next(i); at = tape.Next(at) {
		all++
		k, ok := o.member(t, tape.Text(at), next, record)
		if !ok {
			t.overflow++
			continue
		}
		next = k + 1
		switch m := &t.members[k]; {
		case m.object != t.objects.count:
			m.object = t.objects.count
			t.present = append(t.present, k)
		case m.again != t.objects.count:
			m.again = t.objects.count
			m.twice++
		}
		t.members[k].value = tape.Value(at)
	}
	if len(t.present) == all {
		t.learn(tape, i)
	}
	for _, k := range t.present {
		m := &t.members[k]
		o.value(m.tally, tape, m.value, record)
	}
}

// member finds a name, or makes it known. Objects repeat the order of their
// members, so the one behind the last is tried first.
func (o *Observer) member(t *tally, name []byte, next int, record int64) (int, bool) {
	k, known := next, true
	if next >= len(t.members) || t.members[next].name != string(name) {
		k, known = t.index[string(name)]
	}
	if known && t.members[k].rank > 0 {
		return k, true
	}
	if t.met >= MaxNames || o.paths >= maxPaths {
		return 0, false
	}
	if !known {
		k = t.learnName(string(name))
		o.held++
	}
	o.paths++
	t.met++
	t.members[k].rank, t.members[k].first = t.met, record
	return k, true
}

// learnName makes room for a name that no object had.
func (t *tally) learnName(name string) int {
	if t.index == nil {
		t.index = map[string]int{}
	}
	k := len(t.members)
	t.members = append(t.members, member{name: name, tally: new(tally)})
	t.index[name] = k
	return k
}

// Evidence returns what was seen so far. Of flat records Fields is parallel to
// header; trees have none.
func (o *Observer) Evidence(header []string) Evidence {
	e := o.root.evidence()
	for i, name := range header {
		f := FieldEvidence{Name: name}
		switch {
		case i < len(o.fields):
			f.Evidence = o.fields[i].evidence()
		case i < len(o.typed):
			f.Evidence = o.typed[i].top.evidence()
		}
		e.Fields = append(e.Fields, f)
	}
	return e
}

func (t *tally) evidence() Evidence {
	e := Evidence{
		Nulls: t.nulls, Overflow: t.overflow,
		Objects: t.objects.seen(), EmptyObjects: t.emptyObjects.seen(),
		Arrays: t.arrays.seen(), EmptyArrays: t.emptyArrays.seen(),
	}
	if s := t.bare; s != nil {
		e.Bare, e.Whole, e.Scale = s.seen(), s.whole, s.scale
	}
	if s := t.strings; s != nil {
		e.Strings, e.StringWhole, e.StringScale = s.seen(), s.whole, s.scale
	}
	if t.met > 0 {
		e.Fields = make([]FieldEvidence, t.met)
	}
	for i := range t.members {
		if m := &t.members[i]; m.rank > 0 {
			e.Fields[m.rank-1] = FieldEvidence{Name: m.name, First: m.first, Twice: m.twice, Evidence: m.tally.evidence()}
		}
	}
	if t.listed {
		element := t.element.evidence()
		e.Element = &element
	}
	return e
}

func (c counter) seen() Seen { return Seen{Count: c.count, First: c.first} }

// seen lists the classes that were met.
func (s *shapes) seen() []Seen {
	n := 0
	for _, c := range s.of {
		if c.count > 0 {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	out := make([]Seen, 0, n)
	for class, c := range s.of {
		if c.count > 0 {
			out = append(out, Seen{Class: value.Class(class), Count: c.count, First: c.first})
		}
	}
	return out
}
