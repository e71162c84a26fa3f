package part

import (
	"slices"

	"landfall/internal/column"
	"landfall/internal/contract"
)

// Unsure returns which of the objects say of a part of a column only what its values
// are at most, where that may decide its type: the others have values of another
// type there, or the contract does. Objects that were looked at value by value
// are sure of theirs; nil is none.
func Unsure(v contract.Version, p contract.Policy, objects []*contract.ObjectEvidence) []int {
	if !slices.ContainsFunc(objects, func(o *contract.ObjectEvidence) bool { return o != nil && unread(&o.Evidence) }) {
		return nil
	}
	types, by := map[string]map[string]bool{}, map[string]map[int]bool{}
	for i, o := range objects {
		if o == nil {
			continue
		}
		for _, x := range All(v, p, *o) {
			path := x.Path.String()
			if types[path] == nil {
				types[path], by[path] = map[string]bool{x.Type.String(): true}, map[int]bool{}
			}
			for _, d := range x.Evidence.Types {
				if d.Count > 0 {
					types[path][d.Type] = true
				}
				by[path][i] = by[path][i] || d.Unread > 0
			}
		}
	}
	var unsure []int
	for path, unread := range by {
		if len(types[path]) < 2 {
			continue
		}
		for i := range unread {
			if unread[i] && !slices.Contains(unsure, i) {
				unsure = append(unsure, i)
			}
		}
	}
	slices.Sort(unsure)
	return unsure
}

// unread tells whether some values were not looked at.
func unread(e *column.Evidence) bool {
	return slices.ContainsFunc(e.Types, func(d column.Declared) bool { return d.Unread > 0 }) ||
		slices.ContainsFunc(e.Fields, func(f column.FieldEvidence) bool { return unread(&f.Evidence) }) ||
		e.Element != nil && unread(e.Element) || e.Key != nil && unread(e.Key)
}
