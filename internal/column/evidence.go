package column

import (
	"slices"

	"landfall/internal/value"
)

// Evidence sums up the values of one path: of one object, or of many. Merging is
// associative, and commutative but for the order of Fields and the records that
// Seen names, which belong to the first object.
//
// It is kept on disk as JSON, classes by their names: keys may be added, never
// changed.
type Evidence struct {
	// Nulls are empty unquoted fields of CSV, fields that a short record lacks,
	// and null of JSON and of files that declare types; members that an object
	// lacks are not counted.
	Nulls int64 `json:"nulls,omitzero"`
	// Bare are fields of CSV, numbers and booleans of JSON; Strings are strings
	// of JSON, by what their text looks like. Sorted by class, no count is 0.
	Bare    []Seen `json:"bare,omitempty"`
	Strings []Seen `json:"strings,omitempty"`
	// Objects and Arrays count those of JSON, and the structs and arrays of files
	// that declare some; EmptyObjects and EmptyArrays the ones among them with
	// nothing in it, but for structs. Objects of a root count the rows of a header.
	Objects      Seen `json:"objects,omitzero"`
	Arrays       Seen `json:"arrays,omitzero"`
	EmptyObjects Seen `json:"empty_objects,omitzero"`
	EmptyArrays  Seen `json:"empty_arrays,omitzero"`
	// Whole and Scale are the longest digits before and after the point among
	// the integers and decimals of Bare.
	Whole int `json:"whole,omitzero"`
	Scale int `json:"scale,omitzero"`
	// StringWhole and StringScale are the same of Strings.
	StringWhole int `json:"string_whole,omitzero"`
	StringScale int `json:"string_scale,omitzero"`
	// Fields are the members of the objects, in the order in which they were
	// first met; each spelling of a name is one. Those of a header or of a struct
	// are its fields, of which no value need have been seen, and a name may stand
	// there twice.
	Fields []FieldEvidence `json:"fields,omitempty"`
	// Overflow counts the members that are not in Fields, since MaxNames names
	// came before theirs: names that are data. While it is 0 merging holds to
	// the letter; that it is not 0 does not depend on the order either.
	Overflow int64 `json:"overflow,omitzero"`
	// Element is the evidence on the elements of the arrays and the values of the
	// maps, nil for none; files that declare arrays or maps have some without any.
	Element *Evidence `json:"element,omitempty"`
	// Types are the scalar types that files declare at the path, sorted by their
	// DDL, those included of which no value was seen. Text has none.
	Types []Declared `json:"types,omitempty"`
	// Maps counts the maps of files that declare some, Key is the evidence on
	// their keys.
	Maps Seen      `json:"maps,omitzero"`
	Key  *Evidence `json:"key,omitempty"`
	// Unread says that the structs, arrays and maps of some object are counted where
	// there may be one, since nobody looked at them: they may be fewer, or none.
	Unread bool `json:"unread,omitzero"`
}

// Declared is a type that files declare, and what its values are known to be.
type Declared struct {
	// Type is the type's DDL, without parts: "int", "decimal(10,2)".
	Type string `json:"type"`
	// Count is the number of values that are not null, First the 1-based record
	// of the first of them in its object, or one before it if there are nulls among
	// values that nobody looked at.
	Count int64 `json:"count,omitzero"`
	First int64 `json:"first,omitzero"`
	// Whole and Scale are the longest digits before and after the point among
	// integers and decimals.
	Whole int `json:"whole,omitzero"`
	Scale int `json:"scale,omitzero"`
	// Inexact counts the integers that no double is, the decimals of which none
	// has the digits, the floats and doubles that no bigint is, and the binary
	// values that are not UTF-8.
	Inexact int64 `json:"inexact,omitzero"`
	// Unread counts the values of which only bounds are known, since nobody looked
	// at them one by one: they may be fewer, and Whole, Scale and Inexact are what
	// they are at most.
	Unread int64 `json:"unread,omitzero"`
}

