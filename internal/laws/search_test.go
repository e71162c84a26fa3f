package laws_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"landfall/internal/contract"
	"landfall/internal/schema"
)

// scope is an object, or a record: the cells that its fields are, and what was
// rescued of it.
type scope struct {
	*finder
	cells   []cell
	claimed []bool
	// folder names the cells that a folder gave a value to.
	folder  map[int]bool
	rescued *node
	why     *node
	taken   map[string]bool
	// below is set for structs, exact for maps.
	below, exact bool
	err          error
}

// lose notes a value that is nowhere.
func (s *scope) lose(name string, v *node) {
	s.nowhere += v.cells()
	if s.lost == "" {
		s.lost = fmt.Sprintf("%s = %s", name, v.compact())
	}
}

// ended checks that nothing is there which the input has not.
func (s *scope) ended() error {
	for i, c := range s.cells {
		if c.v != nil && !s.claimed[i] {
			return fmt.Errorf("%s#%d is %s, which no value of the input is", c.name, c.k, show(c.v))
		}
	}
	if s.rescued != nil {
		for _, name := range s.rescued.names {
			if !s.taken[name] {
				return fmt.Errorf("%q was rescued, and is no name of the input", name)
			}
		}
	}
	return s.err
}

// key is a name as the rescue column has it: at the root some are ours.
func (s *scope) key(name string) string {
	ours := []string{"_file_path", "_record", "_why", "_byte_offset", "_corrupt_record", "_value", "_rescued_data", "_source_file", "_ingested_at"}
	if !s.below && (slices.Contains(ours, name) || strings.HasPrefix(name, "_field:")) {
		return "_field:" + name
	}
	return name
}

// kept returns what was rescued under a name.
func (s *scope) kept(name string) *node { return s.rescued.get(s.key(name)) }

// takes reports whether a column takes the k-th field of a name.
func (s *scope) takes(c cell, name string, k int) bool {
	trimmed := name
	if !s.exact {
		trimmed = strings.TrimSpace(name)
	}
	return c.k == k && (c.name == trimmed || !s.exact && !s.policy.CaseSensitive && schema.Fold(c.name) == schema.Fold(trimmed))
}

// claim looks for a value in the column that takes its name.
func (s *scope) claim(name string, k int, v, kept *node) bool {
	for i, c := range s.cells {
		switch folder := s.folder[i]; {
		case c.v == nil || !folder && s.claimed[i]:
		case folder && k == 1 && schema.Fold(c.name) == schema.Fold(strings.TrimSpace(name)):
			return kept == nil && s.says(c.typ, c.v, v)
		case s.takes(c, name, k):
			if s.place(c.typ, c.v, v, kept) {
				s.claimed[i] = true
				return true
			}
		}
	}
	return false
}

// keys are the folders of the file.
func (s *scope) keys() []contract.Folder {
	_, folders := contract.Folders(s.finder.object.path)
	return folders
}

// columns finds the folders whose value is in a column.
func (s *scope) columns() {
	s.folder = make(map[int]bool)
	for _, folder := range s.keys() {
		for i, c := range s.cells {
			if c.v != nil && c.k == 1 && schema.Fold(c.name) == schema.Fold(folder.Key) && s.says(c.typ, c.v, field(folder.Value)) {
				s.claimed[i], s.folder[i] = true, true
			}
		}
	}
}

func field(text string) *node { return &node{kind: 'x', text: text, raw: text} }

// folders finds the folders whose value was rescued, under a name that no member
// was.
func (s *scope) folders() {
next:
	for _, folder := range s.keys() {
		for i := range s.folder {
			if schema.Fold(s.cells[i].name) == schema.Fold(folder.Key) {
				continue next
			}
		}
		for k := 1; k < 9; k++ {
			try := folder.Key
			if k > 1 {
				try = fmt.Sprintf("%s#%d", folder.Key, k)
			}
			if !s.taken[try] && same(s.rescued.get(try), field(folder.Value)) {
				s.taken[try] = true
				continue next
			}
		}
		s.lose("folder "+folder.Key, field(folder.Value))
	}
}

// mayBeFolder reports whether what was rescued under the name of a member may be
// the value of a folder.
func (s *scope) mayBeFolder(name string, kept *node) bool {
	return !s.below && slices.ContainsFunc(s.keys(), func(f contract.Folder) bool { return f.Key == name && same(kept, field(f.Value)) })
}

// flat looks for the fields of a record.
func (s *scope) flat(fields []*node) {
	times, names := map[string]int{}, map[string]bool{}
	for _, name := range s.header {
		names[strings.TrimSpace(name)] = true
	}
	for i, v := range fields {
		base, k := fmt.Sprintf("_c%d", i), 0
		if i < len(s.header) {
			base = strings.TrimSpace(s.header[i])
			times[base]++
			k = times[base]
		}
		name := base
		for n := k; n > 1 && (name == base || names[name]); {
			name = fmt.Sprintf("%s#%d", name, n)
		}
		kept := s.kept(name)
		switch {
		case v.null():
			continue
		case kept != nil && !s.taken[s.key(name)] && same(kept, v):
			s.taken[s.key(name)] = true
			s.idle(name, v)
		case k > 0 && s.claim(base, k, v, nil):
		default:
			s.lose(name, v)
		}
	}
}

