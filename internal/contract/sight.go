package contract

import (
	"slices"

	"landfall/internal/column"
	"landfall/internal/schema"
)

// sight is what the objects of a batch say about one path, in their order: the
// evidence, with its parts by name and with the objects that had them.
type sight struct {
	// The evidence on the values themselves; that on their parts is in members
	// and element.
	column.Evidence
	// casings are the spellings of the name, as they were met.
	casings []casing
	// file and record say where values were met first, with is the number of
	// objects that had some.
	file    string
	record  int64
	with    int64
	members []*sight
	index   map[string]int
	element *sight
}

// casing is one spelling of a name, and where it was met.
type casing struct {
	name, file      string
	record, objects int64
}

// name is the spelling that was met first.
func (s *sight) name() string { return s.casings[0].name }

// add takes in what an object says, which comes behind those that are in. exact
// keeps casings of one name apart.
func (s *sight) add(file string, e *column.Evidence, exact bool) {
	own := *e
	own.Fields, own.Element = nil, nil
	s.Merge(&own)
	if first, any := firstValue(e); any {
		if s.with++; s.with == 1 {
			s.file, s.record = file, first
		}
	}
	for i := range e.Fields {
		f := &e.Fields[i]
		name := schema.TrimName(f.Name)
		if name == "" {
			continue // no column can have this name
		}
		m := s.member(name, exact)
		m.met(name, file, f.First)
		m.add(file, &f.Evidence, exact)
	}
	if e.Element != nil {
		if s.element == nil {
			s.element = &sight{}
		}
		s.element.add(file, e.Element, exact)
	}
}

// member returns the sight of a member, a new one for a new name.
func (s *sight) member(name string, exact bool) *sight {
	key := name
	if !exact {
		key = schema.Fold(name)
	}
	i, ok := s.index[key]
	if !ok {
		if s.index == nil {
			s.index = make(map[string]int)
		}
		i = len(s.members)
		s.index[key] = i
		s.members = append(s.members, &sight{})
	}
	return s.members[i]
}

// met notes a spelling of the name.
func (s *sight) met(name, file string, record int64) {
	for i := range s.casings {
		if c := &s.casings[i]; c.name == name {
			c.objects++
			return
		}
	}
	s.casings = append(s.casings, casing{name, file, record, 1})
}

// parts are the sights of the members, none of a nil sight.
func (s *sight) parts() []*sight {
	if s == nil {
		return nil
	}
	return s.members
}

// objects is the number of objects that had the name as it was met first.
func (s *sight) objects() int64 { return s.casings[0].objects }

// values is the evidence on the values of maps that the objects are: of all
// members alike.
func (s *sight) values() *sight {
	v := &sight{}
	for _, m := range s.members {
		v.absorb(m)
	}
	return v
}

// absorb adds what another sight says.
func (s *sight) absorb(o *sight) {
	s.Merge(&o.Evidence)
	if s.with == 0 {
		s.file, s.record = o.file, o.record
	}
	s.with += o.with
	for _, m := range o.members {
		into := s.member(m.name(), false)
		if into.casings == nil {
			into.casings = slices.Clone(m.casings)
		}
		into.absorb(m)
	}
	if o.element != nil {
		if s.element == nil {
			s.element = &sight{}
		}
		s.element.absorb(o.element)
	}
}

// firstValue returns the first record that has a value which is not null.
func firstValue(e *column.Evidence) (record int64, any bool) {
	see := func(s column.Seen) {
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
	see(e.Objects)
	see(e.Arrays)
	return record, any
}
