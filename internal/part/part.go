// Package part finds the columns of a contract, and their parts, that an object has
// values of, and says what its misfits mean there.
package part

import (
	"maps"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/evolution"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// Part is a column of the contract, or a part of one, beside what those values of
// an object look like that belong to it.
type Part struct {
	// Path is of original names.
	Path     schema.Path
	Type     schema.Type
	Evidence *column.Evidence
}

// columns returns the columns that an object has values of.
func columns(v contract.Version, p contract.Policy, o contract.ObjectEvidence) []Part {
	at := make(map[int]int)
	var parts []Part
	meet := func(field int, name string, to int) {
		if to < 0 || field >= len(o.Evidence.Fields) {
			return
		}
		e := &o.Evidence.Fields[field].Evidence
		if k, met := at[to]; met { // another casing, of other records
			parts[k].Evidence = merged(parts[k].Evidence, e)
			return
		}
		if t, err := v.Columns[to].SchemaType(); err == nil {
			at[to] = len(parts)
			parts = append(parts, Part{schema.Path{name}, t, e})
		}
	}
	if o.Tree {
		names := contract.NamesOf(v, p)
		for i, name := range o.Header {
			to, _ := names.Find(name)
			if to >= 0 {
				name = v.Columns[to].Original
			}
			meet(i, name, to)
		}
		return parts
	}
	for i, f := range contract.Bind(v, p, o.Header, o.Partitions).Fields {
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
func (p Part) below(policy contract.Policy) []Part {
	var parts []Part
	switch t := p.Type.(type) {
	case schema.Struct:
		names := contract.FieldsOf(t, policy)
		of := make([]*column.Evidence, len(t.Fields))
		for i := range p.Evidence.Fields {
			f := &p.Evidence.Fields[i]
			if at, _ := names.Find(f.Name); at >= 0 && of[at] == nil {
				of[at] = &f.Evidence
			} else if at >= 0 {
				of[at] = merged(of[at], &f.Evidence)
			}
		}
		for i, e := range of {
			if original, _ := schema.Original(t.Fields[i]); e != nil {
				parts = append(parts, Part{p.Path.Child(original), t.Fields[i].Type, e})
			}
		}
	case schema.Array:
		if p.Evidence.Element != nil {
			parts = append(parts, Part{p.Path.Child("element"), t.Element, p.Evidence.Element})
		}
	case schema.Map:
		var all column.Evidence
		for i := range p.Evidence.Fields {
			all.Merge(&p.Evidence.Fields[i].Evidence)
		}
		parts = append(parts, Part{p.Path.Child("value"), t.Value, &all})
	}
	return parts
}

// All returns the columns that an object has values of, and all their parts.
func All(v contract.Version, p contract.Policy, o contract.ObjectEvidence) []Part {
	parts := columns(v, p, o)
	for i := 0; i < len(parts); i++ {
		parts = append(parts, parts[i].below(p)...)
	}
	return parts
}

// Find finds a part by its path; names are compared as those of files are.
func Find(v contract.Version, policy contract.Policy, o contract.ObjectEvidence, path schema.Path) (Part, bool) {
	found, parts := Part{}, columns(v, policy, o)
	for _, name := range path {
		ok := false
		for _, p := range parts {
			if schema.Fold(p.Path[len(p.Path)-1]) == schema.Fold(name) {
				found, ok = p, true
				break
			}
		}
		if !ok {
			return found, false
		}
		parts = found.below(policy)
	}
	return found, true
}

// HasClocks tells whether an object has values without a zone that may be instants.
func HasClocks(e *column.Evidence) bool {
	return e.Anywhere(func(e *column.Evidence) bool {
		return !e.Of(e.Bare, value.TimestampLocal).IsZero() || !e.Of(e.Strings, value.TimestampLocal).IsZero()
	})
}

// Clocks counts the values without a zone that are instants of the part.
func (p Part) Clocks() column.Seen {
	if p.Type != schema.Timestamp {
		return column.Seen{}
	}
	seen := p.Evidence.Of(p.Evidence.Bare, value.TimestampLocal)
	strings := p.Evidence.Of(p.Evidence.Strings, value.TimestampLocal)
	if seen.Count == 0 || strings.Count > 0 && strings.First < seen.First {
		seen.First = strings.First
	}
	seen.Count += strings.Count
	return seen
}

// Judged is the policy under which the values of an object are fitted to a version.
// What becomes of a misfit is asked by value_misfit, value by value; once the
// evidence is known, so is what the misfits of a column mean. other tells that it
// is another than p.
func Judged(v contract.Version, p contract.Policy, o contract.ObjectEvidence) (policy contract.Policy, other bool) {
	if !TellsApart(p) {
		return p, false
	}
	choices := maps.Clone(p.Columns)
	for _, x := range All(v, p, o) {
		path := x.Path.String()
		kind := evolution.Judge(x.Type, *x.Evidence, p)
		action, _ := p.OfMisfits(kind, path)
		if as, _ := p.ActionOf(event.ValueMisfit, path); action == as || action == "fail" {
			continue
		}
		if choices == nil {
			choices = map[string]map[contract.Kind]string{}
		}
		kinds := map[contract.Kind]string{}
		maps.Copy(kinds, choices[schema.Fold(path)])
		kinds[event.ValueMisfit], other = action, true
		choices[schema.Fold(path)] = kinds
	}
	p.Columns = choices
	return p, other
}

// TellsApart tells whether a policy does one thing on one kind of misfits and
// another on another: then only an object's evidence says what becomes of one.
func TellsApart(p contract.Policy) bool {
	single, _ := p.Action(event.ValueMisfit)
	wider, _ := p.OfMisfits(event.TypeWider, "")
	other, _ := p.Action(event.TypeConflict)
	return wider != single || other != single || len(p.Columns) > 0
}