// Seen counts the values of one class.
type Seen struct {
	// Class is Empty where JSON has none, or where there are no classes.
	Class value.Class `json:"class,omitzero"`
	Count int64       `json:"count"`
	// First is the 1-based record of the first of them in its object.
	First int64 `json:"first,omitzero"`
}

// FieldEvidence is the evidence on one member of objects, or one field of a
// header.
type FieldEvidence struct {
	Name string `json:"name"`
	// First is the record in which the name was met first; 0 for a field of a
	// header or of a struct that a file declares.
	First int64 `json:"first,omitzero"`
	// Twice counts the objects that had the name twice or more; the last value
	// is the one that counts.
	Twice int64 `json:"twice,omitzero"`
	Evidence
}

// AtBest takes values that were not looked at for as exact as they may be.
func (e *Evidence) AtBest() {
	for i := range e.Types {
		if d := &e.Types[i]; d.Unread > 0 {
			d.Inexact = max(0, d.Inexact-d.Unread)
		}
	}
	for i := range e.Fields {
		e.Fields[i].AtBest()
	}
	for _, below := range []*Evidence{e.Element, e.Key} {
		if below != nil {
			below.AtBest()
		}
	}
}

// MaxNames bounds the names of members at one path that evidence tells apart. A
// header has as many as it has.
const MaxNames = 20_480

// IsZero reports whether nothing was seen.
func (s Seen) IsZero() bool { return s.Count == 0 }

// Of returns the count of a class.
func (e *Evidence) Of(seen []Seen, c value.Class) Seen {
	for _, s := range seen {
		if s.Class == c {
			return s
		}
	}
	return Seen{}
}

// FirstValue returns the first record that has a value which is not null.
func (e *Evidence) FirstValue() (record int64, any bool) {
	see := func(s Seen) {
		if s.Count > 0 && (!any || s.First < record) {
			record, any = s.First, true
		}
	}
	for _, s := range e.Bare {
		see(s)
	}
	for _, s := range e.Strings {
		see(s)
	}
	for _, d := range e.Types {
		see(Seen{Count: d.Count, First: d.First})
	}
	see(e.Objects)
	see(e.Arrays)
	see(e.Maps)
	return record, any
}

// values counts the values that were seen, nulls included.
func (e *Evidence) values() int64 {
	n := e.Nulls + e.Objects.Count + e.Arrays.Count + e.Maps.Count
	for _, d := range e.Types {
		n += d.Count
	}
	for _, s := range e.Bare {
		n += s.Count
	}
	for _, s := range e.Strings {
		n += s.Count
	}
	return n
}

// Clone copies the evidence, so that merging into either leaves the other.
func (e *Evidence) Clone() Evidence {
	c := *e
	c.Bare, c.Strings = slices.Clone(e.Bare), slices.Clone(e.Strings)
	c.Fields = slices.Clone(e.Fields)
	for i := range c.Fields {
		c.Fields[i].Evidence = c.Fields[i].Clone()
	}
	c.Types = slices.Clone(e.Types)
	c.Element, c.Key = e.Element.copied(), e.Key.copied()
	return c
}

// copied is a clone, nil of nil.
func (e *Evidence) copied() *Evidence {
	if e == nil {
		return nil
	}
	c := e.Clone()
	return &c
}

// Typed reports whether there is evidence of files that declare their types.
func (e *Evidence) Typed() bool {
	return e.Anywhere(func(e *Evidence) bool { return len(e.Types) > 0 || e.Key != nil })
}

// Anywhere reports whether something holds of the evidence, or of that on any part.
func (e *Evidence) Anywhere(holds func(*Evidence) bool) bool {
	if holds(e) || e.Element != nil && e.Element.Anywhere(holds) || e.Key != nil && e.Key.Anywhere(holds) {
		return true
	}
	for i := range e.Fields {
		if e.Fields[i].Anywhere(holds) {
			return true
		}
	}
	return false
}

