package part

import (
	"slices"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/schema"
)

// Unsure returns which of the objects say of a part of a column only what its values
// are at most, where that may decide its type: the others declare another type there,
// or the contract does. Objects that were looked at value by value are sure of theirs;
// nil is none.
func Unsure(v contract.Version, p contract.Policy, objects []*contract.ObjectEvidence) []int {
	if !slices.ContainsFunc(objects, func(o *contract.ObjectEvidence) bool { return o != nil && unread(&o.Evidence) }) {
		return nil
	}
	found := map[string]*doubt{}
	for i, o := range objects {
		if o == nil {
			continue
		}
		for _, x := range declared(v, p, *o) {
			path := x.Path.String()
			if found[path] == nil {
				found[path] = &doubt{types: map[string]bool{}, shapes: map[string]bool{}}
			}
			found[path].add(i, x)
		}
	}
	var unsure []int
	for _, d := range found {
		if len(d.types) > 1 || len(d.shapes) > 1 {
			unsure = append(unsure, d.unread...)
		}
		if len(d.shapes) > 1 {
			unsure = append(unsure, d.uncounted...)
		}
	}
	slices.Sort(unsure)
	return slices.Compact(unsure)
}

// doubt is what objects and the contract say of one path: scalar types and shapes.
// Nobody looked at the scalars of the objects unread, nor at the structs, arrays and
// maps of those uncounted.
type doubt struct {
	types, shapes     map[string]bool
	unread, uncounted []int
}

func (d *doubt) add(object int, x Part) {
	switch x.Type.(type) {
	case schema.Struct:
		d.shapes["struct"] = true
	case schema.Array:
		d.shapes["array"] = true
	case schema.Map:
		d.shapes["map"] = true
	default:
		d.scalar(x.Type.String())
	}
	e := x.Evidence
	for _, t := range e.Types {
		d.scalar(t.Type)
		if t.Unread > 0 {
			d.unread = append(d.unread, object)
		}
	}
	if len(e.Fields) > 0 {
		d.shapes["struct"] = true
	}
	if e.Element != nil && e.Key == nil {
		d.shapes["array"] = true
	}
	if e.Key != nil {
		d.shapes["map"] = true
	}
	if e.Unread {
		d.uncounted = append(d.uncounted, object)
	}
}

// scalar adds a type; void is none.
func (d *doubt) scalar(typ string) {
	if typ != schema.Unknown.String() {
		d.types[typ], d.shapes["scalar"] = true, true
	}
}

// declared is All, and the keys and values of maps that files declare.
func declared(v contract.Version, p contract.Policy, o contract.ObjectEvidence) []Part {
	parts := columns(v, p, o)
	for i := 0; i < len(parts); i++ {
		at := parts[i]
		parts = append(parts, at.below(p)...)
		if t, is := at.Type.(schema.Map); is && at.Evidence.Key != nil {
			parts = append(parts, Part{at.Path.Child("key"), t.Key, at.Evidence.Key})
			if at.Evidence.Element != nil {
				parts = append(parts, Part{at.Path.Child("value"), t.Value, at.Evidence.Element})
			}
		}
	}
	return parts
}

// unread tells whether some values were not looked at.
func unread(e *column.Evidence) bool {
	return e.Anywhere(func(e *column.Evidence) bool {
		return e.Unread || slices.ContainsFunc(e.Types, func(d column.Declared) bool { return d.Unread > 0 })
	})
}
