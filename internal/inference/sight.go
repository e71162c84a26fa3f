package inference

import (
	"slices"

	"landfall/internal/column"
	"landfall/internal/schema"
)

// Sight is what the objects of a batch say about one path, in their order: the
// evidence, with its parts by name and with the objects that had them. The zero
// value says nothing.
type Sight struct {
	// Own is the evidence on the values themselves; that on their parts is in
	// Members and Element.
	Own column.Evidence
	// Casings are the spellings of the name, as they were met; none of a path
	// that has no name of its own.
	Casings []Casing
	// File and Record say where values were met first, Objects is the number of
	// objects that had some.
	File    string
	Record  int64
	Objects int64
	// Members are those of the values that are objects, as they were met first;
	// Element is of the elements of those that are arrays and the values of those
	// that are maps, Key of the keys of these, nil for none.
	Members      []*Sight
	Element, Key *Sight

	index map[string]int
	// typed tells that files declare types at the path or below.
	typed bool
}

// Casing is one spelling of a name, where it was met first, and in how many
// objects.
type Casing struct {
	Name, File      string
	Record, Objects int64
}

// Name is the spelling that was met first.
func (s *Sight) Name() string { return s.Casings[0].Name }

// Add takes in what an object says, which comes behind those that are in. exact
// keeps casings of one name apart.
func (s *Sight) Add(file string, e *column.Evidence, exact bool) {
	own := *e
	own.Fields, own.Element, own.Key = nil, nil, nil
	s.Own.Merge(&own)
	s.typed = s.typed || len(e.Types) > 0
	if first, any := e.FirstValue(); any {
		if s.Objects++; s.Objects == 1 {
			s.File, s.Record = file, first
		}
	} else if s.File == "" && e.Typed() {
		s.File = file // it says what there would be
	}
	for i := range e.Fields {
		f := &e.Fields[i]
		name := schema.TrimName(f.Name)
		if name == "" {
			continue // no column can have this name
		}
		m := s.member(name, exact)
		m.met(name, file, f.First)
		m.Add(file, &f.Evidence, exact)
		s.typed = s.typed || m.typed
	}
	s.part(&s.Element, file, e.Element, exact)
	s.part(&s.Key, file, e.Key, exact)
}

// part takes in what an object says of the elements or the keys.
func (s *Sight) part(p **Sight, file string, e *column.Evidence, exact bool) {
	if e == nil {
		return
	}
	if *p == nil {
		*p = &Sight{}
	}
	(*p).Add(file, e, exact)
	s.typed = s.typed || (*p).typed
}

// member returns the sight of a member, a new one for a new name.
func (s *Sight) member(name string, exact bool) *Sight {
	key := name
	if !exact {
		key = schema.Fold(name)
	}
	i, ok := s.index[key]
	if !ok {
		if s.index == nil {
			s.index = make(map[string]int)
		}
		i = len(s.Members)
		s.index[key] = i
		s.Members = append(s.Members, &Sight{})
	}
	return s.Members[i]
}

// met notes a spelling of the name.
func (s *Sight) met(name, file string, record int64) {
	for i := range s.Casings {
		if c := &s.Casings[i]; c.Name == name {
			c.Objects++
			return
		}
	}
	s.Casings = append(s.Casings, Casing{name, file, record, 1})
}

// Elements is the evidence on the elements of arrays, nil for none.
func (s *Sight) Elements() *Sight {
	if s.Key != nil && s.Own.Arrays.IsZero() {
		return nil // of maps
	}
	return s.Element
}

// Values is the evidence on the values of maps: of those that files declare, and
// of those that the objects are, of all members alike.
func (s *Sight) Values() *Sight {
	v := &Sight{}
	for _, m := range s.Members {
		if s.Own.Objects.Count > 0 { // else they are declared alone
			v.absorb(m)
		}
	}
	if s.Key != nil && s.Element != nil {
		v.absorb(s.Element)
	}
	return v
}

// absorb adds what another sight says.
func (s *Sight) absorb(o *Sight) {
	s.Own.Merge(&o.Own)
	if s.Objects == 0 {
		s.File, s.Record = o.File, o.Record
	}
	s.Objects += o.Objects
	s.typed = s.typed || o.typed
	for _, m := range o.Members {
		into := s.member(m.Name(), false)
		if into.Casings == nil {
			into.Casings = slices.Clone(m.Casings)
		}
		into.absorb(m)
	}
	if o.Element != nil {
		if s.Element == nil {
			s.Element = &Sight{}
		}
		s.Element.absorb(o.Element)
	}
	if o.Key != nil {
		if s.Key == nil {
			s.Key = &Sight{}
		}
		s.Key.absorb(o.Key)
	}
}
