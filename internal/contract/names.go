package contract

import "landfall/internal/schema"

// Names finds the column, or the field of a struct, for a name as a file spells
// it. It is the one rule by which names are matched: by their originals, in any
// casing unless the policy is case-sensitive.
type Names struct {
	exact   bool
	choices choices
	byName  map[string]named
}

// named is what stands for a folded name.
type named struct {
	at int
	// spelling is how that name is spelt, original the column's own.
	spelling, original string
}

// NamesOf returns the names of the columns of v, but of those that are the k-th
// of equal names and of those that a rollback retired. It is for records that
// name their fields; a header is bound by [Bind], which counts equal names.
func NamesOf(v Version, p Policy) *Names {
	n := &Names{exact: p.CaseSensitive, choices: choicesOf(v.Decisions), byName: make(map[string]named, len(v.Columns))}
	for i, c := range v.Columns {
		if c.K < 2 && !c.Retired && !p.Reserves(schema.Fold(c.Original)) {
			n.add(c.Original, i)
		}
	}
	for folded, d := range n.choices.mapped {
		if to, ok := n.byName[schema.Fold(n.choices.target(d.To))]; ok && !p.Reserves(folded) {
			n.byName[folded] = named{to.at, d.Column, to.original}
		}
	}
	return n
}

// FieldsOf returns the names of the fields of a struct.
func FieldsOf(s schema.Struct, p Policy) *Names {
	n := &Names{exact: p.CaseSensitive, byName: make(map[string]named, len(s.Fields))}
	for i, f := range s.Fields {
		original, _ := schema.Original(f)
		n.add(original, i)
	}
	return n
}

func (n *Names) add(original string, at int) {
	folded := schema.Fold(original)
	if _, taken := n.byName[folded]; !taken {
		n.byName[folded] = named{at, original, original}
	}
}

// Find returns the position of the column or field for a name, or -1 and why a
// value under it has none: [WhyUnknown], [WhyCase] or [WhyIgnored]. It may
// allocate: its caller remembers the answer.
func (n *Names) Find(spelling string) (at int, why string) {
	name := schema.TrimName(spelling)
	found, ok := n.byName[schema.Fold(name)]
	switch {
	case n.choices.ignores(name):
		return -1, WhyIgnored
	case !ok || name == "":
		return -1, WhyUnknown
	case n.exact && found.spelling != name:
		return -1, WhyCase
	default:
		return found.at, ""
	}
}

// Spelling returns the original name of what [Names.Find] found: where one record
// has several casings of a name, or other names of the column, that one wins.
func (n *Names) Spelling(spelling string) string {
	return n.byName[schema.Fold(schema.TrimName(spelling))].original
}
