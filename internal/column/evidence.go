package column

import "landfall/internal/value"

// Evidence sums up the values of one path: of one object, or of many. Merging is
// associative, and commutative but for the order of Fields and the records that
// Seen names, which belong to the first object.
type Evidence struct {
	// Nulls are empty unquoted fields of CSV, fields that a short record lacks,
	// and null of JSON; members that an object lacks are not counted.
	Nulls int64 `json:"nulls,omitempty"`
	// Bare are fields of CSV, numbers and booleans of JSON; Strings are strings
	// of JSON, by what their text looks like. Sorted by class, no count is 0.
	Bare    []Seen `json:"bare,omitempty"`
	Strings []Seen `json:"strings,omitempty"`
	// Objects and Arrays count those of JSON, EmptyObjects and EmptyArrays the
	// ones among them with nothing in it.
	Objects      Seen `json:"objects,omitzero"`
	Arrays       Seen `json:"arrays,omitzero"`
	EmptyObjects Seen `json:"empty_objects,omitzero"`
	EmptyArrays  Seen `json:"empty_arrays,omitzero"`
	// Whole and Scale are the longest digits before and after the point among
	// the integers and decimals of Bare.
	Whole int `json:"whole,omitempty"`
	Scale int `json:"scale,omitempty"`
	// StringWhole and StringScale are the same of Strings.
	StringWhole int `json:"string_whole,omitempty"`
	StringScale int `json:"string_scale,omitempty"`
	// Fields are the members of the objects, in the order in which they were
	// first met; each spelling of a name is one.
	Fields []FieldEvidence `json:"fields,omitempty"`
	// Element is the evidence on the elements of the arrays, nil for none.
	Element *Evidence `json:"element,omitempty"`
}

// Seen counts the values of one class.
type Seen struct {
	Class value.Class `json:"class,omitempty"`
	Count int64       `json:"count"`
	// First is the 1-based record of the first of them in its object.
	First int64 `json:"first,omitempty"`
}

// FieldEvidence is the evidence on one member of objects, or one field of a
// header.
type FieldEvidence struct {
	Name string `json:"name"`
	// First is the record in which the name was met first.
	First int64 `json:"first,omitempty"`
	// Twice counts the objects that had the name twice or more.
	Twice int64 `json:"twice,omitempty"`
	Evidence
}

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

// Merge adds what o saw, which came later than what e saw.
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
	for i := range o.Fields {
		f := &o.Fields[i]
		at := e.field(f.Name)
		if at < 0 {
			e.Fields = append(e.Fields, FieldEvidence{Name: f.Name, First: f.First})
			at = len(e.Fields) - 1
		}
		e.Fields[at].Twice += f.Twice
		e.Fields[at].Merge(&f.Evidence)
	}
	if o.Element != nil {
		if e.Element == nil {
			e.Element = &Evidence{}
		}
		e.Element.Merge(o.Element)
	}
}

func (e *Evidence) field(name string) int {
	for i := range e.Fields {
		if e.Fields[i].Name == name {
			return i
		}
	}
	return -1
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
	return out
}
