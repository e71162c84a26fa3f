package land

import (
	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// part is a column of the contract, or a part of one, beside what those values of
// an object look like that belong to it.
type part struct {
	path     schema.Path
	typ      schema.Type
	evidence *column.Evidence
}

// columns returns the columns that an object has values of.
func (a *attempt) columns(v contract.Version, o contract.ObjectEvidence) []part {
	at := make(map[int]int)
	var parts []part
	meet := func(field int, name string, to int) {
		if to < 0 || field >= len(o.Evidence.Fields) {
			return
		}
		e := &o.Evidence.Fields[field].Evidence
		if k, met := at[to]; met { // another casing, of other records
			parts[k].evidence = merged(parts[k].evidence, e)
			return
		}
		if t, err := v.Columns[to].SchemaType(); err == nil {
			at[to] = len(parts)
			parts = append(parts, part{schema.Path{name}, t, e})
		}
	}
	if o.Tree {
		names := contract.NamesOf(v, a.l.src.Policy)
		for i, name := range o.Header {
			to, _ := names.Find(name)
			if to >= 0 {
				name = v.Columns[to].Original
			}
			meet(i, name, to)
		}
		return parts
	}
	for i, f := range contract.Bind(v, a.l.src.Policy, o.Header, o.Partitions).Fields {
		if !f.Folder {
			meet(i, f.Name, f.Column)
		}
	}
	return parts
}

// merged adds evidence to a copy of other evidence.
func merged(e, more *column.Evidence) *column.Evidence {
	var sum column.Evidence
	sum.Merge(e)
	sum.Merge(more)
	return &sum
}

// below returns the parts of a part that there are values of.
func (a *attempt) below(p part) []part {
	var parts []part
	switch t := p.typ.(type) {
	case schema.Struct:
		names := contract.FieldsOf(t, a.l.src.Policy)
		of := make([]*column.Evidence, len(t.Fields))
		for i := range p.evidence.Fields {
			f := &p.evidence.Fields[i]
			if at, _ := names.Find(f.Name); at >= 0 && of[at] == nil {
				of[at] = &f.Evidence
			} else if at >= 0 {
				of[at] = merged(of[at], &f.Evidence)
			}
		}
		for i, e := range of {
			if original, _ := schema.Original(t.Fields[i]); e != nil {
				parts = append(parts, part{p.path.Child(original), t.Fields[i].Type, e})
			}
		}
	case schema.Array:
		if p.evidence.Element != nil {
			parts = append(parts, part{p.path.Child("element"), t.Element, p.evidence.Element})
		}
	case schema.Map:
		var all column.Evidence
		for i := range p.evidence.Fields {
			all.Merge(&p.evidence.Fields[i].Evidence)
		}
		parts = append(parts, part{p.path.Child("value"), t.Value, &all})
	}
	return parts
}

// parts returns the columns that an object has values of, and all their parts.
func (a *attempt) parts(v contract.Version, o contract.ObjectEvidence) []part {
	parts := a.columns(v, o)
	for i := 0; i < len(parts); i++ {
		parts = append(parts, a.below(parts[i])...)
	}
	return parts
}

// partOf finds a part by its path; names are compared as those of files are.
func (a *attempt) partOf(v contract.Version, o contract.ObjectEvidence, path schema.Path) (part, bool) {
	found, parts := part{}, a.columns(v, o)
	for _, name := range path {
		ok := false
		for _, p := range parts {
			if schema.Fold(p.path[len(p.path)-1]) == schema.Fold(name) {
				found, ok = p, true
				break
			}
		}
		if !ok {
			return found, false
		}
		parts = a.below(found)
	}
	return found, true
}

// clocks counts the values without a zone that are instants of the part.
func (p part) clocks() column.Seen {
	if p.typ != schema.Timestamp {
		return column.Seen{}
	}
	seen := p.evidence.Of(p.evidence.Bare, value.TimestampLocal)
	strings := p.evidence.Of(p.evidence.Strings, value.TimestampLocal)
	if seen.Count == 0 || strings.Count > 0 && strings.First < seen.First {
		seen.First = strings.First
	}
	seen.Count += strings.Count
	return seen
}