// object looks for the members of an object: those first that are spelled as a
// column is, since what is empty may be in the column or rescued.
func (s *scope) object(o *node) {
	for _, exact := range []bool{true, false} {
		for i, name := range o.names {
			if slices.Index(o.names, name) < i || exact != slices.ContainsFunc(s.cells, func(c cell) bool { return c.name == name }) {
				continue
			}
			var all []*node
			for j, other := range o.names {
				if other == name {
					all = append(all, o.items[j])
				}
			}
			s.member(name, all)
		}
	}
}

// member looks for the values of one name. Of several the last counts; if any of
// it was rescued, it stands behind the others.
func (s *scope) member(name string, all []*node) {
	last, kept := all[len(all)-1], s.kept(name)
	var early []*node
	for _, v := range all[:len(all)-1] {
		if !v.null() {
			early = append(early, v)
		}
	}
	if kept != nil && len(early) == 0 && !same(kept, last) && s.mayBeFolder(name, kept) {
		kept = nil
	}
	if kept != nil {
		s.taken[s.key(name)] = true
	}
	list := func(all ...*node) *node { return &node{kind: '[', items: all} }
	switch {
	case len(early) == 0:
		s.value(name, last, kept)
	case kept != nil && same(kept, list(append(slices.Clone(early), last)...)):
	case kept != nil && (len(early) == 1 && same(kept, early[0]) || same(kept, list(early...))):
		s.value(name, last, nil)
	default:
		s.lose(name+", twice", list(early...))
		s.value(name, last, kept)
	}
}

// value looks for one value: rescued, or in a column, or in both in part.
func (s *scope) value(name string, v, kept *node) {
	switch {
	case v.null():
		if kept != nil {
			s.err = errors.Join(s.err, fmt.Errorf("%q is null, and rescued as %s", name, kept.raw))
		}
	case s.claim(name, 1, v, kept): // first, since of an object each member may have been rescued
	case same(kept, v):
		s.idle(name, v)
	default:
		s.lose(name, v)
		if kept != nil {
			s.err = errors.Join(s.err, fmt.Errorf("%q is %s, and rescued as %s", name, v.raw, kept.raw))
		}
	}
}

// idle refuses a value that was rescued as a misfit of a type that takes it.
func (s *scope) idle(name string, v *node) {
	reason := s.why.get(s.key(name))
	if reason == nil || s.below {
		return
	}
	if t, err := schema.ParseDDL(strings.TrimPrefix(reason.text, "type:")); err == nil && s.fits(t, v) {
		s.err = errors.Join(s.err, fmt.Errorf("%q is %s, a %s, and was rescued as none", name, v.compact(), t))
	}
}

// other looks for a record that is no object.
func (s *scope) other(name string, v *node) {
	if same(s.rescued.get(name), v) {
		s.taken[name] = true
		return
	}
	s.lose("the record", v)
}

// place reports whether a value of a column and what was rescued beside it are
// the value of the input.
func (s *scope) place(t schema.Type, have any, v, kept *node) bool {
	switch {
	case have == nil && v.null():
		return kept.null()
	case have == nil:
		if kept.null() {
			s.lose("a part", v)
			return true
		}
		return same(kept, v)
	case v.null():
		return false
	}
	switch t := t.(type) {
	case schema.Struct:
		return v.kind == '{' && s.inside(have.([]cell), v, kept, false)
	case schema.Map:
		cells := make([]cell, len(have.([]pair)))
		for i, p := range have.([]pair) {
			name, ok := p.key.(string)
			if !ok {
				name = show(p.key)
			}
			cells[i] = cell{name, 1, t.Value, p.value}
		}
		return v.kind == '{' && s.inside(cells, v, kept, true)
	case schema.Array:
		list := have.([]any)
		if v.kind != '[' || len(v.items) != len(list) {
			return false
		}
		for i, x := range list {
			if !s.place(t.Element, x, v.items[i], kept.at(i)) {
				return false
			}
		}
		return true
	}
	return kept == nil && s.says(t, have, v)
}

// inside looks for the members of a nested object.
func (s *scope) inside(cells []cell, v, kept *node, exact bool) bool {
	if kept != nil && kept.kind == 'n' {
		kept = nil // an element of an array of which nothing was rescued
	}
	if kept != nil && kept.kind != '{' {
		return false
	}
	in := &scope{
		finder: s.finder, cells: cells, claimed: make([]bool, len(cells)), rescued: kept,
		taken: make(map[string]bool), below: true, exact: exact,
	}
	nowhere, lost := s.nowhere, s.lost
	in.object(v)
	if err := in.ended(); err != nil {
		s.nowhere, s.lost = nowhere, lost // it is another's
		return false
	}
	return true
}