// Merge adds what o saw, which came later than what e saw. It leaves o, and
// shares nothing with it.
func (e *Evidence) Merge(o *Evidence) {
	e.Nulls += o.Nulls
	e.Bare = mergeSeen(e.Bare, o.Bare)
	e.Strings = mergeSeen(e.Strings, o.Strings)
	e.Objects.add(o.Objects)
	e.Arrays.add(o.Arrays)
	e.EmptyObjects.add(o.EmptyObjects)
	e.EmptyArrays.add(o.EmptyArrays)
	e.Whole, e.Scale = max(e.Whole, o.Whole), max(e.Scale, o.Scale)
	e.StringWhole, e.StringScale = max(e.StringWhole, o.StringWhole), max(e.StringScale, o.StringScale)
	e.Overflow += o.Overflow
	e.mergeFields(o.Fields)
	e.Types = mergeTypes(e.Types, o.Types)
	e.Maps.add(o.Maps)
	e.Unread = e.Unread || o.Unread
	mergePart(&e.Element, o.Element)
	mergePart(&e.Key, o.Key)
}

// mergePart merges what is said of a part, nil for nothing.
func mergePart(e **Evidence, o *Evidence) {
	if o == nil {
		return
	}
	if *e == nil {
		*e = &Evidence{}
	}
	(*e).Merge(o)
}

// mergeTypes adds types that are sorted by their DDL. It leaves a, of which
// others may have the memory.
func mergeTypes(a, b []Declared) []Declared {
	if len(b) == 0 {
		return a
	}
	out := make([]Declared, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Type < b[0].Type:
			out, a = append(out, a[0]), a[1:]
		case len(a) == 0 || b[0].Type < a[0].Type:
			out, b = append(out, b[0]), b[1:]
		default:
			d := a[0]
			d.add(b[0])
			out, a, b = append(out, d), a[1:], b[1:]
		}
	}
	return slices.Clip(out)
}

func (d *Declared) add(o Declared) {
	if d.Count == 0 {
		d.First = o.First
	}
	d.Count += o.Count
	d.Whole, d.Scale = max(d.Whole, o.Whole), max(d.Scale, o.Scale)
	d.Inexact += o.Inexact
	d.Unread += o.Unread
}

// nth is the k-th field of one name.
type nth struct {
	name string
	k    int
}

// mergeFields adds fields to those of the same name; of equal names in a header
// the k-th to the k-th. Most objects have the fields of the one before.
func (e *Evidence) mergeFields(fields []FieldEvidence) {
	same := 0
	for same < min(len(fields), len(e.Fields)) && e.Fields[same].Name == fields[same].Name {
		e.Fields[same].merge(&fields[same])
		same++
	}
	if same == len(fields) {
		return
	}
	times := map[string]int{}
	index := make(map[nth]int, len(e.Fields))
	for i := range e.Fields {
		name := e.Fields[i].Name
		index[nth{name, times[name]}] = i
		times[name]++
	}
	clear(times)
	for i := range fields {
		f := &fields[i]
		key := nth{f.Name, times[f.Name]}
		times[f.Name]++
		if i < same {
			continue
		}
		at, ok := index[key]
		switch {
		case ok:
			e.Fields[at].merge(f)
		case len(e.Fields) >= MaxNames && f.First > 0:
			e.Overflow += f.values()
		default:
			index[key] = len(e.Fields)
			e.Fields = append(e.Fields, FieldEvidence{Name: f.Name, First: f.First, Twice: f.Twice, Evidence: f.Clone()})
		}
	}
}

func (f *FieldEvidence) merge(o *FieldEvidence) {
	if f.First == 0 {
		f.First = o.First
	}
	f.Twice += o.Twice
	f.Merge(&o.Evidence)
}

func (s *Seen) add(o Seen) {
	if s.Count == 0 {
		s.First = o.First
	}
	s.Count += o.Count
}

// mergeSeen adds counts that are sorted by class.
func mergeSeen(a, b []Seen) []Seen {
	if len(b) == 0 {
		return a
	}
	out := make([]Seen, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Class < b[0].Class:
			out, a = append(out, a[0]), a[1:]
		case len(a) == 0 || b[0].Class < a[0].Class:
			out, b = append(out, b[0]), b[1:]
		default:
			s := a[0]
			s.add(b[0])
			out, a, b = append(out, s), a[1:], b[1:]
		}
	}
	return slices.Clip(out)
}
